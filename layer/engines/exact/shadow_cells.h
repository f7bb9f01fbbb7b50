// SPDX-License-Identifier: Apache-2.0
// The exact engine's memory: a page table from addresses to cells (docs/internals/exact.md), and the cells.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_SHADOW_CELLS_H
#define SHADERQA_LAYER_ENGINES_EXACT_SHADOW_CELLS_H

#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "host/order/page_runs.h"
#include "host/order/page_set.h"
#include "host/order/submission_order.h"
#include "instrument/runtime/abi_exact.h"
#include "layer/engines/exact/cell_chunks.h"
#include "layer/engines/exact/page_tables.h"
#include "layer/engines/exact/part_cells.h"
#include "layer/memory/device_buffer.h"
#include "layer/resources/descriptor_entries.h"

namespace shaderqa::layer {

class Device;

// Whole pages that a recorded command writes.
struct HeldPages {
  VkDeviceAddress address = 0;
  VkDeviceSize size = 0;
  bool transition = false;  // of an image's layout
};

// Thread-safe. Memory is taken for pages that a shader can write, up to the setting sync_memory_limit, and
// kept for pages to come until the device is destroyed.
class ShadowCells {
 public:
  // Null, with a sentence in `problem`, where there is no memory even for the page table.
  static std::unique_ptr<ShadowCells> create(Device& device, const SubmissionOrder& order,
                                             std::string& problem);
  ~ShadowCells();
  ShadowCells(const ShadowCells&) = delete;
  ShadowCells& operator=(const ShadowCells&) = delete;

  VkDeviceAddress tables_address() const { return tables_.address(); }

  // From a buffer's binding to its destruction. Pages are counted: buffers may share or alias them.
  void add(VkDeviceAddress address, VkDeviceSize size);
  void remove(VkDeviceAddress address, VkDeviceSize size);
  // What its cells hold of earlier numbers counts no longer.
  void renew(VkDeviceAddress address, VkDeviceSize size);
  // Until remove(): accesses find no cells. The cells are kept, since work that runs may still use them.
  void ignore(VkDeviceAddress address, VkDeviceSize size);

  // Reads of pages that nothing writes need no cells (SQA_PAGE_WRITTEN). key: an address in the range by
  // which is_known_written finds it again.
  void mark_written(VkDeviceAddress key, VkDeviceAddress address, VkDeviceSize size);
  bool is_known_written(VkDeviceAddress key);
  void mark_everything_written();  // and what is added from now on
  // Shaders may write the range, and the device marks its pages where they do: until then only the host
  // counts it as written.
  void suspect_written(VkDeviceAddress key, VkDeviceAddress address, VkDeviceSize size);
  // A recorded command writes to the range, until release_written() for the same range: by then the command
  // is known to be over.
  void hold_written(const HeldPages& held);
  void release_written(const HeldPages& held);
  // Or suspected to be.
  bool is_written(VkDeviceAddress address, VkDeviceSize size) const;
  // By anything, or by anything but layout transitions.
  enum class Writers : uint8_t { all, but_transitions };
  // Bit i: is_written() of range i, of at most 32.
  uint32_t written_among(std::span<const AddressSpan> ranges, Writers writers = Writers::all) const;
  // Shaders store parts of words of the range: each byte gets a cell, as far as the limit allows.
  void add_parts(VkDeviceAddress address, VkDeviceSize size);
  bool has_parts(VkDeviceAddress address, VkDeviceSize size) const;
  // Changes when has_parts() may say yes where it said no.
  uint64_t parts_generation() const { return parts_generation_.load(std::memory_order_acquire); }
  VkDeviceAddress parts_address() const;

  // Changes when more is written than before.
  uint64_t written_generation() const { return written_generation_.load(std::memory_order_acquire); }
  // Changes when is_known_written() may deny what it knew.
  uint64_t removals() const { return removals_.load(std::memory_order_acquire); }

  // Those of some range of add() do not follow each other, or have once been expected not to.
  bool are_apart() const { return apart_.load(std::memory_order_relaxed); }
  void expect_apart() { apart_.store(true, std::memory_order_relaxed); }

  // As ExactEngine has it. size: not 0.
  VkDeviceAddress cells_of(VkDeviceAddress address, VkDeviceSize size) const;
  bool has_cells(VkDeviceAddress address, VkDeviceSize size) const;

