// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/attachments.h"

#include <algorithm>
#include <bit>
#include <span>

#include "instrument/runtime/abi_order.h"
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/recording/image_accesses.h"
#include "layer/resources/image_table.h"
#include "layer/resources/object_facts.h"
#include "layer/vk/guarded.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

constexpr VkImageAspectFlags kColor = kColorAspects, kDepth = VK_IMAGE_ASPECT_DEPTH_BIT,
                             kStencil = VK_IMAGE_ASPECT_STENCIL_BIT;

constexpr VkImageAspectFlags kAnyAspect = ~VkImageAspectFlags{0};

// What of the view is attached. Nothing where it has none of the aspects, or is not followed.
std::optional<ImageTable::ViewedRange> attached(const Device& device, VkImageView handle, uint32_t layers,
                                                VkImageAspectFlags aspects) {
  const ImageTable::ViewedRange* const view = handle ? device.images.range_of(handle) : nullptr;
  if (!view || (view->range.aspectMask & aspects) == 0) return std::nullopt;
  ImageTable::ViewedRange part = *view;
  part.range.aspectMask &= aspects;
  part.range.layerCount = std::min(layers, part.range.layerCount);
  return part;
}

}  // namespace

uint32_t layers_of(uint32_t view_mask) { return static_cast<uint32_t>(std::countr_one(view_mask)); }

// As an attachment a view has the depth and the stencil of its image, and all slices of a level.
std::optional<ImageTable::ViewedRange> attached_layers(const Device& device, VkImageView handle,
                                                       uint32_t layers) {
  auto view = attached(device, handle, layers, kAnyAspect);
  const ImageTable::Image* const image = view ? device.images.find(view->image) : nullptr;
  if (!image || !image->is_followed()) return std::nullopt;
  if (image->grid.planes() == 1) view->range.aspectMask = image->grid.aspects();
  if (image->grid.is_3d()) {
    view->range.baseArrayLayer = 0;
    view->range.layerCount = 1;
  }
  return view;
}

namespace {

class Collector {
 public:
  Collector(const Device& device, const char* command, const RenderedArea& rendered)
      : device_(device), rendered_(rendered) {
    passes.color.main_class = SQA_CLASS_COLOR;
    passes.depth.main_class = SQA_CLASS_DEPTH;
    for (CommandAccesses* const accesses : {&passes.color, &passes.depth}) {
      accesses->command = command;
      accesses->images = true;
    }
  }

  void add(VkImageView handle, VkImageAspectFlags aspects, const AttachmentUse& use) {
    // The engine takes depth and stencil to be accessed by the early tests. Without a load these may do
    // nothing.
    const bool late_alone = !(aspects & kColor) && use.load == VK_ATTACHMENT_LOAD_OP_NONE_EXT;
    if ((use.writes() || use.reads()) && !late_alone)
      add_box(aspects & kColor ? passes.color : passes.depth, handle, aspects, use.writes(), use.reads());
  }
  // A resolve writes into the image. Vulkan counts that as colour output, also for depth and stencil.
  void add_resolved(VkImageView handle, VkImageAspectFlags aspects) {
    add_box(passes.color, handle, aspects, true, false);
  }
  // A transition within the pass, or at its end, of what the pass writes: it counts as written with it.
  void add_changed(VkImageView handle, VkImageAspectFlags aspects) {
    CommandAccesses& accesses = aspects & kColor ? passes.color : passes.depth;
    const std::optional<ImageTable::ViewedRange> view = attached(device_, handle, rendered_.layers, aspects);
    if (!view) return;
    const LayoutTransition change =
        transition_of(device_, view->image, view->range, VK_IMAGE_LAYOUT_GENERAL, {});
    accesses.ranges.insert(accesses.ranges.end(), change.ranges.begin(), change.ranges.end());
  }
  AttachmentAccesses passes;

 private:
  void add_box(CommandAccesses& accesses, VkImageView handle, VkImageAspectFlags aspects, bool writes,
               bool loads) {
    const std::optional<ImageTable::ViewedRange> view = attached(device_, handle, rendered_.layers, aspects);
    // Slices of 3D images can be layers.
    const ImageTable::Image* const image = view ? device_.images.find(view->image) : nullptr;
    if (!image || image->grid.is_3d()) return;
    const VkImageSubresourceRange& range = view->range;
    size_t known = accesses.ranges.size();
    layer::add_box(device_, accesses, view->image,
                   {{range.aspectMask, range.baseMipLevel, range.baseArrayLayer, range.layerCount},
                    {rendered_.area.offset.x, rendered_.area.offset.y, 0},
                    {rendered_.area.extent.width, rendered_.area.extent.height, 1}},
                   writes);
    for (; loads && writes && known < accesses.ranges.size(); ++known) accesses.ranges[known].loads = true;
  }

