// SPDX-License-Identifier: Apache-2.0
#include "replay/invocation.h"

#include <algorithm>

#include "source/opcode.h"

namespace shaderqa {
namespace {

constexpr uint32_t kMostPointerDepth = 64;
constexpr uint64_t kMostDwordsShown = 65536;

bool returns(spv::Op op) { return op == spv::Op::OpReturn || op == spv::Op::OpReturnValue; }

// A variable that no shader changes while it runs.
bool is_constant(InstructionView variable) {
  const auto storage = static_cast<spv::StorageClass>(variable.word(3));
  return storage == spv::StorageClass::Input || storage == spv::StorageClass::UniformConstant ||
         storage == spv::StorageClass::PushConstant;
}

// Instructions that nobody wants to stop at.
bool is_step(InstructionView i) {
  switch (i.op()) {
    case spv::Op::OpLine:
    case spv::Op::OpNoLine:
    case spv::Op::OpVariable:
    case spv::Op::OpSelectionMerge:
    case spv::Op::OpLoopMerge:
    case spv::Op::OpNop:
      return false;
    default:
      return true;
  }
}

}  // namespace

Invocation::Invocation(const TracedShader& shader, const TraceSegment& segment)
    : Invocation(shader, segment, std::nullopt, {}) {}

Invocation::Invocation(const TracedShader& shader, const TraceSegment& segment, std::optional<uint32_t> waits,
                       const std::vector<TraceChange>& changes)
    : shader_(shader), segment_(segment) {
  read_records(waits);
  read_calls();
  read_accesses(changes);
}

uint32_t Invocation::new_frame(uint32_t function, int caller) {
  TraceFrame frame;
  frame.function = function;
  frame.caller = caller;
  frame.first_step = static_cast<uint32_t>(steps_.size());
  if (caller >= 0) {
    frame.call_step = static_cast<uint32_t>(steps_.size() - 1);
    frame.depth = depth(frame.call_step) + 1;
  }
  frames_.push_back(frame);
  return static_cast<uint32_t>(frames_.size() - 1);
}

// Whether code without records may have run between two pieces, the first one of `frame`.
bool Invocation::is_gap(const TracePiece& before, const TracePiece& next, uint32_t frame) const {
  if (!shader_.gaps().any()) return false;
  const uint32_t last = steps_.empty() ? 0 : steps_.back().offset;
  if (last < before.first || last >= before.end || !returns(shader_.view().at(last).op()))
    return shader_.gaps().after(static_cast<uint32_t>(&before - shader_.plan().pieces.data()));
  const TraceFrame& callee = frames_[frame];
  return callee.caller < 0 || next.first != steps_[callee.call_step].offset;
}

// The first pieces of functions that have records have one, and no function calls itself. So the latest call
// of the function is the one that goes on.
uint32_t Invocation::frame_behind_gap(const TracePiece& next) {
  if (!next.starts_function)
    for (size_t i = frames_.size(); i-- > 0;)
      if (frames_[i].function == next.function) return static_cast<uint32_t>(i);
  return new_frame(next.function, -1);
}

size_t Invocation::whole_since(size_t step) const {
  const auto behind = std::ranges::upper_bound(gaps_, step);
  return behind == gaps_.begin() ? 0 : *(behind - 1);
}

// The frame of a piece that comes after another one of `frame`. follows: nothing is missing between them.
uint32_t Invocation::frame_of(const TracePiece* before, const TracePiece& piece, uint32_t frame,
                              bool follows) {
  if (!before || !follows) return new_frame(piece.function, -1);
  if (is_gap(*before, piece, frame)) {
    gaps_.push_back(steps_.size());
    return frame_behind_gap(piece);
  }
  const ModuleView& view = shader_.view();
  const InstructionView next = view.at(before->end);
  if (piece.starts_function && piece.first != before->end && next.op() == spv::Op::OpFunctionCall &&
      next.word(3) == piece.function)
    return new_frame(piece.function, static_cast<int>(frame));
  const uint32_t last = steps_.empty() ? 0 : steps_.back().offset;
  // A piece may have no steps, such as one with a call's result alone.
  if (last >= before->first && last < before->end && returns(view.at(last).op())) {
    const int caller = frames_[frame].caller;
    if (caller >= 0 && frames_[static_cast<size_t>(caller)].function == piece.function)
      return static_cast<uint32_t>(caller);
    return new_frame(piece.function, -1);
  }
  return frames_[frame].function == piece.function ? frame : new_frame(piece.function, -1);
}

// Blocks begin without a scope, and some instructions have none.
DebugScope Invocation::scope_of(uint32_t offset, uint32_t frame) const {
  if (shader_.debug().empty()) return {};
  const DebugScope scope = shader_.debug().scope(offset);
  if (scope.scope != 0) return scope;
  if (!steps_.empty() && steps_.back().frame == frame) return steps_.back().scope;
  return shader_.debug().scope_of_function(frames_[frame].function);
}

const std::vector<TraceBinding>* Invocation::bindings(uint32_t frame, uint32_t variable) const {
  const auto found = bindings_.find({frame, variable});
  return found == bindings_.end() ? nullptr : &found->second;
}

void Invocation::add_steps(const Entry& entry, uint32_t index) {
  const TracePiece& at = piece(entry);
  const ModuleView& view = shader_.view();
  for_each_instruction(view.words(), at.first, [&](InstructionView i, uint32_t offset) {
    // The call that ends a piece runs before the callee's records, and its result is in the next piece.
    const bool call = offset == at.end && i.op() == spv::Op::OpFunctionCall;
    if (offset >= at.end && !call) return false;
    const bool called = offset == at.first && at.first != at.end && i.op() == spv::Op::OpFunctionCall;
    const bool asks = at.asks && offset == at.stop;
    if (is_step(i) && !called && (asks || !view.is_non_semantic(i)))
      steps_.push_back({index, offset, entry.frame, scope_of(offset, entry.frame)});
    if (const DebugBinding* binding = shader_.debug().binding(offset))
      bindings_[{entry.frame, binding->variable}].push_back({static_cast<uint32_t>(steps_.size()), binding});
    return !call;
  });
}

// Its values are not there yet: no record has the number of its entry.
void Invocation::add_waiting_step(const TracePiece& piece) {
  const bool complete = entries_.empty() || entries_.back().record.number + 1 == segment_.count;
  const TracePiece* before = entries_.empty() ? nullptr : &this->piece(entries_.back());
  const uint32_t frame = frame_of(before, piece, entries_.empty() ? 0 : entries_.back().frame, complete);
  const ModuleView& view = shader_.view();
  uint32_t offset = piece.stop;
  for_each_instruction(view.words(), piece.stop, [&](InstructionView i, uint32_t at) {
    offset = at;
    return !piece.asks && (!is_step(i) || view.is_non_semantic(i));
  });
  steps_.push_back({static_cast<uint32_t>(entries_.size()), offset, frame, scope_of(offset, frame)});
}

void Invocation::read_records(std::optional<uint32_t> waits) {
  std::string note;
  const std::vector<TraceRecord> records = split_records(segment_, shader_.dwords_of_piece(), note);
  if (!note.empty()) notes_.push_back(note);
  const TracePiece* before = nullptr;
  uint32_t frame = 0, number = 0;
  for (const TraceRecord& record : records) {
    const TracePiece& next = shader_.plan().pieces[record.piece];
    frame = frame_of(before, next, frame, record.number == number + 1);
    const uint32_t index = static_cast<uint32_t>(entries_.size());
    entries_.push_back({record, frame});
    for (const TraceValue& value : next.values)
      if (value.kind == TraceValue::Kind::result) defined_[{frame, value.id}].push_back(index);
    add_steps(entries_.back(), index);
    before = &next;
    number = record.number;
  }
  const bool complete = !records.empty() && records.back().number + 1 == segment_.count;
  ends_ = complete && !steps_.empty() && frames_[steps_.back().frame].function == shader_.entry_function() &&
          steps_.back().entry + 1 == entries_.size() &&
          spvOpcodeIsReturnOrAbort(shader_.view().at(steps_.back().offset).op());
  if (waits && *waits < shader_.plan().pieces.size()) {
    add_waiting_step(shader_.plan().pieces[*waits]);
    return;
  }
  add_call_that_runs();
  note_missing(records.size());
}

std::optional<std::vector<uint32_t>> Invocation::recorded(uint32_t entry, TraceValue::Kind kind,
                                                          uint32_t id) const {
  if (entry >= entries_.size()) return std::nullopt;
  uint32_t at = entries_[entry].record.at;
  for (const TraceValue& value : piece(entries_[entry]).values) {
    if (value.kind == kind && value.id == id)
      return std::vector<uint32_t>(segment_.dwords.begin() + at, segment_.dwords.begin() + at + value.dwords);
    at += value.dwords;
  }
  return std::nullopt;
}

// The record that has it comes when the other shaders are done.
void Invocation::add_call_that_runs() {
  if (entries_.empty() || entries_.back().record.number + 1 != segment_.count) return;
  const uint32_t last = static_cast<uint32_t>(entries_.size() - 1);
  if (ends_ || !recorded(last, TraceValue::Kind::sequence, 0)) return;
  const uint32_t call = piece(entries_.back()).end;
  const spv::Op op = shader_.view().at(call).op();
  if (op != spv::Op::OpTraceRayKHR && op != spv::Op::OpExecuteCallableKHR) return;
  const uint32_t frame = entries_.back().frame;
  steps_.push_back({last + 1, call, frame, scope_of(call, frame)});
}

void Invocation::read_calls() {
  for (uint32_t step = 0; step < steps_.size(); ++step) {
    const spv::Op op = shader_.view().at(steps_[step].offset).op();
    if (op != spv::Op::OpTraceRayKHR && op != spv::Op::OpExecuteCallableKHR) continue;
    const uint32_t entry = steps_[step].entry;
    const auto begin = entry == 0 ? std::nullopt : recorded(entry - 1, TraceValue::Kind::sequence, 0);
    const auto end = recorded(entry, TraceValue::Kind::sequence, 0);
    if (begin) calls_.push_back({step, begin->front(), end ? end->front() : UINT32_MAX});
  }
}

Invocation::Standing Invocation::standing() const {
  if (ends_) return {Standing::Kind::ended, 0};
  if (entries_.empty() || entries_.back().record.number + 1 != segment_.count)
    return {Standing::Kind::unknown, 0};
  const uint32_t next = piece(entries_.back()).end;
  if (next >= shader_.view().words().size()) return {Standing::Kind::unknown, 0};
  const bool waits = shader_.view().at(next).op() == spv::Op::OpControlBarrier;
  return {waits ? Standing::Kind::at_barrier : Standing::Kind::elsewhere,
          waits || steps_.empty() ? next : steps_.back().offset};
}

void Invocation::note_missing(size_t records) {
  const uint32_t skip = segment_.dwords[SQA_TRACE_SKIP];
  const std::string of = " of " + std::to_string(segment_.count) + " records";
  if (records == 0) {
    notes_.push_back("it has no records" +
                     (segment_.count != 0 ? ": none" + of + " is in the window (trace_skip, trace_records)"
                                          : std::string()));
    return;
  }
  const uint32_t first = entries_.front().record.number, last = entries_.back().record.number;
  if (first != 0)
    notes_.push_back("the first " + std::to_string(first) + of + " are not in the trace" +
                     (first == skip ? " (trace_skip)" : "; a larger trace_segment_size keeps more"));
  if (last + 1 < segment_.count)
    notes_.push_back(
        "the last " + std::to_string(segment_.count - last - 1) + of +
        " are not in the trace; a larger trace_segment_size keeps more, trace_skip pages on, and "
        "trace_last keeps the end");
  else if (!ends_ && shader_.gaps().any())
    notes_.emplace_back("what it did behind the last record, if anything, is not traced (trace_code)");
  else if (!ends_)
    notes_.emplace_back(
        "the trace ends before the invocation does: it was still running, or what it did next "
        "ended it or the program");
}

std::optional<std::vector<uint32_t>> Invocation::value(uint32_t id, uint32_t frame, size_t step) const {
  if (auto constant = shader_.constant(id)) return constant;
  const auto found = defined_.find({frame, id});
  if (found == defined_.end()) return std::nullopt;
  const InstructionView definition = shader_.view().definition(id);
  const uint32_t defined_at = static_cast<uint32_t>(definition.words.data() - shader_.view().words().data());
  const bool at_end = step >= steps_.size();
  const uint32_t entry = at_end ? UINT32_MAX : steps_[step].entry;
  const std::vector<uint32_t>& entries = found->second;
  auto after = std::ranges::upper_bound(entries, entry);
  while (after != entries.begin()) {
    const Entry& candidate = entries_[*--after];
    if (*after == entry && defined_at >= steps_[step].offset) continue;  // it comes later in this record
    uint32_t at = candidate.record.at;
    for (const TraceValue& value : piece(candidate).values) {
      if (value.kind == TraceValue::Kind::result && value.id == id)
        return std::vector<uint32_t>(segment_.dwords.begin() + at,
                                     segment_.dwords.begin() + at + value.dwords);
      at += value.dwords;
    }
  }
  return std::nullopt;
}

TraceVariable Invocation::variable(uint32_t id, uint32_t frame) const {
  const InstructionView definition = shader_.view().definition(id, spv::Op::OpVariable);
  const bool local = definition && definition.word(3) == static_cast<uint32_t>(spv::StorageClass::Function);
  return {id, local ? static_cast<int>(frame) : -1};
}

std::optional<TracePlace> Invocation::place(uint32_t pointer, uint32_t frame, size_t step,
                                            uint32_t depth) const {
  const ModuleView& view = shader_.view();
  const InstructionView i = view.definition(pointer);
  if (!i || depth > kMostPointerDepth) return std::nullopt;
  switch (i.op()) {
    case spv::Op::OpVariable:
      return TracePlace{variable(pointer, frame), 0, shader_.pointee(i.word(1))};
    case spv::Op::OpCopyObject:
      return place(i.word(3), frame, step, depth + 1);
    case spv::Op::OpFunctionParameter: {
      const TraceFrame& callee = frames_[frame];
      // Nobody knows what it points to. What is stored there by its name is known all the same.
      if (callee.caller < 0)
        return TracePlace{{pointer, static_cast<int>(frame)}, 0, shader_.pointee(i.word(1))};
      uint32_t number = 0;
      bool found = false;
      const InstructionView function = view.definition(callee.function);
      for_each_instruction(view.words(), static_cast<uint32_t>(function.words.data() - view.words().data()),
                           [&](InstructionView each, uint32_t) {
                             if (each.op() == spv::Op::OpFunctionParameter) {
                               found = each.word(2) == pointer;
                               ++number;
                             }
                             return !found && each.op() != spv::Op::OpLabel;
                           });
      const InstructionView call = view.at(steps_[callee.call_step].offset);
      if (!found) return std::nullopt;
      return place(call.word(3 + number), static_cast<uint32_t>(callee.caller), callee.call_step, depth + 1);
    }
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain: {
      auto at = place(i.word(3), frame, step, depth + 1);
      for (uint32_t word = 4; at && word < i.size(); ++word) {
        const auto index = value(i.word(word), frame, step);
        if (!index || index->empty()) return std::nullopt;
        at->type = shader_.part(at->type, (*index)[0], at->dword);
        if (at->type == 0) return std::nullopt;
      }
      return at;
    }
    default:
      return std::nullopt;
  }
}

const std::vector<TraceAccess>* Invocation::accesses(const TraceVariable& variable) const {
  const auto found = accesses_.find(variable);
  return found == accesses_.end() ? nullptr : &found->second;
}

std::vector<std::optional<uint32_t>> Invocation::memory(const TraceVariable& variable, uint64_t dword,
                                                        uint64_t count, size_t step) const {
  std::vector<std::optional<uint32_t>> dwords(std::min(count, kMostDwordsShown));
  const InstructionView definition = shader_.view().definition(variable.id, spv::Op::OpVariable);
  const size_t known_since = definition && is_constant(definition) ? 0 : whole_since(step);
  if (definition && definition.size() > 4 && known_since == 0) {
    if (const auto initial = shader_.constant(definition.word(4)))
      for (size_t i = 0; i < dwords.size() && dword + i < initial->size(); ++i)
        dwords[i] = (*initial)[dword + i];
  }
  const std::vector<TraceAccess>* all = accesses(variable);
  if (!all) return dwords;
  for (const TraceAccess& access : *all) {
    if (access.step >= step) break;
    if (access.step < known_since) continue;
    const uint64_t begin = std::max(dword, access.dword);
    const uint64_t end = std::min(dword + dwords.size(), access.dword + access.count);
    for (uint64_t at = begin; at < end; ++at) {
      std::optional<uint32_t>& known = dwords[at - dword];
      if (access.dwords)
        known = (*access.dwords)[at - access.dword];
      else if (access.writes)
        known.reset();
    }
  }
  return dwords;
}

}  // namespace shaderqa
