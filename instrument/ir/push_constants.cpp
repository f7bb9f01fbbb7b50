// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/push_constants.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "instrument/ir/remove_if.h"
#include "instrument/ir/replace_uses.h"
#include "instrument/ir/site_builder.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

using spvtools::opt::Function;
using spvtools::opt::Instruction;
using spvtools::opt::Operand;

uint32_t bits(auto value) { return static_cast<uint32_t>(value); }

template <typename Work>
void for_each_use(spvtools::opt::Module& module, uint32_t id, const Work& work) {
  for (Function& function : module)
    function.ForEachInst([&](Instruction* instruction) {
      bool uses = false;
      instruction->ForEachInId([&](const uint32_t* each) { uses |= *each == id; });
      if (uses) work(*instruction);
    });
}

// The blocks that the entry point uses; a valid module's uses at most one.
std::vector<Instruction*> used_blocks(spvtools::opt::Module& module, uint32_t entry_function) {
  std::map<uint32_t, Instruction*> blocks;
  for (Instruction& global : module.types_values())
    if (global.opcode() == spv::Op::OpVariable &&
        global.GetSingleWordInOperand(0) == bits(spv::StorageClass::PushConstant))
      blocks.emplace(global.result_id(), &global);
  if (blocks.empty()) return {};
  std::map<uint32_t, Function*> functions;
  for (Function& function : module) functions.emplace(function.result_id(), &function);
  std::set<uint32_t> seen{entry_function};
  std::vector<uint32_t> left{entry_function};
  std::set<Instruction*> used;
  while (!left.empty()) {
    const auto function = functions.find(left.back());
    left.pop_back();
    if (function == functions.end()) continue;
    function->second->ForEachInst([&](const Instruction* instruction) {
      instruction->ForEachInId([&](const uint32_t* id) {
        if (const auto block = blocks.find(*id); block != blocks.end()) used.insert(block->second);
      });
      if (instruction->opcode() != spv::Op::OpFunctionCall) return;
      const uint32_t callee = instruction->GetSingleWordInOperand(0);
      if (seen.insert(callee).second) left.push_back(callee);
    });
  }
  return {used.begin(), used.end()};
}

Instruction* find_global(spvtools::opt::Module& module, uint32_t id) {
  for (Instruction& global : module.types_values())
    if (global.result_id() == id) return &global;
  return nullptr;
}

// What a variable holds; null where that is no structure.
Instruction* structure_of(spvtools::opt::Module& module, const Instruction& variable) {
  const Instruction* const pointer = find_global(module, variable.type_id());
  Instruction* const pointee = pointer && pointer->opcode() == spv::Op::OpTypePointer
                                   ? find_global(module, pointer->GetSingleWordInOperand(1))
                                   : nullptr;
  return pointee && pointee->opcode() == spv::Op::OpTypeStruct ? pointee : nullptr;
}

bool can_follow(const Instruction& use, uint32_t variable) {
  switch (use.opcode()) {
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
      return use.NumInOperands() > 1 && use.GetSingleWordInOperand(0) == variable;
    case spv::Op::OpLoad:
    case spv::Op::OpExtInst:  // of debug information
      return true;
    default:
      return false;
  }
}

// Members lie at their offsets, in both structures.
void copy_annotations(ModuleEditor& module, uint32_t from, uint32_t to) {
  std::vector<std::unique_ptr<Instruction>> copies;
  for (const Instruction& annotation : module.context().module()->annotations()) {
    if (annotation.GetSingleWordInOperand(0) != from) continue;
    copies.emplace_back(annotation.Clone(&module.context()));
    copies.back()->SetInOperand(0, {to});
  }
  for (auto& copy : copies) module.context().module()->AddAnnotationInst(std::move(copy));
}

// A load of the whole block becomes loads of the members that the shader knows.
void load_members(ModuleEditor& module, Instruction& load, uint32_t variable,
                  const std::vector<uint32_t>& types) {
  SiteBuilder site(module, &load);
  Instruction::OperandList values;
  for (uint32_t i = 0; i < types.size(); ++i) {
    const uint32_t pointer = module.pointer_type(spv::StorageClass::PushConstant, types[i]);
    const uint32_t chain = site.emit(spv::Op::OpAccessChain, pointer, {variable, module.constant(i)});
    const uint32_t value = site.emit(spv::Op::OpLoad, types[i], {chain});
    values.emplace_back(SPV_OPERAND_TYPE_ID, &value, &value + 1);
  }
  load.SetOpcode(spv::Op::OpCompositeConstruct);
  load.SetInOperands(std::move(values));
}

// An interface must name a variable once; new ones are in it already.
void replace_in_interface(spvtools::opt::Module& module, uint32_t old, uint32_t variable) {
  constexpr uint32_t first = 3;
  for (Instruction& entry : module.entry_points()) {
    bool named = false;
    for (uint32_t i = first; i < entry.NumInOperands(); ++i)
      named = named || entry.GetSingleWordInOperand(i) == variable;
    for (uint32_t i = entry.NumInOperands(); i-- > first;) {
      if (entry.GetSingleWordInOperand(i) != old) continue;
      if (named) {
        entry.RemoveInOperand(i);
      } else {
        entry.SetInOperand(i, {variable});
      }
    }
  }
}

