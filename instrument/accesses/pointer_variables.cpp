// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/pointer_variables.h"

#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

// Types and access chains may be endless in malformed modules.
constexpr uint32_t max_depth = 64;

}  // namespace

bool PointerVariables::holds_pointers(uint32_t type, uint32_t depth) const {
  if (const auto known = holds_.find(type); known != holds_.end()) return known->second;
  const InstructionView definition = module_.definition(type);
  if (!definition || depth > max_depth) return false;
  bool holds = false;
  switch (definition.op()) {
    case spv::Op::OpTypePointer:
      holds = static_cast<spv::StorageClass>(definition.word(2)) == spv::StorageClass::StorageBuffer;
      break;
    case spv::Op::OpTypeArray:
      holds = holds_pointers(definition.word(2), depth + 1);
      break;
    case spv::Op::OpTypeStruct:
      for (uint32_t i = 2; i < definition.size() && !holds; ++i)
        holds = holds_pointers(definition.word(i), depth + 1);
      break;
    default:
      break;
  }
  holds_.emplace(type, holds);
  return holds;
}

std::optional<PointerVariables::Path> PointerVariables::any_path(uint32_t pointer) const {
  Path path;
  for (uint32_t depth = 0; depth < max_depth; ++depth) {
    const InstructionView type = module_.definition(module_.type_of(pointer), spv::Op::OpTypePointer);
    if (!type) return std::nullopt;
    const auto storage = static_cast<spv::StorageClass>(type.word(2));
    if (storage != spv::StorageClass::Function && storage != spv::StorageClass::Private) return std::nullopt;
    const InstructionView definition = module_.definition(pointer);
    switch (definition.op()) {
      case spv::Op::OpVariable:
        if (!holds_pointers(type.word(3))) return std::nullopt;
        path.variable = pointer;
        return path;
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
        path.indices.insert(path.indices.begin(), definition.words.begin() + 4, definition.words.end());
        pointer = definition.word(3);
        break;
      case spv::Op::OpCopyObject:
        pointer = definition.word(3);
        break;
      default:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<PointerVariables::Path> PointerVariables::path(uint32_t pointer) const {
  if (!any_) return std::nullopt;
  auto path = any_path(pointer);
  if (path && escaped_.contains(path->variable)) return std::nullopt;
  return path;
}

void PointerVariables::escapes(uint32_t pointer) {
  if (const auto path = any_path(pointer)) escaped_.insert(path->variable);
}

void PointerVariables::store(uint32_t pointer, uint32_t value) {
  const auto target = any_path(pointer);
  const uint32_t type = module_.type_of(value);
  if (!target || !holds_pointers(type) || module_.definition(type, spv::Op::OpTypePointer)) return;
  // A structure or an array with pointers in it.
  const InstructionView definition = module_.definition(value);
  if (definition && (definition.op() == spv::Op::OpConstantNull || definition.op() == spv::Op::OpUndef))
    return;
  std::optional<Path> source;
  if (definition && definition.op() == spv::Op::OpLoad) source = any_path(definition.word(3));
  if (source)
    copies_[source->variable].push_back(target->variable);
  else
    escaped_.insert(target->variable);
}

void PointerVariables::scan(const PlacedInstruction& at) {
  const InstructionView i = module_.at(at.offset);
  switch (i.op()) {
    case spv::Op::OpExtInst:  // debug information
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
    case spv::Op::OpCopyObject:
    case spv::Op::OpLoad:
      break;
    case spv::Op::OpStore:
      store(i.word(1), i.word(2));
      escapes(i.word(2));
      break;
    case spv::Op::OpVariable: {
      const InstructionView initial = i.size() > 4 ? module_.definition(i.word(4)) : InstructionView();
      if (initial && initial.op() != spv::Op::OpConstantNull && initial.op() != spv::Op::OpUndef)
        escapes(i.word(2));
      break;
    }
    default:
      at.instruction->ForEachInId([&](const uint32_t* id) { escapes(*id); });
      break;
  }
}

PointerVariables::PointerVariables(const ModuleView& module, std::span<const PlacedInstruction> placed)
    : module_(module),
      any_(module.has_capability(spv::Capability::VariablePointers) ||
           module.has_capability(spv::Capability::VariablePointersStorageBuffer)) {
  if (!any_) return;
  for_each_instruction(module.words(), header_words, [&](InstructionView i, uint32_t offset) {
    if (offset >= module.functions_offset()) return false;
    if (i.op() == spv::Op::OpVariable && i.size() > 4) {
      const InstructionView initial = module.definition(i.word(4));
      if (!initial || initial.op() != spv::Op::OpConstantNull) escapes(i.word(2));
    }
    return true;
  });
  for (const PlacedInstruction& at : placed) scan(at);
  // A copy of a variable that is not understood is not understood either.
  std::vector<uint32_t> pending(escaped_.begin(), escaped_.end());
  while (!pending.empty()) {
    const uint32_t variable = pending.back();
    pending.pop_back();
    for (const uint32_t target : copies_[variable])
      if (escaped_.insert(target).second) pending.push_back(target);
  }
}

}  // namespace shaderqa
