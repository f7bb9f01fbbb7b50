// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/picture_value.h"

#include <algorithm>
#include <bit>

#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

using spvtools::opt::Instruction;

constexpr std::string_view letter_sets[] = {"xyzw", "rgba", "stpq"};

bool compares(PictureOperator op) { return op >= PictureOperator::less && op <= PictureOperator::differs; }
bool is_logical(PictureOperator op) {
  return op == PictureOperator::logical_and || op == PictureOperator::logical_or ||
         op == PictureOperator::logical_not;
}

// What both operands of an operation become.
PictureType common_type(const PictureType& a, const PictureType& b) {
  PictureType type;
  type.components = std::max(a.components, b.components);
  const auto either = [&](ScalarKind kind) { return a.kind == kind || b.kind == kind; };
  if (either(ScalarKind::floating))
    type.kind = ScalarKind::floating;
  else if ((a.kind == ScalarKind::unsigned_int && !a.literal) ||
           (b.kind == ScalarKind::unsigned_int && !b.literal))
    type.kind = ScalarKind::unsigned_int;
  else
    type.kind = ScalarKind::signed_int;
  return type;
}

spv::Op operation(PictureOperator op, ScalarKind kind) {
  const bool floating = kind == ScalarKind::floating, is_signed = kind == ScalarKind::signed_int;
  const auto choose = [&](spv::Op f, spv::Op s, spv::Op u) { return floating ? f : is_signed ? s : u; };
  switch (op) {
    case PictureOperator::multiply:
      return choose(spv::Op::OpFMul, spv::Op::OpIMul, spv::Op::OpIMul);
    case PictureOperator::divide:
      return choose(spv::Op::OpFDiv, spv::Op::OpSDiv, spv::Op::OpUDiv);
    case PictureOperator::remainder:
      return choose(spv::Op::OpFRem, spv::Op::OpSRem, spv::Op::OpUMod);
    case PictureOperator::add:
      return choose(spv::Op::OpFAdd, spv::Op::OpIAdd, spv::Op::OpIAdd);
    case PictureOperator::subtract:
      return choose(spv::Op::OpFSub, spv::Op::OpISub, spv::Op::OpISub);
    case PictureOperator::less:
      return choose(spv::Op::OpFOrdLessThan, spv::Op::OpSLessThan, spv::Op::OpULessThan);
    case PictureOperator::at_most:
      return choose(spv::Op::OpFOrdLessThanEqual, spv::Op::OpSLessThanEqual, spv::Op::OpULessThanEqual);
    case PictureOperator::greater:
      return choose(spv::Op::OpFOrdGreaterThan, spv::Op::OpSGreaterThan, spv::Op::OpUGreaterThan);
    case PictureOperator::at_least:
      return choose(spv::Op::OpFOrdGreaterThanEqual, spv::Op::OpSGreaterThanEqual,
                    spv::Op::OpUGreaterThanEqual);
    case PictureOperator::equal:
      return choose(spv::Op::OpFOrdEqual, spv::Op::OpIEqual, spv::Op::OpIEqual);
    default:
      return choose(spv::Op::OpFUnordNotEqual, spv::Op::OpINotEqual, spv::Op::OpINotEqual);
  }
}

// Behind an instruction, where others may stand.
Instruction* behind(Instruction* instruction) {
  Instruction* next = instruction->NextNode();
  while (next && (next->opcode() == spv::Op::OpPhi || next->opcode() == spv::Op::OpVariable))
    next = next->NextNode();
  return next;
}

}  // namespace

std::optional<PictureType> PictureValue::numeric(uint32_t type) const {
  const ModuleView& view = module_.view();
  PictureType result;
  InstructionView definition = view.definition(type);
  if (definition && definition.op() == spv::Op::OpTypeVector) {
    result.components = definition.word(3);
    definition = view.definition(definition.word(2));
  }
  if (!definition || result.components == 0 || result.components > 4) return std::nullopt;
  switch (definition.op()) {
    case spv::Op::OpTypeBool:
      result.kind = ScalarKind::boolean;
      return result;
    case spv::Op::OpTypeInt:
      result.kind = definition.word(3) != 0 ? ScalarKind::signed_int : ScalarKind::unsigned_int;
      break;
    case spv::Op::OpTypeFloat:
      if (definition.size() != 3) return std::nullopt;  // another encoding than IEEE 754's
      break;
    default:
      return std::nullopt;
  }
  result.width = definition.word(2) == 64 ? 64 : 32;
  return result;
}

