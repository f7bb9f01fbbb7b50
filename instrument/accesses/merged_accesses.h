// SPDX-License-Identifier: Apache-2.0
// One check for accesses of one invocation that nothing comes between: what is stored and loaded again, and
// neighbours, such as the members of a structure. Each check costs as much code as a small shader has.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_MERGED_ACCESSES_H
#define SHADERQA_INSTRUMENT_ACCESSES_MERGED_ACCESSES_H

#include <span>
#include <vector>

#include "instrument/accesses/buffer_accesses.h"
#include "instrument/ir/decorations.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {

// Along a stretch of code that waits for no other invocation and does not branch:
// - loads of bytes that adjoin or overlap, without a store between them that may be to the same memory,
// become
//   the first one's, as do stores without a load between them,
// - loads of what the same invocation stored before are the store's.
// The access that is left counts the others in `merged`. What is told of order by the one is told by all.
void merge_accesses(std::vector<BufferAccess>& accesses, std::span<const PlacedInstruction> placed,
                    const ModuleView& module, const Decorations& decorations);

}  // namespace shaderqa
#endif
