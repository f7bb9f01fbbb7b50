// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/trace_plan.h"

#include <algorithm>
#include <optional>

#include "instrument/ir/function_scan.h"
#include "instrument/passes/debug_stops.h"
#include "instrument/passes/printf_arguments.h"
#include "instrument/runtime/abi_trace.h"
#include "source/opcode.h"

namespace shaderqa {
namespace {

constexpr uint32_t max_value_dwords = 64;
constexpr uint32_t max_phi_dwords = 1024;

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
  Planner(const ModuleView& module, uint32_t entry_function, bool stops)
      : module_(module), reachable_(reachable_functions(module, entry_function)) {
    find_narrow_types();
    if (stops) lines_.emplace(module);
  }

  TracePlan plan() {
    for_each_instruction(module_.words(), module_.functions_offset(),
                         [&](InstructionView i, uint32_t offset) {
                           enter(i, offset);
                           return true;
                         });
    return std::move(plan_);
  }

 private:
  void find_narrow_types();
  void enter(InstructionView i, uint32_t offset);
  void enter_body(InstructionView i, uint32_t offset);
  void add_value(InstructionView i, uint32_t offset);
  void stop_before(InstructionView i, uint32_t offset);
  void split(uint32_t offset) {
    piece_.anchor = piece_.end = offset;
    finish();
    piece_.first = offset;
  }
  void finish() {
    const uint32_t function = piece_.function, block = piece_.block;
    plan_.pieces.push_back(std::move(piece_));
    piece_ = {};
    piece_.function = function;
    piece_.block = block;
    has_steps_ = false;
  }

  const ModuleView& module_;
  const std::vector<bool> reachable_;
  TracePlan plan_;
  TracePiece piece_;
  size_t functions_ = 0;
  // It has 8- or 16-bit types for storage only. Then no pointer to them may be converted, nor, which is more
  // than is needed, is any other.
  bool narrow_types_ = false;
  bool inside_ = false;              // a function that the entry point reaches
  std::optional<DebugLines> lines_;  // with stops
  bool has_steps_ = false;           // the piece has instructions of a statement
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
  if (breaks && i.op() != spv::Op::OpFunctionCall) split(offset);
  if (lines_) stop_before(i, offset);
  if (i.op() == spv::Op::OpSelectionMerge || i.op() == spv::Op::OpLoopMerge) {
    piece_.anchor = offset;
  } else if (spvOpcodeIsBlockTerminator(i.op())) {
    if (piece_.anchor == 0) piece_.anchor = offset;
    piece_.end = offset + i.size();
    finish();
    piece_.block = 0;
  } else {
    if (i.op() == spv::Op::OpFunctionCall) split(offset);
    add_value(i, offset);
  }
}

void Planner::add_value(InstructionView i, uint32_t offset) {
  const uint32_t id = i.word(2);
  const InstructionView definition = module_.definition(id);
  if (!definition || definition.words.data() != i.words.data() || i.op() == spv::Op::OpUndef) return;
  PrintfArgument argument;
  if (!describe_argument(module_, id, argument).empty()) return;
  const uint32_t dwords = [&] {
    uint32_t sum = 0;
    for (const Scalar& scalar : argument.scalars) sum += scalar.payload_dwords();
    return sum;
  }();
  if (dwords == 0) return;
  const bool pointers = std::ranges::any_of(
      argument.scalars, [](const Scalar& scalar) { return scalar.kind == ScalarKind::pointer; });
  const bool splits = i.op() != spv::Op::OpPhi && i.op() != spv::Op::OpFunctionParameter;
  if (dwords > max_value_dwords || (pointers && narrow_types_) ||
      (!splits && piece_.dwords + dwords > max_phi_dwords)) {
    ++plan_.left_out;
    return;
  }
  if (splits && piece_.dwords + dwords > SQA_TRACE_MAX_VALUES && piece_.first != offset) split(offset);
  piece_.values.push_back({id, dwords, std::move(argument.scalars)});
  piece_.dwords += dwords;
}

}  // namespace

TracePlan plan_trace(const ModuleView& module, uint32_t entry_function, bool stops) {
  TracePlan plan = Planner(module, entry_function, stops).plan();
  if (stops) find_changeable(module, plan);
  return plan;
}

}  // namespace shaderqa
