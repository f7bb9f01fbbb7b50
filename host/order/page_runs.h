// SPDX-License-Identifier: Apache-2.0
// Runs of pages whose cells follow each other in memory.
#ifndef SHADERQA_HOST_ORDER_PAGE_RUNS_H
#define SHADERQA_HOST_ORDER_PAGE_RUNS_H

#include <cstdint>
#include <map>

namespace shaderqa {

// Not thread-safe.
class PageRuns {
 public:
  // cell_bytes: the size of one page's cells.
  explicit PageRuns(uint64_t cell_bytes) : cell_bytes_(cell_bytes) {}

  // The page must be new. cells: the address of its cells.
  void add(uint64_t page, uint64_t cells);
  void remove(uint64_t page);
  // The address of the first page's cells, if the cells of all pages up to and including `last` follow them;
  // else 0.
  uint64_t find(uint64_t first, uint64_t last) const;
  // Whether any of these pages, up to and including `last`, has cells.
  bool overlaps(uint64_t first, uint64_t last) const;

 private:
  struct Run {
    uint64_t last = 0;
    uint64_t cells = 0;  // of its first page
  };
  using Runs = std::map<uint64_t, Run>;
  uint64_t cells_behind(const Runs::value_type& run) const {
    return run.second.cells + (run.second.last - run.first + 1) * cell_bytes_;
  }

  uint64_t cell_bytes_;
  Runs runs_;  // by first page; adjacent runs are merged
};

}  // namespace shaderqa
#endif
