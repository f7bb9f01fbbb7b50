// SPDX-License-Identifier: Apache-2.0
// Where a debugger can stop, and what it can change there: parts of the plan of a trace (trace_plan.h).
#ifndef SHADERQA_INSTRUMENT_PASSES_DEBUG_STOPS_H
#define SHADERQA_INSTRUMENT_PASSES_DEBUG_STOPS_H

#include <cstdint>
#include <vector>

#include "instrument/ir/module_view.h"

namespace shaderqa {

struct TracePlan;

// Follows the source lines of a function's instructions.
class DebugLines {
 public:
  explicit DebugLines(const ModuleView& module);

  enum class Step {
    none,     // nobody wants to stop before it
    goes_on,  // it belongs to the statement of those before it
    begins,   // a statement begins with it: a line, or without lines what comes after a store
  };
  void begin_block();
  Step enter(InstructionView i);
  // Whether it is where the shader itself asks for a stop: OpAssumeTrueKHR, NonSemantic.DebugBreak.
  bool asks_for_stop(InstructionView i) const;

 private:
  // True: it only says which line comes.
  bool read_line(InstructionView i);

  const ModuleView& module_;
  const std::vector<uint32_t> debug_sets_, break_sets_;
  bool has_lines_ = false;
  uint64_t line_ = 0, last_line_ = 0;  // file and line; 0: none
  bool after_store_ = false;
};

// Fills in the variables that can be changed at the plan's stops.
void find_changeable(const ModuleView& module, TracePlan& plan);

}  // namespace shaderqa
#endif
