// SPDX-License-Identifier: Apache-2.0
// The commands that create ray-tracing pipelines.
#include "layer/context/object_names.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/pipelines/pipeline_creation.h"
#include "layer/pipelines/ray_tracing_stacks.h"
#include "layer/vk/guarded.h"

namespace shaderqa::layer {

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateRayTracingPipelinesKHR(
    VkDevice handle, VkDeferredOperationKHR deferredOperation, VkPipelineCache pipelineCache,
    uint32_t createInfoCount, const VkRayTracingPipelineCreateInfoKHR* pCreateInfos,
    const VkAllocationCallbacks* pAllocator, VkPipeline* pPipelines) {
  Device& device = device_of(handle);
  const VkResult result = create_pipelines(
      device, pCreateInfos, createInfoCount, pPipelines, pAllocator,
      [&](const VkRayTracingPipelineCreateInfoKHR* infos, uint32_t count, VkPipeline* made, bool as_given) {
        // An implementation may always choose not to defer. We do so because our copies die with this call, a
        // failure must be known here for the retry, and the handles must exist to be remembered.
        const bool defer = deferredOperation && as_given;
        const VkResult created =
            device.next.CreateRayTracingPipelinesKHR(handle, defer ? deferredOperation : VK_NULL_HANDLE,
                                                     pipelineCache, count, infos, pAllocator, made);
        return created == VK_SUCCESS && deferredOperation && !defer ? VK_OPERATION_NOT_DEFERRED_KHR : created;
      });
  // If the creation was deferred, the handles do not exist yet, and nothing was instrumented.
  if (result >= 0 && result != VK_OPERATION_DEFERRED_KHR && device.instruments()) {
    guarded([&] {
      for (uint32_t i = 0; i < createInfoCount; ++i)
        if (pPipelines[i])
          device.ray_tracing_stacks.add(device, pPipelines[i], pCreateInfos[i],
                                        !device.names.shaders_of_pipeline(pPipelines[i]).empty());
    });
  }
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
hooks::CreateRayTracingPipelinesNV(VkDevice handle, VkPipelineCache pipelineCache, uint32_t createInfoCount,
                                   const VkRayTracingPipelineCreateInfoNV* pCreateInfos,
                                   const VkAllocationCallbacks* pAllocator, VkPipeline* pPipelines) {
  Device& device = device_of(handle);
  return create_pipelines(
      device, pCreateInfos, createInfoCount, pPipelines, pAllocator,
      [&](const VkRayTracingPipelineCreateInfoNV* infos, uint32_t count, VkPipeline* made, bool) {
        return device.next.CreateRayTracingPipelinesNV(handle, pipelineCache, count, infos, pAllocator, made);
      });
}

}  // namespace shaderqa::layer
