// SPDX-License-Identifier: Apache-2.0
// Where memory barriers stand to the control barriers of their workgroup.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_COMMON_FENCES_H
#define SHADERQA_INSTRUMENT_ACCESSES_COMMON_FENCES_H

#include <span>
#include <vector>

#include "source/opt/ir_context.h"

namespace shaderqa {

// Whether all invocations that meet at one of the control barriers have passed the same of these memory
// barriers since they last met. False also where that is not easily seen.
bool are_fences_common(spvtools::opt::IRContext& context,
                       std::span<spvtools::opt::Instruction* const> memory_barriers,
                       std::span<spvtools::opt::Instruction* const> control_barriers);

// Whether nothing but memory barriers lies between one of the control barriers and this memory barrier, so
// that it covers no access behind the control barrier.
bool follows_barrier(const spvtools::opt::Instruction& memory_barrier,
                     std::span<spvtools::opt::Instruction* const> control_barriers);

// Those of the control barriers that an invocation may come to once it has passed one of the memory barriers,
// also by way of calls.
std::vector<spvtools::opt::Instruction*> barriers_behind(
    spvtools::opt::IRContext& context, std::span<spvtools::opt::Instruction* const> memory_barriers,
    std::span<spvtools::opt::Instruction* const> control_barriers);

}  // namespace shaderqa
#endif
