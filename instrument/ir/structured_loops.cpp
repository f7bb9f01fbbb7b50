// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/structured_loops.h"

#include <cstddef>

namespace shaderqa {

using spvtools::opt::BasicBlock;

std::unordered_map<uint32_t, const BasicBlock*> blocks_by_label(const spvtools::opt::Function& function) {
  std::unordered_map<uint32_t, const BasicBlock*> blocks;
  for (const BasicBlock& block : function) blocks.emplace(block.id(), &block);
  return blocks;
}

// Structured control flow leaves a loop only through its merge block, or by ending the invocation.
std::vector<uint32_t> blocks_of_loop(uint32_t header, uint32_t merge,
                                     const std::function<const BasicBlock*(uint32_t label)>& find) {
  std::vector<uint32_t> reached{header};
  std::unordered_set<uint32_t> known{header, merge};
  for (size_t i = 0; i < reached.size(); ++i)
    find(reached[i])->ForEachSuccessorLabel([&](const uint32_t label) {
      if (find(label) && known.insert(label).second) reached.push_back(label);
    });
  return reached;
}

std::unordered_set<const spvtools::opt::Instruction*> instructions_outside_loops(
    spvtools::opt::Function& function) {
  const auto blocks = blocks_by_label(function);
  const auto find = [&](uint32_t label) -> const BasicBlock* {
    const auto found = blocks.find(label);
    return found == blocks.end() ? nullptr : found->second;
  };
  std::unordered_set<uint32_t> inside;
  for (const auto& block : function)
    for (const auto& instruction : block)
      if (instruction.opcode() == spv::Op::OpLoopMerge)
        for (const uint32_t label : blocks_of_loop(block.id(), instruction.GetSingleWordInOperand(0), find))
          inside.insert(label);
  std::unordered_set<const spvtools::opt::Instruction*> outside;
  for (const auto& block : function) {
    if (inside.contains(block.id())) continue;
    for (const auto& instruction : block) outside.insert(&instruction);
  }
  return outside;
}

}  // namespace shaderqa
