// SPDX-License-Identifier: Apache-2.0
// Finds stores to elements of buffers that no other invocation of a dispatch touches, and loads of such
// elements that the shader only reads, or that the same invocation stores to later. Elements are told apart
// by what indices are of LocalInvocationID and WorkgroupID (invocation_indices.h, row_major.h).
#ifndef SHADERQA_INSTRUMENT_ACCESSES_OWN_ELEMENTS_H
#define SHADERQA_INSTRUMENT_ACCESSES_OWN_ELEMENTS_H

#include <functional>

#include "instrument/accesses/buffer_accesses.h"
#include "instrument/accesses/invocation_indices.h"
#include "instrument/ir/decorations.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {

// Sets BufferAccess::reach. accesses: all of a compute shader. direct_of: 1 + the number of the entry at
// SQA_ACTION_DIRECT of the descriptor that an access is through; 0: it has none. Other descriptors of the
// same memory, and the number of workgroups, are what the record says of each action (SQA_DIRECT_REACH).
// constants: what is known of an integer.
void find_own_elements(BufferAccesses& found, const ModuleView& module, const Decorations& decorations,
                       const EntryPoint& entry_point, const InvocationIndices::Constants& constants,
                       const std::function<uint32_t(const BufferAccess&)>& direct_of);

}  // namespace shaderqa
#endif
