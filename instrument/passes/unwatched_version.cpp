// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/unwatched_version.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_report.h"
#include "source/opt/function.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

using spvtools::opt::BasicBlock;
using spvtools::opt::DebugScope;
using spvtools::opt::Function;
using spvtools::opt::Instruction;
using spvtools::opt::Operand;

// A limit, since compile time grows with the code.
constexpr uint32_t max_words = 50000;
// How many ids of those that SPIRV-Tools' IR can hold are left to others.
constexpr uint32_t spare_ids = 0x10000;

// The bits of the slots in SQA_ACTION_WATCHED. Nothing: some slots have no bit.
std::optional<uint32_t> bits_of(const DescriptorSlots& slots, const IndexValue& element) {
  uint32_t first = slots.slot, count = slots.count;
  if (element.id == 0) {
    // Out of bounds: no check looks at it.
    if (element.constant >= count) return 0;
    first += element.constant;
    count = 1;
  }
  if (first >= SQA_WATCHED_SLOTS || count > SQA_WATCHED_SLOTS - first) return std::nullopt;
  return static_cast<uint32_t>((uint64_t{1} << count) - 1) << first;
}

uint32_t all_bits_of(const DescriptorSlots& slots) {
  uint32_t bits = 0;
  for (uint32_t slot = slots.slot; slot < SQA_WATCHED_SLOTS && slot - slots.slot < slots.count; ++slot)
    bits |= 1u << slot;
  return bits;
}

bool is_debug_information(const Instruction& instruction) {
  return instruction.IsCommonDebugInstr() || instruction.IsShader100DebugInstr();
}

void replace_id(Instruction& instruction, uint32_t old_id, uint32_t new_id) {
  instruction.ForEachInId([&](uint32_t* id) {
    if (*id == old_id) *id = new_id;
  });
}

}  // namespace

bool UnwatchedVersion::is_wanted() const {
  const InstrumentOptions& options = checks_.options();
  return checks_.entry_point().stage == Stage::compute && options.sync.engine == SyncEngine::exact &&
         options.sync.unwatched_version && !options.sync.footprints;
}

void UnwatchedVersion::note(const BufferAccess& access, const DescriptorSlots* slots) {
  if (access.access == SQA_ACCESS_LOAD) return;
  if (slots)
    written_[slots->set] |= all_bits_of(*slots);
  else
    writes_anywhere_ = true;
}

// Memory that the shader itself writes is always watched. If it writes through an address, all memory is.
bool UnwatchedVersion::leave_out(uint32_t call, const BufferAccess& access, const DescriptorSlots* slots) {
  if (!is_wanted() || writes_anywhere_ || access.access != SQA_ACCESS_LOAD || !slots) return false;
  const auto bits = bits_of(*slots, access.place.array_element);
  if (!bits || (*bits & written_[slots->set])) return false;
  calls_.insert(call);
  looked_at_[slots->set] |= *bits;
  return true;
}

void UnwatchedVersion::keep_in_part(uint32_t call, const std::vector<uint32_t>& operands) {
  std::vector<Operand> ids;
  for (const uint32_t id : operands) ids.emplace_back(SPV_OPERAND_TYPE_ID, Operand::OperandData{id});
  replacements_[call] = std::make_unique<Instruction>(&module_.context(), spv::Op::OpFunctionCall,
                                                      module_.void_type(), call, ids);
}

const UnwatchedVersion::Instruction& UnwatchedVersion::in_copy(const Instruction& instruction) const {
  const auto found = replacements_.find(instruction.result_id());
  return found != replacements_.end() ? *found->second : instruction;
}

Function* UnwatchedVersion::entry_function() {
  for (auto& function : *module_.context().module())
    if (function.result_id() == checks_.entry_point().function) return &function;
  return nullptr;
}

// Functions with calls that are left out, and functions that call such functions.
std::vector<Function*> UnwatchedVersion::functions_to_copy() {
  struct Calls {
    Function* function = nullptr;
    std::vector<uint32_t> callees;
    bool copied = false;
  };
  std::vector<Calls> all;
  for (auto& function : *module_.context().module()) {
    Calls& calls = all.emplace_back();
    calls.function = &function;
    function.ForEachInst([&](const Instruction* i) {
      if (i->opcode() != spv::Op::OpFunctionCall) return;
      calls.callees.push_back(i->GetSingleWordInOperand(0));
      calls.copied = calls.copied || calls_.contains(i->result_id());
    });
  }
  std::unordered_set<uint32_t> copied;
  for (size_t known = SIZE_MAX; known != copied.size();) {
    known = copied.size();
    for (Calls& calls : all) {
      calls.copied = calls.copied ||
                     std::ranges::any_of(calls.callees, [&](uint32_t id) { return copied.contains(id); });
      if (calls.copied) copied.insert(calls.function->result_id());
    }
  }
  std::vector<Function*> functions;
  for (const Calls& calls : all)
    if (calls.copied) functions.push_back(calls.function);
  return functions;
}

