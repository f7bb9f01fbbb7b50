// SPDX-License-Identifier: Apache-2.0
// The code of an entry point as a function of its own, which the entry point calls. So something can stand
// once behind it, however often it returns, or the entry point can choose between versions of it.
#ifndef SHADERQA_INSTRUMENT_PASSES_ENTRY_CODE_H
#define SHADERQA_INSTRUMENT_PASSES_ENTRY_CODE_H

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "instrument/instrument.h"
#include "instrument/ir/module_editor.h"
#include "source/opt/function.h"
#include "source/opt/instruction.h"

namespace shaderqa {

// Adds an instruction whose operands are ids at the end of a block.
void append(ModuleEditor& module, spvtools::opt::BasicBlock& block, spv::Op op, uint32_t type,
            uint32_t result, std::initializer_list<uint32_t> ids);

// Gives the function of the entry point another id, and a name. The module then needs a new function with the
// old id.
void become_callee(ModuleEditor& module, spvtools::opt::Function& entry, std::string_view name);

// A function with the id of the entry point, of the type of `code`. It has no blocks yet.
std::unique_ptr<spvtools::opt::Function> new_entry(ModuleEditor& module, uint32_t id,
                                                   const spvtools::opt::Function& code);
std::unique_ptr<spvtools::opt::BasicBlock> new_block(ModuleEditor& module, uint32_t label);

// An interlock must be in the entry point, outside of branches.
bool has_interlocks(const ModuleView& view);

// Moves the instructions from `first` (null: from the first one that is no variable) to `last` of a
// function's first block to the end of a block.
void move_begin(spvtools::opt::Function& from, spvtools::opt::BasicBlock& to,
                spvtools::opt::Instruction* first, const spvtools::opt::Instruction* last);

// Makes a new entry point that calls the code of the present one. Returns its last instruction, OpReturn.
// last: what comes up to this one at the start stays in the entry point; null: nothing does.
spvtools::opt::Instruction* call_code(ModuleEditor& module, const EntryPoint& entry_point,
                                      const spvtools::opt::Instruction* last = nullptr);
// Whether that may be done, with something behind the call. Programs return early in front of barriers.
// Invocations that only return from a function were seen to keep no others waiting there, either: on
// lavapipe, which executes a vector of invocations at once (tests/e2e/early_returns_test.cpp), and on an H200
// with driver 580 (`returns` of bench/pipeline_bench.cpp). Other GPUs were not tried.
bool can_join_ends(const InstrumentOptions& options, const ModuleEditor& module, Stage stage);
// The ends of invocations (invocation_ends.h). Where there would be several returns, and it may be, the code
// of the entry point is called first.
std::vector<spvtools::opt::Instruction*> join_ends(const InstrumentOptions& options, ModuleEditor& module,
                                                   const EntryPoint& entry_point,
                                                   const spvtools::opt::Instruction* last);

}  // namespace shaderqa
#endif
