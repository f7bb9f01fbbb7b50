// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/value_names.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "NonSemanticShaderDebugInfo100.h"
#include "source/opcode.h"

namespace shaderqa {
namespace {

// Expressions are short in valid modules, and may be endless in malformed ones.
constexpr uint32_t kMostDepth = 8;

// Of GLSL.std.450, from 1 on, as GLSL has them.
constexpr auto kGlslNames = std::to_array<std::string_view>({"round",
                                                             "roundEven",
                                                             "trunc",
                                                             "abs",
                                                             "abs",
                                                             "sign",
                                                             "sign",
                                                             "floor",
                                                             "ceil",
                                                             "fract",
                                                             "radians",
                                                             "degrees",
                                                             "sin",
                                                             "cos",
                                                             "tan",
                                                             "asin",
                                                             "acos",
                                                             "atan",
                                                             "sinh",
                                                             "cosh",
                                                             "tanh",
                                                             "asinh",
                                                             "acosh",
                                                             "atanh",
                                                             "atan",
                                                             "pow",
                                                             "exp",
                                                             "log",
                                                             "exp2",
                                                             "log2",
                                                             "sqrt",
                                                             "inversesqrt",
                                                             "determinant",
                                                             "inverse",
                                                             "modf",
                                                             "modf",
                                                             "min",
                                                             "min",
                                                             "min",
                                                             "max",
                                                             "max",
                                                             "max",
                                                             "clamp",
                                                             "clamp",
                                                             "clamp",
                                                             "mix",
                                                             "mix",
                                                             "step",
                                                             "smoothstep",
                                                             "fma",
                                                             "frexp",
                                                             "frexp",
                                                             "ldexp",
                                                             "packSnorm4x8",
                                                             "packUnorm4x8",
                                                             "packSnorm2x16",
                                                             "packUnorm2x16",
                                                             "packHalf2x16",
                                                             "packDouble2x32",
                                                             "unpackSnorm2x16",
                                                             "unpackUnorm2x16",
                                                             "unpackHalf2x16",
                                                             "unpackSnorm4x8",
                                                             "unpackUnorm4x8",
                                                             "unpackDouble2x32",
                                                             "length",
                                                             "distance",
                                                             "cross",
                                                             "normalize",
                                                             "faceforward",
                                                             "reflect",
                                                             "refract",
                                                             "findLSB",
                                                             "findMSB",
                                                             "findMSB",
                                                             "interpolateAtCentroid",
                                                             "interpolateAtSample",
                                                             "interpolateAtOffset",
                                                             "min",
                                                             "max",
                                                             "clamp"});

bool is_name(const std::string& name) { return !name.empty(); }

}  // namespace

ValueNames::ValueNames(const ModuleView& module, const Decorations& decorations)
    : module_(module), decorations_(decorations) {
  read_debug_values();
}

// Reads names of whole variables only. The operands of DebugValue and DebugDeclare are a DebugLocalVariable,
// the value or the pointer, an expression, and indices.
void ValueNames::read_debug_values() {
  const auto sets = module_.shader_debug_sets();
  if (sets.empty()) return;
  const auto is_debug = [&](InstructionView i, uint32_t number) {
    return i && i.op() == spv::Op::OpExtInst && i.word(4) == number &&
           std::ranges::find(sets, i.word(3)) != sets.end();
  };
  for_each_instruction(module_.words(), module_.functions_offset(), [&](InstructionView i, uint32_t) {
    const bool names = is_debug(i, NonSemanticShaderDebugInfo100DebugValue) ||
                       is_debug(i, NonSemanticShaderDebugInfo100DebugDeclare);
    if (!names || i.size() != 8) return true;
    const InstructionView variable = module_.definition(i.word(5));
    const InstructionView expression = module_.definition(i.word(7));
    if (is_debug(variable, NonSemanticShaderDebugInfo100DebugLocalVariable) && expression.size() == 5)
      debug_names_.emplace(i.word(6), module_.string(variable.word(5)).value_or(""));
    return true;
  });
}

uint32_t ValueNames::glsl_number(InstructionView i) const {
  if (i.op() != spv::Op::OpExtInst) return 0;
  const auto sets = module_.imports("GLSL.std.450");
  return std::ranges::find(sets, i.word(3)) == sets.end() ? 0 : i.word(4);
}

std::string ValueNames::of_operation(InstructionView i) const {
  switch (i.op()) {
    case spv::Op::OpFAdd:
      return "addition";
    case spv::Op::OpFSub:
      return "subtraction";
    case spv::Op::OpFMul:
    case spv::Op::OpVectorTimesScalar:
      return "multiplication";
    case spv::Op::OpFDiv:
      return "division";
    case spv::Op::OpFRem:
    case spv::Op::OpFMod:
      return "remainder";
    case spv::Op::OpDot:
      return "dot";
    case spv::Op::OpFunctionCall: {
      const std::string name = decorations_.name(i.word(3));
      if (is_name(name)) return name.substr(0, name.find('(')) + "()";
      break;
    }
    case spv::Op::OpExtInst:
      if (const uint32_t number = glsl_number(i); number != 0 && number <= kGlslNames.size())
        return std::string(kGlslNames[number - 1]);
      break;
    default:
      break;
  }
  return std::string("Op") + spvOpcodeString(i.op());
}

void ValueNames::append_indices(std::string& name, uint32_t type, InstructionView i, uint32_t word,
                                bool literals, uint32_t depth) const {
  for (; word < i.size(); ++word) {
    const InstructionView definition = module_.definition(type);
    if (!definition) return;
    const std::optional<uint32_t> number =
        literals ? std::optional(i.word(word)) : module_.constant(i.word(word));
    if (definition.op() == spv::Op::OpTypeStruct) {
      if (!number || *number + 2 >= definition.size()) return;
      const std::string member = decorations_.member_name(type, *number);
      name += (name.empty() ? "" : ".") + (is_name(member) ? member : std::to_string(*number));
      type = definition.word(*number + 2);
      continue;
    }
    if (definition.op() == spv::Op::OpTypeVector && number && *number < 4) {
      name += {'.', "xyzw"[*number]};
    } else if (number) {
      name += "[" + std::to_string(*number) + "]";
    } else {
      const std::string index = of_value(i.word(word), depth + 1);
      name += index.find(' ') == std::string::npos ? "[" + index + "]" : "[...]";
    }
    type = definition.word(2);
  }
}

std::string ValueNames::of_pointer(uint32_t id, uint32_t depth) const {
  std::string name = decorations_.name(id);
  const InstructionView definition = module_.definition(id);
  if (is_name(name) || !definition || depth > kMostDepth) return name;
  const auto pointee = [&](uint32_t pointer) {
    return module_.definition(module_.type_of(pointer), spv::Op::OpTypePointer).word(3);
  };
  switch (definition.op()) {
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
      name = of_pointer(definition.word(3), depth + 1);
      append_indices(name, pointee(definition.word(3)), definition, 4, false, depth);
      return name;
    case spv::Op::OpVariable: {
      if (const auto found = debug_names_.find(id); found != debug_names_.end()) return found->second;
      // A block without an instance name is called by its type's.
      uint32_t type = pointee(id);
      if (const InstructionView array = module_.definition(type, spv::Op::OpTypeArray)) type = array.word(2);
      return decorations_.name(type);
    }
    case spv::Op::OpCopyObject:
      return of_pointer(definition.word(3), depth + 1);
    default:
      return {};
  }
}

std::string ValueNames::of_value(uint32_t id, uint32_t depth) const {
  std::string name = decorations_.name(id);
  if (is_name(name)) return name;
  if (const auto found = debug_names_.find(id); found != debug_names_.end() && is_name(found->second))
    return found->second;
  const InstructionView definition = module_.definition(id);
  if (!definition || depth > kMostDepth) return "a value";
  switch (definition.op()) {
    case spv::Op::OpLoad:
      name = of_pointer(definition.word(3), depth + 1);
      return is_name(name) ? name : "a value from memory";
    case spv::Op::OpConstant:
    case spv::Op::OpConstantComposite:
    case spv::Op::OpConstantNull:
      return "a constant";
    case spv::Op::OpSpecConstant:
    case spv::Op::OpSpecConstantComposite:
    case spv::Op::OpSpecConstantOp:
      return "a specialization constant";
    case spv::Op::OpCompositeExtract:
      name = of_value(definition.word(3), depth + 1);
      if (name.find(' ') == std::string::npos)
        append_indices(name, module_.type_of(definition.word(3)), definition, 4, true, depth);
      return name;
    case spv::Op::OpCopyObject:
    case spv::Op::OpFConvert:
    case spv::Op::OpConvertSToF:
    case spv::Op::OpConvertUToF:
    case spv::Op::OpUConvert:
    case spv::Op::OpSConvert:
    case spv::Op::OpBitcast:
      return of_value(definition.word(3), depth + 1);
    case spv::Op::OpFNegate:
      name = of_value(definition.word(3), depth + 1);
      return name.find(' ') == std::string::npos ? "-" + name : name;
    case spv::Op::OpFunctionParameter:
      return "a parameter";
    default:
      return "the result of " + of_operation(definition);
  }
}

}  // namespace shaderqa
