// SPDX-License-Identifier: Apache-2.0
// The commands that bind descriptor buffers, and say where sets lie in them.
#include <memory>
#include <span>
#include <vector>

#include "layer/recording/command_recorder.h"
#include "layer/resources/pipeline_layouts.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

using SetLayouts = std::vector<std::shared_ptr<const SetLayout>>;

// A layout that is described in place of a handle.
SetLayouts described_sets(const Device& device, const VkSetDescriptorBufferOffsetsInfoEXT& info) {
  SetLayouts sets;
  const auto given =
      find_in_chain<VkPipelineLayoutCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  for (uint32_t i = 0; given && i < given->setLayoutCount; ++i)
    sets.push_back(given->pSetLayouts[i] ? device.pipeline_layouts.find(given->pSetLayouts[i]) : nullptr);
  return sets;
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL
hooks::CmdBindDescriptorBuffersEXT(VkCommandBuffer commandBuffer, uint32_t bufferCount,
                                   const VkDescriptorBufferBindingInfoEXT* pBindingInfos) {
  Device& device = with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) {
    state.binds.bind_descriptor_buffers({pBindingInfos, bufferCount});
  });
  device.next.CmdBindDescriptorBuffersEXT(commandBuffer, bufferCount, pBindingInfos);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdSetDescriptorBufferOffsetsEXT(
    VkCommandBuffer commandBuffer, VkPipelineBindPoint pipelineBindPoint, VkPipelineLayout layout,
    uint32_t firstSet, uint32_t setCount, const uint32_t* pBufferIndices, const VkDeviceSize* pOffsets) {
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    const PipelineLayout* const known = of.pipeline_layouts.peek(layout);
    if (const auto point = point_of(pipelineBindPoint))
      state.binds.set_buffer_offsets(
          *point, firstSet, {pBufferIndices, setCount}, {pOffsets, setCount},
          known ? std::span(known->sets) : std::span<const SetLayouts::value_type>());
  });
  device.next.CmdSetDescriptorBufferOffsetsEXT(commandBuffer, pipelineBindPoint, layout, firstSet, setCount,
                                               pBufferIndices, pOffsets);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdSetDescriptorBufferOffsets2EXT(
    VkCommandBuffer commandBuffer,
    const VkSetDescriptorBufferOffsetsInfoEXT* pSetDescriptorBufferOffsetsInfo) {
  const VkSetDescriptorBufferOffsetsInfoEXT& info = *pSetDescriptorBufferOffsetsInfo;
  Device& device = with_recorder(commandBuffer, [&](Device& of, CommandRecorder& state) {
    const uint32_t points = bind_points_of(info.stageFlags);
    const PipelineLayout* const known = info.layout ? of.pipeline_layouts.peek(info.layout) : nullptr;
    const SetLayouts described = known ? SetLayouts() : described_sets(of, info);
    const std::span sets(known ? known->sets : described);
    for (uint32_t i = 0; i < kBindPoints; ++i) {
      if (points & (1u << i))
        state.binds.set_buffer_offsets(static_cast<BindPoint>(i), info.firstSet,
                                       {info.pBufferIndices, info.setCount}, {info.pOffsets, info.setCount},
                                       sets);
    }
  });
  device.next.CmdSetDescriptorBufferOffsets2EXT(commandBuffer, pSetDescriptorBufferOffsetsInfo);
}

}  // namespace shaderqa::layer
