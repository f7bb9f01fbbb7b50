// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/placed_instructions.h"

#include <algorithm>
#include <unordered_map>

#include "NonSemanticShaderDebugInfo100.h"
#include "instrument/ir/function_scan.h"
#include "source/opcode.h"

namespace shaderqa {
namespace {

// Walks the words of the functions. The IR's instructions are a subsequence of theirs: it keeps lines and
// debug scopes elsewhere.
class WordCursor {
 public:
  explicit WordCursor(const ModuleView& view)
      : view_(view),
        debug_sets_(view.shader_debug_sets()),
        old_debug_sets_(view.imports("OpenCL.DebugInfo.100")),
        next_(view.functions_offset()) {}

  // Goes on to the next instruction of this operation and result (0: it has none). False at the end.
  bool find(spv::Op op, uint32_t result) {
    bool found = false;
    for_each_instruction(view_.words(), next_, [&](InstructionView i, uint32_t offset) {
      if (ends_line_) line_ = scope_ = 0;
      ends_line_ = spvOpcodeIsBlockTerminator(i.op());
      follow_selection(i);
      read_line(i, offset);
      next_ = offset + i.size();
      offset_ = offset;
      found = i.op() == op && (result == 0 || view_.definition(result).words.data() == i.words.data());
      return !found;
    });
    return found;
  }
  uint32_t offset() const { return offset_; }
  uint32_t line() const { return line_; }
  uint32_t scope() const { return scope_; }

 private:
  // A block ends a line. glslang says none behind the selection of `x = c ? a : b`, which is still the
  // statement in front of it; behind that of an `if`, all compilers say the next one's.
  void follow_selection(InstructionView i) {
    if (i.op() == spv::Op::OpSelectionMerge && line_ != 0) lines_of_merges_[i.word(1)] = line_;
    if (i.op() != spv::Op::OpLabel || line_ != 0) return;
    if (const auto line = lines_of_merges_.find(i.word(1)); line != lines_of_merges_.end())
      line_ = line->second;
  }
  void read_line(InstructionView i, uint32_t offset) {
    if (i.op() == spv::Op::OpLine) line_ = offset;
    if (i.op() == spv::Op::OpNoLine) line_ = 0;
    if (i.op() != spv::Op::OpExtInst) return;
    const auto is_of = [&](const std::vector<uint32_t>& sets) {
      return std::ranges::find(sets, i.word(3)) != sets.end();
    };
    const bool is_debug = is_of(debug_sets_);
    // Both sets have the same numbers for these.
    if (is_debug || is_of(old_debug_sets_)) {
      if (i.word(4) == NonSemanticShaderDebugInfo100DebugScope) scope_ = offset;
      if (i.word(4) == NonSemanticShaderDebugInfo100DebugNoScope) scope_ = 0;
    }
    if (!is_debug) return;
    if (i.word(4) == NonSemanticShaderDebugInfo100DebugLine) line_ = offset;
    if (i.word(4) == NonSemanticShaderDebugInfo100DebugNoLine) line_ = 0;
  }

  const ModuleView& view_;
  const std::vector<uint32_t> debug_sets_, old_debug_sets_;
  uint32_t next_;
  uint32_t offset_ = 0;
  uint32_t line_ = 0;
  uint32_t scope_ = 0;
  bool ends_line_ = false;
  std::unordered_map<uint32_t, uint32_t> lines_of_merges_;  // by label: the line of what selects
};

}  // namespace

std::optional<std::vector<PlacedInstruction>> place_instructions(spvtools::opt::IRContext& context,
                                                                 const ModuleView& view,
                                                                 uint32_t entry_function) {
  std::vector<PlacedInstruction> placed;
  const std::vector<bool> reachable = reachable_functions(view, entry_function);
  WordCursor cursor(view);
  uint32_t index = 0;
  for (auto& function : *context.module()) {
    if (index >= reachable.size()) return std::nullopt;
    if (!cursor.find(spv::Op::OpFunction, function.result_id())) return std::nullopt;
    if (reachable[index]) {
      for (auto& block : function) {
        if (!cursor.find(spv::Op::OpLabel, block.id())) return std::nullopt;
        for (auto& instruction : block) {
          if (!cursor.find(instruction.opcode(), instruction.result_id())) return std::nullopt;
          placed.push_back({&instruction, cursor.offset(), cursor.line(), index, cursor.scope()});
        }
      }
    }
    ++index;
  }
  return placed;
}

}  // namespace shaderqa
