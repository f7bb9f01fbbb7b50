// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/entry_code.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "instrument/ir/block_start.h"
#include "instrument/passes/invocation_ends.h"

namespace shaderqa {

using spvtools::opt::BasicBlock;
using spvtools::opt::DebugScope;
using spvtools::opt::Function;
using spvtools::opt::Instruction;
using spvtools::opt::Operand;

namespace {

void replace_id(Instruction& instruction, uint32_t old_id, uint32_t new_id) {
  instruction.ForEachInId([&](uint32_t* id) {
    if (*id == old_id) *id = new_id;
  });
}

// What drivers make of it in other stages is not known.
bool can_call_code(const ModuleEditor& module, Stage stage) {
  return (stage == Stage::compute || stage == Stage::fragment || stage == Stage::vertex) &&
         !has_interlocks(module.view());
}

}  // namespace

void append(ModuleEditor& module, BasicBlock& block, spv::Op op, uint32_t type, uint32_t result,
            std::initializer_list<uint32_t> ids) {
  std::vector<Operand> operands;
  for (const uint32_t id : ids) operands.emplace_back(SPV_OPERAND_TYPE_ID, Operand::OperandData{id});
  block.AddInstruction(std::make_unique<Instruction>(&module.context(), op, type, result, operands));
}

void become_callee(ModuleEditor& module, Function& entry, std::string_view name) {
  const uint32_t old_id = entry.result_id(), id = module.take_id();
  entry.DefInst().SetResultId(id);
  // An entry point's function control does not apply to a function that is called.
  entry.DefInst().SetInOperand(0, {0});
  // Debug information tells which function is which.
  entry.ForEachInst([&](Instruction* i) { replace_id(*i, old_id, id); });
  for (Instruction& i : module.context().module()->ext_inst_debuginfo()) replace_id(i, old_id, id);
  module.add_name(id, name);
}

std::unique_ptr<Function> new_entry(ModuleEditor& module, uint32_t id, const Function& code) {
  const std::vector<Operand> type{{SPV_OPERAND_TYPE_FUNCTION_CONTROL, {0}},
                                  {SPV_OPERAND_TYPE_ID, {code.DefInst().GetSingleWordInOperand(1)}}};
  auto entry = std::make_unique<Function>(
      std::make_unique<Instruction>(&module.context(), spv::Op::OpFunction, module.void_type(), id, type));
  entry->SetFunctionEnd(std::make_unique<Instruction>(&module.context(), spv::Op::OpFunctionEnd));
  return entry;
}

std::unique_ptr<BasicBlock> new_block(ModuleEditor& module, uint32_t label) {
  return std::make_unique<BasicBlock>(
      std::make_unique<Instruction>(&module.context(), spv::Op::OpLabel, 0, label, std::vector<Operand>()));
}

bool has_interlocks(const ModuleView& view) {
  using spv::Capability;
  return view.has_capability(Capability::FragmentShaderSampleInterlockEXT) ||
         view.has_capability(Capability::FragmentShaderPixelInterlockEXT) ||
         view.has_capability(Capability::FragmentShaderShadingRateInterlockEXT);
}

void move_begin(Function& from, BasicBlock& to, Instruction* first, const Instruction* last) {
  Instruction* next = first ? first : start_of(*from.begin());
  for (const Instruction* moved = nullptr; next && moved != last;) {
    Instruction* instruction = std::exchange(next, next->NextNode());
    moved = instruction;
    instruction->RemoveFromList();
    // The scope of the function that it leaves.
    instruction->SetDebugScope(DebugScope(kNoDebugScope, kNoInlinedAt));
    instruction->ClearDbgLineInsts();
    to.AddInstruction(std::unique_ptr<Instruction>(instruction));
  }
}

bool can_join_ends(const InstrumentOptions& options, const ModuleEditor& module, Stage stage) {
  const bool has_versions = options.trace || options.picture.kind != PictureKind::none;
  return !has_versions && can_call_code(module, stage);
}

std::vector<Instruction*> join_ends(const InstrumentOptions& options, ModuleEditor& module,
                                    const EntryPoint& entry_point, const Instruction* last) {
  std::vector<Instruction*> ends = invocation_ends(module.context(), entry_point.function);
  const auto returns = std::ranges::count(ends, spv::Op::OpReturn, &Instruction::opcode);
  if (returns <= 1 || !can_join_ends(options, module, entry_point.stage)) return ends;
  call_code(module, entry_point, last);
  return invocation_ends(module.context(), entry_point.function);
}

Instruction* call_code(ModuleEditor& module, const EntryPoint& entry_point, const Instruction* last) {
  Function* const code = function_with(module.context(), entry_point.function);
  become_callee(module, *code, entry_point.name + "_code");
  auto entry = new_entry(module, entry_point.function, *code);
  auto block = new_block(module, module.take_id());
  if (last) move_begin(*code, *block, nullptr, last);
  append(module, *block, spv::Op::OpFunctionCall, module.void_type(), module.take_id(), {code->result_id()});
  append(module, *block, spv::Op::OpReturn, 0, 0, {});
  Instruction* const end = &*block->tail();
  entry->AddBasicBlock(std::move(block));
  module.context().module()->AddFunction(std::move(entry));
  return end;
}

}  // namespace shaderqa
