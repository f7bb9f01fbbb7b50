// SPDX-License-Identifier: Apache-2.0
// Actions whose shaders may replace cells without a comparison (docs/internals/exact.md#own-elements), while
// a command buffer is recorded. What comes behind such an action without being ordered may run before it, and
// would be forgotten where the action replaces the cell.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_OWN_USES_H
#define SHADERQA_LAYER_ENGINES_EXACT_OWN_USES_H

#include <cstdint>
#include <vector>

namespace shaderqa::layer {

// Where a record says who reaches the memory of its action (SQA_DIRECT_REACH).
struct ReachOfAction {
  uint32_t* record = nullptr;
  bool resolved = false;  // the device writes the entries, by the numbers at SQA_ACTION_RESOLVE

  // From now on its accesses are compared as all others are. Shaders may read it at this moment.
  void compare_all() const;
};

class OwnUses {
 public:
  // An action that everything before is ordered before. Numbers count within the command buffer.
  void add(const ReachOfAction& reach, uint32_t number);
  // An action follows, which cannot run before anything below the number.
  void follow(uint32_t executed);
  void clear() { uses_.clear(); }
  bool empty() const { return uses_.empty(); }

 private:
  struct Use {
    ReachOfAction reach;
    uint32_t number = 0;
  };
  // The last ones that nothing has followed unordered. Something of another class still may, much later.
  std::vector<Use> uses_;
};

}  // namespace shaderqa::layer
#endif
