// SPDX-License-Identifier: Apache-2.0
// The Vulkan boilerplate that samples, end-to-end tests and benchmarks share: one device, buffers, images,
// compute pipelines, barriers, shader objects. Everything made through it lives until the Device goes.
#ifndef SHADERQA_SAMPLES_VULKAN_KIT_H
#define SHADERQA_SAMPLES_VULKAN_KIT_H

#include <volk.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kit {

// Throws std::runtime_error naming the call and its result.
void check(VkResult result, const char* call);

// vkCmdPipelineBarrier with one memory barrier.
void memory_barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags made,
                    VkPipelineStageFlags to, VkAccessFlags seen);
// Binds one descriptor buffer, of resources and at this address, as set 0 from its begin on.
void bind_descriptor_buffer(VkCommandBuffer commands, VkPipelineBindPoint point, VkPipelineLayout layout,
                            VkDeviceAddress address);
// What compute shaders wrote, compute shaders behind it read and write.
void compute_barrier(VkCommandBuffer commands);

struct DeviceOptions {
  uint32_t api_version = VK_API_VERSION_1_1;
  uint32_t device_index = 0;
  uint32_t queue_count = 1;   // fewer where the family has fewer
  bool other_family = false;  // one queue of another family with compute too, where there is one
  std::vector<const char*> instance_extensions;
  std::vector<const char*> device_extensions;
  const void* instance_next = nullptr;
  const void* device_next = nullptr;
  VkPhysicalDeviceFeatures features{};
};

struct Buffer {
  VkBuffer handle = VK_NULL_HANDLE;
  VkDeviceSize size = 0;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  void* mapped = nullptr;
  template <typename T>
  std::span<T> as() const {
    return {static_cast<T*>(mapped), static_cast<size_t>(size / sizeof(T))};
  }
};

struct Image {
  VkImage handle = VK_NULL_HANDLE;
  VkImageView view = VK_NULL_HANDLE;
};

struct Compute {
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;  // one storage buffer a binding, from 0
};

class Device {
 public:
  explicit Device(const DeviceOptions& options);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice gpu = VK_NULL_HANDLE;
  VkPhysicalDeviceProperties properties{};
  VkDevice handle = VK_NULL_HANDLE;
  uint32_t queue_family = 0;
  std::vector<VkQueue> queues;
  uint32_t other_queue_family = VK_QUEUE_FAMILY_IGNORED;
  VkQueue other_queue = VK_NULL_HANDLE;  // of options.other_family

  bool has_extension(const char* name) const;
  // One of the structures that extend VkPhysicalDeviceProperties2.
  template <typename Extending>
  Extending properties_of(VkStructureType type) const {
    Extending extending{};
    extending.sType = type;
    query(&extending);
    return extending;
  }
  // Host-visible, mapped, zeroed. on_device: in memory of the GPU if the host sees any, where host writes
  // reach a shader that already runs (and host reads are slow).
  Buffer buffer(VkDeviceSize size, VkBufferUsageFlags usage, bool on_device = false,
                const void* next = nullptr);
  // Mapped, zeroed, the destination of a copy whose result the host reads: in memory that the host caches, if
  // there is such.
  Buffer readback_buffer(VkDeviceSize size);
  VkDeviceAddress address(const Buffer& buffer) const;  // of one made with that usage
  void name(const Buffer& buffer, const char* name);    // with VK_EXT_debug_utils
  Image image(VkFormat format, VkExtent2D extent, VkImageUsageFlags usage, VkImageAspectFlags aspect,
              uint32_t layers = 1);
  VkShaderModule shader(std::span<const uint32_t> words);
  VkDescriptorSetLayout set_layout(std::span<const VkDescriptorSetLayoutBinding> bindings,
                                   const void* next = nullptr, VkDescriptorSetLayoutCreateFlags flags = 0);
  VkDescriptorSet descriptor_set(VkDescriptorSetLayout layout,
                                 std::span<const VkDescriptorSetLayoutBinding> bindings);
  void write_buffer(VkDescriptorSet set, uint32_t binding, const Buffer& buffer,
                    VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER);
  VkPipelineLayout pipeline_layout(std::span<const VkDescriptorSetLayout> sets,
                                   VkShaderStageFlags push_stages, uint32_t push_bytes);
  VkPipeline compute_pipeline(std::span<const uint32_t> words, VkPipelineLayout layout,
                              const char* entry_point = "main");
  // The last `uniforms` of the buffers are bound as uniform buffers, the others as storage buffers.
  Compute compute(std::span<const uint32_t> words, const std::vector<Buffer>& buffers,
                  uint32_t push_bytes = 0, const char* entry_point = "main", uint32_t uniforms = 0);

  VkCommandBuffer begin();
  void free(VkCommandBuffer commands);  // one of begin(), when it has run
  // Ends, submits to a queue and waits for a fence.
  void run(VkCommandBuffer commands, uint32_t queue = 0);
  // Runs at destruction, last added first. Any thread may add.
  void later(std::function<void()> destroy) {
    const std::lock_guard lock(cleanup_mutex_);
    cleanup_.push_back(std::move(destroy));
  }

 private:
  void query(void* extending_properties) const;
  // In host-visible memory that has the preferred properties as well, if any has.
  Buffer mapped_buffer(VkDeviceSize size, VkBufferUsageFlags usage, VkMemoryPropertyFlags preferred,
                       const void* next);
  std::optional<uint32_t> memory_type(const VkMemoryRequirements& requirements,
                                      VkMemoryPropertyFlags wanted) const;
  VkDeviceMemory allocate(const VkMemoryRequirements& requirements, VkMemoryPropertyFlags wanted,
                          bool with_address = false);
  void create_instance(const DeviceOptions& options);
  void create_device(const DeviceOptions& options);

  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::mutex cleanup_mutex_;
  std::vector<std::function<void()>> cleanup_;
};

std::string read_text(const std::string& path);
// The words of a SPIR-V file.
std::vector<uint32_t> read_spirv(const std::string& path);

// FNV-1a, word by word; goes on from `hash`.
uint64_t checksum(std::span<const uint32_t> words, uint64_t hash = 0xcbf29ce484222325u);

}  // namespace kit
#endif
