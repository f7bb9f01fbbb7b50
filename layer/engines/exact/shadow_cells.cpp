// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/shadow_cells.h"

#include <algorithm>

#include "host/log/log.h"
#include "instrument/runtime/abi_image.h"
#include "layer/context/instance.h"
#include "layer/loader/device.h"

namespace shaderqa::layer {
namespace {

constexpr size_t kMostBarrierBuffers = 32;
constexpr uint64_t kPageBytes = uint64_t{1} << SQA_PAGE_LOG2;
constexpr uint64_t kCellBytes = SQA_PAGE_CELL_BYTES;

VkDeviceSize largest_device_heap(const VkPhysicalDeviceMemoryProperties& memory) {
  VkDeviceSize largest = 0;
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      largest = std::max(largest, memory.memoryHeaps[i].size);
  }
  return largest;
}

}  // namespace

std::unique_ptr<ShadowCells> ShadowCells::create(Device& device, const SubmissionOrder& order,
                                                 std::string& problem) {
  auto table = PageTables::make_table(device, problem);
  if (!table) return nullptr;
  VkDeviceSize limit = device.instance->settings.sync_memory_limit;
  const VkDeviceSize heap = largest_device_heap(device.facts.memory);
  if (limit == 0) limit = heap / 4;
  return std::unique_ptr<ShadowCells>(
      new ShadowCells(device, order, std::move(table), std::min(limit, heap)));
}

ShadowCells::ShadowCells(Device& device, const SubmissionOrder& order, std::unique_ptr<DeviceBuffer> table,
                         VkDeviceSize limit)
    : device_(device),
      order_(order),
      limit_(limit),
      runs_(kCellBytes),
      parts_(device),
      chunks_(device),
      used_(PageTables::kTableBytes) {
  name_in_barriers(table->handle());
  tables_.set_first(std::move(table));
}

ShadowCells::~ShadowCells() = default;

uint64_t ShadowCells::last_page(VkDeviceAddress address, VkDeviceSize size) const {
  return std::min((address + size - 1) >> SQA_PAGE_LOG2, (address >> SQA_PAGE_LOG2) + limit_ / kCellBytes);
}

void ShadowCells::store_entry(uint64_t number, const Page& page) {
  tables_.write(number, page.ignored ? 0 : page.entry);
}

void ShadowCells::note_limit(const std::string& why) {
  full_ = true;
  device_.note("sync memory", "accesses to some buffers are not checked for synchronisation: " + why,
               Concern::sync);
}

bool ShadowCells::has_room(VkDeviceSize bytes) {
  if (full_) return false;
  if (bytes <= room()) return true;
  note_limit("sync_memory_limit allows " + std::to_string(limit_) +
             " bytes for cells, and the buffers that were made first have them");
  return false;
}

bool ShadowCells::take_room(VkDeviceSize bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > room()) return false;
  used_ += bytes;
  return true;
}

bool ShadowCells::add_chunk(uint64_t pages, std::unique_lock<std::mutex>& lock) {
  // A chunk is at least one page more than its cells need.
  if (!has_room(2 * kCellBytes)) return false;
  const CellChunks::Size size = chunks_.size_for(pages, (limit_ - used_) / kCellBytes - 1);
  std::string problem;
  lock.unlock();
  auto chunk = chunks_.make(size, problem);
  lock.lock();
  if (!chunk) {
    note_limit(problem);
    return false;
  }
  used_ += chunk->size();
  SHADERQA_LOG(info, "shadow memory: " + std::to_string(chunk->size()) + " bytes more, " +
                         std::to_string(used_) + " in all");
  name_in_barriers(chunk->handle());
  chunks_.add(std::move(chunk));
  return true;
}

bool ShadowCells::add_table(uint64_t page, std::unique_lock<std::mutex>& lock) {
  if (!has_room(PageTables::kTableBytes)) return false;
  std::string problem;
  lock.unlock();
  auto table = PageTables::make_table(device_, problem);
  lock.lock();
  if (!table) {
    note_limit(problem);
    return false;
  }
  used_ += PageTables::kTableBytes;
  name_in_barriers(table->handle());
  tables_.add_second(page, std::move(table));
  return true;
}

