// SPDX-License-Identifier: Apache-2.0
// Functions and lines of source that a user has chosen: the code of shaders that is traced.
#ifndef SHADERQA_INSTRUMENT_CODE_WINDOW_H
#define SHADERQA_INSTRUMENT_CODE_WINDOW_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shaderqa {

class CodeWindow {
 public:
  static constexpr size_t kMostText = 1000;  // a trace file has room for so many characters
  // "scan, sort.comp:10-40, 55": functions by name, and lines of a file, or of all files. Empty text: all
  // code. Nothing, with an error sentence, if the text is wrong.
  static std::optional<CodeWindow> parse(std::string_view text, std::string& error);

  bool is_everything() const { return functions_.empty() && lines_.empty(); }
  bool has_function(std::string_view name) const;
  // file: a path as debug information has it, of which the text may give the end.
  bool has_line(std::string_view file, uint32_t line) const;

 private:
  struct Lines {
    std::string file;  // empty: any
    uint32_t first = 0, last = 0;
  };
  std::vector<std::string> functions_;
  std::vector<Lines> lines_;
};

}  // namespace shaderqa
#endif
