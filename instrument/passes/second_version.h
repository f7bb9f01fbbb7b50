// SPDX-License-Identifier: Apache-2.0
// Gives an entry point its code twice: as it is, and as a copy that lacks some of what passes have added. A
// branch at the start of the entry point takes one of the two.
#ifndef SHADERQA_INSTRUMENT_PASSES_SECOND_VERSION_H
#define SHADERQA_INSTRUMENT_PASSES_SECOND_VERSION_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "instrument/ir/decorations.h"
#include "instrument/ir/module_editor.h"
#include "source/opt/function.h"
#include "source/opt/instruction.h"

namespace shaderqa {

class SecondVersion {
 public:
  using BasicBlock = spvtools::opt::BasicBlock;
  using Function = spvtools::opt::Function;
  using Instruction = spvtools::opt::Instruction;

  struct Plan {
    // Whether the copy lacks the instruction. It also lacks what uses the result of such an instruction.
    std::function<bool(const Instruction&)> leaves_out;
    // What the copy has instead of an instruction, by its result id.
    std::unordered_map<uint32_t, std::unique_ptr<Instruction>> replacements;
    // The instructions from `first` to `last` move to the new start of the entry point. null: from the first
    // one that is no variable.
    Instruction* first = nullptr;
    Instruction* last = nullptr;
    // Appends to the new start what decides; returns a bool: the copy runs.
    std::function<uint32_t(BasicBlock&)> takes_copy;
    std::string suffix, suffix_of_copy;  // of the names of functions
  };

  SecondVersion(ModuleEditor& module, const Decorations& decorations, const EntryPoint& entry_point)
      : module_(module), decorations_(decorations), entry_point_(entry_point) {}

  // Called after all passes, whose result it copies. False: nothing would be gained, or there would be too
  // much code or too many ids; then nothing changes.
  bool make(Plan plan);
  // What was copied, the entry point's former function among it. Valid after make().
  const std::vector<Function*>& originals() const { return functions_; }

 private:
  std::vector<Function*> functions_to_copy() const;
  bool is_small() const;
  // Finds what the copy of a function does not need.
  void leave_out_of(Function& function);
  const Instruction& in_copy(const Instruction& instruction) const;
  void give_ids(Function& function);
  std::unique_ptr<Instruction> copy_of(const Instruction& instruction);
  std::unique_ptr<Function> copy_of(Function& function);
  void copy_decorations();
  // Makes the new entry point; the code of the old one has moved to `original`.
  std::unique_ptr<Function> make_entry(Function& original, uint32_t copy);

  ModuleEditor& module_;
  const Decorations& decorations_;
  const EntryPoint& entry_point_;
  Plan plan_;
  std::vector<Function*> functions_;
  std::unordered_set<const Instruction*> left_out_;
  std::unordered_map<uint32_t, uint32_t> ids_;  // ids in the copies, by id in the original
};

}  // namespace shaderqa
#endif
