// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/buffered_descriptors.h"

#include <algorithm>

#include "instrument/runtime/abi_descriptors.h"

namespace shaderqa {
namespace {

constexpr uint32_t kind_mask = (1u << SQA_DESCRIPTOR_STRIDE_SHIFT) - 1;

bool is_buffered(const DescriptorSlots& slots) { return (slots.slot & SQA_IN_BUFFER) != 0; }

// What an image type declares: with a sampler, for loads and stores, or for reading alone.
uint32_t kind_of_image(InstructionView image, bool combined) {
  constexpr uint32_t with_sampler = 1;
  const bool storage = image.word(7) != with_sampler;
  if (static_cast<spv::Dim>(image.word(3)) == spv::Dim::Buffer)
    return storage ? SQA_DESCRIPTOR_STORAGE_TEXEL : SQA_DESCRIPTOR_UNIFORM_TEXEL;
  if (static_cast<spv::Dim>(image.word(3)) == spv::Dim::SubpassData) return SQA_DESCRIPTOR_INPUT;
  if (combined) return SQA_DESCRIPTOR_COMBINED_IMAGE;
  return storage ? SQA_DESCRIPTOR_STORAGE_IMAGE : SQA_DESCRIPTOR_SAMPLED_IMAGE;
}

uint32_t declared_kind(const ModuleView& module, const Decorations& decorations, uint32_t variable) {
  const InstructionView pointer = module.definition(module.type_of(variable), spv::Op::OpTypePointer);
  if (!pointer) return SQA_DESCRIPTOR_MUTABLE;
  InstructionView type = module.definition(pointer.word(3));
  while (type && (type.op() == spv::Op::OpTypeArray || type.op() == spv::Op::OpTypeRuntimeArray))
    type = module.definition(type.word(2));
  if (!type) return SQA_DESCRIPTOR_MUTABLE;
  const bool combined = type.op() == spv::Op::OpTypeSampledImage;
  if (combined) type = module.definition(type.word(2));
  if (type && type.op() == spv::Op::OpTypeImage) return kind_of_image(type, combined);
  return is_uniform_block(module, decorations, variable) ? SQA_DESCRIPTOR_UNIFORM : SQA_DESCRIPTOR_STORAGE;
}

}  // namespace

bool is_indirect(const DescriptorSlots& slots) {
  return is_buffered(slots) && (slots.slot & SQA_INDIRECT) != 0;
}

bool has_buffered_descriptors(const SyncOptions& options) {
  return std::ranges::any_of(options.descriptors, is_buffered);
}

DescriptorSlots with_declared_kind(const DescriptorSlots& slots, const ModuleView& module,
                                   const Decorations& decorations, uint32_t variable) {
  if (!is_buffered(slots) || (slots.dynamic & kind_mask) != SQA_DESCRIPTOR_MUTABLE) return slots;
  DescriptorSlots declared = slots;
  uint32_t kind = declared_kind(module, decorations, variable);
  if (slots.slot & SQA_IN_HEAP) {
    // The sampler is in a heap of its own.
    if (kind == SQA_DESCRIPTOR_COMBINED_IMAGE) kind = SQA_DESCRIPTOR_SAMPLED_IMAGE;
    if (kind < SQA_DESCRIPTOR_KINDS) kind += SQA_DESCRIPTOR_HEAP;
  }
  declared.dynamic = (slots.dynamic & ~kind_mask) | kind;
  return declared;
}

}  // namespace shaderqa
