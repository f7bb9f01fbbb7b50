// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/source_positions.h"

#include <charconv>

#include "NonSemanticShaderDebugInfo100.h"

namespace shaderqa {
namespace {

constexpr uint32_t debug_source = NonSemanticShaderDebugInfo100DebugSource;
constexpr uint32_t debug_source_continued = NonSemanticShaderDebugInfo100DebugSourceContinued;

// A directive `#line NUMBER ["FILE"]`: the line after it has that number.
struct LineDirective {
  uint32_t number = 0;
  std::string_view file;  // empty: the same as before
};

std::optional<LineDirective> line_directive(std::string_view line) {
  const auto skip_blanks = [&line] {
    const size_t first = line.find_first_not_of(" \t");
    line.remove_prefix(first == std::string_view::npos ? line.size() : first);
  };
  skip_blanks();
  if (!line.starts_with('#')) return std::nullopt;
  line.remove_prefix(1);
  skip_blanks();
  if (!line.starts_with("line")) return std::nullopt;
  line.remove_prefix(4);
  skip_blanks();
  LineDirective directive;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), directive.number);
  if (error != std::errc()) return std::nullopt;
  line.remove_prefix(static_cast<size_t>(end - line.data()));
  skip_blanks();
  if (line.starts_with('"')) {
    line.remove_prefix(1);
    directive.file = line.substr(0, line.find('"'));
  }
  return directive;
}

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t'))
    line.remove_suffix(1);
  return line;
}

}  // namespace

void SourcePositions::add(uint32_t key, const std::string& file, const std::string& text) {
  Source& source = sources_[key];
  source.file = file;
  uint32_t number = 1;
  bool own_file =
      true;  // lines of other files, pulled in by a directive that names them, are not this file's
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (const auto directive = line_directive(line)) {
      number = directive->number;
      if (!directive->file.empty()) own_file = directive->file == file;
      continue;
    }
    if (own_file) source.lines.insert_or_assign(number, std::string(trimmed(line)));
    ++number;
  }
}

// OpSource comes before the functions, DebugSource too; either may go on in the next instructions.
void SourcePositions::find_sources() {
  found_ = true;
  const auto debug_sets = module_.shader_debug_sets();
  struct Pending {
    uint32_t key = 0;
    std::string file, text;
  };
  Pending source, debug;
  const auto flush = [this](Pending& pending) {
    if (pending.key != 0) add(pending.key, pending.file, pending.text);
    pending = {};
  };
  const auto is_debug = [&](InstructionView i) {
    for (const uint32_t set : debug_sets)
      if (i.word(3) == set) return true;
    return false;
  };
  for_each_instruction(module_.words(), header_words, [&](InstructionView i, uint32_t offset) {
    if (offset >= module_.functions_offset()) return false;
    if (i.op() == spv::Op::OpSource) {
      flush(source);
      if (i.size() > 4) {
        source = {i.word(3), module_.string(i.word(3)).value_or(""), literal_string(i, 4)};
      }
    } else if (i.op() == spv::Op::OpSourceContinued) {
      source.text += literal_string(i, 1);
    } else if (i.op() == spv::Op::OpExtInst && is_debug(i)) {
      if (i.word(4) == debug_source) {
        flush(debug);
        debug = {i.word(2), module_.string(i.word(5)).value_or(""), module_.string(i.word(6)).value_or("")};
      } else if (i.word(4) == debug_source_continued) {
        debug.text += module_.string(i.word(5)).value_or("");
      }
    }
    return true;
  });
  flush(source);
  flush(debug);
}

const std::unordered_map<uint32_t, std::string>& SourcePositions::lines(uint32_t line_offset) {
  static const std::unordered_map<uint32_t, std::string> none;
  if (line_offset == 0) return none;
  if (!found_) find_sources();
  const InstructionView line = module_.at(line_offset);
  const auto source = sources_.find(line.word(line.op() == spv::Op::OpLine ? 1 : 5));
  return source == sources_.end() ? none : source->second.lines;
}

SourcePosition SourcePositions::at(uint32_t line_offset) {
  if (line_offset == 0) return {};
  if (!found_) find_sources();
  const InstructionView line = module_.at(line_offset);
  SourcePosition position;
  uint32_t key = 0;
  if (line.op() == spv::Op::OpLine) {
    key = line.word(1);
    position.file = module_.string(key).value_or("");
    position.line = line.word(2);
    position.column = line.word(3);
  } else {
    // DebugLine: source, first line, last line, first column, last column, all ids.
    key = line.word(5);
    position.line = module_.constant(line.word(6)).value_or(0);
    position.column = module_.constant(line.word(8)).value_or(0);
  }
  const auto source = sources_.find(key);
  if (source == sources_.end()) return position;
  if (position.file.empty()) position.file = source->second.file;
  const auto text = source->second.lines.find(position.line);
  if (text != source->second.lines.end()) position.text = text->second;
  return position;
}

}  // namespace shaderqa
