// SPDX-License-Identifier: Apache-2.0
// A program that starts: it creates many compute pipelines, of which it uses some in its first submission,
// under the layers that the environment switches on.
//   start_bench OUT [CREATED USED [DEVICE]]   writes one "name value" line for each number to the file OUT
// run_start_bench.py compares runs with empty caches.
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "milliseconds.h"
#include "start_spv.h"
#include "vulkan_kit.h"

namespace {

constexpr uint32_t kGroups = 16;
constexpr uint32_t kWords = kGroups * 64 * 2;

struct Counts {
  uint32_t created = 1000, used = 50, device = 0;
};

VkPipeline create(kit::Device& device, VkShaderModule module, VkPipelineLayout layout, uint32_t number) {
  const VkSpecializationMapEntry entry{0, 0, sizeof number};
  const VkSpecializationInfo constants{1, &entry, sizeof number, &number};
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &constants;
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  if (vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline) != VK_SUCCESS)
    throw std::runtime_error("a pipeline cannot be created");
  device.later([&device, pipeline] { vkDestroyPipeline(device.handle, pipeline, nullptr); });
  return pipeline;
}

void run(const Counts& counts, FILE* output) {
  const auto start = std::chrono::steady_clock::now();
  const auto milliseconds = [&] { return bench::milliseconds_since(start); };
  kit::DeviceOptions options;
  options.device_index = counts.device;
  kit::Device device(options);
  std::fprintf(output, "# %s\n", device.properties.deviceName);
  const std::vector<VkDescriptorSetLayoutBinding> bindings{
      {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}};
  const VkDescriptorSetLayout set_layout = device.set_layout(bindings);
  const VkDescriptorSet set = device.descriptor_set(set_layout, bindings);
  const kit::Buffer buffer = device.buffer(kWords * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  device.write_buffer(set, 0, buffer);
  const VkPipelineLayout layout = device.pipeline_layout({&set_layout, 1}, VK_SHADER_STAGE_COMPUTE_BIT, 4);
  const VkShaderModule module = device.shader(start_spv);
  std::vector<VkPipeline> pipelines;
  for (uint32_t number = 0; number < counts.created; ++number)
    pipelines.push_back(create(device, module, layout, number));
  std::fprintf(output, "creation [ms]\t%.3f\n", milliseconds());

  VkCommandBuffer commands = device.begin();
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  // Spread over all that were created.
  for (uint32_t i = 0; i < counts.used; ++i) {
    const uint64_t which = uint64_t{i} * counts.created / counts.used;
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[which]);
    vkCmdDispatch(commands, kGroups, 1, 1);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         0, 1, &barrier, 0, nullptr, 0, nullptr);
  }
  device.run(commands);
  std::fprintf(output, "first submission [ms]\t%.3f\n", milliseconds());
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::fprintf(output, "memory [MiB]\t%.1f\n", static_cast<double>(usage.ru_maxrss) / 1024);
  std::fprintf(output, "checksum\t%u\n", static_cast<uint32_t>(kit::checksum(buffer.as<uint32_t>())));
}

}  // namespace

int main(int argc, char** argv) {
  Counts counts;
  const auto number = [&](int i) { return static_cast<uint32_t>(std::strtoul(argv[i], nullptr, 10)); };
  if (argc >= 4) counts.created = number(2), counts.used = number(3);
  if (argc == 5) counts.device = number(4);
  if (argc < 2 || argc == 3 || argc > 5 || counts.used == 0 || counts.used > counts.created) {
    std::fprintf(stderr, "usage: %s OUTPUT [CREATED USED [DEVICE]]\n", argv[0]);
    return 2;
  }
  try {
    FILE* output = std::fopen(argv[1], "w");
    if (output == nullptr) throw std::runtime_error(std::string("cannot write ").append(argv[1]));
    run(counts, output);
    std::fclose(output);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
