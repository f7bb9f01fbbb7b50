// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/record_address.h"

#include <algorithm>

#include "layer/loader/device.h"

namespace shaderqa::layer {
namespace {

bool has_same_constants(const PipelineLayout& one, const PipelineLayout& other) {
  return std::ranges::equal(one.constants, other.constants, [](const auto& a, const auto& b) {
    return a.stageFlags == b.stageFlags && a.offset == b.offset && a.size == b.size;
  });
}

// What was bound with another layout, the pipeline cannot use.
void move_sets(const Device& device, VkCommandBuffer commands, VkPipelineBindPoint point, Binds& binds,
               const PipelineLayout& layout) {
  const VkPipelineLayout ours = layout.with_constant->handle;
  if (binds.moved_to == ours) return;
  for (uint32_t set = 0; set < layout.sets.size(); ++set) {
    if (!binds.sets[set] || !layout.sets[set]) continue;
    const PipelineLayout* const with = device.pipeline_layouts.peek(binds.bound_with[set]);
    if (with && !are_compatible(*with, layout, set)) continue;
    device.next.CmdBindDescriptorSets(commands, point, ours, set, 1, &binds.sets[set],
                                      layout.sets[set]->dynamic_count,
                                      binds.dynamic.data() + layout.first_dynamic[set]);
  }
  for (uint32_t set = 0; set < SQA_MAX_SETS; ++set)
    if (binds.sets[set]) binds.disturbed |= 1u << set;
  binds.disturbs_nothing = VK_NULL_HANDLE;
  binds.moved_to = ours;
}

void move_constants(const Device& device, VkCommandBuffer commands, PushedConstants& constants,
                    const PipelineLayout& layout) {
  const VkPipelineLayout ours = layout.with_constant->handle;
  if (constants.moved_to() == ours) return;
  for (const PushedConstants::Range& range : constants.all()) {
    const PipelineLayout* const with = device.pipeline_layouts.peek(range.layout);
    if (range.end() > layout.longer.record || (with && !has_same_constants(*with, layout))) continue;
    // All of its bytes have these stages: a valid push names those of each byte, and no stage has two ranges.
    const VkShaderStageFlags stages = layout.longer.stages_at(range.offset);
    if (stages)
      device.next.CmdPushConstants(commands, ours, stages, range.offset,
                                   static_cast<uint32_t>(range.values.size()), range.values.data());
  }
  constants.set_moved(ours);
}

}  // namespace

void push_record_address(const Device& device, VkCommandBuffer commands, VkPipelineBindPoint point,
                         Binds& binds, PushedConstants& constants, VkDeviceAddress record) {
  const PipelineLayout& layout = *binds.checked->layout;
  move_sets(device, commands, point, binds, layout);
  move_constants(device, commands, constants, layout);
  const uint32_t offset = layout.longer.record;
  device.next.CmdPushConstants(commands, layout.with_constant->handle, layout.longer.stages_at(offset),
                               offset, sizeof record, &record);
}

void restore_constants(const Device& device, VkCommandBuffer commands, PushedConstants& constants) {
  for (const PushedConstants::Range& range : constants.all()) {
    if (!device.pipeline_layouts.peek(range.layout)) continue;  // destroyed, so nothing uses it any more
    device.next.CmdPushConstants(commands, range.layout, range.stages, range.offset,
                                 static_cast<uint32_t>(range.values.size()), range.values.data());
  }
  constants.set_restored();
}

}  // namespace shaderqa::layer
