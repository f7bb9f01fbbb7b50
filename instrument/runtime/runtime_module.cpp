// SPDX-License-Identifier: Apache-2.0
#include "instrument/runtime/runtime_module.h"

#include <stdexcept>

#include "instrument/runtime_words/bloom_int32.h"
#include "instrument/runtime_words/bloom_int64.h"
#include "instrument/runtime_words/checks_only.h"
#include "instrument/runtime_words/exact_buffered.h"
#include "instrument/runtime_words/exact_buffered_releases.h"
#include "instrument/runtime_words/exact_cells.h"
#include "instrument/runtime_words/exact_cells_releases.h"
#include "instrument/runtime_words/exact_footprints.h"
#include "instrument/runtime_words/picture_cells.h"
#include "instrument/runtime_words/picture_divergence.h"
#include "instrument/runtime_words/printf_int32.h"
#include "instrument/runtime_words/printf_int32_subgroup.h"
#include "instrument/runtime_words/printf_int64.h"
#include "instrument/runtime_words/printf_int64_subgroup.h"
#include "instrument/runtime_words/trace_records.h"
#include "instrument/runtime_words/workgroup_cells.h"
#include "instrument/runtime_words/workgroup_cells_block.h"
#include "source/opcode.h"
#include "source/operand.h"
#include "spirv-tools/libspirv.h"

