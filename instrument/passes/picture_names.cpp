// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/picture_names.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "NonSemanticShaderDebugInfo100.h"
#include "instrument/ir/function_scan.h"

namespace shaderqa {
namespace {

class NameFinder {
 public:
  NameFinder(const ModuleView& view, const EntryPoint& entry_point,
             const std::vector<PlacedInstruction>& placed)
      : view_(view), entry_point_(entry_point), placed_(placed), debug_sets_(view.shader_debug_sets()) {
    read_functions();
  }
  ShownVariables find(const PictureExpression& expression);

 private:
  // By id of the function; 0: it belongs to the module.
  using Candidates = std::map<uint32_t, ShownVariable>;

  void read_functions();
  Candidates candidates(const std::string& name, std::string& problem) const;
  void add_id(Candidates& found, uint32_t id, std::string& problem) const;
  void add_binding(Candidates& found, size_t at, InstructionView i, std::string& problem) const;
  void add_pointer(Candidates& found, uint32_t function, uint32_t pointer, std::string& problem) const;
  static void add_value(Candidates& found, uint32_t function, uint32_t type, NamedValue value);
  InstructionView debug(uint32_t id, uint32_t op) const {
    const InstructionView i = view_.definition(id, spv::Op::OpExtInst);
    return i && is_debug(i, op) ? i : InstructionView{};
  }
  bool is_debug(InstructionView i, uint32_t op) const {
    return i.op() == spv::Op::OpExtInst && i.word(4) == op &&
           std::ranges::find(debug_sets_, i.word(3)) != debug_sets_.end();
  }
  bool is_plain(uint32_t debug_expression) const {
    const InstructionView i = debug(debug_expression, NonSemanticShaderDebugInfo100DebugExpression);
    return i && i.size() == 5;
  }