// From SPIR-V 1.4 on, interfaces name blocks, also those that nothing uses. They may name one.
void remove_other_blocks(spvtools::opt::Module& module, uint32_t variable) {
  constexpr uint32_t first = 3;
  std::set<uint32_t> others;
  for (const Instruction& global : module.types_values())
    if (global.opcode() == spv::Op::OpVariable && global.result_id() != variable &&
        global.GetSingleWordInOperand(0) == bits(spv::StorageClass::PushConstant))
      others.insert(global.result_id());
  for (Instruction& entry : module.entry_points())
    for (uint32_t i = entry.NumInOperands(); i-- > first;)
      if (others.contains(entry.GetSingleWordInOperand(i))) entry.RemoveInOperand(i);
}

// Debug information may go on naming the variable.
void remove_variable(ModuleEditor& module, uint32_t variable) {
  spvtools::opt::Module& all = *module.context().module();
  bool used = false;
  const auto look = [&](const Instruction& each) {
    each.ForEachInId([&](const uint32_t* id) { used |= *id == variable; });
  };
  for (const Instruction& each : all.types_values()) look(each);
  for (const Instruction& each : all.ext_inst_debuginfo()) look(each);
  if (used) return;
  remove_names(module.context(), {{variable, 0}});
  remove_instructions_if(all.types_values(),
                         [&](const Instruction& each) { return each.result_id() == variable; });
}

}  // namespace

std::string obstacle_to_push_constant(ModuleEditor& module, uint32_t entry_function, uint32_t offset) {
  spvtools::opt::Module& all = *module.context().module();
  const std::vector<Instruction*> blocks = used_blocks(all, entry_function);
  if (blocks.empty()) return {};
  const Instruction* const structure = blocks.size() == 1 ? structure_of(all, *blocks[0]) : nullptr;
  if (!structure) return "its push constants are not one block";
  bool followed = true;
  for_each_use(all, blocks[0]->result_id(), [&](const Instruction& use) {
    followed = followed && can_follow(use, blocks[0]->result_id());
  });
  if (!followed) return "it uses a pointer to its push constants in a way that is not known";
  for (const Instruction& annotation : all.annotations()) {
    const bool grouped = annotation.opcode() == spv::Op::OpGroupDecorate ||
                         annotation.opcode() == spv::Op::OpGroupMemberDecorate;
    for (uint32_t i = 1; grouped && i < annotation.NumInOperands(); ++i)
      if (annotation.GetSingleWordInOperand(i) == structure->result_id())
        return "its push constants are decorated in groups";
    if (annotation.opcode() == spv::Op::OpMemberDecorate &&
        annotation.GetSingleWordInOperand(0) == structure->result_id() &&
        annotation.GetSingleWordInOperand(2) == bits(spv::Decoration::Offset) &&
        annotation.GetSingleWordInOperand(3) >= offset)
      return "it has more push constants than its pipeline layout";
  }
  return {};
}

PushConstant add_push_constant(ModuleEditor& module, uint32_t entry_function, uint32_t type,
                               uint32_t offset) {
  spvtools::opt::Module& all = *module.context().module();
  const std::vector<Instruction*> blocks = used_blocks(all, entry_function);
  const Instruction* const old = blocks.empty() ? nullptr : blocks[0];
  const Instruction* const structure = old ? structure_of(all, *old) : nullptr;
  std::vector<uint32_t> members;
  if (structure)
    for (uint32_t i = 0; i < structure->NumInOperands(); ++i)
      members.push_back(structure->GetSingleWordInOperand(i));
  const std::vector<uint32_t> given = members;
  members.push_back(type);
  const auto member = static_cast<uint32_t>(given.size());
  const uint32_t longer = module.add_global(spv::Op::OpTypeStruct, 0, members);
  if (structure) copy_annotations(module, structure->result_id(), longer);
  const uint32_t place[] = {longer, member, bits(spv::Decoration::Offset), offset};
  module.add_annotation(spv::Op::OpMemberDecorate, place);
  if (!structure) {
    const uint32_t block[] = {longer, bits(spv::Decoration::Block)};
    module.add_annotation(spv::Op::OpDecorate, block);
  }
  const uint32_t pointer = module.pointer_type(spv::StorageClass::PushConstant, longer);
  const uint32_t variable = module.add_variable(spv::StorageClass::PushConstant, pointer);
  if (old) {
    const uint32_t replaced = old->result_id();
    std::vector<Instruction*> loads;
    for_each_use(all, replaced, [&](Instruction& use) {
      if (use.opcode() == spv::Op::OpLoad) loads.push_back(&use);
    });
    for (Instruction* const load : loads) load_members(module, *load, variable, given);
    replace_uses(module.context(), {{replaced, variable}});
    replace_in_interface(all, replaced, variable);
    remove_variable(module, replaced);
  }
  remove_other_blocks(all, variable);
  return {variable, member};
}

}  // namespace shaderqa
