// SPDX-License-Identifier: Apache-2.0
// Descriptors in descriptor buffers (docs/internals/descriptor-buffers.md) and heaps, as DescriptorSlots has
// them.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_BUFFERED_DESCRIPTORS_H
#define SHADERQA_INSTRUMENT_ACCESSES_BUFFERED_DESCRIPTORS_H

#include <cstdint>

#include "instrument/instrument.h"
#include "instrument/ir/decorations.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {

bool has_buffered_descriptors(const SyncOptions& options);
// Whether the shader reads in memory where the descriptor lies, or what it would name (SQA_INDIRECT).
bool is_indirect(const DescriptorSlots& slots);
// With the kind of descriptor that this variable declares in place of SQA_DESCRIPTOR_MUTABLE.
DescriptorSlots with_declared_kind(const DescriptorSlots& slots, const ModuleView& module,
                                   const Decorations& decorations, uint32_t variable);

}  // namespace shaderqa
#endif
