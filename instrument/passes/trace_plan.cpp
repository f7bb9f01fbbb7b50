// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/trace_plan.h"

#include <algorithm>
#include <optional>

#include "instrument/ir/function_scan.h"
#include "instrument/passes/debug_accesses.h"
#include "instrument/passes/debug_stops.h"
#include "instrument/passes/printf_arguments.h"
#include "instrument/passes/window_walk.h"
#include "instrument/runtime/abi_trace.h"
#include "source/opcode.h"

namespace shaderqa {
namespace {

constexpr uint32_t max_value_dwords = 64;
constexpr uint32_t max_phi_dwords = 1024;

// Other shaders run in the middle of it.
bool calls_shaders(spv::Op op) { return op == spv::Op::OpTraceRayKHR || op == spv::Op::OpExecuteCallableKHR; }

// The record behind it says that the invocation came through.
bool stands_alone(spv::Op op) { return op == spv::Op::OpControlBarrier || calls_shaders(op); }

// After these another invocation, another function or nobody goes on, so what was before is written first.
bool breaks_piece(spv::Op op) {
  switch (op) {
    case spv::Op::OpFunctionCall:
    case spv::Op::OpControlBarrier:
    case spv::Op::OpDemoteToHelperInvocation:
    case spv::Op::OpTraceRayKHR:
    case spv::Op::OpExecuteCallableKHR:
    case spv::Op::OpReportIntersectionKHR:
    case spv::Op::OpEmitVertex:
    case spv::Op::OpSetMeshOutputsEXT:
      return true;
    default:
      return false;
  }
}

class Planner {
 public:
  Planner(const ModuleView& module, uint32_t entry_function, PlanKind kind, const CodeWindow& window)
      : module_(module), reachable_(reachable_functions(module, entry_function)), window_(module, window) {
    find_narrow_types();
    if (kind == PlanKind::trace) return;
    lines_.emplace(module);
    accesses_.emplace(module, !narrow_types_);
    checks_accesses_ = kind == PlanKind::stops_and_accesses;
  }

  TracePlan plan() {
    for_each_instruction(module_.words(), module_.functions_offset(),
                         [&](InstructionView i, uint32_t offset) {
                           enter(i, offset);
                           return true;
                         });
    keep_begins();
    return std::move(plan_);
  }

 private:
  void find_narrow_types();
  void keep_begins();
  void enter(InstructionView i, uint32_t offset);
  void enter_body(InstructionView i, uint32_t offset);
  void add_value(InstructionView i, uint32_t offset);
  void add_value(TraceValue value, uint32_t offset, bool splits);
  void add_sequence();
  void stop_before(InstructionView i, uint32_t offset);
  void stop_at_access(InstructionView i, uint32_t offset);
  void split(uint32_t offset) {
    piece_.anchor = piece_.end = offset;
    finish();
    piece_.first = offset;
  }
  void finish() {
    const uint32_t function = piece_.function, block = piece_.block;
    piece_.outside = !window_.take_met(function);
    plan_.pieces.push_back(std::move(piece_));
    piece_ = {};
    piece_.function = function;
    piece_.block = block;
    has_steps_ = false;
  }

