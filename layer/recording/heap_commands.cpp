// SPDX-License-Identifier: Apache-2.0
// The commands that bind descriptor heaps and push data.
#include "layer/recording/command_recorder.h"
#include "layer/vk/descriptor_heap.h"

namespace shaderqa::layer {

VKAPI_ATTR void VKAPI_CALL hooks::CmdBindResourceHeapEXT(VkCommandBuffer commandBuffer,
                                                         const VkBindHeapInfoEXT* pBindInfo) {
  Device& device = with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) {
    state.binds.use_heaps().bind_resources(*pBindInfo);
  });
  device.next.CmdBindResourceHeapEXT(commandBuffer, pBindInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBindSamplerHeapEXT(VkCommandBuffer commandBuffer,
                                                        const VkBindHeapInfoEXT* pBindInfo) {
  Device& device = with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) {
    state.binds.use_heaps().bind_samplers(*pBindInfo);
  });
  device.next.CmdBindSamplerHeapEXT(commandBuffer, pBindInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdPushDataEXT(VkCommandBuffer commandBuffer,
                                                 const VkPushDataInfoEXT* pPushDataInfo) {
  Device& device = with_recorder(
      commandBuffer, [&](Device&, CommandRecorder& state) { state.binds.use_heaps().push(*pPushDataInfo); });
  device.next.CmdPushDataEXT(commandBuffer, pPushDataInfo);
}

}  // namespace shaderqa::layer
