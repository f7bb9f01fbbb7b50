// SPDX-License-Identifier: Apache-2.0
// The commands that bind descriptor buffers, and say where sets lie in them.
#include <span>

#include "layer/recording/command_recorder.h"

namespace shaderqa::layer {

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
  Device& device = with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) {
    if (const auto point = point_of(pipelineBindPoint))
      state.binds.set_buffer_offsets(*point, firstSet, {pBufferIndices, setCount}, {pOffsets, setCount});
  });
  device.next.CmdSetDescriptorBufferOffsetsEXT(commandBuffer, pipelineBindPoint, layout, firstSet, setCount,
                                               pBufferIndices, pOffsets);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdSetDescriptorBufferOffsets2EXT(
    VkCommandBuffer commandBuffer,
    const VkSetDescriptorBufferOffsetsInfoEXT* pSetDescriptorBufferOffsetsInfo) {
  const VkSetDescriptorBufferOffsetsInfoEXT& info = *pSetDescriptorBufferOffsetsInfo;
  Device& device = with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) {
    const uint32_t points = bind_points_of(info.stageFlags);
    for (uint32_t i = 0; i < kBindPoints; ++i) {
      if (points & (1u << i))
        state.binds.set_buffer_offsets(static_cast<BindPoint>(i), info.firstSet,
                                       {info.pBufferIndices, info.setCount}, {info.pOffsets, info.setCount});
    }
  });
  device.next.CmdSetDescriptorBufferOffsets2EXT(commandBuffer, pSetDescriptorBufferOffsetsInfo);
}

}  // namespace shaderqa::layer
