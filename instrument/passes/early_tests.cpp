// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/early_tests.h"

#include <algorithm>
#include <string_view>

#include "source/opcode.h"

namespace shaderqa {
namespace {

constexpr const char* discards = "the shader discards fragments";
constexpr const char* reads_attachment = "the shader reads an attachment";
constexpr const char* writes_memory = "the shader writes to memory";

// The modes of the entry point, as far as they have no operand.
bool has_mode(const ModuleView& view, const EntryPoint& entry_point, spv::ExecutionMode mode) {
  bool found = false;
  for_each_instruction(view.words(), header_words, [&](InstructionView i, uint32_t offset) {
    found = found || (i.op() == spv::Op::OpExecutionMode && i.word(1) == entry_point.function &&
                      static_cast<spv::ExecutionMode>(i.word(2)) == mode);
    return !found && offset < view.functions_offset();
  });
  return found;
}

// Built-in outputs that the tests depend on.
const char* written_by_outputs(const ModuleView& view) {
  const char* obstacle = "";
  for_each_instruction(view.words(), header_words, [&](InstructionView i, uint32_t offset) {
    if (i.op() == spv::Op::OpDecorate &&
        static_cast<spv::Decoration>(i.word(2)) == spv::Decoration::BuiltIn) {
      const auto builtin = static_cast<spv::BuiltIn>(i.word(3));
      const InstructionView variable = view.definition(i.word(1), spv::Op::OpVariable);
      const bool output =
          variable && static_cast<spv::StorageClass>(variable.word(3)) == spv::StorageClass::Output;
      if (builtin == spv::BuiltIn::FragDepth) obstacle = "the shader writes the depth";
      if (builtin == spv::BuiltIn::FragStencilRefEXT) obstacle = "the shader writes the stencil reference";
      if (builtin == spv::BuiltIn::SampleMask && output) obstacle = "the shader writes the sample mask";
    }
    return offset < view.functions_offset();
  });
  return obstacle;
}

// Early tests write the depth before the shader reads it.
bool reads_attachments(const ModuleView& view) {
  constexpr uint32_t dimension_word = 3;
  bool found = false;
  for_each_instruction(view.words(), header_words, [&](InstructionView i, uint32_t offset) {
    found = found || (i.op() == spv::Op::OpTypeImage &&
                      static_cast<spv::Dim>(i.word(dimension_word)) == spv::Dim::SubpassData);
    return !found && offset < view.functions_offset();
  });
  return found;
}

bool is_private(const ModuleView& view, uint32_t pointer) {
  const InstructionView type = view.definition(view.type_of(pointer), spv::Op::OpTypePointer);
  if (!type) return false;
  const auto storage = static_cast<spv::StorageClass>(type.word(2));
  return storage == spv::StorageClass::Function || storage == spv::StorageClass::Private ||
         storage == spv::StorageClass::Output;
}

const char* obstacle_in(const ModuleView& view, InstructionView i) {
  switch (i.op()) {
    case spv::Op::OpKill:
    case spv::Op::OpTerminateInvocation:
    case spv::Op::OpDemoteToHelperInvocation:
      return discards;
    case spv::Op::OpStore:
    case spv::Op::OpCopyMemory:
    case spv::Op::OpCopyMemorySized:
      return is_private(view, i.word(1)) ? "" : writes_memory;
    default:
      break;
  }
  // Whatever else writes, of extensions, too.
  const std::string_view name = spvOpcodeString(i.op());
  if (name.find("AttachmentRead") != name.npos) return reads_attachment;
  for (const std::string_view part : {"Store", "Write", "Atomic", "TexelPointer", "Interlock"})
    if (name.find(part) != name.npos) return writes_memory;
  return "";
}

}  // namespace

bool declares_early_tests(const ModuleView& view, const EntryPoint& entry_point) {
  return has_mode(view, entry_point, spv::ExecutionMode::EarlyFragmentTests);
}

std::string obstacle_to_early_tests(const ModuleView& view, const EntryPoint& entry_point,
                                    const InstrumentOptions& options) {
  if (options.printf && has_debug_printf(view.words()))
    return "the shader prints, in hidden fragments, too (SHADERQA_PRINTF=0 leaves that out)";
  if (options.trace || options.sync.enabled || options.workgroup.any() || options.assume || options.expect ||
      options.nan != NanCheck::none)
    return "other checks are on, which also look at hidden fragments";
  if (has_mode(view, entry_point, spv::ExecutionMode::EarlyAndLateFragmentTestsAMD))
    return "the shader chooses its tests itself";
  if (reads_attachments(view)) return reads_attachment;
  const char* obstacle = written_by_outputs(view);
  for_each_instruction(view.words(), view.functions_offset(), [&](InstructionView i, uint32_t) {
    if (*obstacle == 0) obstacle = obstacle_in(view, i);
    return *obstacle == 0;
  });
  return obstacle;
}

}  // namespace shaderqa
