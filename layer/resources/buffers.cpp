// SPDX-License-Identifier: Apache-2.0
// The commands for buffers and their memory. Each buffer gets a device address, because shaders and the host
// identify memory by it.
#include "host/summary/run_summary.h"
#include "layer/context/instance.h"
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/queues/submissions.h"
#include "layer/resources/buffer_table.h"
#include "layer/resources/image_memory.h"
#include "layer/resources/image_table.h"
#include "layer/vk/arena.h"
#include "layer/vk/guarded.h"
#include "layer/vk/handle_value.h"
#include "layer/vk/pnext_chain.h"
#include "layer/vk/texel_size.h"

namespace shaderqa::layer {
namespace {

constexpr VkBufferUsageFlags kVideoUsage =
    VK_BUFFER_USAGE_VIDEO_DECODE_SRC_BIT_KHR | VK_BUFFER_USAGE_VIDEO_DECODE_DST_BIT_KHR |
    VK_BUFFER_USAGE_VIDEO_ENCODE_DST_BIT_KHR | VK_BUFFER_USAGE_VIDEO_ENCODE_SRC_BIT_KHR;
constexpr VkBufferUsageFlags kAddressUsage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
// The usages by which a shader can write.
constexpr VkBufferUsageFlags kWritableUsage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT | kAddressUsage;
// The usages by which a command can write.
constexpr VkBufferUsageFlags kCommandUsage =
    VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR;
constexpr auto kUsage2Type = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO;

// A copy of a buffer's create info with device address usage, if that may be added.
class BufferEdit {
 public:
  explicit BufferEdit(const VkBufferCreateInfo& original) : edited_(original) {
    const auto usage2 = find_in_chain<VkBufferUsageFlags2CreateInfo>(original.pNext, kUsage2Type);
    const VkBufferUsageFlags2 usage = usage2 ? usage2->usage : original.usage;
    had_address_ = usage & kAddressUsage;
    read_only_ = (usage & kWritableUsage) == 0;
    command_written_ = usage & kCommandUsage;
    if (had_address_ || (original.flags & VK_BUFFER_CREATE_PROTECTED_BIT)) return;
    if ((usage & ~VkBufferUsageFlags2(kVideoUsage)) == 0) return;
    if (usage2) {
      EditableChain chain(original.pNext, arena_);
      const auto copy = chain.edit<VkBufferUsageFlags2CreateInfo>(kUsage2Type);
      if (!copy) return;
      copy->usage |= kAddressUsage;
      edited_.pNext = chain.head();
    } else {
      edited_.usage |= kAddressUsage;
    }
    changed_ = true;
  }
  BufferEdit(const BufferEdit&) = delete;
  BufferEdit& operator=(const BufferEdit&) = delete;

  bool changed() const { return changed_; }
  bool had_address() const { return had_address_; }
  // Whether shaders can only read it, by the usage that the application asked for.
  bool read_only() const { return read_only_; }
  bool command_written() const { return command_written_; }
  const VkBufferCreateInfo& info() const { return edited_; }

 private:
  Arena arena_;
  VkBufferCreateInfo edited_;
  bool changed_ = false;
  bool had_address_ = false;
  bool read_only_ = false;
  bool command_written_ = false;
};

// A copy of the allocate info of memory that buffers can be bound to, with device addresses enabled.
class AllocationEdit {
 public:
  AllocationEdit(const Device& device, const VkMemoryAllocateInfo& original) : edited_(original) {
    enable_address(device, original);
    if (!without_address_) lengthen(device, original);
  }
  AllocationEdit(const AllocationEdit&) = delete;
  AllocationEdit& operator=(const AllocationEdit&) = delete;

  bool changed() const { return adds_address_ || lengthened_; }
  // Device addresses are enabled only here.
  bool adds_address() const { return adds_address_; }
  // Device addresses are needed but could not be enabled.
  bool without_address() const { return without_address_; }
  const VkMemoryAllocateInfo& info() const { return edited_; }

