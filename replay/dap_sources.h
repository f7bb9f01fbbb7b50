// SPDX-License-Identifier: Apache-2.0
// Source files as a debugger's user knows them, and as shaders name them.
#ifndef SHADERQA_REPLAY_DAP_SOURCES_H
#define SHADERQA_REPLAY_DAP_SOURCES_H

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/scopes.h"

namespace shaderqa {

class DapSources {
 public:
  // A file of a shader, or the shader's SPIR-V.
  struct Source {
    const TracedShader* shader = nullptr;
    std::string file;
    bool is_code = false;    // it is the SPIR-V
    std::string path;        // on this machine, with the shader's text; empty: there is none
    std::string name;        // for the user
    uint32_t reference = 0;  // from 1 on
  };
  struct Line {
    const Source* source = nullptr;
    uint32_t line = 0;
  };

  void add(const TracedShader& shader);
  // Where a frame stands; offset: of its instruction.
  Line line(const TracedShader& shader, const StackFrame& frame, uint32_t offset) const;
  // By what a client sends; null: none is that one.
  const Source* find(uint32_t reference) const;
  // All that a path of the user's may mean: of several shaders, a file of the same name.
  std::vector<const Source*> find(const std::string& path) const;
  std::string text(const Source& source) const;
  // The line itself, or the next one with code; 0: there is none.
  static uint32_t line_with_code(const Source& source, uint32_t line);
  // What Debugger's `break` takes for that line.
  static std::string breakpoint(const Source& source, uint32_t line);

 private:
  std::deque<Source> sources_;  // whose addresses stay
};

}  // namespace shaderqa
#endif
