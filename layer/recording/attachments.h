// SPDX-License-Identifier: Apache-2.0
// What render passes read and write of their attachments (docs/internals/images.md).
#ifndef SHADERQA_LAYER_RECORDING_ATTACHMENTS_H
#define SHADERQA_LAYER_RECORDING_ATTACHMENTS_H

#include <vulkan/vulkan_core.h>

#include <optional>
#include <vector>

#include "layer/accesses/dependency.h"
#include "layer/recording/command_accesses.h"
#include "layer/resources/image_table.h"

namespace shaderqa::layer {

// A colour attachment may be a plane of its image.
constexpr VkImageAspectFlags kColorAspects = VK_IMAGE_ASPECT_COLOR_BIT | VK_IMAGE_ASPECT_PLANE_0_BIT |
                                             VK_IMAGE_ASPECT_PLANE_1_BIT | VK_IMAGE_ASPECT_PLANE_2_BIT;

// What is done to one aspect of an attachment.
struct AttachmentUse {
  VkAttachmentLoadOp load = VK_ATTACHMENT_LOAD_OP_LOAD;
  VkAttachmentStoreOp store = VK_ATTACHMENT_STORE_OP_STORE;
  bool read_only = false;  // by its layout

  bool writes() const {
    const bool cleared = load == VK_ATTACHMENT_LOAD_OP_CLEAR || load == VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    const bool stored = store == VK_ATTACHMENT_STORE_OP_STORE || store == VK_ATTACHMENT_STORE_OP_DONT_CARE;
    return !read_only && (cleared || stored);
  }
  bool reads() const { return load == VK_ATTACHMENT_LOAD_OP_LOAD; }
};

bool is_read_only(VkImageLayout layout);

// An attachment of a render pass object. `stencil` is for the aspect of that name.
struct PassAttachment {
  bool is_used = false;             // by a subpass that may write it, or tests against it
  VkImageAspectFlags resolved = 0;  // what of depth and stencil is resolved into it
  AttachmentUse main, stencil;
  // Layout transitions. The first one is from the initial layout into that of the first subpass, with the
  // dependencies that order it; the others are between subpasses, and into the final layout.
  bool changes_first = false, changes_within = false, changes_last = false;
  bool changes_later() const { return changes_within || changes_last; }
  VkImageAspectFlags changed_aspects = ~VkImageAspectFlags{0};
  std::vector<Dependency> first_dependencies;
  // Nothing: not known. Those of stencil where it has some of its own.
  struct Layouts {
    std::optional<VkImageLayout> initial, final;
    std::vector<std::optional<VkImageLayout>> subpasses;
    std::optional<VkImageLayout> in(uint32_t subpass) const {
      return subpass < subpasses.size() ? subpasses[subpass] : std::nullopt;
    }
    bool operator==(const Layouts&) const = default;
  };
  Layouts layouts;
  std::optional<Layouts> stencil_layouts;
};

struct PassAttachments {
  std::vector<PassAttachment> all;
  std::optional<uint32_t> view_mask;  // of the views that all subpasses render, where there are views
};

// Where the rendering takes place.
struct RenderedArea {
  VkRect2D area{};
  uint32_t layers = 1;
};

struct AttachmentAccesses {
  CommandAccesses color, depth;  // the latter of stencil, too
};
AttachmentUse use_of(const VkRenderingAttachmentInfo& info);
// Layers from the first one on that no view renders are left out.
uint32_t layers_of(uint32_t view_mask);
// So many layers of the view. Nothing where its image is not followed.
std::optional<ImageTable::ViewedRange> attached_layers(const Device& device, VkImageView view,
                                                       uint32_t layers);
AttachmentAccesses accesses_of(const Device& device, const VkRenderingInfo& info);
AttachmentAccesses accesses_of(const Device& device, const PassAttachments& attachments,
                               const VkRenderPassBeginInfo& info);
// Images that the pass writes in whatever way, by address.
std::vector<uint64_t> written_images(const Device& device, const VkRenderingInfo& info);
std::vector<uint64_t> written_images(const Device& device, const PassAttachments& attachments,
                                     const VkRenderPassBeginInfo& info);
// From the initial layouts.
std::vector<LayoutTransition> transitions_of(const Device& device, const PassAttachments& attachments,
                                             const VkRenderPassBeginInfo& info);

// The layouts of one attachment, or of one of its two aspects.
struct PassLayout : PassAttachment::Layouts {
  uint64_t image = 0;               // address
  VkImageSubresourceRange range{};  // what certainly changes its layout
  VkImageSubresourceRange whole{};  // what may
};
std::vector<PassLayout> layouts_of(const Device& device, const PassAttachments& attachments,
                                   const VkRenderPassBeginInfo& info);

}  // namespace shaderqa::layer
#endif
