// SPDX-License-Identifier: Apache-2.0
// What tests of `shaderqa trace` share: a program under it, and the replay of what it wrote.
#ifndef SHADERQA_TESTS_REPLAY_TRACE_PROGRAM_H
#define SHADERQA_TESTS_REPLAY_TRACE_PROGRAM_H

#include "e2e_test.h"
#include "replay/debugger.h"

namespace shaderqa::testing {

class TraceProgram : public EndToEnd {
 protected:
  // `shaderqa trace` of the runner, with the Khronos validation layer below.
  ProcessResult trace(const Texts& options, const Texts& arguments) {
    return trace_program(options, runner(arguments));
  }
  ProcessResult trace_program(const Texts& options, const Texts& program) {
    Texts command{SHADERQA_BIN_DIR "/shaderqa", "trace", "-o", file};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back("--");
    command.insert(command.end(), program.begin(), program.end());
    ProcessResult result = run(command, environment, directory.path());
    EXPECT_THAT(result.out + result.err, Not(HasSubstr("VUID-")));
    return result;
  }
  Debugger replay() const {
    TraceContents contents;
    std::string error;
    EXPECT_TRUE(read_trace_file(file, contents, error)) << error;
    return Debugger(std::move(contents));
  }
  std::string plain(const Texts& arguments) {
    return run(runner(arguments), environment, directory.path()).out;
  }

  std::string file = directory.file("test.trace");
};

}  // namespace shaderqa::testing
#endif
