// SPDX-License-Identifier: Apache-2.0
// All cases, from the files that describe them.
#include "sync_case.h"

namespace sync_cases {

const std::vector<Case>& cases_with_a_race() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> all;
    for (const auto& some : {access_cases(), descriptor_cases(), synchronisation_cases(), host_cases(),
                             dispatch_cases(), indirect_cases(), graphics_cases(), transfer_cases(),
                             vertex_cases(), build_cases(), host_read_cases(), row_cases()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return cases;
}

const std::vector<Case>& correct_patterns() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> all;
    for (const auto& some : {compute_patterns(), graphics_patterns(), queue_patterns(), transfer_patterns(),
                             vertex_patterns(), build_patterns(), host_read_patterns(), indirect_patterns()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return cases;
}

}  // namespace sync_cases
