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
// Terms of what is multiplied with a shared value.
constexpr size_t most_terms = 16;

const InvocationIndex unknown{{}, 0, 0};

InvocationIndex one_of(uint32_t product) {
  return {{{IdDigit{InvocationIds::none, 1, 0, product}, 1}}, 0, 32};
}

}  // namespace

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

const ControlFlow& InvocationIndices::flow() const {
  if (!flow_) flow_.emplace(module_);
  return *flow_;
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
  if (ids_.products && component < 3 && builtin == static_cast<uint32_t>(spv::BuiltIn::NumWorkgroups))
    return one_of(products_.of_workgroup_count(component));
  const bool local = ids_.builtin == spv::BuiltIn::LocalInvocationId;
  if (local && builtin == static_cast<uint32_t>(spv::BuiltIn::LocalInvocationIndex))
    return component_of_id(ids_.is_row() ? 0 : InvocationIds::linear);
  return std::nullopt;
}

InvocationIndices::Index InvocationIndices::stored_to(uint32_t variable, InstructionView load,
                                                      uint32_t component, uint32_t depth) const {
  const auto stored = stores().by_variable.find(variable);
  if (stored == stores().by_variable.end() || stored->second.empty() ||
      component >= components_of(stored->second[0].value))
    return unknown;
  std::vector<uint32_t> values;
  for (const VariableStore& store : stored->second) values.push_back(store.value);
  uint32_t turns = 0;
  bool of_same_turn = false;
  if (ids_.products) {
    if (!loop_variables_) loop_variables_.emplace(module_, flow(), stores());
    turns = loop_variables_->turns_of(load, variable);
    of_same_turn = values.size() == 1 && loop_variables_->is_of_same_turn(load, stored->second[0]);
  }
  const Index any = any_of({turns == 0 ? variable : turns, component}, values, component, turns, depth);
  // A variable may be loaded when it has the value of a turn before.
  return any && turns == 0 && !of_same_turn ? std::optional(with_any_turns(*any)) : any;
}

InvocationIndices::Index InvocationIndices::any_of(Part part, const std::vector<uint32_t>& values,
                                                   uint32_t component, uint32_t turns, uint32_t depth) const {
  if (values.empty()) return unknown;
  if (values.size() == 1) return find(values[0], component, depth + 1);
  if (const auto open = open_.find(part); open != open_.end()) return open->second;
  Index assumed;
  // Each round knows fewer bits, or smaller steps.
  for (bool again = true; again;) {
    open_[part] = assumed;
    Index found = assumed;
    for (const uint32_t value : values) {
      const Index each = find(value, component, depth + 1);
      if (!each) continue;
      if (!found)
        found = each;
      else if (ids_.products && found->is_exact() && each->is_exact())
        found = either_of(*found, *each, turns, products_);
      else
        found = common_part(*found, *each);
    }
    again = found != assumed;
    assumed = std::move(found);
  }
  open_.erase(part);
  return assumed;
}

InvocationIndices::Index InvocationIndices::shared(InstructionView load, uint32_t component) const {
  const bool is_volatile = load.size() > 4 && (load.word(4) & uint32_t(spv::MemoryAccessMask::Volatile)) != 0;
  if (!ids_.products || is_volatile) return std::nullopt;
  uint32_t variable = load.word(3);
  std::vector<uint32_t> path;
  const InstructionView chain = module_.definition(variable);
  if (chain.op() == spv::Op::OpAccessChain || chain.op() == spv::Op::OpInBoundsAccessChain) {
    variable = chain.word(3);
    for (uint32_t k = 4; k < chain.size(); ++k) {
      const auto index = constants_(chain.word(k));
      if (!index) return std::nullopt;
      path.push_back(*index);
    }
  }
  const InstructionView definition = module_.definition(variable, spv::Op::OpVariable);
  const bool is_pushed =
      definition && static_cast<spv::StorageClass>(definition.word(3)) == spv::StorageClass::PushConstant;
  if (!is_pushed && !(definition && is_uniform_block(module_, decorations_, variable))) return std::nullopt;
  // A component has one name, whether it is loaded alone or with its vector.
  if (module_.definition(module_.type_of(load.word(2)), spv::Op::OpTypeVector)) path.push_back(component);
  return one_of(products_.of_memory(variable, std::move(path)));
}

