// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/invocation_ends.h"

#include <unordered_map>

#include "instrument/ir/loop_hints.h"
#include "instrument/ir/structured_loops.h"
#include "source/opt/basic_block.h"
#include "source/opt/function.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

using spvtools::opt::BasicBlock;
using spvtools::opt::Instruction;

bool ends_invocation(spv::Op op, bool is_entry) {
  switch (op) {
    case spv::Op::OpReturn:
      return is_entry;
    case spv::Op::OpKill:
    case spv::Op::OpTerminateInvocation:
    case spv::Op::OpDemoteToHelperInvocation:
    case spv::Op::OpIgnoreIntersectionKHR:
    case spv::Op::OpTerminateRayKHR:
    case spv::Op::OpIgnoreIntersectionNV:
    case spv::Op::OpTerminateRayNV:
    case spv::Op::OpEmitMeshTasksEXT:
      return true;
    default:
      return false;
  }
}

bool compares_integers(InstructionView condition) {
  return condition && condition.op() >= spv::Op::OpIEqual && condition.op() <= spv::Op::OpSLessThanEqual;
}

class Loops {
 public:
  Loops(spvtools::opt::Function& function, const ModuleView& view) : view_(view) {
    for (BasicBlock& block : function) blocks_.emplace(block.id(), &block);
  }

  // Null: not of a kind that may never end, or nothing is called in it.
  Instruction* end_of_iteration(const BasicBlock& header, const Instruction& merge) {
    const uint32_t merge_block = merge.GetSingleWordInOperand(0);
    if (has_unroll_hint(merge) || is_counted(header, merge_block)) return nullptr;
    const auto find = [&](uint32_t label) -> const BasicBlock* { return block(label); };
    BasicBlock* last = nullptr;
    bool calls = false;
    for (const uint32_t label : blocks_of_loop(header.id(), merge_block, find)) {
      BasicBlock* const each = block(label);
      if (!each) continue;
      each->ForEachSuccessorLabel([&](const uint32_t successor) {
        if (successor == header.id()) last = each;
      });
      for (const Instruction& instruction : *each)
        calls = calls || instruction.opcode() == spv::Op::OpFunctionCall;
    }
    if (!last || !calls || is_counted(*last, merge_block)) return nullptr;
    Instruction* const merge_of_last = last->GetMergeInst();
    return merge_of_last ? merge_of_last : &*last->tail();
  }

 private:
  BasicBlock* block(uint32_t label) const {
    const auto found = blocks_.find(label);
    return found == blocks_.end() ? nullptr : found->second;
  }
  // The condition may be in the block after it.
  bool is_counted(const BasicBlock& at, uint32_t merge_block) const {
    const Instruction* end = &*at.ctail();
    if (end->opcode() == spv::Op::OpBranch)
      if (const BasicBlock* const next = block(end->GetSingleWordInOperand(0))) end = &*next->ctail();
    return end->opcode() == spv::Op::OpBranchConditional &&
           (end->GetSingleWordInOperand(1) == merge_block || end->GetSingleWordInOperand(2) == merge_block) &&
           compares_integers(view_.definition(end->GetSingleWordInOperand(0)));
  }

  const ModuleView& view_;
  std::unordered_map<uint32_t, BasicBlock*> blocks_;
};

}  // namespace

std::vector<Instruction*> invocation_ends(spvtools::opt::IRContext& context, uint32_t entry_function) {
  std::vector<Instruction*> ends;
  for (auto& function : *context.module()) {
    const bool is_entry = function.result_id() == entry_function;
    for (BasicBlock& block : function)
      for (Instruction& instruction : block)
        if (ends_invocation(instruction.opcode(), is_entry)) ends.push_back(&instruction);
  }
  return ends;
}

std::vector<Instruction*> ends_of_iterations(spvtools::opt::IRContext& context, const ModuleView& view) {
  std::vector<Instruction*> ends;
  for (auto& function : *context.module()) {
    Loops loops(function, view);
    for (BasicBlock& block : function) {
      const Instruction* const merge = block.GetLoopMergeInst();
      Instruction* const end = merge ? loops.end_of_iteration(block, *merge) : nullptr;
      if (end) ends.push_back(end);
    }
  }
  return ends;
}

}  // namespace shaderqa
