// SPDX-License-Identifier: Apache-2.0
// Which stretches of a shader's words lie in a window of its code, found while walking through the words.
#ifndef SHADERQA_INSTRUMENT_PASSES_WINDOW_WALK_H
#define SHADERQA_INSTRUMENT_PASSES_WINDOW_WALK_H

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "instrument/code_window.h"
#include "instrument/ir/module_view.h"
#include "instrument/ir/source_positions.h"

namespace shaderqa {

class WindowWalk {
 public:
  // Both outlive it.
  WindowWalk(const ModuleView& module, const CodeWindow& window);

  // All instructions of the functions, in order.
  void enter(InstructionView i, uint32_t offset);
  // Whether something since the last call was inside, or the function with this id is.
  bool take_met(uint32_t function);

 private:
  void set_line(uint32_t offset);

  const CodeWindow& window_;
  const bool everything_;
  SourcePositions positions_;
  const std::vector<uint32_t> debug_sets_;
  std::unordered_set<uint32_t> functions_;  // ids of those that the window names
  bool line_is_inside_ = false, line_ends_ = false;
  bool met_ = false;
};

}  // namespace shaderqa
#endif
