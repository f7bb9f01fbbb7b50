// SPDX-License-Identifier: Apache-2.0
#include "replay/traced_shader.h"

#include <algorithm>

#include "NonSemanticShaderDebugInfo100.h"
#include "instrument/ir/function_scan.h"
#include "instrument/ir/memory_layout.h"
#include "source/opcode.h"
#include "spirv-tools/libspirv.hpp"

namespace shaderqa {

std::unique_ptr<TracedShader> TracedShader::load(const TraceShader& shader, std::string& error) {
  std::unique_ptr<TracedShader> traced(new TracedShader(shader));
  if (!traced->read(error)) return nullptr;
  return traced;
}

bool TracedShader::read(std::string& error) {
  loaded_ = load_module(shader_.words);
  if (!loaded_.context) {
    error = loaded_.error;
    return false;
  }
  const auto& entries = view().entry_points();
  const auto entry = std::ranges::find_if(entries, [&](const EntryPoint& each) {
    return each.stage == shader_.stage && each.name == shader_.entry_point;
  });
  if (entry == entries.end()) {
    error = "it has no entry point \"" + shader_.entry_point + "\" of stage " + to_string(shader_.stage);
    return false;
  }
  decorations_.emplace(view());
  plan_ = plan_trace(view(), entry->function, shader_.plan, shader_.code);
  gaps_.emplace(view(), plan_);
  entry_function_ = entry->function;
  for (const TracePiece& piece : plan_.pieces) dwords_of_piece_.push_back(piece.dwords);
  debug_.read(view());
  read_names();
  read_lines();
  read_texts();
  return true;
}

void TracedShader::read_names() {
  for_each_instruction(view().words(), header_words, [&](InstructionView i, uint32_t offset) {
    if (offset >= view().functions_offset()) return false;
    if (i.op() == spv::Op::OpName) {
      std::string name = literal_string(i, 2);
      const InstructionView function = view().definition(i.word(1), spv::Op::OpFunction);
      if (function) name = name.substr(0, name.find('('));
      names_[i.word(1)] = std::move(name);
    }
    if (i.op() == spv::Op::OpMemberName) member_names_[{i.word(1), i.word(2)}] = literal_string(i, 3);
    if (i.op() == spv::Op::OpVariable) globals_.push_back(i.word(2));
    return true;
  });
  // Where a compiler gives names in the debug information alone.
  for_each_instruction(view().words(), header_words, [&](InstructionView i, uint32_t) {
    if (i.op() != spv::Op::OpVariable && i.op() != spv::Op::OpFunction) return true;
    if (std::string name = debug_.name(i.word(2)); !name.empty() && names_[i.word(2)].empty())
      names_[i.word(2)] = std::move(name);
    return true;
  });
}

void TracedShader::read_lines() {
  SourcePositions positions(view());
  const auto debug_sets = view().shader_debug_sets();
  uint32_t line = 0;
  for_each_instruction(view().words(), view().functions_offset(), [&](InstructionView i, uint32_t offset) {
    const bool debug =
        i.op() == spv::Op::OpExtInst && std::ranges::find(debug_sets, i.word(3)) != debug_sets.end();
    if (i.op() == spv::Op::OpLine || (debug && i.word(4) == NonSemanticShaderDebugInfo100DebugLine))
      line = offset;
    if (i.op() == spv::Op::OpNoLine || (debug && i.word(4) == NonSemanticShaderDebugInfo100DebugNoLine))
      line = 0;
    if (line != 0 && !positions_.contains(line)) {
      SourcePosition position = positions.at(line);
      sources_[position.file];
      has_lines_ = has_lines_ || position.line != 0;
      for (const auto& [number, text] : positions.lines(line)) sources_[position.file].emplace(number, text);
      positions_.emplace(line, std::move(position));
    }
    if (line != 0) line_offsets_.emplace(offset, line);
    if (spvOpcodeIsBlockTerminator(i.op())) line = 0;
    return true;
  });
}

void TracedShader::read_texts() {
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  std::string all;
  const Words words = view().words();
  if (!tools.Disassemble(words.data(), words.size(), &all,
                         SPV_BINARY_TO_TEXT_OPTION_NO_HEADER | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES))
    return;
  // One instruction a line, unless a string has several.
  size_t begin = 0;
  uint32_t last = 0;
  for_each_instruction(words, header_words, [&](InstructionView i, uint32_t offset) {
    last = offset;
    if (begin >= all.size()) return false;
    const size_t end = [&] {
      size_t at = begin;
      bool quoted = false;
      for (; at < all.size() && (quoted || all[at] != '\n'); ++at) {
        if (all[at] == '\\')
          ++at;
        else if (all[at] == '"')
          quoted = !quoted;
      }
      return std::min(at, all.size());
    }();
    if (offset >= view().functions_offset()) {
      texts_.emplace(offset, all.substr(begin, end - begin));
      instructions_.push_back(offset);
    }
    begin = end + 1;
    return i.size() != 0;
  });
}

const SourcePosition& TracedShader::position(uint32_t offset) const {
  static const SourcePosition none;
  const auto line = line_offsets_.find(offset);
  if (line == line_offsets_.end()) return none;
  const auto found = positions_.find(line->second);
  return found == positions_.end() ? none : found->second;
}

std::optional<std::string> TracedShader::source_line(const SourcePosition& position, uint32_t line) const {
  const auto file = sources_.find(position.file);
  if (file == sources_.end()) return std::nullopt;
  const auto found = file->second.find(line);
  if (found == file->second.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> TracedShader::files() const {
  std::vector<std::string> files;
  for (const auto& [file, lines] : sources_) files.push_back(file);
  return files;
}

const std::map<uint32_t, std::string>* TracedShader::lines_of(const std::string& file) const {
  const auto found = sources_.find(file);
  return found == sources_.end() || found->second.empty() ? nullptr : &found->second;
}

std::set<uint32_t> TracedShader::lines_with_code(const std::string& file) const {
  std::set<uint32_t> lines;
  for (const auto& [offset, position] : positions_)
    if (position.line != 0 && position.file == file) lines.insert(position.line);
  return lines;
}

size_t TracedShader::instruction_number(uint32_t offset) const {
  return static_cast<size_t>(std::ranges::lower_bound(instructions_, offset) - instructions_.begin());
}

const std::string& TracedShader::text(uint32_t offset) const {
  static const std::string none = "?";
  const auto found = texts_.find(offset);
  return found == texts_.end() ? none : found->second;
}

std::string TracedShader::name(uint32_t id) const {
  const auto found = names_.find(id);
  return found == names_.end() ? "" : found->second;
}

std::string TracedShader::member_name(uint32_t structure, uint32_t member) const {
  const auto found = member_names_.find({structure, member});
  return found == member_names_.end() ? debug_.member_name(structure, member) : found->second;
}

std::vector<uint32_t> TracedShader::named(const std::string& name) const {
  std::vector<uint32_t> ids;
  for (const auto& [id, own] : names_)
    if (own == name) ids.push_back(id);
  return ids;
}

uint64_t TracedShader::bytes_of(uint32_t type) const {
  const auto runs = MemoryLayout(view(), *decorations_).footprint(type, {});
  return runs && !runs->empty() ? runs->back().offset + runs->back().size : 0;
}

uint32_t TracedShader::pointee(uint32_t pointer_type) const {
  const InstructionView pointer = view().definition(pointer_type, spv::Op::OpTypePointer);
  return pointer ? pointer.word(3) : 0;
}

}  // namespace shaderqa
