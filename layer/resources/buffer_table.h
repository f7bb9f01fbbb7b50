// SPDX-License-Identifier: Apache-2.0
// Which memory a VkBuffer is, and which VkBuffer an address belongs to.
#ifndef SHADERQA_LAYER_RESOURCES_BUFFER_TABLE_H
#define SHADERQA_LAYER_RESOURCES_BUFFER_TABLE_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "layer/vk/handle_table.h"

namespace shaderqa::layer {

// Thread-safe. The address of a buffer is known once memory is bound to it, that of a sparse buffer from its
// creation. The latest destroyed buffers can still be found by address, because reports come late.
class BufferTable {
 public:
  struct Buffer {
    VkBuffer handle = VK_NULL_HANDLE;
    VkDeviceAddress address = 0;  // 0: not bound yet, or it has none
    VkDeviceSize size = 0;
    std::string name;  // as the application gave it
    bool destroyed = false;
  };
  // What descriptors need of a buffer.
  struct BoundRange {
    VkDeviceAddress address = 0;
    VkDeviceSize size = 0;
    bool addressable = false;      // it was created with device address usage
    bool read_only = false;        // shaders cannot write to it
    bool command_written = false;  // commands can write to it
    // Whether the exact engine checks accesses to it: something on the device can write to it.
    bool has_cells() const { return !read_only || command_written; }
  };
  // What descriptors need of a buffer view.
  struct TexelView {
    VkDeviceAddress address = 0;
    VkDeviceSize range = 0;
    uint32_t texel_size = 0;
    bool read_only = false;  // as its buffer is
  };

  // read_only: the usage that the application asked for does not let shaders write to it. command_written: it
  // lets commands write to it.
  ~BufferTable() { count_change(); }
  void add(VkBuffer handle, VkDeviceSize size, bool addressable = true, bool read_only = false,
           bool command_written = false);
  void set_address(VkBuffer handle, VkDeviceAddress address);
  // Whether a buffer that shaders can write has ever shared memory with one that they cannot.
  bool aliased() const { return aliased_.load(std::memory_order_acquire); }
  void set_name(VkBuffer handle, const std::string& name);
  void remove(VkBuffer handle);
  // The listener is called for every buffer that has an address: now for each that exists, later for each
  // that gets its address or a name or is destroyed. Calls do not overlap, and it must not call the table. An
  // empty function ends the calls.
  void listen(std::function<void(const Buffer&)> listener);

  // Fast, because every descriptor write needs it. All zeros if the buffer is not known.
  BoundRange place(VkBuffer handle) const {
    const BoundRange* found = places_.find(handle);
    return found ? *found : BoundRange();
  }
  // Counts what may have changed place() of any device's buffers: as long as it is the same, the answers are.
  static uint64_t changes() { return all_changes.load(std::memory_order_acquire); }
  // Whether something at this generation (not 0) writes the buffer, as far as may_be_written(address, size)
  // knows. It is asked once for each generation. False as well for buffers without cells or address.
  template <typename MayBeWritten>
  bool is_written(VkBuffer handle, uint64_t generation, const MayBeWritten& may_be_written) {
    Place* const found = places_.find(handle);
    if (!found || !found->address || !found->has_cells()) return false;
    if (found->unwritten.load(std::memory_order_relaxed) == generation) return false;
    if (may_be_written(found->address, found->size)) return true;
    found->unwritten.store(generation, std::memory_order_relaxed);
    return false;
  }
  // An image has some of its memory, as where an allocator has one buffer for all of a VkDeviceMemory. Who
  // orders what is done to that memory may name the buffer.
  void share_with_images(VkBuffer handle) {
    if (Place* const found = places_.find(handle))
      found->beside_images.store(true, std::memory_order_release);
  }
  bool shares_with_images(VkBuffer handle) const {
    const Place* const found = places_.find(handle);
    return found && found->beside_images.load(std::memory_order_acquire);
  }
  std::optional<Buffer> find(VkBuffer handle) const;
  // The buffer that holds the address: the smallest existing one, since aliases overlap, else the one
  // destroyed last.
  std::optional<Buffer> find_address(VkDeviceAddress address) const;
  // The same as a handle and an offset; no handle: no existing buffer holds it.
  struct Location {
    VkBuffer handle = VK_NULL_HANDLE;
    VkDeviceSize offset = 0;
  };
  Location locate(VkDeviceAddress address) const {
    const std::optional<Buffer> buffer = find_address(address);
    return buffer && !buffer->destroyed ? Location{buffer->handle, address - buffer->address} : Location();
  }
  // The existing one with the highest address that is not above this one.
  std::optional<Buffer> find_before(VkDeviceAddress address) const;
  // What existing buffers cover, sorted and merged: begin and end.
  std::vector<std::pair<VkDeviceAddress, VkDeviceAddress>> ranges() const;

  void add_view(VkBufferView handle, const TexelView& view) { views_.emplace(handle, view); }
  void remove_view(VkBufferView handle) { views_.erase(handle); }
  TexelView view(VkBufferView handle) const {
    const TexelView* found = views_.find(handle);
    return found ? *found : TexelView();
  }

  // Memory that had to be allocated without device addresses: buffers in it have none.
  void add_plain_memory(VkDeviceMemory memory);
  void remove_memory(VkDeviceMemory memory);
  bool is_plain_memory(VkDeviceMemory memory) const;

 private:
  static inline constinit std::atomic<uint64_t> all_changes = 1;
  static void count_change() { all_changes.fetch_add(1, std::memory_order_acq_rel); }

  struct Living {
    VkBuffer handle = VK_NULL_HANDLE;
    VkDeviceSize size = 0;
  };
  // Buffers with an address.
  struct Region {
    std::multimap<VkDeviceAddress, Living> living;
    VkDeviceSize largest = 0;  // that ever was
  };
  // Calls visit(address, buffer) for each that has a byte in [begin, end), until it says false.
  static void for_each_overlap(const Region& region, VkDeviceAddress begin, VkDeviceAddress end,
                               const std::function<bool(VkDeviceAddress, const Living&)>& visit);

  struct Place : BoundRange {
    explicit Place(const BoundRange& range) : BoundRange(range) {}
    std::atomic<uint64_t> unwritten = 0;  // the last generation at which nothing wrote the buffer
    std::atomic<bool> beside_images = false;
  };
  HandleTable<VkBuffer, Place> places_;
  HandleTable<VkBufferView, TexelView> views_;

  // Called with the lock held. Describes an existing buffer, with its name.
  Buffer living_buffer(VkBuffer handle, VkDeviceAddress address, VkDeviceSize size) const;

  mutable std::mutex mutex_;  // guards all members below
  std::unordered_map<VkBuffer, std::string> names_;
  Region read_only_, writable_;
  std::function<void(const Buffer&)> listener_;
  std::deque<Buffer> destroyed_;
  std::set<VkDeviceMemory> plain_memory_;
  std::atomic<bool> any_plain_memory_ = false;
  std::atomic<bool> aliased_ = false;
};

}  // namespace shaderqa::layer
#endif
