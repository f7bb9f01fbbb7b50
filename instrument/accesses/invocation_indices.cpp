// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/invocation_indices.h"

#include <algorithm>
#include <bit>

namespace shaderqa {
namespace {

// How many values deep to follow a computation, and how many in all; malformed modules may have cycles, and
// generated ones long chains.
constexpr uint32_t max_depth = 64;
constexpr uint32_t max_steps = 100'000;

const InvocationIndex unknown{{}, 0, 0};

InvocationIndex product_of(const InvocationIndex& a, const InvocationIndex& b) {
  if (b.is_exact() && b.factors.empty()) return scaled(a, b.constant);
  if (a.is_exact() && a.factors.empty()) return scaled(b, a.constant);
  return unknown;
}

// As much as is the same of both.
InvocationIndex common_part(InvocationIndex a, const InvocationIndex& b) {
  uint32_t differs = a.constant ^ b.constant;
  for (const auto& [digit, factor] : b.factors) {
    const auto other = a.factors.find(digit);
    differs |= factor ^ (other == a.factors.end() ? 0 : other->second);
  }
  for (const auto& [digit, factor] : a.factors)
    if (!b.factors.contains(digit)) differs |= factor;
  const auto same = static_cast<uint32_t>(std::countr_zero(differs));
  const uint32_t bits = std::min({a.known_bits, b.known_bits, same});
  return with_bits(std::move(a), bits);
}

// A part of the index that goes on where another one begins or ends, and that place; 0: there is none.
std::pair<IdDigit, uint32_t> part_to_split(const std::map<IdDigit, uint32_t>& factors) {
  for (const auto& [digit, factor] : factors) {
    const uint64_t end = uint64_t{digit.divisor} * digit.modulus;
    for (const auto& [other, times] : factors) {
      for (const uint64_t cut : {uint64_t{other.divisor}, uint64_t{other.divisor} * other.modulus}) {
        const bool inside = cut > digit.divisor && (digit.modulus == 0 || cut < end);
        if (other.axis == digit.axis && inside && cut <= INT32_MAX && cut % digit.divisor == 0 &&
            end % cut == 0)
          return {digit, static_cast<uint32_t>(cut)};
      }
    }
  }
  return {};
}

}  // namespace

InvocationIndex with_bits(InvocationIndex index, uint32_t bits) {
  index.known_bits = bits;
  const uint32_t mask = index.known_bits == 32 ? UINT32_MAX : (1U << index.known_bits) - 1;
  index.constant &= mask;
  for (auto& [digit, factor] : index.factors) factor &= mask;
  std::erase_if(index.factors, [](const auto& each) { return each.second == 0; });
  return index;
}

InvocationIndex sum_of(InvocationIndex a, const InvocationIndex& b, uint32_t sign) {
  a.constant += sign * b.constant;
  for (const auto& [digit, factor] : b.factors) a.factors[digit] += sign * factor;
  const uint32_t bits = std::min(a.known_bits, b.known_bits);
  return with_bits(std::move(a), bits);
}

InvocationIndex scaled(InvocationIndex index, uint32_t by) {
  index.constant *= by;
  for (auto& [digit, factor] : index.factors) factor *= by;
  // A factor of 2^n makes the lowest n bits of the unknown part 0.
  const auto zeros = static_cast<uint32_t>(std::countr_zero(by));
  const uint32_t bits = std::min(32U, index.known_bits + zeros);
  return with_bits(std::move(index), bits);
}

std::optional<uint32_t> InvocationIndex::factor_of(uint32_t axis) const {
  if (!is_exact() || factors.size() > 1) return std::nullopt;
  if (factors.empty()) return 0;
  const auto& [digit, factor] = *factors.begin();
  return digit == IdDigit{axis, 1, 0} ? std::optional(factor) : std::nullopt;
}

InvocationIndex with_split_digits(InvocationIndex index) {
  for (auto [digit, cut] = part_to_split(index.factors); cut != 0;
       std::tie(digit, cut) = part_to_split(index.factors)) {
    const uint32_t factor = index.factors.at(digit), count = cut / digit.divisor;
    index.factors.erase(digit);
    index.factors[{digit.axis, digit.divisor, count}] += factor;
    index.factors[{digit.axis, cut, digit.modulus / count}] += factor * count;
  }
  const uint32_t bits = index.known_bits;
  return with_bits(std::move(index), bits);
}

uint32_t InvocationIds::size_of(uint32_t axis) const {
  if (axis >= workgroups) return workgroup_count[axis - workgroups];
  return axis == linear ? size[0] * size[1] * size[2] : size[axis];
}

uint32_t InvocationIds::size_of(const IdDigit& digit) const {
  const uint32_t left = (size_of(digit.axis) + digit.divisor - 1) / digit.divisor;
  return digit.modulus == 0 ? left : std::min(left, digit.modulus);
}

InvocationIndices::InvocationIndices(const ModuleView& module, const Decorations& decorations,
                                     InvocationIds ids, Constants constants)
    : module_(module),
      decorations_(decorations),
      ids_(ids),
      constants_(constants ? std::move(constants) : [&module](uint32_t id) { return module.constant(id); }) {}

uint32_t InvocationIndices::components_of(uint32_t value) const {
  InstructionView type = module_.definition(module_.type_of(value));
  uint32_t count = 1;
  if (type.op() == spv::Op::OpTypeVector) {
    count = type.word(3);
    type = module_.definition(type.word(2));
  }
  return type.op() == spv::Op::OpTypeInt && type.word(2) == 32 ? count : 0;
}

const VariableStores& InvocationIndices::stores() const {
  if (!stores_) stores_ = find_variable_stores(module_);
  return *stores_;
}

std::vector<uint32_t> InvocationIndices::stored(uint32_t variable) const {
  std::vector<uint32_t> values;
  const auto& by_variable = stores().by_variable;
  if (const auto found = by_variable.find(variable); found != by_variable.end())
    for (const VariableStore& store : found->second) values.push_back(store.value);
  return values;
}

InvocationIndex InvocationIndices::component_of_id(uint32_t axis) const {
  if (ids_.size_of(axis) == 1) return {};
  return {{{IdDigit{axis, 1, 0}, 1}}, 0, 32};
}

InvocationIndices::Index InvocationIndices::component_of_all(uint32_t axis) const {
  if (ids_.size[axis] == 0) return unknown;
  const InvocationIndex workgroup = component_of_id(InvocationIds::workgroups + axis);
  return sum_of(component_of_id(axis), scaled(workgroup, ids_.size[axis]), 1);
}

// A component of the id that a variable holds; nothing: it holds something else.
std::optional<InvocationIndex> InvocationIndices::built_in(uint32_t pointer, uint32_t component) const {
  const InstructionView variable = module_.definition(pointer, spv::Op::OpVariable);
  if (!variable || static_cast<spv::StorageClass>(variable.word(3)) != spv::StorageClass::Input)
    return std::nullopt;
  const auto builtin = decorations_.find(pointer, spv::Decoration::BuiltIn);
  if (builtin == static_cast<uint32_t>(ids_.builtin) && component < 3) return component_of_id(component);
  if (ids_.workgroup_count[0] != 0 && component < 3) {
    if (builtin == static_cast<uint32_t>(spv::BuiltIn::WorkgroupId))
      return component_of_id(InvocationIds::workgroups + component);
    if (builtin == static_cast<uint32_t>(spv::BuiltIn::GlobalInvocationId))
      return component_of_all(component);
  }
  const bool local = ids_.builtin == spv::BuiltIn::LocalInvocationId;
  if (local && builtin == static_cast<uint32_t>(spv::BuiltIn::LocalInvocationIndex))
    return component_of_id(ids_.is_row() ? 0 : InvocationIds::linear);
  return std::nullopt;
}

InvocationIndices::Index InvocationIndices::any_of(Part part, const std::vector<uint32_t>& values,
                                                   uint32_t component, uint32_t depth) const {
  if (values.empty()) return unknown;
  if (values.size() == 1) return find(values[0], component, depth + 1);
  if (const auto open = open_.find(part); open != open_.end()) return open->second;
  Index assumed;
  // Each round knows fewer bits.
  for (bool again = true; again;) {
    open_[part] = assumed;
    Index found = assumed;
    for (const uint32_t value : values) {
      const Index each = find(value, component, depth + 1);
      if (each) found = found ? common_part(*found, *each) : each;
    }
    again = found != assumed;
    assumed = std::move(found);
  }
  open_.erase(part);
  return assumed;
}

InvocationIndices::Index InvocationIndices::loaded(InstructionView load, uint32_t component,
                                                   uint32_t depth) const {
  const uint32_t pointer = load.word(3);
  if (Index id = built_in(pointer, component)) return id;
  if (const auto last = stores().loaded.find(load.word(2)); last != stores().loaded.end())
    return find(last->second, component, depth + 1);
  if (const std::vector<uint32_t> values = stored(pointer); !values.empty())
    return any_of({pointer, component}, values, component, depth);
  // A component of one of these.
  const InstructionView chain = module_.definition(pointer);
  if ((chain.op() != spv::Op::OpAccessChain && chain.op() != spv::Op::OpInBoundsAccessChain) ||
      chain.size() != 5 || component != 0)
    return unknown;
  const auto part = module_.constant(chain.word(4));
  if (!part || *part >= 4) return unknown;
  if (Index id = built_in(chain.word(3), *part)) return id;
  const std::vector<uint32_t> values = stored(chain.word(3));
  if (values.empty() || *part >= components_of(values[0])) return unknown;
  return any_of({chain.word(3), *part}, values, *part, depth);
}

InvocationIndices::Index InvocationIndices::constructed(InstructionView construct, uint32_t component,
                                                        uint32_t depth) const {
  for (uint32_t k = 3; k < construct.size(); ++k) {
    const uint32_t count = components_of(construct.word(k));
    if (count == 0) return unknown;
    if (component < count) return find(construct.word(k), component, depth + 1);
    component -= count;
  }
  return unknown;
}

InvocationIndices::Index InvocationIndices::shuffled(InstructionView shuffle, uint32_t component,
                                                     uint32_t depth) const {
  const uint32_t first = components_of(shuffle.word(3));
  const uint32_t from = shuffle.word(5 + component);
  if (first == 0 || 5 + component >= shuffle.size()) return unknown;
  if (from < first) return find(shuffle.word(3), from, depth + 1);
  return from - first < components_of(shuffle.word(4)) ? find(shuffle.word(4), from - first, depth + 1)
                                                       : unknown;
}

std::optional<InvocationIndex> InvocationIndices::divided(const IdDigit& digit, uint32_t by,
                                                          bool remainder) const {
  const InvocationIndex itself{{{digit, 1}}, 0, 32};
  if (ids_.size_of(digit) <= by) return remainder ? itself : InvocationIndex{};
  if (by == 1) return remainder ? InvocationIndex{} : itself;
  if (digit.modulus != 0 && digit.modulus % by != 0) return std::nullopt;
  const IdDigit part = remainder ? IdDigit{digit.axis, digit.divisor, by}
                                 : IdDigit{digit.axis, digit.divisor * by, digit.modulus / by};
  return InvocationIndex{{{part, 1}}, 0, 32};
}

// What is a multiple of the divisor is divided by itself. The rest has to be less than the divisor.
InvocationIndex InvocationIndices::divided(const InvocationIndex& dividend, const InvocationIndex& by,
                                           bool remainder) const {
  const uint32_t divisor = by.constant;
  if (!by.is_exact() || !by.factors.empty() || divisor == 0 || divisor > 1U << 30) return unknown;
  if (!dividend.is_exact()) return unknown;
  const InvocationIndex value = with_split_digits(dividend);
  InvocationIndex multiple{{}, value.constant / divisor, 32}, rest{{}, value.constant % divisor, 32};
  uint64_t largest = value.constant;
  for (const auto& [digit, factor] : value.factors) {
    const uint32_t size = ids_.size_of(digit);
    if (size == 0) return unknown;
    largest += uint64_t{factor} * (size - 1);
    if (factor % divisor == 0) {
      multiple.factors[digit] += factor / divisor;
    } else if (divisor % factor == 0 && size > divisor / factor) {
      // The upper part of the digit is a multiple.
      const auto low = divided(digit, divisor / factor, true), high = divided(digit, divisor / factor, false);
      if (!low || !high) return unknown;
      rest = sum_of(std::move(rest), scaled(*low, factor), 1);
      multiple = sum_of(std::move(multiple), *high, 1);
    } else {
      rest.factors[digit] += factor;
    }
  }
  // Larger sums might come round to 0, or be negative.
  if (largest > INT32_MAX) return unknown;
  uint64_t largest_rest = rest.constant;
  for (const auto& [digit, factor] : rest.factors)
    largest_rest += uint64_t{factor} * (ids_.size_of(digit) - 1);
  if (largest_rest >= divisor) return unknown;
  return remainder ? rest : multiple;
}

InvocationIndices::Index InvocationIndices::combined(InstructionView operation, uint32_t component,
                                                     uint32_t depth) const {
  const Index left = find(operation.word(3), component, depth + 1);
  const Index right = find(operation.word(4), component, depth + 1);
  if (!left || !right) return std::nullopt;
  const bool constant = right->is_exact() && right->factors.empty();
  switch (operation.op()) {
    case spv::Op::OpIAdd:
      return sum_of(*left, *right, 1);
    case spv::Op::OpISub:
      return sum_of(*left, *right, UINT32_MAX);
    case spv::Op::OpIMul:
      return product_of(*left, *right);
    case spv::Op::OpShiftLeftLogical:
      return constant && right->constant < 32 ? scaled(*left, 1U << right->constant) : unknown;
    case spv::Op::OpShiftRightLogical:
    case spv::Op::OpShiftRightArithmetic:
      if (!constant || right->constant > 30) return unknown;
      return divided(*left, {{}, 1U << right->constant, 32}, false);
    case spv::Op::OpBitwiseAnd:
      if (!constant || !std::has_single_bit(right->constant + 1)) return unknown;
      return divided(*left, {{}, right->constant + 1, 32}, true);
    case spv::Op::OpUDiv:
    case spv::Op::OpSDiv:
      return divided(*left, *right, false);
    default:  // OpUMod, OpSMod, OpSRem
      return divided(*left, *right, true);
  }
}

InvocationIndex InvocationIndices::of(uint32_t id, uint32_t component) const {
  return find(id, component, 0).value_or(unknown);
}

InvocationIndices::Index InvocationIndices::find(uint32_t id, uint32_t component, uint32_t depth) const {
  if (const auto constant = constants_(id); constant && component == 0)
    return InvocationIndex{{}, *constant, 32};
  if (const auto known = known_.find({id, component}); known != known_.end()) return known->second;
  if (depth > max_depth || ++steps_ > max_steps || component >= components_of(id)) return unknown;
  Index found = compute(id, component, depth);
  // What was assumed of a loop may not hold.
  if (found && open_.empty()) known_.emplace(Part{id, component}, *found);
  return found;
}

InvocationIndices::Index InvocationIndices::compute(uint32_t id, uint32_t component, uint32_t depth) const {
  const InstructionView i = module_.definition(id);
  switch (i.op()) {
    case spv::Op::OpLoad:
      return loaded(i, component, depth);
    case spv::Op::OpCompositeExtract:
      if (i.size() != 5 || i.word(4) >= components_of(i.word(3))) return unknown;
      return find(i.word(3), i.word(4), depth + 1);
    case spv::Op::OpConstantComposite:
    case spv::Op::OpSpecConstantComposite:
    case spv::Op::OpCompositeConstruct:
      return constructed(i, component, depth);
    case spv::Op::OpVectorShuffle:
      return shuffled(i, component, depth);
    case spv::Op::OpBitcast:
    case spv::Op::OpCopyObject:
      if (components_of(i.word(3)) != components_of(id)) return unknown;
      return find(i.word(3), component, depth + 1);
    case spv::Op::OpSelect:
      return any_of({id, component}, {i.word(4), i.word(5)}, component, depth);
    case spv::Op::OpPhi: {
      std::vector<uint32_t> values;
      for (uint32_t k = 3; k < i.size(); k += 2) values.push_back(i.word(k));
      return any_of({id, component}, values, component, depth);
    }
    case spv::Op::OpIAdd:
    case spv::Op::OpISub:
    case spv::Op::OpIMul:
    case spv::Op::OpShiftLeftLogical:
    case spv::Op::OpShiftRightLogical:
    case spv::Op::OpShiftRightArithmetic:
    case spv::Op::OpBitwiseAnd:
    case spv::Op::OpUDiv:
    case spv::Op::OpSDiv:
    case spv::Op::OpUMod:
    case spv::Op::OpSMod:
    case spv::Op::OpSRem:
      return combined(i, component, depth);
    default:
      return unknown;
  }
}

}  // namespace shaderqa