uint32_t PictureValue::type_id(const PictureType& type) {
  uint32_t component = 0;
  if (type.kind == ScalarKind::boolean)
    component = module_.bool_type();
  else if (type.kind == ScalarKind::floating)
    component = module_.global(spv::Op::OpTypeFloat, 0, {type.width});
  else
    component =
        module_.global(spv::Op::OpTypeInt, 0, {type.width, type.kind == ScalarKind::signed_int ? 1u : 0u});
  return module_.vector_type(component, type.components);
}

bool PictureValue::take_components(Leaf& leaf, const std::string& letters) const {
  const InstructionView type = module_.view().definition(leaf.type);
  for (const std::string_view set : letter_sets) {
    std::vector<uint32_t> chosen;
    for (const char letter : letters)
      if (const size_t at = set.find(letter); at != std::string_view::npos && at < type.word(3))
        chosen.push_back(static_cast<uint32_t>(at));
    if (chosen.size() != letters.size() || letters.size() > 4) continue;
    leaf.components = std::move(chosen);
    return true;
  }
  return false;
}

bool PictureValue::take_part(Leaf& leaf, const PicturePart& part) const {
  const ModuleView& view = module_.view();
  const InstructionView type = view.definition(leaf.type);
  if (!type || !leaf.components.empty()) return false;
  uint32_t count = 0, element = type.word(2), index = part.index;
  switch (type.op()) {
    case spv::Op::OpTypeVector:
      if (!part.name.empty()) return take_components(leaf, part.name);
      if (index < type.word(3)) leaf.components = {index};
      return index < type.word(3);
    case spv::Op::OpTypeMatrix:
      count = type.word(3);
      break;
    case spv::Op::OpTypeArray:
      count = view.constant(type.word(3)).value_or(0);
      break;
    case spv::Op::OpTypeStruct:
      count = type.size() - 2;
      if (!part.name.empty()) {
        index = count;
        for_each_instruction(view.words(), header_words, [&](InstructionView i, uint32_t offset) {
          if (i.op() == spv::Op::OpMemberName && i.word(1) == leaf.type && literal_string(i, 3) == part.name)
            index = i.word(2);
          return offset < view.functions_offset();
        });
      }
      element = type.word(2 + index);
      break;
    default:
      break;
  }
  if (index >= count || (!part.name.empty() && type.op() != spv::Op::OpTypeStruct)) return false;
  leaf.path.push_back(index);
  leaf.type = element;
  return true;
}

bool PictureValue::check_name(size_t number, std::string& problem) {
  const PictureNode& node = expression_[number];
  Leaf leaf;
  leaf.type = shown_.variables.at(node.name).type;
  for (const PicturePart& part : node.parts) {
    if (take_part(leaf, part)) continue;
    problem = node.name + " has no part " + (part.name.empty() ? std::to_string(part.index) : part.name);
    return false;
  }
  const auto type = numeric(leaf.type);
  if (!type) {
    problem = node.name + " is neither a number nor a vector: name a part of it, as in " + node.name +
              "[0] or " + node.name + ".member";
    return false;
  }
  leaf.result = *type;
  if (!leaf.components.empty()) leaf.result.components = static_cast<uint32_t>(leaf.components.size());
  types_[number] = leaf.result;
  leaves_.emplace(number, std::move(leaf));
  return true;
}

bool PictureValue::check_operation(size_t number, std::string& problem) {
  const PictureNode& node = expression_[number];
  PictureType& type = types_[number];
  if (node.op == PictureOperator::integer) {
    type.kind = ScalarKind::unsigned_int;
    type.literal = true;
    return true;
  }
  if (node.op == PictureOperator::floating) return true;
  const bool is_unary = node.op == PictureOperator::negate || node.op == PictureOperator::logical_not;
  const PictureType& a = types_[node.left];
  const PictureType& b = types_[is_unary ? node.left : node.right];
  for (const PictureType& each : {a, b})
    if (each.width == 64 && each.kind != ScalarKind::floating) {
      problem = "64-bit integers can be shown, but not be computed with";
      return false;
    }
  if (a.components != b.components && a.components != 1 && b.components != 1) {
    problem = "vectors of " + std::to_string(a.components) + " and " + std::to_string(b.components) +
              " components do not go together";
    return false;
  }
  type = common_type(a, b);
  if (is_logical(node.op) || compares(node.op)) type.kind = ScalarKind::boolean;
  return true;
}

