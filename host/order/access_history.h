// SPDX-License-Identifier: Apache-2.0
// Which words of memory each action accessed, and which pairs of actions need an order because of that
// (docs/internals/redundant.md).
#ifndef SHADERQA_HOST_ORDER_ACCESS_HISTORY_H
#define SHADERQA_HOST_ORDER_ACCESS_HISTORY_H

#include <array>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "instrument/runtime/abi_footprints.h"

namespace shaderqa {

// The words that one action accessed in one way, in one part of 4 KiB of memory.
struct Footprint {
  uint64_t number = 0;                                // of the action (host/order/submission_order.h)
  uint64_t part = 0;                                  // address >> SQA_FOOTPRINT_LOG2
  uint32_t how = 0;                                   // SQA_FOOTPRINT_*
  std::array<uint32_t, SQA_FOOTPRINT_WORDS> words{};  // a bit a word
};

class AccessHistory {
 public:
  // Words that two actions accessed, at least one of them as a write, with no write in between.
  struct Meeting {
    uint64_t earlier = 0, later = 0;
    bool earlier_writes = false, later_writes = false;
    uint64_t begin = 0, end = 0;  // addresses: from the first word to behind the last
  };

  // Footprints come in the order of their actions' numbers. done: actions up to this number were complete
  // before the later one was submitted, and are forgotten. False: too many footprints of the same part are
  // kept.
  bool add(const Footprint& later, uint64_t done, const std::function<void(const Meeting&)>& visit);
  void clear() { parts_.clear(); }

 private:
  static constexpr size_t kMostOfPart = 4096;

  std::unordered_map<uint64_t, std::vector<Footprint>> parts_;
};

}  // namespace shaderqa
#endif
