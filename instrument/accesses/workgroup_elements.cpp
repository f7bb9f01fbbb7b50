// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/workgroup_elements.h"

#include <algorithm>

#include "instrument/accesses/index_overlap.h"

namespace shaderqa {
namespace {

// Elements of workgroup memory, and steps between those of neighbours, are below this.
constexpr uint32_t most_elements = 1U << 24;
// Accesses of a shader: all are compared with each other.
constexpr size_t most_accesses = 512;
// Scalars for each step.
constexpr uint32_t most_stride = 1U << 14;

InvocationIds local_ids(std::array<uint32_t, 3> size) { return {spv::BuiltIn::LocalInvocationId, size}; }

}  // namespace

WorkgroupElements::WorkgroupElements(const ModuleView& module, const Decorations& decorations,
                                     const PipelineConstants& constants, const WorkgroupAccesses& found,
                                     std::array<uint32_t, 3> size, uint32_t entry_function, bool strict)
    : module_(module),
      found_(found),
      ids_(local_ids(size)),
      flow_(module),
      indices_(module, decorations, ids_, [&constants](uint32_t id) { return constants.value(id); }),
      steps_(module, flow_, indices_.stores(), found, entry_function, strict) {
  if (ids_.size_of(InvocationIds::linear) == 0 || found.accesses.size() > most_accesses) return;
  for (const WorkgroupAccess& access : found.accesses) elements_.push_back(elements_of(access));
}

WorkgroupElements::Elements WorkgroupElements::elements_of(const WorkgroupAccess& access) const {
  Elements elements;
  const WorkgroupPlace& place = access.place;
  if (place.start == 0 || place.is_parameter || place.in_bytes || access.runs.empty()) return elements;
  InvocationIndex& first = elements.first;
  first.constant = place.offset;
  for (const ScaledIndex& index : place.indices)
    first = sum_of(first, scaled(indices_.of(index.id), index.stride), 1);
  for (const MemoryRun& run : access.runs) elements.width = std::max(elements.width, run.offset + run.size);
  elements.guards = guards_of(module_, flow_, indices_.stores(), flow_.block_of(access.at.offset));
  elements.only = only_invocation(elements);
  return elements;
}

InvocationIndex WorkgroupElements::left_of(const Guard& guard) const {
  return indices_.of(guard.left, guard.component);
}
InvocationIndex WorkgroupElements::right_of(const Guard& guard) const {
  return indices_.of(guard.right, guard.component);
}

// By `if (index == 3)`, where the index numbers all invocations of the workgroup.
std::optional<uint32_t> WorkgroupElements::only_invocation(const Elements& elements) const {
  const uint32_t axis = ids_.is_row() ? 0 : InvocationIds::linear;
  for (const Guard& guard : elements.guards) {
    if (guard.relation != Guard::Relation::equal) continue;
    InvocationIndex value = left_of(guard), bound = right_of(guard);
    if (value.factors.empty()) std::swap(value, bound);
    const bool known = bound.is_exact() && bound.factors.empty() && value.constant == 0;
    if (known && value.factor_of(axis) == 1 && bound.constant < ids_.size_of(axis)) return bound.constant;
  }
  return std::nullopt;
}

uint32_t WorkgroupElements::digit_of(const IdDigit& digit, uint32_t invocation) const {
  uint32_t id = invocation;
  if (digit.axis == 0) id = invocation % ids_.size[0];
  if (digit.axis == 1) id = invocation / ids_.size[0] % ids_.size[1];
  if (digit.axis == 2) id = invocation / ids_.size[0] / ids_.size[1];
  id /= digit.divisor;
  return digit.modulus == 0 ? id : id % digit.modulus;
}

uint32_t WorkgroupElements::value_for(const InvocationIndex& index, uint32_t invocation) const {
  uint32_t value = index.constant;
  for (const auto& [digit, factor] : index.factors) value += factor * digit_of(digit, invocation);
  return value;
}

// Both step through memory in the same way, and what they touch beside each other is not another
// invocation's.
bool WorkgroupElements::have_own(const Elements& a, const Elements& b) const {
  InvocationIndex first = a.first, second = b.first;
  if (a.only && first.is_exact()) {
    // The one invocation's element as seen from its element of the other access.
    const uint32_t value = value_for(first, *a.only);
    first = second;
    first.constant = value - (value_for(second, *a.only) - second.constant);
  } else if (b.only && second.is_exact()) {
    return have_own(b, a);
  }
  const uint32_t bits = std::min(first.known_bits, second.known_bits);
  first = with_split_digits(with_bits(first, bits));
  second = with_split_digits(with_bits(second, bits));
  const auto parts = first.factors == second.factors ? parts_of(first, ids_) : std::nullopt;
  return parts && shaderqa::are_apart({first.constant, a.width}, {second.constant, b.width}, *parts, bits);
}

WorkgroupElements::Range WorkgroupElements::limited(const IdDigit& digit,
                                                    const std::vector<Guard>& guards) const {
  Range range{0, ids_.size_of(digit)};
  const InvocationIndex itself{{{digit, 1}}, 0, 32};
  // Constants that are no negative numbers of signed comparisons.
  const auto constant = [](const InvocationIndex& value) {
    return value.is_exact() && value.factors.empty() && value.constant <= INT32_MAX;
  };
  for (const Guard& guard : guards) {
    const InvocationIndex left = left_of(guard), right = right_of(guard);
    const bool strictly = guard.relation == Guard::Relation::less;
    if (guard.relation == Guard::Relation::equal) continue;
    if (left == itself && constant(right))
      range.end = std::min(range.end, int64_t{right.constant} + (strictly ? 0 : 1));
    if (right == itself && constant(left))
      range.begin = std::max(range.begin, int64_t{left.constant} + (strictly ? 1 : 0));
  }
  return range;
}

std::optional<WorkgroupElements::Range> WorkgroupElements::range_of(const Elements& elements) const {
  const InvocationIndex& first = elements.first;
  if (!first.is_exact()) return std::nullopt;
  if (elements.only) {
    const uint32_t value = value_for(first, *elements.only);
    if (value > most_elements) return std::nullopt;
    return Range{value, int64_t{value} + elements.width};
  }
  Range range{static_cast<int32_t>(first.constant), static_cast<int32_t>(first.constant)};
  for (const auto& [digit, factor] : first.factors) {
    const Range values = limited(digit, elements.guards);
    const auto step = static_cast<int32_t>(factor);
    if (values.begin >= values.end) continue;  // no invocation
    range.begin += step * (step > 0 ? values.begin : values.end - 1);
    range.end += step * (step > 0 ? values.end - 1 : values.begin);
  }
  range.end += elements.width;
  // Beyond that sums may overflow, and come back.
  if (range.begin < INT32_MIN || range.end > INT32_MAX) return std::nullopt;
  return range;
}

// No invocation's elements of the one are among any invocation's of the other.
bool WorkgroupElements::are_beside(const Elements& a, const Elements& b) const {
  const auto first = range_of(a), second = range_of(b);
  return first && second && (first->end <= second->begin || second->end <= first->begin);
}

// One is below a step of `if (index < step)`, and the other at a step and more: the halves of a tree.
bool WorkgroupElements::is_below_step(const WorkgroupAccess& below, const Elements& elements,
                                      const WorkgroupAccess& above) const {
  if (below.place.indices.size() != 1 || above.place.indices.size() != 1) return false;
  const ScaledIndex index = below.place.indices[0], other = above.place.indices[0];
  const auto within = [&](const WorkgroupAccess& access) {
    return std::ranges::all_of(access.runs, [&](const MemoryRun& run) {
      return uint64_t{access.place.offset} + run.offset + run.size <= index.stride;
    });
  };
  if (index.stride != other.stride || index.stride > most_stride || !within(below) || !within(above))
    return false;
  const InstructionView sum = module_.definition(other.id, spv::Op::OpIAdd);
  const auto is_small = [&](const InvocationIndex& value) {
    const auto factor = value.is_exact() && value.factors.size() == 1 ? value.factors.begin()->second : 0;
    return factor == 1 && value.constant == 0;
  };
  const InvocationIndex value = indices_.of(index.id);
  if (!sum || !is_small(value)) return false;
  const std::array<uint32_t, 2> blocks{flow_.block_of(below.at.offset), flow_.block_of(above.at.offset)};
  return std::ranges::any_of(elements.guards, [&](const Guard& guard) {
    if (guard.relation != Guard::Relation::less || left_of(guard) != value) return false;
    for (const auto& [part, step] :
         {std::pair{sum.word(3), sum.word(4)}, std::pair{sum.word(4), sum.word(3)}})
      if (is_small(indices_.of(part)) && steps_.is_shared(guard.right, guard.branch, step, blocks))
        return true;
    return false;
  });
}

bool WorkgroupElements::are_apart(size_t a, size_t b) const {
  if (elements_.empty()) return false;
  if (a > b) std::swap(a, b);
  const auto [known, isnew] = apart_.try_emplace({a, b}, false);
  if (!isnew) return known->second;
  const Elements &first = elements_[a], &second = elements_[b];
  if (first.width == 0 || second.width == 0) return false;
  const bool same_invocation = first.only && first.only == second.only;
  known->second = same_invocation || ids_.size_of(InvocationIds::linear) == 1 || have_own(first, second) ||
                  are_beside(first, second) || is_below_step(found_.accesses[a], first, found_.accesses[b]) ||
                  is_below_step(found_.accesses[b], second, found_.accesses[a]);
  return known->second;
}

}  // namespace shaderqa
