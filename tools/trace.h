// SPDX-License-Identifier: Apache-2.0
// `shaderqa trace` runs a program and writes what chosen invocations do; `shaderqa replay` walks through it.
#ifndef SHADERQA_TOOLS_TRACE_H
#define SHADERQA_TOOLS_TRACE_H

#include <string>
#include <vector>

#include "tools/run.h"

namespace shaderqa {

class DapSession;

struct TraceRequest {
  std::vector<std::string> at;       // selectors
  std::vector<std::string> finding;  // number or fingerprint, and the report file; empty: none
  std::string when;                  // a condition; empty: none
  std::string output;
  bool says_what_came = true;
  RunOptions run;
};
// The program's exit code, or kExitNotStarted if nothing was started.
int trace_program(TraceRequest request);

// Commands from standard input. 0; 1 if there is no invocation in the trace; kExitNotStarted if it cannot be
// read.
int replay_trace(const std::string& path, bool json);

// Writes the trace as one HTML page. 0; 1 if the trace has nothing to show; kExitNotStarted if a file cannot
// be read or written.
int write_page(const std::string& path, const std::string& page);

// Serves a client of the Debug Adapter Protocol until it disconnects. path may be empty. 0, or 1 if what it
// sends is not the protocol.
int serve_trace(const std::string& path);
// The same of a session, over these descriptors.
int serve_session(DapSession& session, int in, int out);

}  // namespace shaderqa
#endif