bool UnwatchedVersion::is_small(const std::vector<Function*>& functions) {
  uint64_t words = 0, ids = 0;
  for (Function* function : functions)
    function->ForEachInst(
        [&](const Instruction* i) {
          words += i->NumOperandWords() + 1;
          ids += 2;  // its own, and that of a debug scope, which is written as an instruction
        },
        true);
  const auto& context = module_.context();
  return words <= max_words && context.module()->id_bound() + ids + spare_ids < context.max_id_bound();
}

void UnwatchedVersion::leave_out_of(Function& function) {
  std::vector<Instruction*> instructions;
  std::unordered_map<uint32_t, uint32_t> uses;
  const auto count = [&](const Instruction& instruction, uint32_t more) {
    in_copy(instruction).ForEachInId([&](const uint32_t* id) { uses[*id] += more; });
  };
  const auto is_left_out = [&](uint32_t id) { return calls_.contains(id) && !replacements_.contains(id); };
  function.ForEachInst([&](Instruction* i) {
    if (is_left_out(i->result_id()) || is_debug_information(*i)) {
      left_out_.insert(i);
    } else {
      instructions.push_back(i);
      count(*i, 1);
    }
  });
  // Removes instructions that the passes have added and that only the removed calls needed.
  const uint32_t first_new_id = module_.view().words()[3];
  for (auto at = instructions.rbegin(); at != instructions.rend(); ++at) {
    Instruction& instruction = **at;
    if (instruction.result_id() < first_new_id || uses[instruction.result_id()] != 0 ||
        !instruction.IsOpcodeSafeToDelete())
      continue;
    left_out_.insert(&instruction);
    count(instruction, UINT32_MAX);
  }
}

void UnwatchedVersion::give_ids(Function& function) {
  function.ForEachInst([&](const Instruction* i) {
    if (i->result_id() != 0 && !left_out_.contains(i)) ids_.emplace(i->result_id(), module_.take_id());
  });
}

std::unique_ptr<Instruction> UnwatchedVersion::copy_of(const Instruction& instruction) {
  std::unique_ptr<Instruction> copy(instruction.Clone(&module_.context()));
  copy->ForEachId([&](uint32_t* id) {
    if (const auto found = ids_.find(*id); found != ids_.end()) *id = found->second;
  });
  return copy;
}

// Does not use Function::Clone, which also copies what follows the function.
std::unique_ptr<Function> UnwatchedVersion::copy_of(Function& function) {
  auto copy = std::make_unique<Function>(copy_of(function.DefInst()));
  function.ForEachParam([&](const Instruction* parameter) { copy->AddParameter(copy_of(*parameter)); });
  for (BasicBlock& block : function) {
    auto own = std::make_unique<BasicBlock>(copy_of(*block.GetLabelInst()));
    for (const Instruction& instruction : block)
      if (!left_out_.contains(&instruction)) own->AddInstruction(copy_of(in_copy(instruction)));
    copy->AddBasicBlock(std::move(own));
  }
  copy->SetFunctionEnd(copy_of(*function.EndInst()));
  return copy;
}

void UnwatchedVersion::copy_decorations() {
  std::vector<std::unique_ptr<Instruction>> copies;
  for (Instruction& annotation : module_.context().module()->annotations()) {
    switch (annotation.opcode()) {
      case spv::Op::OpDecorate:
      case spv::Op::OpDecorateId:
      case spv::Op::OpDecorateString:
        if (ids_.contains(annotation.GetSingleWordInOperand(0))) copies.push_back(copy_of(annotation));
        break;
      case spv::Op::OpGroupDecorate: {
        const uint32_t targets = annotation.NumInOperands();
        for (uint32_t i = 1; i < targets; ++i) {
          const auto found = ids_.find(annotation.GetSingleWordInOperand(i));
          if (found != ids_.end()) annotation.AddOperand(Operand(SPV_OPERAND_TYPE_ID, {found->second}));
        }
        break;
      }
      default:
        break;
    }
  }
  for (auto& copy : copies) module_.context().module()->AddAnnotationInst(std::move(copy));
}

void UnwatchedVersion::append(BasicBlock& block, spv::Op op, uint32_t type, uint32_t result,
                              std::initializer_list<uint32_t> ids) {
  std::vector<Operand> operands;
  for (const uint32_t id : ids) operands.emplace_back(SPV_OPERAND_TYPE_ID, Operand::OperandData{id});
  block.AddInstruction(std::make_unique<Instruction>(&module_.context(), op, type, result, operands));
}

void UnwatchedVersion::move_begin(Function& from, BasicBlock& to) {
  BasicBlock& block = *from.begin();
  Instruction* next = &*block.begin();
  for (Instruction& instruction : block)
    if (instruction.opcode() == spv::Op::OpVariable) next = instruction.NextNode();
  for (const Instruction* moved = nullptr; next && moved != begin_;) {
    Instruction* instruction = std::exchange(next, next->NextNode());
    moved = instruction;
    instruction->RemoveFromList();
    // The scope of the function that it leaves.
    instruction->SetDebugScope(DebugScope(kNoDebugScope, kNoInlinedAt));
    instruction->ClearDbgLineInsts();
    to.AddInstruction(std::unique_ptr<Instruction>(instruction));
  }
}

