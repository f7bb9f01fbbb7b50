// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/nan_pass.h"

#include <array>
#include <utility>

#include "instrument/ir/replace_uses.h"
#include "instrument/runtime/abi_report.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

using spvtools::opt::Instruction;

// The most parts of one value. Shaders copy larger values, but do not compute with them.
constexpr uint32_t max_parts = 128;
constexpr uint32_t max_depth = 8;
// The most components whose origins are followed: those of a vector.
constexpr uint32_t max_origins = 4;

constexpr uint32_t float_exponent = 0x7f800000;
constexpr uint32_t double_exponent = 0x7ff00000;  // in the high dword
constexpr uint32_t all_but_sign = 0x7fffffff;

bool is_constant(InstructionView definition) {
  return definition &&
         ((definition.op() >= spv::Op::OpConstantTrue && definition.op() <= spv::Op::OpSpecConstantOp) ||
          definition.op() == spv::Op::OpUndef);
}

uint32_t splat(ModuleEditor& module, uint32_t value, uint32_t count) {
  const uint32_t one = module.constant(value);
  if (count == 1) return one;
  const uint32_t type = module.vector_type(module.uint_type(), count);
  const std::vector<uint32_t> all(count, one);
  return module.global(spv::Op::OpConstantComposite, type, all);
}

uint32_t as_float(SiteBuilder& site, const NumericType& type, uint32_t value) {
  if (type.width == 32) return value;
  const uint32_t float_type = site.module().vector_type(site.module().float_type(), type.components);
  return site.emit(spv::Op::OpFConvert, float_type, {value});
}

// The bits of a scalar as a 32-bit float.
uint32_t float_bits_of(SiteBuilder& site, const NumericType& scalar, uint32_t value) {
  return site.emit(spv::Op::OpBitcast, site.module().uint_type(), {as_float(site, scalar, value)});
}

// Tests the bits, since fast math lets drivers assume that floating-point tests find no NaN.
uint32_t is_finite(SiteBuilder& site, const NumericType& type, uint32_t value, uint32_t float_bits) {
  ModuleEditor& module = site.module();
  const uint32_t uint_type = module.uint_type();
  uint32_t bits = float_bits;
  uint32_t exponent = float_exponent;
  if (type.width == 64) {
    const uint32_t both = site.emit(spv::Op::OpBitcast, module.vector_type(uint_type, 2), {value});
    bits = site.emit(spv::Op::OpCompositeExtract, uint_type, {both}, {1});
    exponent = double_exponent;
  }
  const uint32_t mask = module.constant(exponent);
  const uint32_t masked = site.emit(spv::Op::OpBitwiseAnd, uint_type, {bits, mask});
  const uint32_t bool_type = module.bool_type();
  return site.emit(spv::Op::OpINotEqual, bool_type, {masked, mask});
}

uint32_t operand_bits(SiteBuilder& site, const OperandValue& operand) {
  ModuleEditor& module = site.module();
  const NumericType type = numeric_type(module.view(), module.view().type_of(operand.id));
  NumericType scalar = type;
  scalar.components = 1;
  if (!operand.whole) {
    uint32_t part = operand.id;
    if (type.components > 1)
      part = site.emit(spv::Op::OpCompositeExtract, type.component_type, {operand.id}, {operand.component});
    return float_bits_of(site, scalar, part);
  }
  std::vector<uint32_t> finite, bits;
  for (const uint32_t component : components(site, type, operand.id)) {
    bits.push_back(float_bits_of(site, scalar, component));
    finite.push_back(is_finite(site, scalar, component, bits.back()));
  }
  // Where all are finite, the first one.
  finite.push_back(module.bool_constant(false));
  bits.push_back(bits.front());
  return first_false(site, finite, bits, 1);
}

}  // namespace

// parts counts everything that was looked at, numbers or not. Returns false if that was too much.
bool NanPass::find_leaves(uint32_t type, std::vector<uint32_t>& path, uint32_t& parts,
                          std::vector<Leaf>& leaves) const {
  const NumericType numeric = numeric_type(view_, type);
  if (numeric.width != 0) {
    parts += numeric.components;
    if (numeric.floating) leaves.push_back({numeric, type, path});
    return parts <= max_parts;
  }
  const InstructionView definition = view_.definition(type);
  if (!definition || path.size() > max_depth) return true;
  uint32_t members = 0;
  switch (definition.op()) {
    case spv::Op::OpTypeStruct:
      members = definition.size() - 2;
      break;
    case spv::Op::OpTypeMatrix:
      members = definition.word(3);
      break;
    case spv::Op::OpTypeArray:
      members = view_.constant(definition.word(3)).value_or(0);
      break;
    default:
      return true;
  }
  parts += members;
  if (members > max_parts || parts > max_parts) return false;
  for (uint32_t i = 0; i < members; ++i) {
    path.push_back(i);
    const uint32_t member =
        definition.op() == spv::Op::OpTypeStruct ? definition.word(2 + i) : definition.word(2);
    const bool fits = find_leaves(member, path, parts, leaves);
    path.pop_back();
    if (!fits) return false;
  }
  return true;
}