  const ModuleView& module_;
  const std::vector<bool> reachable_;
  WindowWalk window_;
  TracePlan plan_;
  TracePiece piece_;
  size_t functions_ = 0;
  // It has 8- or 16-bit types for storage only. Then no pointer to them may be converted, nor, which is more
  // than is needed, is any other.
  bool narrow_types_ = false;
  bool inside_ = false;              // a function that the entry point reaches
  std::optional<DebugLines> lines_;  // with stops
  std::optional<DebugAccesses> accesses_;
  bool checks_accesses_ = false;
  bool has_steps_ = false;    // the piece has instructions of a statement
  bool ended_alone_ = false;  // the piece ends behind its instruction
};

// Lets a debugger stop before the instruction if a statement begins with it. What stands before it in the
// piece, phis and parameters as well, becomes a piece of its own, so that the stop shows it.
void Planner::stop_before(InstructionView i, uint32_t offset) {
  const bool called = offset == piece_.first && i.op() == spv::Op::OpFunctionCall;
  const DebugLines::Step step = called ? DebugLines::Step::none : lines_->enter(i);
  const bool stops =
      step == DebugLines::Step::begins || (step == DebugLines::Step::goes_on && piece_.stop == 0);
  if (stops && piece_.anchor == 0) {
    if (piece_.dwords != 0 || has_steps_) split(offset);
    piece_.stop = offset;
    piece_.asks = lines_->asks_for_stop(i);
  }
  if (step != DebugLines::Step::none) has_steps_ = true;
}

// The access stands first in its piece, so that what it depends on has been recorded at the stop.
void Planner::stop_at_access(InstructionView i, uint32_t offset) {
  std::vector<CheckedAccess> checked = accesses_->checked(i, plan_.unchecked);
  if (checked.empty() || piece_.anchor != 0) return;
  if (piece_.stop != offset && (piece_.dwords != 0 || has_steps_)) split(offset);
  piece_.stop = offset;
  piece_.accesses = std::move(checked);
  has_steps_ = true;
}

// Nothing can stop in a piece that has no record.
void Planner::keep_begins() {
  TracePiece* begin = nullptr;
  for (TracePiece& piece : plan_.pieces) {
    if (piece.starts_function) begin = &piece;
    if (!piece.outside && begin) begin->outside = false;
  }
  for (TracePiece& piece : plan_.pieces)
    if (piece.outside) piece.stop = 0;
}

void Planner::find_narrow_types() {
  for_each_instruction(module_.words(), header_words, [&](InstructionView i, uint32_t offset) {
    if (offset >= module_.functions_offset()) return false;
    const bool integer = i.op() == spv::Op::OpTypeInt, floating = i.op() == spv::Op::OpTypeFloat;
    if (!integer && !floating) return true;
    if (i.word(2) == 8 && integer && !module_.has_capability(spv::Capability::Int8)) narrow_types_ = true;
    if (i.word(2) == 16 &&
        !module_.has_capability(integer ? spv::Capability::Int16 : spv::Capability::Float16))
      narrow_types_ = true;
    return true;
  });
}

void Planner::enter(InstructionView i, uint32_t offset) {
  window_.enter(i, offset);
  if (i.op() == spv::Op::OpFunction) {
    inside_ = functions_ < reachable_.size() && reachable_[functions_];
    ++functions_;
    piece_ = {};
    piece_.function = i.word(2);
    piece_.starts_function = true;
  } else if (inside_ && i.op() == spv::Op::OpFunctionParameter) {
    add_value(i, offset);
  } else if (inside_ && i.op() == spv::Op::OpLabel) {
    piece_.block = i.word(1);
    piece_.first = offset + i.size();
    has_steps_ = false;
    if (lines_) lines_->begin_block();
  } else if (inside_ && piece_.block != 0) {
    enter_body(i, offset);
  }
}

void Planner::enter_body(InstructionView i, uint32_t offset) {
  // A call belongs to the piece that it ends, and what else ends a piece to the one behind it.
  const bool breaks = breaks_piece(i.op());
  if (ended_alone_ && i.op() != spv::Op::OpLine && i.op() != spv::Op::OpNoLine &&
      !module_.is_non_semantic(i)) {
    ended_alone_ = false;
    if (!breaks) split(offset);  // else it is done below
  }
  if (breaks && i.op() != spv::Op::OpFunctionCall) {
    if (calls_shaders(i.op())) add_sequence();
    split(offset);
  }
  if (lines_) stop_before(i, offset);
  if (checks_accesses_) stop_at_access(i, offset);
  if (i.op() == spv::Op::OpSelectionMerge || i.op() == spv::Op::OpLoopMerge) {
    piece_.anchor = offset;
  } else if (spvOpcodeIsBlockTerminator(i.op())) {
    if (piece_.anchor == 0) piece_.anchor = offset;
    piece_.end = offset + i.size();
    finish();
    piece_.block = 0;
  } else {
    if (i.op() == spv::Op::OpFunctionCall) split(offset);
    if (accesses_)
      if (auto before = accesses_->before_store(i, offset)) add_value(std::move(*before), offset, true);
    add_value(i, offset);
    if (stands_alone(i.op())) {
      if (calls_shaders(i.op())) add_sequence();
      ended_alone_ = true;
    }
  }
}

void Planner::add_sequence() {
  piece_.values.push_back({0, 1, {Scalar{ScalarKind::unsigned_int, 32}}, TraceValue::Kind::sequence});
  ++piece_.dwords;
}

void Planner::add_value(InstructionView i, uint32_t offset) {
  const uint32_t id = i.word(2);
  const InstructionView definition = module_.definition(id);
  if (!definition || definition.words.data() != i.words.data() || i.op() == spv::Op::OpUndef) return;
  PrintfArgument argument;
  if (!describe_argument(module_, id, argument).empty()) return;
  const bool splits = i.op() != spv::Op::OpPhi && i.op() != spv::Op::OpFunctionParameter;
  add_value({id, 0, std::move(argument.scalars)}, offset, splits);
}

void Planner::add_value(TraceValue value, uint32_t offset, bool splits) {
  for (const Scalar& scalar : value.scalars) value.dwords += scalar.payload_dwords();
  const uint32_t dwords = value.dwords;
  if (dwords == 0) return;
  const bool pointers = std::ranges::any_of(
      value.scalars, [](const Scalar& scalar) { return scalar.kind == ScalarKind::pointer; });
  if (dwords > max_value_dwords || (pointers && narrow_types_) ||
      (!splits && piece_.dwords + dwords > max_phi_dwords)) {
    ++plan_.left_out;
    return;
  }
  if (splits && piece_.dwords + dwords > SQA_TRACE_MAX_VALUES && piece_.first != offset) split(offset);
  piece_.values.push_back(std::move(value));
  piece_.dwords += dwords;
}

}  // namespace

TracePlan plan_trace(const ModuleView& module, uint32_t entry_function, PlanKind kind,
                     const CodeWindow& window) {
  TracePlan plan = Planner(module, entry_function, kind, window).plan();
  if (kind != PlanKind::trace) find_changeable(module, plan);
  return plan;
}

}  // namespace shaderqa
