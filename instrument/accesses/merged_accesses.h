// SPDX-License-Identifier: Apache-2.0
// Merges checks of neighbouring accesses (such as the members of a structure) and of accesses to the same
// bytes, where no other access comes between them. Each check costs as much code as a small shader has.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_MERGED_ACCESSES_H
#define SHADERQA_INSTRUMENT_ACCESSES_MERGED_ACCESSES_H

#include <span>
#include <vector>

#include "instrument/accesses/buffer_accesses.h"
#include "instrument/ir/decorations.h"
#include "instrument/ir/module_view.h"

namespace shaderqa {

// Along a stretch of code that waits for no other invocation and does not branch:
// - loads of adjoining or overlapping bytes, without a store between them that may be to the same memory, are
//   merged into the first one; so are stores without a load between them,
// - loads of bytes that the same invocation stored before are merged into the store.
// The remaining access counts the others in `merged`. What it reveals about order holds for all of them.
void merge_accesses(std::vector<BufferAccess>& accesses, std::span<const PlacedInstruction> placed,
                    const ModuleView& module, const Decorations& decorations);

// Whether code behind the instruction may see other memory than code before it, or may not run.
bool separates_accesses(spv::Op op);

}  // namespace shaderqa
#endif
