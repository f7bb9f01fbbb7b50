// SPDX-License-Identifier: Apache-2.0
// What commands access of images (docs/internals/images.md).
#ifndef SHADERQA_LAYER_RECORDING_IMAGE_ACCESSES_H
#define SHADERQA_LAYER_RECORDING_IMAGE_ACCESSES_H

#include <vulkan/vulkan_core.h>

#include <vector>

#include "layer/accesses/dependency.h"
#include "layer/recording/command_accesses.h"

namespace shaderqa::layer {

// A part of an image.
struct ImageBox {
  VkImageSubresourceLayers subresources{};
  VkOffset3D offset{};
  VkExtent3D extent{};
};

// Nothing where images are not checked, or this one is not followed.
void add_box(const Device& device, CommandAccesses& accesses, VkImage image, const ImageBox& box,
             bool writes);
// What a command with these dependencies does to the layout of the subresources. Its ranges are empty where
// the image is not followed. before: their layout until then.
LayoutTransition transition_of(const Device& device, VkImage image, const VkImageSubresourceRange& range,
                               VkImageLayout before, std::vector<Dependency> dependencies);
// All texels of the subresources.
void add_subresources(const Device& device, CommandAccesses& accesses, VkImage image,
                      const VkImageSubresourceRange& range, bool writes);

}  // namespace shaderqa::layer
#endif
