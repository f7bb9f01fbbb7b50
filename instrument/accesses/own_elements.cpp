// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/own_elements.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "instrument/accesses/guards.h"
#include "instrument/accesses/index_overlap.h"
#include "instrument/accesses/invocation_indices.h"
#include "instrument/accesses/row_major.h"
#include "instrument/ir/control_flow.h"
#include "instrument/ir/workgroup_size.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_reach.h"
#include "instrument/runtime/abi_report.h"

namespace shaderqa {
namespace {

using Root = ResolvedPointer::Root;

// Accesses of a shader: all to one binding are compared with each other.
constexpr size_t most_accesses = 512;
// Offsets are numbers of bytes modulo 2^32, and elements are words.
constexpr uint32_t word_bits = 30;

uint32_t most_log2(uint32_t axis) { return reach::axes[axis].levels.back(); }

// The words that an invocation touches with an access.
struct AccessedWords {
  BufferAccess* access = nullptr;
  InvocationIndex first;  // nothing is known of it: the width is 0
  uint32_t width = 0;
  bool whole = false;  // all bytes of all of them
  // The same index with the turns of its loops, if it has any.
  std::optional<InvocationIndex> of_turn;
  bool stores() const { return access->access == SQA_ACCESS_STORE; }
  TouchedElements touched() const { return {first.constant, width}; }
};

// All accesses to a binding. Variables of one binding are the same memory.
struct Binding {
  uint32_t direct = 0;
  std::vector<AccessedWords> all;
};

// How many workgroups elements are told apart for, and how.
struct Apart {
  std::array<uint32_t, 3> log2{};
  std::vector<IndexPart> parts;
};

class OwnElements {
 public:
  OwnElements(BufferAccesses& found, const ModuleView& module, const Decorations& decorations,
              std::array<uint32_t, 3> size, const InvocationIndices::Constants& constants,
              const std::function<uint32_t(const BufferAccess&)>& direct_of)
      : module_(module),
        ids_{spv::BuiltIn::LocalInvocationId, size, most_counts(), true},
        indices_(module, decorations, ids_, constants) {
    std::map<std::pair<uint32_t, uint32_t>, Binding> by_name;
    for (BufferAccess& access : found.accesses) {
      const auto set = decorations.find(access.place.variable, spv::Decoration::DescriptorSet);
      const auto binding = decorations.find(access.place.variable, spv::Decoration::Binding);
      Binding& of = by_name[{set.value_or(0), binding.value_or(0)}];
      of.direct = direct_of(access);
      of.all.push_back(words_of(access));
    }
    for (auto& [name, binding] : by_name)
      if (binding.direct != 0 && binding.direct <= SQA_DIRECT_SLOTS) bindings_.push_back(std::move(binding));
  }

  void find() {
    for (const Binding& binding : bindings_)
      for (const AccessedWords& words : binding.all)
        if (words.stores() && is_own(words, binding)) stores_.emplace_back(&binding, &words);
    find_together();
    // Stores have no bits but those that are compared: with one more comparison a stencil takes 1.9 times its
    // own time on an H200 instead of 1.6.
    for (const auto& [binding, store] : stores_)
      store->access->reach = reach_of(slots_with(*binding), *store);
    for (const Binding& binding : bindings_)
      for (const AccessedWords& words : binding.all)
        if (!words.stores()) add_load(binding, words);
  }

 private:
  using Store = std::pair<const Binding*, const AccessedWords*>;

  static std::array<uint32_t, 3> most_counts() {
    return {1U << most_log2(0), 1U << most_log2(1), 1U << most_log2(2)};
  }

  AccessedWords words_of(BufferAccess& access) {
    AccessedWords words;
    words.access = &access;
    const bool known = access.access == SQA_ACCESS_LOAD || access.access == SQA_ACCESS_STORE;
    if (!known || access.runs.empty() || access.place.array_element != IndexValue{}) return words;
    InvocationIndex first;
    first.constant = access.place.offset;
    for (const ScaledIndex& index : access.place.indices)
      first = sum_of(first, scaled(indices_.of(index.id), index.stride), 1);
    const bool by_words = first.is_exact() && std::ranges::all_of(first.factors, [](const auto& each) {
                            return each.second % 4 == 0;
                          });
    if (!by_words) return words;
    int64_t begin = INT64_MAX, end = INT64_MIN;
    for (const MemoryRun& run : access.runs) {
      const int64_t at = int64_t{static_cast<int32_t>(first.constant)} + run.offset;
      begin = std::min(begin, at);
      end = std::max(end, at + run.size);
    }
    words.whole = access.runs.size() == 1 && begin % 4 == 0 && end % 4 == 0;
    begin = (begin & ~int64_t{3}) / 4;
    end = (end + 3) >> 2;
    words.width = static_cast<uint32_t>(end - begin);
    for (auto& [digit, factor] : first.factors) factor /= 4;
    first.constant = static_cast<uint32_t>(begin);
    words.first = with_rising_turns(with_split_digits(with_bits(std::move(first), word_bits)));
    if (is_in_rows(words.first) && !find_rows(words)) words.width = 0;
    const InvocationIndex of_turn = std::exchange(words.first, with_any_turns(words.first));
    const bool moves = std::ranges::any_of(
        of_turn.factors, [](const auto& each) { return each.first.axis == InvocationIds::turns; });
    if (moves) words.of_turn = of_turn;
    return words;
  }

