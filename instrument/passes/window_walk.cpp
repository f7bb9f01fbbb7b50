// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/window_walk.h"

#include <algorithm>
#include <string>

#include "NonSemanticShaderDebugInfo100.h"
#include "source/opcode.h"

namespace shaderqa {

WindowWalk::WindowWalk(const ModuleView& module, const CodeWindow& window)
    : window_(window),
      everything_(window.is_everything()),
      positions_(module),
      debug_sets_(module.shader_debug_sets()) {
  if (everything_) return;
  for_each_instruction(module.words(), header_words, [&](InstructionView i, uint32_t offset) {
    if (offset >= module.functions_offset()) return false;
    if (i.op() != spv::Op::OpName) return true;
    const std::string name = literal_string(i, 2);
    if (window.has_function(name.substr(0, name.find('(')))) functions_.insert(i.word(1));
    return true;
  });
}

void WindowWalk::set_line(uint32_t offset) {
  const SourcePosition position = positions_.at(offset);
  line_is_inside_ = position.line != 0 && window_.has_line(position.file, position.line);
}

void WindowWalk::enter(InstructionView i, uint32_t offset) {
  if (everything_) return;
  if (line_ends_) line_is_inside_ = false;
  line_ends_ = spvOpcodeIsBlockTerminator(i.op());
  const bool debug =
      i.op() == spv::Op::OpExtInst && std::ranges::find(debug_sets_, i.word(3)) != debug_sets_.end();
  if (i.op() == spv::Op::OpLine || (debug && i.word(4) == NonSemanticShaderDebugInfo100DebugLine)) {
    set_line(offset);
  } else if (i.op() == spv::Op::OpNoLine ||
             (debug && i.word(4) == NonSemanticShaderDebugInfo100DebugNoLine)) {
    line_is_inside_ = false;
  } else if (line_is_inside_) {
    met_ = true;
  }
}

bool WindowWalk::take_met(uint32_t function) {
  const bool met = met_;
  met_ = false;
  return everything_ || met || functions_.contains(function);
}

}  // namespace shaderqa
