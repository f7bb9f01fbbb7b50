// SPDX-License-Identifier: Apache-2.0
// Render passes of both kinds.
#include "layer/recording/render_passes.h"

#include <algorithm>
#include <functional>

#include "layer/accesses/layout_map.h"
#include "layer/recording/command_recorder.h"
#include "layer/recording/layout_commands.h"
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

// The accesses of the dependencies that a render pass has where the program gives none.
constexpr VkAccessFlags2 kAttachmentAccess =
    VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT |
    VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT |
    VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;

// Which dependencies have layout transitions between their two sides. Where the program gives none to the
// outside, the transitions into final layouts have the implicit one, which may come beside others: that can
// only order more.
void mark_transitions(RenderPassEffects& effects) {
  const auto any = [&](bool PassAttachment::*change) {
    return std::ranges::any_of(effects.attachments.all, change);
  };
  const bool first = any(&PassAttachment::changes_first), within = any(&PassAttachment::changes_within);
  for (Dependency& one : effects.before) one.changes_layout = first;
  for (RenderPassEffects::Inner& one : effects.inner) one.dependency.changes_layout = within;
  if (!any(&PassAttachment::changes_last)) return;
  effects.after.push_back({VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0, kAttachmentAccess, 0});
  for (Dependency& one : effects.after) one.changes_layout = true;
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

// What depth and stencil are resolved to, and which of the two are.
struct DepthResolve {
  const VkAttachmentReference2* to = nullptr;
  VkImageAspectFlags aspects = 0;
};
DepthResolve depth_resolve(const VkSubpassDescription&) { return {}; }
DepthResolve depth_resolve(const VkSubpassDescription2& subpass) {
  const auto resolve = find_in_chain<VkSubpassDescriptionDepthStencilResolve>(
      subpass.pNext, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE);
  if (!resolve) return {};
  DepthResolve found{resolve->pDepthStencilResolveAttachment, 0};
  if (resolve->depthResolveMode != VK_RESOLVE_MODE_NONE) found.aspects |= VK_IMAGE_ASPECT_DEPTH_BIT;
  if (resolve->stencilResolveMode != VK_RESOLVE_MODE_NONE) found.aspects |= VK_IMAGE_ASPECT_STENCIL_BIT;
  return found;
}

const VkAttachmentDescriptionStencilLayout* stencil_layouts(const VkAttachmentDescription&) {
  return nullptr;
}
const VkAttachmentDescriptionStencilLayout* stencil_layouts(const VkAttachmentDescription2& attachment) {
  return find_in_chain<VkAttachmentDescriptionStencilLayout>(
      attachment.pNext, VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT);
}

// Such a layout says nothing of the stencil, which has one of its own.
bool is_of_depth_alone(VkImageLayout layout) {
  return layout == VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL ||
         layout == VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL;
}

// One layout of depth and stencil may have several names.
bool is_transition(VkImageLayout from, VkImageLayout to) {
  return !same_layout(VK_IMAGE_ASPECT_DEPTH_BIT, from, to) ||
         !same_layout(VK_IMAGE_ASPECT_STENCIL_BIT, from, to);
}

VkImageLayout stencil_layout(const VkAttachmentReference& reference) { return reference.layout; }
VkImageLayout stencil_layout(const VkAttachmentReference2& reference) {
  const auto stencil = is_of_depth_alone(reference.layout)
                           ? find_in_chain<VkAttachmentReferenceStencilLayout>(
                                 reference.pNext, VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_STENCIL_LAYOUT)
                           : nullptr;
  return stencil ? stencil->stencilLayout : reference.layout;
}

// The layouts that one attachment, or one of its aspects, gets in the subpasses that use it.
struct AttachmentLayouts {
  std::vector<uint32_t> subpasses;
  std::vector<VkImageLayout> layouts;
  bool change = false;  // from subpass to subpass

  VkImageLayout first() const { return layouts.front(); }
  VkImageLayout last() const { return layouts.back(); }
  void use(uint32_t subpass, VkImageLayout layout) {
    change = change || (!subpasses.empty() && is_transition(last(), layout));
    subpasses.push_back(subpass);
    layouts.push_back(layout);
  }
  // In all subpasses. When exactly an attachment changes its layout between two that use it is not said.
  PassAttachment::Layouts all(uint32_t count, VkImageLayout initial, VkImageLayout final) const {
    PassAttachment::Layouts all{initial, final, {}};
    VkImageLayout before = initial;
    for (uint32_t subpass = 0, use = 0; subpass < count; ++subpass) {
      const bool used = use < subpasses.size() && subpasses[use] == subpass;
      std::optional<VkImageLayout> layout = use < layouts.size() ? layouts[use] : final;
      if (!used && layout != before) layout.reset();
      for (; use < subpasses.size() && subpasses[use] == subpass; ++use) {
        before = layouts[use];
        if (layout != before) layout.reset();  // all uses of a subpass have to name the same one
      }
      all.subpasses.push_back(layout);
    }
    return all;
  }
};

template <typename CreateInfo>
class AttachmentReader {
 public:
  explicit AttachmentReader(const CreateInfo& info)
      : info_(info), layouts_(info.attachmentCount), stencil_layouts_(info.attachmentCount) {}

  PassAttachments read() {
    result_.all.resize(info_.attachmentCount);
    for (uint32_t i = 0; i < info_.attachmentCount; ++i) {
      const auto& given = info_.pAttachments[i];
      result_.all[i].main = {given.loadOp, given.storeOp, true};
      result_.all[i].stencil = {given.stencilLoadOp, given.stencilStoreOp, true};
    }
    for (uint32_t i = 0; i < info_.subpassCount; ++i) use_in(i);
    for (uint32_t i = 0; i < info_.attachmentCount; ++i) {
      if (layouts_[i].subpasses.empty()) continue;
      find_changes(i);
      find_layouts(i);
    }
    return std::move(result_);
  }

 private:
  enum class Use : uint8_t { layout_only, attachment, resolve };

  void use_in(uint32_t number) {
    const auto& subpass = info_.pSubpasses[number];
    use(number, subpass.pInputAttachments, subpass.inputAttachmentCount, Use::layout_only);
    use(number, subpass.pColorAttachments, subpass.colorAttachmentCount, Use::attachment);
    use(number, subpass.pResolveAttachments, subpass.colorAttachmentCount, Use::resolve);
    use(number, subpass.pDepthStencilAttachment, 1, Use::attachment);
    if (const DepthResolve resolve = depth_resolve(subpass); resolve.to) {
      use(number, resolve.to, 1, Use::layout_only);
      if (resolve.to->attachment < result_.all.size())
        result_.all[resolve.to->attachment].resolved |= resolve.aspects;
    }
    if (const uint32_t mask = view_mask(info_, number))
      result_.view_mask = result_.view_mask.value_or(UINT32_MAX) & mask;
  }

  // One that is written in any subpass is written. What inputs read is left alone, as is whatever else is
  // done to what depth and stencil are resolved to.
  template <typename Reference>
  void use(uint32_t subpass, const Reference* references, uint32_t count, Use how) {
    for (uint32_t i = 0; references && i < count; ++i) {
      if (references[i].attachment >= result_.all.size()) continue;
      PassAttachment& one = result_.all[references[i].attachment];
      layouts_[references[i].attachment].use(subpass, references[i].layout);
      stencil_layouts_[references[i].attachment].use(subpass, stencil_layout(references[i]));
      if (how == Use::layout_only) continue;
      one.is_used = true;
      const auto read_only = [&](VkImageLayout layout) {
        return how != Use::resolve && is_read_only(layout);
      };
      one.main.read_only = one.main.read_only && read_only(references[i].layout);
      one.stencil.read_only = one.stencil.read_only && read_only(stencil_layout(references[i]));
    }
  }

  void find_changes(uint32_t number) {
    const auto& given = info_.pAttachments[number];
    const AttachmentLayouts& layouts = layouts_[number];
    PassAttachment& one = result_.all[number];
    one.changes_first = is_transition(given.initialLayout, layouts.first());
    one.changes_within = layouts.change;
    one.changes_last = is_transition(layouts.last(), given.finalLayout);
    if (stencil_layouts(given) || stencil_layouts_[number].layouts != layouts.layouts)
      one.changed_aspects &= ~VkImageAspectFlags{VK_IMAGE_ASPECT_STENCIL_BIT};
    if (one.changes_first) one.first_dependencies = dependencies_of(layouts, given.flags);
  }

  void find_layouts(uint32_t number) {
    const auto& given = info_.pAttachments[number];
    PassAttachment& one = result_.all[number];
    one.layouts = layouts_[number].all(info_.subpassCount, given.initialLayout, given.finalLayout);
    VkImageLayout initial = given.initialLayout, final = given.finalLayout;
    if (const auto stencil = stencil_layouts(given)) {
      if (is_of_depth_alone(initial)) initial = stencil->stencilInitialLayout;
      if (is_of_depth_alone(final)) final = stencil->stencilFinalLayout;
    }
    PassAttachment::Layouts of_stencil = stencil_layouts_[number].all(info_.subpassCount, initial, final);
    if (of_stencil != one.layouts) one.stencil_layouts = std::move(of_stencil);
  }

  // From outside to the first subpass that uses it. Vulkan names those to all that do; and those to subpasses
  // before the first one count here, too, which can only order more.
  std::vector<Dependency> dependencies_of(const AttachmentLayouts& layouts,
                                          VkAttachmentDescriptionFlags flags) const {
    std::vector<Dependency> found;
    bool to_first = false;
    for (uint32_t i = 0; i < info_.dependencyCount; ++i) {
      const auto& one = info_.pDependencies[i];
      if (one.srcSubpass != VK_SUBPASS_EXTERNAL) continue;
      const uint32_t first = layouts.subpasses.front();
      const bool used = std::ranges::find(layouts.subpasses, one.dstSubpass) != layouts.subpasses.end();
      to_first = to_first || one.dstSubpass == first;
      if (used || one.dstSubpass < first || (flags & VK_ATTACHMENT_DESCRIPTION_MAY_ALIAS_BIT))
        found.push_back(dependency_of(one));
    }
    // The implicit one.
    if (!to_first) found.push_back({0, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0, kAttachmentAccess});
    return found;
  }

  const CreateInfo& info_;
  std::vector<AttachmentLayouts> layouts_, stencil_layouts_;
  PassAttachments result_;
};

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
  if (device.engine->needs.images) {
    effects->attachments = AttachmentReader(info).read();
    mark_transitions(*effects);
  }
  CommandBuffers::Impl& shared = device.command_buffers.impl();
  const std::unique_lock lock(shared.mutex);
  shared.render_passes[render_pass] = std::move(effects);
}

