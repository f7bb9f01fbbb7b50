// Objects of which the driver knows no more than that they live.
#include <cstring>

#include "tests/null_driver/commands.h"
#include "tests/null_driver/state.h"

namespace shaderqa::null_driver {

#define SIMPLE_OBJECT(name, object)                                                                   \
  VKAPI_ATTR VkResult VKAPI_CALL Create##name(VkDevice device, const Vk##name##CreateInfo*,           \
                                              const VkAllocationCallbacks*, Vk##name* handle) {       \
    Call call("vkCreate" #name);                                                                      \
    if (call.fault) return call.fault;                                                                \
    *handle = state().add<Vk##name>(reinterpret_cast<Device*>(device), object());                     \
    return VK_SUCCESS;                                                                                \
  }                                                                                                   \
  VKAPI_ATTR void VKAPI_CALL Destroy##name(VkDevice, Vk##name handle, const VkAllocationCallbacks*) { \
    Call call("vkDestroy" #name);                                                                     \
    state().remove<object>(handle);                                                                   \
  }

SIMPLE_OBJECT(PipelineCache, PipelineCache)
SIMPLE_OBJECT(BufferView, BufferView)
SIMPLE_OBJECT(QueryPool, QueryPool)
SIMPLE_OBJECT(CommandPool, CommandPool)

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineCacheData(VkDevice, VkPipelineCache, size_t* size, void*) {
  Call call("vkGetPipelineCacheData");
  *size = 0;
  return call.fault;
}

VKAPI_ATTR VkResult VKAPI_CALL GetQueryPoolResults(VkDevice, VkQueryPool, uint32_t, uint32_t, size_t size,
                                                   void* data, VkDeviceSize, VkQueryResultFlags) {
  Call call("vkGetQueryPoolResults");
  if (call.fault) return call.fault;
  std::memset(data, 0, size);
  return VK_SUCCESS;
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

VKAPI_ATTR VkResult VKAPI_CALL BeginCommandBuffer(VkCommandBuffer, const VkCommandBufferBeginInfo*) {
  return Call("vkBeginCommandBuffer").fault;
}

VKAPI_ATTR VkResult VKAPI_CALL EndCommandBuffer(VkCommandBuffer) { return Call("vkEndCommandBuffer").fault; }

VKAPI_ATTR void VKAPI_CALL CmdBindPipeline(VkCommandBuffer, VkPipelineBindPoint, VkPipeline) {
  Call call("vkCmdBindPipeline");
}

VKAPI_ATTR void VKAPI_CALL CmdDispatch(VkCommandBuffer, uint32_t, uint32_t, uint32_t) {
  Call call("vkCmdDispatch");
}

}  // namespace shaderqa::null_driver
