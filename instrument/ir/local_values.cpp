// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/local_values.h"

#include "instrument/ir/pointer_base.h"

namespace shaderqa {
namespace {

constexpr uint32_t is_volatile = static_cast<uint32_t>(spv::MemoryAccessMask::Volatile);

// How many words of the instruction are ids, from the fourth on; the others are literals. 0: its operands do
// not determine its result.
uint32_t id_operands(InstructionView i) {
  switch (i.op()) {
    case spv::Op::OpCompositeExtract:
      return 1;
    case spv::Op::OpVectorShuffle:
      return 2;
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
    case spv::Op::OpPtrAccessChain:
    case spv::Op::OpInBoundsPtrAccessChain:
    case spv::Op::OpCopyObject:
    case spv::Op::OpCompositeConstruct:
    case spv::Op::OpBitcast:
    case spv::Op::OpUConvert:
    case spv::Op::OpSConvert:
    case spv::Op::OpConvertPtrToU:
    case spv::Op::OpConvertUToPtr:
    case spv::Op::OpSNegate:
    case spv::Op::OpNot:
    case spv::Op::OpIAdd:
    case spv::Op::OpISub:
    case spv::Op::OpIMul:
    case spv::Op::OpUDiv:
    case spv::Op::OpSDiv:
    case spv::Op::OpUMod:
    case spv::Op::OpSRem:
    case spv::Op::OpSMod:
    case spv::Op::OpShiftLeftLogical:
    case spv::Op::OpShiftRightLogical:
    case spv::Op::OpShiftRightArithmetic:
    case spv::Op::OpBitwiseAnd:
    case spv::Op::OpBitwiseOr:
    case spv::Op::OpBitwiseXor:
    case spv::Op::OpSelect:
      return i.size() - 3;
    default:
      return 0;
  }
}

}  // namespace

uint32_t LocalValues::number(uint32_t id) const {
  const auto found = numbers_.find(id);
  return found == numbers_.end() ? id : found->second;
}

uint32_t LocalValues::variable_of(uint32_t pointer) const {
  const InstructionView base = base_of_pointer(module_, pointer);
  return base.op() == spv::Op::OpVariable ? base.word(2) : 0;
}

uint32_t LocalValues::version(uint32_t pointer) const {
  const InstructionView type = module_.definition(module_.type_of(pointer), spv::Op::OpTypePointer);
  if (!type) return 0;
  switch (static_cast<spv::StorageClass>(type.word(2))) {
    case spv::StorageClass::Input:
    case spv::StorageClass::PushConstant:
      return 1;
    case spv::StorageClass::Uniform:
      return is_uniform_block(module_, decorations_, variable_of(pointer)) ? 1 : 0;
    case spv::StorageClass::Function:
    case spv::StorageClass::Private: {
      const uint32_t variable = variable_of(pointer);
      if (variable == 0) return 0;
      const auto found = own_versions_.find(variable);
      return all_versions_ + (found == own_versions_.end() ? 0 : found->second);
    }
    default:
      return 0;
  }
}

// A buffer's memory is never a variable's.
void LocalValues::store(uint32_t pointer) {
  const InstructionView type = module_.definition(module_.type_of(pointer), spv::Op::OpTypePointer);
  if (type) {
    switch (static_cast<spv::StorageClass>(type.word(2))) {
      case spv::StorageClass::StorageBuffer:
      case spv::StorageClass::Uniform:
      case spv::StorageClass::PhysicalStorageBuffer:
      case spv::StorageClass::Workgroup:
      case spv::StorageClass::Output:
        return;
      default:
        break;
    }
  }
  // The sum is unique: neither part ever decreases.
  if (const uint32_t variable = variable_of(pointer))
    ++own_versions_[variable];
  else
    ++all_versions_;
}

void LocalValues::enter(InstructionView i) {
  switch (i.op()) {
    case spv::Op::OpStore:
    case spv::Op::OpCopyMemory:
    case spv::Op::OpCopyMemorySized:
      return store(i.word(1));
    case spv::Op::OpExtInst:  // frexp and modf write through pointers
      for (uint32_t k = 5; k < i.size(); ++k)
        if (module_.definition(module_.type_of(i.word(k)), spv::Op::OpTypePointer)) store(i.word(k));
      return;
    default:
      break;
  }
  std::vector<uint32_t> key{static_cast<uint32_t>(i.op()), i.word(1)};
  if (i.op() == spv::Op::OpLoad) {
    const uint32_t current = (i.word(4) & is_volatile) != 0 ? 0 : version(i.word(3));
    if (current == 0) return;
    key.insert(key.end(), {number(i.word(3)), current});
  } else {
    const uint32_t ids = id_operands(i);
    if (ids == 0) return;
    for (uint32_t k = 3; k < i.size(); ++k) key.push_back(k < 3 + ids ? number(i.word(k)) : i.word(k));
  }
  numbers_[i.word(2)] = known_.try_emplace(std::move(key), i.word(2)).first->second;
}

void LocalValues::forget() {
  known_.clear();
  numbers_.clear();
  own_versions_.clear();
  all_versions_ = 1;
}

}  // namespace shaderqa
