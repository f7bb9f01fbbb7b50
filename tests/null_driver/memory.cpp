// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>
#include <new>

#include "tests/null_driver/commands.h"
#include "tests/null_driver/state.h"

namespace shaderqa::null_driver {
namespace {

constexpr uint64_t kPage = 4096;

Device* device_of(VkDevice device) { return reinterpret_cast<Device*>(device); }

void release_pages(std::byte* bytes) { std::free(bytes); }

BufferRecord record_of(const VkBufferCreateInfo& info) {
  const auto usage2 = find_in_chain<VkBufferUsageFlags2CreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO);
  return {VK_NULL_HANDLE,      info.size, info.flags, info.usage, usage2 ? usage2->usage : 0,
          chain_of(info.pNext)};
}

VkMemoryRequirements requirements_of(uint64_t size) {
  return {(size + 63) / 64 * 64, 64, (1u << state().settings.memory_types.size()) - 1};
}

VkResult bind(VkBuffer handle, VkDeviceMemory memory_handle, VkDeviceSize offset) {
  auto buffer = state().get<Buffer>(handle);
  auto memory = state().get<Memory>(memory_handle);
  if (!buffer || !memory) return VK_ERROR_UNKNOWN;
  if (offset + buffer->size > memory->size) state().violation("a buffer ends behind its memory");
  if ((buffer->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) &&
      !(memory->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT)) {
    state().violation("a buffer with a device address in memory without");
  }
  buffer->address = memory->bytes + offset;
  return VK_SUCCESS;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL AllocateMemory(VkDevice device, const VkMemoryAllocateInfo* info,
                                              const VkAllocationCallbacks*, VkDeviceMemory* handle) {
  Call call("vkAllocateMemory");
  if (call.fault) return call.fault;
  const auto flags =
      find_in_chain<VkMemoryAllocateFlagsInfo>(info->pNext, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
  const auto import = find_in_chain<VkImportMemoryHostPointerInfoEXT>(
      info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
  if (info->memoryTypeIndex >= state().settings.memory_types.size()) state().violation("no such memory type");
  Memory memory;
  memory.size = info->allocationSize;
  memory.type = info->memoryTypeIndex;
  memory.flags = flags ? flags->flags : 0;
  if (import) {
    memory.bytes = static_cast<std::byte*>(import->pHostPointer);
    if (reinterpret_cast<uintptr_t>(memory.bytes) % kPage || memory.size % kPage) {
      state().violation("imported host memory is not aligned");
    }
  } else {
    if (memory.size > state().settings.largest_allocation) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    const uint64_t bytes = (memory.size + kPage - 1) / kPage * kPage;
    memory.owned = {static_cast<std::byte*>(std::aligned_alloc(kPage, bytes)), release_pages};
    if (!memory.owned) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    memory.bytes = memory.owned.get();
    std::memset(memory.bytes, 0xcd, bytes);  // nobody may count on zeros
  }
  state().records.allocations.push_back(
      {memory.size, memory.type, import != nullptr, memory.flags, chain_of(info->pNext)});
  *handle = state().add<VkDeviceMemory>(device_of(device), std::move(memory));
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL FreeMemory(VkDevice, VkDeviceMemory memory, const VkAllocationCallbacks*) {
  Call call("vkFreeMemory");
  state().remove<Memory>(memory);
}

VKAPI_ATTR VkResult VKAPI_CALL MapMemory(VkDevice, VkDeviceMemory handle, VkDeviceSize offset, VkDeviceSize,
                                         VkMemoryMapFlags, void** data) {
  Call call("vkMapMemory");
  if (call.fault) return call.fault;
  auto memory = state().get<Memory>(handle);
  if (!memory) return VK_ERROR_MEMORY_MAP_FAILED;
  if (!(state().settings.memory_types[memory->type] & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)) {
    state().violation("mapped memory is not host visible");
    return VK_ERROR_MEMORY_MAP_FAILED;
  }
  if (memory->mapped) state().violation("memory is mapped twice");
  memory->mapped = true;
  *data = memory->bytes + offset;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL UnmapMemory(VkDevice, VkDeviceMemory handle) {
  Call call("vkUnmapMemory");
  if (auto memory = state().get<Memory>(handle)) memory->mapped = false;
}

VKAPI_ATTR VkResult VKAPI_CALL FlushMappedMemoryRanges(VkDevice, uint32_t, const VkMappedMemoryRange*) {
  return Call("vkFlushMappedMemoryRanges").fault;
}

VKAPI_ATTR VkResult VKAPI_CALL InvalidateMappedMemoryRanges(VkDevice, uint32_t, const VkMappedMemoryRange*) {
  return Call("vkInvalidateMappedMemoryRanges").fault;
}

VKAPI_ATTR VkResult VKAPI_CALL GetMemoryHostPointerPropertiesEXT(
    VkDevice, VkExternalMemoryHandleTypeFlagBits, const void*, VkMemoryHostPointerPropertiesEXT* properties) {
  Call call("vkGetMemoryHostPointerPropertiesEXT");
  if (call.fault) return call.fault;
  properties->memoryTypeBits = 0;
  for (size_t i = 0; i < state().settings.memory_types.size(); ++i) {
    if (state().settings.memory_types[i] & VK_MEMORY_PROPERTY_HOST_CACHED_BIT)
      properties->memoryTypeBits |= 1u << i;
  }
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetMemoryFdKHR(VkDevice, const VkMemoryGetFdInfoKHR*, int* descriptor) {
  Call call("vkGetMemoryFdKHR");
  *descriptor = -1;
  return call.fault;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateBuffer(VkDevice device, const VkBufferCreateInfo* info,
                                            const VkAllocationCallbacks*, VkBuffer* handle) {
  Call call("vkCreateBuffer");
  if (call.fault) return call.fault;
  if ((info->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) &&
      !device_of(device)->features.contains("bufferDeviceAddress")) {
    state().violation("a buffer with a device address, but the feature is not enabled");
  }
  if ((info->flags & VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT) &&
      !device_of(device)->features.contains("bufferDeviceAddressCaptureReplay")) {
    state().violation("a buffer with a replayable device address, but the feature is not enabled");
  }
  BufferRecord record = record_of(*info);
  Buffer buffer;
  buffer.size = info->size;
  buffer.usage = record.usage2 ? record.usage2 : record.usage;
  if (info->flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT) {
    // An address range of its own; nothing is there.
    static uintptr_t next_range = uintptr_t(1) << 46;
    buffer.address = reinterpret_cast<std::byte*>(next_range);
    next_range += (info->size + kPage - 1) / kPage * kPage;
  }
  *handle = record.handle = state().add<VkBuffer>(device_of(device), std::move(buffer));
  state().records.buffers.push_back(std::move(record));
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyBuffer(VkDevice, VkBuffer buffer, const VkAllocationCallbacks*) {
  Call call("vkDestroyBuffer");
  state().remove<Buffer>(buffer);
}

VKAPI_ATTR void VKAPI_CALL GetBufferMemoryRequirements(VkDevice, VkBuffer handle,
                                                       VkMemoryRequirements* requirements) {
  Call call("vkGetBufferMemoryRequirements");
  auto buffer = state().get<Buffer>(handle);
  *requirements = requirements_of(buffer ? buffer->size : 0);
}

VKAPI_ATTR VkResult VKAPI_CALL BindBufferMemory(VkDevice, VkBuffer handle, VkDeviceMemory memory_handle,
                                                VkDeviceSize offset) {
  Call call("vkBindBufferMemory");
  return call.fault ? call.fault : bind(handle, memory_handle, offset);
}

VKAPI_ATTR VkResult VKAPI_CALL BindBufferMemory2(VkDevice, uint32_t count,
                                                 const VkBindBufferMemoryInfo* infos) {
  Call call("vkBindBufferMemory2");
  if (call.fault) return call.fault;
  VkResult result = VK_SUCCESS;
  for (uint32_t i = 0; i < count; ++i) {
    const VkResult bound = bind(infos[i].buffer, infos[i].memory, infos[i].memoryOffset);
    if (bound != VK_SUCCESS) result = bound;
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL GetDeviceBufferMemoryRequirements(VkDevice,
                                                             const VkDeviceBufferMemoryRequirements* info,
                                                             VkMemoryRequirements2* requirements) {
  Call call("vkGetDeviceBufferMemoryRequirements");
  state().records.buffer_queries.push_back(record_of(*info->pCreateInfo));
  requirements->memoryRequirements = requirements_of(info->pCreateInfo->size);
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL GetBufferDeviceAddress(VkDevice,
                                                             const VkBufferDeviceAddressInfo* info) {
  Call call("vkGetBufferDeviceAddress");
  auto buffer = state().get<Buffer>(info->buffer);
  if (!buffer) return 0;
  if (!(buffer->usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT)) {
    state().violation("address of a buffer created without VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT");
  }
  return reinterpret_cast<VkDeviceAddress>(buffer->address);
}

// Four bytes a texel of its first level.
VKAPI_ATTR VkResult VKAPI_CALL CreateImage(VkDevice device, const VkImageCreateInfo* info,
                                           const VkAllocationCallbacks*, VkImage* handle) {
  Call call("vkCreateImage");
  if (call.fault) return call.fault;
  Image image;
  image.size =
      uint64_t{info->extent.width} * info->extent.height * info->extent.depth * info->arrayLayers * 4;
  *handle = state().add<VkImage>(device_of(device), std::move(image));
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyImage(VkDevice, VkImage image, const VkAllocationCallbacks*) {
  Call call("vkDestroyImage");
  state().remove<Image>(image);
}

VKAPI_ATTR void VKAPI_CALL GetImageMemoryRequirements(VkDevice, VkImage handle,
                                                      VkMemoryRequirements* requirements) {
  Call call("vkGetImageMemoryRequirements");
  auto image = state().get<Image>(handle);
  *requirements = requirements_of(image ? image->size : 0);
}

VKAPI_ATTR VkResult VKAPI_CALL BindImageMemory(VkDevice, VkImage handle, VkDeviceMemory memory_handle,
                                               VkDeviceSize offset) {
  Call call("vkBindImageMemory");
  if (call.fault) return call.fault;
  auto image = state().get<Image>(handle);
  auto memory = state().get<Memory>(memory_handle);
  if (!image || !memory) return VK_ERROR_UNKNOWN;
  if (offset + image->size > memory->size) state().violation("an image ends behind its memory");
  return VK_SUCCESS;
}

}  // namespace shaderqa::null_driver
