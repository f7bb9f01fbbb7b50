// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/set_aside.h"

#include <algorithm>
#include <array>
#include <optional>

namespace shaderqa {
namespace {

// Where an instruction may stand. nullopt: in none of the sections that can be set aside from.
std::optional<ModuleSection> section_of(spv::Op op) {
  switch (op) {
    case spv::Op::OpCapability:
      return ModuleSection::capabilities;
    case spv::Op::OpExecutionMode:
    case spv::Op::OpExecutionModeId:
      return ModuleSection::execution_modes;
    case spv::Op::OpDecorate:
    case spv::Op::OpDecorateId:
    case spv::Op::OpDecorateString:
    case spv::Op::OpMemberDecorate:
    case spv::Op::OpMemberDecorateString:
      return ModuleSection::annotations;
    default:
      return std::nullopt;
  }
}

bool known_opcode(spv::Op op) {
  switch (op) {
    case spv::Op::OpExtension:
    case spv::Op::OpExtInstImport:
    case spv::Op::OpMemoryModel:
    case spv::Op::OpEntryPoint:
    case spv::Op::OpString:
    case spv::Op::OpSource:
    case spv::Op::OpSourceContinued:
    case spv::Op::OpSourceExtension:
    case spv::Op::OpName:
    case spv::Op::OpMemberName:
    case spv::Op::OpModuleProcessed:
    case spv::Op::OpLine:
    case spv::Op::OpNoLine:
    case spv::Op::OpNop:
    case spv::Op::OpDecorationGroup:
    case spv::Op::OpGroupDecorate:
    case spv::Op::OpGroupMemberDecorate:
      return true;
    default:
      return section_of(op).has_value();
  }
}

// None of these instructions depends on another one, so that each can be parsed alone.
bool parses(spv_const_context context, uint32_t version, InstructionView instruction) {
  std::vector<uint32_t> words{spv::MagicNumber, version, 0, 0x00400000, 0};
  words.insert(words.end(), instruction.words.begin(), instruction.words.end());
  spv_diagnostic diagnostic = nullptr;
  const spv_result_t result =
      spvBinaryParse(context, nullptr, words.data(), words.size(), nullptr, nullptr, &diagnostic);
  spvDiagnosticDestroy(diagnostic);
  return result == SPV_SUCCESS;
}

// The section that an unknown opcode stands in, told by its neighbours: those of the first type end the
// search.
ModuleSection section_after(ModuleSection current, spv::Op op) {
  switch (op) {
    case spv::Op::OpEntryPoint:
    case spv::Op::OpExecutionMode:
    case spv::Op::OpExecutionModeId:
      return ModuleSection::execution_modes;
    case spv::Op::OpCapability:
    case spv::Op::OpExtension:
    case spv::Op::OpExtInstImport:
    case spv::Op::OpMemoryModel:
    case spv::Op::OpLine:
    case spv::Op::OpNoLine:
    case spv::Op::OpNop:
      return current;
    default:
      return ModuleSection::annotations;
  }
}

bool starts_types(spv::Op op) {
  return (op >= spv::Op::OpTypeVoid && op <= spv::Op::OpTypeForwardPointer) || op == spv::Op::OpFunction ||
         op == spv::Op::OpVariable || op == spv::Op::OpUndef || op == spv::Op::OpExtInst ||
         (op >= spv::Op::OpConstantTrue && op <= spv::Op::OpSpecConstantOp);
}

// Gives the sources that were set aside their languages again. They are in order, and the rest of their words
// is as it was.
void restore_languages(const std::vector<SetAside>& aside, std::vector<uint32_t>& words) {
  const auto is_source = [](const SetAside& each) { return each.section == ModuleSection::sources; };
  auto next = std::ranges::find_if(aside, is_source);
  for_each_instruction(words, header_words, [&](InstructionView instruction, uint32_t offset) {
    if (next == aside.end() || starts_types(instruction.op())) return false;
    if (instruction.words[0] == next->words[0] && instruction.word(1) == 0 &&
        std::ranges::equal(instruction.words.subspan(2), Words(next->words).subspan(2))) {
      words[offset + 1] = next->words[1];
      next = std::find_if(next + 1, aside.end(), is_source);
    }
    return true;
  });
}

}  // namespace

std::vector<uint32_t> set_aside_unknown(spv_const_context context, Words words,
                                        std::vector<SetAside>& aside) {
  std::vector<uint32_t> kept(words.begin(), words.begin() + header_words);
  kept.reserve(words.size());
  ModuleSection section = ModuleSection::capabilities;
  uint32_t rest = header_words;
  for_each_instruction(words, header_words, [&](InstructionView instruction, uint32_t offset) {
    const spv::Op op = instruction.op();
    if (starts_types(op)) return false;
    rest = offset + instruction.size();
    if (op == spv::Op::OpSource && instruction.size() > 2 && !parses(context, words[1], instruction)) {
      // Its file and text are of use.
      aside.push_back({ModuleSection::sources, {instruction.words.begin(), instruction.words.end()}});
      kept.insert(kept.end(), instruction.words.begin(), instruction.words.end());
      kept[kept.size() - instruction.size() + 1] = 0;
      return true;
    }
    const auto own_section = section_of(op);
    const bool candidate = own_section || !known_opcode(op);
    if (candidate && !parses(context, words[1], instruction)) {
      aside.push_back({own_section.value_or(section), {instruction.words.begin(), instruction.words.end()}});
    } else {
      kept.insert(kept.end(), instruction.words.begin(), instruction.words.end());
      section = section_after(section, op);
    }
    return true;
  });
  kept.insert(kept.end(), words.begin() + rest, words.end());
  return kept;
}

void put_back(const std::vector<SetAside>& aside, uint32_t entry_point, std::vector<uint32_t>& words) {
  if (aside.empty()) return;
  // Ends of the three sections; a section that is empty ends where the one before it does.
  std::array<uint32_t, 3> ends{header_words, header_words, header_words};
  for_each_instruction(words, header_words, [&](InstructionView instruction, uint32_t offset) {
    const spv::Op op = instruction.op();
    if (starts_types(op)) return false;
    const uint32_t end = offset + instruction.size();
    if (op == spv::Op::OpCapability) ends[0] = end;
    if (op == spv::Op::OpEntryPoint || section_of(op) == ModuleSection::execution_modes) ends[1] = end;
    ends[2] = end;
    return true;
  });
  std::vector<uint32_t> merged;
  merged.reserve(words.size() + aside.size() * 8);
  uint32_t from = 0;
  for (size_t section = 0; section < ends.size(); ++section) {
    merged.insert(merged.end(), words.begin() + from, words.begin() + ends[section]);
    from = ends[section];
    for (const SetAside& each : aside) {
      if (static_cast<size_t>(each.section) != section) continue;
      const InstructionView instruction{each.words};
      if (section_of(instruction.op()) == ModuleSection::execution_modes &&
          instruction.word(1) != entry_point)
        continue;
      merged.insert(merged.end(), each.words.begin(), each.words.end());
    }
  }
  merged.insert(merged.end(), words.begin() + from, words.end());
  words = std::move(merged);
  restore_languages(aside, words);
}

}  // namespace shaderqa
