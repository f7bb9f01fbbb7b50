// SPDX-License-Identifier: Apache-2.0
// A compute pipeline whose storage buffers are in a descriptor buffer.
#ifndef SHADERQA_BENCH_SYNC_BENCH_BUFFERED_H
#define SHADERQA_BENCH_SYNC_BENCH_BUFFERED_H

#include <cstdint>
#include <span>
#include <vector>

#include "vulkan_kit.h"

namespace sync_bench {

class BufferedCompute {
 public:
  // One storage buffer a binding, from 0; with device addresses.
  BufferedCompute(kit::Device& device, std::span<const uint32_t> words,
                  const std::vector<kit::Buffer>& buffers, uint32_t push_bytes);
  void bind(VkCommandBuffer commands) const;
  VkPipelineLayout layout = VK_NULL_HANDLE;

 private:
  void write(kit::Device& device, VkDescriptorSetLayout set, const std::vector<kit::Buffer>& buffers);
  kit::Buffer descriptors_;
  VkDeviceAddress address_ = 0;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

// Microseconds of a call of vkGetDescriptorEXT, for one of many storage buffers, whose descriptors were asked
// for before or not.
struct DescriptorTimes {
  double first, again;
};
DescriptorTimes time_descriptors(kit::Device& device, const kit::Buffer& buffer);

}  // namespace sync_bench
#endif
