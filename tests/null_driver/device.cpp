// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "tests/null_driver/commands.h"
#include "tests/null_driver/features.h"
#include "tests/null_driver/state.h"

namespace shaderqa::null_driver {
namespace {

// Reads a device's creation as strictly as a driver with validation would.
class CreateInfoReader {
 public:
  CreateInfoReader(const VkDeviceCreateInfo& info, Device& device) : info_(info), device_(device) {}

  VkResult read() {
    record.chain = chain_of(info_.pNext);
    record.enabled_features_given = info_.pEnabledFeatures != nullptr;
    for (uint32_t i = 0; i < info_.enabledExtensionCount; ++i)
      read_extension(info_.ppEnabledExtensionNames[i]);
    if (info_.pEnabledFeatures) read_members(core_features(), info_.pEnabledFeatures);
    for (auto node = static_cast<const VkBaseInStructure*>(info_.pNext); node; node = node->pNext)
      read_node(node);
    record.features = device_.features;
    record.result = result_;
    return result_;
  }

  DeviceRecord record;

 private:
  void read_extension(const std::string& name) {
    record.extensions.push_back(name);
    if (!device_.extensions.insert(name).second) state().violation("extension enabled twice: " + name);
    for (const VkExtensionProperties& supported : supported_device_extensions()) {
      if (name == supported.extensionName) return;
    }
    result_ = VK_ERROR_EXTENSION_NOT_PRESENT;
  }

  void read_members(const std::vector<FeatureMember>& members, const void* structure) {
    for (const FeatureMember& member : members) {
      VkBool32 value = VK_FALSE;
      std::memcpy(&value, static_cast<const std::byte*>(structure) + member.offset, sizeof value);
      if (!value) continue;
      device_.features.insert(member.name);
      const Config& config = state().settings;
      if (config.missing_features.contains(member.name))
        state().violation(std::string("unsupported feature ") + member.name);
      if (config.missing_features.contains(member.name) || config.refused_features.contains(member.name)) {
        result_ = VK_ERROR_FEATURE_NOT_PRESENT;
      }
    }
  }

  void read_node(const VkBaseInStructure* node) {
    if (node->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2) {
      if (info_.pEnabledFeatures) state().violation("both pEnabledFeatures and VkPhysicalDeviceFeatures2");
      read_members(core_features(), &reinterpret_cast<const VkPhysicalDeviceFeatures2*>(node)->features);
    }
    // The loader's own structure is there several times.
    if (node->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO && !seen_.insert(node->sType).second) {
      state().violation("twice in the chain of vkCreateDevice: sType " + std::to_string(node->sType));
    }
    const FeatureStructure* structure = find_feature_structure(node->sType);
    if (!structure) return;
    read_members(structure->members, node);
    if (structure->gathered_in != VK_STRUCTURE_TYPE_MAX_ENUM &&
        find_in_chain<VkBaseInStructure>(info_.pNext, structure->gathered_in)) {
      state().violation("in the chain of vkCreateDevice with what gathers it: sType " +
                        std::to_string(node->sType));
    }
    const bool by_extension = structure->extension && device_.extensions.contains(structure->extension);
    if (!by_extension && device_.api_version < structure->version) {
      state().violation("features of an extension that is not enabled: sType " + std::to_string(node->sType));
    }
  }

  const VkDeviceCreateInfo& info_;
  Device& device_;
  VkResult result_ = VK_SUCCESS;
  std::set<VkStructureType> seen_;
};

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical_device, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks*, VkDevice* device) {
  Call call("vkCreateDevice");
  auto created = std::make_unique<Device>();
  created->instance = reinterpret_cast<PhysicalDevice*>(physical_device)->instance;
  created->api_version = std::min(created->instance->api_version, state().settings.api_version);
  CreateInfoReader reader(*info, *created);
  VkResult result = reader.read();
  if (call.fault) result = reader.record.result = call.fault;
  state().records.devices.push_back(std::move(reader.record));
  if (result != VK_SUCCESS) return result;
  for (uint32_t i = 0; i < info->queueCreateInfoCount; ++i) {
    for (uint32_t k = 0; k < info->pQueueCreateInfos[i].queueCount; ++k) {
      created->queues.push_back(std::make_unique<Queue>());
      created->queues.back()->device = created.get();
      created->queues.back()->family = info->pQueueCreateInfos[i].queueFamilyIndex;
    }
  }
  ++state().records.live["VkDevice"];
  *device = reinterpret_cast<VkDevice>(created.release());
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyDevice(VkDevice device, const VkAllocationCallbacks*) {
  Call call("vkDestroyDevice");
  if (!device) return;
  auto self = reinterpret_cast<Device*>(device);
  if (state().compiling[self]) state().violation("pipelines of a device that is destroyed are being made");
  state().compiling.erase(self);
  state().remove_children(self);
  --state().records.live["VkDevice"];
  delete self;
}

VKAPI_ATTR void VKAPI_CALL GetDeviceQueue(VkDevice device, uint32_t family, uint32_t index, VkQueue* queue) {
  Call call("vkGetDeviceQueue");
  *queue = VK_NULL_HANDLE;
  for (const auto& candidate : reinterpret_cast<Device*>(device)->queues) {
    if (candidate->family != family || index-- != 0) continue;
    *queue = reinterpret_cast<VkQueue>(candidate.get());
    return;
  }
  state().violation("vkGetDeviceQueue for a queue that was not created");
}

VKAPI_ATTR void VKAPI_CALL GetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2* info, VkQueue* queue) {
  GetDeviceQueue(device, info->queueFamilyIndex, info->queueIndex, queue);
}

VKAPI_ATTR VkResult VKAPI_CALL SetDebugUtilsObjectNameEXT(VkDevice,
                                                          const VkDebugUtilsObjectNameInfoEXT* info) {
  Call call("vkSetDebugUtilsObjectNameEXT");
  if (call.fault) return call.fault;
  char handle[17];
  std::snprintf(handle, sizeof handle, "%llx", static_cast<unsigned long long>(info->objectHandle));
  state().records.names[handle] = info->pObjectName ? info->pObjectName : "";
  return VK_SUCCESS;
}

}  // namespace shaderqa::null_driver
