// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/value_origin.h"

#include <algorithm>

#include "source/latest_version_glsl_std_450_header.h"
#include "source/opcode.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

// Moves are few in valid modules, and may be endless in malformed ones.
constexpr uint32_t kMostSteps = 64;

// Component i of the result depends on component i of the operands alone.
bool is_componentwise(spv::Op op, uint32_t glsl_number) {
  switch (op) {
    case spv::Op::OpFAdd:
    case spv::Op::OpFSub:
    case spv::Op::OpFMul:
    case spv::Op::OpFDiv:
    case spv::Op::OpFRem:
    case spv::Op::OpFMod:
    case spv::Op::OpFNegate:
    case spv::Op::OpFConvert:
    case spv::Op::OpQuantizeToF16:
    case spv::Op::OpVectorTimesScalar:
    case spv::Op::OpSelect:
      return true;
    case spv::Op::OpExtInst:
      if (glsl_number == GLSLstd450Determinant || glsl_number == GLSLstd450MatrixInverse) return false;
      return glsl_number != 0 && (glsl_number <= GLSLstd450Ldexp || glsl_number >= GLSLstd450NMin);
    default:
      return false;
  }
}

// The words of a value's operands that are ids.
std::vector<uint32_t> operands_of(InstructionView i) {
  switch (i.op()) {
    case spv::Op::OpExtInst:
      return {i.words.begin() + 5, i.words.end()};
    case spv::Op::OpFAdd:
    case spv::Op::OpFSub:
    case spv::Op::OpFMul:
    case spv::Op::OpFDiv:
    case spv::Op::OpFRem:
    case spv::Op::OpFMod:
    case spv::Op::OpFNegate:
    case spv::Op::OpFConvert:
    case spv::Op::OpQuantizeToF16:
    case spv::Op::OpVectorTimesScalar:
    case spv::Op::OpDot:
    case spv::Op::OpMatrixTimesVector:
    case spv::Op::OpVectorTimesMatrix:
      return {i.words.begin() + 3, i.words.end()};
    case spv::Op::OpSelect:
      return {i.words.begin() + 4, i.words.end()};
    default:
      return {};
  }
}

}  // namespace

ValueOrigins::ValueOrigins(const ModuleView& module, const Decorations& decorations,
                           const std::vector<PlacedInstruction>& placed)
    : module_(module), placed_(placed), names_(module, decorations), positions_(module) {
  // By the words: earlier passes may have deleted instructions.
  for (size_t i = 0; i < placed.size(); ++i) {
    const InstructionView instruction = module.at(placed[i].offset);
    if (module.definition(instruction.word(2)).words.data() == instruction.words.data())
      results_.emplace(instruction.word(2), i);
  }
  read_callees();
}

void ValueOrigins::read_callees() {
  for_each_instruction(module_.words(), module_.functions_offset(), [&](InstructionView i, uint32_t) {
    if (i.op() == spv::Op::OpFunction) {
      functions_.emplace(i.word(2), static_cast<uint32_t>(callees_.size()));
      callees_.emplace_back();
    } else if (i.op() == spv::Op::OpFunctionParameter && !callees_.empty()) {
      callees_.back().parameters.push_back(i.word(2));
    } else if (i.op() == spv::Op::OpReturnValue && !callees_.empty()) {
      callees_.back().returned = callees_.back().returns++ == 0 ? i.word(1) : 0;
    }
    return true;
  });
}

bool ValueOrigins::only_loads(uint32_t callee, uint32_t parameter) const {
  return std::ranges::none_of(placed_, [&](const PlacedInstruction& placed) {
    const InstructionView i = module_.at(placed.offset);
    return placed.function == callee && i.op() != spv::Op::OpLoad && !module_.is_non_semantic(i) &&
           std::ranges::find(i.words.begin() + 1, i.words.end(), parameter) != i.words.end();
  });
}

