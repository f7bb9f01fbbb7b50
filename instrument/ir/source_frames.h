// SPDX-License-Identifier: Apache-2.0
// The functions of the source that an instruction lies in, through inlined calls: DebugScope and
// DebugInlinedAt of NonSemantic.Shader.DebugInfo and of OpenCL.DebugInfo.100, which differ in how they
// write line numbers.
#ifndef SHADERQA_INSTRUMENT_IR_SOURCE_FRAMES_H
#define SHADERQA_INSTRUMENT_IR_SOURCE_FRAMES_H

#include <cstdint>
#include <string>
#include <vector>

#include "instrument/ir/module_view.h"
#include "instrument/shader_record.h"

namespace shaderqa {

class SourceFrames {
 public:
  explicit SourceFrames(const ModuleView& module);

  // scope_offset: of a DebugScope. The innermost function first; nothing where there is none.
  std::vector<SourceFrame> at(uint32_t scope_offset) const;

 private:
  // A debug instruction with that number, or nothing.
  InstructionView find(uint32_t id, uint32_t number) const;
  std::string function(uint32_t scope) const;
  std::string file(uint32_t scope) const;

  const ModuleView& module_;
  const std::vector<uint32_t> sets_, old_sets_;
};

}  // namespace shaderqa
#endif
