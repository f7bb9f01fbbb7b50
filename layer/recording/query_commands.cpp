// SPDX-License-Identifier: Apache-2.0
// Query pools, and which queries are active within a command buffer: work of the layer's own must not count
// in their results.
#include <bit>

#include "layer/recording/command_recorder.h"
#include "layer/resources/object_facts.h"

namespace shaderqa::layer {
namespace {

QueryPoolFacts facts_of(const VkQueryPoolCreateInfo& info) {
  switch (info.queryType) {
    case VK_QUERY_TYPE_OCCLUSION:
    case VK_QUERY_TYPE_TIMESTAMP:
      return {1, false};
    case VK_QUERY_TYPE_PIPELINE_STATISTICS: {
      const VkQueryPipelineStatisticFlags counted = info.pipelineStatistics;
      return {static_cast<uint32_t>(std::popcount(counted)),
              (counted & VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT) != 0};
    }
    default:
      return {0, true};
  }
}

bool counts_compute(Device& device, VkQueryPool pool) {
  const QueryPoolFacts* known = device.object_facts.query_pools.find(pool);
  return !known || known->counts_compute;
}

Device& query_begins(VkCommandBuffer command_buffer, VkQueryPool pool) {
  return with_recorder(command_buffer, [&](Device& device, CommandRecorder& state) {
    if (device.engine->needs.command_accesses && counts_compute(device, pool)) state.begin_query();
  });
}

Device& query_ends(VkCommandBuffer command_buffer, VkQueryPool pool) {
  return with_recorder(command_buffer, [&](Device& device, CommandRecorder& state) {
    if (device.engine->needs.command_accesses && counts_compute(device, pool)) state.end_query();
  });
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateQueryPool(VkDevice handle,
                                                      const VkQueryPoolCreateInfo* pCreateInfo,
                                                      const VkAllocationCallbacks* pAllocator,
                                                      VkQueryPool* pQueryPool) {
  Device& device = device_of(handle);
  const VkResult result = device.next.CreateQueryPool(handle, pCreateInfo, pAllocator, pQueryPool);
  if (result == VK_SUCCESS && device.engine->needs.command_accesses) {
    guarded([&] { device.object_facts.query_pools.emplace(*pQueryPool, facts_of(*pCreateInfo)); });
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyQueryPool(VkDevice handle, VkQueryPool queryPool,
                                                   const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  if (queryPool && device.engine->needs.command_accesses)
    guarded([&] { device.object_facts.query_pools.erase(queryPool); });
  device.next.DestroyQueryPool(handle, queryPool, pAllocator);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBeginQuery(VkCommandBuffer commandBuffer, VkQueryPool queryPool,
                                                uint32_t query, VkQueryControlFlags flags) {
  Device& device = query_begins(commandBuffer, queryPool);
  device.next.CmdBeginQuery(commandBuffer, queryPool, query, flags);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdEndQuery(VkCommandBuffer commandBuffer, VkQueryPool queryPool,
                                              uint32_t query) {
  Device& device = query_ends(commandBuffer, queryPool);
  device.next.CmdEndQuery(commandBuffer, queryPool, query);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBeginQueryIndexedEXT(VkCommandBuffer commandBuffer,
                                                          VkQueryPool queryPool, uint32_t query,
                                                          VkQueryControlFlags flags, uint32_t index) {
  Device& device = query_begins(commandBuffer, queryPool);
  device.next.CmdBeginQueryIndexedEXT(commandBuffer, queryPool, query, flags, index);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdEndQueryIndexedEXT(VkCommandBuffer commandBuffer, VkQueryPool queryPool,
                                                        uint32_t query, uint32_t index) {
  Device& device = query_ends(commandBuffer, queryPool);
  device.next.CmdEndQueryIndexedEXT(commandBuffer, queryPool, query, index);
}

}  // namespace shaderqa::layer