  // Cells that hold anything must be cleared before shaders run that may find them.
  bool owes_clear();
  // Recorded outside of render passes, between barriers. Clears new cells, or all of them at the begin of an
  // epoch, when pages forget what was given out in the last one.
  void record_clears(VkCommandBuffer command_buffer, bool all);

  VkDeviceSize used() const;
  // Counts memory for something else. False: the limit leaves no room for it.
  bool take_room(VkDeviceSize bytes);

  // The page table and the cells, and what has been added: buffers that the layer's own barriers name. None
  // if they are more than a barrier should name.
  using Buffers = std::shared_ptr<const std::vector<VkBuffer>>;
  Buffers barrier_buffers() const;
  void add_barrier_buffer(VkBuffer buffer);
  // Changes when there are more.
  uint64_t barrier_generation() const { return barrier_generation_.load(std::memory_order_acquire); }

 private:
  struct Page {
    uint32_t users = 0;
    uint64_t entry = 0;        // as the table has it; 0: no memory
    bool ignored = false;      // the table has 0
    uint32_t holders = 0;      // recorded commands that write to it, but for
    uint32_t transitions = 0;  // layout transitions
    bool by_shaders = false;   // may write to it, once and for all
    bool filled = false;       // in filled_
  };

  ShadowCells(Device& device, const SubmissionOrder& order, std::unique_ptr<DeviceBuffer> table,
              VkDeviceSize limit);
  // The last page of a range that is looked at. Pages beyond what the limit has cells for are not: sparse
  // buffers can be as large as the address space.
  uint64_t last_page(VkDeviceAddress address, VkDeviceSize size) const;
  // False, with one note, where the limit forbids it.
  bool has_room(VkDeviceSize bytes);
  VkDeviceSize room() const { return limit_ - std::min(limit_, used_); }  // that the limit leaves
  // These give the lock back while they call the driver; growing_ is held.
  bool add_chunk(uint64_t pages, std::unique_lock<std::mutex>& lock);
  bool add_table(uint64_t page, std::unique_lock<std::mutex>& lock);
  void name_in_barriers(VkBuffer buffer);  // mutex_ is held
  template <typename Visit>
  void for_each_new(uint64_t first, uint64_t last, const Visit& visit);
  VkDeviceAddress place_for(uint64_t first, uint64_t last) const;
  void give_cells(uint64_t first, uint64_t last);
  void make_room(uint64_t first, uint64_t last, std::unique_lock<std::mutex>& lock);
  void store_entry(uint64_t number, const Page& page);
  // Behind every change of what may write to the page.
  void flag_written(uint64_t number, Page& page);
  void forget_births();
  void note_limit(const std::string& why);
  // The range up to this page was given to add_parts() already.
  bool is_known_parted(VkDeviceAddress address, uint64_t last) const;
  std::vector<uint64_t> pages_without_parts(uint64_t first, uint64_t last) const;  // that have cells of words

  Device& device_;
  const SubmissionOrder& order_;
  const VkDeviceSize limit_;
  // Held while memory is taken for a buffer, so that no other buffer gets it. Threads that bind buffers wait
  // for each other, as they do in the driver; recording and submitting do not.
  std::mutex growing_;
  mutable std::mutex mutex_;  // around what follows; never held while the driver is called
  std::unordered_map<uint64_t, Page> pages_;
  PageTables tables_;                                  // set_first() was called
  std::unordered_set<VkDeviceAddress> known_written_;  // until the next removal
  // Ranges, first address to last page, of which add_parts() was told; until the next removal.
  std::unordered_map<VkDeviceAddress, uint64_t> known_parts_;
  PageSet written_;  // by anything,
  PageSet filled_;   // or by anything but layout transitions
  PageSet suspected_;
  std::unordered_set<VkDeviceAddress> known_suspected_;  // as known_written_
  PageRuns runs_;                                        // of those with cells of words alone
  PageSet parted_;
  PartCells parts_;  // growing_ and mutex_ are held where it changes, one of them where it is read
  std::atomic<uint64_t> parts_generation_ = 0;
  std::atomic<bool> apart_ = false;
  bool all_written_ = false;
  std::atomic<uint64_t> written_generation_ = 1;
  std::atomic<uint64_t> removals_ = 1;
  size_t barrier_buffer_count_ = 0;
  Buffers barrier_buffers_ = std::make_shared<const std::vector<VkBuffer>>();
  std::atomic<uint64_t> barrier_generation_ = 1;
  CellChunks chunks_;
  VkDeviceSize used_ = 0;
  bool full_ = false;
};

}  // namespace shaderqa::layer
#endif