// Runs of pages that have no user yet and can have cells. visit may make them used.
template <typename Visit>
void ShadowCells::for_each_new(uint64_t first, uint64_t last, const Visit& visit) {
  // Without a table: no table reaches the address, or there was no memory for one.
  const auto is_new = [&](uint64_t page) {
    return page >> 32 == 0 && !pages_.contains(page) && tables_.reaches(page);
  };
  for (uint64_t number = first; number <= last; ++number) {
    if (!is_new(number)) continue;
    uint64_t end = number;
    while (end < last && is_new(end + 1)) ++end;
    visit(number, end);
    number = end;
  }
}

// Beside the cells of the page before or behind, since buffers share pages with their neighbours.
VkDeviceAddress ShadowCells::place_for(uint64_t first, uint64_t last) const {
  const uint64_t pages = last - first + 1, bytes = pages * kCellBytes;
  const VkDeviceAddress before = first == 0 ? 0 : runs_.find(first - 1, first - 1);
  if (before && chunks_.free.contains(before + kCellBytes, pages)) return before + kCellBytes;
  const VkDeviceAddress behind = runs_.find(last + 1, last + 1);
  if (behind > bytes && chunks_.free.contains(behind - bytes, pages)) return behind - bytes;
  return chunks_.free.find(pages);
}

// Makes tables and cells for the pages that have no user yet. What is free only grows meanwhile.
void ShadowCells::make_room(uint64_t first, uint64_t last, std::unique_lock<std::mutex>& lock) {
  for (uint64_t number = first; number <= last && number >> 32 == 0; ++number)
    if (!pages_.contains(number) && !tables_.reaches(number)) add_table(number, lock);
  uint64_t needed = 0;
  bool together = true;
  for_each_new(first, last, [&](uint64_t begin, uint64_t end) {
    needed += end - begin + 1;
    together = together && place_for(begin, end) != 0;
  });
  const bool fits = !full_ && (needed + 2) * kCellBytes <= room();
  if (!together && fits) add_chunk(needed, lock);
  while (chunks_.free.size() < needed && add_chunk(needed - chunks_.free.size(), lock)) continue;
}

// New pages, which may have cells, get what there is: all beside each other, or else wherever it is.
void ShadowCells::give_cells(uint64_t first, uint64_t last) {
  // What is in reused cells does not exceed the newest number.
  const uint64_t flags = (all_written_ ? SQA_PAGE_WRITTEN : 0u) | sequence_of(order_.newest());
  const VkDeviceAddress place = place_for(first, last);
  if (place) chunks_.free.take(place, last - first + 1);
  for (uint64_t number = first; number <= last; ++number) {
    const VkDeviceAddress cells = place ? place + (number - first) * kCellBytes : chunks_.free.find(1);
    if (!cells) return;
    if (!place) chunks_.free.take(cells, 1);
    Page& page = pages_[number];
    page.entry = cells | flags;
    store_entry(number, page);
    runs_.add(number, cells);
  }
}

void ShadowCells::add(VkDeviceAddress address, VkDeviceSize size) {
  if (address == 0 || size == 0 || address + size < address) return;
  const uint64_t first = address >> SQA_PAGE_LOG2, last = last_page(address, size);
  const std::lock_guard alone(growing_);
  std::unique_lock lock(mutex_);
  make_room(first, last, lock);
  for_each_new(first, last, [&](uint64_t begin, uint64_t end) { give_cells(begin, end); });
  for (uint64_t number = first; number <= last; ++number) ++pages_[number].users;
  if (!abi::is_image_address(address) && runs_.find(first, last) == 0 && runs_.overlaps(first, last))
    expect_apart();
}

