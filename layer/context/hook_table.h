// SPDX-License-Identifier: Apache-2.0
// The one list of Vulkan commands that this layer intercepts or calls. From it come the tables of the next
// layer's commands, the declarations of the hooks (so a hook with a wrong signature does not compile), and
// the table by which vkGet*ProcAddr finds hooks.
#ifndef SHADERQA_LAYER_CONTEXT_HOOK_TABLE_H
#define SHADERQA_LAYER_CONTEXT_HOOK_TABLE_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <type_traits>

#include "layer/vk/newer_commands.h"

namespace shaderqa::layer {

// Which hooks a device or instance needs. Commands of other groups are not intercepted at all.
enum HookGroup : uint32_t {
  kHookAlways = 1u << 0,   // creates and destroys the objects that the layer keeps state for
  kHookShaders = 1u << 1,  // sees shaders, to instrument them or to note why they are not
  kHookPrintf = 1u << 2,   // makes instrumented pipelines, prints and reports
  kHookSync = 1u << 3,     // sees descriptors, command buffers, submissions
  kHookOrder =
      1u << 4,  // sees what orders work (semaphores, fences, events) and what transfers and builds access
  kHookMemoryUse = 1u << 5,  // sees all other commands that use memory
  kHookHostReads = 1u << 6,  // sees which memory the host may read
  kHookVersions = 1u << 7,   // makes pipelines in two versions, and keeps what the second one needs
  kHookCommands =
      1u << 8,            // sees command buffers and actions, of which a part is checked, or which are traced
  kHookImages = 1u << 9,  // sees images, their memory and their views
  kHookBuffers = 1u << 10,  // sees buffers and their memory
  kHookActions = kHookSync | kHookCommands,
};

// HOOK(command, group). Aliases share the hook, and the table's entry if the core command is missing.
#define SHADERQA_DEVICE_HOOKS(HOOK)                             \
  HOOK(DestroyDevice, kHookAlways)                              \
  HOOK(CreateShaderModule, kHookShaders)                        \
  HOOK(DestroyShaderModule, kHookShaders)                       \
  HOOK(CreateShadersEXT, kHookShaders)                          \
  HOOK(DestroyShaderEXT, kHookPrintf)                           \
  HOOK(GetShaderBinaryDataEXT, kHookPrintf)                     \
  HOOK(CreateComputePipelines, kHookShaders)                    \
  HOOK(CreateGraphicsPipelines, kHookShaders)                   \
  HOOK(CreateRayTracingPipelinesKHR, kHookShaders)              \
  HOOK(CreateRayTracingPipelinesNV, kHookShaders)               \
  HOOK(DestroyPipeline, kHookPrintf)                            \
  HOOK(SetDebugUtilsObjectNameEXT, kHookShaders)                \
  HOOK(QueueSubmit, kHookPrintf)                                \
  HOOK(QueueSubmit2, kHookPrintf)                               \
  HOOK(QueueBindSparse, kHookPrintf)                            \
  HOOK(QueuePresentKHR, kHookPrintf)                            \
  HOOK(QueueWaitIdle, kHookPrintf)                              \
  HOOK(DeviceWaitIdle, kHookPrintf)                             \
  HOOK(WaitForFences, kHookPrintf)                              \
  HOOK(GetFenceStatus, kHookPrintf)                             \
  HOOK(WaitSemaphores, kHookPrintf)                             \
  HOOK(GetSemaphoreCounterValue, kHookPrintf)                   \
  HOOK(GetQueryPoolResults, kHookPrintf)                        \
  HOOK(AcquireNextImageKHR, kHookPrintf)                        \
  HOOK(AcquireNextImage2KHR, kHookPrintf)                       \
  HOOK(CreateBuffer, kHookBuffers)                              \
  HOOK(DestroyBuffer, kHookBuffers)                             \
  HOOK(BindBufferMemory, kHookBuffers)                          \
  HOOK(BindBufferMemory2, kHookBuffers)                         \
  HOOK(AllocateMemory, kHookBuffers | kHookImages)              \
  HOOK(FreeMemory, kHookBuffers | kHookImages)                  \
  HOOK(GetMemoryFdKHR, kHookImages)                             \
  HOOK(GetMemoryRemoteAddressNV, kHookImages)                   \
  HOOK(GetDeviceBufferMemoryRequirements, kHookBuffers)         \
  HOOK(MapMemory, kHookHostReads)                               \
  HOOK(MapMemory2, kHookHostReads)                              \
  HOOK(UnmapMemory, kHookHostReads)                             \
  HOOK(UnmapMemory2, kHookHostReads)                            \
  HOOK(InvalidateMappedMemoryRanges, kHookHostReads)            \
  HOOK(CreateBufferView, kHookSync)                             \
  HOOK(DestroyBufferView, kHookSync)                            \
  HOOK(CreateDescriptorSetLayout, kHookSync | kHookVersions)    \
  HOOK(DestroyDescriptorSetLayout, kHookSync | kHookVersions)   \
  HOOK(CreatePipelineLayout, kHookSync | kHookVersions)         \
  HOOK(DestroyPipelineLayout, kHookSync | kHookVersions)        \
  HOOK(CreateIndirectCommandsLayoutEXT, kHookSync)              \
  HOOK(CreateSampler, kHookVersions | kHookImages)              \
  HOOK(DestroySampler, kHookVersions)                           \
  HOOK(CreateDescriptorPool, kHookSync)                         \
  HOOK(DestroyDescriptorPool, kHookSync)                        \
  HOOK(ResetDescriptorPool, kHookSync)                          \
  HOOK(AllocateDescriptorSets, kHookSync)                       \
  HOOK(FreeDescriptorSets, kHookSync)                           \
  HOOK(UpdateDescriptorSets, kHookSync)                         \
  HOOK(CreateDescriptorUpdateTemplate, kHookSync)               \
  HOOK(DestroyDescriptorUpdateTemplate, kHookSync)              \
  HOOK(UpdateDescriptorSetWithTemplate, kHookSync)              \
  HOOK(GetDescriptorEXT, kHookSync)                             \
  HOOK(WriteResourceDescriptorsEXT, kHookSync)                  \
  HOOK(WriteSamplerDescriptorsEXT, kHookImages)                 \
  HOOK(CreateCommandPool, kHookActions)                         \
  HOOK(DestroyCommandPool, kHookActions)                        \
  HOOK(ResetCommandPool, kHookActions)                          \
  HOOK(AllocateCommandBuffers, kHookActions)                    \
  HOOK(FreeCommandBuffers, kHookActions)                        \
  HOOK(BeginCommandBuffer, kHookActions)                        \
  HOOK(EndCommandBuffer, kHookActions)                          \
  HOOK(ResetCommandBuffer, kHookActions)                        \
  HOOK(CmdExecuteCommands, kHookActions)                        \
  HOOK(CmdBindPipeline, kHookSync | kHookVersions)              \
  HOOK(CmdBindPipelineShaderGroupNV, kHookSync | kHookVersions) \
  HOOK(CmdBindShadersEXT, kHookActions)                         \
  HOOK(CmdPushConstants, kHookSync)                             \
  HOOK(CmdPushConstants2, kHookSync)                            \
  HOOK(CmdBindDescriptorSets, kHookSync)                        \
  HOOK(CmdBindDescriptorSets2, kHookSync)                       \
  HOOK(CmdBindDescriptorBuffersEXT, kHookSync)                  \
  HOOK(CmdSetDescriptorBufferOffsetsEXT, kHookSync)             \
  HOOK(CmdSetDescriptorBufferOffsets2EXT, kHookSync)            \
  HOOK(CmdBindResourceHeapEXT, kHookSync)                       \
  HOOK(CmdBindSamplerHeapEXT, kHookSync)                        \
  HOOK(CmdPushDataEXT, kHookSync)                               \
  HOOK(CmdPushDescriptorSet, kHookSync)                         \
  HOOK(CmdPushDescriptorSet2, kHookSync)                        \
  HOOK(CmdPushDescriptorSetWithTemplate, kHookSync)             \
  HOOK(CmdPushDescriptorSetWithTemplate2, kHookSync)            \
  HOOK(CmdDraw, kHookActions)                                   \
  HOOK(CmdDrawIndexed, kHookActions)                            \
  HOOK(CmdDrawMultiEXT, kHookActions)                           \
  HOOK(CmdDrawMultiIndexedEXT, kHookActions)                    \
  HOOK(CmdDrawIndirect, kHookActions)                           \
  HOOK(CmdDrawIndexedIndirect, kHookActions)                    \
  HOOK(CmdDrawIndirectCount, kHookActions)                      \
  HOOK(CmdDrawIndexedIndirectCount, kHookActions)               \
  HOOK(CmdDrawIndirectByteCountEXT, kHookActions)               \
  HOOK(CmdDrawMeshTasksEXT, kHookActions)                       \
  HOOK(CmdDrawMeshTasksIndirectEXT, kHookActions)               \
  HOOK(CmdDrawMeshTasksIndirectCountEXT, kHookActions)          \
  HOOK(CmdDrawMeshTasksNV, kHookActions)                        \
  HOOK(CmdDrawMeshTasksIndirectNV, kHookActions)                \
  HOOK(CmdDrawMeshTasksIndirectCountNV, kHookActions)           \
  HOOK(CmdDrawClusterHUAWEI, kHookActions)                      \
  HOOK(CmdDrawClusterIndirectHUAWEI, kHookActions)              \
  HOOK(CmdBeginTransformFeedbackEXT, kHookActions)              \
  HOOK(CmdEndTransformFeedbackEXT, kHookActions)                \
  HOOK(CmdDispatch, kHookActions)                               \
  HOOK(CmdDispatchBase, kHookActions)                           \
  HOOK(CmdDispatchIndirect, kHookActions)                       \
  HOOK(CmdDispatchTileQCOM, kHookActions)                       \
  HOOK(CmdTraceRaysKHR, kHookActions)                           \
  HOOK(CmdTraceRaysIndirectKHR, kHookActions)                   \
  HOOK(CmdTraceRaysIndirect2KHR, kHookActions)                  \
  HOOK(CmdTraceRaysNV, kHookActions)                            \
  HOOK(CmdExecuteGeneratedCommandsEXT, kHookActions)            \
  HOOK(CmdExecuteGeneratedCommandsNV, kHookActions)             \
  HOOK(CmdPipelineBarrier, kHookSync)                           \
  HOOK(CmdPipelineBarrier2, kHookSync)                          \
  HOOK(CmdWaitEvents, kHookSync)                                \
  HOOK(CmdWaitEvents2, kHookSync)                               \
  HOOK(CreateRenderPass, kHookSync | kHookVersions)             \
  HOOK(CreateRenderPass2, kHookSync | kHookVersions)            \
  HOOK(DestroyRenderPass, kHookSync | kHookVersions)            \
  HOOK(CmdBeginRenderPass, kHookSync)                           \
  HOOK(CmdBeginRenderPass2, kHookSync)                          \
  HOOK(CmdNextSubpass, kHookSync)                               \
  HOOK(CmdNextSubpass2, kHookSync)                              \
  HOOK(CmdEndRenderPass, kHookSync)                             \
  HOOK(CmdEndRenderPass2, kHookSync)                            \
  HOOK(CmdBeginRendering, kHookSync)                            \
  HOOK(CmdEndRendering, kHookSync)                              \
  HOOK(CmdEndRendering2KHR, kHookSync)                          \
  HOOK(CmdBeginDebugUtilsLabelEXT, kHookActions)                \
  HOOK(CmdEndDebugUtilsLabelEXT, kHookActions)                  \
  HOOK(QueueBeginDebugUtilsLabelEXT, kHookActions)              \
  HOOK(QueueEndDebugUtilsLabelEXT, kHookActions)                \
  HOOK(GetEventStatus, kHookSync)                               \
  HOOK(GetDeviceQueue, kHookActions)                            \
  HOOK(GetDeviceQueue2, kHookActions)                           \
  HOOK(CmdSetEvent, kHookOrder)                                 \
  HOOK(CmdSetEvent2, kHookOrder)                                \
  HOOK(CreateSemaphore, kHookOrder)                             \
  HOOK(DestroySemaphore, kHookOrder)                            \
  HOOK(SignalSemaphore, kHookOrder)                             \
  HOOK(GetFenceFdKHR, kHookOrder)                               \
  HOOK(ImportFenceFdKHR, kHookOrder)                            \
  HOOK(GetSemaphoreFdKHR, kHookOrder)                           \
  HOOK(ImportSemaphoreFdKHR, kHookOrder)                        \
  HOOK(WaitForPresentKHR, kHookOrder)                           \
  HOOK(WaitForPresent2KHR, kHookOrder)                          \
  HOOK(DestroyFence, kHookOrder)                                \
  HOOK(CmdCopyBuffer, kHookOrder)                               \
  HOOK(CmdCopyBuffer2, kHookOrder)                              \
  HOOK(CmdFillBuffer, kHookOrder)                               \
  HOOK(CmdUpdateBuffer, kHookOrder)                             \
  HOOK(CmdCopyImageToBuffer, kHookOrder)                        \
  HOOK(CmdCopyImageToBuffer2, kHookOrder)                       \
  HOOK(CmdCopyBufferToImage, kHookOrder)                        \
  HOOK(CmdCopyBufferToImage2, kHookOrder)                       \
  HOOK(CmdCopyQueryPoolResults, kHookOrder)                     \
  HOOK(CreateSwapchainKHR, kHookOrder)                          \
  HOOK(DestroySwapchainKHR, kHookOrder)                         \
  HOOK(GetSwapchainImagesKHR, kHookOrder)                       \
  HOOK(CreateImage, kHookOrder)                                 \
  HOOK(DestroyImage, kHookOrder)                                \
  HOOK(BindImageMemory, kHookImages)                            \
  HOOK(BindImageMemory2, kHookImages)                           \
  HOOK(CreateImageView, kHookImages)                            \
  HOOK(DestroyImageView, kHookImages)                           \
  HOOK(CreateFramebuffer, kHookImages)                          \
  HOOK(DestroyFramebuffer, kHookImages)                         \
  HOOK(CmdBindIndexBuffer, kHookOrder)                          \
  HOOK(CmdBindIndexBuffer2, kHookOrder)                         \
  HOOK(CmdBindVertexBuffers, kHookOrder)                        \
  HOOK(CmdBindVertexBuffers2, kHookOrder)                       \
  HOOK(CmdSetVertexInputEXT, kHookOrder)                        \
  HOOK(CreateAccelerationStructureKHR, kHookOrder)              \
  HOOK(DestroyAccelerationStructureKHR, kHookOrder)             \
  HOOK(CmdBuildAccelerationStructuresKHR, kHookOrder)           \
  HOOK(CmdBuildAccelerationStructuresIndirectKHR, kHookOrder)   \
  HOOK(CmdCopyAccelerationStructureKHR, kHookOrder)             \
  HOOK(CmdCopyAccelerationStructureToMemoryKHR, kHookOrder)     \
  HOOK(CmdCopyMemoryToAccelerationStructureKHR, kHookOrder)     \
  HOOK(CmdWriteAccelerationStructuresPropertiesKHR, kHookOrder) \
  HOOK(CmdBeginConditionalRenderingEXT, kHookOrder)             \
  HOOK(CmdEndConditionalRenderingEXT, kHookOrder)               \
  HOOK(CreateQueryPool, kHookOrder)                             \
  HOOK(DestroyQueryPool, kHookOrder)                            \
  HOOK(CmdBeginQuery, kHookOrder)                               \
  HOOK(CmdEndQuery, kHookOrder)                                 \
  HOOK(CmdBeginQueryIndexedEXT, kHookOrder)                     \
  HOOK(CmdEndQueryIndexedEXT, kHookOrder)                       \
  HOOK(CmdCopyImage, kHookMemoryUse | kHookImages)              \
  HOOK(CmdCopyImage2, kHookMemoryUse | kHookImages)             \
  HOOK(CmdBlitImage, kHookMemoryUse | kHookImages)              \
  HOOK(CmdBlitImage2, kHookMemoryUse | kHookImages)             \
  HOOK(CmdResolveImage, kHookMemoryUse | kHookImages)           \
  HOOK(CmdResolveImage2, kHookMemoryUse | kHookImages)          \
  HOOK(CmdClearColorImage, kHookMemoryUse | kHookImages)        \
  HOOK(CmdClearDepthStencilImage, kHookMemoryUse | kHookImages) \
  HOOK(CopyMemoryToImage, kHookImages)                          \
  HOOK(CopyImageToMemory, kHookImages)                          \
  HOOK(CopyImageToImage, kHookImages)                           \
  HOOK(TransitionImageLayout, kHookImages)                      \
  HOOK(CmdSetRayTracingPipelineStackSizeKHR, kHookPrintf)       \
  SHADERQA_ADDRESS_HOOKS(HOOK)

// VK_KHR_device_address_commands
#define SHADERQA_ADDRESS_HOOKS(HOOK)                    \
  HOOK(CmdDrawIndirect2KHR, kHookActions)               \
  HOOK(CmdDrawIndexedIndirect2KHR, kHookActions)        \
  HOOK(CmdDrawIndirectCount2KHR, kHookActions)          \
  HOOK(CmdDrawIndexedIndirectCount2KHR, kHookActions)   \
  HOOK(CmdDrawMeshTasksIndirect2EXT, kHookActions)      \
  HOOK(CmdDrawMeshTasksIndirectCount2EXT, kHookActions) \
  HOOK(CmdDrawIndirectByteCount2EXT, kHookActions)      \
  HOOK(CmdBeginTransformFeedback2EXT, kHookActions)     \
  HOOK(CmdEndTransformFeedback2EXT, kHookActions)       \
  HOOK(CmdDispatchIndirect2KHR, kHookActions)           \
  HOOK(CmdBindIndexBuffer3KHR, kHookOrder)              \
  HOOK(CmdBindVertexBuffers3KHR, kHookOrder)            \
  HOOK(CmdCopyMemoryKHR, kHookOrder)                    \
  HOOK(CmdCopyMemoryToImageKHR, kHookOrder)             \
  HOOK(CmdCopyImageToMemoryKHR, kHookOrder)             \
  HOOK(CmdUpdateMemoryKHR, kHookOrder)                  \
  HOOK(CmdFillMemoryKHR, kHookOrder)                    \
  HOOK(CmdCopyQueryPoolResultsToMemoryKHR, kHookOrder)  \
  HOOK(CmdBeginConditionalRendering2EXT, kHookOrder)    \
  HOOK(CreateAccelerationStructure2KHR, kHookOrder)

// Commands that access memory in ways that are not followed. Each is noted once when it is recorded
// (layer/recording/unfollowed_commands.cpp).
#define SHADERQA_UNFOLLOWED_COMMANDS(COMMAND)             \
  COMMAND(CmdBuildAccelerationStructureNV)                \
  COMMAND(CmdBuildClusterAccelerationStructureIndirectNV) \
  COMMAND(CmdBuildMicromapsEXT)                           \
  COMMAND(CmdBuildPartitionedAccelerationStructuresNV)    \
  COMMAND(CmdConvertCooperativeVectorMatrixNV)            \
  COMMAND(CmdCopyAccelerationStructureNV)                 \
  COMMAND(CmdCopyMemoryIndirectKHR)                       \
  COMMAND(CmdCopyMemoryIndirectNV)                        \
  COMMAND(CmdCopyMemoryToImageIndirectKHR)                \
  COMMAND(CmdCopyMemoryToImageIndirectNV)                 \
  COMMAND(CmdCopyMemoryToMicromapEXT)                     \
  COMMAND(CmdCopyMicromapEXT)                             \
  COMMAND(CmdCopyMicromapToMemoryEXT)                     \
  COMMAND(CmdCopyTensorARM)                               \
  COMMAND(CmdCuLaunchKernelNVX)                           \
  COMMAND(CmdDecodeVideoKHR)                              \
  COMMAND(CmdDecompressMemoryEXT)                         \
  COMMAND(CmdDecompressMemoryIndirectCountEXT)            \
  COMMAND(CmdDecompressMemoryIndirectCountNV)             \
  COMMAND(CmdDecompressMemoryNV)                          \
  COMMAND(CmdDispatchDataGraphARM)                        \
  COMMAND(CmdEncodeVideoKHR)                              \
  COMMAND(CmdOpticalFlowExecuteNV)                        \
  COMMAND(CmdPreprocessGeneratedCommandsEXT)              \
  COMMAND(CmdPreprocessGeneratedCommandsNV)               \
  COMMAND(CmdUpdatePipelineIndirectBufferNV)              \
  COMMAND(CmdWriteAccelerationStructuresPropertiesNV)     \
  COMMAND(CmdWriteBufferMarker2AMD)                       \
  COMMAND(CmdWriteBufferMarkerAMD)                        \
  COMMAND(CmdWriteMarkerToMemoryAMD)                      \
  COMMAND(CmdWriteMicromapsPropertiesEXT)

#define SHADERQA_DEVICE_HOOK_ALIASES(ALIAS)                                      \
  ALIAS(QueueSubmit2KHR, QueueSubmit2)                                           \
  ALIAS(MapMemory2KHR, MapMemory2)                                               \
  ALIAS(UnmapMemory2KHR, UnmapMemory2)                                           \
  ALIAS(WaitSemaphoresKHR, WaitSemaphores)                                       \
  ALIAS(GetSemaphoreCounterValueKHR, GetSemaphoreCounterValue)                   \
  ALIAS(BindBufferMemory2KHR, BindBufferMemory2)                                 \
  ALIAS(BindImageMemory2KHR, BindImageMemory2)                                   \
  ALIAS(GetDeviceBufferMemoryRequirementsKHR, GetDeviceBufferMemoryRequirements) \
  ALIAS(CreateDescriptorUpdateTemplateKHR, CreateDescriptorUpdateTemplate)       \
  ALIAS(DestroyDescriptorUpdateTemplateKHR, DestroyDescriptorUpdateTemplate)     \
  ALIAS(UpdateDescriptorSetWithTemplateKHR, UpdateDescriptorSetWithTemplate)     \
  ALIAS(CmdBindDescriptorSets2KHR, CmdBindDescriptorSets2)                       \
  ALIAS(CmdPushConstants2KHR, CmdPushConstants2)                                 \
  ALIAS(CmdPushDescriptorSetKHR, CmdPushDescriptorSet)                           \
  ALIAS(CmdPushDescriptorSet2KHR, CmdPushDescriptorSet2)                         \
  ALIAS(CmdPushDescriptorSetWithTemplateKHR, CmdPushDescriptorSetWithTemplate)   \
  ALIAS(CmdPushDescriptorSetWithTemplate2KHR, CmdPushDescriptorSetWithTemplate2) \
  ALIAS(CmdDrawIndirectCountKHR, CmdDrawIndirectCount)                           \
  ALIAS(CmdDrawIndirectCountAMD, CmdDrawIndirectCount)                           \
  ALIAS(CmdDrawIndexedIndirectCountKHR, CmdDrawIndexedIndirectCount)             \
  ALIAS(CmdDrawIndexedIndirectCountAMD, CmdDrawIndexedIndirectCount)             \
  ALIAS(CmdDispatchBaseKHR, CmdDispatchBase)                                     \
  ALIAS(CmdPipelineBarrier2KHR, CmdPipelineBarrier2)                             \
  ALIAS(CmdWaitEvents2KHR, CmdWaitEvents2)                                       \
  ALIAS(CmdSetEvent2KHR, CmdSetEvent2)                                           \
  ALIAS(SignalSemaphoreKHR, SignalSemaphore)                                     \
  ALIAS(CmdCopyBuffer2KHR, CmdCopyBuffer2)                                       \
  ALIAS(CmdBindIndexBuffer2KHR, CmdBindIndexBuffer2)                             \
  ALIAS(CmdBindVertexBuffers2EXT, CmdBindVertexBuffers2)                         \
  ALIAS(CmdCopyImageToBuffer2KHR, CmdCopyImageToBuffer2)                         \
  ALIAS(CmdCopyImage2KHR, CmdCopyImage2)                                         \
  ALIAS(CmdBlitImage2KHR, CmdBlitImage2)                                         \
  ALIAS(CmdResolveImage2KHR, CmdResolveImage2)                                   \
  ALIAS(CmdCopyBufferToImage2KHR, CmdCopyBufferToImage2)                         \
  ALIAS(CreateRenderPass2KHR, CreateRenderPass2)                                 \
  ALIAS(CmdBeginRenderPass2KHR, CmdBeginRenderPass2)                             \
  ALIAS(CmdNextSubpass2KHR, CmdNextSubpass2)                                     \
  ALIAS(CmdEndRenderPass2KHR, CmdEndRenderPass2)                                 \
  ALIAS(CmdBeginRenderingKHR, CmdBeginRendering)                                 \
  ALIAS(CopyMemoryToImageEXT, CopyMemoryToImage)                                 \
  ALIAS(CopyImageToMemoryEXT, CopyImageToMemory)                                 \
  ALIAS(CopyImageToImageEXT, CopyImageToImage)                                   \
  ALIAS(TransitionImageLayoutEXT, TransitionImageLayout)                         \
  ALIAS(CmdEndRendering2EXT, CmdEndRendering2KHR)                                \
  ALIAS(CmdEndRenderingKHR, CmdEndRendering)

#define SHADERQA_DEVICE_CALLS(CALL)            \
  CALL(GetBufferMemoryRequirements)            \
  CALL(GetImageMemoryRequirements)             \
  CALL(GetImageMemoryRequirements2)            \
  CALL(ResetFences)                            \
  CALL(CmdResetQueryPool)                      \
  CALL(CmdWriteTimestamp)                      \
  CALL(CreateFence)                            \
  CALL(GetBufferDeviceAddress)                 \
  CALL(GetDescriptorSetLayoutBindingOffsetEXT) \
  CALL(GetAccelerationStructureBuildSizesKHR)  \
  CALL(GetMemoryHostPointerPropertiesEXT)      \
  CALL(GetRayTracingShaderGroupStackSizeKHR)

#define SHADERQA_DEVICE_CALL_ALIASES(ALIAS)                \
  ALIAS(GetBufferDeviceAddressKHR, GetBufferDeviceAddress) \
  ALIAS(GetImageMemoryRequirements2KHR, GetImageMemoryRequirements2)

#define SHADERQA_INSTANCE_HOOKS(HOOK)                   \
  HOOK(DestroyInstance, kHookAlways)                    \
  HOOK(CreateDevice, kHookAlways)                       \
  HOOK(EnumerateDeviceExtensionProperties, kHookAlways) \
  HOOK(EnumerateDeviceLayerProperties, kHookAlways)     \
  HOOK(CreateDebugUtilsMessengerEXT, kHookShaders)      \
  HOOK(DestroyDebugUtilsMessengerEXT, kHookShaders)

#define SHADERQA_INSTANCE_CALLS(CALL)      \
  CALL(GetPhysicalDeviceProperties)        \
  CALL(GetPhysicalDeviceDescriptorSizeEXT) \
  CALL(GetPhysicalDeviceProperties2)       \
  CALL(GetPhysicalDeviceFeatures)          \
  CALL(GetPhysicalDeviceFeatures2)         \
  CALL(GetPhysicalDeviceMemoryProperties)  \
  CALL(GetPhysicalDeviceQueueFamilyProperties)

// Returned without asking the next layer, because they exist before any instance does.
#define SHADERQA_GLOBAL_HOOKS(HOOK)                       \
  HOOK(GetInstanceProcAddr, kHookAlways)                  \
  HOOK(CreateInstance, kHookAlways)                       \
  HOOK(EnumerateInstanceExtensionProperties, kHookAlways) \
  HOOK(EnumerateInstanceLayerProperties, kHookAlways)

namespace hooks {
#define SHADERQA_DECLARE(command, group) std::remove_pointer_t<PFN_vk##command> command;
SHADERQA_DEVICE_HOOKS(SHADERQA_DECLARE)
SHADERQA_INSTANCE_HOOKS(SHADERQA_DECLARE)
SHADERQA_GLOBAL_HOOKS(SHADERQA_DECLARE)
SHADERQA_DECLARE(GetDeviceProcAddr, kHookAlways)
#undef SHADERQA_DECLARE
#define SHADERQA_DECLARE(command) extern const PFN_vk##command command;
SHADERQA_UNFOLLOWED_COMMANDS(SHADERQA_DECLARE)
#undef SHADERQA_DECLARE
}  // namespace hooks

#define SHADERQA_MEMBER(command, ...) PFN_vk##command command = nullptr;

// The next layer's device commands. A command that it lacks is null.
struct DeviceCommands {
  SHADERQA_DEVICE_HOOKS(SHADERQA_MEMBER)
  SHADERQA_UNFOLLOWED_COMMANDS(SHADERQA_MEMBER)
  SHADERQA_DEVICE_CALLS(SHADERQA_MEMBER)
  void load(VkDevice device, PFN_vkGetDeviceProcAddr next);
};

struct InstanceCommands {
  SHADERQA_INSTANCE_HOOKS(SHADERQA_MEMBER)
  SHADERQA_INSTANCE_CALLS(SHADERQA_MEMBER)
  void load(VkInstance instance, PFN_vkGetInstanceProcAddr next);
};
#undef SHADERQA_MEMBER

// Null if there is no hook, or its group is not among `groups`.
PFN_vkVoidFunction find_global_hook(const char* name);
PFN_vkVoidFunction find_instance_hook(const char* name, uint32_t groups);
PFN_vkVoidFunction find_device_hook(const char* name, uint32_t groups);

}  // namespace shaderqa::layer
#endif
