// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/replace_uses.h"

#include "instrument/ir/remove_if.h"
#include "source/opt/instruction.h"

namespace shaderqa {

using spvtools::opt::Instruction;

void replace_uses(spvtools::opt::IRContext& context,
                  const std::unordered_map<uint32_t, uint32_t>& replacements,
                  const std::unordered_set<const Instruction*>& kept) {
  if (replacements.empty()) return;
  for (auto& function : *context.module()) {
    function.ForEachInst([&](Instruction* instruction) {
      if (kept.contains(instruction)) return;
      instruction->ForEachInId([&](uint32_t* id) {
        // No chain is longer than the map, whatever a malformed module does.
        auto found = replacements.find(*id);
        for (size_t step = 0; found != replacements.end() && step < replacements.size(); ++step) {
          *id = found->second;
          found = replacements.find(*id);
        }
      });
    });
  }
}

void remove_names(spvtools::opt::IRContext& context, const std::unordered_map<uint32_t, uint32_t>& removed) {
  if (removed.empty()) return;
  const auto remove_from = [&](auto range) {
    remove_instructions_if(range, [&](const Instruction& instruction) {
      const auto op = instruction.opcode();
      const bool targets_one = op == spv::Op::OpName || op == spv::Op::OpDecorate ||
                               op == spv::Op::OpDecorateId || op == spv::Op::OpDecorateString;
      return targets_one && removed.contains(instruction.GetSingleWordInOperand(0));
    });
  };
  remove_from(context.module()->debugs2());
  remove_from(context.module()->annotations());
}

}  // namespace shaderqa
