// SPDX-License-Identifier: Apache-2.0
// VK_EXT_descriptor_heap, as far as the layer and its tests use it, for Vulkan headers older than 1.4.340.
#ifndef SHADERQA_LAYER_VK_DESCRIPTOR_HEAP_H
#define SHADERQA_LAYER_VK_DESCRIPTOR_HEAP_H

#include <vulkan/vulkan_core.h>

#ifndef VK_EXT_descriptor_heap
#define VK_EXT_DESCRIPTOR_HEAP_EXTENSION_NAME "VK_EXT_descriptor_heap"

// Enumerators of types that the headers have.
constexpr auto VK_STRUCTURE_TYPE_TEXEL_BUFFER_DESCRIPTOR_INFO_EXT = static_cast<VkStructureType>(1000135000);
constexpr auto VK_STRUCTURE_TYPE_IMAGE_DESCRIPTOR_INFO_EXT = static_cast<VkStructureType>(1000135001);
constexpr auto VK_STRUCTURE_TYPE_RESOURCE_DESCRIPTOR_INFO_EXT = static_cast<VkStructureType>(1000135002);
constexpr auto VK_STRUCTURE_TYPE_BIND_HEAP_INFO_EXT = static_cast<VkStructureType>(1000135003);
constexpr auto VK_STRUCTURE_TYPE_PUSH_DATA_INFO_EXT = static_cast<VkStructureType>(1000135004);
constexpr auto VK_STRUCTURE_TYPE_DESCRIPTOR_SET_AND_BINDING_MAPPING_EXT =
    static_cast<VkStructureType>(1000135005);
constexpr auto VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT =
    static_cast<VkStructureType>(1000135006);
constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_HEAP_PROPERTIES_EXT =
    static_cast<VkStructureType>(1000135008);
constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_HEAP_FEATURES_EXT =
    static_cast<VkStructureType>(1000135009);
constexpr auto VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_DESCRIPTOR_HEAP_INFO_EXT =
    static_cast<VkStructureType>(1000135010);
constexpr VkPipelineCreateFlags2 VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT = 0x1000000000ull;
constexpr VkFlags VK_SHADER_CREATE_DESCRIPTOR_HEAP_BIT_EXT = 0x400;

enum VkDescriptorMappingSourceEXT {
  VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT = 0,
  VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT = 1,
  VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_EXT = 2,
  VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_ARRAY_EXT = 3,
  VK_DESCRIPTOR_MAPPING_SOURCE_RESOURCE_HEAP_DATA_EXT = 4,
  VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_DATA_EXT = 5,
  VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_ADDRESS_EXT = 6,
  VK_DESCRIPTOR_MAPPING_SOURCE_INDIRECT_ADDRESS_EXT = 7,
  VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_SHADER_RECORD_INDEX_EXT = 8,
  VK_DESCRIPTOR_MAPPING_SOURCE_SHADER_RECORD_DATA_EXT = 9,
  VK_DESCRIPTOR_MAPPING_SOURCE_SHADER_RECORD_ADDRESS_EXT = 10,
  VK_DESCRIPTOR_MAPPING_SOURCE_MAX_ENUM_EXT = 0x7fffffff
};

using VkSpirvResourceTypeFlagsEXT = VkFlags;
constexpr VkSpirvResourceTypeFlagsEXT VK_SPIRV_RESOURCE_TYPE_ALL_EXT = 0x7fffffff;
constexpr VkSpirvResourceTypeFlagsEXT VK_SPIRV_RESOURCE_TYPE_UNIFORM_BUFFER_BIT_EXT = 0x20;
constexpr VkSpirvResourceTypeFlagsEXT VK_SPIRV_RESOURCE_TYPE_READ_ONLY_STORAGE_BUFFER_BIT_EXT = 0x40;
constexpr VkSpirvResourceTypeFlagsEXT VK_SPIRV_RESOURCE_TYPE_READ_WRITE_STORAGE_BUFFER_BIT_EXT = 0x80;

