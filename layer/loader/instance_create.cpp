// SPDX-License-Identifier: Apache-2.0
#include <vulkan/vk_layer.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/cache/shader_cache.h"
#include "host/findings/report.h"
#include "host/settings/hash_filter.h"
#include "host/settings/name_filter.h"
#include "layer/context/instance.h"
#include "layer/loader/dispatch.h"
#include "layer/loader/layer_settings.h"
#include "layer/loader/messengers.h"
#include "layer/pipelines/shader_dump.h"
#include "layer/vk/guarded.h"
#include "layer/vk/link_info.h"

namespace shaderqa::layer {
namespace {

// Buffer device addresses are core since 1.2. An application that asks for less gets a superset of what it
// may rely on.
constexpr uint32_t kNeededApiVersion = VK_API_VERSION_1_2;

uint32_t requested_api_version(const VkInstanceCreateInfo& info) {
  const VkApplicationInfo* application = info.pApplicationInfo;
  return application && application->apiVersion ? application->apiVersion : VK_API_VERSION_1_0;
}

// The application's create info with a higher version. Loaders provide vkGetPhysicalDeviceFeatures2 by the
// version that the application asked for, so an application of 1.0 also needs the extension for it.
class VersionRaise {
 public:
  VersionRaise(const VkInstanceCreateInfo& info, uint32_t version) : info_(info) {
    if (info.pApplicationInfo) application_ = *info.pApplicationInfo;
    application_.apiVersion = version;
    info_.pApplicationInfo = &application_;
    extensions_.assign(info.ppEnabledExtensionNames,
                       info.ppEnabledExtensionNames + info.enabledExtensionCount);
    const std::string_view needed = VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME;
    if (std::ranges::find(extensions_, needed) == extensions_.end()) extensions_.push_back(needed.data());
    info_.enabledExtensionCount = static_cast<uint32_t>(extensions_.size());
    info_.ppEnabledExtensionNames = extensions_.data();
  }
  VersionRaise(const VersionRaise&) = delete;
  VersionRaise& operator=(const VersionRaise&) = delete;
  const VkInstanceCreateInfo& info() const { return info_; }

 private:
  VkApplicationInfo application_{VK_STRUCTURE_TYPE_APPLICATION_INFO, nullptr, nullptr, 0, nullptr, 0, 0};
  VkInstanceCreateInfo info_;
  std::vector<const char*> extensions_;
};

void note_raise(Instance& instance) {
  const uint32_t asked_version = std::exchange(instance.api_version, kNeededApiVersion);
  if (!instance.settings.printf_verbose) return;
  guarded([&] {
    const std::string asked = std::to_string(VK_API_VERSION_MAJOR(asked_version)) + '.' +
                              std::to_string(VK_API_VERSION_MINOR(asked_version));
    instance.note("api version",
                  "the application asks for Vulkan " + asked +
                      "; the layer asks for 1.2 on its behalf, for buffer device addresses",
                  Concern::nothing);
  });
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateInstance(const VkInstanceCreateInfo* pCreateInfo,
                                                     const VkAllocationCallbacks* pAllocator,
                                                     VkInstance* pInstance) {
  VkLayerInstanceCreateInfo* link =
      find_link_info<VkLayerInstanceCreateInfo>(*pCreateInfo, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  if (!link) return VK_ERROR_INITIALIZATION_FAILED;
  const PFN_vkGetInstanceProcAddr next_get_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  const auto create =
      reinterpret_cast<PFN_vkCreateInstance>(next_get_proc(VK_NULL_HANDLE, "vkCreateInstance"));
  if (!create) return VK_ERROR_INITIALIZATION_FAILED;
  VkLayerInstanceLink* const below = link->u.pLayerInfo->pNext;
  link->u.pLayerInfo = below;

  std::shared_ptr<Instance> instance;
  const bool prepared = guarded([&] {
    const LoadedSettings loaded = load_layer_settings(pCreateInfo->pNext);
    // The log ends after the instance and the devices that share it.
    const auto log = open_layer_log(loaded.settings);
    instance =
        std::shared_ptr<Instance>(new Instance(loaded.settings), [log](Instance* last) { delete last; });
    instance->messengers = std::make_shared<Messengers>(*instance->reporter);
    instance->messengers->set_chained(pCreateInfo->pNext);
    if (!log->problem().empty()) instance->note("log file", log->problem(), Concern::nothing);
    for (const std::string& problem : loaded.problems) instance->note(problem, problem);
    instance->name_filter =
        std::make_shared<const NameFilter>(instance->settings.only, instance->settings.skip);
    instance->dump = std::make_shared<ShaderDump>(instance->settings.dump_dir);
    load_hash_filter(*instance);
    instance->possible = possible_checks(instance->settings, *instance->hash_filter);
    open_shader_cache(*instance);
    instance->begin_summary();
  });
  if (!prepared) return VK_ERROR_OUT_OF_HOST_MEMORY;

  instance->api_version = requested_api_version(*pCreateInfo);
  VkResult result = VK_ERROR_INITIALIZATION_FAILED;
  bool created = false;
  // The only way to find out whether the layers and drivers below support the version is to try: they need
  // not have vkEnumerateInstanceVersion, and some crash in it.
  if (instance->checks_anything() && instance->api_version < kNeededApiVersion) {
    std::optional<VersionRaise> raise;
    guarded([&] { raise.emplace(*pCreateInfo, kNeededApiVersion); });
    if (raise) result = create(&raise->info(), pAllocator, pInstance);
    created = result == VK_SUCCESS;
    if (created) {
      note_raise(*instance);
    } else {
      link->u.pLayerInfo = below;  // the layers below have advanced it
    }
  }
  if (!created) result = create(pCreateInfo, pAllocator, pInstance);
  if (result != VK_SUCCESS) return result;

  instance->handle = *pInstance;
  instance->next_get_proc = next_get_proc;
  instance->next.load(*pInstance, next_get_proc);
  Instance& published = *instance;
  published.self = std::move(instance);
  instances().insert(dispatch_key(*pInstance), &published);
  guarded([&] { published.messengers->deliver_to_chained(); });
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyInstance(VkInstance handle,
                                                  const VkAllocationCallbacks* pAllocator) {
  if (!handle) return;
  Instance* instance = instances().erase(dispatch_key(handle));
  const PFN_vkDestroyInstance destroy = instance->next.DestroyInstance;
  if (!instance->in_forked_child()) {
    guarded([&] {
      instance->reporter->flush();
      instance->messengers->deliver();
      instance->messengers->deliver_to_chained();
    });
    instance->self.reset();
  }
  destroy(handle, pAllocator);
}

}  // namespace shaderqa::layer
