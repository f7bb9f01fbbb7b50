// SPDX-License-Identifier: Apache-2.0
#include "host/text/edit_distance.h"
#include "tools/help.h"
#include "tools/option_list.h"

namespace shaderqa {
namespace {

// The word of `known` most like `word`, "" if none is near. Short words must be nearer.
std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  size_t reach = word.size() < 8 ? 2 : 3;
  for (const std::string& one : known) {
    const size_t distance = edit_distance(word, one);
    if (distance > reach || (distance == reach && !best.empty())) continue;
    best = one;
    reach = distance;
  }
  return best;
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
  for (const std::string& one : list)
    if (one == word) return true;
  return false;
}

}  // namespace

std::string suggestion(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  std::vector<OptionEntry> options = options_of(app);
  const std::vector<CommandEntry> commands = commands_of(app);
  size_t next = 0;
  for (const CommandEntry& command : commands) {
    names.push_back(command.name);
    if (arguments.empty() || arguments[0] != command.name) continue;
    options = command.options;
    next = 1;
  }
  if (next == 0 && !arguments.empty() && !arguments[0].starts_with("-")) return nearest(arguments[0], names);

  std::vector<std::string> known;
  for (const OptionEntry& option : options)
    for (const std::string& name : option.names)
      if (name.starts_with("--")) known.push_back(name);
  for (; next < arguments.size(); ++next) {
    const std::string word = arguments[next].substr(0, arguments[next].find('='));
    if (word.starts_with("--") && word.size() > 2 && !contains(known, word)) return nearest(word, known);
  }
  return {};
}

}  // namespace shaderqa
