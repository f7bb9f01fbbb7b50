// SPDX-License-Identifier: Apache-2.0
// lavapipe from Mesa 25.1 on loads once for all invocations from an address that it knows to be the same for
// all of them, without a look at whether any of them is active: so a load in a short block that no invocation
// enters crashes, where what the address is made of was loaded in another such block. So every address of the
// runtime has a zero added that is not known to be the same for all.
#ifndef SHADERQA_INSTRUMENT_PASSES_VARYING_ZERO_H
#define SHADERQA_INSTRUMENT_PASSES_VARYING_ZERO_H

#include <cstdint>

#include "instrument/ir/builtins.h"
#include "instrument/ir/module_editor.h"

namespace shaderqa {

// Private variable of type uvec2, which the entry point sets before anything else. 0: the module leaves no
// way to tell invocations apart. To be called behind all passes.
uint32_t make_varying_zero(ModuleEditor& module, Builtins& builtins, uint32_t entry_function);

}  // namespace shaderqa
#endif
