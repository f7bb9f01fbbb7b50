// SPDX-License-Identifier: Apache-2.0
#include "host/printf/printf_stream.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <utility>

#include "host/printf/printf_entry.h"

namespace shaderqa {
namespace {

uint32_t load_acquire(uint32_t* word) {
  return std::atomic_ref<uint32_t>(*word).load(std::memory_order_acquire);
}
// The high dword and the payload are complete once the low dword is seen; relaxed, because memory that a GPU
// writes may change at any time all the same.
uint32_t load_relaxed(uint32_t* word) {
  return std::atomic_ref<uint32_t>(*word).load(std::memory_order_relaxed);
}

std::string hex_id(uint64_t id) {
  char text[32];
  std::snprintf(text, sizeof text, "%012llx", static_cast<unsigned long long>(id));
  return text;
}

}  // namespace

PrintfStream::PrintfStream(std::vector<PrintfSegmentView> segments, uint32_t* active,
                           const PrintfTable& table, uint32_t* oldest)
    : segments_(std::move(segments)),
      active_(active),
      table_(table),
      oldest_(oldest != nullptr ? oldest : &own_oldest_),
      extents_(segments_.size()) {
  for (PrintfSegmentView& segment : segments_) {
    segment.capacity = std::min<uint32_t>(segment.capacity, SQA_PRINTF_CLAMP_DWORDS);
    positions_.push_back(std::min<uint64_t>(*segment.cursor, segment.capacity));
  }
}

void PrintfStream::problem(ProblemKind kind, const Callbacks& callbacks, const std::string& text) {
  if ((said_ & kind) != 0) return;
  said_ |= kind;
  if (callbacks.problem) callbacks.problem(text);
}

const PrintfTable::Entry* PrintfStream::find(uint64_t id) {
  const PrintfTable::Entry*& recent = recent_[(id ^ id >> 8 ^ id >> 24) % recent_.size()];
  if (recent != nullptr && recent->site.id == id) return recent;
  const PrintfTable::Entry* entry = table_.find_entry(id);
  if (entry != nullptr) recent = entry;
  return entry;
}

// The next position from `from` on that looks like an entry of a known site; limit: none.
uint32_t PrintfStream::find_known_entry(const PrintfSegmentView& segment, uint32_t from, uint32_t limit) {
  for (uint32_t at = from; at + 1 < limit; ++at) {
    const uint32_t low = load_acquire(segment.entries + at);
    const uint32_t size = entry_size(low);
    if (size < SQA_PRINTF_ENTRY_HEADER_DWORDS || size > limit - at) continue;
    const uint64_t id = entry_id(low, load_relaxed(segment.entries + at + 1));
    if (id != SQA_PRINTF_PAD_ID && find(id) != nullptr) return at;
  }
  return limit;
}

// Returns whether it was a message. Unknown ones are passed on too, with a null site.
bool PrintfStream::deliver(PrintfSegmentView& segment, uint32_t position, uint32_t size,
                           const Callbacks& callbacks) {
  uint32_t* const words = segment.entries + position;
  PrintfMessage message;
  message.id = entry_id(load_relaxed(words), load_relaxed(words + 1));
  if (message.id == SQA_PRINTF_PAD_ID) return false;
  if (const PrintfTable::Entry* entry = find(message.id)) {
    message.site = &entry->site;
    message.format = &entry->format;
  } else {
    problem(unknown_id, callbacks,
            "a printf entry at dword " + std::to_string(position) + " has the id " + hex_id(message.id) +
                ", which no known shader uses; it is skipped, and so are others like it");
  }
  const uint32_t payload = size - SQA_PRINTF_ENTRY_HEADER_DWORDS;
  scratch_.resize(payload);
  for (uint32_t i = 0; i < payload; ++i)
    scratch_[i] = load_relaxed(words + SQA_PRINTF_ENTRY_HEADER_DWORDS + i);
  message.payload = scratch_;
  if (callbacks.message) callbacks.message(message);
  return message.site != nullptr;
}

uint64_t PrintfStream::drain_segment(uint32_t index, Mode mode, const Callbacks& callbacks) {
  PrintfSegmentView& segment = segments_[index];
  Extent& extent = extents_[index];
  const uint32_t capacity = segment.capacity;
  uint32_t position = static_cast<uint32_t>(positions_[index]);
  if (mode == Mode::dead) extent.limit = capacity;
  if (mode != Mode::running && (segment.header->reserved0 | segment.header->reserved1) != 0) {
    problem(foreign_header, callbacks,
            "a printf buffer's header has non-zero reserved fields: something other than printf wrote to it");
  }
  uint64_t delivered = 0;
  const auto skip_to_known = [&](uint32_t from) {
    positions_[index] = position = find_known_entry(segment, from, extent.limit);
  };
  while (true) {
    // After a device loss the offset may be older than the entries: what follows it directly counts as well.
    if (mode == Mode::finished && position >= extent.limit && position + 1 < capacity &&
        find_known_entry(segment, position, std::min(capacity, position + SQA_PRINTF_MAX_ENTRY_DWORDS)) ==
            position) {
      extent.limit = capacity;
    }
    if (position >= extent.limit) break;
    const uint32_t low = load_acquire(segment.entries + position);
    const uint32_t size = entry_size(low);
    const uint32_t rest = extent.limit - position;
    if (low == 0) {
      if (mode == Mode::running) break;
      const uint32_t hole = position;
      skip_to_known(position + 1);
      // The last dword of a segment can belong to nothing.
      if (position < extent.limit || (rest > 1 && extent.limit <= extent.reserved && mode != Mode::dead)) {
        problem(
            never_written, callbacks,
            "printf space at dword " + std::to_string(hole) + " (" + std::to_string(position - hole) +
                " dwords) was reserved but never written: a shader was stopped in the middle of a message");
      }
      continue;
    }
    if (size >= SQA_PRINTF_ENTRY_HEADER_DWORDS && rest >= SQA_PRINTF_ENTRY_HEADER_DWORDS &&
        entry_id(low, load_relaxed(segment.entries + position + 1)) == SQA_PRINTF_PAD_ID) {
      if (extent.reserved <= capacity && mode == Mode::running)
        break;  // the offset was read before the pad was written
      // Nothing follows a pad, even where the rest is more than one entry's size can say.
      positions_[index] = position = extent.reserved > capacity ? capacity : position + std::min(size, rest);
      continue;
    }
    if (size < SQA_PRINTF_ENTRY_HEADER_DWORDS || size > rest) {
      problem(malformed_entry, callbacks,
              "malformed printf entry at dword " + std::to_string(position) + ": size " +
                  std::to_string(size) + " dwords with " + std::to_string(rest) +
                  " left; a shader wrote over the printf buffer, messages may be lost");
      skip_to_known(position + 1);
      continue;
    }
    delivered += deliver(segment, position, size, callbacks) ? 1 : 0;
    positions_[index] = position += size;
  }
  return delivered;
}

// A rest of one dword holds no pad, so nothing more is to come there once a reservation has crossed the end.
bool PrintfStream::exhausted_and_read(uint32_t index) const {
  const uint64_t capacity = segments_[index].capacity;
  return exhausted(index) && (positions_[index] >= capacity ||
                              (positions_[index] + 1 >= capacity && extents_[index].reserved > capacity));
}

// Contents first, offset last: until the offset is zero no shader gets space, and after it all it finds is
// zeroed. In this order a process killed in between leaves nothing that looks undelivered.
void PrintfStream::recycle(uint32_t index) {
  PrintfSegmentView& segment = segments_[index];
  const uint32_t used = std::min<uint32_t>(segment.capacity, extents_[index].limit);
  if (used > 0) std::memset(segment.entries, 0, size_t{used} * 4);
  *segment.cursor = positions_[index] = 0;
  std::atomic_ref<uint64_t>(segment.header->buffer_offset).store(0, std::memory_order_release);
  extents_[index] = {};
}

void PrintfStream::recycle_read(Mode mode, uint32_t active) {
  const uint32_t count = static_cast<uint32_t>(segments_.size());
  bool at_oldest = true;
  for (uint32_t i = 0, index = *oldest_; i < count; ++i, index = (index + 1) % count) {
    if (mode == Mode::finished ? extents_[index].reserved != 0 || positions_[index] != 0
                               : exhausted_and_read(index)) {
      recycle(index);
      if (at_oldest) *oldest_ = (index + 1) % count;
    } else {
      at_oldest = false;
    }
  }
  if (mode == Mode::finished) *oldest_ = active;
  // A segment that is not exhausted is either the active one, or shaders left it and went on to the next.
  for (uint32_t i = 0; i < count && *oldest_ != active && !exhausted(*oldest_); ++i)
    *oldest_ = (*oldest_ + 1) % count;
}

// The newest segment first: what a shader wrote into a segment because the one before it was full is then
// seen only together with all of that one. Headers may lie in slow memory, so a segment behind the active one
// is looked at only if something is there, or in one behind it.
void PrintfStream::read_offsets(Mode mode, uint32_t active) {
  const uint32_t count = static_cast<uint32_t>(segments_.size());
  const uint32_t in_use = (active + count - *oldest_) % count;
  bool look = mode != Mode::running;
  for (uint32_t i = count; i-- > 0;) {
    const uint32_t index = (*oldest_ + i) % count;
    const PrintfSegmentView& segment = segments_[index];
    const uint64_t position = positions_[index];
    look = look || i <= in_use || position + 1 >= segment.capacity ||
           load_acquire(segment.entries + position) != 0;
    if (!look) continue;
    extents_[index].reserved =
        std::atomic_ref<uint64_t>(segment.header->buffer_offset).load(std::memory_order_acquire);
    extents_[index].limit =
        static_cast<uint32_t>(std::min<uint64_t>(extents_[index].reserved, segment.capacity));
  }
}

uint64_t PrintfStream::drain(Mode mode, const Callbacks& callbacks) {
  const uint32_t count = static_cast<uint32_t>(segments_.size());
  if (count == 0) return 0;
  *oldest_ %= count;  // it may lie in a file
  // Before the offsets: a segment that is not active any more is then seen to be exhausted.
  const uint32_t active = std::atomic_ref<uint32_t>(*active_).load(std::memory_order_acquire) % count;
  read_offsets(mode, active);
  uint64_t delivered = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t index = (*oldest_ + i) % count;
    delivered += drain_segment(index, mode, callbacks);
    // Messages of later segments wait, because they come after the entry that is still missing here.
    if (mode == Mode::running && positions_[index] < extents_[index].limit && !exhausted_and_read(index))
      break;
  }
  if (callbacks.delivered && delivered != 0) callbacks.delivered();
  for (uint32_t i = 0; i < count; ++i) *segments_[i].cursor = positions_[i];
  if (mode != Mode::dead) recycle_read(mode, active);
  return delivered;
}

}  // namespace shaderqa
