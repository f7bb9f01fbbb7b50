// SPDX-License-Identifier: Apache-2.0
#include "host/order/page_runs.h"

#include <iterator>

namespace shaderqa {

void PageRuns::add(uint64_t page, uint64_t cells) {
  auto next = runs_.upper_bound(page);
  auto run = runs_.end();
  if (next != runs_.begin()) {
    const auto before = std::prev(next);
    if (before->second.last + 1 == page && cells_behind(*before) == cells) {
      before->second.last = page;
      run = before;
    }
  }
  if (run == runs_.end()) run = runs_.emplace_hint(next, page, Run{page, cells});
  if (next != runs_.end() && next->first == page + 1 && next->second.cells == cells + cell_bytes_) {
    run->second.last = next->second.last;
    runs_.erase(next);
  }
}

void PageRuns::remove(uint64_t page) {
  const auto next = runs_.upper_bound(page);
  if (next == runs_.begin()) return;
  const auto run = std::prev(next);
  const auto [last, cells] = run->second;
  if (last < page) return;
  if (last > page)
    runs_.emplace_hint(next, page + 1, Run{last, cells + (page + 1 - run->first) * cell_bytes_});
  if (run->first == page)
    runs_.erase(run);
  else
    run->second.last = page - 1;
}

uint64_t PageRuns::find(uint64_t first, uint64_t last) const {
  const auto next = runs_.upper_bound(first);
  if (next == runs_.begin()) return 0;
  const auto& [begin, run] = *std::prev(next);
  return run.last >= last ? run.cells + (first - begin) * cell_bytes_ : 0;
}

bool PageRuns::overlaps(uint64_t first, uint64_t last) const {
  const auto next = runs_.upper_bound(last);
  return next != runs_.begin() && std::prev(next)->second.last >= first;
}

}  // namespace shaderqa
