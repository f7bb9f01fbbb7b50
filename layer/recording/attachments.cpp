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

constexpr VkImageAspectFlags kColor = VK_IMAGE_ASPECT_COLOR_BIT, kDepth = VK_IMAGE_ASPECT_DEPTH_BIT,
                             kStencil = VK_IMAGE_ASPECT_STENCIL_BIT;

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
      add_box(aspects & kColor ? passes.color : passes.depth, handle, aspects, use.writes());
  }
  // A resolve writes into the image. Vulkan counts that as colour output, also for depth and stencil.
  void add_resolved(VkImageView handle, VkImageAspectFlags aspects) {
    add_box(passes.color, handle, aspects, true);
  }
  AttachmentAccesses passes;

 private:
  void add_box(CommandAccesses& accesses, VkImageView handle, VkImageAspectFlags aspects, bool writes) {
    const ImageTable::ViewedRange* const view = handle ? device_.images.range_of(handle) : nullptr;
    // Slices of 3D images can be layers.
    const ImageTable::Image* const image = view ? device_.images.find(view->image) : nullptr;
    if (!image || image->grid.is_3d()) return;
    const VkImageSubresourceRange& range = view->range;
    if ((range.aspectMask & aspects) == 0) return;
    const uint32_t layers = std::min(rendered_.layers, range.layerCount);
    layer::add_box(device_, accesses, view->image,
                   {{range.aspectMask & aspects, range.baseMipLevel, range.baseArrayLayer, layers},
                    {rendered_.area.offset.x, rendered_.area.offset.y, 0},
                    {rendered_.area.extent.width, rendered_.area.extent.height, 1}},
                   writes);
  }

  const Device& device_;
  const RenderedArea rendered_;
};

// Layers from the first one on that no view renders are left out.
uint32_t layers_of(uint32_t view_mask) { return static_cast<uint32_t>(std::countr_one(view_mask)); }

AttachmentUse use_of(const VkRenderingAttachmentInfo& info) {
  return {info.loadOp, info.storeOp, is_read_only(info.imageLayout)};
}

void add(Collector& collector, const VkRenderingAttachmentInfo* info, VkImageAspectFlags aspect) {
  if (!info || !info->imageView) return;
  collector.add(info->imageView, aspect, use_of(*info));
  if (info->resolveMode != VK_RESOLVE_MODE_NONE && info->resolveImageView)
    collector.add_resolved(info->resolveImageView, aspect);
}

}  // namespace

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
  const FramebufferFacts* const framebuffer = device.object_facts.framebuffers.find(info.framebuffer);
  if (!framebuffer) return {};
  std::span<const VkImageView> views = framebuffer->views;
  const auto given = find_in_chain<VkRenderPassAttachmentBeginInfo>(
      info.pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
  if (views.empty() && given) views = {given->pAttachments, given->attachmentCount};
  const uint32_t layers = attachments.view_mask ? layers_of(*attachments.view_mask) : framebuffer->layers;
  Collector collector(device, "vkCmdBeginRenderPass", {info.renderArea, layers});
  for (size_t i = 0; i < attachments.all.size() && i < views.size(); ++i) {
    const PassAttachment& one = attachments.all[i];
    if (!one.is_used) continue;
    collector.add(views[i], kColor, one.main);
    collector.add(views[i], kDepth, one.main);
    collector.add(views[i], kStencil, one.stencil);
  }
  return std::move(collector.passes);
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
