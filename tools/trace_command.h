// SPDX-License-Identifier: Apache-2.0
// The options of `shaderqa trace` and `shaderqa replay`.
#ifndef SHADERQA_TOOLS_TRACE_COMMAND_H
#define SHADERQA_TOOLS_TRACE_COMMAND_H

#include <string>
#include <utility>
#include <vector>

#include "host/settings/settings_table.h"
#include "tools/debug.h"
#include "tools/trace.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace shaderqa {

class TraceCommand {
 public:
  explicit TraceCommand(CLI::App& app);
  // With another name and text: what chooses invocations is the same for `shaderqa debug`.
  TraceCommand(CLI::App& app, const char* name, const char* about);
  CLI::App* command() { return command_; }
  bool is_complete() const { return !request_.at.empty() || !request_.finding.empty(); }
  int run(std::vector<std::string> program);
  // What was asked for.
  TraceRequest request(std::vector<std::string> program);

 private:
  CLI::App* command_;
  TraceRequest request_;
  std::vector<std::pair<const Setting*, CLI::Option*>> options_;
  bool last_ = false;
};

class DebugCommand {
 public:
  explicit DebugCommand(CLI::App& app);
  CLI::App* command() { return chosen_.command(); }
  bool is_complete() const { return chosen_.is_complete(); }
  int run(std::vector<std::string> program);

 private:
  TraceCommand chosen_;
  DebugRequest request_;
  CLI::Option* hold_ = nullptr;
};

class ReplayCommand {
 public:
  explicit ReplayCommand(CLI::App& app);
  CLI::App* command() { return command_; }
  bool is_complete() const { return dap_ || !file_.empty(); }
  int run();

 private:
  CLI::App* command_;
  std::string file_, page_;
  bool json_ = false, dap_ = false;
};

}  // namespace shaderqa
#endif
