// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/pipeline_constants.h"

#include <algorithm>

namespace shaderqa {
namespace {

// Malformed modules may have constants that are made of themselves.
constexpr uint32_t max_depth = 32;

// An operation with two operands of 32 bits; nothing where its result is undefined or not known here.
std::optional<uint32_t> result_of(spv::Op op, uint32_t a, uint32_t b) {
  const auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
  const bool divides = b != 0 && !(b == UINT32_MAX && a == 0x80000000u);
  switch (op) {
    case spv::Op::OpIAdd:
      return a + b;
    case spv::Op::OpISub:
      return a - b;
    case spv::Op::OpIMul:
      return a * b;
    case spv::Op::OpUDiv:
      return b != 0 ? std::optional(a / b) : std::nullopt;
    case spv::Op::OpUMod:
      return b != 0 ? std::optional(a % b) : std::nullopt;
    case spv::Op::OpSDiv:
      return divides ? std::optional(static_cast<uint32_t>(x / y)) : std::nullopt;
    case spv::Op::OpSRem:
      return divides ? std::optional(static_cast<uint32_t>(x % y)) : std::nullopt;
    case spv::Op::OpShiftLeftLogical:
      return b < 32 ? a << b : 0;
    case spv::Op::OpShiftRightLogical:
      return b < 32 ? a >> b : 0;
    case spv::Op::OpBitwiseAnd:
      return a & b;
    case spv::Op::OpBitwiseOr:
      return a | b;
    case spv::Op::OpBitwiseXor:
      return a ^ b;
    case spv::Op::OpLogicalAnd:
      return a & b & 1;
    case spv::Op::OpLogicalOr:
      return (a | b) & 1;
    case spv::Op::OpIEqual:
      return a == b;
    case spv::Op::OpINotEqual:
      return a != b;
    case spv::Op::OpULessThan:
      return a < b;
    case spv::Op::OpULessThanEqual:
      return a <= b;
    case spv::Op::OpUGreaterThan:
      return a > b;
    case spv::Op::OpUGreaterThanEqual:
      return a >= b;
    case spv::Op::OpSLessThan:
      return x < y;
    case spv::Op::OpSGreaterThan:
      return x > y;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<uint32_t> PipelineConstants::specialised(InstructionView constant, uint32_t initial) const {
  const auto id = decorations_.find(constant.word(2), spv::Decoration::SpecId);
  if (!id) return initial;
  if (!options_.values_known) return std::nullopt;
  const auto given = std::ranges::find(options_.values, *id, &SpecialisedValue::constant);
  return given == options_.values.end() ? initial : given->value;
}

std::optional<uint32_t> PipelineConstants::value(uint32_t id, uint32_t depth) const {
  if (const auto constant = module_.constant(id)) return constant;
  const InstructionView definition = module_.definition(id);
  if (!definition || depth > max_depth) return std::nullopt;
  switch (definition.op()) {
    case spv::Op::OpConstantTrue:
      return 1;
    case spv::Op::OpConstantFalse:
    case spv::Op::OpConstantNull:
      return 0;
    case spv::Op::OpSpecConstantTrue:
    case spv::Op::OpSpecConstantFalse: {
      const auto set = specialised(definition, definition.op() == spv::Op::OpSpecConstantTrue ? 1 : 0);
      if (!set) return std::nullopt;
      return *set != 0 ? 1 : 0;
    }
    case spv::Op::OpSpecConstant: {
      const InstructionView type = module_.definition(definition.word(1), spv::Op::OpTypeInt);
      if (!type || type.word(2) != 32) return std::nullopt;
      return specialised(definition, definition.word(3));
    }
    case spv::Op::OpSpecConstantOp:
      return operation(definition, depth);
    default:
      return std::nullopt;
  }
}

std::optional<uint32_t> PipelineConstants::operation(InstructionView constant, uint32_t depth) const {
  const InstructionView type = module_.definition(constant.word(1));
  // Others wrap elsewhere.
  if (type.op() != spv::Op::OpTypeBool && (type.op() != spv::Op::OpTypeInt || type.word(2) != 32))
    return std::nullopt;
  const auto op = static_cast<spv::Op>(constant.word(3));
  const auto operand = [&](uint32_t n) { return value(constant.word(4 + n), depth + 1); };
  if (op == spv::Op::OpCompositeExtract && constant.size() == 6) return member(constant, depth);
  const auto a = operand(0);
  if (!a) return std::nullopt;
  if (op == spv::Op::OpSelect) return operand(*a != 0 ? 1 : 2);
  if (op == spv::Op::OpLogicalNot) return *a != 0 ? 0 : 1;
  if (op == spv::Op::OpNot) return ~*a;
  if (op == spv::Op::OpSNegate) return 0 - *a;
  if (op == spv::Op::OpUConvert || op == spv::Op::OpSConvert || op == spv::Op::OpBitcast) return a;
  const auto b = operand(1);
  return b ? result_of(op, *a, *b) : std::nullopt;
}

// A component of a vector, as gl_WorkGroupSize.x.
std::optional<uint32_t> PipelineConstants::member(InstructionView extract, uint32_t depth) const {
  const InstructionView vector = module_.definition(extract.word(4));
  const bool is_vector = vector && (vector.op() == spv::Op::OpConstantComposite ||
                                    vector.op() == spv::Op::OpSpecConstantComposite);
  const uint32_t at = extract.word(5);
  if (!is_vector || at >= vector.size() - 3) return std::nullopt;
  return value(vector.word(3 + at), depth + 1);
}

}  // namespace shaderqa
