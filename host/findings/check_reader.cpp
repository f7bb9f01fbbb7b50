// SPDX-License-Identifier: Apache-2.0
#include "host/findings/check_reader.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

namespace shaderqa {
namespace {

// The count may promise records that never come: an invocation was lost between counting and writing, or the
// count is garbage. After so many searches in vain, stop until the count changes. A record that comes after
// that is found together with the next one.
constexpr uint32_t kPatience = 1000;

constexpr size_t kDwords = SQA_REPORT_DWORDS;

}  // namespace

uint32_t failure_counter(uint64_t shader_hash, uint32_t instruction) {
  const uint32_t hash =
      (instruction * 97u) ^ static_cast<uint32_t>(shader_hash) ^ static_cast<uint32_t>(shader_hash >> 32);
  return hash & (SQA_REPORT_SLOTS - 1);
}

uint64_t CheckReader::drain(Mode mode, const std::function<void(const abi::Report&)>& report) {
  const uint32_t published = std::atomic_ref(control_->published).load(std::memory_order_acquire);
  if (mode == Mode::running && published == seen_ && published == processed_) return 0;
  // The oldest first, so that the first finding of a bug is the same in each run.
  std::vector<std::pair<uint32_t, uint32_t>> found;  // ticket, slot
  for (uint32_t slot = 0; slot < SQA_REPORT_SLOTS; ++slot)
    if (const uint32_t ticket = std::atomic_ref(records_[slot].ticket).load(std::memory_order_relaxed))
      found.emplace_back(ticket, slot);
  std::ranges::sort(found);
  uint32_t taken = 0;
  for (const auto& [ticket, slot] : found) taken += take(slot, report) ? 1 : 0;
  processed_ += taken;
  if (taken != 0 || published != seen_) vain_ = 0;
  seen_ = published;
  if (published != processed_ && ++vain_ > kPatience) {
    vain_ = 0;
    processed_ = published;
  }
  return taken;
}

bool CheckReader::take(uint32_t slot, const std::function<void(const abi::Report&)>& report) {
  abi::Report& record = records_[slot];
  const std::atomic_ref ticket(record.ticket);
  const uint32_t number = ticket.load(std::memory_order_acquire);
  if (number == 0) return false;
  // Read each word once: a shader that still writes there then cannot change what is being decoded.
  uint32_t words[kDwords];
  auto shared = reinterpret_cast<uint32_t*>(&record);
  for (size_t i = 0; i < kDwords; ++i) words[i] = std::atomic_ref(shared[i]).load(std::memory_order_relaxed);
  words[offsetof(abi::Report, ticket) / sizeof(uint32_t)] = number;
  abi::Report copy;
  std::memcpy(&copy, words, sizeof copy);
  report(copy);
  // The next owner of the slot must find the ticket cleared. Ticket and slot are in different kinds of
  // memory: a release store does not order the two everywhere, an exchange does.
  ticket.exchange(0, std::memory_order_seq_cst);
  std::atomic_ref(control_->slots[slot]).store(0, std::memory_order_release);
  return true;
}

uint32_t CheckReader::unqueued() const {
  return std::atomic_ref(control_->unqueued).load(std::memory_order_relaxed);
}

uint32_t CheckReader::unclaimed() const {
  return std::atomic_ref(control_->unclaimed).load(std::memory_order_relaxed);
}

uint32_t CheckReader::failures(uint32_t counter) const {
  return std::atomic_ref(control_->failures[counter & (SQA_REPORT_SLOTS - 1)])
      .load(std::memory_order_relaxed);
}

}  // namespace shaderqa
