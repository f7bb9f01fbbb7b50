// SPDX-License-Identifier: Apache-2.0
// Reads printf segments while shaders write them. No Vulkan: works on any mapped memory, trusts nothing in
// it.
#ifndef SHADERQA_HOST_PRINTF_PRINTF_STREAM_H
#define SHADERQA_HOST_PRINTF_PRINTF_STREAM_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "host/printf/printf_table.h"
#include "instrument/runtime/abi_printf.h"

namespace shaderqa {

struct PrintfMessage {
  const PrintfSite* site = nullptr;  // null: the id is unknown
  uint64_t id = 0;
  std::span<const uint32_t> payload;       // copied out of the buffer: stable during the callback
  const CompiledFormat* format = nullptr;  // of the site, ready for rendering; null with the site
};

// One segment as the host sees it. `entries` is memory that the GPU may be writing: it is read once a word,
// with acquire loads for entry headers.
struct PrintfSegmentView {
  uint32_t* entries = nullptr;
  uint32_t capacity = 0;                      // dwords
  abi::PrintfBufferHeader* header = nullptr;  // mapped; may lie in slow memory: read once a pass at most
  uint64_t* cursor = nullptr;  // host-only, survives in the rescue file: dwords already delivered
};

// Consumes entries in order. Not thread-safe.
//
// The segments form a ring. When a message does not fit into the active segment any more, its invocation
// makes the next segment active; other invocations that find the old one full use the next one, too. A
// segment is zeroed before use: an entry whose low header dword is zero has not been written yet. When a
// segment is exhausted and all its entries are delivered, it is zeroed and its offset reset. Messages are
// dropped only if the whole ring is full.
class PrintfStream {
 public:
  struct Callbacks {
    std::function<void(const PrintfMessage&)> message;
    // Sentences for the user: malformed entry, truncated tail, unknown id; each kind once a device.
    std::function<void(const std::string&)> problem;
    // Called before cursors advance and segments are recycled: what was delivered must be safe when it
    // returns. If the process ends in between, its last messages are delivered twice rather than never.
    std::function<void()> delivered = {};
  };

  // active: &Root::printf_active as the host sees it (written by shaders). oldest: where to keep
  // the index of the segment to read first, for whoever reads on after a crash; may be null.
  PrintfStream(std::vector<PrintfSegmentView> segments, uint32_t* active, const PrintfTable& table,
               uint32_t* oldest = nullptr);

  enum class Mode {
    running,   // stop at the first entry that is not written yet
    finished,  // no shader runs any more (idle, lost, or dead): skip unwritten holes, deliver all that is
               // there
    dead  // as finished, but the offsets are not to be trusted, so all of each segment is searched; recycles
          // nothing
  };
  // Returns the number of messages delivered.
  uint64_t drain(Mode mode, const Callbacks& callbacks);

 private:
  enum ProblemKind : uint32_t { malformed_entry = 1, unknown_id = 2, never_written = 4, foreign_header = 8 };
  // A snapshot of a segment's state.
  struct Extent {
    uint64_t reserved = 0;  // dwords, may exceed the capacity
    uint32_t limit = 0;     // of what can hold entries
  };

  uint64_t drain_segment(uint32_t index, Mode mode, const Callbacks& callbacks);
  bool deliver(PrintfSegmentView& segment, uint32_t position, uint32_t size, const Callbacks& callbacks);
  uint32_t find_known_entry(const PrintfSegmentView& segment, uint32_t from, uint32_t limit);
  const PrintfTable::Entry* find(uint64_t id);
  void problem(ProblemKind kind, const Callbacks& callbacks, const std::string& text);
  // Exhausted: a reservation has reached the end, so no later one fits.
  bool exhausted(uint32_t index) const { return extents_[index].reserved >= segments_[index].capacity; }
  bool exhausted_and_read(uint32_t index) const;
  void recycle(uint32_t index);
  void recycle_read(Mode mode, uint32_t active);
  void read_offsets(Mode mode, uint32_t active);

  std::vector<PrintfSegmentView> segments_;
  uint32_t* active_;
  const PrintfTable& table_;
  uint32_t* oldest_;  // the segment to read first
  uint32_t own_oldest_ = 0;
  std::vector<uint64_t> positions_;  // dwords read, by segment; what is safe is in the views' cursors
  std::vector<uint32_t> scratch_;    // one entry's payload
  std::vector<Extent> extents_;      // of the last look, by segment
  uint32_t said_ = 0;                // ProblemKinds
  // The table is locked and hashed; most messages come from a few sites. Entries of the table live as long as
  // it.
  std::array<const PrintfTable::Entry*, 256> recent_{};
};

// A raw dump (16-byte header, then entries): `shaderqa decode`, the printf buffer format of LLPC/XGL.
// Every problem of notes on a broken buffer is a sentence through callbacks.problem; never reads past
// `bytes`.
void decode_printf_dump(std::span<const std::byte> bytes, const PrintfTable& table,
                        const PrintfStream::Callbacks& callbacks);

}  // namespace shaderqa
#endif
