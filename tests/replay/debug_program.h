// SPDX-License-Identifier: Apache-2.0
// What tests of `shaderqa debug` share: a program under it, and what is typed.
#ifndef SHADERQA_TESTS_REPLAY_DEBUG_PROGRAM_H
#define SHADERQA_TESTS_REPLAY_DEBUG_PROGRAM_H

#include <filesystem>

#include "trace_program.h"

namespace shaderqa::testing {

class DebugProgram : public TraceProgram {
 protected:
  static Texts command(const Texts& options, const Texts& program) {
    Texts command{SHADERQA_BIN_DIR "/shaderqa", "debug"};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back("--");
    command.insert(command.end(), program.begin(), program.end());
    return command;
  }
  // Types the lines, each when the debugger asks for it.
  ProcessResult debug(const Texts& options, const Texts& arguments, const Texts& lines) {
    return debug_program(options, runner(arguments), lines);
  }
  ProcessResult debug_program(const Texts& options, const Texts& program, const Texts& lines) {
    Texts json = options;
    json.push_back("--json");
    Process process(command(json, program), environment, directory.path());
    std::string typed;
    for (const std::string& line : lines) typed += line + "\n";
    process.write(typed);
    ProcessResult result = process.wait();
    EXPECT_THAT(result.out + result.err, Not(HasSubstr("VUID-")));
    return result;
  }
  // The line that answers a command.
  static std::string reply(const ProcessResult& result, const std::string& line, int which = 1) {
    size_t at = 0;
    for (int i = 0; i < which; ++i) {
      at = result.out.find("{\"command\":\"" + line + "\"", at + (i == 0 ? 0 : 1));
      if (at == std::string::npos) return "no reply to " + line + ": " + result.out + result.err;
    }
    return result.out.substr(at, result.out.find('\n', at) - at);
  }
  // The program, and beside it what kills `victim` once the file is there. Gives up after five minutes.
  static Texts killed_when(const std::filesystem::path& file, const std::string& victim,
                           const Texts& program) {
    std::string script = "( n=0; until [ -e '" + file.string() +
                         "' ] || [ $n -ge 3000 ]; do sleep 0.1; n=$((n + 1)); done; kill -9 " + victim +
                         " ) & exec";
    for (const std::string& word : program) script += " '" + word + "'";
    return {"/bin/sh", "-c", script};
  }
  // What the runner prints, which is behind other lines on standard error.
  static bool printed(const ProcessResult& result, const std::string& plain) {
    return result.err.find(plain) != std::string::npos;
  }
};

}  // namespace shaderqa::testing
#endif
