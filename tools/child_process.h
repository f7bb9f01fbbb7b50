// SPDX-License-Identifier: Apache-2.0
// Runs one program as a shell would: its own streams, signals passed on, its end as an exit code.
#ifndef SHADERQA_TOOLS_CHILD_PROCESS_H
#define SHADERQA_TOOLS_CHILD_PROCESS_H

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shaderqa {

using EnvironmentMap = std::map<std::string, std::string>;

// The file that execvp would run; empty: none on the path.
std::string find_program(const std::string& name, const EnvironmentMap& environment);

struct ChildEnd {
  // Not started: what is wrong and what to do; exit_code is then 127 (not found) or 126 (found, cannot be
  // run).
  std::string error;
  int exit_code = 0;  // the program's, or 128 + signal
  int signal = 0;     // that ended it
};

// Waits for the program itself, not for processes that it leaves behind. Signals that would end this process
// are blocked from before the program starts until the object is destroyed, so that the work after the
// program's end is done in any case.
class ChildProcess {
 public:
  ChildProcess();
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // watch: called with the process a few times a second while it runs.
  ChildEnd run(const std::vector<std::string>& command, const EnvironmentMap& environment,
               const std::function<void(pid_t)>& watch = {});

 private:
  struct State;
  State* state_;
};

}  // namespace shaderqa
#endif
