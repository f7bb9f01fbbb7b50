// SPDX-License-Identifier: Apache-2.0
// A buffer of the layer's own whose device address shaders know; mapped for as long as it lives, where the
// host needs it.
#ifndef SHADERQA_LAYER_MEMORY_DEVICE_BUFFER_H
#define SHADERQA_LAYER_MEMORY_DEVICE_BUFFER_H

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <memory>
#include <string>

namespace shaderqa::layer {

class Device;

class DeviceBuffer {
 public:
  struct Request {
    VkDeviceSize size = 0;
    // Taken where there is such memory with room left.
    VkMemoryPropertyFlags preferred = 0;
    VkBufferUsageFlags usage = 0;  // beyond what all have
    bool host_visible = true;  // and coherent, in any case; false: mapped() is null, contents are undefined
    bool stable_address = false;  // the same in every run, where the device can
    void* import = nullptr;       // host memory to use instead of new memory
  };
  // Null, with a sentence in `problem`, where the device refuses. Mapped memory is zeroed unless it was
  // imported.
  static std::unique_ptr<DeviceBuffer> create(Device& device, const Request& request, std::string& problem);
  ~DeviceBuffer();
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  VkBuffer handle() const { return buffer_; }
  VkDeviceSize size() const { return size_; }
  std::byte* mapped() const { return mapped_; }
  VkDeviceAddress address() const { return address_; }
  bool is_device_local() const { return properties_ & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT; }

 private:
  explicit DeviceBuffer(Device& device) : device_(device) {}
  VkResult create_buffer(const Request& request);
  VkResult allocate(const Request& request);
  // Bit i: memory type i can hold it.
  uint32_t usable_types(const Request& request, uint32_t buffer_types) const;

  Device& device_;
  VkDeviceSize size_ = 0;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::byte* mapped_ = nullptr;
  VkDeviceAddress address_ = 0;
  VkMemoryPropertyFlags properties_ = 0;
};

}  // namespace shaderqa::layer
#endif
