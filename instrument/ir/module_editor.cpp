// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/module_editor.h"

#include <algorithm>
#include <memory>

#include "source/opt/instruction.h"
#include "source/util/string_utils.h"

namespace shaderqa {
namespace {

using spvtools::opt::Instruction;
using spvtools::opt::Operand;

// Types that a module may declare only once, and constants.
bool shareable(spv::Op op) {
  switch (op) {
    case spv::Op::OpTypeVoid:
    case spv::Op::OpTypeBool:
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypePointer:
    case spv::Op::OpTypeFunction:
    case spv::Op::OpConstantTrue:
    case spv::Op::OpConstantFalse:
    case spv::Op::OpConstant:
    case spv::Op::OpConstantComposite:
    case spv::Op::OpConstantNull:
      return true;
    default:
      return false;
  }
}

// A hash of the operands after the result id, with OpConstant's type.
uint64_t hash_of(spv::Op op, uint32_t type, Words operands) {
  uint64_t hash = static_cast<uint64_t>(op) << 32 | type;
  for (const uint32_t word : operands) hash = (hash ^ word) * 0x9e3779b97f4a7c15u + (hash >> 29);
  return hash ^ hash >> 32;
}

// Kinds of the first operands after type and result. Ids and literals are written alike, but readers of the
// IR tell them apart.
spv_operand_type_t operand_type(spv::Op op, size_t index) {
  switch (op) {
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
      return SPV_OPERAND_TYPE_LITERAL_INTEGER;
    case spv::Op::OpTypeVector:
      return index == 0 ? SPV_OPERAND_TYPE_ID : SPV_OPERAND_TYPE_LITERAL_INTEGER;
    case spv::Op::OpTypePointer:
    case spv::Op::OpVariable:
      return index == 0 ? SPV_OPERAND_TYPE_STORAGE_CLASS : SPV_OPERAND_TYPE_ID;
    case spv::Op::OpConstant:
      return SPV_OPERAND_TYPE_TYPED_LITERAL_NUMBER;
    case spv::Op::OpDecorate:
    case spv::Op::OpMemberDecorate:
      return index == 0 ? SPV_OPERAND_TYPE_ID : SPV_OPERAND_TYPE_LITERAL_INTEGER;
    default:
      return SPV_OPERAND_TYPE_ID;
  }
}

std::vector<Operand> operand_list(spv::Op op, Words operands) {
  std::vector<Operand> list;
  if (op == spv::Op::OpConstant) {  // one literal, however wide
    list.emplace_back(SPV_OPERAND_TYPE_TYPED_LITERAL_NUMBER, operands.begin(), operands.end());
    return list;
  }
  list.reserve(operands.size());
  for (size_t i = 0; i < operands.size(); ++i)
    list.emplace_back(operand_type(op, i), operands.begin() + static_cast<ptrdiff_t>(i),
                      operands.begin() + static_cast<ptrdiff_t>(i) + 1);
  return list;
}

// A type's operands start after its result id, a constant's after type and result id.
size_t operands_start(spv::Op op) { return op >= spv::Op::OpConstantTrue ? 3 : 2; }

}  // namespace

ModuleEditor::ModuleEditor(spvtools::opt::IRContext& context, const ModuleView& view)
    : context_(context), view_(view), first_new_id_(context.module()->id_bound()) {
  std::vector<InstructionView> globals;
  for_each_instruction(view.words(), header_words, [&](InstructionView i, uint32_t offset) {
    if (offset >= view.functions_offset()) return false;
    if (shareable(i.op()) && i.size() >= operands_start(i.op())) globals.push_back(i);
    return true;
  });
  size_t size = 64;
  while (size < globals.size() * 2 + 128) size *= 2;
  table_.resize(size);
  for (const InstructionView& i : globals) {
    const size_t start = operands_start(i.op());
    const uint32_t type = start == 3 ? i.word(1) : 0;
    const uint64_t hash = hash_of(i.op(), type, i.words.subspan(start));
    if (find(hash, i.op(), type, i.words.subspan(start)) == 0) remember(hash, i.word(start - 1));
  }
}

InstructionView ModuleEditor::definition(uint32_t id) const {
  if (id < first_new_id_) return view_.definition(id);
  const size_t index = id - first_new_id_;
  if (index >= new_definitions_.size() || new_definitions_[index] == 0) return {};
  const uint32_t offset = new_definitions_[index] - 1;
  return {Words(new_words_).subspan(offset, new_words_[offset] >> 16)};
}

void ModuleEditor::remember(uint64_t hash, uint32_t id) {
  if (++used_ * 2 > table_.size()) {
    std::vector<Slot> old(table_.size() * 2);
    old.swap(table_);
    used_ = 1;
    for (const Slot& slot : old)
      if (slot.id != 0) remember(slot.hash, slot.id);
  }
  const size_t mask = table_.size() - 1;
  size_t at = static_cast<uint32_t>(hash) & mask;
  while (table_[at].id != 0) at = (at + 1) & mask;
  table_[at] = {static_cast<uint32_t>(hash), id};
}

uint32_t ModuleEditor::find(uint64_t hash, spv::Op op, uint32_t type, Words operands) const {
  const size_t mask = table_.size() - 1;
  const size_t start = operands_start(op);
  for (size_t at = static_cast<uint32_t>(hash) & mask; table_[at].id != 0; at = (at + 1) & mask) {
    if (table_[at].hash != static_cast<uint32_t>(hash)) continue;
    const InstructionView i = definition(table_[at].id);
    if (i && i.op() == op && i.size() >= start && (start == 2 || i.word(1) == type) &&
        std::ranges::equal(i.words.subspan(start), operands))
      return table_[at].id;
  }
  return 0;
}

uint32_t ModuleEditor::take_id() {
  const uint32_t id = context_.TakeNextId();
  if (id == 0) exhausted_ = true;
  return id;
}

uint32_t ModuleEditor::global(spv::Op op, uint32_t type, Words operands) {
  const uint64_t hash = hash_of(op, type, operands);
  if (const uint32_t id = find(hash, op, type, operands)) return id;
  const uint32_t id = add_global(op, type, operands);
  if (id == 0) return 0;
  const size_t index = id - first_new_id_;
  if (index >= new_definitions_.size()) new_definitions_.resize(index + 1, 0);
  new_definitions_[index] = static_cast<uint32_t>(new_words_.size()) + 1;
  const size_t start = operands_start(op);
  new_words_.push_back(static_cast<uint32_t>(start + operands.size()) << 16 | static_cast<uint32_t>(op));
  if (start == 3) new_words_.push_back(type);
  new_words_.push_back(id);
  new_words_.insert(new_words_.end(), operands.begin(), operands.end());
  remember(hash, id);
  return id;
}

uint32_t ModuleEditor::add_global(spv::Op op, uint32_t type, Words operands) {
  const uint32_t id = take_id();
  if (id == 0) return 0;
  context_.module()->AddGlobalValue(
      std::make_unique<Instruction>(&context_, op, type, id, operand_list(op, operands)));
  return id;
}

uint32_t ModuleEditor::add_variable(spv::StorageClass storage, uint32_t pointer, uint32_t initialiser) {
  constexpr uint32_t spirv_1_4 = 0x00010400;
  const uint32_t operands[] = {static_cast<uint32_t>(storage), initialiser};
  const uint32_t id = add_global(spv::Op::OpVariable, pointer, Words(operands, initialiser != 0 ? 2 : 1));
  // From SPIR-V 1.4 on, interfaces list all variables.
  if (storage == spv::StorageClass::Input || storage == spv::StorageClass::Output || version() >= spirv_1_4)
    add_to_interface(id);
  return id;
}

void ModuleEditor::add_capability(spv::Capability capability) {
  if (view_.has_capability(capability) ||
      std::ranges::find(new_capabilities_, capability) != new_capabilities_.end())
    return;
  new_capabilities_.push_back(capability);
  const uint32_t word = static_cast<uint32_t>(capability);
  context_.module()->AddCapability(std::make_unique<Instruction>(
      &context_, spv::Op::OpCapability, 0, 0,
      std::vector<Operand>{Operand(SPV_OPERAND_TYPE_CAPABILITY, &word, &word + 1)}));
}

void ModuleEditor::add_extension(std::string_view name) {
  if (view_.has_extension(name) || !new_extensions_.emplace(name).second) return;
  const auto words = spvtools::utils::MakeVector(std::string(name));
  context_.module()->AddExtension(std::make_unique<Instruction>(
      &context_, spv::Op::OpExtension, 0, 0,
      std::vector<Operand>{Operand(SPV_OPERAND_TYPE_LITERAL_STRING, words.begin(), words.end())}));
}

void ModuleEditor::add_name(uint32_t id, std::string_view name) {
  const auto words = spvtools::utils::MakeVector(std::string(name));
  context_.module()->AddDebug2Inst(std::make_unique<Instruction>(
      &context_, spv::Op::OpName, 0, 0,
      std::vector<Operand>{Operand(SPV_OPERAND_TYPE_ID, &id, &id + 1),
                           Operand(SPV_OPERAND_TYPE_LITERAL_STRING, words.begin(), words.end())}));
}

void ModuleEditor::add_annotation(spv::Op op, Words operands) {
  context_.module()->AddAnnotationInst(
      std::make_unique<Instruction>(&context_, op, 0, 0, operand_list(op, operands)));
}

void ModuleEditor::add_to_interface(uint32_t variable) {
  for (Instruction& entry : context_.module()->entry_points()) {
    bool known = false;
    for (uint32_t i = 3; i < entry.NumInOperands(); ++i) known |= entry.GetSingleWordInOperand(i) == variable;
    if (!known) entry.AddOperand(Operand(SPV_OPERAND_TYPE_ID, &variable, &variable + 1));
  }
}

}  // namespace shaderqa
