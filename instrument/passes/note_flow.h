// SPDX-License-Identifier: Apache-2.0
// Which places of a function have anything to check: where something that was noted (check_queue.h) may
// arrive without having passed another place.
#ifndef SHADERQA_INSTRUMENT_PASSES_NOTE_FLOW_H
#define SHADERQA_INSTRUMENT_PASSES_NOTE_FLOW_H

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "source/opt/function.h"
#include "source/opt/instruction.h"

namespace shaderqa {

class NoteFlow {
 public:
  using Instruction = spvtools::opt::Instruction;
  using Predicate = std::function<bool(const Instruction&)>;
  // notes: whether something may be noted there. separates: whether what was noted must be checked before it.
  NoteFlow(spvtools::opt::Function& function, Predicate notes, Predicate separates);

  // Places at the begins of these blocks, where everything is checked.
  void set_places_at_begins(std::unordered_set<uint32_t> labels) { begins_ = std::move(labels); }
  // The instructions that need a place in front of them. noted_before: something may have been noted before
  // the function was called.
  std::vector<Instruction*> places(bool noted_before) const;
  // Whether control may come from this block back to it. Only blocks of `within` count.
  bool repeats(uint32_t label, const std::unordered_set<uint32_t>& within) const {
    return returns_to(label, within, true);
  }
  // The same without passing a place.
  bool can_repeat(uint32_t label, const std::unordered_set<uint32_t>& within) const {
    return !has_place(label) && returns_to(label, within, false);
  }

 private:
  // Where control may go, in view of conditions that are constant.
  void for_each_successor(const spvtools::opt::BasicBlock& block,
                          const std::function<void(uint32_t label)>& visit) const;
  // Whether something may be noted behind the block, if something was before it. `places` gets those in it.
  bool pass(spvtools::opt::BasicBlock& block, bool noted, std::vector<Instruction*>* places) const;
  bool has_place(uint32_t label) const;
  bool returns_to(uint32_t label, const std::unordered_set<uint32_t>& within, bool past_places) const;

  spvtools::opt::Function& function_;
  Predicate notes_, separates_;
  std::unordered_set<uint32_t> begins_;
  std::unordered_map<uint32_t, bool> bools_;  // constants
  std::unordered_map<uint32_t, spvtools::opt::BasicBlock*> blocks_;
};

}  // namespace shaderqa
#endif
