// SPDX-License-Identifier: Apache-2.0
// Starts programs, and talks with them while they run.
#ifndef SHADERQA_TESTS_SUPPORT_PROCESS_H
#define SHADERQA_TESTS_SUPPORT_PROCESS_H

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace shaderqa::testing {

using Environment = std::map<std::string, std::string>;

struct ProcessResult {
  int exit_code = -1;  // as a shell has it: 128 + signal for a killed one
  std::string out;
  std::string err;
};

class Process {
 public:
  // environment: all of it, nothing is inherited.
  Process(const std::vector<std::string>& arguments, const Environment& environment,
          const std::string& working_directory = "");
  ~Process();  // kills what still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void write(const std::string& text);  // to its stdin
  // Reads until the text has appeared on stdout or stderr; false if the process ended without it, or if
  // nothing at all happened for so long that it must be stuck.
  bool wait_for_out(const std::string& text);
  bool wait_for_err(const std::string& text);
  const std::string& out() const { return out_; }
  ProcessResult wait();

 private:
  bool read_some();  // false: both pipes closed
  bool wait_for(const std::string& stream, const std::string& text);

  pid_t pid_ = -1;
  int in_ = -1, out_pipe_ = -1, err_pipe_ = -1;
  std::string out_, err_;
};

ProcessResult run(const std::vector<std::string>& arguments, const Environment& environment,
                  const std::string& working_directory = "");

}  // namespace shaderqa::testing
#endif
