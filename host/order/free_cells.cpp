// SPDX-License-Identifier: Apache-2.0
#include "host/order/free_cells.h"

#include <iterator>

namespace shaderqa {

FreeCells::Intervals::const_iterator FreeCells::before(uint64_t cells) const {
  const auto next = intervals_.upper_bound(cells);
  return next == intervals_.begin() ? intervals_.end() : std::prev(next);
}

void FreeCells::insert(uint64_t cells, uint64_t pages) {
  if (pages == 0) return;
  intervals_.emplace(cells, pages);
  lengths_.emplace(pages, cells);
  size_ += pages;
}

void FreeCells::erase(Intervals::const_iterator interval) {
  lengths_.erase({interval->second, interval->first});
  size_ -= interval->second;
  intervals_.erase(interval);
}

void FreeCells::add(uint64_t cells, uint64_t pages) {
  if (const auto found = before(cells); found != intervals_.end() && end_of(*found) == cells) {
    cells = found->first;
    pages += found->second;
    erase(found);
  }
  if (const auto next = intervals_.find(cells + pages * cell_bytes_); next != intervals_.end()) {
    pages += next->second;
    erase(next);
  }
  insert(cells, pages);
}

void FreeCells::take(uint64_t cells, uint64_t pages) {
  const auto found = before(cells);
  const auto [first, length] = *found;
  erase(found);
  const uint64_t skipped = (cells - first) / cell_bytes_;
  insert(first, skipped);
  insert(cells + pages * cell_bytes_, length - skipped - pages);
}

bool FreeCells::contains(uint64_t cells, uint64_t pages) const {
  const auto found = before(cells);
  return found != intervals_.end() && cells + pages * cell_bytes_ <= end_of(*found);
}

uint64_t FreeCells::find(uint64_t pages) const {
  if (lengths_.empty()) return 0;
  const auto& [length, first] = *lengths_.rbegin();
  return length < pages ? 0 : first + (length - pages) / 2 * cell_bytes_;
}

}  // namespace shaderqa
