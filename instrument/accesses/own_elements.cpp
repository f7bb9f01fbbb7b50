// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/own_elements.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_report.h"

namespace shaderqa {
namespace {

using Root = ResolvedPointer::Root;

// How many values deep to follow a computation; malformed modules may have cycles.
constexpr uint32_t max_depth = 64;

// factor * GlobalInvocationId.x + constant, modulo 2^32.
struct AffineValue {
  uint32_t factor = 0, constant = 0;
};

bool is_32_bit(const ModuleView& module, uint32_t value) {
  const InstructionView type = module.definition(module.type_of(value), spv::Op::OpTypeInt);
  return type && type.word(2) == 32;
}

class AffineValues {
 public:
  AffineValues(const ModuleView& module, const Decorations& decorations)
      : module_(module), decorations_(decorations) {}

  std::optional<AffineValue> of(uint32_t id, uint32_t depth = 0);

 private:
  bool is_invocation(uint32_t pointer) const;
  bool is_invocation_vector(uint32_t id, uint32_t depth);
  // The value of the only store to a variable of the invocation; 0: there is none, or it is not known.
  uint32_t stored_once(uint32_t variable);
  void find_stores();
  std::optional<AffineValue> loaded(uint32_t pointer, uint32_t depth);
  bool is_zero(uint32_t id) const { return module_.constant(id) == 0u; }