  const ControlFlow& flow() const { return indices_.flow(); }

  // False: the guards of this access do not say enough, and nothing is known of it.
  bool find_rows(const AccessedWords& words) {
    const auto guards =
        guards_of(module_, flow(), indices_.stores(), flow().block_of(words.access->at.offset));
    const auto rows =
        row_major(words.first, ids_, indices_.products(), guards,
                  [this](uint32_t id, uint32_t component) { return indices_.of(id, component); });
    if (!rows) return false;
    Apart apart;
    apart.log2 = rows->log2;
    apart.parts = {{rows->step, (1U << word_bits) / rows->step}};
    apart_.try_emplace(with_any_turns(words.first).factors, std::move(apart));
    return true;
  }

  // For the indices of an access.
  const std::optional<Apart>& apart_of(const AccessedWords& words) {
    const auto [known, is_new] = apart_.try_emplace(words.first.factors);
    if (is_new) known->second = find_apart(words.first);
    return known->second;
  }

  std::optional<Apart> find_apart(InvocationIndex index) const {
    // What is the same for all invocations does not tell them apart.
    std::erase_if(index.factors, [](const auto& each) { return each.first.axis == InvocationIds::none; });
    Apart apart;
    InvocationIds ids = ids_;
    for (uint32_t axis = 0; axis < 3; ++axis) {
      apart.log2[axis] = most_workgroups(index, axis);
      ids.workgroup_count[axis] = 1U << apart.log2[axis];
    }
    auto parts = parts_of(index, ids);
    if (!parts) return std::nullopt;
    apart.parts = std::move(*parts);
    return apart;
  }

  // log2 of the largest number of workgroups along an axis whose digits stay below the next larger factor of
  // the index, or below where indices come round.
  static uint32_t most_workgroups(const InvocationIndex& index, uint32_t axis) {
    uint64_t count = 1;
    for (const auto& [digit, factor] : index.factors) {
      if (digit.axis != InvocationIds::workgroups + axis) continue;
      uint64_t next = uint64_t{1} << word_bits;
      for (const auto& [other, other_factor] : index.factors)
        if (other_factor > factor) next = std::min<uint64_t>(next, other_factor);
      const uint64_t digits = digit.modulus == 0 ? std::bit_floor(next / factor) : digit.modulus;
      count = std::max(count, digit.divisor * digits);
    }
    const auto log2 = static_cast<uint32_t>(std::bit_width(count) - 1);
    return std::min(log2, most_log2(axis));
  }

  // No other invocation touches any of the words through this binding.
  bool is_own(const AccessedWords& words, const Binding& binding) {
    return std::ranges::all_of(binding.all,
                               [&](const AccessedWords& other) { return never_meet(words, other); });
  }

  bool never_meet(const AccessedWords& a, const AccessedWords& b) {
    if (a.width == 0 || b.width == 0 || a.first.factors != b.first.factors) return false;
    const auto& apart = apart_of(a);
    return apart && are_apart(a.touched(), b.touched(), apart->parts, word_bits);
  }

  // Bindings that may lead to the same memory: their accesses do not meet either. A program that works in
  // place has its buffer in two of them.
  void find_together() {
    std::vector<const Binding*> together;
    for (const Binding& binding : bindings_) {
      const bool joins = std::ranges::all_of(together, [&](const Binding* other) {
        return std::ranges::all_of(binding.all, [&](const AccessedWords& a) {
          return std::ranges::all_of(other->all, [&](const AccessedWords& b) {
            return (!a.stores() && !b.stores() && a.width != 0 && b.width != 0) || never_meet(a, b);
          });
        });
      });
      const bool known =
          std::ranges::none_of(binding.all, [](const AccessedWords& words) { return words.width == 0; });
      if (!joins || !known) continue;
      together.push_back(&binding);
      together_ |= 1U << (binding.direct - 1);
    }
  }

