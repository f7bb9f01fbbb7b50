// Command pools and buffers. What is recorded goes into the log, in order.
#include <algorithm>

#include "tests/null_driver/commands.h"
#include "tests/null_driver/state.h"

namespace shaderqa::null_driver {
namespace {

// What a command of a command buffer does: it is one line of the log.
class Recorded {
 public:
  Recorded(VkCommandBuffer handle, const char* command) : call_(command) {
    record_.command_buffer = reinterpret_cast<uint64_t>(handle);
    record_.command = command + 2;  // without "vk"
  }
  ~Recorded() { state().records.commands.push_back(std::move(record_)); }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;
  template <typename... Values>
  Recorded& with(Values... values) {
    (record_.values.push_back(static_cast<uint64_t>(values)), ...);
    return *this;
  }
  template <typename T>
  Recorded& with_all(const T* values, uint32_t count) {
    record_.values.insert(record_.values.end(), values, values + count);
    return *this;
  }

 private:
  Call call_;
  CommandRecord record_;
};

uint64_t size_of(VkBuffer handle) {
  const auto buffer = state().get<Buffer>(handle);
  return buffer ? buffer->size : 0;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo*,
                                                 const VkAllocationCallbacks*, VkCommandPool* handle) {
  Call call("vkCreateCommandPool");
  if (call.fault) return call.fault;
  *handle = state().add<VkCommandPool>(reinterpret_cast<Device*>(device), CommandPool());
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyCommandPool(VkDevice, VkCommandPool handle, const VkAllocationCallbacks*) {
  Call call("vkDestroyCommandPool");
  state().remove<CommandPool>(handle);
}

VKAPI_ATTR VkResult VKAPI_CALL ResetCommandPool(VkDevice, VkCommandPool, VkCommandPoolResetFlags) {
  return Call("vkResetCommandPool").fault;
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateCommandBuffers(VkDevice device,
                                                      const VkCommandBufferAllocateInfo* info,
                                                      VkCommandBuffer* buffers) {
  Call call("vkAllocateCommandBuffers");
  if (call.fault) return call.fault;
  auto pool = state().get<CommandPool>(info->commandPool);
  if (!pool) return VK_ERROR_UNKNOWN;
  for (uint32_t i = 0; i < info->commandBufferCount; ++i) {
    pool->buffers.push_back(std::make_unique<CommandBuffer>());
    pool->buffers.back()->device = reinterpret_cast<Device*>(device);
    buffers[i] = reinterpret_cast<VkCommandBuffer>(pool->buffers.back().get());
  }
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL FreeCommandBuffers(VkDevice, VkCommandPool handle, uint32_t count,
                                              const VkCommandBuffer* buffers) {
  Call call("vkFreeCommandBuffers");
  auto pool = state().get<CommandPool>(handle);
  if (!pool) return;
  for (uint32_t i = 0; i < count; ++i) {
    auto freed = reinterpret_cast<CommandBuffer*>(buffers[i]);
    std::erase_if(pool->buffers, [freed](const auto& buffer) { return buffer.get() == freed; });
  }
}

VKAPI_ATTR VkResult VKAPI_CALL BeginCommandBuffer(VkCommandBuffer handle, const VkCommandBufferBeginInfo*) {
  Recorded(handle, "vkBeginCommandBuffer");
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL EndCommandBuffer(VkCommandBuffer handle) {
  Recorded(handle, "vkEndCommandBuffer");
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL ResetCommandBuffer(VkCommandBuffer, VkCommandBufferResetFlags) {
  return Call("vkResetCommandBuffer").fault;
}

VKAPI_ATTR void VKAPI_CALL CmdBindPipeline(VkCommandBuffer handle, VkPipelineBindPoint point, VkPipeline) {
  Recorded(handle, "vkCmdBindPipeline").with(point);
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorSets(VkCommandBuffer handle, VkPipelineBindPoint point,
                                                 VkPipelineLayout layout, uint32_t first, uint32_t count,
                                                 const VkDescriptorSet*, uint32_t offset_count,
                                                 const uint32_t* offsets) {
  Recorded record(handle, "vkCmdBindDescriptorSets");
  state().get<PipelineLayout>(layout);
  record.with(point, first, count).with_all(offsets, offset_count);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatch(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z) {
  Recorded(handle, "vkCmdDispatch").with(x, y, z);
}

VKAPI_ATTR void VKAPI_CALL CmdSetRayTracingPipelineStackSizeKHR(VkCommandBuffer handle, uint32_t size) {
  Recorded(handle, "vkCmdSetRayTracingPipelineStackSizeKHR").with(size);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchIndirect(VkCommandBuffer handle, VkBuffer, VkDeviceSize offset) {
  Recorded(handle, "vkCmdDispatchIndirect").with(offset);
}

VKAPI_ATTR void VKAPI_CALL CmdDraw(VkCommandBuffer handle, uint32_t vertices, uint32_t instances,
                                   uint32_t first_vertex, uint32_t first_instance) {
  Recorded(handle, "vkCmdDraw").with(vertices, instances, first_vertex, first_instance);
}

// Of the buffer, its size: that tells which it is.
VKAPI_ATTR void VKAPI_CALL CmdFillBuffer(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset,
                                         VkDeviceSize size, uint32_t data) {
  Recorded record(handle, "vkCmdFillBuffer");
  record.with(size_of(buffer), offset, size, data);
}

VKAPI_ATTR void VKAPI_CALL CmdPipelineBarrier(VkCommandBuffer handle, VkPipelineStageFlags source,
                                              VkPipelineStageFlags destination, VkDependencyFlags,
                                              uint32_t count, const VkMemoryBarrier* barriers, uint32_t,
                                              const VkBufferMemoryBarrier*, uint32_t,
                                              const VkImageMemoryBarrier*) {
  Recorded record(handle, "vkCmdPipelineBarrier");
  record.with(source, destination);
  for (uint32_t i = 0; i < count; ++i) record.with(barriers[i].srcAccessMask, barriers[i].dstAccessMask);
}

VKAPI_ATTR void VKAPI_CALL CmdPipelineBarrier2(VkCommandBuffer handle, const VkDependencyInfo*) {
  Recorded(handle, "vkCmdPipelineBarrier2");
}

VKAPI_ATTR void VKAPI_CALL CmdExecuteCommands(VkCommandBuffer handle, uint32_t count,
                                              const VkCommandBuffer*) {
  Recorded(handle, "vkCmdExecuteCommands").with(count);
}

VKAPI_ATTR void VKAPI_CALL CmdBeginRendering(VkCommandBuffer handle, const VkRenderingInfo* info) {
  Recorded(handle, "vkCmdBeginRendering").with(info->flags);
}

VKAPI_ATTR void VKAPI_CALL CmdEndRendering(VkCommandBuffer handle) { Recorded(handle, "vkCmdEndRendering"); }

VKAPI_ATTR VkResult VKAPI_CALL CreateRenderPass(VkDevice device, const VkRenderPassCreateInfo*,
                                                const VkAllocationCallbacks*, VkRenderPass* handle) {
  Call call("vkCreateRenderPass");
  if (call.fault) return call.fault;
  *handle = state().add<VkRenderPass>(reinterpret_cast<Device*>(device), RenderPass());
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyRenderPass(VkDevice, VkRenderPass handle, const VkAllocationCallbacks*) {
  Call call("vkDestroyRenderPass");
  state().remove<RenderPass>(handle);
}

VKAPI_ATTR void VKAPI_CALL CmdBeginRenderPass(VkCommandBuffer handle, const VkRenderPassBeginInfo*,
                                              VkSubpassContents) {
  Recorded(handle, "vkCmdBeginRenderPass");
}

VKAPI_ATTR void VKAPI_CALL CmdNextSubpass(VkCommandBuffer handle, VkSubpassContents) {
  Recorded(handle, "vkCmdNextSubpass");
}

VKAPI_ATTR void VKAPI_CALL CmdEndRenderPass(VkCommandBuffer handle) {
  Recorded(handle, "vkCmdEndRenderPass");
}

VKAPI_ATTR void VKAPI_CALL CmdBeginDebugUtilsLabelEXT(VkCommandBuffer handle, const VkDebugUtilsLabelEXT*) {
  Recorded(handle, "vkCmdBeginDebugUtilsLabelEXT");
}

VKAPI_ATTR void VKAPI_CALL CmdEndDebugUtilsLabelEXT(VkCommandBuffer handle) {
  Recorded(handle, "vkCmdEndDebugUtilsLabelEXT");
}

}  // namespace shaderqa::null_driver
