// SPDX-License-Identifier: Apache-2.0
// Times the Vulkan commands that a layer can slow down, under the layers that the environment switches on.
// Writes one "name value" line for each time, and where the GPU works a "# warm-up" line before it, to a file
// (messages of layers may go to stdout). run_layer_bench.py compares runs.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "plain_spv.h"
#include "printing_spv.h"
#include "vulkan_kit.h"
#include "warm_up.h"

namespace {

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// The fastest of several tries: slower ones were disturbed by other programs.
template <typename Work>
double best_of(int tries, const Work& work) {
  double best = 1e30;
  for (int i = 0; i < tries; ++i) best = std::min(best, work());
  return best;
}

class Bench {
 public:
  Bench(uint32_t device_index, FILE* output)
      : device_(options(device_index)), warm_up_(device_), output_(output) {
    std::fprintf(output_, "# %s\n", device_.properties.deviceName);
    io_ = device_.buffer(VkDeviceSize{4096} * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  }

  void run_messages(uint32_t messages) {
    const auto printing = device_.compute(printing_spv, {io_}, 4);
    const std::string name = "a message, of " + std::to_string(messages) + " in a dispatch [us]";
    report(name.c_str(), print(printing, messages) / messages);
  }

  void run_costs() {
    report("create a pipeline without printf [us]", create_pipelines(plain_spv));
    report("create a pipeline with printf [us]", create_pipelines(printing_spv));
    const auto plain = device_.compute(plain_spv, {io_}, 4);
    const auto silent = device_.compute(printing_spv, {io_}, 4);
    report("record a dispatch, no printf [us]", record(plain));
    report("record a dispatch, printf never taken [us]", record(silent));
    report("submit and wait for 1 dispatch, no printf [us]", submit(plain, 1, 1));
    report("submit and wait for 1 dispatch, printf never taken [us]", submit(silent, 1, 1));
    report("submit and wait for 100 dispatches, no printf [us]", submit(plain, 100, 1));
    report("submit and wait for 100 dispatches, printf never taken [us]", submit(silent, 100, 1));
    report("1M invocations, no printf [us]", submit(plain, 1, 16384));
    report("1M invocations, printf never taken [us]", submit(silent, 1, 16384));
  }

 private:
  static kit::DeviceOptions options(uint32_t device_index) {
    kit::DeviceOptions result;
    result.device_index = device_index;
    return result;
  }

  void report(const char* name, double value) {
    if (warm_up_.measurements() != 0) warm_up_.report(output_, name);
    std::fprintf(output_, "%s\t%.3f\n", name, value);
    std::fflush(output_);
  }

  // Times module and pipeline together, because layers differ in which of the two they work for. Every
  // pipeline has another specialisation, so that the driver finds none in its caches.
  double create_pipelines(std::span<const uint32_t> words) {
    constexpr uint32_t kPipelines = 30;
    const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                               VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    const VkDescriptorSetLayout set_layout = device_.set_layout({&binding, 1});
    const VkPipelineLayout layout = device_.pipeline_layout({&set_layout, 1}, VK_SHADER_STAGE_COMPUTE_BIT, 4);
    const VkSpecializationMapEntry entry{0, 0, 4};
    const auto start = Clock::now();
    for (uint32_t i = 0; i < kPipelines; ++i) {
      const uint32_t variant = ++variant_;
      const VkSpecializationInfo specialization{1, &entry, 4, &variant};
      VkShaderModuleCreateInfo module_info{};
      module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
      module_info.codeSize = words.size_bytes();
      module_info.pCode = words.data();
      VkComputePipelineCreateInfo info{};
      info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
      info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
      info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
      info.stage.pName = "main";
      info.stage.pSpecializationInfo = &specialization;
      info.layout = layout;
      VkPipeline pipeline;
      kit::check(vkCreateShaderModule(device_.handle, &module_info, nullptr, &info.stage.module),
                 "vkCreateShaderModule");
      kit::check(vkCreateComputePipelines(device_.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
                 "vkCreateComputePipelines");
      vkDestroyShaderModule(device_.handle, info.stage.module, nullptr);
      vkDestroyPipeline(device_.handle, pipeline, nullptr);
    }
    return microseconds_since(start) / kPipelines;
  }

  void record_dispatches(VkCommandBuffer commands, const kit::Compute& compute, uint32_t count,
                         uint32_t groups, uint32_t messages) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute.layout, 0, 1, &compute.set, 0,
                            nullptr);
    vkCmdPushConstants(commands, compute.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &messages);
    for (uint32_t i = 0; i < count; ++i) vkCmdDispatch(commands, groups, 1, 1);
  }

  double record(const kit::Compute& compute) {
    constexpr uint32_t kDispatches = 1000;
    return best_of(10, [&] {
      VkCommandBuffer commands = device_.begin();
      const auto start = Clock::now();
      record_dispatches(commands, compute, kDispatches, 1, 0);
      const double time = microseconds_since(start) / kDispatches;
      kit::check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
      return time;
    });
  }

  double submit(const kit::Compute& compute, uint32_t dispatches, uint32_t groups) {
    return best_of(30, [&] {
      VkCommandBuffer commands = device_.begin();
      record_dispatches(commands, compute, dispatches, groups, 0);
      warm_up_.before_measurement();
      const auto start = Clock::now();
      device_.run(commands);
      return microseconds_since(start);
    });
  }

  // The time until the wait returns, when the program can rely on having got its messages.
  double print(const kit::Compute& compute, uint32_t messages) {
    return best_of(5, [&] {
      VkCommandBuffer commands = device_.begin();
      record_dispatches(commands, compute, 1, (messages + 63) / 64, messages);
      warm_up_.before_measurement();
      const auto start = Clock::now();
      device_.run(commands);
      return microseconds_since(start);
    });
  }

  kit::Device device_;
  bench::WarmUp warm_up_;
  FILE* output_;
  kit::Buffer io_;
  uint32_t variant_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const auto number = [&](int i, uint32_t otherwise) {
    return argc > i ? static_cast<uint32_t>(std::strtoul(argv[i], nullptr, 10)) : otherwise;
  };
  const uint32_t messages = number(4, 20000);
  if (argc < 3 || argc > (what == "messages" ? 5 : 4) || (what != "costs" && what != "messages") ||
      messages == 0) {
    std::fprintf(stderr, "usage: %s costs OUTPUT [DEVICE]\n       %s messages OUTPUT [DEVICE [MESSAGES]]\n",
                 argv[0], argv[0]);
    return 2;
  }
  try {
    FILE* output = std::fopen(argv[2], "w");
    if (output == nullptr) throw std::runtime_error(std::string("cannot write ").append(argv[2]));
    Bench bench(number(3, 0), output);
    what == "costs" ? bench.run_costs() : bench.run_messages(messages);
    std::fclose(output);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
