// SPDX-License-Identifier: Apache-2.0
// One traced invocation as a row of steps that can be walked in both directions. Nothing is executed: values
// come from the records, and variables from the loads and stores between them.
#ifndef SHADERQA_REPLAY_INVOCATION_H
#define SHADERQA_REPLAY_INVOCATION_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/traced_shader.h"

namespace shaderqa {

// A call of a function. Frame 0 is the first one that the trace has.
struct TraceFrame {
  uint32_t function = 0;
  int caller = -1;         // frame; -1: the entry point, or not in the trace
  uint32_t call_step = 0;  // of the OpFunctionCall, if there is a caller
  uint32_t depth = 0;      // of calls, those of inlined functions included
  uint32_t first_step = 0;
};

// An instruction that is about to run.
struct TraceStep {
  uint32_t entry = 0;  // index of the record whose values it may have defined
  uint32_t offset = 0;
  uint32_t frame = 0;
  DebugScope scope;
};

// A DebugDeclare or DebugValue that the invocation came to.
struct TraceBinding {
  uint32_t step = 0;  // the one behind it
  const DebugBinding* binding = nullptr;
};

// A variable; those of functions exist once in each frame.
struct TraceVariable {
  uint32_t id = 0;
  int frame = -1;
  auto operator<=>(const TraceVariable&) const = default;
};

// Where a pointer points.
struct TracePlace {
  TraceVariable variable;
  uint64_t dword = 0;
  uint32_t type = 0;  // of what is there
};

// A load or store, or an atomic, of dwords of a variable.
struct TraceAccess {
  uint32_t step = 0;
  bool writes = false;
  uint64_t dword = 0, count = 0;
  std::optional<std::vector<uint32_t>> dwords;  // nothing: the value is not known
  bool seen = false;                            // no access of the shader: what a store found there
};

// The same by an address.
struct AddressAccess {
  uint32_t step = 0;
  bool writes = false;
  uint64_t address = 0, bytes = 0;
  uint32_t type = 0;
  std::optional<std::vector<uint32_t>> dwords;  // nothing: the value is not known
  std::optional<std::vector<uint32_t>> before;  // of a store: what was there
};

// An instruction in the middle of which other shaders run: what began between `begin` and `end`.
struct ShaderCall {
  uint32_t step = 0;
  uint32_t begin = 0, end = 0;  // as TraceControl::sequence counts; UINT32_MAX: it is not back
};

// What a debugger changed while the invocation waited.
struct TraceChange {
  uint32_t record = 0;    // number of the record that came next
  uint32_t variable = 0;  // index in TracePlan::variables
  uint32_t mask = 0;      // bit i: component i
  uint32_t words[4] = {};
};

class Invocation {
 public:
  Invocation(const TracedShader& shader, const TraceSegment& segment);
  // One that a debugger has: `waits` is the piece before which it waits, whose first instruction is the last
  // step; nothing: it does not wait.
  Invocation(const TracedShader& shader, const TraceSegment& segment, std::optional<uint32_t> waits,
             const std::vector<TraceChange>& changes);

  const TracedShader& shader() const { return shader_; }
  const TraceSegment& segment() const { return segment_; }
  const std::vector<TraceStep>& steps() const { return steps_; }
  const TraceFrame& frame(uint32_t index) const { return frames_[index]; }
  // What is missing, for the user.
  const std::vector<std::string>& notes() const { return notes_; }
  // Whether the last record is that of the entry point's end.
  bool ends() const { return ends_; }

  // Calls around the step, those of inlined functions included.
  uint32_t depth(size_t step) const {
    return frames_[steps_[step].frame].depth + shader_.debug().inline_depth(steps_[step].scope.inlined_at);
  }
  // In the order of steps; null: none.
  const std::vector<TraceBinding>* bindings(uint32_t frame, uint32_t variable) const;
  const SourcePosition& position(size_t step) const { return shader_.position(steps_[step].offset); }
  // The dwords of a value before the step, in a frame. Nothing: it was not computed yet, or not recorded.
  std::optional<std::vector<uint32_t>> value(uint32_t id, uint32_t frame, size_t step) const;
  // Where a pointer of a frame points. Nothing: the trace cannot tell.
  std::optional<TracePlace> place(uint32_t pointer, uint32_t frame, size_t step, uint32_t depth = 0) const;
  // What the invocation knows about these dwords before the step, from its own accesses.
  std::vector<std::optional<uint32_t>> memory(const TraceVariable& variable, uint64_t dword, uint64_t count,
                                              size_t step) const;
  // In the order of steps; null: there is none.
  const std::vector<TraceAccess>* accesses(const TraceVariable& variable) const;
  const std::vector<AddressAccess>& address_accesses() const { return address_accesses_; }
  const std::vector<ShaderCall>& calls() const { return calls_; }
  // From here on the trace has all that ran before the step; before it code ran that was not traced, which
  // may have changed what lies in memory. 0: there was none.
  size_t whole_since(size_t step) const;
  // What it did last.
  struct Standing {
    enum class Kind : uint8_t {
      ended,
      at_barrier,  // it came to the barrier, and not through it
      elsewhere,
      unknown,  // the last records are missing
    };
    Kind kind = Kind::unknown;
    uint32_t offset = 0;  // of the barrier, or of the last instruction
  };
  Standing standing() const;
  // The id is that of a variable of the module or of a function.
  TraceVariable variable(uint32_t id, uint32_t frame) const;

 private:
  struct Entry {
    TraceRecord record;
    uint32_t frame = 0;
  };
  void read_records(std::optional<uint32_t> waits);
  void add_waiting_step(const TracePiece& piece);
  void add_changes(size_t step, const std::vector<TraceChange>& changes, size_t& next);
  void add_steps(const Entry& entry, uint32_t index);
  void note_missing(size_t records);
  uint32_t frame_of(const TracePiece* before, const TracePiece& piece, uint32_t frame, bool follows);
  bool is_gap(const TracePiece& before, const TracePiece& next, uint32_t frame) const;
  uint32_t frame_behind_gap(const TracePiece& next);
  DebugScope scope_of(uint32_t offset, uint32_t frame) const;
  uint32_t new_frame(uint32_t function, int caller);
  void read_accesses(const std::vector<TraceChange>& changes);
  void add_call_that_runs();
  void read_calls();
  void add_access(size_t step, uint32_t pointer, bool writes, std::optional<std::vector<uint32_t>> dwords,
                  std::optional<std::vector<uint32_t>> before = {});
  std::optional<std::vector<uint32_t>> after_atomic(size_t step, bool& writes) const;
  // A value that stands in a record and is no instruction's result.
  std::optional<std::vector<uint32_t>> recorded(uint32_t entry, TraceValue::Kind kind, uint32_t id) const;
  std::optional<std::vector<uint32_t>> result(size_t step) const;
  const TracePiece& piece(const Entry& entry) const { return shader_.plan().pieces[entry.record.piece]; }

  const TracedShader& shader_;
  const TraceSegment& segment_;
  std::vector<Entry> entries_;
  std::vector<TraceFrame> frames_;
  std::vector<TraceStep> steps_;
  std::vector<std::string> notes_;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> defined_;  // entries by frame and value
  std::map<TraceVariable, std::vector<TraceAccess>> accesses_;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<TraceBinding>> bindings_;  // by frame and variable
  std::vector<AddressAccess> address_accesses_;
  std::vector<ShaderCall> calls_;
  std::vector<size_t> gaps_;  // the steps behind code that was not traced
  bool ends_ = false;
};

}  // namespace shaderqa
#endif
