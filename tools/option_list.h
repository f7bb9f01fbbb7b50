// SPDX-License-Identifier: Apache-2.0
// The options of a command as plain data.
#ifndef SHADERQA_TOOLS_OPTION_LIST_H
#define SHADERQA_TOOLS_OPTION_LIST_H

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace shaderqa {

struct OptionEntry {
  std::vector<std::string> names;    // "-v", "--verbose"
  std::string value;                 // "FILE"; empty: a flag
  bool value_optional = false;       // it may be left out
  std::vector<std::string> choices;  // all values, if it has few
  std::string text;                  // may have several lines
  bool takes_file() const { return value == "FILE"; }
  bool takes_folder() const { return value == "DIRECTORY"; }
  std::string summary() const;  // the first sentence, without its full stop
};

struct CommandEntry {
  std::string name, text, footer;
  std::vector<std::string> positionals;
  std::vector<OptionEntry> options;
};

std::vector<OptionEntry> options_of(const CLI::App& command);
std::vector<CommandEntry> commands_of(const CLI::App& app);

}  // namespace shaderqa
#endif
