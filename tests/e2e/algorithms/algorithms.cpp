// SPDX-License-Identifier: Apache-2.0
// All algorithms, from the files that describe them.
#include <stdexcept>
#include <string>

#include "algorithm.h"

namespace algorithms {

const std::vector<Algorithm>& all() {
  static const std::vector<Algorithm> list = {
      tree_reduction(), last_block_reduction(), radix_sort(), look_back_scan(), matrix_multiply(),
      histogram(),      bounding_volumes(),     particles()};
  return list;
}

const Algorithm& find(std::string_view name) {
  for (const Algorithm& algorithm : all())
    if (name == algorithm.name) return algorithm;
  throw std::runtime_error("no algorithm is called " + std::string(name));
}

}  // namespace algorithms
