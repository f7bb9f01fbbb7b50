// SPDX-License-Identifier: Apache-2.0
#include "tests/null_driver/features.h"

namespace shaderqa::null_driver {
namespace {

constexpr VkStructureType kNowhere = VK_STRUCTURE_TYPE_MAX_ENUM;

#define MEMBER(structure, name) \
  { #name, offsetof(structure, name) }

std::vector<FeatureStructure> make_structures() {
  std::vector<FeatureStructure> all;
  {
    using S = VkPhysicalDeviceVulkan11Features;
    all.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                   VK_API_VERSION_1_2,
                   nullptr,
                   kNowhere,
                   {MEMBER(S, storageBuffer16BitAccess), MEMBER(S, uniformAndStorageBuffer16BitAccess),
                    MEMBER(S, storagePushConstant16), MEMBER(S, storageInputOutput16), MEMBER(S, multiview),
                    MEMBER(S, variablePointersStorageBuffer), MEMBER(S, variablePointers),
                    MEMBER(S, samplerYcbcrConversion), MEMBER(S, shaderDrawParameters)}});
  }
  {
    using S = VkPhysicalDeviceVulkan12Features;
    all.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                   VK_API_VERSION_1_2,
                   nullptr,
                   kNowhere,
                   {MEMBER(S, storageBuffer8BitAccess), MEMBER(S, uniformAndStorageBuffer8BitAccess),
                    MEMBER(S, storagePushConstant8), MEMBER(S, shaderBufferInt64Atomics),
                    MEMBER(S, shaderSharedInt64Atomics), MEMBER(S, shaderFloat16), MEMBER(S, shaderInt8),
                    MEMBER(S, descriptorIndexing), MEMBER(S, scalarBlockLayout),
                    MEMBER(S, uniformBufferStandardLayout), MEMBER(S, shaderSubgroupExtendedTypes),
                    MEMBER(S, hostQueryReset), MEMBER(S, timelineSemaphore), MEMBER(S, bufferDeviceAddress),
                    MEMBER(S, bufferDeviceAddressCaptureReplay), MEMBER(S, bufferDeviceAddressMultiDevice),
                    MEMBER(S, vulkanMemoryModel), MEMBER(S, vulkanMemoryModelDeviceScope),
                    MEMBER(S, vulkanMemoryModelAvailabilityVisibilityChains)}});
  }
  {
    using S = VkPhysicalDeviceVulkan13Features;
    all.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                   VK_API_VERSION_1_3,
                   nullptr,
                   kNowhere,
                   {MEMBER(S, pipelineCreationCacheControl), MEMBER(S, privateData),
                    MEMBER(S, shaderDemoteToHelperInvocation), MEMBER(S, subgroupSizeControl),
                    MEMBER(S, synchronization2), MEMBER(S, dynamicRendering), MEMBER(S, maintenance4)}});
  }
  {
    using S = VkPhysicalDeviceBufferDeviceAddressFeatures;
    all.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
                   VK_API_VERSION_1_2,
                   "VK_KHR_buffer_device_address",
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                   {MEMBER(S, bufferDeviceAddress), MEMBER(S, bufferDeviceAddressCaptureReplay),
                    MEMBER(S, bufferDeviceAddressMultiDevice)}});
  }
  {
    using S = VkPhysicalDeviceShaderAtomicInt64Features;
    all.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES,
                   VK_API_VERSION_1_2,
                   "VK_KHR_shader_atomic_int64",
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                   {MEMBER(S, shaderBufferInt64Atomics), MEMBER(S, shaderSharedInt64Atomics)}});
  }
  {
    using S = VkPhysicalDeviceVulkanMemoryModelFeatures;
    all.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
                   VK_API_VERSION_1_2,
                   "VK_KHR_vulkan_memory_model",
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                   {MEMBER(S, vulkanMemoryModel), MEMBER(S, vulkanMemoryModelDeviceScope),
                    MEMBER(S, vulkanMemoryModelAvailabilityVisibilityChains)}});
  }
  {
    using S = VkPhysicalDeviceTimelineSemaphoreFeatures;
    all.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
                   VK_API_VERSION_1_2,
                   "VK_KHR_timeline_semaphore",
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                   {MEMBER(S, timelineSemaphore)}});
  }
  {
    using S = VkPhysicalDeviceScalarBlockLayoutFeatures;
    all.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES,
                   VK_API_VERSION_1_2,
                   "VK_EXT_scalar_block_layout",
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                   {MEMBER(S, scalarBlockLayout)}});
  }
  {
    using S = VkPhysicalDevice8BitStorageFeatures;
    all.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
                   VK_API_VERSION_1_2,
                   "VK_KHR_8bit_storage",
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                   {MEMBER(S, storageBuffer8BitAccess), MEMBER(S, uniformAndStorageBuffer8BitAccess),
                    MEMBER(S, storagePushConstant8)}});
  }
  {
    using S = VkPhysicalDeviceShaderFloat16Int8Features;
    all.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
                   VK_API_VERSION_1_2,
                   "VK_KHR_shader_float16_int8",
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                   {MEMBER(S, shaderFloat16), MEMBER(S, shaderInt8)}});
  }
  {
    using S = VkPhysicalDevice16BitStorageFeatures;
    all.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
                   VK_API_VERSION_1_1,
                   "VK_KHR_16bit_storage",
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                   {MEMBER(S, storageBuffer16BitAccess), MEMBER(S, uniformAndStorageBuffer16BitAccess),
                    MEMBER(S, storagePushConstant16), MEMBER(S, storageInputOutput16)}});
  }
  {
    using S = VkPhysicalDeviceSynchronization2Features;
    all.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES,
                   VK_API_VERSION_1_3,
                   "VK_KHR_synchronization2",
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                   {MEMBER(S, synchronization2)}});
  }
  {
    using S = VkPhysicalDeviceBufferDeviceAddressFeaturesEXT;
    // The old extension: its feature is another one in spite of the name.
    all.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES_EXT,
                   UINT32_MAX,
                   "VK_EXT_buffer_device_address",
                   kNowhere,
                   {{"bufferDeviceAddressEXT", offsetof(S, bufferDeviceAddress)}}});
  }
  {
    using S = VkPhysicalDeviceShaderObjectFeaturesEXT;
    all.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT,
                   UINT32_MAX,
                   "VK_EXT_shader_object",
                   kNowhere,
                   {MEMBER(S, shaderObject)}});
  }
  {
    using S = VkPhysicalDeviceRayTracingPipelineFeaturesKHR;
    all.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR,
                   UINT32_MAX,
                   "VK_KHR_ray_tracing_pipeline",
                   kNowhere,
                   {MEMBER(S, rayTracingPipeline)}});
  }
  {
    using S = VkPhysicalDeviceMaintenance5FeaturesKHR;
    all.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
                   VK_API_VERSION_1_4,
                   "VK_KHR_maintenance5",
                   kNowhere,
                   {MEMBER(S, maintenance5)}});
  }
  {
    using S = VkPhysicalDeviceDescriptorBufferFeaturesEXT;
    all.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT,
                   UINT32_MAX,
                   "VK_EXT_descriptor_buffer",
                   kNowhere,
                   {MEMBER(S, descriptorBuffer), MEMBER(S, descriptorBufferPushDescriptors)}});
  }
  {
    using S = VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT;
    all.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
                   UINT32_MAX,
                   "VK_EXT_graphics_pipeline_library",
                   kNowhere,
                   {MEMBER(S, graphicsPipelineLibrary)}});
  }
  return all;
}

}  // namespace

