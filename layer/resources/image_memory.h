// SPDX-License-Identifier: Apache-2.0
// Memory of images: what shares it, and what a swapchain has (docs/internals/images.md).
#ifndef SHADERQA_LAYER_RESOURCES_IMAGE_MEMORY_H
#define SHADERQA_LAYER_RESOURCES_IMAGE_MEMORY_H

#include <vulkan/vulkan_core.h>

#include <cstdint>

namespace shaderqa::layer {

class Device;

// How many late aliases there were (ImageTable::late_aliases) when the recording of a command buffer began
// and ended.
struct LateAliases {
  uint32_t begin = 0, end = 0;
};

// Memory is bound to a buffer, or to `image`. Returns whether other images share it with the image. The
// layouts of images that share it with each other are followed no longer. owner: as ImageTable::bind() has
// it.
bool bind_memory(Device& device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                 uint64_t owner, VkImage image);

// Memory has been allocated: images have no part in it that others may access.
void learn_allocation(Device& device, VkDeviceMemory memory, const VkMemoryAllocateInfo& info);

// A command buffer is submitted. ordering: it has barriers for images.
void see_submission(Device& device, const LateAliases& recorded, bool ordering);

// It is destroyed.
void forget_image(Device& device, VkImage image);

// Null: nobody asked for it.
VkImage image_of(const Device& device, VkSwapchainKHR swapchain, uint32_t index);
// What was done to it before is over, or was ordered by the presentation engine.
void presentable_acquired(Device& device, VkSwapchainKHR swapchain, uint32_t index);

}  // namespace shaderqa::layer
#endif
