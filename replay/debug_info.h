// SPDX-License-Identifier: Apache-2.0
// What NonSemantic.Shader.DebugInfo says of a shader: scopes, inlined functions, variables of the source,
// and the types' members. Whatever the words are, every question has an answer.
#ifndef SHADERQA_REPLAY_DEBUG_INFO_H
#define SHADERQA_REPLAY_DEBUG_INFO_H

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrument/ir/module_view.h"

namespace shaderqa {

// Where an instruction lies in the source. Ids, 0 for none.
struct DebugScope {
  uint32_t scope = 0;       // DebugFunction, DebugLexicalBlock
  uint32_t inlined_at = 0;  // DebugInlinedAt
  bool operator==(const DebugScope&) const = default;
};

// DebugLocalVariable.
struct DebugVariable {
  uint32_t id = 0;
  std::string name;
  uint32_t type = 0;  // of the debug information
  uint32_t line = 0;
};

// DebugDeclare or DebugValue: where a variable of the source, or a part of it, is from there on.
struct DebugBinding {
  uint32_t variable = 0;
  uint32_t operand = 0;        // a pointer to it, or its value
  bool is_known = true;        // false: its expression does more than to follow the pointer
  std::vector<uint32_t> path;  // which part: numbers of members and elements, the outermost first
  DebugScope scope;
};

// A function that was inlined, and the place of its call.
struct InlinedCall {
  DebugScope scope;  // of the caller
  uint32_t line = 0;
};

class DebugInfo {
 public:
  // `view` outlives it.
  void read(const ModuleView& view);

  bool empty() const { return sets_.empty(); }
  // For the instruction at a word offset. Nothing: the instruction before it in time has the same.
  DebugScope scope(uint32_t offset) const;
  // function: the id of its OpFunction.
  DebugScope scope_of_function(uint32_t function) const;
  // The scope around it, up to the function's.
  uint32_t parent(uint32_t scope) const;
  std::string function_name(uint32_t scope) const;
  std::string file(uint32_t scope) const;
  InlinedCall call(uint32_t inlined_at) const;
  // How many functions an instruction is inlined into.
  uint32_t inline_depth(uint32_t inlined_at) const;

  // That are declared in the scope itself.
  const std::vector<DebugVariable>& variables(uint32_t scope) const;
  // The one at a word offset; null: the instruction there is none.
  const DebugBinding* binding(uint32_t offset) const;
  // The DebugDeclare instructions of a variable.
  const std::vector<const DebugBinding*>& declarations(uint32_t variable) const;

  // id: of a variable of the module or of a function; empty: it says none.
  std::string name(uint32_t id) const;
  // structure: one of SPIR-V that some variable has.
  std::string member_name(uint32_t structure, uint32_t member) const;

  // A debug type without qualifiers and other names.
  uint32_t plain_type(uint32_t type) const;
  // How many parts such a type has; 0: it is no composite.
  uint32_t part_count(uint32_t type) const;
  uint32_t part_type(uint32_t type, uint32_t part) const;
  std::string part_name(uint32_t type, uint32_t part) const;  // of a member; empty for elements

 private:
  // A debug instruction, or nothing; op receives its number.
  InstructionView find(uint32_t id, uint32_t& op) const;
  bool is_debug(InstructionView i) const;
  std::string text(uint32_t id) const { return view_->string(id).value_or(""); }
  void read_global(InstructionView i);
  void read_binding(InstructionView i, uint32_t offset, const DebugScope& scope);
  bool understands(uint32_t expression) const;
  // The types of SPIR-V and of the debug information are of the same thing.
  void match(uint32_t type, uint32_t debug_type, uint32_t depth);
  void match_operand(const DebugBinding& binding);
  std::vector<uint32_t> members(uint32_t composite) const;

  const ModuleView* view_ = nullptr;
  std::vector<uint32_t> sets_;
  std::vector<std::pair<uint32_t, DebugScope>> scopes_;  // from this offset on
  std::unordered_map<uint32_t, uint32_t> definitions_;   // DebugFunction by OpFunction
  std::map<uint32_t, std::vector<DebugVariable>> variables_;
  std::map<uint32_t, DebugBinding> bindings_;  // by offset
  std::map<uint32_t, std::vector<const DebugBinding*>> declarations_;
  std::map<uint32_t, std::string> names_;
  std::map<uint32_t, uint32_t> composites_;  // debug type by OpTypeStruct
};

}  // namespace shaderqa
#endif
