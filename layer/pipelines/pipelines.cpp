// SPDX-License-Identifier: Apache-2.0
// The commands that create compute and graphics pipelines.
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/pipelines/pipeline_creation.h"
#include "layer/pipelines/vertex_stages.h"
#include "layer/vk/guarded.h"

namespace shaderqa::layer {

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateComputePipelines(VkDevice handle, VkPipelineCache pipelineCache,
                                                             uint32_t createInfoCount,
                                                             const VkComputePipelineCreateInfo* pCreateInfos,
                                                             const VkAllocationCallbacks* pAllocator,
                                                             VkPipeline* pPipelines) {
  Device& device = device_of(handle);
  return create_pipelines(
      device, pCreateInfos, createInfoCount, pPipelines, pAllocator,
      [&](const VkComputePipelineCreateInfo* infos, uint32_t count, VkPipeline* made, bool) {
        return device.next.CreateComputePipelines(handle, pipelineCache, count, infos, pAllocator, made);
      });
}

VKAPI_ATTR VkResult VKAPI_CALL
hooks::CreateGraphicsPipelines(VkDevice handle, VkPipelineCache pipelineCache, uint32_t createInfoCount,
                               const VkGraphicsPipelineCreateInfo* pCreateInfos,
                               const VkAllocationCallbacks* pAllocator, VkPipeline* pPipelines) {
  Device& device = device_of(handle);
  const VkResult result = create_pipelines(
      device, pCreateInfos, createInfoCount, pPipelines, pAllocator,
      [&](const VkGraphicsPipelineCreateInfo* infos, uint32_t count, VkPipeline* made, bool) {
        return device.next.CreateGraphicsPipelines(handle, pipelineCache, count, infos, pAllocator, made);
      });
  for (uint32_t i = 0; device.engine->needs.command_accesses && i < createInfoCount; ++i) {
    // Even if the command fails, some of the pipelines may have been created.
    if (pPipelines[i]) guarded([&] { device.vertex_stages.add_pipeline(pPipelines[i], pCreateInfos[i]); });
  }
  return result;
}

}  // namespace shaderqa::layer