void ShadowCells::renew(VkDeviceAddress address, VkDeviceSize size) {
  if (address == 0 || size == 0) return;
  const uint64_t last = last_page(address, size);
  const std::lock_guard lock(mutex_);
  const uint32_t sequence = sequence_of(order_.newest());
  for (uint64_t number = address >> SQA_PAGE_LOG2; number <= last; ++number) {
    const auto found = pages_.find(number);
    if (found == pages_.end() || found->second.entry == 0) continue;
    Page& page = found->second;
    page.entry = (page.entry & ~uint64_t{SQA_PAGE_BORN}) | sequence;
    store_entry(number, page);
  }
}

void ShadowCells::remove(VkDeviceAddress address, VkDeviceSize size) {
  if (address == 0 || size == 0 || address + size < address) return;
  const uint64_t first = address >> SQA_PAGE_LOG2, last = last_page(address, size);
  const std::lock_guard lock(mutex_);
  known_written_.clear();
  known_suspected_.clear();
  known_parts_.clear();
  removals_.fetch_add(1, std::memory_order_release);
  for (uint64_t number = first; number <= last; ++number) {
    const auto found = pages_.find(number);
    if (found == pages_.end() || --found->second.users != 0) continue;
    if (found->second.entry != 0) {
      tables_.write(number, 0);
      chunks_.free.add(found->second.entry & ~(kCellBytes - 1), 1);
      if (found->second.entry & SQA_PAGE_PARTS)
        parted_.remove(number, number);
      else
        runs_.remove(number);
      // There is room again.
      full_ = false;
    }
    written_.remove(number, number);
    filled_.remove(number, number);
    suspected_.remove(number, number);
    pages_.erase(found);
  }
}

void ShadowCells::ignore(VkDeviceAddress address, VkDeviceSize size) {
  if (address == 0 || size == 0 || address + size < address) return;
  const uint64_t last = last_page(address, size);
  const std::lock_guard lock(mutex_);
  for (uint64_t number = address >> SQA_PAGE_LOG2; number <= last; ++number) {
    const auto found = pages_.find(number);
    if (found == pages_.end() || found->second.entry == 0) continue;
    found->second.ignored = true;
    store_entry(number, found->second);
    runs_.remove(number);
  }
}

void ShadowCells::mark_written(VkDeviceAddress key, VkDeviceAddress address, VkDeviceSize size) {
  if (size == 0) return;
  const uint64_t last = last_page(address, size);
  const std::lock_guard lock(mutex_);
  for (uint64_t number = address >> SQA_PAGE_LOG2; number <= last; ++number) {
    const auto found = pages_.find(number);
    if (found == pages_.end()) continue;
    found->second.by_shaders = true;
    flag_written(number, found->second);
  }
  known_written_.insert(key);
}

void ShadowCells::suspect_written(VkDeviceAddress key, VkDeviceAddress address, VkDeviceSize size) {
  if (size == 0) return;
  const uint64_t last = last_page(address, size);
  const std::lock_guard lock(mutex_);
  if (!known_suspected_.insert(key).second) return;
  bool more = false;
  for (uint64_t number = address >> SQA_PAGE_LOG2; number <= last; ++number)
    if (pages_.contains(number)) more |= suspected_.add(number, number);
  if (more) written_generation_.fetch_add(1, std::memory_order_release);
}

void ShadowCells::flag_written(uint64_t number, Page& page) {
  if (page.entry == 0) return;
  const bool filled = page.holders != 0 || page.by_shaders || all_written_;
  const bool written = filled || page.transitions != 0;
  bool more = false;
  if (written != ((page.entry & SQA_PAGE_WRITTEN) != 0)) {
    page.entry ^= SQA_PAGE_WRITTEN;
    store_entry(number, page);
    if (written)
      written_.add(number, number);
    else
      written_.remove(number, number);
    more = written;
  }
  if (filled != page.filled) {
    page.filled = filled;
    if (filled)
      filled_.add(number, number);
    else
      filled_.remove(number, number);
    more |= filled;
  }
  if (more) written_generation_.fetch_add(1, std::memory_order_release);
}

