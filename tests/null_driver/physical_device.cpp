// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "tests/null_driver/commands.h"
#include "tests/null_driver/features.h"
#include "tests/null_driver/state.h"

namespace shaderqa::null_driver {
namespace {

void write_members(const std::vector<FeatureMember>& members, void* structure) {
  for (const FeatureMember& member : members) {
    const VkBool32 value = !state().settings.missing_features.contains(member.name);
    std::memcpy(static_cast<std::byte*>(structure) + member.offset, &value, sizeof value);
  }
}

void write_properties(VkPhysicalDeviceProperties& properties) {
  properties = {};
  properties.apiVersion = state().settings.api_version;
  properties.driverVersion = 1;
  properties.vendorID = 0x10005;
  properties.deviceID = 1;
  properties.deviceType = state().settings.device_type;
  std::strcpy(properties.deviceName, "shaderqa null driver");
  VkPhysicalDeviceLimits& limits = properties.limits;
  limits.maxMemoryAllocationCount = 4096;
  limits.maxStorageBufferRange = UINT32_MAX;
  const Config& config = state().settings;
  limits.maxBoundDescriptorSets = config.max_bound_sets;
  limits.maxPushConstantsSize = config.max_push_constants;
  limits.maxPerStageDescriptorSampledImages = 1024;
  limits.maxPerStageDescriptorUniformBuffers = config.max_stage_uniform_buffers;
  limits.maxPerStageResources = config.max_stage_resources;
  limits.maxDescriptorSetUniformBuffers = 1024;
  limits.maxDescriptorSetUniformBuffersDynamic = config.max_dynamic_uniform_buffers;
  limits.minMemoryMapAlignment = 4096;
  limits.nonCoherentAtomSize = 64;
  limits.timestampPeriod = 2;
  limits.minStorageBufferOffsetAlignment = 4;
  limits.minUniformBufferOffsetAlignment = 64;
  limits.maxComputeWorkGroupInvocations = 1024;
}

// Commands of the application's version may be asked for more than the device has: left as it is, as drivers
// do.
bool has_version(VkPhysicalDevice physical_device, uint32_t version) {
  const uint32_t asked = reinterpret_cast<PhysicalDevice*>(physical_device)->instance->api_version;
  return asked >= version && state().settings.api_version >= version;
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures(VkPhysicalDevice, VkPhysicalDeviceFeatures* features) {
  Call call("vkGetPhysicalDeviceFeatures");
  *features = {};
  write_members(core_features(), features);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures2(VkPhysicalDevice, VkPhysicalDeviceFeatures2* features) {
  Call call("vkGetPhysicalDeviceFeatures2");
  features->features = {};
  write_members(core_features(), &features->features);
  for (auto node = static_cast<VkBaseOutStructure*>(features->pNext); node; node = node->pNext) {
    const FeatureStructure* structure = find_feature_structure(node->sType);
    if (!structure) continue;
    const bool by_extension =
        structure->extension && !state().settings.missing_extensions.contains(structure->extension);
    if (by_extension || state().settings.api_version >= structure->version)
      write_members(structure->members, node);
  }
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties(VkPhysicalDevice,
                                                       VkPhysicalDeviceProperties* properties) {
  Call call("vkGetPhysicalDeviceProperties");
  write_properties(*properties);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice physical_device,
                                                        VkPhysicalDeviceProperties2* properties) {
  Call call("vkGetPhysicalDeviceProperties2");
  write_properties(properties->properties);
  const VkSubgroupFeatureFlags operations = state().settings.subgroup_operations;
  for (auto node = static_cast<VkBaseOutStructure*>(properties->pNext); node; node = node->pNext) {
    switch (static_cast<uint32_t>(node->sType)) {  // some are in no enumeration yet
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES: {
        if (!has_version(physical_device, VK_API_VERSION_1_1)) break;
        auto out = reinterpret_cast<VkPhysicalDeviceSubgroupProperties*>(node);
        out->subgroupSize = 32;
        out->supportedStages = VK_SHADER_STAGE_ALL;
        out->supportedOperations = operations;
        out->quadOperationsInAllStages = VK_FALSE;
        break;
      }
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES: {
        if (!has_version(physical_device, VK_API_VERSION_1_2)) break;
        auto out = reinterpret_cast<VkPhysicalDeviceVulkan11Properties*>(node);
        out->subgroupSize = 32;
        out->subgroupSupportedStages = VK_SHADER_STAGE_ALL;
        out->subgroupSupportedOperations = operations;
        out->maxMemoryAllocationSize = 1ull << 32;
        break;
      }
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT:
        reinterpret_cast<VkPhysicalDeviceExternalMemoryHostPropertiesEXT*>(node)
            ->minImportedHostPointerAlignment = 4096;
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT: {
        auto out = reinterpret_cast<VkPhysicalDeviceDescriptorBufferPropertiesEXT*>(node);
        out->bufferlessPushDescriptors = state().settings.bufferless_push_descriptors;
        out->combinedImageSamplerDescriptorSingleArray = VK_TRUE;
        out->uniformBufferDescriptorSize = out->storageBufferDescriptorSize = 16;
        out->robustUniformBufferDescriptorSize = out->robustStorageBufferDescriptorSize = 32;
        out->uniformTexelBufferDescriptorSize = out->robustUniformTexelBufferDescriptorSize = 8;
        out->storageTexelBufferDescriptorSize = out->robustStorageTexelBufferDescriptorSize = 24;
        out->sampledImageDescriptorSize = out->storageImageDescriptorSize = 8;
        out->combinedImageSamplerDescriptorSize = 16;
        out->samplerDescriptorSize = state().settings.sampler_descriptor_bytes;
        break;
      }
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_HEAP_PROPERTIES_EXT: {
        auto out = reinterpret_cast<VkPhysicalDeviceDescriptorHeapPropertiesEXT*>(node);
        out->bufferDescriptorSize = out->imageDescriptorSize = 32;
        out->maxPushDataSize = state().settings.max_push_constants;
        break;
      }
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES: {
        auto out = reinterpret_cast<VkPhysicalDeviceDriverProperties*>(node);
        std::strcpy(out->driverName, "shaderqa null driver");
        out->driverID = state().settings.driver_id;
        state().settings.driver_info.copy(out->driverInfo, VK_MAX_DRIVER_INFO_SIZE - 1);
        break;
      }
      default:
        break;
    }
  }
}

VKAPI_ATTR VkDeviceSize VKAPI_CALL GetPhysicalDeviceDescriptorSizeEXT(VkPhysicalDevice,
                                                                      VkDescriptorType type) {
  Call call("vkGetPhysicalDeviceDescriptorSizeEXT");
  return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER ? 16 : 32;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFormatProperties(VkPhysicalDevice, VkFormat,
                                                             VkFormatProperties* properties) {
  *properties = {};
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceImageFormatProperties(VkPhysicalDevice, VkFormat, VkImageType,
                                                                      VkImageTiling, VkImageUsageFlags,
                                                                      VkImageCreateFlags,
                                                                      VkImageFormatProperties*) {
  return VK_ERROR_FORMAT_NOT_SUPPORTED;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceSparseImageFormatProperties(VkPhysicalDevice, VkFormat,
                                                                        VkImageType, VkSampleCountFlagBits,
                                                                        VkImageUsageFlags, VkImageTiling,
                                                                        uint32_t* count,
                                                                        VkSparseImageFormatProperties*) {
  *count = 0;
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice, uint32_t* count,
                                                                  VkQueueFamilyProperties* properties) {
  VkQueueFamilyProperties family{};
  family.queueFlags =
      VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT;
  family.queueCount = 4;
  family.timestampValidBits = state().settings.timestamp_bits;
  give_list(std::vector(state().settings.queue_families, family), count, properties);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice physical_device,
                                                                   uint32_t* count,
                                                                   VkQueueFamilyProperties2* properties) {
  GetPhysicalDeviceQueueFamilyProperties(physical_device, count,
                                         properties ? &properties->queueFamilyProperties : nullptr);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceMemoryProperties(VkPhysicalDevice,
                                                             VkPhysicalDeviceMemoryProperties* properties) {
  Call call("vkGetPhysicalDeviceMemoryProperties");
  *properties = {};
  properties->memoryHeapCount = 1;
  properties->memoryHeaps[0] = {state().settings.heap_bytes, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  for (const VkMemoryPropertyFlags flags : state().settings.memory_types) {
    properties->memoryTypes[properties->memoryTypeCount++].propertyFlags = flags;
  }
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice physical_device,
                                                              VkPhysicalDeviceMemoryProperties2* properties) {
  GetPhysicalDeviceMemoryProperties(physical_device, &properties->memoryProperties);
}

}  // namespace shaderqa::null_driver
