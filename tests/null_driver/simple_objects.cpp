// SPDX-License-Identifier: Apache-2.0
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
SIMPLE_OBJECT(Sampler, Sampler)
SIMPLE_OBJECT(QueryPool, QueryPool)
SIMPLE_OBJECT(ImageView, ImageView)
SIMPLE_OBJECT(Framebuffer, Framebuffer)

VKAPI_ATTR VkResult VKAPI_CALL CreateAccelerationStructureKHR(VkDevice device,
                                                              const VkAccelerationStructureCreateInfoKHR*,
                                                              const VkAllocationCallbacks*,
                                                              VkAccelerationStructureKHR* handle) {
  Call call("vkCreateAccelerationStructureKHR");
  if (call.fault) return call.fault;
  *handle =
      state().add<VkAccelerationStructureKHR>(reinterpret_cast<Device*>(device), AccelerationStructure());
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateAccelerationStructure2KHR(VkDevice device,
                                                               const VkAccelerationStructureCreateInfo2KHR*,
                                                               const VkAllocationCallbacks* callbacks,
                                                               VkAccelerationStructureKHR* handle) {
  return CreateAccelerationStructureKHR(device, nullptr, callbacks, handle);
}

VKAPI_ATTR void VKAPI_CALL DestroyAccelerationStructureKHR(VkDevice, VkAccelerationStructureKHR handle,
                                                           const VkAllocationCallbacks*) {
  Call call("vkDestroyAccelerationStructureKHR");
  state().remove<AccelerationStructure>(handle);
}

// By the primitives of all geometries.
VKAPI_ATTR void VKAPI_CALL GetAccelerationStructureBuildSizesKHR(
    VkDevice, VkAccelerationStructureBuildTypeKHR, const VkAccelerationStructureBuildGeometryInfoKHR* info,
    const uint32_t* primitives, VkAccelerationStructureBuildSizesInfoKHR* sizes) {
  Call call("vkGetAccelerationStructureBuildSizesKHR");
  uint64_t all = 0;
  for (uint32_t i = 0; i < info->geometryCount; ++i) all += primitives[i];
  sizes->accelerationStructureSize = 64 * all;
  sizes->buildScratchSize = 16 * all;
  sizes->updateScratchSize = 8 * all;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPipelineCacheData(VkDevice, VkPipelineCache, size_t* size, void*) {
  Call call("vkGetPipelineCacheData");
  *size = 0;
  return call.fault;
}

VKAPI_ATTR VkResult VKAPI_CALL GetQueryPoolResults(VkDevice, VkQueryPool, uint32_t, uint32_t, size_t size,
                                                   void* data, VkDeviceSize, VkQueryResultFlags) {
  wait_for_device();
  Call call("vkGetQueryPoolResults");
  if (call.fault) return call.fault;
  std::memset(data, 0, size);
  return VK_SUCCESS;
}

}  // namespace shaderqa::null_driver
