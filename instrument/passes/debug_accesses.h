// SPDX-License-Identifier: Apache-2.0
// Accesses to memory as a debugger needs them: what was there before a store, and what says whether an access
// leaves its buffer. Parts of the plan of a trace (trace_plan.h).
#ifndef SHADERQA_INSTRUMENT_PASSES_DEBUG_ACCESSES_H
#define SHADERQA_INSTRUMENT_PASSES_DEBUG_ACCESSES_H

#include <cstdint>
#include <optional>
#include <vector>

#include "instrument/ir/decorations.h"
#include "instrument/ir/memory_layout.h"
#include "instrument/passes/trace_plan.h"

namespace shaderqa {

// The pointer that an instruction stores through, atomics included; 0: it does not store.
uint32_t stored_pointer(InstructionView i);
// The pointer that it reads or writes through; a copy's target. 0: none.
uint32_t accessed_pointer(InstructionView i);

class DebugAccesses {
 public:
  // addresses: physical pointers may be converted to numbers.
  DebugAccesses(const ModuleView& module, bool addresses)
      : module_(module), decorations_(module), layout_(module, decorations_), addresses_(addresses) {}

  // What a store replaces, in memory that others write as well. Nothing for atomics that give it back, for
  // memory that the shader must not read, and for what records do not hold.
  std::optional<TraceValue> before_store(InstructionView i, uint32_t offset) const;
  // The checks before an instruction. unchecked: counts accesses to buffers that cannot be checked.
  std::vector<CheckedAccess> checked(InstructionView i, uint32_t& unchecked) const;

 private:
  bool may_be_read(uint32_t pointer) const;
  std::optional<CheckedAccess> check(uint32_t pointer) const;
  std::optional<CheckedAccess> check_index(uint32_t pointer) const;
  bool has_32_bits(uint32_t value) const;

  const ModuleView& module_;
  const Decorations decorations_;
  const MemoryLayout layout_;
  const bool addresses_;
};

}  // namespace shaderqa
#endif
