// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_INSTRUMENT_ACCESSES_ATOMIC_SIZES_H
#define SHADERQA_INSTRUMENT_ACCESSES_ATOMIC_SIZES_H

#include <span>

#include "instrument/accesses/buffer_accesses.h"
#include "instrument/ir/decorations.h"

namespace shaderqa {

// Whether atomics of different sizes may have bytes in common: they are made through different variables for
// the same descriptor. Addresses are not compared.
bool may_mix_atomic_sizes(std::span<const BufferAccess> accesses, const Decorations& decorations);

}  // namespace shaderqa
#endif