std::optional<PictureType> PictureValue::check(std::string& problem) {
  types_.resize(expression_.size());
  for (size_t i = 0; i < expression_.size(); ++i) {
    const bool good =
        expression_[i].op == PictureOperator::name ? check_name(i, problem) : check_operation(i, problem);
    if (!good) return std::nullopt;
  }
  return types_.back();
}

void PictureValue::keep_values(const std::vector<PlacedInstruction>& placed) {
  for (const auto& [name, variable] : shown_.variables) {
    if (variable.pointer != 0) continue;
    Kept kept;
    const auto add = [&](uint32_t type) {
      const uint32_t pointer = module_.pointer_type(spv::StorageClass::Private, type);
      return module_.add_variable(spv::StorageClass::Private, pointer,
                                  module_.global(spv::Op::OpConstantNull, type, {}));
    };
    kept.value = add(variable.type);
    kept.known = add(module_.bool_type());
    for (const NamedValue& each : variable.values) {
      Instruction* const at = placed[each.at].instruction;
      // A parameter is named by the first instruction of its function, before which it may be stored.
      Instruction* const before =
          module_.view().definition(each.value).op() == spv::Op::OpFunctionParameter &&
                  at->opcode() != spv::Op::OpExtInst
              ? at
              : behind(at);
      if (!before) continue;
      SiteBuilder site(module_, before);
      const uint32_t yes = module_.bool_constant(true);
      site.emit_as(0, spv::Op::OpStore, 0, std::vector<uint32_t>{kept.value, each.value});
      site.emit_as(0, spv::Op::OpStore, 0, std::vector<uint32_t>{kept.known, yes});
    }
    kept_.emplace(name, kept);
  }
}

uint32_t PictureValue::known(SiteBuilder& site) {
  uint32_t all = 0;
  for (const auto& [name, kept] : kept_) {
    const uint32_t one = site.emit(spv::Op::OpLoad, module_.bool_type(), {kept.known});
    all = all == 0 ? one : site.emit(spv::Op::OpLogicalAnd, module_.bool_type(), {all, one});
  }
  return all == 0 ? module_.bool_constant(true) : all;
}

uint32_t PictureValue::emit_name(SiteBuilder& site, size_t number) {
  const PictureNode& node = expression_[number];
  const ShownVariable& variable = shown_.variables.at(node.name);
  const Leaf& leaf = leaves_.at(number);
  const ModuleView& view = module_.view();
  uint32_t pointer = variable.pointer;
  auto storage = spv::StorageClass::Private;
  if (pointer == 0)
    pointer = kept_.at(node.name).value;
  else
    storage = static_cast<spv::StorageClass>(view.definition(view.type_of(pointer)).word(2));
  if (!leaf.path.empty()) {
    std::vector<uint32_t> operands{pointer};
    for (const uint32_t index : leaf.path) operands.push_back(module_.constant(index));
    const uint32_t type = module_.pointer_type(storage, leaf.type);
    pointer = module_.take_id();
    site.emit_as(pointer, spv::Op::OpAccessChain, type, operands);
  }
  uint32_t value = site.emit(spv::Op::OpLoad, leaf.type, {pointer});
  // Whole vectors are widened first, since modules may have narrow types for storage only.
  const InstructionView vector = view.definition(leaf.type, spv::Op::OpTypeVector);
  const InstructionView scalar = view.definition(vector ? vector.word(2) : leaf.type);
  PictureType whole = leaf.result;
  whole.components = vector ? vector.word(3) : 1;
  const uint32_t type = type_id(whole);
  if (scalar.op() != spv::Op::OpTypeBool && scalar.word(2) < 32) {
    const spv::Op op = whole.kind == ScalarKind::floating     ? spv::Op::OpFConvert
                       : whole.kind == ScalarKind::signed_int ? spv::Op::OpSConvert
                                                              : spv::Op::OpUConvert;
    value = site.emit(op, type, {value});
  }
  if (leaf.components.empty()) return value;
  PictureType single = whole;
  single.components = 1;
  const uint32_t component_type = type_id(single);
  std::vector<uint32_t> parts;
  for (const uint32_t index : leaf.components)
    parts.push_back(site.emit(spv::Op::OpCompositeExtract, component_type, {value}, {index}));
  if (parts.size() == 1) return parts[0];
  const uint32_t result_type = type_id(leaf.result), result = module_.take_id();
  site.emit_as(result, spv::Op::OpCompositeConstruct, result_type, parts);
  return result;
}

