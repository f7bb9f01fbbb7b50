// SPDX-License-Identifier: Apache-2.0
// Command pools and buffers. What is recorded goes into the log, in order.
#include <algorithm>

#include "tests/null_driver/commands.h"
#include "tests/null_driver/recorded.h"
#include "tests/null_driver/state.h"

namespace shaderqa::null_driver {
namespace {

uint64_t size_of(VkBuffer handle) {
  const auto buffer = state().get<Buffer>(handle);
  return buffer ? buffer->size : 0;
}

uint64_t descriptors_of(const VkWriteDescriptorSet* writes, uint32_t count) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) sum += writes[i].descriptorCount;
  return sum;
}

VkResult create_render_pass(const char* command, VkDevice device, VkRenderPass* handle) {
  Call call(command);
  if (call.fault) return call.fault;
  *handle = state().add<VkRenderPass>(reinterpret_cast<Device*>(device), RenderPass());
  return VK_SUCCESS;
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
  return Recorded(handle, "vkBeginCommandBuffer").result();
}

VKAPI_ATTR VkResult VKAPI_CALL EndCommandBuffer(VkCommandBuffer handle) {
  return Recorded(handle, "vkEndCommandBuffer").result();
}

VKAPI_ATTR VkResult VKAPI_CALL ResetCommandBuffer(VkCommandBuffer, VkCommandBufferResetFlags) {
  return Call("vkResetCommandBuffer").fault;
}

VKAPI_ATTR void VKAPI_CALL CmdBindPipeline(VkCommandBuffer handle, VkPipelineBindPoint point,
                                           VkPipeline pipeline) {
  Recorded(handle, "vkCmdBindPipeline").with(point, reinterpret_cast<uint64_t>(pipeline));
}

