// SPDX-License-Identifier: Apache-2.0
// Render passes of both kinds.
#include "layer/recording/render_passes.h"

#include <algorithm>

#include "layer/recording/command_recorder.h"
#include "layer/resources/lease.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

void add_dependency(RenderPassEffects& effects, uint32_t source, uint32_t destination,
                    const Dependency& dependency) {
  if (source == VK_SUBPASS_EXTERNAL) {
    effects.before.push_back(dependency);
  } else if (destination == VK_SUBPASS_EXTERNAL) {
    effects.after.push_back(dependency);
  } else if (source != destination) {
    effects.inner.push_back({source, destination, dependency});
  }
}

// A subpass dependency's memory dependency is a global one.
Dependency dependency_of(const VkSubpassDependency& info) {
  return {info.srcStageMask, info.dstStageMask, info.srcAccessMask, info.dstAccessMask};
}

Dependency dependency_of(const VkSubpassDependency2& info) {
  const auto newer = find_in_chain<VkMemoryBarrier2>(info.pNext, VK_STRUCTURE_TYPE_MEMORY_BARRIER_2);
  if (newer) {
    return {newer->srcStageMask, newer->dstStageMask, newer->srcAccessMask, newer->dstAccessMask};
  }
  return {info.srcStageMask, info.dstStageMask, info.srcAccessMask, info.dstAccessMask};
}

template <typename CreateInfo>
std::vector<SubpassUse> subpasses_of(const CreateInfo& info) {
  std::vector<SubpassUse> uses;
  for (uint32_t i = 0; i < info.subpassCount; ++i) {
    const auto& subpass = info.pSubpasses[i];
    const auto depth = subpass.pDepthStencilAttachment;
    const auto colors = subpass.pColorAttachments;
    const auto is_used = [](const auto& reference) { return reference.attachment != VK_ATTACHMENT_UNUSED; };
    uses.push_back(
        {std::any_of(colors, colors + subpass.colorAttachmentCount, is_used), depth && is_used(*depth)});
  }
  return uses;
}

// The views of a subpass; 0: it has none.
uint32_t view_mask(const VkRenderPassCreateInfo& info, uint32_t subpass) {
  const auto views = find_in_chain<VkRenderPassMultiviewCreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO);
  return views && subpass < views->subpassCount ? views->pViewMasks[subpass] : 0;
}
uint32_t view_mask(const VkRenderPassCreateInfo2& info, uint32_t subpass) {
  return info.pSubpasses[subpass].viewMask;
}

template <typename CreateInfo>
PassAttachments attachments_of(const CreateInfo& info) {
  PassAttachments attachments;
  std::vector<PassAttachment>& all = attachments.all;
  all.resize(info.attachmentCount);
  for (uint32_t i = 0; i < info.attachmentCount; ++i) {
    const auto& given = info.pAttachments[i];
    all[i].main = {given.loadOp, given.storeOp, true};
    all[i].stencil = {given.stencilLoadOp, given.stencilStoreOp, true};
  }
  // One that is written in any subpass is written. What only inputs use is left alone.
  const auto use = [&](const auto* references, uint32_t count, bool resolved) {
    for (uint32_t i = 0; references && i < count; ++i) {
      if (references[i].attachment >= all.size()) continue;
      PassAttachment& one = all[references[i].attachment];
      one.is_used = true;
      const bool read_only = !resolved && is_read_only(references[i].layout);
      one.main.read_only = one.main.read_only && read_only;
      one.stencil.read_only = one.stencil.read_only && read_only;
    }
  };
  for (uint32_t i = 0; i < info.subpassCount; ++i) {
    const auto& subpass = info.pSubpasses[i];
    use(subpass.pColorAttachments, subpass.colorAttachmentCount, false);
    use(subpass.pResolveAttachments, subpass.colorAttachmentCount, true);
    use(subpass.pDepthStencilAttachment, 1, false);
    if (const uint32_t mask = view_mask(info, i))
      attachments.view_mask = attachments.view_mask.value_or(UINT32_MAX) & mask;
  }
  return attachments;
}

template <typename CreateInfo>
void remember(Device& device, VkRenderPass render_pass, const CreateInfo& info,
              const VkAllocationCallbacks* allocator) {
  if (!allocator && device.two_versions()) {
    device.leases.render_passes.created(device, render_pass);
    device.leases.subpasses.emplace(render_pass, subpasses_of(info));
  }
  if (!device.checks_sync()) return;
  auto effects = std::make_shared<RenderPassEffects>();
  for (uint32_t i = 0; i < info.dependencyCount; ++i) {
    const auto& dependency = info.pDependencies[i];
    add_dependency(*effects, dependency.srcSubpass, dependency.dstSubpass, dependency_of(dependency));
  }
  if (device.engine->needs.images) effects->attachments = attachments_of(info);
  CommandBuffers::Impl& shared = device.command_buffers.impl();
  const std::unique_lock lock(shared.mutex);
  shared.render_passes[render_pass] = std::move(effects);
}

SynchronizationPoint in_pass_at(const char* place) {
  return {place, SynchronizationPoint::Kind::render_pass, "it is part of a render pass"};
}

void record_attachments(CommandRecorder& state, AttachmentAccesses passes) {
  state.record_attachments(std::move(passes.color));
  state.record_attachments(std::move(passes.depth));
}

