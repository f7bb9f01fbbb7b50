// SPDX-License-Identifier: Apache-2.0
// Makes the pipeline of one compute shader and runs it, under the layers that the environment switches on.
//   pipeline_bench list                 names of the shaders, with their words
//   pipeline_bench SHADER OUT [DEVICE]  writes one "name value" line for each time to the file OUT
// run_pipeline_bench.py compares runs with empty caches, one process for each shader.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "milliseconds.h"
#include "pipeline_attention_spv.h"
#include "pipeline_copy_spv.h"
#include "pipeline_fft_spv.h"
#include "pipeline_lighting_spv.h"
#include "pipeline_matrix_spv.h"
#include "pipeline_normalisation_spv.h"
#include "pipeline_quantised_spv.h"
#include "pipeline_results.h"
#include "pipeline_returns_spv.h"
#include "pipeline_sites10_spv.h"
#include "pipeline_sites200_spv.h"
#include "pipeline_sites500_spv.h"
#include "pipeline_sites50_spv.h"
#include "pipeline_softmax_spv.h"
#include "pipeline_sort_spv.h"
#include "pipeline_stencil_spv.h"
#include "pipeline_tiles2_spv.h"
#include "pipeline_tiles3_spv.h"
#include "pipeline_tiles8_spv.h"
#include "pipeline_unrolled_spv.h"
#include "stopwatch.h"
#include "vulkan_kit.h"
#include "warm_up.h"

namespace {

struct Shader {
  const char* name;
  std::span<const uint32_t> words;
  bool small_types = false;  // reads types of 8 and 16 bits
  const pipeline_bench::Test* test = nullptr;
};
const Shader shaders[] = {
    {"copy", pipeline_copy_spv},
    {"stencil", pipeline_stencil_spv},
    {"matrix", pipeline_matrix_spv},
    {"sites10", pipeline_sites10_spv},
    {"sites50", pipeline_sites50_spv},
    {"sites200", pipeline_sites200_spv},
    {"sites500", pipeline_sites500_spv},
    {"unrolled", pipeline_unrolled_spv},
    {"tiles2", pipeline_tiles2_spv},
    {"tiles3", pipeline_tiles3_spv},
    {"tiles8", pipeline_tiles8_spv},
    {"returns", pipeline_returns_spv},
    {"normalisation", pipeline_normalisation_spv},
    {"quantised", pipeline_quantised_spv, true},
    {"softmax", pipeline_softmax_spv},
    {"sort", pipeline_sort_spv, false, &pipeline_bench::sort_test},
    {"lighting", pipeline_lighting_spv, false, &pipeline_bench::lighting_test},
    {"transform", pipeline_fft_spv, false, &pipeline_bench::transform_test},
    {"attention", pipeline_attention_spv, false, &pipeline_bench::attention_test},
};

constexpr uint32_t kWords = 1u << 18;  // of a buffer
constexpr uint32_t kGroups = 256;
constexpr uint32_t kWidth = 200;  // of a row of softmax and normalisation

// To compare results of two runs.
uint64_t hash_of(std::span<const uint32_t> words) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const uint32_t word : words) hash = (hash ^ word) * 0x100000001b3u;
  return hash;
}

using Copies = std::array<std::vector<uint32_t>, 3>;

std::vector<kit::Buffer> make_buffers(kit::Device& device, VkDescriptorSet set) {
  std::vector<kit::Buffer> buffers;
  for (uint32_t binding = 0; binding < 4; ++binding) {
    buffers.push_back(device.buffer(uint64_t{kWords} * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, true));
    device.write_buffer(set, binding, buffers.back());
  }
  std::fill_n(buffers[3].as<uint32_t>().begin(), 2, kWidth);
  return buffers;
}

