// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/layout_commands.h"

#include <algorithm>
#include <span>

#include "layer/recording/attachments.h"
#include "layer/recording/command_recorder.h"
#include "layer/resources/image_table.h"

namespace shaderqa::layer {
namespace {

using Kind = LayoutSteps::Kind;

VkImageSubresourceRange of_aspects(VkImageSubresourceRange range, VkImageAspectFlags aspects) {
  range.aspectMask &= aspects;
  return range;
}

}  // namespace

LayoutCommand::LayoutCommand(CommandRecorder& state, const char* name) : state_(state) {
  steps_ = state.layouts();
  if (!steps_) return;
  steps_->command(*state.recorded, name, state.label);
  silent_ = !state.checks_next();
}

void LayoutCommand::add(Kind kind, uint64_t image, const VkImageSubresourceRange& range,
                        VkImageLayout layout) {
  if (!steps_) return;
  if (kind == Kind::forget) return steps_->forget(image, range);
  if (silent_ && kind != Kind::change) return;
  steps_->add(kind, image, range, layout);
}

void LayoutCommand::add(Kind kind, VkImage handle, const VkImageSubresourceRange& range,
                        VkImageLayout layout) {
  if (!steps_) return;
  const ImageTable::Image* const image = state_.device.images.find(handle);
  if (image && image->is_followed()) add(kind, image->address, range, layout);
}

void LayoutCommand::access(VkImage image, const VkImageSubresourceRange& range, VkImageLayout layout) {
  add(Kind::access, image, range, layout);
}

void LayoutCommand::barriers(const std::vector<LayoutBarrier>& all, uint32_t family) {
  for (const LayoutBarrier& one : all) {
    if (one.old_layout == one.new_layout) continue;
    // The layout changes where the image is acquired.
    if (releases_ownership(one.source_family, one.destination_family, family)) {
      if (is_outside(one.destination_family)) add(Kind::forget, one.image, one.range, one.new_layout);
      continue;
    }
    const bool known = one.old_layout != VK_IMAGE_LAYOUT_UNDEFINED && !is_outside(one.source_family);
    if (known) add(Kind::old, one.image, one.range, one.old_layout);
    add(Kind::change, one.image, one.range, one.new_layout);
  }
}

void LayoutCommand::forget_all() {
  if (steps_) steps_->forget_all();
}

void LayoutCommand::attachment(const VkRenderingAttachmentInfo* info, VkImageAspectFlags aspects,
                               uint32_t layers) {
  if (!info || !info->imageView) return;
  const AttachmentUse use = use_of(*info);
  const auto names = [&](VkImageView view, VkImageLayout layout) {
    const auto part = attached_layers(state_.device, view, layers);
    if (part) access(part->image, of_aspects(part->range, aspects), layout);
  };
  if (use.writes() || use.reads()) names(info->imageView, info->imageLayout);
  if (info->resolveMode != VK_RESOLVE_MODE_NONE && info->resolveImageView)
    names(info->resolveImageView, info->resolveImageLayout);
}

void LayoutCommand::attachments(const VkRenderingInfo& info) {
  if (!steps_) return;
  const uint32_t layers = info.viewMask ? layers_of(info.viewMask) : info.layerCount;
  for (const VkRenderingAttachmentInfo& one : std::span(info.pColorAttachments, info.colorAttachmentCount))
    attachment(&one, kColorAspects, layers);
  attachment(info.pDepthAttachment, VK_IMAGE_ASPECT_DEPTH_BIT, layers);
  attachment(info.pStencilAttachment, VK_IMAGE_ASPECT_STENCIL_BIT, layers);
}

std::vector<PassLayout> LayoutCommand::begin_pass(const PassAttachments& attachments,
                                                  const VkRenderPassBeginInfo& info) {
  std::vector<PassLayout> all =
      steps_ ? layouts_of(state_.device, attachments, info) : std::vector<PassLayout>();
  for (const PassLayout& one : all) {
    if (one.initial && *one.initial != VK_IMAGE_LAYOUT_UNDEFINED)
      add(Kind::old, one.image, one.range, *one.initial);
    put(one, one.in(0));
  }
  return all;
}

void LayoutCommand::put(const PassLayout& attachment, std::optional<VkImageLayout> layout) {
  add(Kind::forget, attachment.image, attachment.whole, VK_IMAGE_LAYOUT_UNDEFINED);
  if (layout) add(Kind::change, attachment.image, attachment.range, *layout);
}

void LayoutCommand::next_subpass(const std::vector<PassLayout>& attachments, uint32_t subpass) {
  if (!steps_) return;
  for (const PassLayout& one : attachments)
    if (one.in(subpass) != one.in(subpass - 1)) put(one, one.in(subpass));
}

void LayoutCommand::end_pass(const std::vector<PassLayout>& attachments) {
  if (!steps_) return;
  for (const PassLayout& one : attachments) put(one, one.final);
}

void CommandRecorder::change_layouts(const char* name, std::span<const LayoutTransition> transitions,
                                     std::span<const VkEvent> events) {
  if (transitions.empty() || !can_record_accesses()) return;
  if (checks_next()) engine_->change_layouts(name, transitions, events);
}

LayoutSteps* CommandRecorder::layouts() {
  if (!device.engine->needs.images) return nullptr;
  if (!recorded->layouts) recorded->layouts = std::make_unique<LayoutSteps>();
  return recorded->layouts.get();
}

}  // namespace shaderqa::layer