  const ModuleView& module_;
  const Decorations& decorations_;
  std::optional<std::unordered_map<uint32_t, uint32_t>> stored_;  // by variable; 0: several, or other uses
};

bool AffineValues::is_invocation(uint32_t pointer) const {
  const InstructionView variable = module_.definition(pointer, spv::Op::OpVariable);
  return variable && static_cast<spv::StorageClass>(variable.word(3)) == spv::StorageClass::Input &&
         decorations_.find(pointer, spv::Decoration::BuiltIn) ==
             static_cast<uint32_t>(spv::BuiltIn::GlobalInvocationId);
}

void AffineValues::find_stores() {
  stored_.emplace();
  std::unordered_map<uint32_t, uint32_t> parts;  // variables by their access chains
  const auto forget = [&](uint32_t id) {
    if (const auto part = parts.find(id); part != parts.end()) id = part->second;
    if (const auto variable = stored_->find(id); variable != stored_->end()) variable->second = 0;
  };
  for_each_instruction(module_.words(), header_words, [&](InstructionView i, uint32_t offset) {
    if (i.op() != spv::Op::OpVariable && offset < module_.functions_offset()) return true;
    switch (i.op()) {
      case spv::Op::OpVariable: {
        const auto storage = static_cast<spv::StorageClass>(i.word(3));
        if (storage == spv::StorageClass::Function || storage == spv::StorageClass::Private)
          stored_->emplace(i.word(2), i.size() == 4 ? UINT32_MAX : 0);  // not stored to yet
        break;
      }
      case spv::Op::OpLoad:
        break;
      case spv::Op::OpStore: {
        const auto variable = stored_->find(i.word(1));
        if (variable != stored_->end())
          variable->second = variable->second == UINT32_MAX ? i.word(2) : 0;
        else
          forget(i.word(1));
        forget(i.word(2));
        break;
      }
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
        if (stored_->contains(i.word(3)))
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
}

uint32_t AffineValues::stored_once(uint32_t variable) {
  if (!stored_) find_stores();
  const auto found = stored_->find(variable);
  return found == stored_->end() || found->second == UINT32_MAX ? 0 : found->second;
}

bool AffineValues::is_invocation_vector(uint32_t id, uint32_t depth) {
  const InstructionView i = module_.definition(id);
  if (!i || depth > max_depth) return false;
  switch (i.op()) {
    case spv::Op::OpLoad: {
      if (is_invocation(i.word(3))) return true;
      const uint32_t stored = stored_once(i.word(3));
      return stored != 0 && is_invocation_vector(stored, depth + 1);
    }
    case spv::Op::OpBitcast:
    case spv::Op::OpCopyObject:
      return is_invocation_vector(i.word(3), depth + 1);
    case spv::Op::OpVectorShuffle:
      return i.word(5) == 0 && is_invocation_vector(i.word(3), depth + 1);
    default:
      return false;
  }
}

std::optional<AffineValue> AffineValues::loaded(uint32_t pointer, uint32_t depth) {
  if (const uint32_t stored = stored_once(pointer)) return of(stored, depth + 1);
  const InstructionView chain = module_.definition(pointer);
  const bool first = chain &&
                     (chain.op() == spv::Op::OpAccessChain || chain.op() == spv::Op::OpInBoundsAccessChain) &&
                     chain.size() == 5 && is_zero(chain.word(4));
  if (!first) return std::nullopt;
  const uint32_t stored = stored_once(chain.word(3));
  const bool invocation =
      is_invocation(chain.word(3)) || (stored != 0 && is_invocation_vector(stored, depth + 1));
  return invocation ? std::optional(AffineValue{1, 0}) : std::nullopt;
}

std::optional<AffineValue> AffineValues::of(uint32_t id, uint32_t depth) {
  if (const auto constant = module_.constant(id)) return AffineValue{0, *constant};
  const InstructionView i = module_.definition(id);
  if (!i || depth > max_depth || !is_32_bit(module_, id)) return std::nullopt;
  const auto both = [&](const auto& combine) -> std::optional<AffineValue> {
    const auto left = of(i.word(3), depth + 1);
    const auto right = left ? of(i.word(4), depth + 1) : std::nullopt;
    return right ? combine(*left, *right) : std::nullopt;
  };
  switch (i.op()) {
    case spv::Op::OpLoad:
      return loaded(i.word(3), depth);
    case spv::Op::OpCompositeExtract:
      if (i.size() != 5 || i.word(4) != 0 || !is_invocation_vector(i.word(3), depth + 1)) return std::nullopt;
      return AffineValue{1, 0};
    case spv::Op::OpBitcast:
    case spv::Op::OpCopyObject:
      return of(i.word(3), depth + 1);
    case spv::Op::OpIAdd:
      return both([](AffineValue a, AffineValue b) -> std::optional<AffineValue> {
        return AffineValue{a.factor + b.factor, a.constant + b.constant};
      });
    case spv::Op::OpISub:
      return both([](AffineValue a, AffineValue b) -> std::optional<AffineValue> {
        return AffineValue{a.factor - b.factor, a.constant - b.constant};
      });
    case spv::Op::OpIMul:
      return both([](AffineValue a, AffineValue b) -> std::optional<AffineValue> {
        if (a.factor != 0 && b.factor != 0) return std::nullopt;
        return AffineValue{a.factor * b.constant + b.factor * a.constant, a.constant * b.constant};
      });
    case spv::Op::OpShiftLeftLogical:
      return both([](AffineValue a, AffineValue b) -> std::optional<AffineValue> {
        if (b.factor != 0 || b.constant > 31) return std::nullopt;
        return AffineValue{a.factor << b.constant, a.constant << b.constant};
      });
    default:
      return std::nullopt;
  }
}

// Number of invocations of a workgroup that is a row; 0: it is not a row, or the size may change.
uint32_t row_size(const ModuleView& module, const EntryPoint& entry_point) {
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
  const bool row = size.size() == 3 && size[0] && size[1] == 1u && size[2] == 1u;
  return row ? *size[0] : 0;
}

// What one invocation touches of a binding, relative to its element.
struct Window {
  bool own = true;  // until a reason against it is found
  uint32_t factor = 0;
  int64_t begin = INT64_MAX, end = INT64_MIN;
  std::vector<BufferAccess*> stores;
};

void add(Window& window, BufferAccess& access, AffineValues& values) {
  const bool known = access.access == SQA_ACCESS_LOAD || access.access == SQA_ACCESS_STORE;
  if (!known || access.runs.empty()) {
    window.own = false;
    return;
  }
  uint32_t factor = 0, constant = access.place.offset;
  for (const ScaledIndex& index : access.place.indices) {
    const auto value = values.of(index.id);
    if (!value) {
      window.own = false;
      return;
    }
    factor += value->factor * index.stride;
    constant += value->constant * index.stride;
  }
  if (window.factor == 0) window.factor = factor;
  window.own = window.own && factor != 0 && factor == window.factor;
  for (const MemoryRun& run : access.runs) {
    const int64_t begin = int64_t{static_cast<int32_t>(constant)} + run.offset;
    window.begin = std::min(window.begin, begin & ~int64_t{3});
    window.end = std::max(window.end, (begin + run.size + 3) & ~int64_t{3});
  }
  if (access.access == SQA_ACCESS_STORE) window.stores.push_back(&access);
}

}  // namespace

void find_own_elements(std::span<BufferAccess> accesses, const ModuleView& module,
                       const Decorations& decorations, const EntryPoint& entry_point) {
  const uint32_t size = row_size(module, entry_point);
  if (entry_point.stage != Stage::compute || size == 0) return;
  // Pointers may lead anywhere.
  if (std::ranges::any_of(accesses, [](const auto& one) { return one.place.root != Root::descriptor; }))
    return;
  AffineValues values(module, decorations);
  // Variables of one binding are the same memory.
  std::map<std::pair<uint32_t, uint32_t>, Window> windows;
  for (BufferAccess& access : accesses) {
    const auto set = decorations.find(access.place.variable, spv::Decoration::DescriptorSet);
    const auto binding = decorations.find(access.place.variable, spv::Decoration::Binding);
    add(windows[{set.value_or(0), binding.value_or(0)}], access, values);
  }
  for (const auto& [binding, window] : windows) {
    if (!window.own || window.factor % 4 != 0 || window.end - window.begin > int64_t{window.factor} ||
        uint64_t{window.factor} * size > SQA_MOST_OWN_BYTES)
      continue;
    for (BufferAccess* store : window.stores) store->own = true;
  }
}

}  // namespace shaderqa
