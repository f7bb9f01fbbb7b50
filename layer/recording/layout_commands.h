// SPDX-License-Identifier: Apache-2.0
// What one command that is recorded names of layouts, and how it changes them.
#ifndef SHADERQA_LAYER_RECORDING_LAYOUT_COMMANDS_H
#define SHADERQA_LAYER_RECORDING_LAYOUT_COMMANDS_H

#include <vulkan/vulkan_core.h>

#include <optional>
#include <vector>

#include "layer/recording/attachments.h"
#include "layer/recording/layout_steps.h"

namespace shaderqa::layer {

class CommandRecorder;

inline VkImageSubresourceRange range_of(const VkImageSubresourceLayers& layers) {
  return {layers.aspectMask, layers.mipLevel, 1, layers.baseArrayLayer, layers.layerCount};
}

// What a barrier says of an image's layouts. family: of the command buffer.
struct LayoutBarrier {
  VkImage image = VK_NULL_HANDLE;
  VkImageSubresourceRange range{};
  VkImageLayout old_layout = VK_IMAGE_LAYOUT_UNDEFINED, new_layout = VK_IMAGE_LAYOUT_UNDEFINED;
  uint32_t source_family = VK_QUEUE_FAMILY_IGNORED, destination_family = VK_QUEUE_FAMILY_IGNORED;
};

// Does nothing where images are not followed.
class LayoutCommand {
 public:
  LayoutCommand(CommandRecorder& state, const char* name);

  void access(VkImage image, const VkImageSubresourceRange& range, VkImageLayout layout);
  template <typename Region>
  void access(VkImage image, VkImageLayout layout, uint32_t count, const Region* regions,
              VkImageSubresourceLayers Region::*subresource) {
    for (uint32_t i = 0; steps_ && i < count; ++i) access(image, range_of(regions[i].*subresource), layout);
  }
  void barriers(const std::vector<LayoutBarrier>& all, uint32_t family);
  // It waits for something whose order to what the host does is not known.
  void forget_all();
  void attachments(const VkRenderingInfo& info);
  // The same of a render pass object: what its begin does, and (returned) what its subpasses and its end do.
  std::vector<PassLayout> begin_pass(const PassAttachments& attachments, const VkRenderPassBeginInfo& info);
  void next_subpass(const std::vector<PassLayout>& attachments, uint32_t subpass);
  void end_pass(const std::vector<PassLayout>& attachments);

 private:
  // From now on; nothing: it is not known.
  void put(const PassLayout& attachment, std::optional<VkImageLayout> layout);
  void add(LayoutSteps::Kind kind, VkImage image, const VkImageSubresourceRange& range, VkImageLayout layout);
  void add(LayoutSteps::Kind kind, uint64_t image, const VkImageSubresourceRange& range,
           VkImageLayout layout);
  void attachment(const VkRenderingAttachmentInfo* info, VkImageAspectFlags aspects, uint32_t layers);

  CommandRecorder& state_;
  LayoutSteps* steps_ = nullptr;
  bool silent_ = false;
};

}  // namespace shaderqa::layer
#endif