 private:
  void enable_address(const Device& device, const VkMemoryAllocateInfo& original) {
    constexpr auto flags_type = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
    constexpr VkMemoryPropertyFlags without_buffers =
        VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT;
    const VkPhysicalDeviceMemoryProperties& memory = device.facts.memory;
    if (original.memoryTypeIndex >= memory.memoryTypeCount ||
        (memory.memoryTypes[original.memoryTypeIndex].propertyFlags & without_buffers)) {
      return;
    }
    const auto dedicated = find_in_chain<VkMemoryDedicatedAllocateInfo>(
        original.pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
    if (dedicated && dedicated->image) return;
    if (dedicated && dedicated->buffer && !device.buffers.place(dedicated->buffer).addressable) return;
    const auto given = find_in_chain<VkMemoryAllocateFlagsInfo>(original.pNext, flags_type);
    if (given && (given->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT)) return;
    EditableChain chain(original.pNext, arena_);
    if (given) {
      const auto copy = chain.edit<VkMemoryAllocateFlagsInfo>(flags_type);
      if (copy) copy->flags |= VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
      without_address_ = !copy;
      if (!copy) return;
    } else {
      added_.sType = flags_type;
      added_.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
      chain.prepend(&added_);
    }
    edited_.pNext = chain.head();
    adds_address_ = true;
  }

  // Drivers that run on the CPU lay blocks of memory side by side, wherever the engine's pages begin. Memory
  // that nobody touches costs nothing there (docs/internals/exact.md, Memory).
  void lengthen(const Device& device, const VkMemoryAllocateInfo& original) {
    const VkDeviceSize page = device.engine->needs.page_bytes;
    if (!device.facts.is_cpu || page == 0 || original.allocationSize < page) return;
    // A map that the application places must end where it expects that.
    if (device.facts.places_maps) return;
    // What the application imports, exports or dedicates has a size that others know.
    for (const void* next = original.pNext; next; next = next_structure(next)) {
      const VkStructureType type = type_of_structure(next);
      if (type != VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO &&
          type != VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT)
        return;
    }
    edited_.allocationSize += page;
    lengthened_ = true;
  }

  Arena arena_;
  VkMemoryAllocateFlagsInfo added_{};
  VkMemoryAllocateInfo edited_;
  bool adds_address_ = false;
  bool without_address_ = false;
  bool lengthened_ = false;
};

void learn_address(Device& device, VkBuffer buffer) {
  VkBufferDeviceAddressInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  info.buffer = buffer;
  const VkDeviceAddress address = device.next.GetBufferDeviceAddress(device.handle, &info);
  device.buffers.set_address(buffer, address);
  const BufferTable::BoundRange place = device.buffers.place(buffer);
  if (!place.has_cells() || !device.checks_sync()) return;
  device.instance->summary->add(Tally::buffers);
  device.engine->add_memory(address, place.size);
}

uint64_t owner_of(VkBuffer buffer) { return handle_value(buffer) << 1; }

void forget(Device& device, VkBuffer buffer) {
  if (device.engine->needs.images) device.images.unbind(owner_of(buffer));
  const BufferTable::BoundRange place = device.buffers.place(buffer);
  if (place.has_cells()) device.engine->remove_memory(place.address, place.size);
  device.buffers.remove(buffer);
}

void learn_binding(Device& device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset) {
  if (device.engine->needs.images)
    bind_memory(device, memory, offset, device.buffers.place(buffer).size, owner_of(buffer), VK_NULL_HANDLE);
  if (!device.buffers.place(buffer).addressable || device.buffers.is_plain_memory(memory)) return;
  learn_address(device, buffer);
  device.engine->buffer_bound(buffer, memory, offset);
}

void note_plain_buffer(const DeviceContext& device, const std::string& reason) {
  device.note("buffer without address",
              "some buffers have no device address: accesses to them are not checked; " + reason);
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateBuffer(VkDevice handle, const VkBufferCreateInfo* pCreateInfo,
                                                   const VkAllocationCallbacks* pAllocator,
                                                   VkBuffer* pBuffer) {
  Device& device = device_of(handle);
  bool tried = false;
  bool addressable = false;
  bool read_only = false;
  bool command_written = false;
  VkResult result = VK_SUCCESS;
  guarded([&] {
    const BufferEdit edit(*pCreateInfo);
    addressable = edit.had_address() || edit.changed();
    read_only = edit.read_only();
    command_written = edit.command_written();
    if (!edit.changed()) return;
    tried = true;
    result = device.next.CreateBuffer(handle, &edit.info(), pAllocator, pBuffer);
  });
  if (!tried || result < 0) {
    if (tried) addressable = false;
    const VkResult refused = result;
    result = device.next.CreateBuffer(handle, pCreateInfo, pAllocator, pBuffer);
    if (tried && result == VK_SUCCESS) {
      guarded([&] {
        note_plain_buffer(device,
                          "the driver refuses them with one (VkResult " + std::to_string(refused) + ")");
      });
    }
  }
  if (result != VK_SUCCESS) return result;
  guarded([&] {
    device.buffers.add(*pBuffer, pCreateInfo->size, addressable, read_only, command_written);
    constexpr VkBufferCreateFlags sparse = VK_BUFFER_CREATE_SPARSE_BINDING_BIT;
    if (addressable && (pCreateInfo->flags & sparse)) learn_address(device, *pBuffer);
  });
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyBuffer(VkDevice handle, VkBuffer buffer,
                                                const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  // Forgotten first: once it is destroyed the driver may reuse the handle. By the engine before anything
  // else: a thread that waits asks the table for every buffer that the engine knows.
  if (buffer) device.engine->buffer_destroyed(buffer);
  if (buffer) guarded([&] { forget(device, buffer); });
  device.next.DestroyBuffer(handle, buffer, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::BindBufferMemory(VkDevice handle, VkBuffer buffer,
                                                       VkDeviceMemory memory, VkDeviceSize memoryOffset) {
  Device& device = device_of(handle);
  const VkResult result = device.next.BindBufferMemory(handle, buffer, memory, memoryOffset);
  if (result == VK_SUCCESS) guarded([&] { learn_binding(device, buffer, memory, memoryOffset); });
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::BindBufferMemory2(VkDevice handle, uint32_t bindInfoCount,
                                                        const VkBindBufferMemoryInfo* pBindInfos) {
  Device& device = device_of(handle);
  const VkResult result = device.next.BindBufferMemory2(handle, bindInfoCount, pBindInfos);
  for (uint32_t i = 0; i < bindInfoCount; ++i) {
    const auto status =
        find_in_chain<VkBindMemoryStatus>(pBindInfos[i].pNext, VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS);
    const bool bound = result == VK_SUCCESS || (status && status->pResult && *status->pResult == VK_SUCCESS);
    if (!bound) continue;
    const VkBindBufferMemoryInfo& info = pBindInfos[i];
    guarded([&] { learn_binding(device, info.buffer, info.memory, info.memoryOffset); });
  }
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::AllocateMemory(VkDevice handle,
                                                     const VkMemoryAllocateInfo* pAllocateInfo,
                                                     const VkAllocationCallbacks* pAllocator,
                                                     VkDeviceMemory* pMemory) {
  Device& device = device_of(handle);
  bool tried = false;
  bool plain = false;
  bool adds_address = false;
  VkResult result = VK_SUCCESS;
  guarded([&] {
    const AllocationEdit edit(device, *pAllocateInfo);
    plain = edit.without_address();
    adds_address = edit.adds_address();
    if (!edit.changed()) return;
    tried = true;
    result = device.next.AllocateMemory(handle, &edit.info(), pAllocator, pMemory);
  });
  if (!tried || result < 0) {
    plain = plain || adds_address;
    result = device.next.AllocateMemory(handle, pAllocateInfo, pAllocator, pMemory);
  }
  if (result == VK_SUCCESS && device.engine->needs.images)
    guarded([&] { learn_allocation(device, *pMemory, *pAllocateInfo); });
  if (result == VK_SUCCESS && plain) {
    guarded([&] {
      device.buffers.add_plain_memory(*pMemory);
      note_plain_buffer(device, "their memory could only be allocated without");
    });
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::FreeMemory(VkDevice handle, VkDeviceMemory memory,
                                             const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  if (memory) guarded([&] { device.buffers.remove_memory(memory); });
  if (memory && device.engine->needs.images) guarded([&] { device.images.free_memory(memory); });
  if (memory) device.engine->memory_freed(memory);
  device.next.FreeMemory(handle, memory, pAllocator);
}

// The requirements must be those of the buffer that vkCreateBuffer would create.
VKAPI_ATTR void VKAPI_CALL hooks::GetDeviceBufferMemoryRequirements(
    VkDevice handle, const VkDeviceBufferMemoryRequirements* pInfo, VkMemoryRequirements2* pRequirements) {
  Device& device = device_of(handle);
  const bool done = guarded([&] {
    const BufferEdit edit(*pInfo->pCreateInfo);
    VkDeviceBufferMemoryRequirements info = *pInfo;
    info.pCreateInfo = &edit.info();
    device.next.GetDeviceBufferMemoryRequirements(handle, &info, pRequirements);
  });
  if (!done) device.next.GetDeviceBufferMemoryRequirements(handle, pInfo, pRequirements);
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateBufferView(VkDevice handle,
                                                       const VkBufferViewCreateInfo* pCreateInfo,
                                                       const VkAllocationCallbacks* pAllocator,
                                                       VkBufferView* pView) {
  Device& device = device_of(handle);
  const VkResult result = device.next.CreateBufferView(handle, pCreateInfo, pAllocator, pView);
  if (result != VK_SUCCESS) return result;
  guarded([&] {
    const BufferTable::BoundRange place = device.buffers.place(pCreateInfo->buffer);
    BufferTable::TexelView view;
    view.texel_size = texel_size(pCreateInfo->format);
    if (place.address && view.texel_size && pCreateInfo->offset <= place.size) {
      view.address = place.address + pCreateInfo->offset;
      view.read_only = place.read_only;
      const VkDeviceSize rest = place.size - pCreateInfo->offset;
      view.range =
          pCreateInfo->range == VK_WHOLE_SIZE ? rest / view.texel_size * view.texel_size : pCreateInfo->range;
    }
    device.buffers.add_view(*pView, view);
  });
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyBufferView(VkDevice handle, VkBufferView bufferView,
                                                    const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  if (bufferView) guarded([&] { device.buffers.remove_view(bufferView); });
  device.next.DestroyBufferView(handle, bufferView, pAllocator);
}

}  // namespace shaderqa::layer