VKAPI_ATTR void VKAPI_CALL CmdBindShadersEXT(VkCommandBuffer handle, uint32_t count,
                                             const VkShaderStageFlagBits* stages,
                                             const VkShaderEXT* shaders) {
  Recorded record(handle, "vkCmdBindShadersEXT");
  for (uint32_t i = 0; i < count; ++i) {
    record.with(stages[i], shaders ? reinterpret_cast<uint64_t>(shaders[i]) : 0);
  }
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorSets(VkCommandBuffer handle, VkPipelineBindPoint point,
                                                 VkPipelineLayout layout, uint32_t first, uint32_t count,
                                                 const VkDescriptorSet*, uint32_t offset_count,
                                                 const uint32_t* offsets) {
  Recorded record(handle, "vkCmdBindDescriptorSets");
  state().get<PipelineLayout>(layout);
  record.with(point, first, count).with_all(offsets, offset_count);
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorSets2(VkCommandBuffer handle,
                                                  const VkBindDescriptorSetsInfo* info) {
  Recorded record(handle, "vkCmdBindDescriptorSets2");
  state().get<PipelineLayout>(info->layout);
  record.with(info->stageFlags, info->firstSet, info->descriptorSetCount)
      .with_all(info->pDynamicOffsets, info->dynamicOffsetCount);
}

VKAPI_ATTR void VKAPI_CALL CmdPushConstants(VkCommandBuffer handle, VkPipelineLayout layout,
                                            VkShaderStageFlags stages, uint32_t offset, uint32_t size,
                                            const void* values) {
  Recorded record(handle, "vkCmdPushConstants");
  state().get<PipelineLayout>(layout);
  record.with(stages, offset, size).with_all(static_cast<const uint32_t*>(values), size / 4);
}

VKAPI_ATTR void VKAPI_CALL CmdPushConstants2(VkCommandBuffer handle, const VkPushConstantsInfo* info) {
  Recorded record(handle, "vkCmdPushConstants2");
  state().get<PipelineLayout>(info->layout);
  record.with(info->stageFlags, info->offset, info->size)
      .with_all(static_cast<const uint32_t*>(info->pValues), info->size / 4);
}

VKAPI_ATTR void VKAPI_CALL CmdBindResourceHeapEXT(VkCommandBuffer handle, const VkBindHeapInfoEXT* info) {
  Recorded record(handle, "vkCmdBindResourceHeapEXT");
  record.with(info->heapRange.address, info->heapRange.size);
}

VKAPI_ATTR void VKAPI_CALL CmdBindSamplerHeapEXT(VkCommandBuffer handle, const VkBindHeapInfoEXT* info) {
  Recorded record(handle, "vkCmdBindSamplerHeapEXT");
  record.with(info->heapRange.address, info->heapRange.size);
}

VKAPI_ATTR void VKAPI_CALL CmdPushDataEXT(VkCommandBuffer handle, const VkPushDataInfoEXT* info) {
  Recorded record(handle, "vkCmdPushDataEXT");
  record.with(info->offset, info->data.size)
      .with_all(static_cast<const uint32_t*>(info->data.address), static_cast<uint32_t>(info->data.size / 4));
}

VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorBuffersEXT(VkCommandBuffer handle, uint32_t count,
                                                       const VkDescriptorBufferBindingInfoEXT* infos) {
  Recorded record(handle, "vkCmdBindDescriptorBuffersEXT");
  for (uint32_t i = 0; i < count; ++i) record.with(infos[i].address);
}

VKAPI_ATTR void VKAPI_CALL CmdSetDescriptorBufferOffsetsEXT(VkCommandBuffer handle, VkPipelineBindPoint point,
                                                            VkPipelineLayout layout, uint32_t first,
                                                            uint32_t count, const uint32_t* buffers,
                                                            const VkDeviceSize* offsets) {
  Recorded record(handle, "vkCmdSetDescriptorBufferOffsetsEXT");
  state().get<PipelineLayout>(layout);
  record.with(point, first).with_all(buffers, count).with_all(offsets, count);
}

VKAPI_ATTR void VKAPI_CALL
CmdSetDescriptorBufferOffsets2EXT(VkCommandBuffer handle, const VkSetDescriptorBufferOffsetsInfoEXT* info) {
  Recorded record(handle, "vkCmdSetDescriptorBufferOffsets2EXT");
  state().get<PipelineLayout>(info->layout);
  record.with(info->stageFlags, info->firstSet)
      .with_all(info->pBufferIndices, info->setCount)
      .with_all(info->pOffsets, info->setCount);
}

// Records the set that is pushed to, and how many descriptors.
VKAPI_ATTR void VKAPI_CALL CmdPushDescriptorSet(VkCommandBuffer handle, VkPipelineBindPoint point,
                                                VkPipelineLayout layout, uint32_t set, uint32_t count,
                                                const VkWriteDescriptorSet* writes) {
  Recorded record(handle, "vkCmdPushDescriptorSet");
  state().get<PipelineLayout>(layout);
  record.with(point, set, descriptors_of(writes, count));
}

VKAPI_ATTR void VKAPI_CALL CmdPushDescriptorSet2(VkCommandBuffer handle,
                                                 const VkPushDescriptorSetInfo* info) {
  Recorded record(handle, "vkCmdPushDescriptorSet2");
  state().get<PipelineLayout>(info->layout);
  record.with(info->stageFlags, info->set,
              descriptors_of(info->pDescriptorWrites, info->descriptorWriteCount));
}

VKAPI_ATTR void VKAPI_CALL CmdPushDescriptorSetWithTemplate(VkCommandBuffer handle,
                                                            VkDescriptorUpdateTemplate update_template,
                                                            VkPipelineLayout layout, uint32_t set,
                                                            const void*) {
  Recorded record(handle, "vkCmdPushDescriptorSetWithTemplate");
  state().get<PipelineLayout>(layout);
  const auto known = state().get<UpdateTemplate>(update_template);
  record.with(set, known ? known->descriptors : 0);
}

VKAPI_ATTR void VKAPI_CALL
CmdPushDescriptorSetWithTemplate2(VkCommandBuffer handle, const VkPushDescriptorSetWithTemplateInfo* info) {
  Recorded record(handle, "vkCmdPushDescriptorSetWithTemplate2");
  state().get<PipelineLayout>(info->layout);
  const auto known = state().get<UpdateTemplate>(info->descriptorUpdateTemplate);
  record.with(info->set, known ? known->descriptors : 0);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatch(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z) {
  Recorded(handle, "vkCmdDispatch").with(x, y, z);
}

VKAPI_ATTR void VKAPI_CALL CmdDispatchBase(VkCommandBuffer handle, uint32_t base_x, uint32_t base_y,
                                           uint32_t base_z, uint32_t x, uint32_t y, uint32_t z) {
  Recorded(handle, "vkCmdDispatchBase").with(base_x, base_y, base_z, x, y, z);
}

VKAPI_ATTR void VKAPI_CALL CmdBeginQuery(VkCommandBuffer handle, VkQueryPool, uint32_t query,
                                         VkQueryControlFlags flags) {
  Recorded(handle, "vkCmdBeginQuery").with(query, flags);
}

VKAPI_ATTR void VKAPI_CALL CmdEndQuery(VkCommandBuffer handle, VkQueryPool, uint32_t query) {
  Recorded(handle, "vkCmdEndQuery").with(query);
}

VKAPI_ATTR void VKAPI_CALL CmdResetQueryPool(VkCommandBuffer handle, VkQueryPool, uint32_t first,
                                             uint32_t count) {
  Recorded(handle, "vkCmdResetQueryPool").with(first, count);
}

VKAPI_ATTR void VKAPI_CALL CmdWriteTimestamp(VkCommandBuffer handle, VkPipelineStageFlagBits stage,
                                             VkQueryPool, uint32_t query) {
  Recorded(handle, "vkCmdWriteTimestamp").with(stage, query);
}

VKAPI_ATTR void VKAPI_CALL CmdExecuteGeneratedCommandsEXT(VkCommandBuffer handle, VkBool32 preprocessed,
                                                          const VkGeneratedCommandsInfoEXT* info) {
  Recorded(handle, "vkCmdExecuteGeneratedCommandsEXT").with(preprocessed, info->shaderStages);
}

VKAPI_ATTR void VKAPI_CALL CmdBindPipelineShaderGroupNV(VkCommandBuffer handle, VkPipelineBindPoint point,
                                                        VkPipeline pipeline, uint32_t group) {
  Recorded(handle, "vkCmdBindPipelineShaderGroupNV").with(point, reinterpret_cast<uint64_t>(pipeline), group);
}

VKAPI_ATTR void VKAPI_CALL CmdDrawClusterHUAWEI(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z) {
  Recorded(handle, "vkCmdDrawClusterHUAWEI").with(x, y, z);
}

VKAPI_ATTR void VKAPI_CALL CmdDrawClusterIndirectHUAWEI(VkCommandBuffer handle, VkBuffer,
                                                        VkDeviceSize offset) {
  Recorded(handle, "vkCmdDrawClusterIndirectHUAWEI").with(offset);
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

VKAPI_ATTR void VKAPI_CALL CmdBindIndexBuffer(VkCommandBuffer handle, VkBuffer, VkDeviceSize offset,
                                              VkIndexType type) {
  Recorded(handle, "vkCmdBindIndexBuffer").with(offset, type);
}

VKAPI_ATTR void VKAPI_CALL CmdDrawIndexed(VkCommandBuffer handle, uint32_t indices, uint32_t instances,
                                          uint32_t first_index, int32_t vertex_offset,
                                          uint32_t first_instance) {
  Recorded(handle, "vkCmdDrawIndexed").with(indices, instances, first_index, vertex_offset, first_instance);
}

VKAPI_ATTR void VKAPI_CALL CmdDrawIndirect(VkCommandBuffer handle, VkBuffer, VkDeviceSize offset,
                                           uint32_t count, uint32_t stride) {
  Recorded(handle, "vkCmdDrawIndirect").with(offset, count, stride);
}

VKAPI_ATTR void VKAPI_CALL CmdDrawIndexedIndirect(VkCommandBuffer handle, VkBuffer, VkDeviceSize offset,
                                                  uint32_t count, uint32_t stride) {
  Recorded(handle, "vkCmdDrawIndexedIndirect").with(offset, count, stride);
}

VKAPI_ATTR void VKAPI_CALL CmdDrawIndirectCount(VkCommandBuffer handle, VkBuffer, VkDeviceSize offset,
                                                VkBuffer, VkDeviceSize count_offset, uint32_t most,
                                                uint32_t stride) {
  Recorded(handle, "vkCmdDrawIndirectCount").with(offset, count_offset, most, stride);
}

VKAPI_ATTR void VKAPI_CALL CmdDrawIndexedIndirectCount(VkCommandBuffer handle, VkBuffer, VkDeviceSize offset,
                                                       VkBuffer, VkDeviceSize count_offset, uint32_t most,
                                                       uint32_t stride) {
  Recorded(handle, "vkCmdDrawIndexedIndirectCount").with(offset, count_offset, most, stride);
}

VKAPI_ATTR void VKAPI_CALL CmdBindVertexBuffers(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                const VkBuffer*, const VkDeviceSize* offsets) {
  Recorded record(handle, "vkCmdBindVertexBuffers");
  record.with(first).with_all(offsets, count);
}

VKAPI_ATTR void VKAPI_CALL CmdBindVertexBuffers2(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                 const VkBuffer*, const VkDeviceSize* offsets,
                                                 const VkDeviceSize*, const VkDeviceSize*) {
  Recorded record(handle, "vkCmdBindVertexBuffers2");
  record.with(first).with_all(offsets, count);
}

VKAPI_ATTR void VKAPI_CALL CmdSetVertexInputEXT(VkCommandBuffer handle, uint32_t bindings,
                                                const VkVertexInputBindingDescription2EXT*,
                                                uint32_t attributes,
                                                const VkVertexInputAttributeDescription2EXT*) {
  Recorded(handle, "vkCmdSetVertexInputEXT").with(bindings, attributes);
}

VKAPI_ATTR void VKAPI_CALL CmdDrawMultiEXT(VkCommandBuffer handle, uint32_t count, const VkMultiDrawInfoEXT*,
                                           uint32_t instances, uint32_t first_instance, uint32_t stride) {
  Recorded(handle, "vkCmdDrawMultiEXT").with(count, instances, first_instance, stride);
}

VKAPI_ATTR void VKAPI_CALL CmdDrawMultiIndexedEXT(VkCommandBuffer handle, uint32_t count,
                                                  const VkMultiDrawIndexedInfoEXT*, uint32_t instances,
                                                  uint32_t first_instance, uint32_t stride, const int32_t*) {
  Recorded(handle, "vkCmdDrawMultiIndexedEXT").with(count, instances, first_instance, stride);
}

VKAPI_ATTR void VKAPI_CALL CmdBuildAccelerationStructuresKHR(
    VkCommandBuffer handle, uint32_t count, const VkAccelerationStructureBuildGeometryInfoKHR*,
    const VkAccelerationStructureBuildRangeInfoKHR* const*) {
  Recorded(handle, "vkCmdBuildAccelerationStructuresKHR").with(count);
}

VKAPI_ATTR void VKAPI_CALL CmdBuildAccelerationStructuresIndirectKHR(
    VkCommandBuffer handle, uint32_t count, const VkAccelerationStructureBuildGeometryInfoKHR*,
    const VkDeviceAddress* addresses, const uint32_t* strides, const uint32_t* const* most) {
  Recorded(handle, "vkCmdBuildAccelerationStructuresIndirectKHR")
      .with(count, addresses[0], strides[0], most[0][0]);
}

VKAPI_ATTR void VKAPI_CALL CmdCopyAccelerationStructureKHR(VkCommandBuffer handle,
                                                           const VkCopyAccelerationStructureInfoKHR* info) {
  Recorded(handle, "vkCmdCopyAccelerationStructureKHR").with(info->mode);
}

// Records the size of the buffer, which tells which buffer it is.
VKAPI_ATTR void VKAPI_CALL CmdFillBuffer(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset,
                                         VkDeviceSize size, uint32_t data) {
  Recorded record(handle, "vkCmdFillBuffer");
  record.with(size_of(buffer), offset, size, data);
}

// What is written: its dwords.
VKAPI_ATTR void VKAPI_CALL CmdUpdateBuffer(VkCommandBuffer handle, VkBuffer, VkDeviceSize offset,
                                           VkDeviceSize size, const void* data) {
  Recorded record(handle, "vkCmdUpdateBuffer");
  record.with(offset).with_all(static_cast<const uint32_t*>(data), static_cast<uint32_t>(size / 4));
}

// Behind the arguments: where the first result comes to lie.
VKAPI_ATTR void VKAPI_CALL CmdCopyQueryPoolResults(VkCommandBuffer handle, VkQueryPool, uint32_t first,
                                                   uint32_t count, VkBuffer target, VkDeviceSize offset,
                                                   VkDeviceSize stride, VkQueryResultFlags flags) {
  Recorded record(handle, "vkCmdCopyQueryPoolResults");
  const auto buffer = state().get<Buffer>(target);
  record.with(first, count, offset, stride, flags,
              buffer ? reinterpret_cast<uint64_t>(buffer->address) + offset : 0);
}

VKAPI_ATTR void VKAPI_CALL CmdCopyBuffer(VkCommandBuffer handle, VkBuffer, VkBuffer, uint32_t count,
                                         const VkBufferCopy* regions) {
  Recorded record(handle, "vkCmdCopyBuffer");
  for (uint32_t i = 0; i < count; ++i) {
    record.with(regions[i].srcOffset, regions[i].dstOffset, regions[i].size);
  }
}

VKAPI_ATTR void VKAPI_CALL CmdCopyBuffer2(VkCommandBuffer handle, const VkCopyBufferInfo2* info) {
  Recorded record(handle, "vkCmdCopyBuffer2");
  for (uint32_t i = 0; i < info->regionCount; ++i) {
    record.with(info->pRegions[i].srcOffset, info->pRegions[i].dstOffset, info->pRegions[i].size);
  }
}

VKAPI_ATTR void VKAPI_CALL CmdSetEvent(VkCommandBuffer handle, VkEvent, VkPipelineStageFlags stages) {
  Recorded(handle, "vkCmdSetEvent").with(stages);
}

VKAPI_ATTR void VKAPI_CALL CmdWaitEvents(VkCommandBuffer handle, uint32_t count, const VkEvent*,
                                         VkPipelineStageFlags source, VkPipelineStageFlags destination,
                                         uint32_t, const VkMemoryBarrier*, uint32_t,
                                         const VkBufferMemoryBarrier*, uint32_t,
                                         const VkImageMemoryBarrier*) {
  Recorded(handle, "vkCmdWaitEvents").with(count, source, destination);
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
  return create_render_pass("vkCreateRenderPass", device, handle);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateRenderPass2(VkDevice device, const VkRenderPassCreateInfo2*,
                                                 const VkAllocationCallbacks*, VkRenderPass* handle) {
  return create_render_pass("vkCreateRenderPass2", device, handle);
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

VKAPI_ATTR void VKAPI_CALL CmdBeginRenderPass2(VkCommandBuffer handle, const VkRenderPassBeginInfo*,
                                               const VkSubpassBeginInfo*) {
  Recorded(handle, "vkCmdBeginRenderPass2");
}

VKAPI_ATTR void VKAPI_CALL CmdNextSubpass2(VkCommandBuffer handle, const VkSubpassBeginInfo*,
                                           const VkSubpassEndInfo*) {
  Recorded(handle, "vkCmdNextSubpass2");
}

VKAPI_ATTR void VKAPI_CALL CmdEndRenderPass2(VkCommandBuffer handle, const VkSubpassEndInfo*) {
  Recorded(handle, "vkCmdEndRenderPass2");
}

VKAPI_ATTR void VKAPI_CALL CmdBeginConditionalRenderingEXT(VkCommandBuffer handle,
                                                           const VkConditionalRenderingBeginInfoEXT* info) {
  Recorded(handle, "vkCmdBeginConditionalRenderingEXT").with(info->flags);
}

VKAPI_ATTR void VKAPI_CALL CmdEndConditionalRenderingEXT(VkCommandBuffer handle) {
  Recorded(handle, "vkCmdEndConditionalRenderingEXT");
}

VKAPI_ATTR void VKAPI_CALL CmdBeginDebugUtilsLabelEXT(VkCommandBuffer handle, const VkDebugUtilsLabelEXT*) {
  Recorded(handle, "vkCmdBeginDebugUtilsLabelEXT");
}

VKAPI_ATTR void VKAPI_CALL CmdEndDebugUtilsLabelEXT(VkCommandBuffer handle) {
  Recorded(handle, "vkCmdEndDebugUtilsLabelEXT");
}

}  // namespace shaderqa::null_driver
