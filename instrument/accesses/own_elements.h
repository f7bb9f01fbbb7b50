// SPDX-License-Identifier: Apache-2.0
// Stores to elements of a buffer that no other invocation of a row of workgroups touches: those by
// GlobalInvocationId.x, where the shader accesses the buffer in no other way.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_OWN_ELEMENTS_H
#define SHADERQA_INSTRUMENT_ACCESSES_OWN_ELEMENTS_H

#include <span>

#include "instrument/accesses/buffer_accesses.h"
#include "instrument/ir/decorations.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {

// Sets BufferAccess::own of stores of whole words. accesses: all of a compute shader's that are checked. What
// other descriptors of the same memory do is not looked at: the layer knows whether there are any
// (SQA_DIRECT_ALONE).
void find_own_elements(std::span<BufferAccess> accesses, const ModuleView& module,
                       const Decorations& decorations, const EntryPoint& entry_point);

}  // namespace shaderqa
#endif
