// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/own_uses.h"

#include <atomic>
#include <cstddef>

#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_resolve.h"

namespace shaderqa::layer {
namespace {

constexpr size_t kMostFollowed = 16;

}  // namespace

void ReachOfAction::compare_all() const {
  const auto set = [&](uint32_t dword) {
    std::atomic_ref(record[dword]).store(SQA_REACH_UNKNOWN, std::memory_order_relaxed);
  };
  if (resolved) return set(SQA_ACTION_RESOLVE + 3);
  for (uint32_t i = 0; i < SQA_DIRECT_SLOTS; ++i)
    set(SQA_ACTION_DIRECT + i * SQA_DIRECT_DWORDS + SQA_DIRECT_REACH);
}

void OwnUses::add(const ReachOfAction& reach, uint32_t number) {
  // Drop the oldest: an action this many actions later, behind their barriers, does not run before it.
  if (uses_.size() == kMostFollowed) uses_.erase(uses_.begin());
  uses_.push_back({reach, number});
}

void OwnUses::follow(uint32_t executed) {
  std::erase_if(uses_, [&](const Use& use) {
    if (use.number < executed) return false;
    use.reach.compare_all();
    return true;
  });
}

}  // namespace shaderqa::layer
