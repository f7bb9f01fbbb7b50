// SPDX-License-Identifier: Apache-2.0
#include "host/findings/workgroup_part.h"

#include <charconv>
#include <string_view>

namespace shaderqa {
namespace {

// Reads WorkgroupVariable::shape from its front. Shapes come from files too, so they may be anything.
class ShapeReader {
 public:
  explicit ShapeReader(std::string_view text) : text_(text) {}

  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  uint64_t number() {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    return error == std::errc() ? value : 0;
  }
  std::string_view until(char c) {
    const std::string_view found = text_.substr(0, text_.find(c));
    text_.remove_prefix(found.size());
    return found;
  }
  bool at(char c) const { return !text_.empty() && text_.front() == c; }
  bool empty() const { return text_.empty(); }
  // A type that is not looked into.
  void skip() {
    size_t depth = 0;
    while (!text_.empty()) {
      const char c = text_.front();
      if (depth == 0 && (c == ';' || c == '}')) return;
      depth += c == '{' ? 1 : 0;
      depth -= c == '}' ? 1 : 0;
      text_.remove_prefix(1);
    }
  }

 private:
  std::string_view text_;
};

// Appends "[3].x" for the scalar or byte at the offset. unit: so many of them are one cell.
void append_steps(std::string& out, ShapeReader shape, uint64_t offset, uint64_t unit) {
  while (!shape.empty()) {
    if (shape.take('[')) {
      const uint64_t length = shape.number();
      shape.take('*');
      const uint64_t stride = shape.number();
      if (stride == 0 || length * stride <= unit) return;
      out += "[" + std::to_string(offset / stride) + "]";
      offset %= stride;
      continue;
    }
    if (!shape.take('{')) return;
    ShapeReader chosen("");
    uint64_t chosen_offset = 0;
    std::string_view chosen_name;
    while (!shape.empty() && !shape.at('}')) {
      const uint64_t member = shape.number();
      shape.take('.');
      const std::string_view name = shape.until(':');
      shape.take(':');
      if (member <= offset) {
        chosen = shape;
        chosen_offset = member;
        chosen_name = name;
      }
      shape.skip();
      if (!shape.take(';')) break;
    }
    if (chosen_name.empty()) return;
    out += "." + std::string(chosen_name);
    offset -= chosen_offset;
    shape = chosen;
    if (shape.at(';')) return;
  }
}

}  // namespace

std::string workgroup_part(const WorkgroupLayout& layout, uint32_t cell) {
  std::string text;
  for (const WorkgroupVariable& variable : layout.variables) {
    if (cell < variable.first || cell - variable.first >= variable.count) continue;
    if (!text.empty()) text += " or ";
    text += variable.name;
    const uint64_t unit = variable.unit == 0 ? 1 : variable.unit;
    append_steps(text, ShapeReader(variable.shape), (cell - variable.first) * unit, unit);
  }
  return text.empty() ? "cell " + std::to_string(cell) : text;
}

}  // namespace shaderqa
