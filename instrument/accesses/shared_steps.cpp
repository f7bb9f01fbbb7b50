// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/shared_steps.h"

#include <algorithm>

namespace shaderqa {
namespace {

// A step begins with no more, so index + step does not overflow.
constexpr uint32_t most_step = 1U << 16;

}  // namespace

SharedSteps::SharedSteps(const ModuleView& module, const ControlFlow& flow, const VariableStores& stores,
                         const WorkgroupAccesses& found, uint32_t entry_function, bool strict)
    : module_(module), flow_(flow), stores_(stores), entry_function_(entry_function) {
  for (const WorkgroupAccesses::Barrier& barrier : found.barriers)
    if (barrier.orders(strict)) barriers_.insert(flow.block_of(barrier.at.offset));
}

uint32_t SharedSteps::loaded(uint32_t value) const {
  const InstructionView load = module_.definition(value, spv::Op::OpLoad);
  return load && stores_.by_variable.contains(load.word(3)) ? load.word(3) : 0;
}

// In front of the loop, and not in another one, which some invocations may leave later than others.
bool SharedSteps::begins(uint32_t value, uint32_t block, uint32_t header) const {
  const auto constant = module_.constant(value);
  const uint32_t loop = flow_.loop_of(block);
  return constant && *constant <= most_step && !flow_.is_in_loop(block, header) &&
         flow_.dominates(block, header) && (loop == 0 || flow_.is_in_loop(header, loop));
}

// from: the variable or OpPhi.
bool SharedSteps::goes_on(uint32_t value, uint32_t from, uint32_t block, uint32_t header) const {
  const InstructionView i = module_.definition(value);
  const auto by = module_.constant(i.word(4));
  const bool shifts = i.op() == spv::Op::OpShiftRightLogical || i.op() == spv::Op::OpShiftRightArithmetic;
  const bool divides = i.op() == spv::Op::OpUDiv || i.op() == spv::Op::OpSDiv;
  if (!by || !(shifts ? *by < 32 : divides && *by != 0 && *by <= most_step)) return false;
  const uint32_t variable = loaded(i.word(3));
  const bool from_here = variable == from && block_of(i.word(3)) == block;
  if (i.word(3) != from && !(variable != 0 && from_here)) return false;
  const uint32_t back = flow_.back_edge_of(header);
  return back != 0 && flow_.loop_of(block) == header && flow_.dominates(block, back);
}

bool SharedSteps::is_common(uint32_t value, uint32_t branch, uint32_t header) const {
  if (const InstructionView phi = module_.definition(value, spv::Op::OpPhi)) {
    if (block_of(value) != header || phi.size() != 7) return false;
    const uint32_t back = flow_.back_edge_of(header);
    const uint32_t first = phi.word(4) == back ? 5 : 3, next = 8 - first;
    return phi.word(next + 1) == back && begins(phi.word(first), phi.word(first + 1), header) &&
           goes_on(phi.word(next), value, back, header);
  }
  const uint32_t variable = loaded(value);
  if (variable == 0 || block_of(value) != branch) return false;
  return std::ranges::all_of(stores_.by_variable.at(variable), [&](const VariableStore& store) {
    const uint32_t block = flow_.block_of(store.offset);
    return store.offset != 0 && flow_.block(block).function == entry_function_ &&
           (begins(store.value, block, header) || goes_on(store.value, variable, block, header));
  });
}

bool SharedSteps::is_same(uint32_t bound, uint32_t branch, uint32_t step) const {
  if (bound == step) return true;
  const uint32_t variable = loaded(bound);
  if (variable == 0 || loaded(step) != variable) return false;
  const uint32_t from = block_of(step);
  const std::vector<uint32_t>& before = flow_.block(from).predecessors;
  const bool follows = from == branch || (before.size() == 1 && before[0] == branch);
  if (!follows) return false;
  return std::ranges::none_of(stores_.by_variable.at(variable), [&](const VariableStore& store) {
    const uint32_t at = flow_.block_of(store.offset);
    return at == branch || at == from;
  });
}

bool SharedSteps::has_barrier(uint32_t header) const {
  const uint32_t back = flow_.back_edge_of(header);
  return back != 0 && std::ranges::any_of(barriers_, [&](uint32_t block) {
           return flow_.block(block).function == entry_function_ && flow_.is_in_loop(block, header) &&
                  flow_.dominates(block, back);
         });
}

bool SharedSteps::is_once_in_a_phase(uint32_t branch) const {
  if (barriers_.contains(branch)) return true;
  std::vector<uint32_t> reached = flow_.block(branch).successors;
  std::unordered_set<uint32_t> known(reached.begin(), reached.end());
  for (size_t n = 0; n < reached.size(); ++n) {
    if (reached[n] == branch) return false;
    if (barriers_.contains(reached[n])) continue;
    for (const uint32_t next : flow_.block(reached[n]).successors)
      if (known.insert(next).second) reached.push_back(next);
  }
  return true;
}

bool SharedSteps::is_behind(uint32_t branch, uint32_t block) const {
  if (block == branch) return !barriers_.contains(branch);
  return std::ranges::any_of(flow_.block(branch).successors, [&](uint32_t next) {
    if (flow_.block(next).predecessors.size() != 1 || !flow_.dominates(next, block)) return false;
    return std::ranges::none_of(barriers_, [&](uint32_t barrier) {
      return flow_.block(barrier).function == entry_function_ && flow_.dominates(next, barrier);
    });
  });
}

bool SharedSteps::is_shared(uint32_t bound, uint32_t branch, uint32_t step,
                            std::array<uint32_t, 2> blocks) const {
  const auto in_entry = [&](uint32_t block) { return flow_.block(block).function == entry_function_; };
  if (!in_entry(branch) || !std::ranges::all_of(blocks, in_entry) || !is_same(bound, branch, step))
    return false;
  const uint32_t header = flow_.loop_of(branch);
  return header != 0 && is_common(bound, branch, header) && has_barrier(header) &&
         is_once_in_a_phase(branch) && is_behind(branch, blocks[0]) && is_behind(branch, blocks[1]);
}

}  // namespace shaderqa
