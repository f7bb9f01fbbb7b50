// One check for loads of a uniform block that follow each other: compilers read such blocks component by
// component, and each check costs as much code as a small shader has.
#ifndef SHADERQA_INSTRUMENT_MERGED_LOADS_H
#define SHADERQA_INSTRUMENT_MERGED_LOADS_H

#include <span>
#include <vector>

#include "instrument/buffer_accesses.h"
#include "instrument/decorations.h"
#include "instrument/module_view.h"

namespace shaderqa {

// Loads of bytes that adjoin or overlap, with nothing between them that waits for other invocations or ends
// the block, become the first one's, which then counts the others in `merged`.
void merge_uniform_loads(std::vector<BufferAccess>& accesses, std::span<const PlacedInstruction> placed,
                         const ModuleView& module, const Decorations& decorations);

}  // namespace shaderqa
#endif
