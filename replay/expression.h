// SPDX-License-Identifier: Apache-2.0
// Names of variables and values as the user writes them: i, particle.position.x, io[3], m[1], %42.
#ifndef SHADERQA_REPLAY_EXPRESSION_H
#define SHADERQA_REPLAY_EXPRESSION_H

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "replay/scopes.h"

namespace shaderqa {

// What an expression names: dwords of a variable, or of a value that an instruction computed.
struct Named {
  TraceVariable variable;
  bool is_value = false;  // variable.id is the value's id, variable.frame its frame
  uint64_t dword = 0;
  uint32_t type = 0;
  size_t as_of = SIZE_MAX;  // is_value: of what was computed before this step
  // A variable of the source that the compiler took apart: its parts, by their numbers, the outermost first.
  // Then there is nothing else but the variable's type in the debug information.
  std::vector<std::pair<std::vector<uint32_t>, Named>> parts;
  uint32_t debug_type = 0;
};

// In a frame of stack_of(). Nothing: `error` says why.
std::optional<Named> resolve(const Invocation& invocation, const StackFrame& frame, std::string_view text,
                             std::string& error);

// A variable that the source has where the frame is. Without debug information, one of its function.
struct Local {
  std::string name;
  uint32_t line = 0;           // where it is declared; 0: not known
  std::optional<Named> named;  // nothing: it has no value yet, or none that can be shown, as `why` says
  std::string why;
};
// The innermost scope first. A variable that one of a scope further in hides is left out. Compilers without
// inner scopes put several variables of one name into one: the one that was used last comes first.
std::vector<Local> locals_of(const Invocation& invocation, const StackFrame& frame);

// Its dwords before the step. None of what was taken apart.
std::vector<std::optional<uint32_t>> dwords_of(const Invocation& invocation, const Named& named, size_t step);
// Its value before the step, or why there is none.
std::string text_of(const Invocation& invocation, const Named& named, size_t step);
// Members, elements, components, at most `most` of them; none: it has no parts.
std::vector<std::pair<std::string, Named>> parts_of(const Invocation& invocation, const Named& named,
                                                    uint64_t most);

}  // namespace shaderqa
#endif