uint32_t PictureValue::convert(SiteBuilder& site, uint32_t value, const PictureType& from, PictureType to) {
  const uint32_t components = to.components;
  to.components = from.components;
  const uint32_t type = type_id(to);
  const bool to_floating = to.kind == ScalarKind::floating;
  const auto all = [&](uint32_t one) {
    if (to.components == 1) return one;
    const std::vector<uint32_t> each(to.components, one);
    return module_.global(spv::Op::OpConstantComposite, type, each);
  };
  if (from.kind == ScalarKind::boolean && to.kind != ScalarKind::boolean) {
    PictureType single = to;
    single.components = 1;
    const uint32_t component = type_id(single);
    const uint32_t one =
        module_.global(spv::Op::OpConstant, component, {to_floating ? std::bit_cast<uint32_t>(1.0F) : 1u});
    const uint32_t yes = all(one), no = module_.global(spv::Op::OpConstantNull, type, {});
    value = site.emit(spv::Op::OpSelect, type, {value, yes, no});
  } else if (to.kind == ScalarKind::boolean && from.kind != ScalarKind::boolean) {
    const uint32_t zero = module_.global(spv::Op::OpConstantNull, type_id(from), {});
    const bool floating = from.kind == ScalarKind::floating;
    value = site.emit(floating ? spv::Op::OpFUnordNotEqual : spv::Op::OpINotEqual, type, {value, zero});
  } else if (to_floating && from.kind == ScalarKind::floating) {
    if (from.width != to.width) value = site.emit(spv::Op::OpFConvert, type, {value});
  } else if (to_floating) {
    const bool is_signed = from.kind == ScalarKind::signed_int;
    value = site.emit(is_signed ? spv::Op::OpConvertSToF : spv::Op::OpConvertUToF, type, {value});
  } else if (from.kind == ScalarKind::floating) {
    const bool is_signed = to.kind == ScalarKind::signed_int;
    value = site.emit(is_signed ? spv::Op::OpConvertFToS : spv::Op::OpConvertFToU, type, {value});
  } else if (from.kind != to.kind) {
    value = site.emit(spv::Op::OpBitcast, type, {value});
  }
  if (components == to.components) return value;
  to.components = components;
  const uint32_t wide = type_id(to), result = module_.take_id();
  const std::vector<uint32_t> each(components, value);
  site.emit_as(result, spv::Op::OpCompositeConstruct, wide, each);
  return result;
}

uint32_t PictureValue::emit_operation(SiteBuilder& site, const PictureNode& node, uint32_t left,
                                      uint32_t right) {
  const bool is_unary = node.op == PictureOperator::negate || node.op == PictureOperator::logical_not;
  const PictureType& a = types_[node.left];
  const PictureType& b = types_[is_unary ? node.left : node.right];
  PictureType type = common_type(a, b);
  if (is_logical(node.op)) type.kind = ScalarKind::boolean;
  const uint32_t x = convert(site, left, a, type);
  if (node.op == PictureOperator::negate)
    return site.emit(type.kind == ScalarKind::floating ? spv::Op::OpFNegate : spv::Op::OpSNegate,
                     type_id(type), {x});
  if (node.op == PictureOperator::logical_not) return site.emit(spv::Op::OpLogicalNot, type_id(type), {x});
  const uint32_t y = convert(site, right, b, type);
  if (is_logical(node.op))
    return site.emit(node.op == PictureOperator::logical_and ? spv::Op::OpLogicalAnd : spv::Op::OpLogicalOr,
                     type_id(type), {x, y});
  PictureType result = type;
  if (compares(node.op)) result.kind = ScalarKind::boolean;
  return site.emit(operation(node.op, type.kind), type_id(result), {x, y});
}

uint32_t PictureValue::emit(SiteBuilder& site) {
  std::vector<uint32_t> values(expression_.size());
  for (size_t i = 0; i < expression_.size(); ++i) {
    const PictureNode& node = expression_[i];
    if (node.op == PictureOperator::name)
      values[i] = emit_name(site, i);
    else if (node.op == PictureOperator::integer)
      values[i] = module_.constant(node.integer);
    else if (node.op == PictureOperator::floating)
      values[i] =
          module_.global(spv::Op::OpConstant, module_.float_type(), {std::bit_cast<uint32_t>(node.floating)});
    else
      values[i] = emit_operation(site, node, values[node.left], values[node.right]);
  }
  return values.back();
}

}  // namespace shaderqa