bool NanPass::is_visible(uint32_t pointer) const {
  const InstructionView type = view_.definition(view_.type_of(pointer));
  if (!type || type.op() != spv::Op::OpTypePointer) return false;
  switch (static_cast<spv::StorageClass>(type.word(2))) {
    case spv::StorageClass::Output:
    case spv::StorageClass::StorageBuffer:
    case spv::StorageClass::Uniform:
    case spv::StorageClass::PhysicalStorageBuffer:
    case spv::StorageClass::Image:
      return true;
    default:
      return false;
  }
}

uint32_t NanPass::written_value(InstructionView i) const {
  uint32_t value = 0;
  switch (i.op()) {
    case spv::Op::OpStore:
      if (is_visible(i.word(1))) value = i.word(2);
      break;
    case spv::Op::OpImageWrite:
      value = i.word(3);
      break;
    case spv::Op::OpAtomicStore:
      if (is_visible(i.word(1))) value = i.word(4);
      break;
    case spv::Op::OpAtomicExchange:
    case spv::Op::OpAtomicFAddEXT:
    case spv::Op::OpAtomicFMinEXT:
    case spv::Op::OpAtomicFMaxEXT:
      if (is_visible(i.word(3))) value = i.word(6);
      break;
    default:
      break;
  }
  InstructionView definition = view_.definition(value);
  // Floating-point numbers are often stored as integers with the same bits.
  if (definition && definition.op() == spv::Op::OpBitcast) {
    const uint32_t source = definition.word(3);
    const NumericType type = numeric_type(view_, view_.type_of(source));
    if (type.floating && type.width != 0) {
      value = source;
      definition = view_.definition(value);
    }
  }
  return is_constant(definition) ? 0 : value;
}

NumericType NanPass::computed_type(InstructionView i) const {
  // Only values have a type.
  if (view_.definition(i.word(2)).words.data() != i.words.data() || view_.type_of(i.word(2)) == 0) return {};
  if (view_.is_non_semantic(i)) return {};
  const NumericType type = numeric_type(view_, i.word(1));
  if (!type.floating || type.width == 0) return {};
  uint32_t first_source = 3, last_source = 3;
  switch (i.op()) {
    case spv::Op::OpPhi:
    case spv::Op::OpUndef:
      return {};
    case spv::Op::OpCompositeExtract:
    case spv::Op::OpCopyObject:
      break;
    case spv::Op::OpVectorShuffle:
    case spv::Op::OpCompositeInsert:
      last_source = 4;
      break;
    case spv::Op::OpCompositeConstruct:
      last_source = i.size() - 1;
      break;
    default:
      return type;
  }
  // True if everything that is moved is checked where it is computed, or is constant.
  for (uint32_t word = first_source; word <= last_source; ++word) {
    const NumericType source = numeric_type(view_, view_.type_of(i.word(word)));
    if (!source.floating || source.width == 0) return type;
  }
  return {};
}

uint32_t NanPass::operands(SiteBuilder& site, uint32_t value, const Leaf& leaf,
                           const std::vector<uint32_t>& finite, std::vector<ValueOrigin>& origins) {
  if (!leaf.path.empty() || finite.size() > max_origins) return 0;
  ModuleEditor& module = site.module();
  if (!origins_) origins_.emplace(view_, checks_.decorations(), placed_);
  std::vector<uint32_t> dwords;
  bool any = false;
  for (uint32_t component = 0; component < finite.size(); ++component) {
    const FoundOrigin found = origins_->of(value, component);
    std::array<uint32_t, kOriginOperands> bits;
    bits.fill(module.constant(0));
    for (size_t i = 0; i < found.operands.size(); ++i) bits[i] = operand_bits(site, found.operands[i]);
    any = any || !found.operands.empty();
    const uint32_t type = module.vector_type(module.uint_type(), kOriginOperands);
    dwords.push_back(site.emit(spv::Op::OpCompositeConstruct, type, {bits[0], bits[1], bits[2]}));
    origins.push_back(found.origin);
  }
  return any ? first_false(site, finite, dwords, kOriginOperands) : 0;
}

