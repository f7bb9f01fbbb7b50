// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/second_version.h"

#include <algorithm>
#include <utility>

#include "NonSemanticShaderDebugInfo100.h"
#include "instrument/ir/block_start.h"
#include "instrument/passes/check_copies.h"
#include "instrument/passes/entry_code.h"

namespace shaderqa {
namespace {

using spvtools::opt::BasicBlock;
using spvtools::opt::Function;
using spvtools::opt::Instruction;
using spvtools::opt::Operand;

// A limit, since compile time grows with the code that drivers make of it by unrolling loops as they are
// asked to: a matrix product with 8 x 8 x 8 unrolled iterations (`tiles8` of bench/pipeline_bench.cpp) took
// an H200's driver 27 s with two versions and 4.5 with one.
constexpr uint64_t max_words = 50000;
// How many ids of those that SPIRV-Tools' IR can hold are left to others.
constexpr uint32_t spare_ids = 0x10000;

}  // namespace

const Instruction& SecondVersion::in_copy(const Instruction& instruction) const {
  const auto found = plan_.replacements.find(instruction.result_id());
  return found != plan_.replacements.end() ? *found->second : instruction;
}

// Functions with instructions that are left out, and functions that call such functions.
std::vector<Function*> SecondVersion::functions_to_copy() const {
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
      calls.copied = calls.copied || plan_.leaves_out(*i);
      if (i->opcode() == spv::Op::OpFunctionCall) calls.callees.push_back(i->GetSingleWordInOperand(0));
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

bool SecondVersion::is_small() const {
  auto& context = module_.context();
  CheckCopies unrolled(*context.module(), module_.view(), CheckCopies::Unrolling::whole);
  uint64_t ids = 0;
  for (Function* function : functions_)
    function->ForEachInst(
        [&](const Instruction* i) {
          unrolled.add(*i, i->NumOperandWords() + 1);
          ids += 2;  // its own, and that of a debug scope, which is written as an instruction
        },
        true);
  const bool has_ids = context.module()->id_bound() + ids + spare_ids < context.max_id_bound();
  return has_ids && unrolled.estimate(entry_point_.function) <= max_words;
}

void SecondVersion::leave_out_of(Function& function) {
  std::vector<Instruction*> instructions;
  std::unordered_map<uint32_t, uint32_t> uses;
  const auto count = [&](const Instruction& instruction, uint32_t more) {
    in_copy(instruction).ForEachInId([&](const uint32_t* id) { uses[*id] += more; });
  };
  std::unordered_set<uint32_t> gone;
  const auto debug_sets = module_.view().shader_debug_sets();
  // But for lines. Those of the version that SPIRV-Tools knows are parts of other instructions.
  const auto is_debug_information = [&](const Instruction& instruction) {
    if (instruction.IsCommonDebugInstr()) return true;
    if (instruction.opcode() != spv::Op::OpExtInst) return false;
    const uint32_t number = instruction.GetSingleWordInOperand(1);
    return number != NonSemanticShaderDebugInfo100DebugLine &&
           number != NonSemanticShaderDebugInfo100DebugNoLine &&
           std::ranges::find(debug_sets, instruction.GetSingleWordInOperand(0)) != debug_sets.end();
  };
  const auto is_left_out = [&](const Instruction& instruction) {
    if (plan_.leaves_out(instruction)) return !plan_.replacements.contains(instruction.result_id());
    return !instruction.WhileEachInId([&](const uint32_t* id) { return !gone.contains(*id); });
  };
  function.ForEachInst([&](Instruction* i) {
    if (is_debug_information(*i)) {
      left_out_.insert(i);
    } else if (is_left_out(*i)) {
      left_out_.insert(i);
      if (i->result_id() != 0) gone.insert(i->result_id());
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

void SecondVersion::give_ids(Function& function) {
  function.ForEachInst([&](const Instruction* i) {
    if (i->result_id() != 0 && !left_out_.contains(i)) ids_.emplace(i->result_id(), module_.take_id());
  });
}

std::unique_ptr<Instruction> SecondVersion::copy_of(const Instruction& instruction) {
  std::unique_ptr<Instruction> copy(instruction.Clone(&module_.context()));
  copy->ForEachId([&](uint32_t* id) {
    if (const auto found = ids_.find(*id); found != ids_.end()) *id = found->second;
  });
  return copy;
}

// Does not use Function::Clone, which also copies what follows the function.
std::unique_ptr<Function> SecondVersion::copy_of(Function& function) {
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

void SecondVersion::copy_decorations() {
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

std::unique_ptr<Function> SecondVersion::make_entry(Function& original, uint32_t copy) {
  const uint32_t void_type = module_.void_type();
  const uint32_t light = module_.take_id(), full = module_.take_id(), merge = module_.take_id();
  auto start = new_block(module_, module_.take_id());
  move_begin(original, *start, plan_.first, plan_.last);
  const uint32_t condition = plan_.takes_copy(*start);
  start->AddInstruction(std::make_unique<Instruction>(
      &module_.context(), spv::Op::OpSelectionMerge, 0, 0,
      std::vector<Operand>{{SPV_OPERAND_TYPE_ID, {merge}}, {SPV_OPERAND_TYPE_SELECTION_CONTROL, {0}}}));
  append(module_, *start, spv::Op::OpBranchConditional, 0, 0, {condition, light, full});

  auto entry = new_entry(module_, entry_point_.function, original);
  entry->AddBasicBlock(std::move(start));
  for (const auto& [label, version] : {std::pair(light, copy), std::pair(full, original.result_id())}) {
    auto side = new_block(module_, label);
    append(module_, *side, spv::Op::OpFunctionCall, void_type, module_.take_id(), {version});
    append(module_, *side, spv::Op::OpBranch, 0, 0, {merge});
    entry->AddBasicBlock(std::move(side));
  }
  auto end = new_block(module_, merge);
  append(module_, *end, spv::Op::OpReturn, 0, 0, {});
  entry->AddBasicBlock(std::move(end));
  return entry;
}

bool SecondVersion::make(Plan plan) {
  plan_ = std::move(plan);
  functions_ = functions_to_copy();
  Function* entry = function_with(module_.context(), entry_point_.function);
  if (std::ranges::find(functions_, entry) == functions_.end() || !is_small()) return false;
  spvtools::opt::Module& module = *module_.context().module();
  become_callee(module_, *entry, entry_point_.name + plan_.suffix);
  // Done before anything is copied, since it moves what begins the check.
  const uint32_t copy = module_.take_id();
  std::unique_ptr<Function> start = make_entry(*entry, copy);
  ids_.emplace(entry->result_id(), copy);
  for (Function* function : functions_) leave_out_of(*function);
  for (Function* function : functions_) give_ids(*function);
  std::vector<std::unique_ptr<Function>> copies;
  for (Function* function : functions_) {
    const std::string name = function == entry ? entry_point_.name : decorations_.name(function->result_id());
    if (!name.empty()) module_.add_name(ids_.at(function->result_id()), name + plan_.suffix_of_copy);
    copies.push_back(copy_of(*function));
  }
  copy_decorations();
  module.AddFunction(std::move(start));
  for (auto& each : copies) module.AddFunction(std::move(each));
  return true;
}

}  // namespace shaderqa
