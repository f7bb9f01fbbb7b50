// SPDX-License-Identifier: Apache-2.0
// Where in the source an instruction comes from: OpLine with OpSource, or DebugLine with DebugSource of
// NonSemantic.Shader.DebugInfo.
#ifndef SHADERQA_INSTRUMENT_IR_SOURCE_POSITIONS_H
#define SHADERQA_INSTRUMENT_IR_SOURCE_POSITIONS_H

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "instrument/ir/module_view.h"
#include "instrument/shader_record.h"

namespace shaderqa {

class SourcePositions {
 public:
  explicit SourcePositions(const ModuleView& module) : module_(module) {}

  // `line_offset`: of an OpLine or DebugLine; 0 gives an empty position.
  SourcePosition at(uint32_t line_offset);
  // All lines of that file, by number; empty if the module does not have its text.
  const std::unordered_map<uint32_t, std::string>& lines(uint32_t line_offset);

 private:
  struct Source {
    std::string file;
    std::unordered_map<uint32_t, std::string> lines;  // by number, as #line directives number them
  };

  void find_sources();
  void add(uint32_t key, const std::string& file, const std::string& text);

  const ModuleView& module_;
  bool found_ = false;
  std::unordered_map<uint32_t, Source> sources_;  // by id of the OpString (OpLine) or DebugSource (DebugLine)
};

}  // namespace shaderqa
#endif
