// SPDX-License-Identifier: Apache-2.0
// Transform feedback, and the draws whose vertices it has counted: what these access of buffers is not
// followed.
#include "layer/recording/action_commands.h"
#include "layer/recording/unfollowed_accesses.h"

namespace shaderqa::layer {
namespace {

Device& before_feedback(VkCommandBuffer command_buffer) noexcept {
  note_unfollowed(command_buffer, {UnfollowedAccess::transform_feedback});
  return with_recorder(command_buffer,
                       [](Device&, CommandRecorder& state) { state.transform_feedback(true); });
}
Device& before_end_of_feedback(VkCommandBuffer command_buffer) noexcept {
  return with_recorder(command_buffer,
                       [](Device&, CommandRecorder& state) { state.transform_feedback(false); });
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawIndirectByteCountEXT(VkCommandBuffer commandBuffer,
                                                              uint32_t instanceCount, uint32_t firstInstance,
                                                              VkBuffer counterBuffer,
                                                              VkDeviceSize counterBufferOffset,
                                                              uint32_t counterOffset, uint32_t vertexStride) {
  note_unfollowed(commandBuffer, {UnfollowedAccess::byte_count_draw});
  Device& device =
      before_action(commandBuffer, "vkCmdDrawIndirectByteCountEXT", BindPoint::graphics, instanceCount,
                    firstInstance, HandleArgument(counterBuffer), counterBufferOffset);
  device.next.CmdDrawIndirectByteCountEXT(commandBuffer, instanceCount, firstInstance, counterBuffer,
                                          counterBufferOffset, counterOffset, vertexStride);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDrawIndirectByteCount2EXT(
    VkCommandBuffer commandBuffer, uint32_t instanceCount, uint32_t firstInstance,
    const VkBindTransformFeedbackBuffer2InfoEXT* pCounterInfo, uint32_t counterOffset,
    uint32_t vertexStride) {
  note_unfollowed(commandBuffer, {UnfollowedAccess::byte_count_draw});
  Device& device = before_action(commandBuffer, "vkCmdDrawIndirectByteCount2EXT", BindPoint::graphics,
                                 instanceCount, firstInstance, pCounterInfo->addressRange.address);
  device.next.CmdDrawIndirectByteCount2EXT(commandBuffer, instanceCount, firstInstance, pCounterInfo,
                                           counterOffset, vertexStride);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBeginTransformFeedbackEXT(VkCommandBuffer commandBuffer,
                                                               uint32_t firstCounterBuffer,
                                                               uint32_t counterBufferCount,
                                                               const VkBuffer* pCounterBuffers,
                                                               const VkDeviceSize* pCounterBufferOffsets) {
  Device& device = before_feedback(commandBuffer);
  device.next.CmdBeginTransformFeedbackEXT(commandBuffer, firstCounterBuffer, counterBufferCount,
                                           pCounterBuffers, pCounterBufferOffsets);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdEndTransformFeedbackEXT(VkCommandBuffer commandBuffer,
                                                             uint32_t firstCounterBuffer,
                                                             uint32_t counterBufferCount,
                                                             const VkBuffer* pCounterBuffers,
                                                             const VkDeviceSize* pCounterBufferOffsets) {
  Device& device = before_end_of_feedback(commandBuffer);
  device.next.CmdEndTransformFeedbackEXT(commandBuffer, firstCounterBuffer, counterBufferCount,
                                         pCounterBuffers, pCounterBufferOffsets);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBeginTransformFeedback2EXT(
    VkCommandBuffer commandBuffer, uint32_t firstCounterRange, uint32_t counterRangeCount,
    const VkBindTransformFeedbackBuffer2InfoEXT* pCounterInfos) {
  Device& device = before_feedback(commandBuffer);
  device.next.CmdBeginTransformFeedback2EXT(commandBuffer, firstCounterRange, counterRangeCount,
                                            pCounterInfos);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdEndTransformFeedback2EXT(
    VkCommandBuffer commandBuffer, uint32_t firstCounterRange, uint32_t counterRangeCount,
    const VkBindTransformFeedbackBuffer2InfoEXT* pCounterInfos) {
  Device& device = before_end_of_feedback(commandBuffer);
  device.next.CmdEndTransformFeedback2EXT(commandBuffer, firstCounterRange, counterRangeCount, pCounterInfos);
}

}  // namespace shaderqa::layer
