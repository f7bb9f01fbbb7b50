// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "tests/null_driver/commands.h"
#include "tests/null_driver/state.h"

namespace shaderqa::null_driver {
namespace {

std::vector<VkExtensionProperties> offered(std::initializer_list<const char*> names) {
  std::vector<VkExtensionProperties> list;
  for (const char* name : names) {
    if (state().settings.missing_extensions.contains(name)) continue;
    VkExtensionProperties properties{};
    std::strncpy(properties.extensionName, name, sizeof properties.extensionName - 1);
    properties.specVersion = 1;
    list.push_back(properties);
  }
  return list;
}

}  // namespace

std::vector<VkExtensionProperties> supported_instance_extensions() {
  return offered({"VK_KHR_get_physical_device_properties2", "VK_KHR_external_memory_capabilities",
                  "VK_KHR_device_group_creation", "VK_EXT_debug_utils"});
}

std::vector<VkExtensionProperties> supported_device_extensions() {
  return offered({"VK_KHR_buffer_device_address",
                  "VK_EXT_buffer_device_address",
                  "VK_KHR_shader_atomic_int64",
                  "VK_KHR_vulkan_memory_model",
                  "VK_KHR_timeline_semaphore",
                  "VK_KHR_synchronization2",
                  "VK_KHR_8bit_storage",
                  "VK_KHR_16bit_storage",
                  "VK_KHR_shader_float16_int8",
                  "VK_EXT_scalar_block_layout",
                  "VK_KHR_storage_buffer_storage_class",
                  "VK_KHR_device_group",
                  "VK_KHR_shader_non_semantic_info",
                  "VK_KHR_external_memory",
                  "VK_EXT_external_memory_host",
                  "VK_EXT_map_memory_placed",
                  "VK_KHR_external_memory_fd",
                  "VK_EXT_host_image_copy",
                  "VK_KHR_spirv_1_4",
                  "VK_KHR_shader_float_controls",
                  "VK_KHR_deferred_host_operations",
                  "VK_KHR_acceleration_structure",
                  "VK_KHR_ray_tracing_pipeline",
                  "VK_NV_ray_tracing",
                  "VK_EXT_shader_object",
                  "VK_EXT_vertex_input_dynamic_state",
                  "VK_EXT_multi_draw",
                  "VK_KHR_maintenance5",
                  "VK_KHR_maintenance6",
                  "VK_KHR_push_descriptor",
                  "VK_KHR_create_renderpass2",
                  "VK_KHR_pipeline_library",
                  "VK_EXT_graphics_pipeline_library",
                  "VK_KHR_dynamic_rendering",
                  "VK_EXT_descriptor_indexing",
                  "VK_EXT_descriptor_buffer",
                  "VK_EXT_descriptor_heap",
                  "VK_KHR_device_address_commands",
                  "VK_KHR_internally_synchronized_queues",
                  "VK_KHR_external_fence_fd",
                  "VK_KHR_external_semaphore_fd",
                  "VK_KHR_present_wait",
                  "VK_KHR_present_wait2",
                  "VK_KHR_maintenance10",
                  "VK_AMD_buffer_marker",
                  "VK_NV_memory_decompression",
                  "VK_QCOM_tile_shading",
                  "VK_EXT_device_generated_commands",
                  "VK_NV_device_generated_commands",
                  "VK_HUAWEI_cluster_culling_shader",
                  "VK_EXT_conditional_rendering",
                  "VK_EXT_transform_feedback",
                  "VK_KHR_swapchain"});
}

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks*,
                                              VkInstance* instance) {
  Call call("vkCreateInstance");
  if (call.fault) return call.fault;
  InstanceRecord record;
  record.application_info = info->pApplicationInfo != nullptr;
  record.api_version = record.application_info ? info->pApplicationInfo->apiVersion : 0;
  auto created = new Instance;
  for (uint32_t i = 0; i < info->enabledExtensionCount; ++i) {
    record.extensions.push_back(info->ppEnabledExtensionNames[i]);
    created->extensions.insert(info->ppEnabledExtensionNames[i]);
  }
  created->api_version = record.api_version ? record.api_version : VK_API_VERSION_1_0;
  created->physical_device.instance = created;
  state().records.instances.push_back(std::move(record));
  ++state().records.live["VkInstance"];
  *instance = reinterpret_cast<VkInstance>(created);
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance instance, const VkAllocationCallbacks*) {
  Call call("vkDestroyInstance");
  if (!instance) return;
  --state().records.live["VkInstance"];
  delete reinterpret_cast<Instance*>(instance);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceVersion(uint32_t* version) {
  Call call("vkEnumerateInstanceVersion");
  *version = state().settings.api_version;
  return call.fault;
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceExtensionProperties(const char*, uint32_t* count,
                                                                    VkExtensionProperties* properties) {
  Call call("vkEnumerateInstanceExtensionProperties");
  if (call.fault) return call.fault;
  return give_list(supported_instance_extensions(), count, properties);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceLayerProperties(uint32_t* count, VkLayerProperties*) {
  *count = 0;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL EnumeratePhysicalDevices(VkInstance instance, uint32_t* count,
                                                        VkPhysicalDevice* physical_devices) {
  Call call("vkEnumeratePhysicalDevices");
  if (call.fault) return call.fault;
  auto self = reinterpret_cast<Instance*>(instance);
  return give_list({reinterpret_cast<VkPhysicalDevice>(&self->physical_device)}, count, physical_devices);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceExtensionProperties(VkPhysicalDevice, const char*,
                                                                  uint32_t* count,
                                                                  VkExtensionProperties* properties) {
  Call call("vkEnumerateDeviceExtensionProperties");
  if (call.fault) return call.fault;
  return give_list(supported_device_extensions(), count, properties);
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceLayerProperties(VkPhysicalDevice, uint32_t* count,
                                                              VkLayerProperties*) {
  *count = 0;
  return VK_SUCCESS;
}

}  // namespace shaderqa::null_driver
