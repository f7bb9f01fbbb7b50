// SPDX-License-Identifier: Apache-2.0
// The one list of what the driver implements: from it come the declarations and the table of vkGet*ProcAddr.
#ifndef SHADERQA_TESTS_NULL_DRIVER_COMMANDS_H
#define SHADERQA_TESTS_NULL_DRIVER_COMMANDS_H

#include <vulkan/vulkan_core.h>

#include <string>
#include <type_traits>
#include <vector>

#include "layer/vk/newer_commands.h"

namespace shaderqa::null_driver {

#define NULL_DRIVER_GLOBAL(COMMAND)             \
  COMMAND(CreateInstance)                       \
  COMMAND(EnumerateInstanceVersion)             \
  COMMAND(EnumerateInstanceExtensionProperties) \
  COMMAND(EnumerateInstanceLayerProperties)     \
  COMMAND(GetInstanceProcAddr)

#define NULL_DRIVER_INSTANCE(COMMAND) \
  COMMAND(DestroyInstance)            \
  COMMAND(EnumeratePhysicalDevices)

#define NULL_DRIVER_PHYSICAL_DEVICE(COMMAND)      \
  COMMAND(CreateDevice)                           \
  COMMAND(GetDeviceProcAddr)                      \
  COMMAND(EnumerateDeviceExtensionProperties)     \
  COMMAND(EnumerateDeviceLayerProperties)         \
  COMMAND(GetPhysicalDeviceFeatures)              \
  COMMAND(GetPhysicalDeviceProperties)            \
  COMMAND(GetPhysicalDeviceFormatProperties)      \
  COMMAND(GetPhysicalDeviceImageFormatProperties) \
  COMMAND(GetPhysicalDeviceQueueFamilyProperties) \
  COMMAND(GetPhysicalDeviceMemoryProperties)      \
  COMMAND(GetPhysicalDeviceDescriptorSizeEXT)     \
  COMMAND(GetPhysicalDeviceSparseImageFormatProperties)

#define NULL_DRIVER_DEVICE(COMMAND)     \
  COMMAND(DestroyDevice)                \
  COMMAND(GetDeviceQueue)               \
  COMMAND(GetDeviceQueue2)              \
  COMMAND(DeviceWaitIdle)               \
  COMMAND(QueueWaitIdle)                \
  COMMAND(QueueSubmit)                  \
  COMMAND(QueueBindSparse)              \
  COMMAND(AllocateMemory)               \
  COMMAND(FreeMemory)                   \
  COMMAND(MapMemory)                    \
  COMMAND(UnmapMemory)                  \
  COMMAND(FlushMappedMemoryRanges)      \
  COMMAND(InvalidateMappedMemoryRanges) \
  COMMAND(CreateBuffer)                 \
  COMMAND(DestroyBuffer)                \
  COMMAND(GetBufferMemoryRequirements)  \
  COMMAND(BindBufferMemory)             \
  COMMAND(CreateImage)                  \
  COMMAND(DestroyImage)                 \
  COMMAND(GetImageMemoryRequirements)   \
  COMMAND(BindImageMemory)              \
  COMMAND(CreateImageView)              \
  COMMAND(DestroyImageView)             \
  COMMAND(CreateFramebuffer)            \
  COMMAND(DestroyFramebuffer)           \
  COMMAND(CreateShaderModule)           \
  COMMAND(DestroyShaderModule)          \
  COMMAND(CreateComputePipelines)       \
  COMMAND(CreateGraphicsPipelines)      \
  COMMAND(DestroyPipeline)              \
  COMMAND(CreatePipelineLayout)         \
  COMMAND(DestroyPipelineLayout)        \
  COMMAND(CreatePipelineCache)          \
  COMMAND(DestroyPipelineCache)         \
  COMMAND(GetPipelineCacheData)         \
  COMMAND(CreateDescriptorSetLayout)    \
  COMMAND(DestroyDescriptorSetLayout)   \
  COMMAND(CreateFence)                  \
  COMMAND(DestroyFence)                 \
  COMMAND(ResetFences)                  \
  COMMAND(GetFenceStatus)               \
  COMMAND(WaitForFences)                \
  COMMAND(CreateSemaphore)              \
  COMMAND(DestroySemaphore)             \
  COMMAND(CreateSampler)                \
  COMMAND(DestroySampler)               \
  COMMAND(CreateQueryPool)              \
  COMMAND(DestroyQueryPool)             \
  COMMAND(GetQueryPoolResults)          \
  COMMAND(CreateCommandPool)            \
  COMMAND(DestroyCommandPool)           \
  COMMAND(AllocateCommandBuffers)       \
  COMMAND(FreeCommandBuffers)           \
  COMMAND(BeginCommandBuffer)           \
  COMMAND(EndCommandBuffer)             \
  COMMAND(CmdBindPipeline)              \
  COMMAND(CmdDispatch)                  \
  COMMAND(ResetCommandPool)             \
  COMMAND(ResetCommandBuffer)           \
  COMMAND(CmdBindDescriptorSets)        \
  COMMAND(CmdPushConstants)             \
  COMMAND(CmdDispatchIndirect)          \
  COMMAND(CmdDraw)                      \
  COMMAND(CmdBindIndexBuffer)           \
  COMMAND(CmdBindVertexBuffers)         \
  COMMAND(CmdDrawIndexed)               \
  COMMAND(CmdDrawIndirect)              \
  COMMAND(CmdDrawIndexedIndirect)       \
  COMMAND(CmdFillBuffer)                \
  COMMAND(CmdUpdateBuffer)              \
  COMMAND(CmdCopyBuffer)                \
  COMMAND(CmdCopyImage)                 \
  COMMAND(CmdCopyImageToBuffer)         \
  COMMAND(CmdCopyBufferToImage)         \
  COMMAND(CmdBlitImage)                 \
  COMMAND(CmdResolveImage)              \
  COMMAND(CmdClearColorImage)           \
  COMMAND(CmdClearDepthStencilImage)    \
  COMMAND(CmdBeginQuery)                \
  COMMAND(CmdEndQuery)                  \
  COMMAND(CmdResetQueryPool)            \
  COMMAND(CmdWriteTimestamp)            \
  COMMAND(CmdCopyQueryPoolResults)      \
  COMMAND(CmdSetEvent)                  \
  COMMAND(CmdWaitEvents)                \
  COMMAND(CmdPipelineBarrier)           \
  COMMAND(CmdExecuteCommands)           \
  COMMAND(CreateRenderPass)             \
  COMMAND(DestroyRenderPass)            \
  COMMAND(CmdBeginRenderPass)           \
  COMMAND(CmdNextSubpass)               \
  COMMAND(CmdEndRenderPass)             \
  COMMAND(CreateBufferView)             \
  COMMAND(DestroyBufferView)            \
  COMMAND(CreateDescriptorPool)         \
  COMMAND(DestroyDescriptorPool)        \
  COMMAND(ResetDescriptorPool)          \
  COMMAND(AllocateDescriptorSets)       \
  COMMAND(FreeDescriptorSets)           \
  COMMAND(UpdateDescriptorSets)

// COMMAND(core name, name in the extension, version of the core, extension)
#define NULL_DRIVER_PROMOTED_PHYSICAL_DEVICE(COMMAND)                                             \
  COMMAND(GetPhysicalDeviceFeatures2, GetPhysicalDeviceFeatures2KHR, 1,                           \
          "VK_KHR_get_physical_device_properties2")                                               \
  COMMAND(GetPhysicalDeviceProperties2, GetPhysicalDeviceProperties2KHR, 1,                       \
          "VK_KHR_get_physical_device_properties2")                                               \
  COMMAND(GetPhysicalDeviceMemoryProperties2, GetPhysicalDeviceMemoryProperties2KHR, 1,           \
          "VK_KHR_get_physical_device_properties2")                                               \
  COMMAND(GetPhysicalDeviceQueueFamilyProperties2, GetPhysicalDeviceQueueFamilyProperties2KHR, 1, \
          "VK_KHR_get_physical_device_properties2")

#define NULL_DRIVER_PROMOTED_DEVICE(COMMAND)                                                                 \
  COMMAND(BindBufferMemory2, BindBufferMemory2KHR, 1, "VK_KHR_bind_memory2")                                 \
  COMMAND(CreateDescriptorUpdateTemplate, CreateDescriptorUpdateTemplateKHR, 1,                              \
          "VK_KHR_descriptor_update_template")                                                               \
  COMMAND(DestroyDescriptorUpdateTemplate, DestroyDescriptorUpdateTemplateKHR, 1,                            \
          "VK_KHR_descriptor_update_template")                                                               \
  COMMAND(UpdateDescriptorSetWithTemplate, UpdateDescriptorSetWithTemplateKHR, 1,                            \
          "VK_KHR_descriptor_update_template")                                                               \
  COMMAND(GetDeviceBufferMemoryRequirements, GetDeviceBufferMemoryRequirementsKHR, 3, "VK_KHR_maintenance4") \
  COMMAND(GetBufferDeviceAddress, GetBufferDeviceAddressKHR, 2, "VK_KHR_buffer_device_address")              \
  COMMAND(WaitSemaphores, WaitSemaphoresKHR, 2, "VK_KHR_timeline_semaphore")                                 \
  COMMAND(SignalSemaphore, SignalSemaphoreKHR, 2, "VK_KHR_timeline_semaphore")                               \
  COMMAND(GetSemaphoreCounterValue, GetSemaphoreCounterValueKHR, 2, "VK_KHR_timeline_semaphore")             \
  COMMAND(CmdDispatchBase, CmdDispatchBaseKHR, 1, "VK_KHR_device_group")                                     \
  COMMAND(CmdDrawIndirectCount, CmdDrawIndirectCountKHR, 2, "VK_KHR_draw_indirect_count")                    \
  COMMAND(CmdDrawIndexedIndirectCount, CmdDrawIndexedIndirectCountKHR, 2, "VK_KHR_draw_indirect_count")      \
  COMMAND(CmdCopyBuffer2, CmdCopyBuffer2KHR, 3, "VK_KHR_copy_commands2")                                     \
  COMMAND(CmdCopyImage2, CmdCopyImage2KHR, 3, "VK_KHR_copy_commands2")                                       \
  COMMAND(CmdCopyImageToBuffer2, CmdCopyImageToBuffer2KHR, 3, "VK_KHR_copy_commands2")                       \
  COMMAND(CmdCopyBufferToImage2, CmdCopyBufferToImage2KHR, 3, "VK_KHR_copy_commands2")                       \
  COMMAND(CmdBlitImage2, CmdBlitImage2KHR, 3, "VK_KHR_copy_commands2")                                       \
  COMMAND(CmdResolveImage2, CmdResolveImage2KHR, 3, "VK_KHR_copy_commands2")                                 \
  COMMAND(CmdBindVertexBuffers2, CmdBindVertexBuffers2EXT, 3, "VK_EXT_extended_dynamic_state")               \
  COMMAND(CmdPipelineBarrier2, CmdPipelineBarrier2KHR, 3, "VK_KHR_synchronization2")                         \
  COMMAND(CmdBeginRendering, CmdBeginRenderingKHR, 3, "VK_KHR_dynamic_rendering")                            \
  COMMAND(CmdEndRendering, CmdEndRenderingKHR, 3, "VK_KHR_dynamic_rendering")                                \
  COMMAND(QueueSubmit2, QueueSubmit2KHR, 3, "VK_KHR_synchronization2")                                       \
  COMMAND(CreateRenderPass2, CreateRenderPass2KHR, 2, "VK_KHR_create_renderpass2")                           \
  COMMAND(CmdBeginRenderPass2, CmdBeginRenderPass2KHR, 2, "VK_KHR_create_renderpass2")                       \
  COMMAND(CmdNextSubpass2, CmdNextSubpass2KHR, 2, "VK_KHR_create_renderpass2")                               \
  COMMAND(CmdEndRenderPass2, CmdEndRenderPass2KHR, 2, "VK_KHR_create_renderpass2")                           \
  COMMAND(CmdPushDescriptorSet, CmdPushDescriptorSetKHR, 4, "VK_KHR_push_descriptor")                        \
  COMMAND(CmdPushDescriptorSetWithTemplate, CmdPushDescriptorSetWithTemplateKHR, 4,                          \
          "VK_KHR_push_descriptor")                                                                          \
  COMMAND(CmdBindDescriptorSets2, CmdBindDescriptorSets2KHR, 4, "VK_KHR_maintenance6")                       \
  COMMAND(CmdPushConstants2, CmdPushConstants2KHR, 4, "VK_KHR_maintenance6")                                 \
  COMMAND(CmdPushDescriptorSet2, CmdPushDescriptorSet2KHR, 4, "VK_KHR_maintenance6")                         \
  COMMAND(CmdPushDescriptorSetWithTemplate2, CmdPushDescriptorSetWithTemplate2KHR, 4, "VK_KHR_maintenance6") \
  COMMAND(CopyMemoryToImage, CopyMemoryToImageEXT, 4, "VK_EXT_host_image_copy")                              \
  COMMAND(CopyImageToMemory, CopyImageToMemoryEXT, 4, "VK_EXT_host_image_copy")                              \
  COMMAND(CopyImageToImage, CopyImageToImageEXT, 4, "VK_EXT_host_image_copy")                                \
  COMMAND(TransitionImageLayout, TransitionImageLayoutEXT, 4, "VK_EXT_host_image_copy")

#define NULL_DRIVER_EXTENSION(COMMAND)                                                \
  COMMAND(CmdBindIndexBuffer3KHR, "VK_KHR_device_address_commands")                   \
  COMMAND(CmdBindVertexBuffers3KHR, "VK_KHR_device_address_commands")                 \
  COMMAND(CmdDrawIndirect2KHR, "VK_KHR_device_address_commands")                      \
  COMMAND(CmdDrawIndexedIndirect2KHR, "VK_KHR_device_address_commands")               \
  COMMAND(CmdDrawIndirectCount2KHR, "VK_KHR_device_address_commands")                 \
  COMMAND(CmdDrawIndexedIndirectCount2KHR, "VK_KHR_device_address_commands")          \
  COMMAND(CmdDrawMeshTasksIndirect2EXT, "VK_KHR_device_address_commands")             \
  COMMAND(CmdDrawMeshTasksIndirectCount2EXT, "VK_KHR_device_address_commands")        \
  COMMAND(CmdDispatchIndirect2KHR, "VK_KHR_device_address_commands")                  \
  COMMAND(CmdCopyMemoryKHR, "VK_KHR_device_address_commands")                         \
  COMMAND(CmdCopyMemoryToImageKHR, "VK_KHR_device_address_commands")                  \
  COMMAND(CmdCopyImageToMemoryKHR, "VK_KHR_device_address_commands")                  \
  COMMAND(CmdUpdateMemoryKHR, "VK_KHR_device_address_commands")                       \
  COMMAND(CmdFillMemoryKHR, "VK_KHR_device_address_commands")                         \
  COMMAND(CmdCopyQueryPoolResultsToMemoryKHR, "VK_KHR_device_address_commands")       \
  COMMAND(CmdBeginConditionalRendering2EXT, "VK_KHR_device_address_commands")         \
  COMMAND(CmdBeginTransformFeedback2EXT, "VK_KHR_device_address_commands")            \
  COMMAND(CmdEndTransformFeedback2EXT, "VK_KHR_device_address_commands")              \
  COMMAND(CmdDrawIndirectByteCount2EXT, "VK_KHR_device_address_commands")             \
  COMMAND(CreateAccelerationStructure2KHR, "VK_KHR_device_address_commands")          \
  COMMAND(CmdEndRendering2KHR, "VK_KHR_maintenance10")                                \
  COMMAND(CmdWriteBufferMarkerAMD, "VK_AMD_buffer_marker")                            \
  COMMAND(GetFenceFdKHR, "VK_KHR_external_fence_fd")                                  \
  COMMAND(ImportFenceFdKHR, "VK_KHR_external_fence_fd")                               \
  COMMAND(GetSemaphoreFdKHR, "VK_KHR_external_semaphore_fd")                          \
  COMMAND(ImportSemaphoreFdKHR, "VK_KHR_external_semaphore_fd")                       \
  COMMAND(WaitForPresentKHR, "VK_KHR_present_wait")                                   \
  COMMAND(WaitForPresent2KHR, "VK_KHR_present_wait2")                                 \
  COMMAND(CmdDecompressMemoryNV, "VK_NV_memory_decompression")                        \
  COMMAND(CmdDispatchTileQCOM, "VK_QCOM_tile_shading")                                \
  COMMAND(GetMemoryHostPointerPropertiesEXT, "VK_EXT_external_memory_host")           \
  COMMAND(GetMemoryFdKHR, "VK_KHR_external_memory_fd")                                \
  COMMAND(GetDescriptorEXT, "VK_EXT_descriptor_buffer")                               \
  COMMAND(GetDescriptorSetLayoutBindingOffsetEXT, "VK_EXT_descriptor_buffer")         \
  COMMAND(CmdBindDescriptorBuffersEXT, "VK_EXT_descriptor_buffer")                    \
  COMMAND(CmdSetDescriptorBufferOffsetsEXT, "VK_EXT_descriptor_buffer")               \
  COMMAND(CmdSetDescriptorBufferOffsets2EXT, "VK_EXT_descriptor_buffer")              \
  COMMAND(WriteResourceDescriptorsEXT, "VK_EXT_descriptor_heap")                      \
  COMMAND(WriteSamplerDescriptorsEXT, "VK_EXT_descriptor_heap")                       \
  COMMAND(CmdBindResourceHeapEXT, "VK_EXT_descriptor_heap")                           \
  COMMAND(CmdBindSamplerHeapEXT, "VK_EXT_descriptor_heap")                            \
  COMMAND(CmdPushDataEXT, "VK_EXT_descriptor_heap")                                   \
  COMMAND(CreateShadersEXT, "VK_EXT_shader_object")                                   \
  COMMAND(DestroyShaderEXT, "VK_EXT_shader_object")                                   \
  COMMAND(CmdBindShadersEXT, "VK_EXT_shader_object")                                  \
  COMMAND(GetShaderBinaryDataEXT, "VK_EXT_shader_object")                             \
  COMMAND(CreateRayTracingPipelinesKHR, "VK_KHR_ray_tracing_pipeline")                \
  COMMAND(CmdSetRayTracingPipelineStackSizeKHR, "VK_KHR_ray_tracing_pipeline")        \
  COMMAND(GetRayTracingShaderGroupStackSizeKHR, "VK_KHR_ray_tracing_pipeline")        \
  COMMAND(CmdTraceRaysKHR, "VK_KHR_ray_tracing_pipeline")                             \
  COMMAND(CmdTraceRaysIndirectKHR, "VK_KHR_ray_tracing_pipeline")                     \
  COMMAND(CreateRayTracingPipelinesNV, "VK_NV_ray_tracing")                           \
  COMMAND(CreateAccelerationStructureKHR, "VK_KHR_acceleration_structure")            \
  COMMAND(DestroyAccelerationStructureKHR, "VK_KHR_acceleration_structure")           \
  COMMAND(GetAccelerationStructureBuildSizesKHR, "VK_KHR_acceleration_structure")     \
  COMMAND(CmdBuildAccelerationStructuresKHR, "VK_KHR_acceleration_structure")         \
  COMMAND(CmdBuildAccelerationStructuresIndirectKHR, "VK_KHR_acceleration_structure") \
  COMMAND(CmdCopyAccelerationStructureKHR, "VK_KHR_acceleration_structure")           \
  COMMAND(CmdCopyAccelerationStructureToMemoryKHR, "VK_KHR_acceleration_structure")   \
  COMMAND(CmdCopyMemoryToAccelerationStructureKHR, "VK_KHR_acceleration_structure")   \
  COMMAND(CreateDeferredOperationKHR, "VK_KHR_deferred_host_operations")              \
  COMMAND(DestroyDeferredOperationKHR, "VK_KHR_deferred_host_operations")             \
  COMMAND(DeferredOperationJoinKHR, "VK_KHR_deferred_host_operations")                \
  COMMAND(GetDeferredOperationResultKHR, "VK_KHR_deferred_host_operations")           \
  COMMAND(GetDeferredOperationMaxConcurrencyKHR, "VK_KHR_deferred_host_operations")   \
  COMMAND(CreateIndirectCommandsLayoutEXT, "VK_EXT_device_generated_commands")        \
  COMMAND(DestroyIndirectCommandsLayoutEXT, "VK_EXT_device_generated_commands")       \
  COMMAND(CmdExecuteGeneratedCommandsEXT, "VK_EXT_device_generated_commands")         \
  COMMAND(CmdBindPipelineShaderGroupNV, "VK_NV_device_generated_commands")            \
  COMMAND(CmdDrawClusterHUAWEI, "VK_HUAWEI_cluster_culling_shader")                   \
  COMMAND(CmdDrawClusterIndirectHUAWEI, "VK_HUAWEI_cluster_culling_shader")           \
  COMMAND(CmdBeginTransformFeedbackEXT, "VK_EXT_transform_feedback")                  \
  COMMAND(CmdEndTransformFeedbackEXT, "VK_EXT_transform_feedback")                    \
  COMMAND(CmdDrawIndirectByteCountEXT, "VK_EXT_transform_feedback")                   \
  COMMAND(CmdSetVertexInputEXT, "VK_EXT_vertex_input_dynamic_state")                  \
  COMMAND(CmdDrawMultiEXT, "VK_EXT_multi_draw")                                       \
  COMMAND(CmdDrawMultiIndexedEXT, "VK_EXT_multi_draw")                                \
  COMMAND(CreateSwapchainKHR, "VK_KHR_swapchain")                                     \
  COMMAND(DestroySwapchainKHR, "VK_KHR_swapchain")                                    \
  COMMAND(GetSwapchainImagesKHR, "VK_KHR_swapchain")                                  \
  COMMAND(QueuePresentKHR, "VK_KHR_swapchain")                                        \
  COMMAND(AcquireNextImageKHR, "VK_KHR_swapchain")                                    \
  COMMAND(AcquireNextImage2KHR, "VK_KHR_swapchain")                                   \
  COMMAND(CmdBeginConditionalRenderingEXT, "VK_EXT_conditional_rendering")            \
  COMMAND(CmdEndConditionalRenderingEXT, "VK_EXT_conditional_rendering")              \
  COMMAND(CmdBeginDebugUtilsLabelEXT, "VK_EXT_debug_utils")                           \
  COMMAND(CmdEndDebugUtilsLabelEXT, "VK_EXT_debug_utils")                             \
  COMMAND(SetDebugUtilsObjectNameEXT, "VK_EXT_debug_utils")

#define NULL_DRIVER_DECLARE(command, ...) std::remove_pointer_t<PFN_vk##command> command;
NULL_DRIVER_GLOBAL(NULL_DRIVER_DECLARE)
NULL_DRIVER_INSTANCE(NULL_DRIVER_DECLARE)
NULL_DRIVER_PHYSICAL_DEVICE(NULL_DRIVER_DECLARE)
NULL_DRIVER_DEVICE(NULL_DRIVER_DECLARE)
NULL_DRIVER_PROMOTED_PHYSICAL_DEVICE(NULL_DRIVER_DECLARE)
NULL_DRIVER_PROMOTED_DEVICE(NULL_DRIVER_DECLARE)
NULL_DRIVER_EXTENSION(NULL_DRIVER_DECLARE)
#undef NULL_DRIVER_DECLARE

enum class Level { global, instance, physical_device, device };

struct Command {
  std::string name;
  PFN_vkVoidFunction function;
  Level level;
  uint32_t version;       // there from this version of the core on; UINT32_MAX: never
  const char* extension;  // or with this extension; may be null
};
const std::vector<Command>& commands();
const Command* find_command(const char* name);

}  // namespace shaderqa::null_driver
#endif
