// SPDX-License-Identifier: Apache-2.0
// A Vulkan driver without a device, for tests of layers: it records what reaches it, breaks where it is told
// to, and its memory is host memory (a buffer's device address is its host address), so that a test can write
// what a shader would.
//
// The loader loads it like any driver. A test reaches the same instance of the library by
// dlopen(path, RTLD_NOLOAD) and dlsym(kEntryPoint); it then keeps its state beyond the loader's dlclose.
#ifndef SHADERQA_TESTS_NULL_DRIVER_NULL_DRIVER_H
#define SHADERQA_TESTS_NULL_DRIVER_NULL_DRIVER_H

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace shaderqa::null_driver {

struct Fault {
  std::string command;
  uint64_t call = 1;  // counted from the configuration on, the first is 1; 0: every call
  VkResult result = VK_ERROR_UNKNOWN;
};

// In a subprocess the environment variable SHADERQA_NULL_DRIVER holds the same, see environment.cpp.
struct Config {
  uint32_t api_version = VK_API_VERSION_1_3;  // of driver and device
  std::set<std::string> missing_extensions;   // of instance and device
  std::set<std::string> missing_features;     // by member name, wherever the member is
  std::set<std::string>
      refused_features;  // said to be supported, but device creation fails if they are enabled
  std::set<std::string> missing_commands;  // vkGet*ProcAddr answers NULL
  std::vector<VkMemoryPropertyFlags> memory_types = {
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
          VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT};
  VkPhysicalDeviceType device_type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  VkDriverId driver_id{};            // 0: of no driver
  std::string driver_info = "none";  // at most VK_MAX_DRIVER_INFO_SIZE - 1 bytes
  uint64_t heap_bytes = 8ull << 30;
  uint64_t largest_allocation = UINT64_MAX;  // bytes; there is no memory for more
  uint32_t max_bound_sets = 8;
  uint32_t max_push_constants = 128;
  uint32_t max_dynamic_uniform_buffers = 16;
  uint32_t max_stage_uniform_buffers = 64;
  uint32_t max_stage_resources = 128;
  bool bufferless_push_descriptors = true;
  uint32_t sampler_descriptor_bytes = 8;
  uint32_t queue_families = 1;
  uint32_t timestamp_bits = 0;  // of every queue family
  VkSubgroupFeatureFlags subgroup_operations = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT;
  std::vector<VkResult> present_results;  // by swapchain; VK_SUCCESS beyond
  std::vector<Fault> faults;
  // Pipelines and shader objects with any other SPIR-V fail with VK_ERROR_UNKNOWN. Empty: all are taken.
  std::vector<std::vector<uint32_t>> accepted_words;
  // How long the compiler takes for a pipeline, unless all its shaders are among these.
  uint32_t pipeline_ms = 0;
  // Called by commands that wait for the device, outside of the driver's lock. May be empty.
  std::function<void()> while_waiting;
  // For benchmarks: devices that are made from now on record no commands and descriptor updates, and count
  // and check none.
  bool quiet = false;
  std::vector<std::vector<uint32_t>> quick_words;
};

using Chain = std::vector<VkStructureType>;  // sTypes of a pNext chain, in order

struct InstanceRecord {
  bool application_info = false;
  uint32_t api_version = 0;
  std::vector<std::string> extensions;
};

struct DeviceRecord {
  VkResult result = VK_SUCCESS;
  std::vector<std::string> extensions;
  std::set<std::string> features;       // enabled, by member name, wherever they were put
  bool enabled_features_given = false;  // pEnabledFeatures is not NULL
  Chain chain;
};

struct ModuleRecord {
  VkShaderModule module = VK_NULL_HANDLE;
  std::vector<uint32_t> words;
  Chain chain;
};

struct StageRecord {
  VkShaderStageFlagBits stage{};
  std::string entry_point;
  std::vector<uint32_t> words;  // of the module, or of the module create info in the chain
  bool inline_module = false;
  std::map<uint32_t, uint32_t> constants;  // specialisation constants of 32 bits, by their numbers
  Chain chain;
};

// One pipeline or shader object.
struct PipelineRecord {
  std::string command;
  uint32_t batch = 1;  // how many the call creates
  VkResult result = VK_SUCCESS;
  uint64_t handle = 0;
  VkPipelineCreateFlags flags = 0;
  uint64_t base_handle = 0;
  int32_t base_index = -1;
  bool deferred = false;
  bool allocator = false;  // the application's
  bool cache = false;
  VkPipelineLayout layout = VK_NULL_HANDLE;  // of a pipeline
  Chain chain;
  std::vector<uint64_t> libraries;  // of a graphics pipeline
  std::vector<StageRecord> stages;
};

struct AllocationRecord {
  uint64_t size = 0;
  uint32_t memory_type = 0;
  bool imported = false;
  VkMemoryAllocateFlags flags = 0;
  Chain chain;
};

struct BufferRecord {
  VkBuffer handle = VK_NULL_HANDLE;
  uint64_t size = 0;
  VkBufferCreateFlags flags = 0;
  VkBufferUsageFlags usage = 0;    // of the VkBufferCreateInfo
  VkBufferUsageFlags2 usage2 = 0;  // of the VkBufferUsageFlags2CreateInfo
  Chain chain;
};

struct SetLayoutRecord {
  VkDescriptorSetLayout handle = VK_NULL_HANDLE;
  VkDescriptorSetLayoutCreateFlags flags = 0;
  std::vector<VkDescriptorSetLayoutBinding> bindings;
};

struct PipelineLayoutRecord {
  VkPipelineLayout handle = VK_NULL_HANDLE;  // null: it was refused
  VkPipelineLayoutCreateFlags flags = 0;
  std::vector<VkDescriptorSetLayout> set_layouts;
  std::vector<VkPushConstantRange> push_constants;
};

// A command of a command buffer that is recorded, vkBeginCommandBuffer and vkEndCommandBuffer included.
struct CommandRecord {
  uint64_t command_buffer = 0;
  std::string command;           // without "vk"
  std::vector<uint64_t> values;  // what the driver says of its arguments
};

// One batch of a submission.
struct BatchRecord {
  uint64_t queue = 0;
  std::vector<uint64_t> command_buffers;
  std::vector<uint64_t> waits, signals;  // semaphores
  std::vector<uint32_t> device_masks;    // of vkQueueSubmit2: one a command buffer
  Chain chain;
};

struct Log {
  std::vector<InstanceRecord> instances;
  std::vector<DeviceRecord> devices;  // one a call of vkCreateDevice, failed ones too
  std::vector<ModuleRecord> modules;
  std::vector<PipelineRecord> pipelines;
  std::vector<AllocationRecord> allocations;
  std::vector<CommandRecord> commands;
  std::vector<BatchRecord> batches;
  std::vector<BufferRecord> buffers;
  std::vector<BufferRecord> buffer_queries;  // of vkGetDeviceBufferMemoryRequirements
  std::vector<SetLayoutRecord> set_layouts;
  std::vector<PipelineLayoutRecord> pipeline_layouts;
  std::vector<VkPipelineLayout> indirect_commands_layouts;  // that vkCreateIndirectCommandsLayoutEXT named
  uint64_t descriptor_writes = 0;  // descriptors that reached the driver, by any command
  uint64_t descriptor_copies = 0;
  std::map<std::string, std::string> names;  // of vkSetDebugUtilsObjectNameEXT, by handle in hexadecimal
  std::map<std::string, uint64_t> calls;
  std::map<std::string, int64_t> live;  // objects by type, all devices together
  // What no correct program does: leaks at vkDestroyDevice, unknown handles, contradictory chains, ...
  std::vector<std::string> violations;
};

class Driver {
 public:
  virtual void reset(const Config& config) = 0;      // forgets the log; call numbers of faults start again
  virtual void configure(const Config& config) = 0;  // keeps the log; call numbers of faults start again
  virtual Config config() = 0;
  virtual Log log() = 0;
  // Memory of live allocations, as a shader could reach it.
  virtual std::vector<std::span<std::byte>> memory() = 0;
  // What the driver's vkGetDeviceProcAddr would answer, whatever is missing.
  virtual PFN_vkVoidFunction command(const char* name) = 0;

 protected:
  ~Driver() = default;
};

constexpr const char* kEntryPoint = "shaderqa_null_driver";
using EntryPoint = Driver* (*)();

}  // namespace shaderqa::null_driver
#endif
