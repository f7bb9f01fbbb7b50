// SPDX-License-Identifier: Apache-2.0
// Follows the layouts of images through what is submitted, and reports those that are not what a command
// names (docs/internals/images.md#layouts).
#ifndef SHADERQA_LAYER_RECORDING_LAYOUT_REPLAY_H
#define SHADERQA_LAYER_RECORDING_LAYOUT_REPLAY_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/findings/check_details.h"
#include "layer/accesses/layout_map.h"
#include "layer/engines/engine.h"

namespace shaderqa::layer {

class Device;

// For a finding. image: its address.
WrongLayout describe_layout(const Device& device, uint64_t image, const FoundLayout& is, VkImageLayout named);

// A batch is about to be submitted to the queue, whose name reports have. Nothing is reported of what is left
// out.
void follow_layouts(Device& device, const SubmittedBatch& batch, const std::string& queue);

// An image that is about to be presented, and is in a layout in which it cannot be.
struct WrongPresented {
  uint32_t swapchain = 0;  // which one of vkQueuePresentKHR
  uint64_t image = 0;      // address
  FoundLayout is;
};
// In front of the command.
std::vector<WrongPresented> find_wrong_presented(Device& device, const VkPresentInfoKHR& info);
// Behind it: of what it has presented.
void report_presented(Device& device, const std::vector<WrongPresented>& found, const VkPresentInfoKHR& info,
                      VkResult result, const std::string& queue);

// The host accesses the subresources, or changes their layout (old: from this one).
void host_names_layout(Device& device, const char* command, VkImage image,
                       const VkImageSubresourceRange& range, VkImageLayout layout, bool old = false);
void host_changes_layout(Device& device, const char* command, VkImage image,
                         const VkImageSubresourceRange& range, VkImageLayout layout);

}  // namespace shaderqa::layer
#endif
