// SPDX-License-Identifier: Apache-2.0
// The blocks of a module's functions, read from its words: which follow which, which dominate which, and
// which conditions hold in them. It needs no IR, which earlier passes may have changed.
#ifndef SHADERQA_INSTRUMENT_IR_CONTROL_FLOW_H
#define SHADERQA_INSTRUMENT_IR_CONTROL_FLOW_H

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "instrument/ir/module_view.h"

namespace shaderqa {

class ControlFlow {
 public:
  explicit ControlFlow(const ModuleView& module);

  struct Block {
    uint32_t function = 0;                           // id
    InstructionView end;                             // its last instruction
    uint32_t loop_merge = 0;                         // label of the merge block, if it is a loop's header
    std::vector<uint32_t> predecessors, successors;  // labels
    uint32_t dominator = 0;  // label of the immediate one; 0: it is the first block, or cannot be reached
    uint32_t order = 0;      // in reverse postorder, from 1; 0: it cannot be reached
  };

  // The label of the block that an instruction stands in; 0: in none.
  uint32_t block_of(uint32_t offset) const;
  const Block& block(uint32_t label) const { return blocks_.at(label); }
  // Both are labels of blocks of one function; false if one of them cannot be reached.
  bool dominates(uint32_t a, uint32_t b) const;
  // The header of the innermost loop around a block (its own, if it is a header); 0: there is none.
  uint32_t loop_of(uint32_t label) const;
  bool is_in_loop(uint32_t label, uint32_t header) const;
  // The block that goes back to a loop's header; 0: there is none, or there are several.
  uint32_t back_edge_of(uint32_t header) const;

  // A condition that is true (or false) wherever a block is executed.
  struct Condition {
    uint32_t id = 0;  // a boolean
    bool holds = true;
    uint32_t branch = 0;  // the block that branches on it
  };
  std::vector<Condition> conditions_of(uint32_t label) const;

 private:
  void enter(InstructionView i, uint32_t offset);
  void connect();
  void find_dominators(uint32_t first);
  // Blocks that can be reached from the first one of a function.
  std::vector<uint32_t> reverse_postorder(uint32_t first) const;

  uint32_t function_ = 0, label_ = 0;
  std::unordered_map<uint32_t, Block> blocks_;
  std::map<uint32_t, uint32_t> labels_;  // by offset
  std::vector<uint32_t> first_;          // labels of the functions' first blocks
};

}  // namespace shaderqa
#endif
