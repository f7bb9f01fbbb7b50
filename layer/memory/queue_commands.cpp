// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/queue_commands.h"

#include <cstring>

#include "layer/loader/device.h"

namespace shaderqa::layer {
namespace {

constexpr VkAccessFlags kEverything = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;

}  // namespace

void QueueCommands::destroy() {
  if (pool_) device_.next.DestroyCommandPool(device_.handle, pool_, nullptr);
  pool_ = VK_NULL_HANDLE;
}

VkResult QueueCommands::allocate(VkCommandBuffer& made) {
  if (!pool_) {
    VkCommandPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    info.queueFamilyIndex = family_;
    const VkResult result = device_.next.CreateCommandPool(device_.handle, &info, nullptr, &pool_);
    if (result != VK_SUCCESS) return result;
  }
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool_;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  const VkResult result = device_.next.AllocateCommandBuffers(device_.handle, &info, &made);
  if (result != VK_SUCCESS) return result;
  // Dispatchable handles that a layer makes have no dispatch table of the loader yet.
  if (device_.facts.set_loader_data) return device_.facts.set_loader_data(device_.handle, made);
  std::memcpy(made, device_.handle, sizeof(void*));
  return VK_SUCCESS;
}

void record_barrier(const Device& device, VkCommandBuffer command_buffer, VkPipelineStageFlags source,
                    VkAccessFlags source_access, VkPipelineStageFlags destination,
                    VkAccessFlags destination_access) {
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = source_access;
  barrier.dstAccessMask = destination_access;
  device.next.CmdPipelineBarrier(command_buffer, source, destination, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void record_separation(const Device& device, VkCommandBuffer command_buffer) {
  record_barrier(device, command_buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, kEverything,
                 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, kEverything);
}

void record_barrier_before_ranges(const Device& device, VkCommandBuffer command_buffer) {
  record_barrier(device, command_buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, kEverything,
                 VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                 VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

void record_barrier_behind_ranges(const Device& device, VkCommandBuffer command_buffer) {
  record_barrier(device, command_buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, kEverything);
}

void record_barrier_before_transfers(const Device& device, VkCommandBuffer command_buffer) {
  record_barrier(device, command_buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, kEverything,
                 VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
}

void record_barrier_behind_transfers(const Device& device, VkCommandBuffer command_buffer) {
  record_barrier(device, command_buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, kEverything);
}

}  // namespace shaderqa::layer