InvocationIndex InvocationIndices::product_of(const InvocationIndex& a, const InvocationIndex& b) const {
  if (b.is_exact() && b.factors.empty()) return scaled(a, b.constant);
  if (a.is_exact() && a.factors.empty()) return scaled(b, a.constant);
  if (!is_shared(b)) return is_shared(a) ? product_of(b, a) : unknown;
  if (!a.is_exact() || a.factors.size() * b.factors.size() > most_terms) return unknown;
  InvocationIndex product = scaled(a, b.constant);
  for (const auto& [shared, times] : b.factors) {
    product.factors[shared] += a.constant * times;
    for (const auto& [digit, factor] : a.factors) {
      IdDigit of_both = digit;
      of_both.product = products_.times(digit.product, shared.product);
      if (of_both.product == 0) return unknown;
      add_part(product, of_both, factor * times);
    }
  }
  return with_bits(std::move(product), 32);
}

InvocationIndices::Index InvocationIndices::loaded(InstructionView load, uint32_t component,
                                                   uint32_t depth) const {
  const uint32_t pointer = load.word(3);
  if (Index id = built_in(pointer, component)) return id;
  if (Index value = shared(load, component)) return value;
  if (const auto last = stores().loaded.find(load.word(2)); last != stores().loaded.end())
    return find(last->second, component, depth + 1);
  const InstructionView chain = module_.definition(pointer);
  if (chain.op() != spv::Op::OpAccessChain && chain.op() != spv::Op::OpInBoundsAccessChain)
    return stored_to(pointer, load, component, depth);
  // A component of a variable.
  if (chain.size() != 5 || component != 0) return unknown;
  const auto part = module_.constant(chain.word(4));
  if (!part || *part >= 4) return unknown;
  if (Index id = built_in(chain.word(3), *part)) return id;
  return stored_to(chain.word(3), load, *part, depth);
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

InvocationIndex InvocationIndices::result_of(spv::Op op, const InvocationIndex& left,
                                             const InvocationIndex& right) const {
  const bool constant = right.is_exact() && right.factors.empty();
  switch (op) {
    case spv::Op::OpIAdd:
      return sum_of(left, right, 1);
    case spv::Op::OpISub:
      return sum_of(left, right, UINT32_MAX);
    case spv::Op::OpIMul:
      return product_of(left, right);
    case spv::Op::OpShiftLeftLogical:
      return constant && right.constant < 32 ? scaled(left, 1U << right.constant) : unknown;
    case spv::Op::OpShiftRightLogical:
    case spv::Op::OpShiftRightArithmetic:
      if (!constant || right.constant > 30) return unknown;
      return divided(left, {{}, 1U << right.constant, 32}, false);
    case spv::Op::OpBitwiseAnd:
      if (!constant || !std::has_single_bit(right.constant + 1)) return unknown;
      return divided(left, {{}, right.constant + 1, 32}, true);
    case spv::Op::OpUDiv:
    case spv::Op::OpSDiv:
      return divided(left, right, false);
    case spv::Op::OpUMod:
    case spv::Op::OpSMod:
    case spv::Op::OpSRem:
      return divided(left, right, true);
    default:
      return unknown;
  }
}

InvocationIndices::Index InvocationIndices::combined(InstructionView operation, uint32_t component,
                                                     uint32_t depth) const {
  const Index left = find(operation.word(3), component, depth + 1);
  const Index right = find(operation.word(4), component, depth + 1);
  if (!left || !right) return std::nullopt;
  InvocationIndex result = result_of(operation.op(), *left, *right);
  if (result.is_exact() || !ids_.products || !is_shared(*left) || !is_shared(*right)) return result;
  // What is made of shared values alone is shared.
  std::vector<uint32_t> operands;
  for (const InvocationIndex* each : {&*left, &*right}) {
    operands.push_back(each->constant);
    operands.push_back(static_cast<uint32_t>(each->factors.size()));
    for (const auto& [digit, factor] : each->factors) {
      operands.push_back(digit.product);
      operands.push_back(factor);
    }
  }
  return one_of(products_.of_operation(static_cast<uint32_t>(operation.op()), std::move(operands)));
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
      return any_of({id, component}, {i.word(4), i.word(5)}, component, id, depth);
    case spv::Op::OpPhi: {
      std::vector<uint32_t> values;
      for (uint32_t k = 3; k < i.size(); k += 2) values.push_back(i.word(k));
      return any_of({id, component}, values, component, id, depth);
    }
    case spv::Op::OpIAdd:
    case spv::Op::OpISub:
    case spv::Op::OpIMul:
    case spv::Op::OpShiftLeftLogical:
    case spv::Op::OpShiftRightLogical:
    case spv::Op::OpShiftRightArithmetic:
    case spv::Op::OpBitwiseAnd:
    case spv::Op::OpBitwiseOr:
    case spv::Op::OpBitwiseXor:
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