SynchronizationPoint in_pass_at(const char* place) {
  return {place, SynchronizationPoint::Kind::render_pass, "it is part of a render pass"};
}

uint64_t area_of(const VkRect2D& area) { return uint64_t{area.extent.width} * area.extent.height; }

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
  LayoutCommand layouts(state, "vkCmdBeginRenderPass");
  if (effects) {
    state.pass_layouts = layouts.begin_pass(effects->attachments, info);
  } else {
    state.pass_layouts.clear();
    layouts.forget_all();
  }
  if (effects && device.engine->needs.images)
    state.change_layouts("layout transition of vkCmdBeginRenderPass",
                         transitions_of(device, effects->attachments, info));
  if (effects) state.synchronise(in_pass_at("the beginning of the render pass"), effects->before);
  state.begin_pass(false);
  state.pass_fragments = area_of(info.renderArea);
  if (effects && device.engine->needs.images)
    state.written_attachments = written_images(device, effects->attachments, info);
  if (effects && device.engine->needs.images)
    record_attachments(state, accesses_of(device, effects->attachments, info));
  state.render_pass = std::move(effects);
  state.subpass = 0;
}

void next_subpass(Device&, CommandRecorder& state) {
  ++state.subpass;
  LayoutCommand(state, "vkCmdNextSubpass").next_subpass(state.pass_layouts, state.subpass);
  if (!state.render_pass) return state.engine().pass_unknown();
  std::vector<Dependency> together;
  for (const RenderPassEffects::Inner& inner : state.render_pass->inner) {
    if (inner.destination == state.subpass) together.push_back(inner.dependency);
  }
  state.synchronise(in_pass_at("the beginning of the subpass"), together);
}

