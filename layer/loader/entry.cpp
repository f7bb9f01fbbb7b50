// SPDX-License-Identifier: Apache-2.0
// The entry points for the loader: the negotiation and vkGet*ProcAddr.
#include <vulkan/vk_layer.h>

#include <algorithm>
#include <string_view>

#include "layer/context/hook_table.h"
#include "layer/context/instance.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"

namespace shaderqa::layer {

// A command that the next layer lacks must look missing here too, so a hook is returned only for others.
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL hooks::GetInstanceProcAddr(VkInstance handle, const char* pName) {
  if (const PFN_vkVoidFunction hook = find_global_hook(pName)) return hook;
  // RenderDoc's layer asks without an instance, and calls what it gets.
  if (!handle && std::string_view(pName) == "vkCreateDevice") return find_instance_hook(pName, kHookAlways);
  const Instance* instance = handle ? instances().find(dispatch_key(handle)) : nullptr;
  if (!instance) return nullptr;
  const PFN_vkVoidFunction next = instance->next_get_proc(handle, pName);
  if (!next) return nullptr;
  const uint32_t groups = instance->hook_groups();
  if (const PFN_vkVoidFunction hook = find_instance_hook(pName, groups)) return hook;
  if (const PFN_vkVoidFunction hook = find_device_hook(pName, groups)) return hook;
  return next;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL hooks::GetDeviceProcAddr(VkDevice handle, const char* pName) {
  const Device* device = handle ? devices().find(dispatch_key(handle)) : nullptr;
  if (!device) return nullptr;
  const PFN_vkVoidFunction next = device->next_get_proc(handle, pName);
  if (!next) return nullptr;
  const PFN_vkVoidFunction hook = find_device_hook(pName, device->hook_groups());
  return hook ? hook : next;
}

}  // namespace shaderqa::layer

extern "C" __attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* pVersionStruct) {
  if (!pVersionStruct || pVersionStruct->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
      pVersionStruct->loaderLayerInterfaceVersion < 2) {
    return VK_ERROR_INITIALIZATION_FAILED;
  }
  pVersionStruct->loaderLayerInterfaceVersion =
      std::min<uint32_t>(pVersionStruct->loaderLayerInterfaceVersion, CURRENT_LOADER_LAYER_INTERFACE_VERSION);
  pVersionStruct->pfnGetInstanceProcAddr = shaderqa::layer::hooks::GetInstanceProcAddr;
  pVersionStruct->pfnGetDeviceProcAddr = shaderqa::layer::hooks::GetDeviceProcAddr;
  pVersionStruct->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
