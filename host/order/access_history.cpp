// SPDX-License-Identifier: Apache-2.0
#include "host/order/access_history.h"

#include <algorithm>
#include <bit>

namespace shaderqa {
namespace {

bool writes(uint32_t how) { return how != SQA_FOOTPRINT_READ; }

bool conflict(uint32_t a, uint32_t b) {
  return (writes(a) || writes(b)) && !(a == SQA_FOOTPRINT_ATOMIC && b == SQA_FOOTPRINT_ATOMIC);
}

// Whether the two have words in common; if so, sets the addresses of the meeting.
bool meet(const Footprint& a, const Footprint& b, AccessHistory::Meeting& meeting) {
  const uint64_t base = a.part << SQA_FOOTPRINT_LOG2;
  bool any = false;
  for (uint64_t i = 0; i < SQA_FOOTPRINT_WORDS; ++i) {
    const uint32_t both = a.words[i] & b.words[i];
    if (!both) continue;
    if (!any) meeting.begin = base + (i * 32 + static_cast<uint64_t>(std::countr_zero(both))) * 4;
    meeting.end = base + (i * 32 + 32 - static_cast<uint64_t>(std::countl_zero(both))) * 4;
    any = true;
  }
  return any;
}

}  // namespace

bool AccessHistory::add(const Footprint& later, uint64_t done,
                        const std::function<void(const Meeting&)>& visit) {
  std::vector<Footprint>& all = parts_[later.part];
  std::erase_if(all, [&](const Footprint& earlier) { return earlier.number <= done; });
  for (Footprint& earlier : all) {
    if (earlier.number == later.number || !conflict(earlier.how, later.how)) continue;
    Meeting meeting{earlier.number, later.number, writes(earlier.how), writes(later.how)};
    if (!meet(earlier, later, meeting)) continue;
    visit(meeting);
    // Later accesses need an order only with the newest write, which itself needs one with this access.
    if (later.how != SQA_FOOTPRINT_WRITE) continue;
    for (size_t i = 0; i < SQA_FOOTPRINT_WORDS; ++i) earlier.words[i] &= ~later.words[i];
  }
  std::erase_if(all, [](const Footprint& earlier) {
    return std::ranges::all_of(earlier.words, [](uint32_t words) { return words == 0; });
  });
  if (all.size() >= kMostOfPart) return false;
  all.push_back(later);
  return true;
}

}  // namespace shaderqa