  uint32_t slots_with(const Binding& binding) const {
    const uint32_t slot = 1U << (binding.direct - 1);
    return (together_ & slot) != 0 ? together_ : slot;
  }

  // As SQA_REACH_* have it, where no other entries than these may lead to the memory.
  uint32_t reach_of(uint32_t slots, const AccessedWords& words) const {
    const Apart& apart = *apart_.at(words.first.factors);
    uint32_t bits = ~slots & SQA_REACH_SLOTS;
    for (uint32_t axis = 0; axis < 3; ++axis) bits |= reach::at_most(reach::axes[axis], apart.log2[axis]);
    return bits;
  }

  void add_load(const Binding& binding, const AccessedWords& load) {
    const bool read_only = std::ranges::none_of(binding.all, &AccessedWords::stores) && is_own(load, binding);
    if (const Binding* stored = stored_later(binding, load))
      load.access->reach = reach_of(slots_with(binding), load) | SQA_REACH_STORED_LATER |
                           (stored->direct - 1) << SQA_REACH_STORED | (read_only ? SQA_REACH_ONLY_READ : 0);
    else if (read_only)
      load.access->reach = reach_of(1U << (binding.direct - 1), load);
  }

  // The binding through which an own store to the same words always follows; null: there is none.
  const Binding* stored_later(const Binding& binding, const AccessedWords& load) {
    const uint32_t slots = slots_with(binding);
    for (const auto& [stored, store] : stores_) {
      const bool reaches = (slots >> (stored->direct - 1) & 1U) != 0;
      const uint32_t behind = load.first.constant - store->first.constant;
      const bool covers = load.width != 0 && store->whole && behind <= store->width &&
                          load.width <= store->width - behind && load.first.factors == store->first.factors;
      if (reaches && covers && are_of_one_turn(*store, load) &&
          always_follows(store->access->at.offset, load.access->at.offset))
        return stored;
    }
    return nullptr;
  }

  // Where both move on with loops: whether they are in the same turn of the same ones.
  bool are_of_one_turn(const AccessedWords& later, const AccessedWords& earlier) {
    if (!later.of_turn) return true;
    const uint32_t from = earlier.access->at.offset, to = later.access->at.offset;
    const bool known = std::ranges::none_of(later.of_turn->factors, [](const auto& each) {
      return each.first.axis == InvocationIds::turns && each.first.divisor == 0;
    });
    return known && earlier.of_turn && later.of_turn->factors == earlier.of_turn->factors && from < to &&
           flow().block_of(from) == flow().block_of(to);
  }

  // Whether no path from one instruction to the end of its function misses the other.
  bool always_follows(uint32_t later, uint32_t earlier) {
    const uint32_t from = flow().block_of(earlier), to = flow().block_of(later);
    if (from == 0 || to == 0) return false;
    if (from == to && earlier < later) return true;
    std::unordered_set<uint32_t> known;
    std::vector<uint32_t> reached{from};
    while (!reached.empty()) {
      const ControlFlow::Block& block = flow().block(reached.back());
      reached.pop_back();
      if (block.successors.empty()) return false;
      for (const uint32_t next : block.successors)
        if (next != to && known.insert(next).second) reached.push_back(next);
    }
    return true;
  }

  const ModuleView& module_;
  const InvocationIds ids_;
  const InvocationIndices indices_;
  std::vector<Binding> bindings_;
  std::vector<Store> stores_;  // to own elements
  std::map<std::map<IdDigit, uint32_t>, std::optional<Apart>> apart_;
  uint32_t together_ = 0;  // bits of entries at SQA_ACTION_DIRECT
};

}  // namespace

void find_own_elements(BufferAccesses& found, const ModuleView& module, const Decorations& decorations,
                       const EntryPoint& entry_point, const InvocationIndices::Constants& constants,
                       const std::function<uint32_t(const BufferAccess&)>& direct_of) {
  if (entry_point.stage != Stage::compute || found.accesses.size() > most_accesses) return;
  const auto size = workgroup_size(module, decorations, entry_point.function, constants);
  if (size[0] == 0) return;
  // Pointers may lead anywhere.
  const bool elsewhere =
      std::ranges::any_of(found.accesses, [](const auto& one) { return one.place.root != Root::descriptor; });
  if (elsewhere || found.unknown_place + found.unknown_layout + found.unknown_lines != 0) return;
  OwnElements(found, module, decorations, size, constants, direct_of).find();
}

}  // namespace shaderqa