struct VkHostAddressRangeEXT {
  void* address;
  size_t size;
};
struct VkHostAddressRangeConstEXT {
  const void* address;
  size_t size;
};
struct VkDeviceAddressRangeEXT {
  VkDeviceAddress address;
  VkDeviceSize size;
};
struct VkTexelBufferDescriptorInfoEXT {
  VkStructureType sType;
  const void* pNext;
  VkFormat format;
  VkDeviceAddressRangeEXT addressRange;
};
struct VkImageDescriptorInfoEXT {
  VkStructureType sType;
  const void* pNext;
  const VkImageViewCreateInfo* pView;
  VkImageLayout layout;
};
union VkResourceDescriptorDataEXT {
  const VkImageDescriptorInfoEXT* pImage;
  const VkTexelBufferDescriptorInfoEXT* pTexelBuffer;
  const VkDeviceAddressRangeEXT* pAddressRange;
  const void* pTensorARM;
};
struct VkResourceDescriptorInfoEXT {
  VkStructureType sType;
  const void* pNext;
  VkDescriptorType type;
  VkResourceDescriptorDataEXT data;
};
struct VkBindHeapInfoEXT {
  VkStructureType sType;
  const void* pNext;
  VkDeviceAddressRangeEXT heapRange;
  VkDeviceSize reservedRangeOffset;
  VkDeviceSize reservedRangeSize;
};
struct VkPushDataInfoEXT {
  VkStructureType sType;
  const void* pNext;
  uint32_t offset;
  VkHostAddressRangeConstEXT data;
};

struct VkDescriptorMappingSourceConstantOffsetEXT {
  uint32_t heapOffset;
  uint32_t heapArrayStride;
  const VkSamplerCreateInfo* pEmbeddedSampler;
  uint32_t samplerHeapOffset;
  uint32_t samplerHeapArrayStride;
};
struct VkDescriptorMappingSourcePushIndexEXT {
  uint32_t heapOffset;
  uint32_t pushOffset;
  uint32_t heapIndexStride;
  uint32_t heapArrayStride;
  const VkSamplerCreateInfo* pEmbeddedSampler;
  VkBool32 useCombinedImageSamplerIndex;
  uint32_t samplerHeapOffset;
  uint32_t samplerPushOffset;
  uint32_t samplerHeapIndexStride;
  uint32_t samplerHeapArrayStride;
};
struct VkDescriptorMappingSourceIndirectIndexEXT {
  uint32_t heapOffset;
  uint32_t pushOffset;
  uint32_t addressOffset;
  uint32_t heapIndexStride;
  uint32_t heapArrayStride;
  const VkSamplerCreateInfo* pEmbeddedSampler;
  VkBool32 useCombinedImageSamplerIndex;
  uint32_t samplerHeapOffset;
  uint32_t samplerPushOffset;
  uint32_t samplerAddressOffset;
  uint32_t samplerHeapIndexStride;
  uint32_t samplerHeapArrayStride;
};
struct VkDescriptorMappingSourceHeapDataEXT {
  uint32_t heapOffset;
  uint32_t pushOffset;
};
struct VkDescriptorMappingSourceIndirectAddressEXT {
  uint32_t pushOffset;
  uint32_t addressOffset;
};
struct VkDescriptorMappingSourceShaderRecordIndexEXT {
  uint32_t heapOffset;
  uint32_t shaderRecordOffset;
  uint32_t heapIndexStride;
  uint32_t heapArrayStride;
  const VkSamplerCreateInfo* pEmbeddedSampler;
  VkBool32 useCombinedImageSamplerIndex;
  uint32_t samplerHeapOffset;
  uint32_t samplerShaderRecordOffset;
  uint32_t samplerHeapIndexStride;
  uint32_t samplerHeapArrayStride;
};
struct VkDescriptorMappingSourceIndirectIndexArrayEXT {
  uint32_t heapOffset;
  uint32_t pushOffset;
  uint32_t addressOffset;
  uint32_t heapIndexStride;
  const VkSamplerCreateInfo* pEmbeddedSampler;
  VkBool32 useCombinedImageSamplerIndex;
  uint32_t samplerHeapOffset;
  uint32_t samplerPushOffset;
  uint32_t samplerAddressOffset;
  uint32_t samplerHeapIndexStride;
};
union VkDescriptorMappingSourceDataEXT {
  VkDescriptorMappingSourceConstantOffsetEXT constantOffset;
  VkDescriptorMappingSourcePushIndexEXT pushIndex;
  VkDescriptorMappingSourceIndirectIndexEXT indirectIndex;
  VkDescriptorMappingSourceIndirectIndexArrayEXT indirectIndexArray;
  VkDescriptorMappingSourceHeapDataEXT heapData;
  uint32_t pushDataOffset;
  uint32_t pushAddressOffset;
  VkDescriptorMappingSourceIndirectAddressEXT indirectAddress;
  VkDescriptorMappingSourceShaderRecordIndexEXT shaderRecordIndex;
  uint32_t shaderRecordDataOffset;
  uint32_t shaderRecordAddressOffset;
};
struct VkDescriptorSetAndBindingMappingEXT {
  VkStructureType sType;
  const void* pNext;
  uint32_t descriptorSet;
  uint32_t firstBinding;
  uint32_t bindingCount;
  VkSpirvResourceTypeFlagsEXT resourceMask;
  VkDescriptorMappingSourceEXT source;
  VkDescriptorMappingSourceDataEXT sourceData;
};
struct VkShaderDescriptorSetAndBindingMappingInfoEXT {
  VkStructureType sType;
  const void* pNext;
  uint32_t mappingCount;
  const VkDescriptorSetAndBindingMappingEXT* pMappings;
};

