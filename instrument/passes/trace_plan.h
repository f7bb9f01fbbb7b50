// SPDX-License-Identifier: Apache-2.0
// What each record of a trace holds: a pure function of the shader's words, so that the pass, which writes
// the records, and the replay, which reads them, agree without a table in the trace. A change here needs
// another kTraceVersion (host/trace/trace_file.h).
#ifndef SHADERQA_INSTRUMENT_PASSES_TRACE_PLAN_H
#define SHADERQA_INSTRUMENT_PASSES_TRACE_PLAN_H

#include <cstdint>
#include <vector>

#include "instrument/code_window.h"
#include "instrument/ir/module_view.h"
#include "instrument/shader_record.h"

namespace shaderqa {

// A value of a record: the result of an instruction, or a parameter of a function.
struct TraceValue {
  enum class Kind : uint8_t {
    result,    // of the instruction `id`
    before,    // what was in memory before the store at word offset `id`
    sequence,  // position among everything that traced invocations count (sqa_trace_sequence)
  };
  uint32_t id = 0;
  uint32_t dwords = 0;
  std::vector<Scalar> scalars;  // flattened, in the order of their dwords
  Kind kind = Kind::result;
};

// An access to memory that a debugger can stop before if it leaves its buffer (debug_accesses.h).
struct CheckedAccess {
  uint32_t pointer = 0;
  uint32_t bytes = 0;  // through a physical pointer; else an element of a runtime array is accessed:
  // The structure that has the array: a variable, or an element of one that is an array.
  uint32_t variable = 0, descriptor = 0;  // descriptor: id of the index; 0: the variable is no array
  uint32_t member = 0;
  uint32_t index = 0;  // id
};

// A stretch of a basic block that one record stands for. A block is one piece, or several where something in
// it may not return, calls a function, waits, or where its values are many.
struct TracePiece {
  uint32_t function = 0;        // its id
  uint32_t block = 0;           // id of the label
  uint32_t first = 0, end = 0;  // word offsets: its instructions
  uint32_t anchor = 0;          // word offset of the instruction before which the record is written
  uint32_t dwords = 0;
  bool starts_function = false;
  bool outside = false;  // it lies outside of the code that is traced: no record is written
  // Word offset of the instruction before which a debugger can stop; 0: it cannot stop in this piece.
  uint32_t stop = 0;
  bool asks = false;                    // that instruction is OpAssumeTrueKHR or NonSemantic.DebugBreak
  std::vector<CheckedAccess> accesses;  // of that instruction
  std::vector<TraceValue> values;
};

// A value of 32 bits, or a vector of such or bool, that a debugger can change: a variable or parameter, or a
// member of one.
struct ChangeableVariable {
  uint32_t function = 0;  // id; 0: a variable of the module
  uint32_t pointer = 0;   // id of the variable or parameter
  std::vector<uint32_t> members;
  uint32_t type = 0;               // scalar or vector
  uint32_t dword = 0, dwords = 0;  // in the flattened variable
};

struct TracePlan {
  std::vector<TracePiece> pieces;
  // Those that can be changed at stops, in the order of their numbers, the first of which is 1.
  std::vector<ChangeableVariable> variables;
  bool too_many_changes = false;  // so `variables` is empty
  uint32_t left_out = 0;   // values that are too large for a record, or pointers that must not be converted
  uint32_t unchecked = 0;  // accesses to buffers before which nothing is checked
};

// Covers all functions that the entry point's function reaches, in module order. Pieces are the same whatever
// the window is. Inside of it are those that have one of its lines or lie in one of its functions, and the
// first pieces of functions that have such, so that a replay can tell one call from the next.
TracePlan plan_trace(const ModuleView& module, uint32_t entry_function, PlanKind kind = PlanKind::trace,
                     const CodeWindow& window = {});

}  // namespace shaderqa
#endif
