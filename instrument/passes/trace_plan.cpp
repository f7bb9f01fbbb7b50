// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/trace_plan.h"

#include <algorithm>

#include "instrument/ir/function_scan.h"
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
  Planner(const ModuleView& module, uint32_t entry_function)
      : module_(module), reachable_(reachable_functions(module, entry_function)) {
    find_narrow_types();
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
  }

  const ModuleView& module_;
  const std::vector<bool> reachable_;
  TracePlan plan_;
  TracePiece piece_;
  size_t functions_ = 0;
  // It has 8- or 16-bit types for storage only. Then no pointer to them may be converted, nor, which is more
  // than is needed, is any other.
  bool narrow_types_ = false;
  bool inside_ = false;  // a function that the entry point reaches
};

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
  } else if (inside_ && piece_.block != 0) {
    enter_body(i, offset);
  }
}

void Planner::enter_body(InstructionView i, uint32_t offset) {
  if (i.op() == spv::Op::OpSelectionMerge || i.op() == spv::Op::OpLoopMerge) {
    piece_.anchor = offset;
  } else if (spvOpcodeIsBlockTerminator(i.op())) {
    if (piece_.anchor == 0) piece_.anchor = offset;
    piece_.end = offset + i.size();
    finish();
    piece_.block = 0;
  } else {
    if (breaks_piece(i.op())) split(offset);
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

TracePlan plan_trace(const ModuleView& module, uint32_t entry_function) {
  return Planner(module, entry_function).plan();
}

}  // namespace shaderqa
