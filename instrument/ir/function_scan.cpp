// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/function_scan.h"

#include <algorithm>
#include <unordered_map>

#include "NonSemanticShaderDebugInfo100.h"
#include "source/opcode.h"

namespace shaderqa {
namespace {

bool contains(const std::vector<uint32_t>& ids, uint32_t id) {
  return std::ranges::find(ids, id) != ids.end();
}

struct Call {
  uint32_t caller;  // index
  uint32_t callee;  // id
};

// Which functions, by index, the entry point's function calls, itself included.
std::vector<bool> reachable_functions(const std::vector<uint32_t>& functions, const std::vector<Call>& calls,
                                      uint32_t entry_function) {
  std::unordered_map<uint32_t, uint32_t> index_of;
  for (uint32_t i = 0; i < functions.size(); ++i) index_of.emplace(functions[i], i);
  // Calls come sorted by caller.
  std::vector<uint32_t> first_call(functions.size() + 1, 0);
  for (const Call& call : calls) ++first_call[call.caller + 1];
  for (size_t i = 0; i < functions.size(); ++i) first_call[i + 1] += first_call[i];

  std::vector<bool> reachable(functions.size(), false);
  std::vector<uint32_t> pending;
  const auto reach = [&](uint32_t id) {
    const auto found = index_of.find(id);
    if (found == index_of.end() || reachable[found->second]) return;
    reachable[found->second] = true;
    pending.push_back(found->second);
  };
  reach(entry_function);
  while (!pending.empty()) {
    const uint32_t caller = pending.back();
    pending.pop_back();
    for (uint32_t i = first_call[caller]; i < first_call[caller + 1]; ++i) reach(calls[i].callee);
  }
  return reachable;
}

}  // namespace

std::vector<bool> reachable_functions(const ModuleView& module, uint32_t entry_function) {
  std::vector<uint32_t> functions;
  std::vector<Call> calls;
  for_each_instruction(module.words(), module.functions_offset(), [&](InstructionView i, uint32_t) {
    if (i.op() == spv::Op::OpFunction) functions.push_back(i.word(2));
    if (i.op() == spv::Op::OpFunctionCall && !functions.empty())
      calls.push_back({static_cast<uint32_t>(functions.size()) - 1, i.word(3)});
    return true;
  });
  return reachable_functions(functions, calls, entry_function);
}

std::vector<PrintfInstruction> find_printf_instructions(const ModuleView& module, uint32_t entry_function) {
  const auto printf_sets = module.imports(debug_printf_set);
  const auto debug_sets = module.shader_debug_sets();
  std::vector<PrintfInstruction> found;
  std::vector<uint32_t> functions;
  std::vector<Call> calls;
  uint32_t line = 0;
  for_each_instruction(module.words(), module.functions_offset(), [&](InstructionView i, uint32_t offset) {
    switch (i.op()) {
      case spv::Op::OpFunction:
        functions.push_back(i.word(2));
        break;
      case spv::Op::OpFunctionCall:
        if (!functions.empty()) calls.push_back({static_cast<uint32_t>(functions.size()) - 1, i.word(3)});
        break;
      case spv::Op::OpLine:
        line = offset;
        break;
      case spv::Op::OpNoLine:
        line = 0;
        break;
      case spv::Op::OpExtInst:
        if (contains(printf_sets, i.word(3)) && i.word(4) == debug_printf_instruction) {
          if (!functions.empty())
            found.push_back({offset, static_cast<uint32_t>(functions.size()) - 1,
                             static_cast<uint32_t>(found.size()), line, false});
        } else if (!debug_sets.empty() && contains(debug_sets, i.word(3))) {
          if (i.word(4) == NonSemanticShaderDebugInfo100DebugLine) line = offset;
          if (i.word(4) == NonSemanticShaderDebugInfo100DebugNoLine) line = 0;
        }
        break;
      default:
        if (spvOpcodeIsBlockTerminator(i.op())) line = 0;
        break;
    }
    return true;
  });
  if (found.empty()) return found;
  const auto reachable = reachable_functions(functions, calls, entry_function);
  for (PrintfInstruction& printf : found) printf.reachable = reachable[printf.function];
  return found;
}

}  // namespace shaderqa
