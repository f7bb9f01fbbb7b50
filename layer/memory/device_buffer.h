// SPDX-License-Identifier: Apache-2.0
// A buffer of the layer's own that shaders reach by its device address. If the host needs it, it is mapped
// for as long as it lives.
#ifndef SHADERQA_LAYER_MEMORY_DEVICE_BUFFER_H
#define SHADERQA_LAYER_MEMORY_DEVICE_BUFFER_H

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <memory>
#include <string>

namespace shaderqa::layer {

class DeviceContext;

class DeviceBuffer {
 public:
  struct Request {
    VkDeviceSize size = 0;
    // Used if there is such memory with room left.
    VkMemoryPropertyFlags preferred = 0;
    VkBufferUsageFlags usage = 0;  // in addition to what every such buffer has
    bool host_visible = true;      // and coherent; false: mapped() is null and the contents are undefined
    bool stable_address = false;   // the same address in every run, if the device can
    void* import = nullptr;        // host memory to use instead of new memory
  };
  // Null if there is no memory, and `problem` says why. Mapped memory is zeroed unless it was imported.
  static std::unique_ptr<DeviceBuffer> create(const DeviceContext& device, const Request& request,
                                              std::string& problem);
  ~DeviceBuffer();
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  VkBuffer handle() const { return buffer_; }
  VkDeviceSize size() const { return size_; }
  std::byte* mapped() const { return mapped_; }
  VkDeviceAddress address() const { return address_; }
  bool is_device_local() const { return properties_ & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT; }

 private:
  explicit DeviceBuffer(const DeviceContext& device) : device_(device) {}
  VkResult create_buffer(const Request& request);
  VkResult allocate(const Request& request);
  // Bit i: memory type i can hold it.
  uint32_t usable_types(const Request& request, uint32_t buffer_types) const;

  const DeviceContext& device_;
  VkDeviceSize size_ = 0;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::byte* mapped_ = nullptr;
  VkDeviceAddress address_ = 0;
  VkMemoryPropertyFlags properties_ = 0;
};

}  // namespace shaderqa::layer
#endif
