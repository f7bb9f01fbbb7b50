// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/debug_accesses.h"

#include <algorithm>

#include "instrument/passes/printf_arguments.h"

namespace shaderqa {
namespace {

bool is_chain(InstructionView i) {
  return i.op() == spv::Op::OpAccessChain || i.op() == spv::Op::OpInBoundsAccessChain;
}

bool is_array(InstructionView type) {
  return type && (type.op() == spv::Op::OpTypeArray || type.op() == spv::Op::OpTypeRuntimeArray);
}

// Where the chains of a pointer begin, and their indices, the outermost first.
uint32_t follow(const ModuleView& module, uint32_t pointer, std::vector<uint32_t>& indices) {
  for (InstructionView i = module.definition(pointer); i; i = module.definition(pointer)) {
    if (is_chain(i))
      indices.insert(indices.begin(), i.words.begin() + 4, i.words.end());
    else if (i.op() != spv::Op::OpCopyObject)
      break;
    pointer = i.word(3);
  }
  return pointer;
}

}  // namespace

uint32_t stored_pointer(InstructionView i) {
  if (i.op() == spv::Op::OpStore || i.op() == spv::Op::OpCopyMemory || i.op() == spv::Op::OpAtomicStore)
    return i.word(1);
  const bool modifies = (i.op() >= spv::Op::OpAtomicExchange && i.op() <= spv::Op::OpAtomicXor) ||
                        i.op() == spv::Op::OpAtomicFAddEXT || i.op() == spv::Op::OpAtomicFMinEXT ||
                        i.op() == spv::Op::OpAtomicFMaxEXT;
  return modifies ? i.word(3) : 0;
}

uint32_t accessed_pointer(InstructionView i) {
  if (i.op() == spv::Op::OpLoad || i.op() == spv::Op::OpAtomicLoad) return i.word(3);
  return stored_pointer(i);
}

bool DebugAccesses::has_32_bits(uint32_t value) const {
  return module_.definition(module_.type_of(value), spv::Op::OpTypeInt).word(2) == 32;
}

bool DebugAccesses::may_be_read(uint32_t pointer) const {
  std::vector<uint32_t> indices;
  const uint32_t root = follow(module_, pointer, indices);
  if (decorations_.find(root, spv::Decoration::NonReadable)) return false;
  uint32_t type = module_.definition(module_.type_of(root)).word(3);
  while (is_array(module_.definition(type))) type = module_.definition(type).word(2);
  const InstructionView structure = module_.definition(type, spv::Op::OpTypeStruct);
  for (uint32_t member = 0; member + 2 < structure.size(); ++member)
    if (decorations_.find_member(type, member, spv::Decoration::NonReadable)) return false;
  return true;
}

std::optional<TraceValue> DebugAccesses::before_store(InstructionView i, uint32_t offset) const {
  const bool stores = i.op() == spv::Op::OpStore;
  if (!stores && i.op() != spv::Op::OpAtomicStore) return std::nullopt;
  const InstructionView pointer = module_.definition(module_.type_of(i.word(1)), spv::Op::OpTypePointer);
  const auto storage = static_cast<spv::StorageClass>(pointer.word(2));
  if (storage != spv::StorageClass::StorageBuffer && storage != spv::StorageClass::PhysicalStorageBuffer &&
      storage != spv::StorageClass::Uniform && storage != spv::StorageClass::Workgroup)
    return std::nullopt;
  PrintfArgument argument;
  if (!may_be_read(i.word(1)) || !describe_argument(module_, i.word(stores ? 2 : 4), argument).empty())
    return std::nullopt;
  return TraceValue{offset, 0, std::move(argument.scalars), TraceValue::Kind::before};
}

std::optional<CheckedAccess> DebugAccesses::check_index(uint32_t pointer) const {
  std::vector<uint32_t> indices;
  CheckedAccess access;
  access.pointer = pointer;
  access.variable = follow(module_, pointer, indices);
  if (!module_.definition(access.variable, spv::Op::OpVariable)) return std::nullopt;
  uint32_t type = module_.definition(module_.type_of(access.variable)).word(3);
  size_t next = 0;
  if (is_array(module_.definition(type))) {
    if (indices.empty()) return std::nullopt;
    access.descriptor = indices[next++];
    type = module_.definition(type).word(2);
  }
  const InstructionView structure = module_.definition(type, spv::Op::OpTypeStruct);
  if (!structure || indices.size() < next + 2) return std::nullopt;
  const auto member = module_.constant(indices[next]);
  if (!member || *member + 2 >= structure.size()) return std::nullopt;
  access.member = *member;
  access.index = indices[next + 1];
  if (!module_.definition(structure.word(2 + access.member), spv::Op::OpTypeRuntimeArray) ||
      !has_32_bits(access.index))
    return std::nullopt;
  return access;
}

std::optional<CheckedAccess> DebugAccesses::check(uint32_t pointer) const {
  const InstructionView type = module_.definition(module_.type_of(pointer), spv::Op::OpTypePointer);
  if (static_cast<spv::StorageClass>(type.word(2)) != spv::StorageClass::PhysicalStorageBuffer)
    return check_index(pointer);
  if (!addresses_) return std::nullopt;
  // A matrix's stride stands at the member around it, so of one only the first byte is checked.
  const auto runs = layout_.footprint(type.word(3), {});
  CheckedAccess access;
  access.pointer = pointer;
  access.bytes = runs && !runs->empty() ? runs->back().offset + runs->back().size : 1;
  return access;
}

std::vector<CheckedAccess> DebugAccesses::checked(InstructionView i, uint32_t& unchecked) const {
  std::vector<CheckedAccess> found;
  for (const uint32_t pointer : {accessed_pointer(i), i.op() == spv::Op::OpCopyMemory ? i.word(2) : 0u}) {
    const InstructionView type = module_.definition(module_.type_of(pointer), spv::Op::OpTypePointer);
    const auto storage = static_cast<spv::StorageClass>(type.word(2));
    if (!type || (storage != spv::StorageClass::StorageBuffer && storage != spv::StorageClass::Uniform &&
                  storage != spv::StorageClass::PhysicalStorageBuffer))
      continue;
    if (auto access = check(pointer))
      found.push_back(*access);
    else
      ++unchecked;
  }
  return found;
}

}  // namespace shaderqa