  const Device& device_;
  const RenderedArea rendered_;
};

// The views of a render pass that begins, by attachment.
struct AttachedViews {
  AttachedViews(const Device& device, const PassAttachments& attachments, const VkRenderPassBeginInfo& info) {
    const FramebufferFacts* const framebuffer = device.object_facts.framebuffers.find(info.framebuffer);
    if (!framebuffer) return;
    all = framebuffer->views;
    const auto given = find_in_chain<VkRenderPassAttachmentBeginInfo>(
        info.pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
    if (all.empty() && given) all = {given->pAttachments, given->attachmentCount};
    layers = attachments.view_mask ? layers_of(*attachments.view_mask) : framebuffer->layers;
  }
  std::span<const VkImageView> all;
  uint32_t layers = 0;
};

void add(Collector& collector, const VkRenderingAttachmentInfo* info, VkImageAspectFlags aspect) {
  if (!info || !info->imageView) return;
  collector.add(info->imageView, aspect, use_of(*info));
  if (info->resolveMode != VK_RESOLVE_MODE_NONE && info->resolveImageView)
    collector.add_resolved(info->resolveImageView, aspect);
}

}  // namespace

AttachmentUse use_of(const VkRenderingAttachmentInfo& info) {
  return {info.loadOp, info.storeOp, is_read_only(info.imageLayout)};
}

bool is_read_only(VkImageLayout layout) {
  switch (layout) {
    case VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL:
    case VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL:
      return true;
    default:
      return false;
  }
}

AttachmentAccesses accesses_of(const Device& device, const VkRenderingInfo& info) {
  const uint32_t layers = info.viewMask ? layers_of(info.viewMask) : info.layerCount;
  Collector collector(device, "vkCmdBeginRendering", {info.renderArea, layers});
  for (const VkRenderingAttachmentInfo& one : std::span(info.pColorAttachments, info.colorAttachmentCount))
    add(collector, &one, kColor);
  add(collector, info.pDepthAttachment, kDepth);
  add(collector, info.pStencilAttachment, kStencil);
  return std::move(collector.passes);
}

AttachmentAccesses accesses_of(const Device& device, const PassAttachments& attachments,
                               const VkRenderPassBeginInfo& info) {
  const AttachedViews views(device, attachments, info);
  Collector collector(device, "vkCmdBeginRenderPass", {info.renderArea, views.layers});
  for (size_t i = 0; i < attachments.all.size() && i < views.all.size(); ++i) {
    const PassAttachment& one = attachments.all[i];
    if (one.resolved) collector.add_resolved(views.all[i], one.resolved);
    if (!one.is_used) continue;
    for (const VkImageAspectFlags aspect : {kColor, kDepth, kStencil}) {
      const AttachmentUse& use = aspect == kStencil ? one.stencil : one.main;
      collector.add(views.all[i], aspect, use);
      if (one.changes_later() && use.writes())
        collector.add_changed(views.all[i], aspect & one.changed_aspects);
    }
  }
  return std::move(collector.passes);
}

namespace {

const ImageTable::Image* image_of(const Device& device, VkImageView view) {
  const ImageTable::ViewedRange* const viewed = view ? device.images.range_of(view) : nullptr;
  const ImageTable::Image* const image = viewed ? device.images.find(viewed->image) : nullptr;
  return image && image->address ? image : nullptr;
}

bool is_cleared(const AttachmentUse& use) { return use.load != VK_ATTACHMENT_LOAD_OP_LOAD; }

}  // namespace

std::vector<uint64_t> written_images(const Device& device, const VkRenderingInfo& info) {
  std::vector<uint64_t> images;
  const auto add_view = [&](VkImageView view) {
    if (const ImageTable::Image* const image = image_of(device, view)) images.push_back(image->address);
  };
  const auto add = [&](const VkRenderingAttachmentInfo* one) {
    if (!one) return;
    if (!is_read_only(one->imageLayout)) add_view(one->imageView);
    if (one->resolveMode != VK_RESOLVE_MODE_NONE) add_view(one->resolveImageView);
  };
  for (const VkRenderingAttachmentInfo& one : std::span(info.pColorAttachments, info.colorAttachmentCount))
    add(&one);
  add(info.pDepthAttachment);
  add(info.pStencilAttachment);
  return images;
}

std::vector<uint64_t> written_images(const Device& device, const PassAttachments& attachments,
                                     const VkRenderPassBeginInfo& info) {
  std::vector<uint64_t> images;
  const AttachedViews views(device, attachments, info);
  for (size_t i = 0; i < attachments.all.size() && i < views.all.size(); ++i) {
    const PassAttachment& one = attachments.all[i];
    const ImageTable::Image* const image = image_of(device, views.all[i]);
    if (!image) continue;
    const bool has_stencil = image->grid.aspects() & kStencil;
    const bool drawn = one.is_used && !(one.main.read_only && one.stencil.read_only);
    if (drawn || is_cleared(one.main) || (has_stencil && is_cleared(one.stencil)) || one.resolved ||
        one.changes_later())
      images.push_back(image->address);
  }
  return images;
}

std::vector<LayoutTransition> transitions_of(const Device& device, const PassAttachments& attachments,
                                             const VkRenderPassBeginInfo& info) {
  std::vector<LayoutTransition> transitions;
  const AttachedViews views(device, attachments, info);
  for (size_t i = 0; i < attachments.all.size() && i < views.all.size(); ++i) {
    const PassAttachment& one = attachments.all[i];
    if (!one.changes_first) continue;
    const auto view = attached(device, views.all[i], views.layers, one.changed_aspects);
    if (!view) continue;
    LayoutTransition change =
        transition_of(device, view->image, view->range, one.layouts.initial.value_or(VK_IMAGE_LAYOUT_GENERAL),
                      one.first_dependencies);
    if (!change.ranges.empty()) transitions.push_back(std::move(change));
  }
  return transitions;
}

namespace {

// Which layout a subresource is in is not known where several attachments are it.
void forget_aliases(std::vector<PassLayout>& all) {
  const auto share = [](const PassLayout& one, const PassLayout& other) {
    const VkImageSubresourceRange &a = one.whole, &b = other.whole;
    return one.image == other.image && (a.aspectMask & b.aspectMask) && a.baseMipLevel == b.baseMipLevel &&
           a.baseArrayLayer < b.baseArrayLayer + b.layerCount &&
           b.baseArrayLayer < a.baseArrayLayer + a.layerCount;
  };
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      if (share(all[i], all[k]))
        for (PassLayout* const one : {&all[i], &all[k]})
          static_cast<PassAttachment::Layouts&>(*one) = PassAttachment::Layouts();
}

}  // namespace

std::vector<PassLayout> layouts_of(const Device& device, const PassAttachments& attachments,
                                   const VkRenderPassBeginInfo& info) {
  std::vector<PassLayout> found;
  const AttachedViews views(device, attachments, info);
  for (size_t i = 0; i < attachments.all.size() && i < views.all.size(); ++i) {
    const PassAttachment& one = attachments.all[i];
    const auto some = attached_layers(device, views.all[i], views.layers);
    const auto whole = attached_layers(device, views.all[i], UINT32_MAX);
    if (!some || !whole) continue;
    PassLayout layout;
    layout.image = device.images.find(whole->image)->address;
    layout.range = some->range;
    layout.whole = whole->range;
    static_cast<PassAttachment::Layouts&>(layout) = one.layouts;
    if (one.stencil_layouts) {
      PassLayout stencil = layout;
      static_cast<PassAttachment::Layouts&>(stencil) = *one.stencil_layouts;
      stencil.range.aspectMask &= kStencil;
      stencil.whole.aspectMask &= kStencil;
      found.push_back(stencil);
      layout.range.aspectMask &= ~kStencil;
      layout.whole.aspectMask &= ~kStencil;
    }
    found.push_back(layout);
  }
  forget_aliases(found);
  return found;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateFramebuffer(VkDevice handle,
                                                        const VkFramebufferCreateInfo* pCreateInfo,
                                                        const VkAllocationCallbacks* pAllocator,
                                                        VkFramebuffer* pFramebuffer) {
  Device& device = device_of(handle);
  const VkResult result = device.next.CreateFramebuffer(handle, pCreateInfo, pAllocator, pFramebuffer);
  if (result == VK_SUCCESS && device.engine->needs.images) {
    guarded([&] {
      FramebufferFacts facts;
      facts.layers = pCreateInfo->layers;
      if (!(pCreateInfo->flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT))
        facts.views.assign(pCreateInfo->pAttachments,
                           pCreateInfo->pAttachments + pCreateInfo->attachmentCount);
      device.object_facts.framebuffers.emplace(*pFramebuffer, std::move(facts));
    });
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyFramebuffer(VkDevice handle, VkFramebuffer framebuffer,
                                                     const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  if (framebuffer && device.engine->needs.images)
    guarded([&] { device.object_facts.framebuffers.erase(framebuffer); });
  device.next.DestroyFramebuffer(handle, framebuffer, pAllocator);
}

}  // namespace shaderqa::layer
