// SPDX-License-Identifier: Apache-2.0
#include "tools/option_list.h"

#include <CLI/CLI.hpp>
#include <sstream>

namespace shaderqa {
namespace {

// "{a,b}" -> a, b
std::vector<std::string> choices_in(const std::string& type) {
  std::vector<std::string> choices;
  const size_t begin = type.find('{'), end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos) return choices;
  std::istringstream list(type.substr(begin + 1, end - begin - 1));
  for (std::string choice; std::getline(list, choice, ',');) choices.push_back(choice);
  return choices;
}

}  // namespace

std::string OptionEntry::summary() const {
  std::string line = text.substr(0, std::min(text.find(". "), text.find('\n')));
  while (!line.empty() && (line.back() == '.' || line.back() == ' ')) line.pop_back();
  return line;
}

std::vector<OptionEntry> options_of(const CLI::App& command) {
  std::vector<OptionEntry> entries;
  for (const CLI::Option* option : command.get_options()) {
    if (option->nonpositional() == false) continue;
    OptionEntry entry;
    for (const std::string& name : option->get_snames()) entry.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) entry.names.push_back("--" + name);
    if (option->get_expected_max() > 0 && option->get_items_expected_max() > 0) {
      entry.choices = choices_in(option->get_type_name());
      entry.value = option->get_type_name().substr(0, option->get_type_name().find(':'));
      entry.value_optional = option->get_expected_min() == 0;
    }
    entry.text = option->get_description();
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<CommandEntry> commands_of(const CLI::App& app) {
  std::vector<CommandEntry> entries;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandEntry entry{command->get_name(), command->get_description(), command->get_footer(), {}, {}};
    for (const CLI::Option* option : command->get_options())
      if (option->get_positional())
        entry.positionals.push_back(option->get_name() + (option->get_items_expected_max() > 1 ? "..." : ""));
    entry.options = options_of(*command);
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace shaderqa
