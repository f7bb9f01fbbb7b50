// SPDX-License-Identifier: Apache-2.0
// Sorts a million values into bins on the GPU in three passes (count, prefix sum, scatter) and checks the
// result on the CPU. The shaders print the few values that are out of range. Exits with 0 only if the result
// is right.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "histogram_spv.h"
#include "scan_spv.h"
#include "scatter_spv.h"
#include "vulkan_kit.h"

namespace {

constexpr uint32_t kValueCount = 1u << 20;
constexpr uint32_t kLimit = 1u << 16;
constexpr uint32_t kBins = 256;

struct Push {
  uint32_t value_count = kValueCount;
  uint32_t limit = kLimit;
};

std::vector<uint32_t> make_values() {
  std::mt19937 random(2024);  // fixed, so that every run prints the same
  std::vector<uint32_t> values(kValueCount);
  for (auto& value : values) value = random() % kLimit;
  for (uint32_t i = 0; i < 5; ++i) values[i * 200003 + 17] = kLimit + i;
  return values;
}

void dispatch(VkCommandBuffer commands, const kit::Compute& pass, uint32_t push_bytes, uint32_t groups) {
  const Push push;
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pass.pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pass.layout, 0, 1, &pass.set, 0, nullptr);
  if (push_bytes != 0)
    vkCmdPushConstants(commands, pass.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_bytes, &push);
  vkCmdDispatch(commands, groups, 1, 1);
  kit::memory_barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                      VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT);
}

// Values that differ only within a bin may come in any order.
bool is_right(std::vector<uint32_t> values, std::span<const uint32_t> sorted) {
  std::erase_if(values, [](uint32_t value) { return value >= kLimit; });
  const auto bin = [](uint32_t value) { return value * kBins / kLimit; };
  std::vector<uint32_t> result(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(values.size()));
  if (!std::is_sorted(result.begin(), result.end(), [&](uint32_t a, uint32_t b) { return bin(a) < bin(b); }))
    return false;
  std::sort(values.begin(), values.end());
  std::sort(result.begin(), result.end());
  return values == result;
}

int run(uint32_t device_index) {
  kit::DeviceOptions options;
  options.device_index = device_index;
  kit::Device device(options);
  std::printf("device: %s\n", device.properties.deviceName);

  const auto values = make_values();
  const auto storage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  const kit::Buffer input = device.buffer(VkDeviceSize{kValueCount} * 4, storage);
  const kit::Buffer counts = device.buffer(VkDeviceSize{kBins} * 4, storage);
  const kit::Buffer starts = device.buffer(VkDeviceSize{kBins} * 4, storage);
  const kit::Buffer sorted = device.buffer(VkDeviceSize{kValueCount} * 4, storage);
  std::copy(values.begin(), values.end(), input.as<uint32_t>().begin());

  const auto histogram = device.compute(histogram_spv, {input, counts}, sizeof(Push));
  const auto scan = device.compute(scan_spv, {counts, starts});
  const auto scatter = device.compute(scatter_spv, {input, starts, sorted}, sizeof(Push));

  VkCommandBuffer commands = device.begin();
  dispatch(commands, histogram, sizeof(Push), kValueCount / 256);
  dispatch(commands, scan, 0, 1);
  dispatch(commands, scatter, sizeof(Push), kValueCount / 256);
  device.run(commands);

  const bool right = is_right(values, sorted.as<uint32_t>());
  std::printf("%u values sorted into %u bins: %s\n", kValueCount, kBins, right ? "right" : "WRONG");
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  uint32_t device_index = 0;
  if (argc == 3 && std::string(argv[1]) == "--device") {
    device_index = static_cast<uint32_t>(std::strtoul(argv[2], nullptr, 10));
  } else if (argc != 1) {
    std::fprintf(stderr, "usage: %s [--device N]\n", argv[0]);
    return 2;
  }
  try {
    return run(device_index);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
