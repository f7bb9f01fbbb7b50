// SPDX-License-Identifier: Apache-2.0
// Nearly all invocations of a traced shader are not traced. They run the program's own code: a copy of it
// without records, which one branch at the start of the entry point takes.
#ifndef SHADERQA_INSTRUMENT_PASSES_UNTRACED_VERSION_H
#define SHADERQA_INSTRUMENT_PASSES_UNTRACED_VERSION_H

#include <cstdint>

#include "instrument/ir/decorations.h"
#include "instrument/ir/module_editor.h"

namespace spvtools::opt {
class Instruction;
}

namespace shaderqa {

// What TracePass has added.
struct TraceAdditions {
  uint32_t first_id = 0, end_id = 0;            // ids from the first to before the second are of its code
  spvtools::opt::Instruction* first = nullptr;  // of what begins the trace, up to ...
  spvtools::opt::Instruction* last = nullptr;   // ... this one
  uint32_t traced = 0;  // a bool, result of one of these: run the code with records; 0: always
};

// Called after all passes. Then drivers are asked not to unroll loops in the code with records, whose speed
// does not matter any more. Does nothing where there would be too much code.
void make_untraced_version(const TraceAdditions& additions, ModuleEditor& module,
                           const Decorations& decorations, const EntryPoint& entry_point);

}  // namespace shaderqa
#endif