void end_render_pass(Device&, CommandRecorder& state) {
  const std::shared_ptr<const RenderPassEffects> effects = state.render_pass;
  state.end_pass(false);
  LayoutCommand(state, "vkCmdEndRenderPass").end_pass(state.pass_layouts);
  state.pass_layouts.clear();
  if (effects) state.synchronise(in_pass_at("the end of the render pass"), effects->after);
}

void end_rendering(Device&, CommandRecorder& state) { state.end_pass(state.suspends); }

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
    LayoutCommand(state, "vkCmdBeginRendering").attachments(*pRenderingInfo);
    state.begin_pass(pRenderingInfo->flags & VK_RENDERING_RESUMING_BIT);
    state.pass_fragments = area_of(pRenderingInfo->renderArea);
    if (of.engine->needs.images) {
      state.written_attachments = written_images(of, *pRenderingInfo);
      record_attachments(state, accesses_of(of, *pRenderingInfo));
    }
    state.suspends = pRenderingInfo->flags & VK_RENDERING_SUSPENDING_BIT;
  });
  device.next.CmdBeginRendering(commandBuffer, pRenderingInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdEndRendering(VkCommandBuffer commandBuffer) {
  Device& device = with_recorder(commandBuffer, end_rendering);
  device.next.CmdEndRendering(commandBuffer);
  behind_pass(device, commandBuffer);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdEndRendering2KHR(VkCommandBuffer commandBuffer,
                                                      const VkRenderingEndInfoKHR* pRenderingEndInfo) {
  Device& device = with_recorder(commandBuffer, end_rendering);
  device.next.CmdEndRendering2KHR(commandBuffer, pRenderingEndInfo);
  behind_pass(device, commandBuffer);
}

}  // namespace shaderqa::layer
