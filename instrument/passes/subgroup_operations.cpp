// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/subgroup_operations.h"

#include <compare>
#include <map>
#include <utility>

#include "instrument/passes/function_words.h"
#include "source/opcode.h"
#include "source/opt/function.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

using spvtools::opt::Instruction;
using spvtools::opt::Operand;

bool has_values_of_others(spv::Op op) {
  switch (op) {
    case spv::Op::OpGroupNonUniformBroadcast:
    case spv::Op::OpGroupNonUniformBroadcastFirst:
    case spv::Op::OpGroupNonUniformShuffle:
    case spv::Op::OpGroupNonUniformShuffleXor:
    case spv::Op::OpGroupNonUniformShuffleUp:
    case spv::Op::OpGroupNonUniformShuffleDown:
    case spv::Op::OpGroupNonUniformRotateKHR:
    case spv::Op::OpGroupNonUniformQuadBroadcast:
    case spv::Op::OpGroupNonUniformQuadSwap:
      return true;
    default:
      return op >= spv::Op::OpGroupNonUniformIAdd && op <= spv::Op::OpGroupNonUniformLogicalXor;
  }
}

bool has_calls(const std::vector<uint32_t>& words) {
  bool found = false;
  for_each_instruction(words, 0, [&](InstructionView i, uint32_t) {
    found = i.op() == spv::Op::OpFunction &&
            (i.word(3) & static_cast<uint32_t>(spv::FunctionControlMask::DontInline)) != 0;
    return !found;
  });
  return found;
}

// One function for each kind of operation. What is constant (scope, kind of reduction, often the lane) is in
// the function: in some places SPIR-V wants it to be.
class OperationFunctions {
 public:
  explicit OperationFunctions(ModuleEditor& module) : module_(module), words_(module) {}

  void move(Instruction& instruction) {
    Kind kind{instruction.opcode(), instruction.type_id(), {}};
    std::vector<Operand> arguments;
    for (uint32_t n = 0; n < instruction.NumInOperands(); ++n) {
      const Operand& operand = instruction.GetInOperand(n);
      const Instruction* value =
          spvIsIdType(operand.type) ? module_.context().get_def_use_mgr()->GetDef(operand.AsId()) : nullptr;
      const bool constant = value == nullptr || spvOpcodeIsConstant(value->opcode()) != 0;
      kind.operands.emplace_back(constant ? operand.AsId() : 0, constant ? 0 : value->type_id());
      if (!constant) arguments.push_back({SPV_OPERAND_TYPE_ID, {operand.AsId()}});
    }
    const auto [entry, added] = functions_.try_emplace(std::move(kind));
    if (added) entry->second = add(entry->first);
    arguments.insert(arguments.begin(), {SPV_OPERAND_TYPE_ID, {entry->second}});
    instruction.SetOpcode(spv::Op::OpFunctionCall);
    instruction.SetInOperands(std::move(arguments));
    module_.context().UpdateDefUse(&instruction);
  }

  std::vector<uint32_t> take() { return words_.take(); }

 private:
  struct Kind {
    spv::Op op = spv::Op::OpNop;
    uint32_t type = 0;
    std::vector<std::pair<uint32_t, uint32_t>> operands;  // a constant or literal, or the type of a parameter
    // NOLINTNEXTLINE(modernize-use-nullptr): it takes the default for a 0
    auto operator<=>(const Kind&) const = default;
  };

  uint32_t add(const Kind& kind) {
    std::vector<uint32_t> types{kind.type};
    for (const auto& [constant, type] : kind.operands)
      if (type != 0) types.push_back(type);
    const uint32_t function_type = module_.global(spv::Op::OpTypeFunction, 0, types);
    const uint32_t function = module_.take_id();
    words_.add(spv::Op::OpFunction, {kind.type, function, 0, function_type});
    const uint32_t result = module_.take_id();
    std::vector<uint32_t> operands{kind.type, result};
    for (const auto& [constant, type] : kind.operands) {
      operands.push_back(type == 0 ? constant : module_.take_id());
      if (type != 0) words_.add(spv::Op::OpFunctionParameter, {type, operands.back()});
    }
    words_.label(module_.take_id());
    words_.add(kind.op, operands);
    words_.add(spv::Op::OpReturnValue, {result});
    words_.add(spv::Op::OpFunctionEnd, {});
    return function;
  }

  ModuleEditor& module_;
  FunctionWords words_;
  std::map<Kind, uint32_t> functions_;
};

}  // namespace

std::vector<uint32_t> move_subgroup_operations(ModuleEditor& module, const std::vector<uint32_t>& added) {
  if (!has_calls(added)) return {};
  OperationFunctions functions(module);
  for (auto& function : *module.context().module())
    function.ForEachInst([&](Instruction* instruction) {
      if (has_values_of_others(instruction->opcode())) functions.move(*instruction);
    });
  return functions.take();
}

}  // namespace shaderqa
