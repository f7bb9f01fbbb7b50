// SPDX-License-Identifier: Apache-2.0
// Command pools and buffers: their lives, and vkCmdExecuteCommands.
#include "layer/recording/command_recorder.h"

namespace shaderqa::layer {

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateCommandPool(VkDevice handle,
                                                        const VkCommandPoolCreateInfo* pCreateInfo,
                                                        const VkAllocationCallbacks* pAllocator,
                                                        VkCommandPool* pCommandPool) {
  Device& device = device_of(handle);
  const VkResult result = device.next.CreateCommandPool(handle, pCreateInfo, pAllocator, pCommandPool);
  if (result == VK_SUCCESS) {
    guarded([&] { device.command_buffers.impl().add_pool(*pCommandPool, *pCreateInfo); });
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyCommandPool(VkDevice handle, VkCommandPool commandPool,
                                                     const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  if (commandPool) guarded([&] { device.command_buffers.impl().remove_pool(commandPool); });
  device.next.DestroyCommandPool(handle, commandPool, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::ResetCommandPool(VkDevice handle, VkCommandPool commandPool,
                                                       VkCommandPoolResetFlags flags) {
  Device& device = device_of(handle);
  guarded([&] { device.command_buffers.impl().reset_pool(commandPool); });
  return device.next.ResetCommandPool(handle, commandPool, flags);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::AllocateCommandBuffers(VkDevice handle,
                                                             const VkCommandBufferAllocateInfo* pAllocateInfo,
                                                             VkCommandBuffer* pCommandBuffers) {
  Device& device = device_of(handle);
  const VkResult result = device.next.AllocateCommandBuffers(handle, pAllocateInfo, pCommandBuffers);
  if (result == VK_SUCCESS) {
    guarded([&] {
      device.command_buffers.impl().add(pAllocateInfo->commandPool, pCommandBuffers,
                                        pAllocateInfo->commandBufferCount,
                                        pAllocateInfo->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    });
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::FreeCommandBuffers(VkDevice handle, VkCommandPool commandPool,
                                                     uint32_t commandBufferCount,
                                                     const VkCommandBuffer* pCommandBuffers) {
  Device& device = device_of(handle);
  guarded([&] { device.command_buffers.impl().remove(commandPool, pCommandBuffers, commandBufferCount); });
  device.next.FreeCommandBuffers(handle, commandPool, commandBufferCount, pCommandBuffers);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::BeginCommandBuffer(VkCommandBuffer commandBuffer,
                                                         const VkCommandBufferBeginInfo* pBeginInfo) {
  Device& device =
      with_recorder(commandBuffer, [&](Device&, CommandRecorder& state) { state.begin(*pBeginInfo); });
  return device.next.BeginCommandBuffer(commandBuffer, pBeginInfo);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::EndCommandBuffer(VkCommandBuffer commandBuffer) {
  Device& device = with_recorder(commandBuffer, [](Device&, CommandRecorder& state) { state.end(); });
  return device.next.EndCommandBuffer(commandBuffer);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::ResetCommandBuffer(VkCommandBuffer commandBuffer,
                                                         VkCommandBufferResetFlags flags) {
  Device& device = with_recorder(commandBuffer, [](Device&, CommandRecorder& state) { state.reset(); });
  return device.next.ResetCommandBuffer(commandBuffer, flags);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdExecuteCommands(VkCommandBuffer commandBuffer,
                                                     uint32_t commandBufferCount,
                                                     const VkCommandBuffer* pCommandBuffers) {
  const LastRecorder found = find_recorder(commandBuffer);
  Device& device = *found.device;
  CommandRecorder* const state = found.recorder;
  if (!state) return device.next.CmdExecuteCommands(commandBuffer, commandBufferCount, pCommandBuffers);
  // One at a time: a barrier in one may make commands of the layer's own necessary before the next.
  for (uint32_t i = 0; i < commandBufferCount; ++i) {
    guarded([&] {
      if (const CommandRecorder* secondary = find_recorder(pCommandBuffers[i]).recorder) {
        state->execute(secondary->recorded);
      } else {
        state->use_unknown();
      }
    });
    device.next.CmdExecuteCommands(commandBuffer, 1, &pCommandBuffers[i]);
  }
  state->binds.reset();
}

}  // namespace shaderqa::layer
