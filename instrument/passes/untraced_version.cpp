// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/untraced_version.h"

#include <utility>

#include "instrument/ir/loop_hints.h"
#include "instrument/passes/entry_code.h"
#include "instrument/passes/second_version.h"

namespace shaderqa {

void make_untraced_version(const TraceAdditions& additions, ModuleEditor& module,
                           const Decorations& decorations, const EntryPoint& entry_point) {
  using spvtools::opt::Instruction;
  if (additions.traced == 0) return;
  SecondVersion::Plan plan;
  plan.leaves_out = [&](const Instruction& instruction) {
    return instruction.result_id() >= additions.first_id && instruction.result_id() < additions.end_id;
  };
  plan.first = additions.first;
  plan.last = additions.last;
  plan.takes_copy = [&](spvtools::opt::BasicBlock& block) {
    const uint32_t bool_type = module.bool_type(), untraced = module.take_id();
    append(module, block, spv::Op::OpLogicalNot, bool_type, untraced, {additions.traced});
    return untraced;
  };
  plan.suffix = "_traced";
  plan.suffix_of_copy = "_untraced";
  SecondVersion versions(module, decorations, entry_point);
  if (!versions.make(std::move(plan))) return;
  for (spvtools::opt::Function* function : versions.originals())
    function->ForEachInst([](Instruction* instruction) {
      if (instruction->opcode() == spv::Op::OpLoopMerge) remove_unroll_hint(*instruction);
    });
}

}  // namespace shaderqa
