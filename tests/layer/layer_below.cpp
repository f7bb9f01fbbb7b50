// SPDX-License-Identifier: Apache-2.0
// A layer that does as little as a layer may: it passes everything on, and moves the loader's link on as it
// must. With SHADERQATEST_HIDE=int64_atomics or =buffer_device_address it hides that feature, as a lesser
// device lacks it.
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

#include <cstdlib>
#include <cstring>

namespace {

// One instance and one device at a time are enough for the tests.
VkInstance the_instance = VK_NULL_HANDLE;
PFN_vkGetInstanceProcAddr next_instance_proc = nullptr;
PFN_vkGetDeviceProcAddr next_device_proc = nullptr;
PFN_vkGetPhysicalDeviceFeatures2 next_features = nullptr;

template <typename Link>
Link* find_link(const void* chain, VkStructureType type) {
  for (auto node = static_cast<const VkBaseInStructure*>(chain); node; node = node->pNext) {
    auto link = reinterpret_cast<const Link*>(node);
    if (node->sType == type && link->function == VK_LAYER_LINK_INFO) return const_cast<Link*>(link);
  }
  return nullptr;
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info,
                                               const VkAllocationCallbacks* allocator, VkInstance* instance) {
  auto link =
      find_link<VkLayerInstanceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  // Where a layer above tried twice and did not put the link back, nothing is left to go to.
  if (!link || !link->u.pLayerInfo) return VK_ERROR_INITIALIZATION_FAILED;
  next_instance_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto create =
      reinterpret_cast<PFN_vkCreateInstance>(next_instance_proc(VK_NULL_HANDLE, "vkCreateInstance"));
  const VkResult result = create(info, allocator, instance);
  the_instance = *instance;
  // Now: once the loader's table is complete, asking by name leads to the top of the chain.
  if (result == VK_SUCCESS)
    next_features = reinterpret_cast<PFN_vkGetPhysicalDeviceFeatures2>(
        next_instance_proc(the_instance, "vkGetPhysicalDeviceFeatures2"));
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical_device, const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* allocator, VkDevice* device) {
  auto link = find_link<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  if (!link || !link->u.pLayerInfo) return VK_ERROR_INITIALIZATION_FAILED;
  next_device_proc = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  const auto next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto create = reinterpret_cast<PFN_vkCreateDevice>(next(the_instance, "vkCreateDevice"));
  return create(physical_device, info, allocator, device);
}

VKAPI_ATTR void VKAPI_CALL get_features(VkPhysicalDevice physical_device,
                                        VkPhysicalDeviceFeatures2* features) {
  next_features(physical_device, features);
  const char* hidden = std::getenv("SHADERQATEST_HIDE");
  if (!hidden) return;
  const bool atomics = std::strcmp(hidden, "int64_atomics") == 0;
  const bool addresses = std::strcmp(hidden, "buffer_device_address") == 0;
  for (auto node = static_cast<VkBaseOutStructure*>(features->pNext); node; node = node->pNext) {
    if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
      auto all = reinterpret_cast<VkPhysicalDeviceVulkan12Features*>(node);
      if (atomics) all->shaderBufferInt64Atomics = VK_FALSE;
      if (addresses) all->bufferDeviceAddress = VK_FALSE;
    } else if (atomics && node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES) {
      reinterpret_cast<VkPhysicalDeviceShaderAtomicInt64Features*>(node)->shaderBufferInt64Atomics = VK_FALSE;
    } else if (addresses && node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES) {
      reinterpret_cast<VkPhysicalDeviceBufferDeviceAddressFeatures*>(node)->bufferDeviceAddress = VK_FALSE;
    }
  }
}

PFN_vkVoidFunction get_device_proc(VkDevice device, const char* name) {
  return next_device_proc(device, name);
}

PFN_vkVoidFunction get_instance_proc(VkInstance instance, const char* name) {
  if (std::strcmp(name, "vkCreateInstance") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(create_instance);
  if (std::strcmp(name, "vkCreateDevice") == 0) return reinterpret_cast<PFN_vkVoidFunction>(create_device);
  if (instance && (std::strcmp(name, "vkGetPhysicalDeviceFeatures2") == 0 ||
                   std::strcmp(name, "vkGetPhysicalDeviceFeatures2KHR") == 0)) {
    return reinterpret_cast<PFN_vkVoidFunction>(get_features);
  }
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(get_device_proc);
  return instance && next_instance_proc ? next_instance_proc(instance, name) : nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* offered) {
  offered->loaderLayerInterfaceVersion = 2;
  offered->pfnGetInstanceProcAddr = get_instance_proc;
  offered->pfnGetDeviceProcAddr = get_device_proc;
  offered->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
