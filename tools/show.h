// SPDX-License-Identifier: Apache-2.0
// `shaderqa show` runs a program and makes pictures of what its shaders do.
#ifndef SHADERQA_TOOLS_SHOW_H
#define SHADERQA_TOOLS_SHOW_H

#include <optional>
#include <string>
#include <utility>

#include "tools/run.h"

namespace shaderqa {

struct ShowRequest {
  std::string what;  // an expression; or overdraw, divergence
  std::string output;
  std::optional<std::pair<float, float>> scale;
  RunOptions run;
};
// The program's exit code, or kExitNotStarted if nothing was started.
int show_program(ShowRequest request);

}  // namespace shaderqa
#endif
