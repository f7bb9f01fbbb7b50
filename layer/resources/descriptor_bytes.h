// SPDX-License-Identifier: Apache-2.0
// What the bytes of descriptors mean, as vkGetDescriptorEXT (docs/internals/descriptor-buffers.md) and
// vkWriteResourceDescriptorsEXT (descriptor-heaps.md) told, in tables that shaders read
// (instrument/runtime/abi_descriptors.h).
#ifndef SHADERQA_LAYER_RESOURCES_DESCRIPTOR_BYTES_H
#define SHADERQA_LAYER_RESOURCES_DESCRIPTOR_BYTES_H

#include <vulkan/vulkan_core.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "instrument/runtime/abi_descriptors.h"
#include "layer/memory/device_buffer.h"
#include "layer/memory/table_entry.h"

namespace shaderqa::layer {

class DeviceContext;
struct BindingSlots;
struct DeviceFacts;

// SQA_DESCRIPTOR_*; SQA_DESCRIPTOR_KINDS: of no kind that is followed.
uint32_t descriptor_kind(VkDescriptorType type);
// Bytes of such a descriptor on the device; 0: it has none, or they cannot be looked up.
size_t descriptor_size(const DeviceFacts& facts, VkDescriptorType type);
// The same of those in heaps.
size_t heap_descriptor_size(const DeviceFacts& facts, VkDescriptorType type);
// Bytes from one descriptor of the binding to the next; 0 as above.
size_t descriptor_stride(const DeviceFacts& facts, const BindingSlots& binding);

// One kind's table, and a copy of it in the host's memory. Not thread-safe.
class DescriptorTable {
 public:
  explicit DescriptorTable(size_t descriptor_bytes);

  enum class Added : uint8_t { yes, no_memory, full };
  // Says what these bytes mean from now on. Work that was submitted before does not use them with another
  // meaning.
  Added add(const DeviceContext& device, std::span<const std::byte> bytes, const TableEntry& entry);
  // Views with this number are gone: what the bytes mean is not known any more.
  void forget_view(uint32_t number);
  // Calls visit(address) for each of its descriptors that has one.
  template <typename Visit>
  void for_each_address(const Visit& visit) {
    for (size_t i = 0; i < places_; ++i) {
      const uint32_t* const at = place(i);
      const VkDeviceAddress address = at[0] | VkDeviceAddress{at[1]} << 32;
      if (at[3] != 0 && address != 0) visit(address);
    }
  }
  // The quad of the directory; its first two dwords change when the table grows.
  std::array<uint32_t, 4> directory_quad() const;

 private:
  uint32_t* place(size_t number) { return copy_.data() + number * place_quads_ * 4; }
  // dwords: as many as a place has for the bytes.
  uint32_t hash_of(const uint32_t* dwords) const;
  // Where the bytes are, or would be.
  size_t find(const uint32_t* dwords, uint32_t hash);
  void write(size_t number);
  // Whether the bytes at this place may be in use for a view that has had them.
  bool is_of_living_view(size_t number) const;
  // Whether it is known that the view with this number has had the bytes at this place.
  bool leads_to(uint32_t view, size_t number) const;
  Added grow(const DeviceContext& device);

  const size_t bytes_;
  const uint32_t place_quads_;
  size_t places_ = 0, used_ = 0;
  std::vector<uint32_t> copy_;
  std::unique_ptr<DeviceBuffer> memory_;
  VkDeviceSize skipped_ = 0;                             // of it, in front of the first place
  std::vector<std::unique_ptr<DeviceBuffer>> outgrown_;  // which running shaders may read
  std::unordered_multimap<uint32_t, size_t> views_;      // number of a view -> place
};

// Thread-safe.
class DescriptorBytes {
 public:
  explicit DescriptorBytes(const DeviceContext& device);
  ~DescriptorBytes();

  // Where the directory of tables is. Made on the first call; 0, with a note, where there is no memory.
  VkDeviceAddress address();
  // The application got a descriptor of this type. entry: as in a descriptor table.
  void add(VkDescriptorType type, std::span<const std::byte> bytes, const TableEntry& entry);
  // The same of one for a heap.
  void add_in_heap(VkDescriptorType type, std::span<const std::byte> bytes, const TableEntry& entry);
  // The view of an image with this entry is destroyed.
  void forget_view(const TableEntry& entry);
  // Addresses that storage descriptors (those by which shaders can write) have had since the last call; the
  // first time, all.
  std::vector<VkDeviceAddress> take_writable();
  // Whether the application got any of these.
  bool has_writable() const { return has_writable_.load(std::memory_order_relaxed); }
  // Whether shaders found descriptors that nothing is known of.
  bool unknown_found() const;

 private:
  bool require();
  // table: a kind, or one in heaps. size: of its descriptors; 0: they are not followed.
  void add(uint32_t table, size_t size, std::span<const std::byte> bytes, const TableEntry& entry);
  void write_directory(uint32_t table);
  static bool is_writable(uint32_t table);
  static bool is_image(uint32_t table);
  void note_full() const;

  const DeviceContext& device_;
  std::atomic<bool> has_writable_ = false;
  mutable std::mutex mutex_;  // guards all members below
  bool tried_ = false;
  bool collects_ = false;                         // take_writable() was called
  std::unordered_set<VkDeviceAddress> writable_;  // since then
  std::unique_ptr<DeviceBuffer> directory_;
  std::array<std::unique_ptr<DescriptorTable>, SQA_DESCRIPTOR_TABLES> tables_;
  std::array<std::array<uint32_t, 4>, SQA_DESCRIPTOR_TABLES> written_{};  // of the directory
};

}  // namespace shaderqa::layer
#endif
