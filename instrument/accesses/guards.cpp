// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/guards.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

namespace shaderqa {
namespace {

using Relation = Guard::Relation;
using Condition = ControlFlow::Condition;

// How many operators deep, and how many comparisons.
constexpr uint32_t most_joined = 8;
constexpr size_t most_guards = 64;

class Guards {
 public:
  Guards(const ModuleView& module, const ControlFlow& flow, const VariableStores& stores)
      : module_(module), flow_(flow), stores_(stores) {}

  void add_block(uint32_t label, uint32_t depth) {
    if (!known_.insert(label).second) return;
    for (const Condition& condition : flow_.conditions_of(label)) add(condition, depth);
  }

  std::vector<Guard> found;

 private:
  void add(const Condition& condition, uint32_t depth) {
    const InstructionView i = module_.definition(condition.id);
    if (depth > most_joined || found.size() >= most_guards) return;
    switch (i.op()) {
      case spv::Op::OpLogicalNot:
        return add({i.word(3), !condition.holds, condition.branch}, depth + 1);
      case spv::Op::OpLogicalAnd:
      case spv::Op::OpLogicalOr:
        if (condition.holds != (i.op() == spv::Op::OpLogicalAnd)) return;
        add({i.word(3), condition.holds, condition.branch}, depth + 1);
        return add({i.word(4), condition.holds, condition.branch}, depth + 1);
      case spv::Op::OpAll:
      case spv::Op::OpAny:
        if (condition.holds != (i.op() == spv::Op::OpAll)) return;
        return add_comparison({i.word(3), condition.holds, condition.branch});
      case spv::Op::OpLoad:
        return add({loaded(i), condition.holds, condition.branch}, depth + 1);
      case spv::Op::OpPhi:
        return add_path(i, condition, depth);
      default:
        return add_comparison(condition);
    }
  }

  // One of scalars, or of all components of vectors.
  void add_comparison(const Condition& condition) {
    const InstructionView i = module_.definition(condition.id);
    const InstructionView type = module_.definition(module_.type_of(condition.id), spv::Op::OpTypeVector);
    const uint32_t components = type ? type.word(3) : 1;
    const uint32_t a = i.word(3), b = i.word(4);
    const auto all = [&](Relation relation, uint32_t left, uint32_t right) {
      for (uint32_t component = 0; component < components; ++component)
        found.push_back({relation, left, right, component, condition.branch, is_signed(i.op())});
    };
    const bool holds = condition.holds;
    switch (i.op()) {
      case spv::Op::OpULessThan:
      case spv::Op::OpSLessThan:
        return holds ? all(Relation::less, a, b) : all(Relation::at_most, b, a);
      case spv::Op::OpUGreaterThan:
      case spv::Op::OpSGreaterThan:
        return holds ? all(Relation::less, b, a) : all(Relation::at_most, a, b);
      case spv::Op::OpUGreaterThanEqual:
      case spv::Op::OpSGreaterThanEqual:
        return holds ? all(Relation::at_most, b, a) : all(Relation::less, a, b);
      case spv::Op::OpULessThanEqual:
      case spv::Op::OpSLessThanEqual:
        return holds ? all(Relation::at_most, a, b) : all(Relation::less, b, a);
      case spv::Op::OpIEqual:
      case spv::Op::OpINotEqual:
        if (holds == (i.op() == spv::Op::OpIEqual)) all(Relation::equal, a, b);
        return;
      default:
        return;
    }
  }

  static bool is_signed(spv::Op op) {
    return op == spv::Op::OpSLessThan || op == spv::Op::OpSGreaterThan || op == spv::Op::OpSLessThanEqual ||
           op == spv::Op::OpSGreaterThanEqual;
  }

  // What a variable has: the only value that is stored to it, before it is loaded. 0: not known.
  uint32_t loaded(InstructionView load) const {
    if (const auto last = stores_.loaded.find(load.word(2)); last != stores_.loaded.end())
      return last->second;
    const auto stored = stores_.by_variable.find(load.word(3));
    if (stored == stores_.by_variable.end() || stored->second.size() != 1) return 0;
    const VariableStore& store = stored->second[0];
    const uint32_t from = flow_.block_of(store.offset), to = flow_.block_of(module_.offset_of(load.word(2)));
    const bool is_before =
        store.offset != 0 && from != 0 && to != 0 && from != to && flow_.dominates(from, to);
    return is_before ? store.value : 0;
  }

  // The value of an && or || that branches around its second operand: if only one of the paths can give it
  // this value, what holds on that path holds.
  void add_path(InstructionView phi, const Condition& condition, uint32_t depth) {
    const uint32_t block = flow_.block_of(module_.offset_of(condition.id));
    if (block == 0) return;
    const std::vector<uint32_t>& from = flow_.block(block).predecessors;
    std::optional<std::pair<uint32_t, uint32_t>> path;  // value and block
    for (uint32_t k = 3; k + 1 < phi.size(); k += 2) {
      // What held in the turn of a loop before holds no more.
      const bool forward = std::ranges::find(from, phi.word(k + 1)) != from.end() &&
                           flow_.block(phi.word(k + 1)).order < flow_.block(block).order;
      if (!forward) return;
      if (gives(phi.word(k), phi.word(k + 1), block) == std::optional(!condition.holds)) continue;
      if (path) return;
      path = {phi.word(k), phi.word(k + 1)};
    }
    if (!path) return;
    add({path->first, condition.holds, condition.branch}, depth + 1);
    add_block(path->second, depth + 1);
  }

  // What a boolean is on the way from one block to another.
  std::optional<bool> gives(uint32_t value, uint32_t from, uint32_t to) const {
    bool is = true;
    for (uint32_t n = 0; n < most_joined; ++n) {
      const InstructionView i = module_.definition(value);
      if (i.op() == spv::Op::OpConstantTrue) return is;
      if (i.op() == spv::Op::OpConstantFalse) return !is;
      if (i.op() != spv::Op::OpLogicalNot) break;
      value = i.word(3);
      is = !is;
    }
    const InstructionView branch = flow_.block(from).end;
    if (branch.op() != spv::Op::OpBranchConditional || branch.word(2) == branch.word(3)) return std::nullopt;
    bool taken = branch.word(2) == to;
    uint32_t asked = branch.word(1);
    for (uint32_t n = 0; n < most_joined && asked != value; ++n) {
      const InstructionView i = module_.definition(asked, spv::Op::OpLogicalNot);
      if (!i) return std::nullopt;
      asked = i.word(3);
      taken = !taken;
    }
    return asked == value ? std::optional(taken == is) : std::nullopt;
  }

  const ModuleView& module_;
  const ControlFlow& flow_;
  const VariableStores& stores_;
  std::unordered_set<uint32_t> known_;  // blocks
};

}  // namespace

std::vector<Guard> guards_of(const ModuleView& module, const ControlFlow& flow, const VariableStores& stores,
                             uint32_t label) {
  if (label == 0) return {};
  Guards guards(module, flow, stores);
  guards.add_block(label, 0);
  return std::move(guards.found);
}

}  // namespace shaderqa
