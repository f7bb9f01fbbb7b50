// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/device_buffer.h"

#include <cstring>

#include "host/log/log.h"
#include "layer/context/device_context.h"

namespace shaderqa::layer {
namespace {

constexpr VkMemoryPropertyFlags kHostNeeds =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
// Memory that only some devices or queues may touch, or that needs a feature of its own.
constexpr VkMemoryPropertyFlags kExcluded = VK_MEMORY_PROPERTY_PROTECTED_BIT |
                                            VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
                                            VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD;
constexpr auto kImportType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;

}  // namespace

std::unique_ptr<DeviceBuffer> DeviceBuffer::create(const DeviceContext& device, const Request& request,
                                                   std::string& problem) {
  std::unique_ptr<DeviceBuffer> buffer(new DeviceBuffer(device));
  buffer->size_ = request.size;
  VkResult result = buffer->create_buffer(request);
  if (result == VK_SUCCESS) result = buffer->allocate(request);
  SHADERQA_LOG(debug, "buffer of " + std::to_string(request.size) + " bytes at " +
                          hex_text(buffer->address_) + ": VkResult " + std::to_string(result));
  if (result == VK_SUCCESS) return buffer;
  problem = "there is no memory for a buffer of " + std::to_string(request.size) + " bytes that " +
            (request.host_visible ? "both the device and the host" : "the device") + " can reach (VkResult " +
            std::to_string(result) + ")";
  return nullptr;
}

DeviceBuffer::~DeviceBuffer() {
  device_.next.DestroyBuffer(device_.handle, buffer_, nullptr);
  device_.next.FreeMemory(device_.handle, memory_, nullptr);  // unmaps
}

VkResult DeviceBuffer::create_buffer(const Request& request) {
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = kImportType;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  if (request.import) info.pNext = &external;
  if (request.stable_address) info.flags = VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
  info.size = request.size;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT | request.usage;
  // Shaders on any queue may write at any time.
  const std::vector<uint32_t>& families = device_.facts.queue_families;
  if (families.size() > 1) {
    info.sharingMode = VK_SHARING_MODE_CONCURRENT;
    info.queueFamilyIndexCount = static_cast<uint32_t>(families.size());
    info.pQueueFamilyIndices = families.data();
  }
  return device_.next.CreateBuffer(device_.handle, &info, nullptr, &buffer_);
}

uint32_t DeviceBuffer::usable_types(const Request& request, uint32_t buffer_types) const {
  uint32_t types = buffer_types;
  if (request.import) {
    VkMemoryHostPointerPropertiesEXT imported{};
    imported.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
    const auto query = device_.next.GetMemoryHostPointerPropertiesEXT;
    if (!query || query(device_.handle, kImportType, request.import, &imported) != VK_SUCCESS) return 0;
    types &= imported.memoryTypeBits;
  }
  const VkPhysicalDeviceMemoryProperties& memory = device_.facts.memory;
  const VkMemoryPropertyFlags needed = request.host_visible ? kHostNeeds : 0;
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const VkMemoryPropertyFlags properties = memory.memoryTypes[i].propertyFlags;
    if ((properties & needed) != needed || (properties & kExcluded)) types &= ~(1u << i);
  }
  return types;
}

VkResult DeviceBuffer::allocate(const Request& request) {
  VkMemoryRequirements requirements{};
  device_.next.GetBufferMemoryRequirements(device_.handle, buffer_, &requirements);

  VkImportMemoryHostPointerInfoEXT import{};
  import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
  import.handleType = kImportType;
  import.pHostPointer = request.import;
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  if (request.import) flags.pNext = &import;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  if (request.stable_address) flags.flags |= VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = &flags;
  info.allocationSize = request.import ? request.size : requirements.size;
  if (info.allocationSize < requirements.size) return VK_ERROR_INVALID_EXTERNAL_HANDLE;

  uint32_t types = usable_types(request, requirements.memoryTypeBits);
  VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
  // If a heap is full, as ReBAR often is, the next kind of memory is tried.
  const auto try_types = [&](VkMemoryPropertyFlags wanted) {
    for (uint32_t i = 0; i < device_.facts.memory.memoryTypeCount && !memory_; ++i) {
      const VkMemoryPropertyFlags properties = device_.facts.memory.memoryTypes[i].propertyFlags;
      if (!(types & (1u << i)) || (properties & wanted) != wanted) continue;
      types &= ~(1u << i);
      info.memoryTypeIndex = i;
      result = device_.next.AllocateMemory(device_.handle, &info, nullptr, &memory_);
      if (result != VK_SUCCESS) memory_ = VK_NULL_HANDLE;
      properties_ = properties;
    }
  };
  try_types(request.preferred);
  try_types(0);
  if (!memory_) return result;

  result = device_.next.BindBufferMemory(device_.handle, buffer_, memory_, 0);
  if (result != VK_SUCCESS) return result;
  if (request.import) {
    mapped_ = static_cast<std::byte*>(request.import);
  } else if (request.host_visible) {
    void* pointer = nullptr;
    result = device_.next.MapMemory(device_.handle, memory_, 0, VK_WHOLE_SIZE, 0, &pointer);
    if (result != VK_SUCCESS) return result;
    mapped_ = static_cast<std::byte*>(pointer);
    std::memset(mapped_, 0, request.size);
  }
  VkBufferDeviceAddressInfo address{};
  address.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  address.buffer = buffer_;
  address_ = device_.next.GetBufferDeviceAddress(device_.handle, &address);
  return address_ ? VK_SUCCESS : VK_ERROR_INITIALIZATION_FAILED;
}

}  // namespace shaderqa::layer
