// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/queue_commands.h"

#include <cstring>

#include "layer/loader/device.h"

namespace shaderqa::layer {
namespace {

struct Scope {
  VkPipelineStageFlags stages = 0;
  VkAccessFlags accesses = 0;
};
constexpr Scope kAllCommands{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                             VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};

void record_barrier(const Device& device, VkCommandBuffer command_buffer, const Scope& source,
                    const Scope& destination, BarrierBuffers buffers) {
  VkMemoryBarrier everything{};
  everything.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  everything.srcAccessMask = source.accesses;
  everything.dstAccessMask = destination.accesses;
  std::vector<VkBufferMemoryBarrier> named;
  for (const VkBuffer buffer : buffers) {
    VkBufferMemoryBarrier& barrier = named.emplace_back();
    barrier.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
    barrier.srcAccessMask = source.accesses;
    barrier.dstAccessMask = destination.accesses;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.buffer = buffer;
    barrier.size = VK_WHOLE_SIZE;
  }
  device.next.CmdPipelineBarrier(command_buffer, source.stages, destination.stages, 0, named.empty() ? 1 : 0,
                                 &everything, static_cast<uint32_t>(named.size()), named.data(), 0, nullptr);
}

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

void record_separation(const Device& device, VkCommandBuffer command_buffer, BarrierBuffers buffers) {
  record_barrier(device, command_buffer, kAllCommands, kAllCommands, buffers);
}

void record_barrier_before_ranges(const Device& device, VkCommandBuffer command_buffer,
                                  BarrierBuffers buffers) {
  record_barrier(
      device, command_buffer, kAllCommands,
      {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT},
      buffers);
}

void record_barrier_behind_ranges(const Device& device, VkCommandBuffer command_buffer,
                                  BarrierBuffers buffers) {
  record_barrier(device, command_buffer, {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT},
                 kAllCommands, buffers);
}

void record_barrier_before_transfers(const Device& device, VkCommandBuffer command_buffer,
                                     BarrierBuffers buffers) {
  record_barrier(device, command_buffer, kAllCommands,
                 {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT},
                 buffers);
}

void record_barrier_behind_transfers(const Device& device, VkCommandBuffer command_buffer,
                                     BarrierBuffers buffers) {
  record_barrier(device, command_buffer, {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT},
                 kAllCommands, buffers);
}

}  // namespace shaderqa::layer
