// SPDX-License-Identifier: Apache-2.0
// Memory that images share with something else (docs/internals/images.md).
#ifndef SHADERQA_LAYER_RESOURCES_IMAGE_MEMORY_H
#define SHADERQA_LAYER_RESOURCES_IMAGE_MEMORY_H

#include <vulkan/vulkan_core.h>

#include <cstdint>

namespace shaderqa::layer {

class Device;

// Memory is bound to a buffer, or to `image`: images that share it are followed no longer. owner: a number
// that no other object has.
void bind_memory(Device& device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                 uint64_t owner, VkImage image);

}  // namespace shaderqa::layer
#endif