uint32_t ValueOrigins::argument(const Place& call, uint32_t callee, uint32_t operand) const {
  const InstructionView definition = module_.definition(operand);
  if (spvOpcodeIsConstant(definition.op())) return operand;
  const bool loaded = definition.op() == spv::Op::OpLoad;
  const uint32_t parameter = loaded ? definition.word(3) : operand;
  const std::vector<uint32_t>& parameters = callees_[callee].parameters;
  const auto found = std::ranges::find(parameters, parameter);
  if (found == parameters.end()) return 0;
  const uint32_t given = call.definition.word(4 + static_cast<size_t>(found - parameters.begin()));
  if (!loaded) return given;
  // Compilers without an optimiser pass variables that hold the arguments.
  if (!module_.definition(given, spv::Op::OpVariable) || !only_loads(callee, parameter)) return 0;
  return stored_value(call.id, given);
}

bool ValueOrigins::add_returned(const Place& call, FoundOrigin& found) const {
  const auto callee = functions_.find(call.definition.word(3));
  if (callee == functions_.end() || callees_[callee->second].returned == 0) return false;
  const Place place = follow(callees_[callee->second].returned, call.component);
  const auto at = results_.find(place.id);
  if (!place.definition || at == results_.end() || operands_of(place.definition).empty()) return false;
  FoundOrigin inner;
  inner.origin.operation =
      names_.of_operation(place.definition) + " in " + names_.of_operation(call.definition);
  const SourcePosition position = positions_.at(placed_[at->second].line_offset);
  inner.origin.file = position.file;
  inner.origin.line = position.line;
  add_operands(place, inner);
  for (OperandValue& operand : inner.operands) operand.id = argument(call, callee->second, operand.id);
  const auto unknown = [](const OperandValue& operand) { return operand.id == 0; };
  if (std::ranges::any_of(inner.operands, unknown)) {
    inner.operands.clear();
    inner.origin.operands.clear();
    inner.origin.complete = false;
  }
  found = std::move(inner);
  return true;
}

uint32_t ValueOrigins::variable_behind(uint32_t pointer) const {
  for (uint32_t steps = 0; steps < kMostSteps; ++steps) {
    const InstructionView definition = module_.definition(pointer);
    if (!definition) return 0;
    if (definition.op() == spv::Op::OpVariable) return pointer;
    if (definition.op() != spv::Op::OpAccessChain && definition.op() != spv::Op::OpInBoundsAccessChain &&
        definition.op() != spv::Op::OpCopyObject)
      return 0;
    pointer = definition.word(3);
  }
  return 0;
}

uint32_t ValueOrigins::stored_value(uint32_t load, uint32_t variable) const {
  const auto found = results_.find(load);
  if (found == results_.end()) return 0;
  const uint32_t function = placed_[found->second].function;
  for (size_t i = found->second; i-- > 0;) {
    if (placed_[i].function != function) return 0;
    const InstructionView instruction = module_.at(placed_[i].offset);
    const spv::Op op = instruction.op();
    if (spvOpcodeIsBlockTerminator(op) || op == spv::Op::OpVariable) return 0;
    if (op == spv::Op::OpStore) {
      if (instruction.word(1) == variable) return instruction.word(2);
      if (variable_behind(instruction.word(1)) == variable) return 0;
    } else if (op != spv::Op::OpLoad && op != spv::Op::OpAccessChain &&
               op != spv::Op::OpInBoundsAccessChain) {
      // Whatever else may write what the variable, or a pointer into it, stands for.
      for (const uint32_t word : instruction.words.subspan(1))
        if (word == variable || (module_.definition(word) && variable_behind(word) == variable)) return 0;
    }
  }
  return 0;
}