  const ModuleView& view_;
  const EntryPoint& entry_point_;
  const std::vector<PlacedInstruction>& placed_;
  const std::vector<uint32_t> debug_sets_;
  std::vector<uint32_t> functions_;                    // in module order
  std::unordered_map<uint32_t, uint32_t> parameters_;  // parameter -> function
  std::unordered_map<uint32_t, size_t> results_;       // id -> number among the placed instructions
};

void NameFinder::read_functions() {
  for_each_instruction(view_.words(), view_.functions_offset(), [&](InstructionView i, uint32_t) {
    if (i.op() == spv::Op::OpFunction) functions_.push_back(i.word(2));
    if (i.op() == spv::Op::OpFunctionParameter && !functions_.empty())
      parameters_.emplace(i.word(2), functions_.back());
    return true;
  });
  for (size_t i = 0; i < placed_.size(); ++i)
    if (const uint32_t id = placed_[i].instruction->result_id()) results_.emplace(id, i);
}

void NameFinder::add_value(Candidates& found, uint32_t function, uint32_t type, NamedValue value) {
  ShownVariable& variable = found[function];
  // Memory has the value at any time. Another type: another variable of this name, and the first one counts.
  if (variable.pointer != 0 || (variable.type != 0 && variable.type != type)) return;
  variable.type = type;
  variable.values.push_back(value);
}

void NameFinder::add_pointer(Candidates& found, uint32_t function, uint32_t pointer,
                             std::string& problem) const {
  const InstructionView type = view_.definition(view_.type_of(pointer), spv::Op::OpTypePointer);
  if (!type) return;
  switch (static_cast<spv::StorageClass>(type.word(2))) {
    case spv::StorageClass::Function:
    case spv::StorageClass::Private:
    case spv::StorageClass::Output:
      break;
    case spv::StorageClass::Input:
      if (std::ranges::find(entry_point_.interface, pointer) == entry_point_.interface.end()) return;
      break;
    default:
      problem = "it is a buffer or another resource; a variable that it is read into can be shown";
      return;
  }
  // The last one of several variables that have one name in a function.
  found[function] = {pointer, type.word(3), {}};
}

void NameFinder::add_id(Candidates& found, uint32_t id, std::string& problem) const {
  const InstructionView definition = view_.definition(id);
  const uint32_t type = view_.type_of(id);
  if (!definition || type == 0 || view_.is_non_semantic(definition)) return;
  const bool is_pointer = static_cast<bool>(view_.definition(type, spv::Op::OpTypePointer));
  if (const auto parameter = parameters_.find(id); parameter != parameters_.end()) {
    if (is_pointer) return add_pointer(found, parameter->second, id, problem);
    const auto first = std::ranges::find_if(placed_, [&](const PlacedInstruction& at) {
      return at.function < functions_.size() && functions_[at.function] == parameter->second &&
             at.instruction->opcode() != spv::Op::OpVariable;
    });
    if (first != placed_.end())
      add_value(found, parameter->second, type, {static_cast<size_t>(first - placed_.begin()), id});
    return;
  }
  const auto placed = results_.find(id);
  if (definition.op() == spv::Op::OpVariable) {
    const bool local = placed != results_.end();
    const bool global = static_cast<spv::StorageClass>(definition.word(3)) != spv::StorageClass::Function;
    if (local || global)
      add_pointer(found, local ? functions_[placed_[placed->second].function] : 0, id, problem);
  } else if (placed != results_.end() && !is_pointer) {
    add_value(found, functions_[placed_[placed->second].function], type, {placed->second, id});
  }
}

// A DebugDeclare or DebugValue.
void NameFinder::add_binding(Candidates& found, size_t at, InstructionView i, std::string& problem) const {
  const uint32_t function = functions_[placed_[at].function];
  const uint32_t operand = i.word(6), type = view_.type_of(operand);
  if (type == 0) return;
  if (i.size() > 8 || !is_plain(i.word(7))) {
    problem = "the compiler has taken it apart";
    return;
  }
  if (!view_.definition(type, spv::Op::OpTypePointer)) return add_value(found, function, type, {at, operand});
  const InstructionView definition = view_.definition(operand);
  if (definition && (definition.op() == spv::Op::OpVariable || parameters_.contains(operand)))
    add_pointer(found, function, operand, problem);
}

NameFinder::Candidates NameFinder::candidates(const std::string& name, std::string& problem) const {
  Candidates named, debugged;
  std::set<uint32_t> variables;  // DebugLocalVariable
  for_each_instruction(view_.words(), header_words, [&](InstructionView i, uint32_t offset) {
    if (offset >= view_.functions_offset()) return false;
    if (i.op() == spv::Op::OpName && literal_string(i, 2) == name) add_id(named, i.word(1), problem);
    if (is_debug(i, NonSemanticShaderDebugInfo100DebugLocalVariable) && view_.string(i.word(5)) == name)
      variables.insert(i.word(2));
    if (is_debug(i, NonSemanticShaderDebugInfo100DebugGlobalVariable) && view_.string(i.word(5)) == name)
      add_id(debugged, i.word(12), problem);
    return true;
  });
  for (size_t at = 0; at < placed_.size() && !variables.empty(); ++at) {
    const InstructionView i = view_.at(placed_[at].offset);
    if ((is_debug(i, NonSemanticShaderDebugInfo100DebugDeclare) ||
         is_debug(i, NonSemanticShaderDebugInfo100DebugValue)) &&
        variables.contains(i.word(5)))
      add_binding(debugged, at, i, problem);
  }
  debugged.merge(named);
  return debugged;
}

ShownVariables NameFinder::find(const PictureExpression& expression) {
  ShownVariables result;
  std::map<std::string, Candidates> all;
  for (const PictureNode& node : expression)
    if (node.op == PictureOperator::name && !all.contains(node.name)) {
      std::string problem;
      const Candidates& found = all.emplace(node.name, candidates(node.name, problem)).first->second;
      if (!found.empty()) continue;
      if (!problem.empty()) result.problem = node.name + " cannot be shown: " + problem;
      return result;
    }
  std::vector<uint32_t> order{entry_point_.function};
  order.insert(order.end(), functions_.begin(), functions_.end());
  // A function that has names of its own comes before one that sees those of the module alone.
  for (const bool own : {true, false})
    for (const uint32_t function : order) {
      const auto sees = [&](const auto& each) {
        return each.second.contains(function) || each.second.contains(0);
      };
      const auto has = [&](const auto& each) { return each.second.contains(function); };
      if (!std::ranges::all_of(all, sees) || (own && std::ranges::none_of(all, has))) continue;
      result.function = function;
      for (const auto& [name, found] : all)
        result.variables.emplace(name, found.at(found.contains(function) ? function : 0));
      return result;
    }
  result.problem = "its names are in different functions";
  return result;
}

}  // namespace

ShownVariables find_shown_variables(const ModuleView& view, const EntryPoint& entry_point,
                                    const std::vector<PlacedInstruction>& placed,
                                    const PictureExpression& expression) {
  return NameFinder(view, entry_point, placed).find(expression);
}

}  // namespace shaderqa
