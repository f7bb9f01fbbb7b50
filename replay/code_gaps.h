// SPDX-License-Identifier: Apache-2.0
// Where the trace of a part of a shader's code (CodeWindow) leaves code out: control flow as the shader's
// words have it.
#ifndef SHADERQA_REPLAY_CODE_GAPS_H
#define SHADERQA_REPLAY_CODE_GAPS_H

#include <cstdint>
#include <vector>

#include "instrument/ir/module_view.h"
#include "instrument/passes/trace_plan.h"

namespace shaderqa {

class CodeGaps {
 public:
  CodeGaps(const ModuleView& view, const TracePlan& plan);

  // Some code is left out.
  bool any() const { return any_; }
  // Whether code that is left out may run directly behind the piece. Not asked for pieces that return.
  bool after(uint32_t piece) const { return any_ && after_[piece]; }

 private:
  bool any_ = false;
  std::vector<bool> after_;  // by number of the piece
};

}  // namespace shaderqa
#endif
