// SPDX-License-Identifier: Apache-2.0
// Which cells are free, and where pages to come find theirs (docs/internals/exact.md, Memory).
#ifndef SHADERQA_HOST_ORDER_FREE_CELLS_H
#define SHADERQA_HOST_ORDER_FREE_CELLS_H

#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace shaderqa {

// Intervals of addresses, in cells of whole pages. Not thread-safe.
class FreeCells {
 public:
  // cell_bytes: the size of one page's cells.
  explicit FreeCells(uint64_t cell_bytes) : cell_bytes_(cell_bytes) {}

  // The cells of that many pages, none of which is free yet.
  void add(uint64_t cells, uint64_t pages);
  // All of them must be free.
  void take(uint64_t cells, uint64_t pages);
  bool contains(uint64_t cells, uint64_t pages) const;
  // Where that many lie beside each other: in the middle of the longest interval, which leaves room for pages
  // before and behind. 0: no interval is long enough.
  uint64_t find(uint64_t pages) const;
  uint64_t size() const { return size_; }  // pages

 private:
  using Intervals = std::map<uint64_t, uint64_t>;
  // The one that has the address in it or ends before it; end() if there is none.
  Intervals::const_iterator before(uint64_t cells) const;
  uint64_t end_of(const Intervals::value_type& interval) const {
    return interval.first + interval.second * cell_bytes_;
  }
  void insert(uint64_t cells, uint64_t pages);
  void erase(Intervals::const_iterator interval);

  uint64_t cell_bytes_;
  Intervals intervals_;                              // first address to pages; none touches another
  std::set<std::pair<uint64_t, uint64_t>> lengths_;  // of the same: pages, first address
  uint64_t size_ = 0;
};

}  // namespace shaderqa
#endif
