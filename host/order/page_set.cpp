// SPDX-License-Identifier: Apache-2.0
#include "host/order/page_set.h"

#include <algorithm>
#include <iterator>

namespace shaderqa {

bool PageSet::add(uint64_t first, uint64_t last) {
  auto run = runs_.upper_bound(first);
  if (contains(first, last)) return false;
  // Merge all runs that touch the new one.
  if (run != runs_.begin() && std::prev(run)->second + 1 >= first) --run;
  while (run != runs_.end() && run->first <= last + 1) {
    first = std::min(first, run->first);
    last = std::max(last, run->second);
    run = runs_.erase(run);
  }
  runs_.emplace(first, last);
  return true;
}

void PageSet::remove(uint64_t first, uint64_t last) {
  auto run = runs_.upper_bound(first);
  if (run != runs_.begin() && std::prev(run)->second >= first) --run;
  while (run != runs_.end() && run->first <= last) {
    const auto [begin, end] = *run;
    run = runs_.erase(run);
    if (begin < first) runs_.emplace(begin, first - 1);
    if (end > last) runs_.emplace(last + 1, end);
  }
}

bool PageSet::overlaps(uint64_t first, uint64_t last) const {
  const auto behind = runs_.upper_bound(last);
  return behind != runs_.begin() && std::prev(behind)->second >= first;
}

bool PageSet::contains(uint64_t first, uint64_t last) const {
  const auto behind = runs_.upper_bound(first);
  return behind != runs_.begin() && std::prev(behind)->second >= last;
}

std::pair<uint64_t, uint64_t> PageSet::longest_run() const {
  if (runs_.empty()) return {1, 0};
  return *std::ranges::max_element(runs_, {}, [](const auto& run) { return run.second - run.first; });
}

}  // namespace shaderqa
