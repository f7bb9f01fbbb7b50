// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/invocation_indices.h"

#include <vector>

namespace shaderqa {
namespace {

// How many values deep to follow a computation; malformed modules may have cycles.
constexpr uint32_t max_depth = 64;

using Index = std::optional<InvocationIndex>;

Index sum_of(const InvocationIndex& a, const InvocationIndex& b, uint32_t sign) {
  if (a.factor != 0 && b.factor != 0 && a.axis != b.axis) return std::nullopt;
  return InvocationIndex{a.factor + sign * b.factor, a.constant + sign * b.constant,
                         a.factor != 0 ? a.axis : b.axis};
}

Index product_of(const InvocationIndex& a, const InvocationIndex& b) {
  if (a.factor != 0 && b.factor != 0) return std::nullopt;
  return InvocationIndex{a.factor * b.constant + b.factor * a.constant, a.constant * b.constant,
                         a.factor != 0 ? a.axis : b.axis};
}

}  // namespace

uint32_t InvocationIndices::components_of(uint32_t value) const {
  InstructionView type = module_.definition(module_.type_of(value));
  uint32_t count = 1;
  if (type.op() == spv::Op::OpTypeVector) {
    count = type.word(3);
    type = module_.definition(type.word(2));
  }
  return type.op() == spv::Op::OpTypeInt && type.word(2) == 32 ? count : 0;
}

bool InvocationIndices::is_invocation(uint32_t pointer) const {
  const InstructionView variable = module_.definition(pointer, spv::Op::OpVariable);
  return variable && static_cast<spv::StorageClass>(variable.word(3)) == spv::StorageClass::Input &&
         decorations_.find(pointer, spv::Decoration::BuiltIn) ==
             static_cast<uint32_t>(spv::BuiltIn::GlobalInvocationId);
}

// By variable; 0: several, or other uses; UINT32_MAX: none.
std::unordered_map<uint32_t, uint32_t> InvocationIndices::find_stores() const {
  std::unordered_map<uint32_t, uint32_t> stored;
  std::unordered_map<uint32_t, uint32_t> parts;  // variables by their access chains
  const auto forget = [&](uint32_t id) {
    if (const auto part = parts.find(id); part != parts.end()) id = part->second;
    if (const auto variable = stored.find(id); variable != stored.end()) variable->second = 0;
  };
  for_each_instruction(module_.words(), header_words, [&](InstructionView i, uint32_t offset) {
    if (i.op() != spv::Op::OpVariable && offset < module_.functions_offset()) return true;
    switch (i.op()) {
      case spv::Op::OpVariable: {
        const auto storage = static_cast<spv::StorageClass>(i.word(3));
        if (storage == spv::StorageClass::Function || storage == spv::StorageClass::Private)
          stored.emplace(i.word(2), i.size() == 4 ? UINT32_MAX : 0);  // not stored to yet
        break;
      }
      case spv::Op::OpLoad:
        break;
      case spv::Op::OpStore: {
        const auto variable = stored.find(i.word(1));
        if (variable != stored.end())
          variable->second = variable->second == UINT32_MAX ? i.word(2) : 0;
        else
          forget(i.word(1));
        forget(i.word(2));
        break;
      }
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
        if (stored.contains(i.word(3)))
          parts.emplace(i.word(2), i.word(3));
        else if (const auto part = parts.find(i.word(3)); part != parts.end())
          parts.emplace(i.word(2), part->second);
        break;
      default:
        // Any other use. A literal that looks like the id does no harm.
        if (module_.is_non_semantic(i)) break;
        for (uint32_t k = 1; k < i.size(); ++k) forget(i.word(k));
    }
    return true;
  });
  return stored;
}

uint32_t InvocationIndices::stored_once(uint32_t variable) const {
  if (!stored_) stored_ = find_stores();
  const auto found = stored_->find(variable);
  return found == stored_->end() || found->second == UINT32_MAX ? 0 : found->second;
}

Index InvocationIndices::loaded(uint32_t pointer, uint32_t component, uint32_t depth) const {
  if (is_invocation(pointer)) return InvocationIndex{1, 0, component};
  if (const uint32_t stored = stored_once(pointer)) return of(stored, component, depth + 1);
  // A component of one of these.
  const InstructionView chain = module_.definition(pointer);
  if ((chain.op() != spv::Op::OpAccessChain && chain.op() != spv::Op::OpInBoundsAccessChain) ||
      chain.size() != 5 || component != 0)
    return std::nullopt;
  const auto part = module_.constant(chain.word(4));
  if (!part || *part >= 3) return std::nullopt;
  if (is_invocation(chain.word(3))) return InvocationIndex{1, 0, *part};
  const uint32_t stored = stored_once(chain.word(3));
  return stored != 0 && *part < components_of(stored) ? of(stored, *part, depth + 1) : std::nullopt;
}

Index InvocationIndices::constructed(InstructionView construct, uint32_t component, uint32_t depth) const {
  for (uint32_t k = 3; k < construct.size(); ++k) {
    const uint32_t count = components_of(construct.word(k));
    if (count == 0) return std::nullopt;
    if (component < count) return of(construct.word(k), component, depth + 1);
    component -= count;
  }
  return std::nullopt;
}

Index InvocationIndices::shuffled(InstructionView shuffle, uint32_t component, uint32_t depth) const {
  const uint32_t first = components_of(shuffle.word(3));
  const uint32_t from = shuffle.word(5 + component);
  if (first == 0 || 5 + component >= shuffle.size()) return std::nullopt;
  if (from < first) return of(shuffle.word(3), from, depth + 1);
  return from - first < components_of(shuffle.word(4)) ? of(shuffle.word(4), from - first, depth + 1)
                                                       : std::nullopt;
}

Index InvocationIndices::combined(InstructionView operation, uint32_t component, uint32_t depth) const {
  const Index left = of(operation.word(3), component, depth + 1);
  const Index right = left ? of(operation.word(4), component, depth + 1) : std::nullopt;
  if (!right) return std::nullopt;
  switch (operation.op()) {
    case spv::Op::OpIAdd:
      return sum_of(*left, *right, 1);
    case spv::Op::OpISub:
      return sum_of(*left, *right, UINT32_MAX);
    case spv::Op::OpIMul:
      return product_of(*left, *right);
    default:  // OpShiftLeftLogical
      if (right->factor != 0 || right->constant > 31) return std::nullopt;
      return InvocationIndex{left->factor << right->constant, left->constant << right->constant, left->axis};
  }
}

Index InvocationIndices::of(uint32_t id, uint32_t component, uint32_t depth) const {
  if (const auto constant = module_.constant(id)) return InvocationIndex{0, *constant, 0};
  const InstructionView i = module_.definition(id);
  if (!i || depth > max_depth || component >= components_of(id)) return std::nullopt;
  switch (i.op()) {
    case spv::Op::OpLoad:
      return loaded(i.word(3), component, depth);
    case spv::Op::OpCompositeExtract:
      if (i.size() != 5 || i.word(4) >= components_of(i.word(3))) return std::nullopt;
      return of(i.word(3), i.word(4), depth + 1);
    case spv::Op::OpConstantComposite:
    case spv::Op::OpCompositeConstruct:
      return constructed(i, component, depth);
    case spv::Op::OpVectorShuffle:
      return shuffled(i, component, depth);
    case spv::Op::OpBitcast:
    case spv::Op::OpCopyObject:
      if (components_of(i.word(3)) != components_of(id)) return std::nullopt;
      return of(i.word(3), component, depth + 1);
    case spv::Op::OpIAdd:
    case spv::Op::OpISub:
    case spv::Op::OpIMul:
    case spv::Op::OpShiftLeftLogical:
      return combined(i, component, depth);
    default:
      return std::nullopt;
  }
}

std::optional<std::array<uint32_t, 3>> workgroup_size(const ModuleView& module,
                                                      const EntryPoint& entry_point) {
  std::vector<std::optional<uint32_t>> size;
  bool overridden = false;
  const auto set = [&](Words values, bool ids) {
    size.clear();
    for (const uint32_t value : values) size.push_back(ids ? module.constant(value) : std::optional(value));
  };
  for_each_instruction(module.words(), header_words, [&](InstructionView i, uint32_t) {
    switch (i.op()) {
      case spv::Op::OpExecutionMode:
      case spv::Op::OpExecutionModeId: {
        const auto mode = static_cast<spv::ExecutionMode>(i.word(2));
        if (i.word(1) != entry_point.function || i.size() != 6) break;
        if (mode == spv::ExecutionMode::LocalSize) set(i.words.subspan(3), false);
        if (mode == spv::ExecutionMode::LocalSizeId) set(i.words.subspan(3), true);
        break;
      }
      case spv::Op::OpDecorate:
        if (static_cast<spv::Decoration>(i.word(2)) == spv::Decoration::BuiltIn &&
            static_cast<spv::BuiltIn>(i.word(3)) == spv::BuiltIn::WorkgroupSize) {
          const InstructionView constant = module.definition(i.word(1), spv::Op::OpConstantComposite);
          overridden = true;
          set(constant && constant.size() == 6 ? constant.words.subspan(3) : Words(), true);
        }
        break;
      case spv::Op::OpFunction:
        return false;
      default:
        break;
    }
    // What follows the execution modes overrides them.
    return !overridden;
  });
  if (size.size() != 3 || !size[0] || !size[1] || !size[2]) return std::nullopt;
  return std::array<uint32_t, 3>{*size[0], *size[1], *size[2]};
}

}  // namespace shaderqa
