// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_INSTRUMENT_IR_JOINED_PATHS_H
#define SHADERQA_INSTRUMENT_IR_JOINED_PATHS_H

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "source/opt/basic_block.h"
#include "source/opt/instruction.h"
#include "source/opt/ir_context.h"

namespace shaderqa {

// Where the paths behind a block are one again: code there is executed exactly as often as code in the block,
// and behind it. Blocks may get more instructions meanwhile, and functions no other blocks.
class JoinedPaths {
 public:
  using Instruction = spvtools::opt::Instruction;
  using BasicBlock = spvtools::opt::BasicBlock;
  using Predicate = std::function<bool(const Instruction&)>;

  // separates: instructions, other than the ends of blocks, that must not be in between.
  JoinedPaths(spvtools::opt::IRContext& context, Predicate separates);

  // The block that control comes to next, on all paths, behind this end of a block: that which alone follows
  // it, or the merge block of its selection, if that has neither loops nor other ways out. Null: there is
  // none.
  const BasicBlock* behind(const Instruction& end) const;

 private:
  const BasicBlock* behind_selection(const BasicBlock& header, uint32_t merge) const;
  // Appends the blocks behind this one. False: the invocation may end there, or something separates.
  bool pass(const BasicBlock& block, std::vector<uint32_t>& successors) const;
  bool comes_only_from(uint32_t label, const std::unordered_set<uint32_t>& blocks) const;

  spvtools::opt::IRContext& context_;
  Predicate separates_;
  std::unordered_map<const Instruction*, const BasicBlock*> ends_;  // blocks by their last instruction
};

}  // namespace shaderqa
#endif
