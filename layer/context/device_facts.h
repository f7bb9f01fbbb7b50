// SPDX-License-Identifier: Apache-2.0
// What is known about a VkDevice: what it can do, and what was enabled when it was created.
#ifndef SHADERQA_LAYER_CONTEXT_DEVICE_FACTS_H
#define SHADERQA_LAYER_CONTEXT_DEVICE_FACTS_H

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace shaderqa::layer {

// Constant once the application has the device.
struct DeviceFacts {
  std::string name, driver;  // of the physical device
  std::string inert_reason;  // why no shader of this device is instrumented; empty: shaders are instrumented
  // What else is missing, each a sentence's end for the user, because a structure of the application could
  // not be changed.
  std::vector<std::string> restrictions;
  bool int64_atomics = false;
  bool vertex_stores = false;    // vertexPipelineStoresAndAtomics
  bool fragment_stores = false;  // fragmentStoresAndAtomics
  bool memory_model_device_scope = false;
  bool expect_assume = false;            // the application enables shaderExpectAssume
  bool memory_barrier = true;            // the driver supports OpMemoryBarrier in divergent control flow
  bool loads_while_inactive = false;     // from addresses that are the same for all (varying_zero.h)
  bool keeps_dispatch_base = false;      // vkCmdDispatchBase's, for the indirect commands that follow
  bool inlines_calls = false;            // the driver does so in spite of DontInline, and has room for queues
  VkShaderStageFlags ballot_stages = 0;  // the stages with subgroup vote and ballot
  bool stable_addresses = false;         // bufferDeviceAddressCaptureReplay
  bool is_cpu = false;                   // device addresses are host addresses
  VkDeviceSize host_import_alignment = 0;  // 0: no VK_EXT_external_memory_host
  std::vector<uint32_t> queue_families;    // those that the application has queues of
  std::vector<bool> compute_families;      // by family index: its queues can dispatch
  std::vector<uint32_t> timestamp_bits;    // by family index; 0: it has no timestamps
  VkPhysicalDeviceMemoryProperties memory{};
  VkPhysicalDeviceLimits limits{};
  // For command buffers that the layer allocates. Null: the loader is too old to provide it.
  PFN_vkSetDeviceLoaderData set_loader_data = nullptr;
  bool descriptor_buffers = false;  // the application enables VK_EXT_descriptor_buffer
  VkPhysicalDeviceDescriptorBufferPropertiesEXT descriptor_sizes{};  // of its descriptors then
  bool robust_descriptors = false;     // the application enables robustBufferAccess
  bool generated_commands = false;     // the application enables VK_EXT_device_generated_commands
  bool generated_commands_nv = false;  // ... VK_NV_device_generated_commands, or that for compute
  bool places_maps = false;            // the application enables VK_EXT_map_memory_placed
  bool pushed_records = false;         // push descriptors can be used together with descriptor buffers
  bool descriptor_heaps = false;       // the application enables VK_EXT_descriptor_heap
  std::vector<std::pair<VkDescriptorType, size_t>> heap_descriptor_sizes;  // of those that may be followed
  uint32_t push_data_size = 0;  // maxPushDataSize, with descriptor heaps
};

}  // namespace shaderqa::layer
#endif
