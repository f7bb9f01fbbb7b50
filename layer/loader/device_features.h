// SPDX-License-Identifier: Apache-2.0
// What the layer adds to a vkCreateDevice, and what it learns about the device from it.
#ifndef SHADERQA_LAYER_LOADER_DEVICE_FEATURES_H
#define SHADERQA_LAYER_LOADER_DEVICE_FEATURES_H

#include <vulkan/vulkan_core.h>

#include <string>
#include <string_view>
#include <vector>

#include "layer/context/device_facts.h"
#include "layer/vk/arena.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {

struct Instance;

// A copy of the application's VkDeviceCreateInfo with what instrumented shaders need. If something essential
// is missing or would not be valid, info() stays the original and the facts say why.
class DeviceRequest {
 public:
  DeviceRequest(const Instance& instance, VkPhysicalDevice physical, const VkDeviceCreateInfo& original);
  DeviceRequest(const DeviceRequest&) = delete;
  DeviceRequest& operator=(const DeviceRequest&) = delete;

  const VkDeviceCreateInfo& info() const { return changed_ ? edited_ : original_; }
  bool changed() const { return changed_; }
  void give_up(const std::string& reason);
  DeviceFacts facts;

 private:
  // What the device is, has and can. query_device() gives up if the layer cannot serve it.
  void query_device();
  void query_extensions();
  void query_features();
  void query_properties(const VkPhysicalDeviceProperties& properties);
  void query_heaps();
  void apply_patches();

  // The patches: each enables one thing, unless the device does not support it, or the structure to change
  // cannot be copied.
  void enable_device_addresses();
  void enable_stable_addresses();
  void enable_int64_atomics();
  void enable_vertex_stores();
  void enable_fragment_stores();
  void enable_memory_model_device_scope();
  void enable_host_import();
  void enable_pushed_records();

  bool has_extension(std::string_view name) const;
  bool app_enables(std::string_view extension) const;
  void add_extension(const char* name);
  // Sets a feature's bit in the application's structure if there is one, else in a structure of our own.
  void set_core(VkBool32 VkPhysicalDeviceFeatures::*bit);
  template <typename Dedicated>
  void set_extended(VkStructureType type, VkBool32 Dedicated::*bit,
                    VkBool32 VkPhysicalDeviceVulkan12Features::*in_12);
  template <typename Dedicated>
  bool app_sets(VkStructureType type, VkBool32 Dedicated::*bit,
                VkBool32 VkPhysicalDeviceVulkan12Features::*in_12) const;

  const Instance& instance_;
  const VkPhysicalDevice physical_;
  const VkDeviceCreateInfo& original_;

  Arena arena_;
  EditableChain chain_;
  VkDeviceCreateInfo edited_;
  VkPhysicalDeviceFeatures enabled_features_{};
  std::vector<const char*> extensions_;
  bool changed_ = false;

  uint32_t api_version_ = VK_API_VERSION_1_0;  // the lower one of instance and device
  std::vector<VkExtensionProperties> available_extensions_;
  VkPhysicalDeviceFeatures core_{};
  VkPhysicalDeviceBufferDeviceAddressFeatures addresses_{};
  VkPhysicalDeviceShaderAtomicInt64Features atomics_{};
  VkPhysicalDeviceVulkanMemoryModelFeatures memory_model_{};
  VkPhysicalDeviceDescriptorBufferFeaturesEXT buffer_features_{};
  VkPhysicalDeviceDescriptorBufferPropertiesEXT buffer_properties_{};
};

}  // namespace shaderqa::layer
#endif
