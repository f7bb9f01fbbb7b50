// SPDX-License-Identifier: Apache-2.0
// The options of `shaderqa trace` and `shaderqa replay`.
#ifndef SHADERQA_TOOLS_TRACE_COMMAND_H
#define SHADERQA_TOOLS_TRACE_COMMAND_H

#include <string>
#include <utility>
#include <vector>

#include "host/settings/settings_table.h"
#include "tools/trace.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace shaderqa {

class TraceCommand {
 public:
  explicit TraceCommand(CLI::App& app);
  CLI::App* command() { return command_; }
  bool is_complete() const { return !request_.at.empty() || !request_.finding.empty(); }
  int run(std::vector<std::string> program);

 private:
  CLI::App* command_;
  TraceRequest request_{{}, {}, {}, "shaderqa.trace", {}};
  std::vector<std::pair<const Setting*, CLI::Option*>> options_;
  bool last_ = false;
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
