// SPDX-License-Identifier: Apache-2.0
// A shader of a trace: its instructions, source lines and names, and what its records hold.
#ifndef SHADERQA_REPLAY_TRACED_SHADER_H
#define SHADERQA_REPLAY_TRACED_SHADER_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/trace/trace_file.h"
#include "instrument/ir/decorations.h"
#include "instrument/ir/module_loader.h"
#include "instrument/ir/source_positions.h"
#include "instrument/passes/trace_plan.h"
#include "replay/code_gaps.h"
#include "replay/debug_info.h"

namespace shaderqa {

class TracedShader {
 public:
  // Null, with a sentence, if the words are no shader that the trace can be of.
  static std::unique_ptr<TracedShader> load(const TraceShader& shader, std::string& error);

  const TraceShader& shader() const { return shader_; }
  const ModuleView& view() const { return loaded_.view; }
  const TracePlan& plan() const { return plan_; }
  const CodeGaps& gaps() const { return *gaps_; }
  uint32_t entry_function() const { return entry_function_; }
  const DebugInfo& debug() const { return debug_; }
  const std::vector<uint32_t>& dwords_of_piece() const { return dwords_of_piece_; }

  // Position of the instruction at a word offset; empty where the shader has no line for it.
  const SourcePosition& position(uint32_t offset) const;
  bool has_lines() const { return has_lines_; }
  // A line of the file that the position is in.
  std::optional<std::string> source_line(const SourcePosition& position, uint32_t line) const;
  const std::string& text(uint32_t offset) const;  // of the instruction, disassembled
  // Files that the module has the text of.
  std::vector<std::string> files() const;
  // Lines by number; null: the module does not have them.
  const std::map<uint32_t, std::string>* lines_of(const std::string& file) const;
  // Lines that instructions come from.
  std::set<uint32_t> lines_with_code(const std::string& file) const;
  // Word offsets of the instructions of all functions, in order: the lines of a disassembly.
  const std::vector<uint32_t>& instructions() const { return instructions_; }
  size_t instruction_number(uint32_t offset) const;
  // As the source has it; a function without its mangled parameters. Empty: it has none.
  std::string name(uint32_t id) const;
  std::string member_name(uint32_t structure, uint32_t member) const;
  // Ids with this name, in the module's order.
  std::vector<uint32_t> named(const std::string& name) const;
  const std::vector<uint32_t>& global_variables() const { return globals_; }

  // The type that a pointer points to; 0: it is no pointer.
  uint32_t pointee(uint32_t pointer_type) const;
  // Dwords of a flattened value. 2^32: the type has no known size.
  uint64_t size_of(uint32_t type) const;
  // Bytes from the first to the last that a value covers in memory; 0: nobody knows.
  uint64_t bytes_of(uint32_t type) const;
  // The type of a part of a composite, and the dword at which it begins. 0: there is no such part.
  uint32_t part(uint32_t type, uint64_t index, uint64_t& dword) const;
  // How many parts it has; 0: none, or nobody knows.
  uint64_t part_count(uint32_t type) const;
  // The dwords of a constant, as records have them. Nothing: it is none, or one that may be specialised.
  std::optional<std::vector<uint32_t>> constant(uint32_t id) const;
  // A value of this type. A dword that is not known is shown as ?.
  std::string format(uint32_t type, const std::vector<std::optional<uint32_t>>& dwords) const;

 private:
  explicit TracedShader(const TraceShader& shader) : shader_(shader) {}
  bool read(std::string& error);
  void read_lines();
  void read_names();
  void read_texts();
  bool constant_of(uint32_t id, std::vector<uint32_t>& dwords, uint32_t depth) const;
  std::string format_part(uint32_t type, const std::vector<std::optional<uint32_t>>& dwords, size_t& next,
                          uint32_t depth) const;

  const TraceShader shader_;
  LoadedModule loaded_;
  TracePlan plan_;
  std::optional<CodeGaps> gaps_;
  uint32_t entry_function_ = 0;  // id
  DebugInfo debug_;
  std::optional<Decorations> decorations_;
  std::vector<uint32_t> dwords_of_piece_;
  std::vector<uint32_t> globals_;
  std::unordered_map<uint32_t, uint32_t> line_offsets_;  // by offset of the instruction
  std::map<uint32_t, SourcePosition> positions_;         // by offset of the line
  std::unordered_map<uint32_t, std::string> texts_;
  std::vector<uint32_t> instructions_;
  std::map<uint32_t, std::string> names_;
  std::map<std::pair<uint32_t, uint32_t>, std::string> member_names_;
  std::map<std::string, std::map<uint32_t, std::string>> sources_;  // lines by file and number
  bool has_lines_ = false;
};

}  // namespace shaderqa
#endif
