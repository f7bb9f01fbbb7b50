// SPDX-License-Identifier: Apache-2.0
// What the layer adds to a vkCreateDevice, and what it learns about the device on the way.
#ifndef SHADERQA_LAYER_LOADER_DEVICE_FEATURES_H
#define SHADERQA_LAYER_LOADER_DEVICE_FEATURES_H

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

#include <string>
#include <string_view>
#include <vector>

#include "layer/loader/instance.h"
#include "layer/vk/arena.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {

// Fixed once the device exists.
struct DeviceFacts {
  std::string inert_reason;  // why no shader of this device is instrumented; empty: they are
  bool int64_atomics = false;
  bool vertex_stores = false;    // vertexPipelineStoresAndAtomics
  bool fragment_stores = false;  // fragmentStoresAndAtomics
  bool memory_model_device_scope = false;
  bool expect_assume = false;              // shaderExpectAssume, and the application enables it
  bool memory_barrier = true;              // the driver survives one in divergent control flow
  VkShaderStageFlags ballot_stages = 0;    // where subgroups vote and ballot
  bool stable_addresses = false;           // bufferDeviceAddressCaptureReplay
  bool is_cpu = false;                     // its addresses are the host's
  VkDeviceSize host_import_alignment = 0;  // 0: no VK_EXT_external_memory_host
  std::vector<uint32_t> queue_families;
  std::vector<bool> compute_families;  // by number: its queues can dispatch
  VkPhysicalDeviceMemoryProperties memory{};
  VkPhysicalDeviceLimits limits{};
  PFN_vkSetDeviceLoaderData set_loader_data =
      nullptr;                      // for command buffers of our own; null: the loader is old
  bool descriptor_buffers = false;  // the application enables VK_EXT_descriptor_buffer
  bool generated_commands = false;  // ... VK_EXT_device_generated_commands
  bool pushed_records = false;      // and descriptors can be pushed beside them
};

// A copy of the application's VkDeviceCreateInfo with what instrumented shaders need. Where something
// essential is missing or would not be legal it stays the original, and the facts say why.
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
  void query_device();
  void apply_patches();

  // The patches. Each is for one thing, and does nothing where the device has not got it.
  void enable_device_addresses();
  void enable_stable_addresses();
  void enable_int64_atomics();
  void enable_stores();
  void enable_memory_model_device_scope();
  void enable_host_import();
  void enable_pushed_records();

  bool has_extension(std::string_view name) const;
  bool app_enables(std::string_view extension) const;
  void add_extension(const char* name);
  // Sets a bit where the application already speaks of it, else in a structure of our own.
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
