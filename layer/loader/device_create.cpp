// SPDX-License-Identifier: Apache-2.0
#include <vulkan/vk_layer.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "host/log/log.h"
#include "host/summary/run_summary.h"
#include "host/switch/check_switch.h"
#include "layer/context/instance.h"
#include "layer/loader/device.h"
#include "layer/loader/device_features.h"
#include "layer/loader/dispatch.h"
#include "layer/vk/guarded.h"
#include "layer/vk/link_info.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

PFN_vkSetDeviceLoaderData find_loader_callback(const VkDeviceCreateInfo& info) {
  constexpr auto type = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO;
  auto node = find_in_chain<VkLayerDeviceCreateInfo>(info.pNext, type);
  while (node && node->function != VK_LOADER_DATA_CALLBACK) {
    node = find_in_chain<VkLayerDeviceCreateInfo>(node->pNext, type);
  }
  return node ? node->u.pfnSetDeviceLoaderData : nullptr;
}

void log_device(const Device& device) {
  const std::string& reason = device.facts.inert_reason;
  const std::string name = "device " + hex_text(reinterpret_cast<uintptr_t>(device.handle)) + ": ";
  if (!reason.empty()) {
    SHADERQA_LOG(error, name + "no shader is instrumented, because " + reason);
  } else {
    SHADERQA_LOG(info,
                 name + (device.instance->checks_anything() ? "its shaders are instrumented"
                                                            : "its shaders are left alone: no check is on"));
  }
}

// Frames are counted by presents.
void tell_switch(Instance& instance, const VkDeviceCreateInfo& info) {
  const auto presents = [](const char* name) {
    return std::string_view(name) == VK_KHR_SWAPCHAIN_EXTENSION_NAME;
  };
  CheckSwitch& checks = *instance.checks;
  const bool counts_submissions = checks.device_made(std::any_of(
      info.ppEnabledExtensionNames, info.ppEnabledExtensionNames + info.enabledExtensionCount, presents));
  if (counts_submissions && checks.counts_frames())
    instance.note(
        "frames are submissions",
        "the program cannot present (it does not enable VK_KHR_swapchain), so the numbers of frames = " +
            instance.settings.frames + " count its submissions",
        Concern::nothing);
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateDevice(VkPhysicalDevice physicalDevice,
                                                   const VkDeviceCreateInfo* pCreateInfo,
                                                   const VkAllocationCallbacks* pAllocator,
                                                   VkDevice* pDevice) {
  Instance& instance = instance_of(physicalDevice);
  VkLayerDeviceCreateInfo* link =
      find_link_info<VkLayerDeviceCreateInfo>(*pCreateInfo, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  if (!link) return VK_ERROR_INITIALIZATION_FAILED;
  const PFN_vkGetDeviceProcAddr next_gdpa = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  // The instance is passed because some layers return no vkCreateDevice without it.
  const auto create = reinterpret_cast<PFN_vkCreateDevice>(
      link->u.pLayerInfo->pfnNextGetInstanceProcAddr(instance.handle, "vkCreateDevice"));
  if (!create) return VK_ERROR_INITIALIZATION_FAILED;
  VkLayerDeviceLink* const below = link->u.pLayerInfo->pNext;
  link->u.pLayerInfo = below;  // before the request, which may copy the node

  std::optional<DeviceRequest> request;
  if (instance.checks_anything()) guarded([&] { request.emplace(instance, physicalDevice, *pCreateInfo); });
  VkResult result = create(physicalDevice, request ? &request->info() : pCreateInfo, pAllocator, pDevice);
  if (result < 0 && request && request->changed()) {
    link->u.pLayerInfo = below;  // the layers below have advanced it
    const VkResult refused = result;
    result = create(physicalDevice, pCreateInfo, pAllocator, pDevice);
    guarded([&] {
      request->give_up("the driver refuses to enable what is needed (VkResult " + std::to_string(refused) +
                       ")");
    });
  }
  if (result != VK_SUCCESS) return result;

  Device* device = nullptr;
  guarded([&] {
    DeviceFacts facts;
    if (request) facts = std::move(request->facts);
    facts.set_loader_data = find_loader_callback(*pCreateInfo);
    device = new Device(*pDevice, instance.self, next_gdpa, std::move(facts));
    devices().insert(dispatch_key(*pDevice), device);
    log_device(*device);
    if (instance.checks_anything()) tell_switch(instance, *pCreateInfo);
    instance.summary->device(device->facts.name, device->facts.driver, device->facts.inert_reason);
    for (const std::string& restriction : device->facts.restrictions) device->note(restriction, restriction);
  });
  if (!device) {
    const auto destroy = reinterpret_cast<PFN_vkDestroyDevice>(next_gdpa(*pDevice, "vkDestroyDevice"));
    destroy(*pDevice, pAllocator);
    return VK_ERROR_OUT_OF_HOST_MEMORY;
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyDevice(VkDevice handle, const VkAllocationCallbacks* pAllocator) {
  if (!handle) return;
  Device* device = devices().erase(dispatch_key(handle));
  const PFN_vkDestroyDevice destroy = device->next.DestroyDevice;
  delete device;
  destroy(handle, pAllocator);
}

}  // namespace shaderqa::layer