// Throws if the shader's test finds a mistake.
void look_at_result(const Shader& shader, const pipeline_bench::Data& data,
                    const std::vector<kit::Buffer>& buffers, Copies& copies, FILE* output) {
  if (!shader.test) return;
  std::ranges::copy(buffers[2].as<uint32_t>(), copies[2].begin());
  if (const std::string problem = shader.test->problem(data); !problem.empty())
    throw std::runtime_error("the result is wrong: " + problem);
  // As many bits as a double of the script holds.
  std::fprintf(output, "result\t%llu\n", static_cast<unsigned long long>(hash_of(copies[2]) >> 11));
}

void run(const Shader& shader, FILE* output, uint32_t device_index) {
  VkPhysicalDeviceVulkan12Features features12{};
  features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  features12.storageBuffer8BitAccess = VK_TRUE;
  VkPhysicalDeviceVulkan11Features features11{};
  features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  features11.storageBuffer16BitAccess = VK_TRUE;
  features11.pNext = &features12;
  kit::DeviceOptions options;
  options.api_version = VK_API_VERSION_1_3;
  options.device_index = device_index;
  if (shader.small_types) options.device_next = &features11;
  kit::Device device(options);
  std::fprintf(output, "# %s\n", device.properties.deviceName);

  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (uint32_t binding = 0; binding < 4; ++binding)
    bindings.push_back({binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  const VkDescriptorSetLayout set_layout = device.set_layout(bindings);
  const VkDescriptorSet set = device.descriptor_set(set_layout, bindings);
  const std::vector<kit::Buffer> buffers = make_buffers(device, set);
  // Filled and tested in memory of the host's own, which is fast to read.
  Copies copies;
  for (std::vector<uint32_t>& copy : copies) copy.resize(kWords);
  const pipeline_bench::Data data{copies[0], copies[1], copies[2]};
  if (shader.test) {
    shader.test->fill(data);
    for (size_t i = 0; i < 2; ++i) std::ranges::copy(copies[i], buffers[i].as<uint32_t>().begin());
  }
  const VkPipelineLayout layout = device.pipeline_layout({&set_layout, 1}, VK_SHADER_STAGE_COMPUTE_BIT, 8);
  const bench::Stopwatch stopwatch(device);
  bench::WarmUp warm_up(device);

  auto start = std::chrono::steady_clock::now();
  const VkPipeline pipeline = device.compute_pipeline(shader.words, layout);
  std::fprintf(output, "pipeline [ms]\t%.3f\n", bench::milliseconds_since(start));
  std::fflush(output);
  const auto record = [&] {
    VkCommandBuffer commands = device.begin();
    stopwatch.start(commands);
    const uint32_t push[2] = {};
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, push);
    vkCmdDispatch(commands, kGroups, 1, 1);
    stopwatch.stop(commands);
    return commands;
  };
  // Some drivers compile only now.
  start = std::chrono::steady_clock::now();
  device.run(record());
  std::fprintf(output, "first dispatch [ms]\t%.3f\n", bench::milliseconds_since(start));
  look_at_result(shader, data, buffers, copies, output);
  double best = 1e30;
  for (int tries = 0; tries < 5; ++tries) {
    VkCommandBuffer commands = record();
    warm_up.before_measurement();
    device.run(commands);
    best = std::min(best, stopwatch.microseconds());
  }
  warm_up.report(output, shader.name);
  std::fprintf(output, "dispatch [us]\t%.3f\n", best);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (argc == 2 && name == "list") {
    for (const Shader& shader : shaders) std::printf("%s\t%zu\n", shader.name, shader.words.size());
    return EXIT_SUCCESS;
  }
  const auto* shader = std::find_if(std::begin(shaders), std::end(shaders),
                                    [&](const Shader& each) { return name == each.name; });
  if (shader == std::end(shaders) || argc < 3 || argc > 4) {
    std::fprintf(stderr, "usage: %s list | SHADER OUTPUT [DEVICE]\n", argv[0]);
    return 2;
  }
  try {
    FILE* output = std::fopen(argv[2], "w");
    if (output == nullptr) throw std::runtime_error(std::string("cannot write ").append(argv[2]));
    run(*shader, output, argc == 4 ? static_cast<uint32_t>(std::strtoul(argv[3], nullptr, 10)) : 0);
    std::fclose(output);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
