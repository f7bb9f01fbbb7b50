// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/common_fences.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "instrument/ir/structured_loops.h"
#include "source/opt/basic_block.h"
#include "source/opt/function.h"

namespace shaderqa {
namespace {

using spvtools::opt::BasicBlock;
using spvtools::opt::Function;
using spvtools::opt::Instruction;
using spvtools::opt::IRContext;

using Blocks = std::unordered_map<uint32_t, const BasicBlock*>;

// Whether control flow leads from the end of the block into one of the others.
bool leads_to(const BasicBlock& from, const std::unordered_set<uint32_t>& targets, const Blocks& blocks) {
  std::unordered_set<uint32_t> seen;
  std::vector<const BasicBlock*> next{&from};
  bool found = false;
  while (!next.empty() && !found) {
    const BasicBlock& block = *next.back();
    next.pop_back();
    block.ForEachSuccessorLabel([&](const uint32_t label) {
      found |= targets.contains(label);
      const auto block_of_label = blocks.find(label);
      if (block_of_label != blocks.end() && seen.insert(label).second) next.push_back(block_of_label->second);
    });
  }
  return found;
}

// Whether the block lies in no selection and no loop, so that all invocations execute it, once, that do not
// end before.
bool is_executed_by_all(const BasicBlock& wanted, const Function& function, const Blocks& blocks) {
  const BasicBlock* block = &*function.begin();
  for (size_t left = blocks.size(); left > 0 && block != nullptr; --left) {
    const uint32_t merge = block->MergeBlockIdIfAny();
    if (block == &wanted) return block->GetLoopMergeInst() == nullptr;
    const Instruction& end = *block->ctail();
    uint32_t next = merge;
    if (next == 0 && end.opcode() == spv::Op::OpBranch) next = end.GetSingleWordInOperand(0);
    const auto found = blocks.find(next);
    block = found == blocks.end() ? nullptr : found->second;
  }
  return false;
}

std::vector<Instruction*> calls_of(IRContext& context, const Function& function) {
  std::vector<Instruction*> calls;
  context.get_def_use_mgr()->ForEachUser(function.result_id(), [&](Instruction* user) {
    if (user->opcode() == spv::Op::OpFunctionCall) calls.push_back(user);
  });
  return calls;
}

// The blocks with calls of a function.
std::vector<const BasicBlock*> callers_of(IRContext& context, const Function& function) {
  std::vector<const BasicBlock*> callers;
  for (Instruction* call : calls_of(context, function)) callers.push_back(context.get_instr_block(call));
  return callers;
}

// Where barriers are.
struct Meetings {
  std::unordered_set<uint32_t> blocks;      // with a barrier
  std::unordered_set<uint32_t> leading_in;  // these, and those that call a function with one
  std::unordered_set<uint32_t> functions;   // that have one, or call one that has
};

// Nothing: the place of one is not known.
std::optional<Meetings> meetings_of(IRContext& context, std::span<Instruction* const> barriers) {
  Meetings meetings;
  std::unordered_set<const Function*> known;
  std::vector<const Function*> next;
  for (Instruction* barrier : barriers) {
    const BasicBlock* block = context.get_instr_block(barrier);
    if (block == nullptr) return std::nullopt;
    meetings.blocks.insert(block->id());
    if (known.insert(block->GetParent()).second) next.push_back(block->GetParent());
  }
  meetings.leading_in = meetings.blocks;
  while (!next.empty()) {
    const Function& function = *next.back();
    next.pop_back();
    meetings.functions.insert(function.result_id());
    for (const BasicBlock* caller : callers_of(context, function)) {
      if (caller == nullptr) return std::nullopt;
      meetings.leading_in.insert(caller->id());
      if (known.insert(caller->GetParent()).second) next.push_back(caller->GetParent());
    }
  }
  return meetings;
}

// Looks at functions, each of which is taken apart once.
class Paths {
 public:
  explicit Paths(IRContext& context) : context_(context) {}

