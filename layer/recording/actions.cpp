// SPDX-License-Identifier: Apache-2.0
// Dispatches, traces and generated commands: each gets its record first.
#include <array>

#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_reach.h"
#include "layer/recording/action_commands.h"
#include "layer/recording/unfollowed_accesses.h"

namespace shaderqa::layer {
namespace {

void note_trace(VkCommandBuffer command_buffer) {
  note_unfollowed(command_buffer, {UnfollowedAccess::shader_tables, UnfollowedAccess::traced_structures});
}

Device& before_indirect_trace(VkCommandBuffer command_buffer, const char* command, VkDeviceAddress address,
                              uint32_t bytes) {
  note_trace(command_buffer);
  return before_indirect_action(command_buffer, BindPoint::ray_tracing, [&](Device&) {
    Action action(command, BindPoint::ray_tracing, address);
    action.indirect = {address, bytes};
    return action;
  });
}

// The device writes these commands, so what they read is not known. They run what is bound.
template <typename Info>
Device& before_generated(VkCommandBuffer command_buffer, const char* command, const Info& info) {
  BindPoint point = BindPoint::graphics;
  if constexpr (requires { info.pipelineBindPoint; }) {
    if (info.pipelineBindPoint == VK_PIPELINE_BIND_POINT_COMPUTE) point = BindPoint::compute;
  } else {
    if (info.shaderStages & VK_SHADER_STAGE_COMPUTE_BIT) point = BindPoint::compute;
    if (info.shaderStages & VK_SHADER_STAGE_RAYGEN_BIT_KHR) point = BindPoint::ray_tracing;
  }
  note_unfollowed(command_buffer, {UnfollowedAccess::generated_commands});
  return before_action(command_buffer, command, point);
}

using Groups = std::array<uint32_t, 3>;  // along x, y and z

// As SQA_REACH_* have it.
uint32_t reach_of(const Groups& first, const Groups& count) {
  uint32_t bits = 0;
  for (size_t axis = 0; axis < count.size(); ++axis)
    bits |= reach::of_workgroups(reach::axes[axis], first[axis], count[axis]);
  return bits;
}

Device& before_dispatch(VkCommandBuffer command_buffer, const char* command, const Groups& first,
                        const Groups& count) {
  return before_made_action(command_buffer, BindPoint::compute, [&](Device&) {
    Action action(command, BindPoint::compute, count[0], count[1], count[2]);
    action.dispatch = DispatchKind::direct;
    action.workgroups = uint64_t{count[0]} * count[1] * count[2];
    action.reach = reach_of(first, count);
    return action;
  });
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL hooks::CmdDispatch(VkCommandBuffer commandBuffer, uint32_t groupCountX,
                                              uint32_t groupCountY, uint32_t groupCountZ) {
  Device& device =
      before_dispatch(commandBuffer, "vkCmdDispatch", {}, {groupCountX, groupCountY, groupCountZ});
  device.next.CmdDispatch(commandBuffer, groupCountX, groupCountY, groupCountZ);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDispatchBase(VkCommandBuffer commandBuffer, uint32_t baseGroupX,
                                                  uint32_t baseGroupY, uint32_t baseGroupZ,
                                                  uint32_t groupCountX, uint32_t groupCountY,
                                                  uint32_t groupCountZ) {
  // A record has room for five arguments: the counts say more than the bases.
  Device& device = before_dispatch(commandBuffer, "vkCmdDispatchBase", {baseGroupX, baseGroupY, baseGroupZ},
                                   {groupCountX, groupCountY, groupCountZ});
  device.next.CmdDispatchBase(commandBuffer, baseGroupX, baseGroupY, baseGroupZ, groupCountX, groupCountY,
                              groupCountZ);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDispatchIndirect(VkCommandBuffer commandBuffer, VkBuffer buffer,
                                                      VkDeviceSize offset) {
  Device& device = before_indirect_action(commandBuffer, BindPoint::compute, [&](Device& of) {
    Action action("vkCmdDispatchIndirect", BindPoint::compute, HandleArgument(buffer), offset);
    action.dispatch = DispatchKind::indirect;
    action.indirect = arguments_at(of, buffer, offset, 1, 0, sizeof(VkDispatchIndirectCommand));
    return action;
  });
  device.next.CmdDispatchIndirect(commandBuffer, buffer, offset);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdDispatchIndirect2KHR(VkCommandBuffer commandBuffer,
                                                          const VkDispatchIndirect2InfoKHR* pInfo) {
  Device& device = before_indirect_action(commandBuffer, BindPoint::compute, [&](Device&) {
    Action action("vkCmdDispatchIndirect2KHR", BindPoint::compute, pInfo->addressRange.address);
    action.dispatch = DispatchKind::indirect;
    action.indirect = {pInfo->addressRange.address, sizeof(VkDispatchIndirectCommand)};
    return action;
  });
  device.next.CmdDispatchIndirect2KHR(commandBuffer, pInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdTraceRaysKHR(
    VkCommandBuffer commandBuffer, const VkStridedDeviceAddressRegionKHR* pRaygenShaderBindingTable,
    const VkStridedDeviceAddressRegionKHR* pMissShaderBindingTable,
    const VkStridedDeviceAddressRegionKHR* pHitShaderBindingTable,
    const VkStridedDeviceAddressRegionKHR* pCallableShaderBindingTable, uint32_t width, uint32_t height,
    uint32_t depth) {
  note_trace(commandBuffer);
  Device& device =
      before_action(commandBuffer, "vkCmdTraceRaysKHR", BindPoint::ray_tracing, width, height, depth);
  device.next.CmdTraceRaysKHR(commandBuffer, pRaygenShaderBindingTable, pMissShaderBindingTable,
                              pHitShaderBindingTable, pCallableShaderBindingTable, width, height, depth);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdTraceRaysIndirectKHR(
    VkCommandBuffer commandBuffer, const VkStridedDeviceAddressRegionKHR* pRaygenShaderBindingTable,
    const VkStridedDeviceAddressRegionKHR* pMissShaderBindingTable,
    const VkStridedDeviceAddressRegionKHR* pHitShaderBindingTable,
    const VkStridedDeviceAddressRegionKHR* pCallableShaderBindingTable,
    VkDeviceAddress indirectDeviceAddress) {
  Device& device = before_indirect_trace(commandBuffer, "vkCmdTraceRaysIndirectKHR", indirectDeviceAddress,
                                         sizeof(VkTraceRaysIndirectCommandKHR));
  device.next.CmdTraceRaysIndirectKHR(commandBuffer, pRaygenShaderBindingTable, pMissShaderBindingTable,
                                      pHitShaderBindingTable, pCallableShaderBindingTable,
                                      indirectDeviceAddress);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdTraceRaysIndirect2KHR(VkCommandBuffer commandBuffer,
                                                           VkDeviceAddress indirectDeviceAddress) {
  Device& device = before_indirect_trace(commandBuffer, "vkCmdTraceRaysIndirect2KHR", indirectDeviceAddress,
                                         sizeof(VkTraceRaysIndirectCommand2KHR));
  device.next.CmdTraceRaysIndirect2KHR(commandBuffer, indirectDeviceAddress);
}

VKAPI_ATTR void VKAPI_CALL
hooks::CmdTraceRaysNV(VkCommandBuffer commandBuffer, VkBuffer raygenShaderBindingTableBuffer,
                      VkDeviceSize raygenShaderBindingOffset, VkBuffer missShaderBindingTableBuffer,
                      VkDeviceSize missShaderBindingOffset, VkDeviceSize missShaderBindingStride,
                      VkBuffer hitShaderBindingTableBuffer, VkDeviceSize hitShaderBindingOffset,
                      VkDeviceSize hitShaderBindingStride, VkBuffer callableShaderBindingTableBuffer,
                      VkDeviceSize callableShaderBindingOffset, VkDeviceSize callableShaderBindingStride,
                      uint32_t width, uint32_t height, uint32_t depth) {
  note_trace(commandBuffer);
  Device& device =
      before_action(commandBuffer, "vkCmdTraceRaysNV", BindPoint::ray_tracing, width, height, depth);
  device.next.CmdTraceRaysNV(commandBuffer, raygenShaderBindingTableBuffer, raygenShaderBindingOffset,
                             missShaderBindingTableBuffer, missShaderBindingOffset, missShaderBindingStride,
                             hitShaderBindingTableBuffer, hitShaderBindingOffset, hitShaderBindingStride,
                             callableShaderBindingTableBuffer, callableShaderBindingOffset,
                             callableShaderBindingStride, width, height, depth);
}

VKAPI_ATTR void VKAPI_CALL
hooks::CmdExecuteGeneratedCommandsEXT(VkCommandBuffer commandBuffer, VkBool32 isPreprocessed,
                                      const VkGeneratedCommandsInfoEXT* pGeneratedCommandsInfo) {
  Device& device =
      before_generated(commandBuffer, "vkCmdExecuteGeneratedCommandsEXT", *pGeneratedCommandsInfo);
  device.next.CmdExecuteGeneratedCommandsEXT(commandBuffer, isPreprocessed, pGeneratedCommandsInfo);
}

VKAPI_ATTR void VKAPI_CALL
hooks::CmdExecuteGeneratedCommandsNV(VkCommandBuffer commandBuffer, VkBool32 isPreprocessed,
                                     const VkGeneratedCommandsInfoNV* pGeneratedCommandsInfo) {
  Device& device =
      before_generated(commandBuffer, "vkCmdExecuteGeneratedCommandsNV", *pGeneratedCommandsInfo);
  device.next.CmdExecuteGeneratedCommandsNV(commandBuffer, isPreprocessed, pGeneratedCommandsInfo);
}

}  // namespace shaderqa::layer