uint32_t UnwatchedVersion::is_unwatched(BasicBlock& block) {
  const uint32_t bool_type = module_.bool_type();
  const uint32_t function = checks_.runtime().function("sqa_reads_unwatched");
  uint32_t all = 0;
  for (uint32_t set = 0; set < SQA_MAX_SETS; ++set) {
    if (looked_at_[set] == 0) continue;
    const uint32_t set_constant = module_.constant(set);
    const uint32_t slots = module_.constant(looked_at_[set]);
    const uint32_t unwatched = module_.take_id();
    append(block, spv::Op::OpFunctionCall, bool_type, unwatched, {function, set_constant, slots});
    if (all == 0) {
      all = unwatched;
      continue;
    }
    const uint32_t both = module_.take_id();
    append(block, spv::Op::OpLogicalAnd, bool_type, both, {all, unwatched});
    all = both;
  }
  return all;
}

std::unique_ptr<Function> UnwatchedVersion::make_entry(Function& watched, uint32_t unwatched) {
  auto& context = module_.context();
  const uint32_t void_type = module_.void_type();
  const auto block = [&](uint32_t label) {
    return std::make_unique<BasicBlock>(
        std::make_unique<Instruction>(&context, spv::Op::OpLabel, 0, label, std::vector<Operand>()));
  };
  const uint32_t light = module_.take_id(), full = module_.take_id(), merge = module_.take_id();
  auto start = block(module_.take_id());
  move_begin(watched, *start);
  const uint32_t condition = is_unwatched(*start);
  start->AddInstruction(std::make_unique<Instruction>(
      &context, spv::Op::OpSelectionMerge, 0, 0,
      std::vector<Operand>{{SPV_OPERAND_TYPE_ID, {merge}}, {SPV_OPERAND_TYPE_SELECTION_CONTROL, {0}}}));
  append(*start, spv::Op::OpBranchConditional, 0, 0, {condition, light, full});

  const std::vector<Operand> type{{SPV_OPERAND_TYPE_FUNCTION_CONTROL, {0}},
                                  {SPV_OPERAND_TYPE_ID, {watched.DefInst().GetSingleWordInOperand(1)}}};
  auto entry = std::make_unique<Function>(std::make_unique<Instruction>(
      &context, spv::Op::OpFunction, void_type, checks_.entry_point().function, type));
  entry->AddBasicBlock(std::move(start));
  for (const auto& [label, version] : {std::pair(light, unwatched), std::pair(full, watched.result_id())}) {
    auto side = block(label);
    append(*side, spv::Op::OpFunctionCall, void_type, module_.take_id(), {version});
    append(*side, spv::Op::OpBranch, 0, 0, {merge});
    entry->AddBasicBlock(std::move(side));
  }
  auto end = block(merge);
  append(*end, spv::Op::OpReturn, 0, 0, {});
  entry->AddBasicBlock(std::move(end));
  entry->SetFunctionEnd(std::make_unique<Instruction>(&context, spv::Op::OpFunctionEnd));
  return entry;
}

void UnwatchedVersion::make() {
  if (!begin_ || calls_.empty()) return;
  const std::vector<Function*> functions = functions_to_copy();
  Function* entry = entry_function();
  if (std::ranges::find(functions, entry) == functions.end() || !is_small(functions)) return;
  spvtools::opt::Module& module = *module_.context().module();
  const uint32_t old_id = entry->result_id(), watched = module_.take_id();
  entry->DefInst().SetResultId(watched);
  entry->DefInst().SetInOperand(
      0, {0});  // an entry point's function control does not apply to a function that is called
  // Debug information tells which function is which.
  entry->ForEachInst([&](Instruction* i) { replace_id(*i, old_id, watched); });
  for (Instruction& i : module.ext_inst_debuginfo()) replace_id(i, old_id, watched);
  // Done before anything is copied, since it moves what begins the check.
  const uint32_t unwatched = module_.take_id();
  std::unique_ptr<Function> start = make_entry(*entry, unwatched);
  ids_.emplace(watched, unwatched);
  for (Function* function : functions) leave_out_of(*function);
  for (Function* function : functions) give_ids(*function);
  std::vector<std::unique_ptr<Function>> copies;
  for (Function* function : functions) {
    const std::string name =
        function == entry ? checks_.entry_point().name : checks_.decorations().name(function->result_id());
    if (function == entry) module_.add_name(watched, name + "_watched");
    if (!name.empty()) module_.add_name(ids_.at(function->result_id()), name + "_unwatched");
    copies.push_back(copy_of(*function));
  }
  copy_decorations();
  module.AddFunction(std::move(start));
  for (auto& copy : copies) module.AddFunction(std::move(copy));
}

}  // namespace shaderqa
