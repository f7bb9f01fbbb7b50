// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/note_flow.h"

#include <algorithm>
#include <utility>

#include "source/opt/ir_context.h"
#include "source/opt/module.h"

namespace shaderqa {

using spvtools::opt::BasicBlock;

NoteFlow::NoteFlow(spvtools::opt::Function& function, Predicate notes, Predicate separates)
    : function_(function), notes_(std::move(notes)), separates_(std::move(separates)) {
  for (const Instruction& value : function.DefInst().context()->module()->types_values())
    if (value.opcode() == spv::Op::OpConstantTrue || value.opcode() == spv::Op::OpConstantFalse)
      bools_.emplace(value.result_id(), value.opcode() == spv::Op::OpConstantTrue);
  for (BasicBlock& block : function) blocks_.emplace(block.id(), &block);
}

void NoteFlow::for_each_successor(const BasicBlock& block, const std::function<void(uint32_t)>& visit) const {
  const Instruction& end = *block.ctail();
  const auto known = end.opcode() == spv::Op::OpBranchConditional ? bools_.find(end.GetSingleWordInOperand(0))
                                                                  : bools_.end();
  if (known != bools_.end())
    visit(end.GetSingleWordInOperand(known->second ? 1 : 2));
  else
    block.ForEachSuccessorLabel([&](const uint32_t label) { visit(label); });
}

bool NoteFlow::pass(BasicBlock& block, bool noted, std::vector<Instruction*>* places) const {
  if (begins_.contains(block.id())) noted = false;
  for (Instruction& instruction : block) {
    if (separates_(instruction)) {
      if (noted && places) places->push_back(&instruction);
      noted = false;
    }
    noted = noted || notes_(instruction);
  }
  return noted;
}

std::vector<spvtools::opt::Instruction*> NoteFlow::places(bool noted_before) const {
  std::vector<Instruction*> places;
  if (function_.begin() == function_.end()) return places;
  std::unordered_map<uint32_t, bool> noted;  // at the begin of each block that is reached
  std::vector<uint32_t> next{function_.begin()->id()};
  noted[next.front()] = noted_before;
  while (!next.empty()) {
    const uint32_t label = next.back();
    next.pop_back();
    BasicBlock& block = *blocks_.at(label);
    const bool behind = pass(block, noted[label], nullptr);
    for_each_successor(block, [&](uint32_t successor) {
      const auto [known, is_new] = noted.emplace(successor, behind);
      if (!is_new && (known->second || !behind)) return;
      known->second = behind;
      next.push_back(successor);
    });
  }
  for (BasicBlock& block : function_)
    if (const auto reached = noted.find(block.id()); reached != noted.end())
      pass(block, reached->second, &places);
  return places;
}

// What separates and is not among places() needs none as well: if nothing noted arrives there, there is a
// place in between.
bool NoteFlow::has_place(uint32_t label) const {
  const BasicBlock& block = *blocks_.at(label);
  return begins_.contains(label) ||
         std::any_of(block.begin(), block.end(), [&](const Instruction& i) { return separates_(i); });
}

bool NoteFlow::returns_to(uint32_t label, const std::unordered_set<uint32_t>& within,
                          bool past_places) const {
  std::unordered_set<uint32_t> reached;
  std::vector<uint32_t> next{label};
  while (!next.empty()) {
    const BasicBlock& block = *blocks_.at(next.back());
    next.pop_back();
    for_each_successor(block, [&](uint32_t successor) {
      const bool leads_on = within.contains(successor) && (past_places || !has_place(successor));
      if (leads_on && reached.insert(successor).second) next.push_back(successor);
    });
  }
  return reached.contains(label);
}

}  // namespace shaderqa
