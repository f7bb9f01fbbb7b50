// SPDX-License-Identifier: Apache-2.0
// What the layer reports about itself, in accordance with its manifests. It adds no instance or device
// extension.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "host/version.h"
#include "layer/context/hook_table.h"
#include "layer/context/instance.h"
#include "layer/loader/dispatch.h"

namespace shaderqa::layer {
namespace {

bool is_own_name(const char* layer_name) { return layer_name && std::strcmp(layer_name, kLayerName) == 0; }

VkResult own_layer_properties(uint32_t* count, VkLayerProperties* properties) {
  if (!properties) {
    *count = 1;
    return VK_SUCCESS;
  }
  if (*count == 0) return VK_INCOMPLETE;
  *count = 1;
  *properties = {};
  std::snprintf(properties->layerName, sizeof properties->layerName, "%s", kLayerName);
  std::snprintf(properties->description, sizeof properties->description, "%s",
                "Rewrites shaders so that they print and check themselves");
  properties->specVersion = VK_HEADER_VERSION_COMPLETE;
  properties->implementationVersion = version_number();
  return VK_SUCCESS;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hooks::EnumerateInstanceExtensionProperties(const char* pLayerName,
                                                                           uint32_t* pPropertyCount,
                                                                           VkExtensionProperties*) {
  if (!is_own_name(pLayerName)) return VK_ERROR_LAYER_NOT_PRESENT;
  *pPropertyCount = 0;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::EnumerateInstanceLayerProperties(uint32_t* pPropertyCount,
                                                                       VkLayerProperties* pProperties) {
  return own_layer_properties(pPropertyCount, pProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::EnumerateDeviceExtensionProperties(VkPhysicalDevice physicalDevice,
                                                                         const char* pLayerName,
                                                                         uint32_t* pPropertyCount,
                                                                         VkExtensionProperties* pProperties) {
  if (is_own_name(pLayerName)) {
    *pPropertyCount = 0;
    return VK_SUCCESS;
  }
  return instance_of(physicalDevice)
      .next.EnumerateDeviceExtensionProperties(physicalDevice, pLayerName, pPropertyCount, pProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::EnumerateDeviceLayerProperties(VkPhysicalDevice,
                                                                     uint32_t* pPropertyCount,
                                                                     VkLayerProperties* pProperties) {
  return own_layer_properties(pPropertyCount, pProperties);
}

}  // namespace shaderqa::layer
