// SPDX-License-Identifier: Apache-2.0
// Read-only access to a module's words by id. What is only looked at is looked at here; what is changed is
// changed in SPIRV-Tools' IR. Every access is checked: an id that is not defined, or defined by something too
// short, is "no definition".
#ifndef SHADERQA_INSTRUMENT_IR_MODULE_VIEW_H
#define SHADERQA_INSTRUMENT_IR_MODULE_VIEW_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "instrument/shader_record.h"
#include "source/latest_version_spirv_header.h"

namespace shaderqa {

using Words = std::span<const uint32_t>;

constexpr uint32_t header_words = 5;

// One instruction, its first word included.
struct InstructionView {
  Words words;

  explicit operator bool() const { return !words.empty(); }
  // An empty view says OpNop, which defines nothing. Damaged modules refer to ids that nothing defines.
  spv::Op op() const { return words.empty() ? spv::Op::OpNop : static_cast<spv::Op>(words[0] & 0xffff); }
  uint32_t size() const { return static_cast<uint32_t>(words.size()); }
  // 0 (no valid id, no valid operand) beyond the end.
  uint32_t word(size_t i) const { return i < words.size() ? words[i] : 0; }
};

// Instructions of a word stream from `offset` on; stops at the first one that does not fit.
template <typename Visitor>  // bool(InstructionView, uint32_t offset): false stops
void for_each_instruction(Words words, uint32_t offset, Visitor&& visit) {
  while (offset < words.size()) {
    const uint32_t count = words[offset] >> 16;
    if (count == 0 || count > words.size() - offset) return;
    if (!visit(InstructionView{words.subspan(offset, count)}, offset)) return;
    offset += count;
  }
}

// A literal string that starts at `word` of the instruction; *end receives the index of the word after it.
std::string literal_string(InstructionView instruction, size_t word, size_t* end = nullptr);
// NonSemantic.Shader.DebugInfo.100 and newer versions, which compilers of 2026 write: these add instructions
// and operands, and leave the numbers and operands that there are. SPIRV-Tools of this age knows 100 alone.
bool is_shader_debug_set(std::string_view name);

struct EntryPoint {
  uint32_t function = 0;
  Stage stage = Stage::unknown;
  std::string name;
  std::vector<uint32_t> interface;
};

class ModuleView {
 public:
  ModuleView() = default;
  // definitions[id] is the word offset of the instruction that defines id, 0 for none; types[id] is the type
  // of value id.
  ModuleView(Words words, std::vector<uint32_t> definitions, std::vector<uint32_t> types);

  Words words() const { return words_; }
  uint32_t version() const { return words_[1]; }
  uint32_t functions_offset() const { return functions_offset_; }

  InstructionView definition(uint32_t id) const {
    return id < definitions_.size() && definitions_[id] != 0 ? at(definitions_[id]) : InstructionView{};
  }
  InstructionView definition(uint32_t id, spv::Op op) const {
    const InstructionView found = definition(id);
    return found && found.op() == op ? found : InstructionView{};
  }
  // The word offset of the instruction that defines id; 0: none does.
  uint32_t offset_of(uint32_t id) const { return id < definitions_.size() ? definitions_[id] : 0; }
  InstructionView at(uint32_t offset) const { return {words_.subspan(offset, words_[offset] >> 16)}; }
  // The id of a value's type; 0 if it has none.
  uint32_t type_of(uint32_t value) const { return value < types_.size() ? types_[value] : 0; }
  // The value of a 32-bit OpConstant. A specialisation constant has none.
  std::optional<uint32_t> constant(uint32_t id) const;
  // The text of an OpString; nothing if id is something else.
  std::optional<std::string> string(uint32_t id) const;

  bool has_capability(spv::Capability capability) const;
  bool has_extension(std::string_view name) const;
  bool vulkan_memory_model() const { return memory_model_ == spv::MemoryModel::Vulkan; }
  spv::AddressingModel addressing_model() const { return addressing_model_; }
  const std::vector<EntryPoint>& entry_points() const { return entry_points_; }
  // Ids of the imports of an extended instruction set; usually one.
  std::vector<uint32_t> imports(std::string_view set) const;
  // The same of the sets that is_shader_debug_set() knows.
  std::vector<uint32_t> shader_debug_sets() const;
  // Whether id is the result of a non-semantic extended instruction, which no semantic one may use.
  bool is_non_semantic(InstructionView instruction) const;

 private:
  Words words_;
  std::vector<uint32_t> definitions_;
  std::vector<uint32_t> types_;
  uint32_t functions_offset_ = 0;
  std::vector<spv::Capability> capabilities_;
  std::vector<std::string> extensions_;
  std::vector<std::pair<std::string, uint32_t>> imports_;
  std::vector<EntryPoint> entry_points_;
  spv::MemoryModel memory_model_ = spv::MemoryModel::Simple;
  spv::AddressingModel addressing_model_ = spv::AddressingModel::Logical;
};

}  // namespace shaderqa
#endif