// Reports the value's first component that is not finite.
void NanPass::check(const PlacedInstruction& at, uint32_t value, Instruction* before) {
  ModuleEditor& module = checks_.module();
  std::vector<Leaf> leaves;
  std::vector<uint32_t> path;
  uint32_t parts = 0;
  if (!find_leaves(view_.type_of(value), path, parts, leaves)) {
    if (!noted_)
      checks_.note("Values of more than " + std::to_string(max_parts) +
                       " components are not checked for NaN and infinity.",
                   Concern::values);
    noted_ = true;
    return;
  }
  if (leaves.empty()) return;
  if (checks_.room() == 0) return checks_.leave_out(1);

  SiteBuilder site(module, before);
  const uint32_t uvec2 = module.vector_type(module.uint_type(), 2);
  std::vector<uint32_t> finite, dwords;
  for (const Leaf& leaf : leaves) {
    uint32_t part = value;
    if (!leaf.path.empty()) {
      part = module.take_id();
      const uint32_t composite[] = {value};
      site.emit_as(part, spv::Op::OpCompositeExtract, leaf.type_id, composite, leaf.path);
    }
    NumericType scalar = leaf.type;
    scalar.components = 1;
    for (const uint32_t component : components(site, leaf.type, part)) {
      const uint32_t bits = float_bits_of(site, scalar, component);
      // Components are counted from 1; 0 stands for a scalar.
      const uint32_t number = module.constant(leaves.size() == 1 && leaves[0].type.components == 1
                                                  ? 0
                                                  : static_cast<uint32_t>(finite.size()) + 1);
      finite.push_back(is_finite(site, scalar, component, bits));
      dwords.push_back(site.emit(spv::Op::OpCompositeConstruct, uvec2, {bits, number}));
    }
  }
  const uint32_t ok = all_of(site, finite);
  const uint32_t first = first_false(site, finite, dwords, 2);
  std::vector<ValueOrigin> origins;
  const uint32_t behind = leaves.size() == 1 ? operands(site, value, leaves[0], finite, origins) : 0;
  checks_.check(site, at, SQA_CHECK_NAN, ok, first, behind, std::move(origins));
}

spvtools::opt::Pass::Status NanPass::check_writes() {
  for (const PlacedInstruction& at : placed_)
    if (const uint32_t value = written_value(view_.at(at.offset))) check(at, value, at.instruction);
  return Status::SuccessWithChange;
}

spvtools::opt::Pass::Status NanPass::check_results() {
  for (const PlacedInstruction& at : placed_) {
    const InstructionView i = view_.at(at.offset);
    if (computed_type(i).width != 0) check(at, i.word(2), at.instruction->NextNode());
  }
  return Status::SuccessWithChange;
}

spvtools::opt::Pass::Status NanPass::flush() {
  ModuleEditor& module = checks_.module();
  std::unordered_map<uint32_t, uint32_t> replaced;
  std::unordered_set<const Instruction*> ours;
  for (const PlacedInstruction& at : placed_) {
    const InstructionView i = view_.at(at.offset);
    const NumericType type = computed_type(i);
    if (type.width == 0) continue;
    Instruction* next = at.instruction->NextNode();
    SiteBuilder site(module, next);
    const uint32_t uints = module.vector_type(module.uint_type(), type.components);
    const uint32_t bools = module.vector_type(module.bool_type(), type.components);
    const uint32_t mask = splat(module, all_but_sign, type.components);
    const uint32_t infinity = splat(module, float_exponent, type.components);
    const uint32_t zero = module.global(spv::Op::OpConstantNull, i.word(1), {});
    const uint32_t bits = site.emit(spv::Op::OpBitcast, uints, {as_float(site, type, i.word(2))});
    const uint32_t magnitude = site.emit(spv::Op::OpBitwiseAnd, uints, {bits, mask});
    const uint32_t nan = site.emit(spv::Op::OpUGreaterThan, bools, {magnitude, infinity});
    replaced.emplace(i.word(2), site.emit(spv::Op::OpSelect, i.word(1), {nan, zero, i.word(2)}));
    for (const Instruction* own = at.instruction->NextNode(); own != next; own = own->NextNode())
      ours.insert(own);
  }
  replace_uses(*context(), replaced, ours);
  return replaced.empty() ? Status::SuccessWithoutChange : Status::SuccessWithChange;
}

spvtools::opt::Pass::Status NanPass::Process() {
  const uint32_t before = checks_.calls();
  Status status = Status::SuccessWithoutChange;
  switch (mode_) {
    case NanCheck::none:
      break;
    case NanCheck::writes:
      status = check_writes();
      break;
    case NanCheck::full:
      status = check_results();
      break;
    case NanCheck::flush:
      status = flush();
      break;
  }
  if (checks_.module().exhausted()) return Status::Failure;
  if (mode_ != NanCheck::flush && checks_.calls() == before) return Status::SuccessWithoutChange;
  return status;
}

}  // namespace shaderqa
