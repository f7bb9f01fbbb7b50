// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/value_pass.h"

#include <algorithm>

#include "instrument/ir/remove_if.h"
#include "instrument/ir/replace_uses.h"
#include "instrument/ir/value_bits.h"
#include "instrument/runtime/abi_report.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

using spvtools::opt::Instruction;

constexpr uint32_t debug_break_instruction = 1;

// A uvec2: an integer or bool, zero-extended.
uint32_t dwords_of(SiteBuilder& site, const NumericType& type, uint32_t value) {
  ModuleEditor& module = site.module();
  const uint32_t uint_type = module.uint_type();
  const uint32_t uvec2 = module.vector_type(uint_type, 2);
  const uint32_t zero = module.constant(0);
  uint32_t low = value;
  if (type.width == 64) return site.emit(spv::Op::OpBitcast, uvec2, {value});
  if (type.boolean)
    low = site.emit(spv::Op::OpSelect, uint_type, {value, module.constant(1), zero});
  else if (type.width < 32)
    low = site.emit(spv::Op::OpUConvert, uint_type, {value});
  else if (type.component_type != uint_type)
    low = site.emit(spv::Op::OpBitcast, uint_type, {value});
  return site.emit(spv::Op::OpCompositeConstruct, uvec2, {low, zero});
}

}  // namespace

bool ValuePass::is_break(InstructionView i) const {
  return i.op() == spv::Op::OpExtInst && i.word(4) == debug_break_instruction &&
         std::ranges::find(breaks_, i.word(3)) != breaks_.end();
}

bool ValuePass::is_break(const Instruction& instruction) const {
  return instruction.opcode() == spv::Op::OpExtInst && !breaks_.empty() &&
         instruction.GetSingleWordInOperand(1) == debug_break_instruction &&
         std::ranges::find(breaks_, instruction.GetSingleWordInOperand(0)) != breaks_.end();
}

void ValuePass::check_expectation(const PlacedInstruction& at) {
  const Instruction& instruction = *at.instruction;
  const NumericType type = numeric_type(checks_.module().view(), instruction.type_id());
  if (type.width == 0 || type.floating) return;
  SiteBuilder site(checks_.module(), at.instruction);
  const auto values = components(site, type, instruction.GetSingleWordInOperand(0));
  const auto expected = components(site, type, instruction.GetSingleWordInOperand(1));
  std::vector<uint32_t> equal, dwords;
  for (size_t i = 0; i < values.size(); ++i) {
    const uint32_t bool_type = checks_.module().bool_type();
    equal.push_back(site.emit(type.boolean ? spv::Op::OpLogicalEqual : spv::Op::OpIEqual, bool_type,
                              {values[i], expected[i]}));
    dwords.push_back(dwords_of(site, type, values[i]));
  }
  const uint32_t ok = all_of(site, equal);
  const uint32_t value = first_false(site, equal, dwords, 2);
  checks_.check(site, at, SQA_CHECK_EXPECT, ok, value);
}

// Removes assumptions that were checked. If they were kept, the driver could conclude that the check always
// succeeds.
bool ValuePass::remove_instructions() {
  const bool assumptions = options_.assume || !options_.keep_assume;
  const bool expectations = !options_.keep_assume;
  std::unordered_map<uint32_t, uint32_t> replaced;
  std::vector<Instruction*> removed;
  for (auto& function : *context()->module()) {
    for (auto& block : function) {
      for (auto& instruction : block) {
        const bool is_assumption = instruction.opcode() == spv::Op::OpAssumeTrueKHR;
        const bool is_expectation = instruction.opcode() == spv::Op::OpExpectKHR;
        if (is_expectation && expectations)
          replaced.emplace(instruction.result_id(), instruction.GetSingleWordInOperand(0));
        else if (options_.assume && is_break(instruction))
          replaced.emplace(instruction.result_id(), 0);
        else if (!is_assumption || !assumptions)
          continue;
        removed.push_back(&instruction);
      }
    }
  }
  for (Instruction* instruction : removed) {
    instruction->RemoveFromList();
    delete instruction;
  }
  remove_names(*context(), replaced);
  std::erase_if(replaced, [](const auto& pair) { return pair.second == 0; });
  replace_uses(*context(), replaced);
  return !removed.empty();
}

// Returns whether anything was removed.
bool ValuePass::remove_unused_declarations() {
  bool hints = false;
  for (auto& function : *context()->module())
    for (auto& block : function)
      for (auto& instruction : block)
        hints = hints || instruction.opcode() == spv::Op::OpAssumeTrueKHR ||
                instruction.opcode() == spv::Op::OpExpectKHR;
  spvtools::opt::Module& module = *context()->module();
  bool removed = false;
  if (!hints) {
    removed = remove_instructions_if(module.capabilities(), [](const Instruction& capability) {
      return capability.GetSingleWordInOperand(0) == static_cast<uint32_t>(spv::Capability::ExpectAssumeKHR);
    });
    remove_instructions_if(module.extensions(), [](const Instruction& extension) {
      return extension.GetInOperand(0).AsString() == "SPV_KHR_expect_assume";
    });
  }
  // Instructions of the set that stay, and its name, keep the import.
  if (breaks_.empty() || !options_.assume) return removed;
  const auto is_import = [&](uint32_t id) { return std::ranges::find(breaks_, id) != breaks_.end(); };
  bool used = false;
  for (const Instruction& name : module.debugs2())
    used = used || (name.opcode() == spv::Op::OpName && is_import(name.GetSingleWordInOperand(0)));
  for (auto& function : module)
    for (auto& block : function)
      for (auto& instruction : block)
        used = used || (instruction.opcode() == spv::Op::OpExtInst &&
                        is_import(instruction.GetSingleWordInOperand(0)));
  if (used) return removed;
  bool non_semantic = false;
  remove_instructions_if(module.ext_inst_imports(), [&](const Instruction& import) {
    if (is_import(import.result_id())) return true;
    non_semantic = non_semantic || import.GetInOperand(0).AsString().starts_with("NonSemantic.");
    return false;
  });
  if (non_semantic) return true;
  remove_instructions_if(module.extensions(), [](const Instruction& extension) {
    return extension.GetInOperand(0).AsString() == "SPV_KHR_non_semantic_info";
  });
  return true;
}

spvtools::opt::Pass::Status ValuePass::Process() {
  const uint32_t before = checks_.calls();
  for (const PlacedInstruction& at : placed_) {
    // Reads the words, since an earlier pass may have deleted instructions of its own.
    const InstructionView instruction = checks_.module().view().at(at.offset);
    if (options_.assume && instruction.op() == spv::Op::OpAssumeTrueKHR) {
      SiteBuilder site(checks_.module(), at.instruction);
      checks_.check(site, at, SQA_CHECK_ASSUME, at.instruction->GetSingleWordInOperand(0));
    } else if (options_.assume && is_break(instruction)) {
      SiteBuilder site(checks_.module(), at.instruction);
      const uint32_t no = checks_.module().bool_constant(false);
      checks_.check(site, at, SQA_CHECK_BREAKPOINT, no);
    } else if (options_.expect && instruction.op() == spv::Op::OpExpectKHR) {
      check_expectation(at);
    }
  }
  bool removed = remove_instructions();
  if (removed || !options_.keep_assume) removed = remove_unused_declarations() || removed;
  if (checks_.module().exhausted()) return Status::Failure;
  return removed || checks_.calls() != before ? Status::SuccessWithChange : Status::SuccessWithoutChange;
}

}  // namespace shaderqa