  // Also by way of calls.
  bool is_for_all(const BasicBlock& block) {
    // Meanwhile false: damaged modules have functions that call themselves.
    const auto [known, is_new] = for_all_.try_emplace(block.id(), false);
    if (!is_new) return known->second;
    const Function& function = *block.GetParent();
    const auto callers = callers_of(context_, function);
    const bool found = is_executed_by_all(block, function, blocks_of(function)) &&
                       std::ranges::all_of(callers, [&](const BasicBlock* caller) {
                         return caller != nullptr && is_for_all(*caller);
                       });
    return for_all_[block.id()] = found;
  }

  // Whether no barrier comes behind the block.
  bool is_last(const BasicBlock& block, const Meetings& meetings) {
    const Function& function = *block.GetParent();
    return callers_of(context_, function).empty() && !meetings.leading_in.contains(block.id()) &&
           !leads_to(block, meetings.leading_in, blocks_of(function));
  }

  // Whether an invocation may have passed a barrier when it comes to the instruction.
  bool is_behind(Instruction& at, const Meetings& passed, std::span<Instruction* const> barriers) {
    // Meanwhile false, as above.
    const auto [known, is_new] = behind_.try_emplace(&at, false);
    if (!is_new) return known->second;
    return behind_[&at] = finds_behind(at, passed, barriers);
  }

 private:
  bool finds_behind(Instruction& at, const Meetings& passed, std::span<Instruction* const> barriers) {
    const BasicBlock* block = context_.get_instr_block(&at);
    if (block == nullptr) return true;
    for (const Instruction* before = at.PreviousNode(); before != nullptr; before = before->PreviousNode())
      if (std::ranges::find(barriers, before) != barriers.end() ||
          (before->opcode() == spv::Op::OpFunctionCall &&
           passed.functions.contains(before->GetSingleWordInOperand(0))))
        return true;
    const Function& function = *block->GetParent();
    for (const BasicBlock& other : function)
      if (passed.leading_in.contains(other.id()) && leads_to(other, {block->id()}, blocks_of(function)))
        return true;
    return std::ranges::any_of(calls_of(context_, function),
                               [&](Instruction* call) { return is_behind(*call, passed, barriers); });
  }

  const Blocks& blocks_of(const Function& function) {
    const auto [blocks, is_new] = by_function_.try_emplace(&function);
    if (is_new) blocks->second = blocks_by_label(function);
    return blocks->second;
  }

  IRContext& context_;
  std::unordered_map<const Function*, Blocks> by_function_;
  std::unordered_map<uint32_t, bool> for_all_;
  std::unordered_map<const Instruction*, bool> behind_;
};

}  // namespace

bool are_fences_common(IRContext& context, std::span<Instruction* const> memory_barriers,
                       std::span<Instruction* const> control_barriers) {
  const auto meetings = meetings_of(context, control_barriers);
  if (!meetings) return false;
  Paths paths(context);
  return std::ranges::all_of(memory_barriers, [&](Instruction* fence) {
    const BasicBlock* block = context.get_instr_block(fence);
    // In one block, whoever passes the one passes the other.
    return block != nullptr && (meetings->blocks.contains(block->id()) || paths.is_for_all(*block) ||
                                paths.is_last(*block, *meetings));
  });
}

std::vector<Instruction*> barriers_behind(IRContext& context, std::span<Instruction* const> memory_barriers,
                                          std::span<Instruction* const> control_barriers) {
  std::vector<Instruction*> behind(control_barriers.begin(), control_barriers.end());
  const auto passed = meetings_of(context, memory_barriers);
  if (!passed) return behind;
  Paths paths(context);
  std::erase_if(behind,
                [&](Instruction* barrier) { return !paths.is_behind(*barrier, *passed, memory_barriers); });
  return behind;
}

bool follows_barrier(const Instruction& memory_barrier, std::span<Instruction* const> control_barriers) {
  const Instruction* before = memory_barrier.PreviousNode();
  while (before != nullptr && before->opcode() == spv::Op::OpMemoryBarrier) before = before->PreviousNode();
  return before != nullptr && std::ranges::find(control_barriers, before) != control_barriers.end();
}

}  // namespace shaderqa
