// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/outside_loops.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "source/opt/basic_block.h"

namespace shaderqa {
namespace {

using Blocks = std::unordered_map<uint32_t, spvtools::opt::BasicBlock*>;

// Structured control flow leaves a loop only through its merge block, or by ending the invocation.
void add_loop(const Blocks& blocks, uint32_t header, uint32_t merge, std::unordered_set<uint32_t>& inside) {
  std::vector<uint32_t> reached{header};
  std::unordered_set<uint32_t> known{header, merge};
  for (size_t i = 0; i < reached.size(); ++i) {
    inside.insert(reached[i]);
    blocks.at(reached[i])->ForEachSuccessorLabel([&](const uint32_t label) {
      if (blocks.contains(label) && known.insert(label).second) reached.push_back(label);
    });
  }
}

}  // namespace

std::unordered_set<const spvtools::opt::Instruction*> instructions_outside_loops(
    spvtools::opt::Function& function) {
  Blocks blocks;
  for (auto& block : function) blocks.emplace(block.id(), &block);
  std::unordered_set<uint32_t> inside;
  for (auto& block : function)
    for (const auto& instruction : block)
      if (instruction.opcode() == spv::Op::OpLoopMerge)
        add_loop(blocks, block.id(), instruction.GetSingleWordInOperand(0), inside);
  std::unordered_set<const spvtools::opt::Instruction*> outside;
  for (auto& block : function) {
    if (inside.contains(block.id())) continue;
    for (const auto& instruction : block) outside.insert(&instruction);
  }
  return outside;
}

}  // namespace shaderqa
