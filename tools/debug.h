// SPDX-License-Identifier: Apache-2.0
// `shaderqa debug`: a program whose chosen invocations stop for a debugger.
#ifndef SHADERQA_TOOLS_DEBUG_H
#define SHADERQA_TOOLS_DEBUG_H

#include <string>
#include <vector>

#include "tools/trace.h"

namespace shaderqa {

struct DebugRequest {
  TraceRequest trace;                    // what is chosen; `output`: where the trace is kept, or nothing
  std::vector<std::string> breakpoints;  // as the debugger's command break has them
  std::vector<std::string> watches, logs;
  bool violations = false;  // stops before accesses that leave their buffer
  bool json = false, dap = false;
};
// The program's exit code, or kExitNotStarted if nothing was started.
int debug_program(DebugRequest request);

}  // namespace shaderqa
#endif