const std::vector<FeatureMember>& core_features() {
  using S = VkPhysicalDeviceFeatures;
  static const std::vector<FeatureMember> features = {MEMBER(S, robustBufferAccess),
                                                      MEMBER(S, fullDrawIndexUint32),
                                                      MEMBER(S, independentBlend),
                                                      MEMBER(S, geometryShader),
                                                      MEMBER(S, tessellationShader),
                                                      MEMBER(S, sampleRateShading),
                                                      MEMBER(S, logicOp),
                                                      MEMBER(S, multiDrawIndirect),
                                                      MEMBER(S, depthClamp),
                                                      MEMBER(S, fillModeNonSolid),
                                                      MEMBER(S, wideLines),
                                                      MEMBER(S, samplerAnisotropy),
                                                      MEMBER(S, occlusionQueryPrecise),
                                                      MEMBER(S, pipelineStatisticsQuery),
                                                      MEMBER(S, vertexPipelineStoresAndAtomics),
                                                      MEMBER(S, fragmentStoresAndAtomics),
                                                      MEMBER(S, shaderImageGatherExtended),
                                                      MEMBER(S, shaderStorageImageExtendedFormats),
                                                      MEMBER(S, shaderStorageImageReadWithoutFormat),
                                                      MEMBER(S, shaderStorageImageWriteWithoutFormat),
                                                      MEMBER(S, shaderStorageBufferArrayDynamicIndexing),
                                                      MEMBER(S, shaderClipDistance),
                                                      MEMBER(S, shaderCullDistance),
                                                      MEMBER(S, shaderFloat64),
                                                      MEMBER(S, shaderInt64),
                                                      MEMBER(S, shaderInt16),
                                                      MEMBER(S, sparseBinding)};
  return features;
}

const FeatureStructure* find_feature_structure(VkStructureType type) {
  static const std::vector<FeatureStructure> all = make_structures();
  for (const FeatureStructure& structure : all) {
    if (structure.type == type) return &structure;
  }
  return nullptr;
}

}  // namespace shaderqa::null_driver
