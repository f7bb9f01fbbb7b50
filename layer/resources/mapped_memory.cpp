// SPDX-License-Identifier: Apache-2.0
// The commands by which the host gets access to memory: before they return, the accesses to it are checked.
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/vk/guarded.h"

namespace shaderqa::layer {
namespace {

void mapped(Device& device, VkResult result, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size) {
  if (result != VK_SUCCESS || !device.engine->needs.host_reads) return;
  guarded([&] { device.engine->memory_mapped(memory, offset, size); });
  device.after_wait(result);
}

void unmapped(Device& device, VkDeviceMemory memory) {
  guarded([&] { device.engine->memory_unmapped(memory); });
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hooks::MapMemory(VkDevice handle, VkDeviceMemory memory, VkDeviceSize offset,
                                                VkDeviceSize size, VkMemoryMapFlags flags, void** ppData) {
  Device& device = device_of(handle);
  const VkResult result = device.next.MapMemory(handle, memory, offset, size, flags, ppData);
  mapped(device, result, memory, offset, size);
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::MapMemory2(VkDevice handle, const VkMemoryMapInfo* pMemoryMapInfo,
                                                 void** ppData) {
  Device& device = device_of(handle);
  const VkResult result = device.next.MapMemory2(handle, pMemoryMapInfo, ppData);
  mapped(device, result, pMemoryMapInfo->memory, pMemoryMapInfo->offset, pMemoryMapInfo->size);
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::UnmapMemory(VkDevice handle, VkDeviceMemory memory) {
  Device& device = device_of(handle);
  unmapped(device, memory);
  device.next.UnmapMemory(handle, memory);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::UnmapMemory2(VkDevice handle,
                                                   const VkMemoryUnmapInfo* pMemoryUnmapInfo) {
  Device& device = device_of(handle);
  unmapped(device, pMemoryUnmapInfo->memory);
  return device.next.UnmapMemory2(handle, pMemoryUnmapInfo);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::InvalidateMappedMemoryRanges(VkDevice handle, uint32_t memoryRangeCount,
                                                                   const VkMappedMemoryRange* pMemoryRanges) {
  Device& device = device_of(handle);
  const VkResult result = device.next.InvalidateMappedMemoryRanges(handle, memoryRangeCount, pMemoryRanges);
  if (result == VK_SUCCESS && device.engine->needs.host_reads) {
    guarded([&] { device.engine->memory_invalidated({pMemoryRanges, memoryRangeCount}); });
    device.after_wait(result);
  }
  return result;
}

}  // namespace shaderqa::layer
