// SPDX-License-Identifier: Apache-2.0
// Raw dumps of a printf buffer: the 16-byte header of LLPC/XGL's format, then entries.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <unordered_set>

#include "host/printf/printf_entry.h"
#include "host/printf/printf_stream.h"
#include "instrument/runtime/abi_printf.h"

namespace shaderqa {
namespace {

class DumpReader {
 public:
  DumpReader(std::span<const std::byte> bytes, const PrintfTable& table,
             const PrintfStream::Callbacks& callbacks)
      : bytes_(bytes), table_(table), callbacks_(callbacks) {}
  void read();

 private:
  void problem(const std::string& text) const {
    if (callbacks_.problem) callbacks_.problem(text);
  }
  uint32_t word(size_t index) const {
    uint32_t value;
    std::memcpy(&value, bytes_.data() + sizeof(abi::PrintfBufferHeader) + index * 4, 4);
    return value;
  }
  size_t read_header();
  size_t after_hole(size_t position, size_t limit) const;
  void deliver(size_t position, uint32_t size);

  std::span<const std::byte> bytes_;
  const PrintfTable& table_;
  const PrintfStream::Callbacks& callbacks_;
  std::unordered_set<uint64_t> unknown_;
  std::vector<uint32_t> payload_;
};

// Returns the number of dwords that can hold entries.
size_t DumpReader::read_header() {
  abi::PrintfBufferHeader header;
  if (bytes_.size() < sizeof header) {
    problem("the dump has " + std::to_string(bytes_.size()) +
            " bytes; a printf buffer begins with a header of 16");
    return 0;
  }
  std::memcpy(&header, bytes_.data(), sizeof header);
  if ((header.reserved0 | header.reserved1) != 0)
    problem("the header's reserved fields are not zero: this may not be a printf buffer");
  if ((bytes_.size() - sizeof header) % 4 != 0) problem("the dump ends within a dword; the rest is ignored");
  const uint64_t capacity = std::min<uint64_t>((bytes_.size() - sizeof header) / 4, SQA_PRINTF_CLAMP_DWORDS);
  if (header.buffer_offset > capacity) {
    const bool clamped = header.buffer_offset > SQA_PRINTF_CLAMP_DWORDS;
    problem(std::to_string(header.buffer_offset - capacity) + " dwords of messages were dropped: " +
            std::to_string(header.buffer_offset) + " were reserved, the buffer holds " +
            std::to_string(capacity) + (clamped ? " (the offset is beyond the 2 GiB clamp)" : ""));
  }
  return static_cast<size_t>(std::min(header.buffer_offset, capacity));
}

size_t DumpReader::after_hole(size_t position, size_t limit) const {
  for (size_t at = position; at + 1 < limit; ++at) {
    const uint32_t size = entry_size(word(at));
    if (size >= SQA_PRINTF_ENTRY_HEADER_DWORDS && size <= limit - at &&
        table_.find(entry_id(word(at), word(at + 1))) != nullptr)
      return at;
  }
  return limit;
}

void DumpReader::deliver(size_t position, uint32_t size) {
  PrintfMessage message;
  message.id = entry_id(word(position), word(position + 1));
  if (message.id == SQA_PRINTF_PAD_ID) return;
  if (const PrintfTable::Entry* entry = table_.find_entry(message.id)) {
    message.site = &entry->site;
    message.format = &entry->format;
  } else if (unknown_.insert(message.id).second) {
    char id[32];
    std::snprintf(id, sizeof id, "%012llx", static_cast<unsigned long long>(message.id));
    problem("entry @" + std::to_string(position) + ": the id " + id +
            " is not among the known format strings; skipped");
  }
  payload_.resize(size - SQA_PRINTF_ENTRY_HEADER_DWORDS);
  for (size_t i = 0; i < payload_.size(); ++i)
    payload_[i] = word(position + SQA_PRINTF_ENTRY_HEADER_DWORDS + i);
  message.payload = payload_;
  if (callbacks_.message) callbacks_.message(message);
}

void DumpReader::read() {
  const size_t limit = read_header();
  size_t position = 0;
  while (position < limit) {
    const size_t rest = limit - position;
    const uint32_t low = word(position);
    const uint32_t size = entry_size(low);
    if (low == 0) {
      const size_t next = after_hole(position + 1, limit);
      if (next < limit || rest > 1)
        problem(std::to_string(next - position) + " dwords @" + std::to_string(position) +
                " were reserved but never written");
      position = next;
    } else if (size < SQA_PRINTF_ENTRY_HEADER_DWORDS) {
      return problem("malformed entry @" + std::to_string(position) + ": size " + std::to_string(size));
    } else if (size > rest) {
      return problem("truncated entry @" + std::to_string(position) + ": size " + std::to_string(size) +
                     ", " + std::to_string(rest) + " dwords are left; " + std::to_string(rest) +
                     " dwords were dropped");
    } else {
      deliver(position, size);
      position += size;
    }
  }
}

}  // namespace

void decode_printf_dump(std::span<const std::byte> bytes, const PrintfTable& table,
                        const PrintfStream::Callbacks& callbacks) {
  DumpReader(bytes, table, callbacks).read();
}

}  // namespace shaderqa
