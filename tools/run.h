// SPDX-License-Identifier: Apache-2.0
// `shaderqa run`: a program under the layer.
#ifndef SHADERQA_TOOLS_RUN_H
#define SHADERQA_TOOLS_RUN_H

#include <string>
#include <vector>

#include "host/findings/finding_types.h"
#include "tools/child_process.h"

namespace shaderqa {

constexpr int kExitNotStarted = 2;   // the command line, a file or the set-up is wrong
constexpr int kExitFindings = 99;    // a finding of a kind of --fail-on
constexpr int kExitIncomplete = 98;  // --fail-on, and the run was not checked, or not completely

struct RunOptions {
  EnvironmentMap settings;  // by key of host/settings/settings.inc
  std::vector<FindingKind> fail_on;
  bool allow_incomplete = false;
  std::string suppress, baseline;  // files; empty: none
  std::vector<std::string> command;
};

struct RunEnd {
  int exit_code = 0;
  bool started = false;  // a program may end with any exit code
};
RunEnd run_program(const RunOptions& options);

}  // namespace shaderqa
#endif