struct VkPhysicalDeviceDescriptorHeapFeaturesEXT {
  VkStructureType sType;
  void* pNext;
  VkBool32 descriptorHeap;
  VkBool32 descriptorHeapCaptureReplay;
};
struct VkPhysicalDeviceDescriptorHeapPropertiesEXT {
  VkStructureType sType;
  void* pNext;
  VkDeviceSize samplerHeapAlignment;
  VkDeviceSize resourceHeapAlignment;
  VkDeviceSize maxSamplerHeapSize;
  VkDeviceSize maxResourceHeapSize;
  VkDeviceSize minSamplerHeapReservedRange;
  VkDeviceSize minSamplerHeapReservedRangeWithEmbedded;
  VkDeviceSize minResourceHeapReservedRange;
  VkDeviceSize samplerDescriptorSize;
  VkDeviceSize imageDescriptorSize;
  VkDeviceSize bufferDescriptorSize;
  VkDeviceSize samplerDescriptorAlignment;
  VkDeviceSize imageDescriptorAlignment;
  VkDeviceSize bufferDescriptorAlignment;
  VkDeviceSize maxPushDataSize;
  size_t imageCaptureReplayOpaqueDataSize;
  uint32_t maxDescriptorHeapEmbeddedSamplers;
  uint32_t samplerYcbcrConversionCount;
  VkBool32 sparseDescriptorHeaps;
  VkBool32 protectedDescriptorHeaps;
};
struct VkCommandBufferInheritanceDescriptorHeapInfoEXT {
  VkStructureType sType;
  const void* pNext;
  const VkBindHeapInfoEXT* pSamplerHeapBindInfo;
  const VkBindHeapInfoEXT* pResourceHeapBindInfo;
};

using PFN_vkWriteResourceDescriptorsEXT = VkResult(VKAPI_PTR*)(VkDevice device, uint32_t resourceCount,
                                                               const VkResourceDescriptorInfoEXT* pResources,
                                                               const VkHostAddressRangeEXT* pDescriptors);
using PFN_vkWriteSamplerDescriptorsEXT = VkResult(VKAPI_PTR*)(VkDevice device, uint32_t samplerCount,
                                                              const VkSamplerCreateInfo* pSamplers,
                                                              const VkHostAddressRangeEXT* pDescriptors);
using PFN_vkCmdBindResourceHeapEXT = void(VKAPI_PTR*)(VkCommandBuffer commandBuffer,
                                                      const VkBindHeapInfoEXT* pBindInfo);
using PFN_vkCmdBindSamplerHeapEXT = void(VKAPI_PTR*)(VkCommandBuffer commandBuffer,
                                                     const VkBindHeapInfoEXT* pBindInfo);
using PFN_vkCmdPushDataEXT = void(VKAPI_PTR*)(VkCommandBuffer commandBuffer,
                                              const VkPushDataInfoEXT* pPushDataInfo);
using PFN_vkGetPhysicalDeviceDescriptorSizeEXT = VkDeviceSize(VKAPI_PTR*)(VkPhysicalDevice physicalDevice,
                                                                          VkDescriptorType descriptorType);
#endif
#endif
