// SPDX-License-Identifier: Apache-2.0
// Which cells are free, and where pages to come find theirs (docs/internals/exact.md, Memory).
#ifndef SHADERQA_HOST_ORDER_FREE_CELLS_H
#define SHADERQA_HOST_ORDER_FREE_CELLS_H

#include <cstdint>

#include "host/order/page_set.h"

namespace shaderqa {

// Addresses of cells, which are multiples of the size that those of one page have. Not thread-safe.
class FreeCells {
 public:
  // cell_bytes: the size of one page's cells.
  explicit FreeCells(uint64_t cell_bytes) : cell_bytes_(cell_bytes) {}

  // The cells of that many pages, none of which is free yet.
  void add(uint64_t cells, uint64_t pages) {
    places_.add(number(cells), last_of(cells, pages));
    size_ += pages;
  }
  // All of them must be free.
  void take(uint64_t cells, uint64_t pages) {
    places_.remove(number(cells), last_of(cells, pages));
    size_ -= pages;
  }
  bool contains(uint64_t cells, uint64_t pages) const {
    return places_.contains(number(cells), last_of(cells, pages));
  }
  // Where that many lie beside each other: in the middle of the longest run, which leaves room for pages
  // before and behind. 0: no run is long enough.
  uint64_t find(uint64_t pages) const {
    const auto [first, last] = places_.longest_run();
    const uint64_t length = last + 1 - first;
    return length < pages ? 0 : (first + (length - pages) / 2) * cell_bytes_;
  }
  uint64_t size() const { return size_; }  // pages

 private:
  uint64_t number(uint64_t cells) const { return cells / cell_bytes_; }
  uint64_t last_of(uint64_t cells, uint64_t pages) const { return number(cells) + pages - 1; }

  uint64_t cell_bytes_;
  PageSet places_;  // by number()
  uint64_t size_ = 0;
};

}  // namespace shaderqa
#endif
