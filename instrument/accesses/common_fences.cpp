// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/common_fences.h"

#include <algorithm>
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

// Whether control flow leads from the end of the block into one of the others.
bool leads_to(const BasicBlock& from, const std::unordered_set<uint32_t>& targets, const Function& function) {
  const auto blocks = blocks_by_label(function);
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
bool is_executed_by_all(const BasicBlock& wanted, const Function& function) {
  const auto blocks = blocks_by_label(function);
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

bool is_called(IRContext& context, const Function& function) {
  bool called = false;
  context.get_def_use_mgr()->ForEachUser(function.result_id(), [&](const Instruction* user) {
    called |= user->opcode() == spv::Op::OpFunctionCall;
  });
  return called;
}

}  // namespace

bool are_fences_common(IRContext& context, std::span<Instruction* const> memory_barriers,
                       std::span<Instruction* const> control_barriers) {
  std::unordered_set<uint32_t> meetings;  // blocks
  const Function* function = nullptr;
  for (Instruction* barrier : control_barriers) {
    const BasicBlock* block = context.get_instr_block(barrier);
    if (block == nullptr || (function != nullptr && block->GetParent() != function)) return false;
    function = block->GetParent();
    meetings.insert(block->id());
  }
  return std::ranges::all_of(memory_barriers, [&](Instruction* fence) {
    const BasicBlock* block = context.get_instr_block(fence);
    if (block == nullptr || block->GetParent() != function) return false;
    // Whoever passes the one passes the other.
    if (meetings.contains(block->id())) return true;
    if (is_called(context, *function)) return false;
    return is_executed_by_all(*block, *function) || !leads_to(*block, meetings, *function);
  });
}

bool follows_barrier(const Instruction& memory_barrier, std::span<Instruction* const> control_barriers) {
  const Instruction* before = memory_barrier.PreviousNode();
  while (before != nullptr && before->opcode() == spv::Op::OpMemoryBarrier) before = before->PreviousNode();
  return before != nullptr && std::ranges::find(control_barriers, before) != control_barriers.end();
}

}  // namespace shaderqa
