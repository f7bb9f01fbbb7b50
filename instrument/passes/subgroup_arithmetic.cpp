// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/subgroup_arithmetic.h"

#include <map>
#include <utility>

#include "instrument/passes/function_words.h"
#include "source/opt/function.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

using spvtools::opt::Instruction;
using spvtools::opt::Operand;

// In-operands of the instructions: scope, group operation, value and, of clustered ones, the size.
constexpr uint32_t value_operand = 2;

bool is_arithmetic(spv::Op op) {
  return op >= spv::Op::OpGroupNonUniformIAdd && op <= spv::Op::OpGroupNonUniformLogicalXor;
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

// One function for each kind of operation: its words but for the value.
class ArithmeticFunctions {
 public:
  explicit ArithmeticFunctions(ModuleEditor& module) : module_(module), words_(module) {}

  void move(Instruction& instruction) {
    std::vector<uint32_t> kind{static_cast<uint32_t>(instruction.opcode()), instruction.type_id()};
    for (uint32_t n = 0; n < instruction.NumInOperands(); ++n)
      if (n != value_operand) kind.push_back(instruction.GetSingleWordInOperand(n));
    const auto [entry, added] = functions_.try_emplace(std::move(kind));
    if (added) entry->second = add(entry->first);
    const uint32_t value = instruction.GetSingleWordInOperand(value_operand);
    instruction.SetOpcode(spv::Op::OpFunctionCall);
    instruction.SetInOperands(
        {Operand{SPV_OPERAND_TYPE_ID, {entry->second}}, Operand{SPV_OPERAND_TYPE_ID, {value}}});
    module_.context().UpdateDefUse(&instruction);
  }

  std::vector<uint32_t> take() { return words_.take(); }

 private:
  uint32_t add(const std::vector<uint32_t>& kind) {
    const uint32_t type = kind[1];
    const uint32_t function_type = module_.global(spv::Op::OpTypeFunction, 0, {type, type});
    const uint32_t function = module_.take_id();
    const uint32_t value = module_.take_id();
    words_.add(spv::Op::OpFunction, {type, function, 0, function_type});
    words_.add(spv::Op::OpFunctionParameter, {type, value});
    words_.label(module_.take_id());
    const uint32_t result = module_.take_id();
    std::vector<uint32_t> operands{type, result, kind[2], kind[3], value};
    operands.insert(operands.end(), kind.begin() + 4, kind.end());
    words_.add(static_cast<spv::Op>(kind[0]), operands);
    words_.add(spv::Op::OpReturnValue, {result});
    words_.add(spv::Op::OpFunctionEnd, {});
    return function;
  }

  ModuleEditor& module_;
  FunctionWords words_;
  std::map<std::vector<uint32_t>, uint32_t> functions_;
};

}  // namespace

std::vector<uint32_t> move_subgroup_arithmetic(ModuleEditor& module, const std::vector<uint32_t>& added) {
  if (!has_calls(added)) return {};
  ArithmeticFunctions functions(module);
  for (auto& function : *module.context().module())
    function.ForEachInst([&](Instruction* instruction) {
      if (is_arithmetic(instruction->opcode())) functions.move(*instruction);
    });
  return functions.take();
}

}  // namespace shaderqa
