// Reads printf segments while shaders write them. No Vulkan: works on any mapped memory, trusts nothing in it.
#ifndef SHADERQA_HOST_PRINTF_STREAM_H
#define SHADERQA_HOST_PRINTF_STREAM_H

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "host/printf_table.h"
#include "instrument/runtime/abi.h"

namespace shaderqa {

struct PrintfMessage {
  const PrintfSite* site = nullptr;   // null: the id is unknown
  uint64_t id = 0;
  std::span<const uint32_t> payload;  // copied out of the buffer: stable during the callback
};

// One segment as the host sees it. `entries` is memory that the GPU may be writing: it is read once a word, with acquire
// loads for entry headers.
struct PrintfSegmentView {
  uint32_t* entries = nullptr;
  uint32_t capacity = 0;                       // dwords
  abi::PrintfBufferHeader* header = nullptr;   // mapped; may lie in slow memory: read once a pass at most
  uint64_t* cursor = nullptr;                  // host-only, survives in the rescue file: dwords already delivered
};

// Consumes entries in order. Not thread-safe: the caller serialises.
//
// A segment lies zeroed before use; an entry whose low header dword is zero is not written yet. When the active segment
// is exhausted and all its entries are delivered it is zeroed, its offset reset, and it becomes free again; before the
// active one is full the next free one is made active (abi::Root::printf_active).
class PrintfStream {
 public:
  struct Callbacks {
    std::function<void(const PrintfMessage&)> message;
    // Sentences for the user: malformed entry, truncated tail, unknown id; each kind once a device.
    std::function<void(const std::string&)> problem;
  };

  // active: &Root::printf_active as the host sees it (written with relaxed atomics).
  PrintfStream(std::vector<PrintfSegmentView> segments, uint32_t* active, const PrintfTable& table);

  enum class Mode {
    running,   // stop at the first entry that is not written yet
    finished   // no shader runs any more (idle, lost, or dead): skip unwritten holes, deliver all that is there
  };
  // Returns the number of messages delivered.
  uint64_t drain(Mode mode, const Callbacks& callbacks);

 private:
  std::vector<PrintfSegmentView> segments_;
  uint32_t* active_;
  const PrintfTable& table_;
  std::vector<uint32_t> order_;    // segments in the order of activation, the oldest not yet recycled first
  std::vector<uint32_t> scratch_;  // one entry
  // implementation may add members
};

// A raw dump (16-byte header, then entries): `shaderqa decode`, seed 000's format.
// Every problem of notes on a broken buffer is a sentence through callbacks.problem; never reads past `bytes`.
void decode_printf_dump(std::span<const std::byte> bytes, const PrintfTable& table,
                        const PrintfStream::Callbacks& callbacks);

}  // namespace shaderqa
#endif
