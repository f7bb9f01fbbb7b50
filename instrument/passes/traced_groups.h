// SPDX-License-Identifier: Apache-2.0
// A traced shader has its code twice, with records and without (second_version.h). Invocations that do
// something together, such as to wait for each other at a barrier, must run the same of the two.
#ifndef SHADERQA_INSTRUMENT_PASSES_TRACED_GROUPS_H
#define SHADERQA_INSTRUMENT_PASSES_TRACED_GROUPS_H

#include <array>
#include <cstdint>
#include <optional>

#include "instrument/ir/module_editor.h"

namespace shaderqa {

enum class TracedTogether {
  nothing,    // each invocation for itself
  subgroup,   // those of a subgroup: it has subgroup operations or derivatives
  workgroup,  // those of a workgroup: it has barriers
  all,        // the code cannot be there twice
};

// From the instructions of the functions that the entry point reaches.
TracedTogether traced_together(const ModuleView& module, const EntryPoint& entry_point);

// The size of the entry point's workgroup, in ids of constants (32-bit integers). Nothing: none is declared.
std::optional<std::array<uint32_t, 3>> workgroup_size_ids(ModuleEditor& module,
                                                          const EntryPoint& entry_point);

}  // namespace shaderqa
#endif