bool ValueOrigins::step(Place& place) const {
  const InstructionView i = place.definition;
  const NumericType type = numeric_type(module_, module_.type_of(place.id));
  const auto move_to = [&](uint32_t id, uint32_t component) {
    const NumericType target = numeric_type(module_, module_.type_of(id));
    if (!target.floating || target.width == 0 || component >= target.components) return false;
    place = {module_.definition(id), id, component};
    return static_cast<bool>(place.definition);
  };
  switch (i.op()) {
    case spv::Op::OpCopyObject:
      return move_to(i.word(3), place.component);
    case spv::Op::OpLoad: {
      const InstructionView variable = module_.definition(i.word(3), spv::Op::OpVariable);
      if (!variable || static_cast<spv::StorageClass>(variable.word(3)) != spv::StorageClass::Function)
        return false;
      const uint32_t value = stored_value(place.id, i.word(3));
      return value != 0 && move_to(value, place.component);
    }
    case spv::Op::OpCompositeExtract:
      return i.size() == 5 && type.components == 1 && move_to(i.word(3), i.word(4));
    case spv::Op::OpCompositeConstruct: {
      uint32_t component = place.component;
      for (uint32_t word = 3; word < i.size(); ++word) {
        const NumericType part = numeric_type(module_, module_.type_of(i.word(word)));
        if (component < part.components) return move_to(i.word(word), component);
        component -= part.components;
      }
      return false;
    }
    case spv::Op::OpCompositeInsert:
      if (i.size() != 6) return false;
      return i.word(5) == place.component ? move_to(i.word(3), 0) : move_to(i.word(4), place.component);
    case spv::Op::OpVectorShuffle: {
      const uint32_t first = numeric_type(module_, module_.type_of(i.word(3))).components;
      const uint32_t from = i.word(5 + place.component);
      return from < first ? move_to(i.word(3), from) : move_to(i.word(4), from - first);
    }
    default:
      return false;
  }
}

ValueOrigins::Place ValueOrigins::follow(uint32_t value, uint32_t component) const {
  Place place{module_.definition(value), value, component};
  for (uint32_t steps = 0; steps < kMostSteps && place.definition && step(place);) ++steps;
  return place;
}

void ValueOrigins::add_operand(FoundOrigin& found, uint32_t id, uint32_t component,
                               const NumericType& type) const {
  std::string name = names_.of_value(id);
  if (type.components > 1 && name.find(' ') == std::string::npos) name += {'.', "xyzw"[component % 4]};
  found.origin.operands.push_back({std::move(name), false});
  found.operands.push_back({id, component, false});
}

void ValueOrigins::add_operands(const Place& place, FoundOrigin& found) const {
  const InstructionView i = place.definition;
  const bool each = is_componentwise(i.op(), names_.glsl_number(i));
  const std::vector<uint32_t> operands = operands_of(i);
  std::vector<std::pair<uint32_t, NumericType>> floats;
  bool complete = !operands.empty();
  uint32_t numbers = 0;
  for (const uint32_t id : operands) {
    const NumericType type = numeric_type(module_, module_.type_of(id));
    const InstructionView of = module_.definition(module_.type_of(id));
    const bool number = type.width != 0 && type.components <= 4;
    // A matrix, a pointer: not looked at.
    complete = complete && number;
    if (!number || !type.floating || !of) continue;
    floats.emplace_back(id, type);
    numbers += each ? 1 : type.components;
  }
  for (const auto& [id, type] : floats) {
    if (found.operands.size() == kOriginOperands) {
      complete = false;
      break;
    }
    if (each) {
      add_operand(found, id, type.components == 1 ? 0 : place.component, type);
    } else if (numbers <= kOriginOperands) {
      for (uint32_t component = 0; component < type.components; ++component)
        add_operand(found, id, component, type);
    } else {
      found.origin.operands.push_back({names_.of_value(id), true});
      found.operands.push_back({id, 0, true});
    }
  }
  found.origin.complete = complete && !floats.empty();
}

FoundOrigin ValueOrigins::of(uint32_t value, uint32_t component) {
  FoundOrigin found;
  const Place place = follow(value, component);
  const auto at = results_.find(place.id);
  if (!place.definition || at == results_.end()) return found;
  const SourcePosition position = positions_.at(placed_[at->second].line_offset);
  found.origin.file = position.file;
  found.origin.line = position.line;
  if (place.definition.op() == spv::Op::OpPhi) return {};
  if (place.definition.op() == spv::Op::OpLoad) {
    add_operand(found, place.id, place.component, numeric_type(module_, module_.type_of(place.id)));
    found.origin.complete = true;
    return found;
  }
  if (place.definition.op() == spv::Op::OpFunctionCall && add_returned(place, found)) return found;
  found.origin.operation = names_.of_operation(place.definition);
  add_operands(place, found);
  return found;
}

}  // namespace shaderqa
