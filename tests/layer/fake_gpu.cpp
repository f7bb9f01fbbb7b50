// SPDX-License-Identifier: Apache-2.0
#include "tests/layer/fake_gpu.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "instrument/runtime/abi_printf.h"

namespace shaderqa::layer_tests {
namespace {

template <typename T>
T* at(uint64_t address) {
  return reinterpret_cast<T*>(address);
}

// Null: does not fit. The one that meets the segment's end closes it.
uint32_t* reserve_in(abi::Root& root, uint32_t index, uint32_t dwords) {
  const abi::PrintfSegment& segment = root.printf_segments[index];
  auto header = at<abi::PrintfBufferHeader>(segment.header_address);
  auto entries = at<uint32_t>(segment.entries_address);
  // Acquire: what the host zeroed before it gave the segment back is seen to be zero.
  const uint64_t offset = std::atomic_ref(header->buffer_offset).fetch_add(dwords, std::memory_order_acquire);
  if (offset + dwords <= segment.capacity) return entries + offset;
  if (offset <= segment.capacity) {
    const uint32_t next = (index + 1) % SQA_PRINTF_SEGMENTS;
    std::atomic_ref(root.printf_active).store(next, std::memory_order_relaxed);
    const auto rest = static_cast<uint32_t>(segment.capacity - offset);
    if (rest >= SQA_PRINTF_ENTRY_HEADER_DWORDS) {
      entries[offset + 1] = SQA_PRINTF_PAD_ID;
      std::atomic_ref(entries[offset]).store(rest, std::memory_order_release);
    }
  }
  return nullptr;
}

// In the active segment or the one after it; a message that fits into neither is counted as dropped.
uint32_t* reserve(abi::Root& root, uint64_t site, uint32_t dwords) {
  const uint32_t active = std::atomic_ref(root.printf_active).load(std::memory_order_relaxed);
  for (uint32_t attempt = 0; attempt < 2; ++attempt) {
    if (uint32_t* entry = reserve_in(root, (active + attempt) % SQA_PRINTF_SEGMENTS, dwords)) return entry;
  }
  auto counters = at<abi::PrintfSiteCounters>(root.printf_sites_address);
  std::atomic_ref(counters->dropped[site & (SQA_PRINTF_SITE_SLOTS - 1)])
      .fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

}  // namespace

null_driver::Driver& driver() {
  static null_driver::Driver* const only = [] {
    // Kept open: the driver's log outlives the loader's own reference.
    void* library = dlopen(SHADERQA_NULL_DRIVER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(dlerror());
    return reinterpret_cast<null_driver::EntryPoint>(dlsym(library, null_driver::kEntryPoint))();
  }();
  return *only;
}

std::vector<abi::Root*> find_roots() {
  std::vector<abi::Root*> roots;
  for (const std::span<std::byte> memory : driver().memory()) {
    if (memory.size() < SQA_ROOT_SIZE) continue;
    auto root = reinterpret_cast<abi::Root*>(memory.data());
    if (std::atomic_ref(root->magic).load(std::memory_order_acquire) == SQA_ROOT_MAGIC) roots.push_back(root);
  }
  return roots;
}

abi::Root* root_of(const Words& words) {
  for (abi::Root* root : find_roots()) {
    const auto address = reinterpret_cast<uint64_t>(root);
    const auto holds = [&words](uint64_t half) {
      return std::find(words.begin(), words.end(), static_cast<uint32_t>(half)) != words.end();
    };
    if (holds(address & UINT32_MAX) && holds(address >> 32)) return root;
  }
  return nullptr;
}

bool print(abi::Root& root, uint64_t site, std::span<const uint32_t> payload) {
  const auto size = static_cast<uint32_t>(SQA_PRINTF_ENTRY_HEADER_DWORDS + payload.size());
  uint32_t* entry = reserve(root, site, size);
  if (!entry) return false;
  std::copy(payload.begin(), payload.end(), entry + SQA_PRINTF_ENTRY_HEADER_DWORDS);
  entry[1] = static_cast<uint32_t>(site >> 16);
  const uint32_t low = size | static_cast<uint32_t>(site << 16);
  std::atomic_ref(entry[0]).store(low, std::memory_order_release);
  return true;
}

void print(uint64_t site, uint32_t payload) {
  const std::vector<abi::Root*> roots = find_roots();
  if (roots.size() != 1) throw std::runtime_error(std::to_string(roots.size()) + " root blocks");
  if (!print(*roots[0], site, {&payload, 1})) throw std::runtime_error("the message does not fit");
}

void reserve_without_writing(abi::Root& root, uint32_t dwords) { reserve(root, 0, dwords); }

abi::TraceControl* find_trace_control() {
  const auto memories = driver().memory();
  for (const std::span<std::byte> memory : memories) {
    if (memory.size() < SQA_ROOT_SIZE) continue;
    const uint64_t address = reinterpret_cast<const abi::Root*>(memory.data())->trace_control_address;
    for (const std::span<std::byte> block : memories)
      if (reinterpret_cast<uint64_t>(block.data()) == address && block.size() >= sizeof(abi::TraceControl))
        return reinterpret_cast<abi::TraceControl*>(block.data());
  }
  return nullptr;
}

ReportBlock find_report_block() {
  const auto memories = driver().memory();
  const auto holds = [&](uint64_t address, size_t size) {
    return std::any_of(memories.begin(), memories.end(), [&](std::span<std::byte> memory) {
      return memory.data() == at<std::byte>(address) && memory.size() >= size;
    });
  };
  for (const std::span<std::byte> memory : memories) {
    if (memory.size() < SQA_ROOT_SIZE) continue;
    auto root = reinterpret_cast<abi::Root*>(memory.data());
    if (holds(root->report_control_address, sizeof(abi::ReportControl)) &&
        holds(root->report_records_address, sizeof(abi::Report) * SQA_REPORT_SLOTS)) {
      return {at<abi::ReportControl>(root->report_control_address),
              at<abi::Report>(root->report_records_address), root};
    }
  }
  throw std::runtime_error("no root block has a report block");
}

bool fail(const ReportBlock& block, const abi::Report& record) {
  const uint32_t hash = (record.instruction * 97u) ^ record.shader_hash[0] ^ record.shader_hash[1];
  std::atomic_ref(block.control->failures[hash & (SQA_REPORT_SLOTS - 1)])
      .fetch_add(1, std::memory_order_relaxed);
  const uint32_t slot = (hash ^ (record.dispatch_id * 51329u)) & (SQA_REPORT_SLOTS - 1);
  uint32_t free = 0;
  if (!std::atomic_ref(block.control->slots[slot])
           .compare_exchange_strong(free, 1, std::memory_order_acquire)) {
    std::atomic_ref(block.control->unclaimed).fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  auto from = reinterpret_cast<const uint32_t*>(&record);
  auto to = reinterpret_cast<uint32_t*>(&block.records[slot]);
  for (uint32_t i = 0; i < SQA_REPORT_DWORDS - 1; ++i)
    std::atomic_ref(to[i]).store(from[i], std::memory_order_relaxed);
  const uint32_t ticket =
      std::atomic_ref(block.control->published).fetch_add(1, std::memory_order_release) + 1;
  std::atomic_ref(block.records[slot].ticket).store(ticket == 0 ? 1 : ticket, std::memory_order_release);
  return true;
}

}  // namespace shaderqa::layer_tests
