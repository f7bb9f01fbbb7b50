// SPDX-License-Identifier: Apache-2.0
#include "layer/resources/race_map.h"

#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <utility>

#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_image.h"
#include "layer/context/device_context.h"
#include "layer/context/instance.h"

namespace shaderqa::layer {
namespace {

constexpr VkDeviceSize kBlockBytes = SQA_RACE_MAP_DWORDS * sizeof(uint32_t);
constexpr uint64_t kDwordBytes = 64;  // of image addresses, for which a dword of the map stands
constexpr uint64_t kPageBytes = uint64_t{1} << SQA_PAGE_LOG2;

uint64_t block_of(uint64_t address) {
  return (abi::highest_image_address - address) >> SQA_RACE_MAP_BLOCK_LOG2;
}
uint64_t within_block(uint64_t address) { return address & ((uint64_t{1} << SQA_RACE_MAP_BLOCK_LOG2) - 1); }
uint32_t shift_of(uint64_t address) { return static_cast<uint32_t>(address / 4 % 16 * 2); }

uint32_t load(uint32_t& dword) { return std::atomic_ref(dword).load(std::memory_order_relaxed); }

}  // namespace

RaceMap::~RaceMap() {
  if (!device_.instance->in_forked_child()) return;
  // The memory belongs to the parent.
  static_cast<void>(table_.release());
  for (auto& one : memory_) static_cast<void>(one.release());
}

VkDeviceAddress RaceMap::require() {
  const std::lock_guard lock(mutex_);
  if (!tried_) {
    tried_ = true;
    DeviceBuffer::Request request;
    request.size = SQA_RACE_MAP_BLOCKS * sizeof(uint64_t);
    request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    std::string problem;
    table_ = DeviceBuffer::create(device_, request, problem);
    if (!table_)
      device_.note("race map", "there are no pictures of hazards on images: " + problem, Concern::nothing);
  }
  return table_ ? table_->address() : 0;
}

void RaceMap::reach(uint64_t address, uint64_t bytes, const std::function<bool(VkDeviceSize)>& take_room) {
  const std::lock_guard lock(mutex_);
  if (!table_ || bytes == 0) return;
  const auto fail = [&](const std::string& why) {
    device_.note("race map of all images", "there are no pictures of hazards on some images: " + why,
                 Concern::nothing);
  };
  uint64_t first = block_of(address + bytes - 1);
  uint64_t last = block_of(address);
  while (first <= last && blocks_.contains(first)) ++first;
  while (first < last && blocks_.contains(last)) --last;
  if (first > last) return;
  if (last >= SQA_RACE_MAP_BLOCKS) return fail("they are too many");
  const VkDeviceSize size = (last - first + 1) * kBlockBytes;
  if (!take_room(size)) return fail("sync_memory_limit leaves no memory for them");
  DeviceBuffer::Request request;
  request.size = size;
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  std::string problem;
  auto memory = DeviceBuffer::create(device_, request, problem);
  if (!memory) return fail(problem);
  // Shaders that look already must find zeroes behind the addresses.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  auto* const table = reinterpret_cast<uint64_t*>(table_->mapped());
  for (uint64_t number = first; number <= last; ++number) {
    const VkDeviceSize at = (number - first) * kBlockBytes;
    // What lies between two images can have a block already.
    if (!blocks_.emplace(number, memory->mapped() + at).second) continue;
    std::atomic_ref(table[number]).store(memory->address() + at, std::memory_order_release);
  }
  memory_.push_back(std::move(memory));
}

uint32_t* RaceMap::dwords_of(uint64_t number) const {
  const auto found = blocks_.find(number);
  return found == blocks_.end() ? nullptr : reinterpret_cast<uint32_t*>(found->second);
}

bool RaceMap::has_page(uint64_t address) const {
  uint32_t* const block = dwords_of(block_of(address));
  const uint64_t page = within_block(address) / kPageBytes;
  return block && (load(block[page / 32]) >> page % 32 & 1) != 0;
}

uint32_t& RaceMap::bits_of(uint64_t address) const {
  return dwords_of(block_of(address))[SQA_RACE_MAP_WORDS + within_block(address) / kDwordBytes];
}

uint32_t RaceMap::kinds_at(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  return has_page(address) ? load(bits_of(address)) >> shift_of(address) & 3 : 0;
}

void RaceMap::visit(uint64_t address, uint64_t bytes,
                    const std::function<void(uint64_t, uint32_t)>& visitor) const {
  const std::lock_guard lock(mutex_);
  const uint64_t end = address + bytes;
  std::array<uint32_t, kPageBytes / kDwordBytes> copy;
  for (uint64_t page = address / kPageBytes * kPageBytes; page < end; page += kPageBytes) {
    if (!has_page(page)) continue;
    // In large pieces, which is several times as fast where this memory is the device's.
    std::memcpy(copy.data(), &bits_of(page), sizeof copy);
    for (size_t i = 0; i < copy.size(); ++i) {
      const uint64_t first = page + i * kDwordBytes;
      for (uint64_t word = first; copy[i] != 0 && word < first + kDwordBytes; word += 4) {
        const uint32_t kinds = copy[i] >> shift_of(word) & 3;
        if (kinds != 0 && word >= address && word < end) visitor(word, kinds);
      }
    }
  }
}

void RaceMap::forget(uint64_t address, uint64_t bytes) {
  std::vector<uint64_t> words;
  visit(address, bytes, [&](uint64_t word, uint32_t) { words.push_back(word); });
  const std::lock_guard lock(mutex_);
  for (const uint64_t word : words)
    std::atomic_ref(bits_of(word)).fetch_and(~(3u << shift_of(word)), std::memory_order_relaxed);
}

}  // namespace shaderqa::layer