namespace shaderqa {
namespace {

constexpr uint32_t device_scope = 1;
constexpr uint32_t workgroup_memory = static_cast<uint32_t>(spv::MemorySemanticsMask::WorkgroupMemory);
constexpr uint32_t acquire_release = static_cast<uint32_t>(spv::MemorySemanticsMask::AcquireRelease);

struct Parse {
  const uint32_t* begin;
  std::vector<RuntimeInstruction> instructions;
  std::vector<uint32_t> constants;  // by id; 0 where it is none
};

spv_result_t on_instruction(void* user, const spv_parsed_instruction_t* parsed) {
  Parse& parse = *static_cast<Parse*>(user);
  RuntimeInstruction instruction{static_cast<uint32_t>(parsed->words - parse.begin)};
  if (parsed->opcode == static_cast<uint16_t>(spv::Op::OpConstant))
    parse.constants[parsed->result_id] = parsed->words[3];
  for (uint16_t i = 0; i < parsed->num_operands; ++i) {
    const spv_parsed_operand_t& operand = parsed->operands[i];
    if (!spvIsIdType(operand.type)) continue;
    if (operand.offset >= 32) {
      // Only an OpEntryPoint is that long, and none is imported.
      if (parsed->opcode == static_cast<uint16_t>(spv::Op::OpEntryPoint)) break;
      return SPV_ERROR_INVALID_BINARY;
    }
    const uint32_t bit = 1u << operand.offset;
    const uint32_t id = parsed->words[operand.offset];
    instruction.ids |= bit;
    if (operand.type == SPV_OPERAND_TYPE_SCOPE_ID && parse.constants[id] == device_scope)
      instruction.device_scopes |= bit;
    if (operand.type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID && parse.constants[id] != 0)
      instruction.barrier_semantics |= bit;
    if ((instruction.barrier_semantics & bit) != 0 && (parse.constants[id] & acquire_release) != 0)
      instruction.acquires = true;
    if ((instruction.barrier_semantics & bit) != 0 && (parse.constants[id] & workgroup_memory) != 0)
      instruction.of_workgroup = true;
  }
  parse.instructions.push_back(instruction);
  return SPV_SUCCESS;
}

}  // namespace

RuntimeModule::RuntimeModule(Words words) : words_(words), function_of_(words[3], -1), names_(words[3]) {
  Parse parse{words.data(), {}, std::vector<uint32_t>(words[3], 0)};
  const spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
  const spv_result_t result =
      spvBinaryParse(context, &parse, words.data(), words.size(), nullptr, on_instruction, nullptr);
  spvContextDestroy(context);
  if (result != SPV_SUCCESS) throw std::logic_error("a module of the runtime cannot be read");

  uint32_t main = 0;
  bool in_main = false;
  bool in_functions = false;
  for (const RuntimeInstruction& instruction : parse.instructions) {
    const InstructionView i = view(instruction);
    switch (i.op()) {
      case spv::Op::OpCapability:
        capabilities_.push_back(static_cast<spv::Capability>(i.word(1)));
        break;
      case spv::Op::OpEntryPoint:
        main = i.word(2);
        break;
      case spv::Op::OpName: {
        const std::string_view name(reinterpret_cast<const char*>(&i.words[2]));
        names_[i.word(1)] = name.substr(0, name.find('('));
        break;
      }
      case spv::Op::OpDecorate:
      case spv::Op::OpMemberDecorate:
        annotations_.push_back(instruction);
        break;
      case spv::Op::OpFunction:
        in_functions = true;
        in_main = i.word(2) == main;
        if (!in_main) {
          function_of_[i.word(2)] = static_cast<int>(functions_.size());
          functions_.push_back({names_[i.word(2)], i.word(2), static_cast<uint32_t>(code_.size()), 0});
        }
        break;
      // A forward declaration of a pointer. None of these structures refers to itself.
      case spv::Op::OpTypeForwardPointer:
        continue;
      default:
        if (!in_functions &&
            (spvOpcodeGeneratesType(i.op()) || spvOpcodeIsConstant(i.op()) || i.op() == spv::Op::OpVariable))
          globals_.push_back(instruction);
        break;
    }
    if (!in_functions || in_main) continue;
    code_.push_back(instruction);
    functions_.back().last = static_cast<uint32_t>(code_.size());
  }
}

const RuntimeModule& RuntimeModule::printf(bool int64, bool subgroup) {
  if (int64 && subgroup) {
    static const RuntimeModule module(printf_int64_subgroup);
    return module;
  }
  if (int64) {
    static const RuntimeModule module(printf_int64);
    return module;
  }
  if (subgroup) {
    static const RuntimeModule module(printf_int32_subgroup);
    return module;
  }
  static const RuntimeModule module(printf_int32);
  return module;
}

const RuntimeModule& RuntimeModule::checks() {
  static const RuntimeModule module(checks_only);
  return module;
}

const RuntimeModule& RuntimeModule::trace() {
  static const RuntimeModule module(trace_records);
  return module;
}

const RuntimeModule& RuntimeModule::picture(bool divergence) {
  if (divergence) {
    static const RuntimeModule module(picture_divergence);
    return module;
  }
  static const RuntimeModule module(picture_cells);
  return module;
}

const RuntimeModule& RuntimeModule::bloom(bool int64) {
  if (int64) {
    static const RuntimeModule module(bloom_int64);
    return module;
  }
  static const RuntimeModule module(bloom_int32);
  return module;
}

const RuntimeModule& RuntimeModule::exact(bool buffered) {
  if (buffered) {
    static const RuntimeModule module(exact_buffered);
    return module;
  }
  static const RuntimeModule module(exact_cells);
  return module;
}

const RuntimeModule& RuntimeModule::exact_with_releases(bool buffered) {
  if (buffered) {
    static const RuntimeModule module(exact_buffered_releases);
    return module;
  }
  static const RuntimeModule module(exact_cells_releases);
  return module;
}

const RuntimeModule& RuntimeModule::exact_with_footprints() {
  static const RuntimeModule module(exact_footprints);
  return module;
}

const RuntimeModule& RuntimeModule::workgroup(bool blocks) {
  if (blocks) {
    static const RuntimeModule module(workgroup_cells_block);
    return module;
  }
  static const RuntimeModule module(workgroup_cells);
  return module;
}

int RuntimeModule::function(std::string_view name) const {
  for (size_t i = 0; i < functions_.size(); ++i)
    if (functions_[i].name == name) return static_cast<int>(i);
  return -1;
}

}  // namespace shaderqa