void ShadowCells::hold_written(const HeldPages& held) {
  const uint64_t last = last_page(held.address, held.size);
  const std::lock_guard lock(mutex_);
  for (uint64_t number = held.address >> SQA_PAGE_LOG2; number <= last; ++number) {
    const auto found = pages_.find(number);
    if (found == pages_.end()) continue;
    ++(held.transition ? found->second.transitions : found->second.holders);
    flag_written(number, found->second);
  }
}

// If a buffer has gone and another one has come since they were held, less is checked than could be.
void ShadowCells::release_written(const HeldPages& held) {
  const uint64_t last = last_page(held.address, held.size);
  const std::lock_guard lock(mutex_);
  for (uint64_t number = held.address >> SQA_PAGE_LOG2; number <= last; ++number) {
    const auto found = pages_.find(number);
    if (found == pages_.end()) continue;
    uint32_t& holders = held.transition ? found->second.transitions : found->second.holders;
    if (holders == 0) continue;
    --holders;
    flag_written(number, found->second);
  }
}

std::vector<uint64_t> ShadowCells::pages_without_parts(uint64_t first, uint64_t last) const {
  std::vector<uint64_t> without;
  for (uint64_t number = first; number <= last; ++number) {
    const auto found = pages_.find(number);
    if (found != pages_.end() && found->second.entry != 0 && !(found->second.entry & SQA_PAGE_PARTS))
      without.push_back(number);
  }
  return without;
}

// Where there was no memory, one attempt is enough.
bool ShadowCells::is_known_parted(VkDeviceAddress address, uint64_t last) const {
  const std::lock_guard lock(mutex_);
  const auto known = known_parts_.find(address);
  return known != known_parts_.end() && known->second >= last;
}

void ShadowCells::add_parts(VkDeviceAddress address, VkDeviceSize size) {
  if (size == 0) return;
  const uint64_t first = address >> SQA_PAGE_LOG2, last = last_page(address, size);
  if (is_known_parted(address, last)) return;
  const std::lock_guard alone(growing_);
  std::unique_lock lock(mutex_);
  uint64_t& known = known_parts_[address];
  known = std::max(known, last);
  std::vector<uint64_t> fresh = pages_without_parts(first, last);
  if (fresh.empty()) return;
  std::erase_if(fresh, [&](uint64_t page) { return parts_.has(page); });
  std::string problem;
  if (parts_.needed(fresh) > room())
    problem = "sync_memory_limit allows " + std::to_string(limit_) + " bytes for cells";
  std::vector<VkBuffer> made;
  lock.unlock();
  if (problem.empty() && !fresh.empty()) {
    // One chunk after another, as far as there is memory.
    parts_.make(
        fresh,
        [&](const DeviceBuffer& buffer) {
          const std::lock_guard counting(mutex_);
          used_ += buffer.size();
          made.push_back(buffer.handle());
        },
        problem);
  }
  lock.lock();
  for (const VkBuffer buffer : made) name_in_barriers(buffer);
  for (const uint64_t number : pages_without_parts(first, last)) {
    if (!parts_.has(number)) continue;
    Page& page = pages_.at(number);
    page.by_shaders = true;
    flag_written(number, page);
    page.entry |= SQA_PAGE_PARTS;
    store_entry(number, page);
    runs_.remove(number);
    parted_.add(number, number);
  }
  parts_generation_.fetch_add(1, std::memory_order_release);
  lock.unlock();
  if (!problem.empty())
    device_.note(
        "sync memory of parts",
        "races between stores of 8 and 16 bits to different parts of a word are not found in some buffers: " +
            problem,
        Concern::sync);
}

bool ShadowCells::has_parts(VkDeviceAddress address, VkDeviceSize size) const {
  const std::lock_guard lock(mutex_);
  return parted_.overlaps(address >> SQA_PAGE_LOG2, (address + size - 1) >> SQA_PAGE_LOG2);
}

