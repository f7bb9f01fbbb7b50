// SPDX-License-Identifier: Apache-2.0
// A set of page numbers, stored as runs.
#ifndef SHADERQA_HOST_ORDER_PAGE_SET_H
#define SHADERQA_HOST_ORDER_PAGE_SET_H

#include <cstdint>
#include <map>
#include <utility>

namespace shaderqa {

// All ranges include their last page. Not thread-safe.
class PageSet {
 public:
  // Returns whether any of the pages was missing.
  bool add(uint64_t first, uint64_t last);
  void remove(uint64_t first, uint64_t last);
  bool overlaps(uint64_t first, uint64_t last) const;
  bool contains(uint64_t first, uint64_t last) const;
  // Its first and last page; {1, 0} if there is none.
  std::pair<uint64_t, uint64_t> longest_run() const;

 private:
  std::map<uint64_t, uint64_t> runs_;  // first page to last page; neither touching nor overlapping
};

}  // namespace shaderqa
#endif
