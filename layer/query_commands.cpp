// Queries that are active within a command buffer: work of the layer's own would count in their results.
#include "layer/command_state.h"

namespace shaderqa::layer {
namespace {

Device& query_begins(VkCommandBuffer command_buffer) {
  return with_state(command_buffer, [](Device&, CommandState& state) { state.begin_query(); });
}

Device& query_ends(VkCommandBuffer command_buffer) {
  return with_state(command_buffer, [](Device&, CommandState& state) { state.end_query(); });
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL hooks::CmdBeginQuery(VkCommandBuffer commandBuffer, VkQueryPool queryPool,
                                                uint32_t query, VkQueryControlFlags flags) {
  Device& device = query_begins(commandBuffer);
  device.next.CmdBeginQuery(commandBuffer, queryPool, query, flags);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdEndQuery(VkCommandBuffer commandBuffer, VkQueryPool queryPool,
                                              uint32_t query) {
  Device& device = query_ends(commandBuffer);
  device.next.CmdEndQuery(commandBuffer, queryPool, query);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdBeginQueryIndexedEXT(VkCommandBuffer commandBuffer,
                                                          VkQueryPool queryPool, uint32_t query,
                                                          VkQueryControlFlags flags, uint32_t index) {
  Device& device = query_begins(commandBuffer);
  device.next.CmdBeginQueryIndexedEXT(commandBuffer, queryPool, query, flags, index);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdEndQueryIndexedEXT(VkCommandBuffer commandBuffer, VkQueryPool queryPool,
                                                        uint32_t query, uint32_t index) {
  Device& device = query_ends(commandBuffer);
  device.next.CmdEndQueryIndexedEXT(commandBuffer, queryPool, query, index);
}

}  // namespace shaderqa::layer
