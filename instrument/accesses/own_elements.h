// SPDX-License-Identifier: Apache-2.0
// Finds stores to elements of a buffer that no other invocation of a row of workgroups touches: elements are
// indexed by GlobalInvocationId.x, and the shader accesses the buffer in no other way.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_OWN_ELEMENTS_H
#define SHADERQA_INSTRUMENT_ACCESSES_OWN_ELEMENTS_H

#include <span>

#include "instrument/accesses/buffer_accesses.h"
#include "instrument/ir/decorations.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {

// Sets BufferAccess::own of stores of whole words. accesses: all checked accesses of a compute shader. Other
// descriptors of the same memory are not looked at: the layer knows whether there are any
// (SQA_DIRECT_ALONE).
void find_own_elements(std::span<BufferAccess> accesses, const ModuleView& module,
                       const Decorations& decorations, const EntryPoint& entry_point);

}  // namespace shaderqa
#endif