VkDeviceAddress ShadowCells::parts_address() const {
  const std::lock_guard lock(mutex_);
  return parts_.tables_address();
}

bool ShadowCells::is_written(VkDeviceAddress address, VkDeviceSize size) const {
  const AddressSpan range{address, address + size};
  return written_among({&range, 1}) != 0;
}

uint32_t ShadowCells::written_among(std::span<const AddressSpan> ranges, Writers writers) const {
  const std::lock_guard lock(mutex_);
  const PageSet& pages = writers == Writers::all ? written_ : filled_;
  uint32_t written = 0;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const uint64_t first = ranges[i].begin >> SQA_PAGE_LOG2, last = (ranges[i].end - 1) >> SQA_PAGE_LOG2;
    if (all_written_ || pages.overlaps(first, last) || suspected_.overlaps(first, last)) written |= 1u << i;
  }
  return written;
}

VkDeviceAddress ShadowCells::cells_of(VkDeviceAddress address, VkDeviceSize size) const {
  const std::lock_guard lock(mutex_);
  const uint64_t first = runs_.find(address >> SQA_PAGE_LOG2, (address + size - 1) >> SQA_PAGE_LOG2);
  return first ? first + 2 * (address & (kPageBytes - 4)) : 0;
}

bool ShadowCells::has_cells(VkDeviceAddress address, VkDeviceSize size) const {
  const std::lock_guard lock(mutex_);
  const uint64_t first = address >> SQA_PAGE_LOG2, last = (address + size - 1) >> SQA_PAGE_LOG2;
  return runs_.overlaps(first, last) || parted_.overlaps(first, last);
}

bool ShadowCells::is_known_written(VkDeviceAddress key) {
  const std::lock_guard lock(mutex_);
  return all_written_ || known_written_.contains(key);
}

void ShadowCells::mark_everything_written() {
  const std::lock_guard lock(mutex_);
  if (all_written_) return;
  all_written_ = true;
  written_generation_.fetch_add(1, std::memory_order_release);
  for (auto& [number, page] : pages_) flag_written(number, page);
}

bool ShadowCells::owes_clear() {
  const std::lock_guard lock(mutex_);
  return chunks_.owes_clear();
}

// Cleared cells hold nothing of before, whichever number it had.
void ShadowCells::forget_births() {
  for (auto& [number, page] : pages_) {
    if (page.entry == 0) continue;
    page.entry &= ~uint64_t{SQA_PAGE_BORN};
    store_entry(number, page);
  }
}

void ShadowCells::record_clears(VkCommandBuffer command_buffer, bool all) {
  std::vector<VkBuffer> cleared;
  {
    const std::lock_guard lock(mutex_);
    chunks_.append_to_clear(cleared, all);
    // New cells of bytes hold nothing.
    if (all) parts_.append_cell_buffers(cleared);
    if (all) forget_births();
  }
  for (const VkBuffer buffer : cleared)
    device_.next.CmdFillBuffer(command_buffer, buffer, 0, VK_WHOLE_SIZE, 0);
}

ShadowCells::Buffers ShadowCells::barrier_buffers() const {
  const std::lock_guard lock(mutex_);
  return barrier_buffers_;
}

void ShadowCells::add_barrier_buffer(VkBuffer buffer) {
  const std::lock_guard lock(mutex_);
  name_in_barriers(buffer);
}

void ShadowCells::name_in_barriers(VkBuffer buffer) {
  if (++barrier_buffer_count_ > kMostBarrierBuffers) {
    barrier_buffers_ = std::make_shared<const std::vector<VkBuffer>>();
  } else {
    auto more = std::make_shared<std::vector<VkBuffer>>(*barrier_buffers_);
    more->push_back(buffer);
    barrier_buffers_ = std::move(more);
  }
  barrier_generation_.fetch_add(1, std::memory_order_release);
}

VkDeviceSize ShadowCells::used() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

}  // namespace shaderqa::layer
