// SPDX-License-Identifier: Apache-2.0
// Pages whose cells lie one behind the other, in runs.
#ifndef SHADERQA_HOST_ORDER_PAGE_RUNS_H
#define SHADERQA_HOST_ORDER_PAGE_RUNS_H

#include <cstdint>
#include <map>

namespace shaderqa {

// Not thread-safe.
class PageRuns {
 public:
  // cell_bytes: of a page.
  explicit PageRuns(uint64_t cell_bytes) : cell_bytes_(cell_bytes) {}

  // A page that is not there yet, and the address of its cells.
  void add(uint64_t page, uint64_t cells);
  void remove(uint64_t page);
  // Where the cells of the first page are, if those of all up to and including the last one follow; else 0.
  uint64_t find(uint64_t first, uint64_t last) const;

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
  Runs runs_;  // by first page; those that could be one are
};

}  // namespace shaderqa
#endif