void begin_render_pass(Device& device, CommandRecorder& state, const VkRenderPassBeginInfo& info) {
  CommandBuffers::Impl& shared = device.command_buffers.impl();
  std::shared_ptr<const RenderPassEffects> effects;
  {
    const std::shared_lock lock(shared.mutex);
    if (const auto found = shared.render_passes.find(info.renderPass); found != shared.render_passes.end()) {
      effects = found->second;
    }
  }
  if (effects) state.synchronise(in_pass_at("the beginning of the render pass"), effects->before);
  state.begin_pass(false);
  if (effects && device.engine->needs.images)
    record_attachments(state, accesses_of(device, effects->attachments, info));
  state.render_pass = std::move(effects);
  state.subpass = 0;
}

void next_subpass(Device&, CommandRecorder& state) {
  ++state.subpass;
  if (!state.render_pass) return;
  std::vector<Dependency> together;
  for (const RenderPassEffects::Inner& inner : state.render_pass->inner) {
    if (inner.destination == state.subpass) together.push_back(inner.dependency);
  }
  state.synchronise(in_pass_at("the beginning of the subpass"), together);
}

void end_render_pass(Device&, CommandRecorder& state) {
  const std::shared_ptr<const RenderPassEffects> effects = state.render_pass;
  state.end_pass(false);
  if (effects) state.synchronise(in_pass_at("the end of the render pass"), effects->after);
}

void behind_pass(const Device& device, VkCommandBuffer command_buffer) {
  if (device.engine->needs.command_accesses)
    with_recorder(command_buffer, [](Device&, CommandRecorder& state) { state.engine().behind_pass(); });
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateRenderPass(VkDevice handle,
                                                       const VkRenderPassCreateInfo* pCreateInfo,
                                                       const VkAllocationCallbacks* pAllocator,
                                                       VkRenderPass* pRenderPass) {
  Device& device = device_of(handle);
  const VkResult result = device.next.CreateRenderPass(handle, pCreateInfo, pAllocator, pRenderPass);
  if (result == VK_SUCCESS) guarded([&] { remember(device, *pRenderPass, *pCreateInfo, pAllocator); });
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateRenderPass2(VkDevice handle,
                                                        const VkRenderPassCreateInfo2* pCreateInfo,
                                                        const VkAllocationCallbacks* pAllocator,
                                                        VkRenderPass* pRenderPass) {
  Device& device = device_of(handle);
  const VkResult result = device.next.CreateRenderPass2(handle, pCreateInfo, pAllocator, pRenderPass);
  if (result == VK_SUCCESS) guarded([&] { remember(device, *pRenderPass, *pCreateInfo, pAllocator); });
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyRenderPass(VkDevice handle, VkRenderPass renderPass,
                                                    const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  {
    CommandBuffers::Impl& shared = device.command_buffers.impl();
    const std::unique_lock lock(shared.mutex);
    shared.render_passes.erase(renderPass);
  }
  if (renderPass) device.leases.subpasses.erase(renderPass);
  if (renderPass && device.leases.render_passes.destroy(renderPass)) return;
  device.next.DestroyRenderPass(handle, renderPass, pAllocator);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBeginRenderPass(VkCommandBuffer commandBuffer,
                                                     const VkRenderPassBeginInfo* pRenderPassBegin,
                                                     VkSubpassContents contents) {
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    begin_render_pass(of, state, *pRenderPassBegin);
  });
  device.next.CmdBeginRenderPass(commandBuffer, pRenderPassBegin, contents);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBeginRenderPass2(VkCommandBuffer commandBuffer,
                                                      const VkRenderPassBeginInfo* pRenderPassBegin,
                                                      const VkSubpassBeginInfo* pSubpassBeginInfo) {
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    begin_render_pass(of, state, *pRenderPassBegin);
  });
  device.next.CmdBeginRenderPass2(commandBuffer, pRenderPassBegin, pSubpassBeginInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdNextSubpass(VkCommandBuffer commandBuffer, VkSubpassContents contents) {
  Device& device = with_recorder(commandBuffer, next_subpass);
  device.next.CmdNextSubpass(commandBuffer, contents);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdNextSubpass2(VkCommandBuffer commandBuffer,
                                                  const VkSubpassBeginInfo* pSubpassBeginInfo,
                                                  const VkSubpassEndInfo* pSubpassEndInfo) {
  Device& device = with_recorder(commandBuffer, next_subpass);
  device.next.CmdNextSubpass2(commandBuffer, pSubpassBeginInfo, pSubpassEndInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdEndRenderPass(VkCommandBuffer commandBuffer) {
  Device& device = with_recorder(commandBuffer, end_render_pass);
  device.next.CmdEndRenderPass(commandBuffer);
  behind_pass(device, commandBuffer);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdEndRenderPass2(VkCommandBuffer commandBuffer,
                                                    const VkSubpassEndInfo* pSubpassEndInfo) {
  Device& device = with_recorder(commandBuffer, end_render_pass);
  device.next.CmdEndRenderPass2(commandBuffer, pSubpassEndInfo);
  behind_pass(device, commandBuffer);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBeginRendering(VkCommandBuffer commandBuffer,
                                                    const VkRenderingInfo* pRenderingInfo) {
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    state.begin_pass(pRenderingInfo->flags & VK_RENDERING_RESUMING_BIT);
    if (of.engine->needs.images) record_attachments(state, accesses_of(of, *pRenderingInfo));
    state.suspends = pRenderingInfo->flags & VK_RENDERING_SUSPENDING_BIT;
  });
  device.next.CmdBeginRendering(commandBuffer, pRenderingInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdEndRendering(VkCommandBuffer commandBuffer) {
  Device& device =
      with_recorder(commandBuffer, [](Device&, CommandRecorder& state) { state.end_pass(state.suspends); });
  device.next.CmdEndRendering(commandBuffer);
  behind_pass(device, commandBuffer);
}

}  // namespace shaderqa::layer
