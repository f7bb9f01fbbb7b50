// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/joined_paths.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "source/opt/module.h"

namespace shaderqa {
namespace {

// Longer selections are not looked at: values would live too long.
constexpr size_t most_blocks = 32;

}  // namespace

JoinedPaths::JoinedPaths(spvtools::opt::IRContext& context, Predicate separates)
    : context_(context), separates_(std::move(separates)) {
  for (const auto& function : *context.module())
    for (const BasicBlock& block : function) ends_.emplace(&*block.ctail(), &block);
}

const spvtools::opt::BasicBlock* JoinedPaths::behind(const Instruction& end) const {
  const auto found = ends_.find(&end);
  if (found == ends_.end()) return nullptr;
  const BasicBlock& block = *found->second;
  if (end.opcode() == spv::Op::OpBranch) {
    const uint32_t label = end.GetSingleWordInOperand(0);
    return comes_only_from(label, {block.id()}) ? context_.cfg()->block(label) : nullptr;
  }
  const Instruction* const merge = block.GetMergeInst();
  if (!merge || merge->opcode() != spv::Op::OpSelectionMerge) return nullptr;
  return behind_selection(block, merge->GetSingleWordInOperand(0));
}

const spvtools::opt::BasicBlock* JoinedPaths::behind_selection(const BasicBlock& header,
                                                               uint32_t merge) const {
  std::unordered_set<uint32_t> known{header.id(), merge};
  std::vector<uint32_t> next;
  header.ForEachSuccessorLabel([&](const uint32_t label) { next.push_back(label); });
  while (!next.empty()) {
    const uint32_t label = next.back();
    next.pop_back();
    if (!known.insert(label).second) continue;
    if (known.size() > most_blocks || !pass(*context_.cfg()->block(label), next)) return nullptr;
  }
  // A branch to a block of the construct around the selection leads to one that others lead to as well, or
  // out of the function.
  known.erase(merge);
  const bool closed = std::ranges::all_of(
      known, [&](uint32_t label) { return label == header.id() || comes_only_from(label, known); });
  return closed && comes_only_from(merge, known) ? context_.cfg()->block(merge) : nullptr;
}

bool JoinedPaths::pass(const BasicBlock& block, std::vector<uint32_t>& successors) const {
  for (const Instruction& instruction : block) {
    switch (instruction.opcode()) {
      case spv::Op::OpSelectionMerge:
      case spv::Op::OpBranch:
      case spv::Op::OpBranchConditional:
      case spv::Op::OpSwitch:
        continue;
      case spv::Op::OpLoopMerge:
        return false;
      default:
        if (separates_(instruction)) return false;
    }
  }
  block.ForEachSuccessorLabel([&](const uint32_t label) { successors.push_back(label); });
  return true;
}

bool JoinedPaths::comes_only_from(uint32_t label, const std::unordered_set<uint32_t>& blocks) const {
  const std::vector<uint32_t>& before = context_.cfg()->preds(label);
  return !before.empty() && std::ranges::all_of(before, [&](uint32_t one) { return blocks.contains(one); });
}

}  // namespace shaderqa
