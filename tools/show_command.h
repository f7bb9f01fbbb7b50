// SPDX-License-Identifier: Apache-2.0
// The options of `shaderqa show`.
#ifndef SHADERQA_TOOLS_SHOW_COMMAND_H
#define SHADERQA_TOOLS_SHOW_COMMAND_H

#include <string>
#include <utility>
#include <vector>

#include "host/settings/settings_table.h"
#include "tools/show.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace shaderqa {

class ShowCommand {
 public:
  explicit ShowCommand(CLI::App& app);
  CLI::App* command() { return command_; }
  bool is_complete() const { return !request_.what.empty(); }
  int run(std::vector<std::string> program);

 private:
  void add_options();

  CLI::App* command_;
  ShowRequest request_;
  std::vector<std::pair<const Setting*, CLI::Option*>> options_;
  std::string scale_;
  bool colours_ = false;
};

}  // namespace shaderqa
#endif
