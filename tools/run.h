// SPDX-License-Identifier: Apache-2.0
// `shaderqa run`: a program under the layer.
#ifndef SHADERQA_TOOLS_RUN_H
#define SHADERQA_TOOLS_RUN_H

#include <string>
#include <vector>

#include "host/findings/finding_types.h"
#include "tools/child_process.h"

namespace shaderqa {

// The program did not fail on its own account. As env(1) and timeout(1) do, so that they cannot be taken for
// the program's.
constexpr int kExitRunFailed = 125;  // the command line or the set-up is wrong, nothing was started
constexpr int kExitFindings = 99;    // a finding of a kind of --fail-on
constexpr int kExitIncomplete = 98;  // --fail-on, and the run was not checked, or not completely

struct RunOptions {
  EnvironmentMap settings;  // by key of host/settings/settings.inc
  std::vector<FindingKind> fail_on;
  bool allow_incomplete = false;
  std::string suppress, baseline;  // files; empty: none
  std::vector<std::string> command;
};

// Returns the exit code.
int run_program(const RunOptions& options);

}  // namespace shaderqa
#endif
