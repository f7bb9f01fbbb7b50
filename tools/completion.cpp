// SPDX-License-Identifier: Apache-2.0
// Completion scripts. Behind the "--" of run they leave the program's own arguments to the shell.
#include <functional>

#include "tools/help.h"
#include "tools/option_list.h"

namespace shaderqa {
namespace {

std::string join(const std::vector<std::string>& words, const char* between = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

// Puts `with` before each of `characters`.
std::string escaped(const std::string& text, const std::string& characters, const std::string& with) {
  std::string result;
  for (const char c : text) {
    if (characters.find(c) != std::string::npos) result += with;
    result += c;
  }
  return result;
}

// Inside '...' of sh.
std::string in_quotes(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string command_names(const std::vector<CommandEntry>& commands) {
  std::vector<std::string> names;
  for (const CommandEntry& command : commands) names.push_back(command.name);
  return join(names);
}

std::string bash(const std::vector<CommandEntry>& commands, const std::vector<OptionEntry>& own) {
  std::string text = R"(# bash completion for shaderqa
_shaderqa() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i
  COMPREPLY=()
  if [[ ${COMP_WORDS[1]} == run ]]; then
    for ((i = 2; i < COMP_CWORD; i++)); do
      if [[ ${COMP_WORDS[i]} == -- ]]; then
        if declare -F _command_offset >/dev/null; then
          _command_offset $((i + 1))
        else
          COMPREPLY=($(compgen -c -f -- "$cur"))
        fi
        return
      fi
    done
  fi
  # "--nan=w" arrives as three words.
  local equals=
  if [[ $cur == = ]]; then
    cur= equals=1
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD-2]} equals=1
  fi
  case "${COMP_WORDS[1]} $prev$equals" in
)";
  std::string lists;
  const auto add = [&](const std::string& name, const std::vector<OptionEntry>& options) {
    std::string words;
    for (const OptionEntry& option : options) {
      words += (words.empty() ? "" : " ") + join(option.names);
      if (option.value.empty()) continue;
      std::string patterns;
      for (const std::string& one : option.names) {
        if (!option.value_optional) patterns += "\"" + name + " " + one + "\"|";
        patterns += "\"" + name + " " + one + "1\"|";
      }
      patterns.pop_back();
      const std::string action = option.takes_file()      ? "compgen -f"
                                 : option.takes_folder()  ? "compgen -d"
                                 : option.choices.empty() ? ""
                                                          : "compgen -W '" + join(option.choices) + "'";
      text += "    " + patterns + ") " +
              (action.empty() ? "" : "COMPREPLY=($(" + action + " -- \"$cur\")); ") + "return ;;\n";
    }
    lists += "    " + name + ") COMPREPLY=($(compgen -W '" + words + (name == "run" ? " --" : "") +
             "' -- \"$cur\")) ;;\n";
  };
  for (const CommandEntry& command : commands) add(command.name, command.options);
  std::string top = command_names(commands);
  for (const OptionEntry& option : own) top += " " + join(option.names);
  return text + "  esac\n  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W '" + top +
         "' -- \"$cur\"))\n    return\n  fi\n  if [[ $cur != -* && ${COMP_WORDS[1]} != run ]]; then\n"
         "    COMPREPLY=($(compgen -f -- \"$cur\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n" +
         lists + "  esac\n}\ncomplete -o filenames -o bashdefault -F _shaderqa shaderqa\n";
}

std::string zsh_option(const OptionEntry& option) {
  std::string text;
  for (const std::string& name : option.names) {
    std::string spec = name;
    if (!option.value.empty()) spec += name.starts_with("--") ? (option.value_optional ? "=-" : "=") : "+";
    spec += "[" + escaped(option.summary(), "[]\\:", "\\") + "]";
    if (!option.value.empty()) {
      spec += (option.value_optional ? "::" : ":") +
              std::string(option.choices.empty() ? option.value : "value") + ":";
      if (option.takes_file()) spec += "_files";
      if (option.takes_folder()) spec += "_files -/";
      if (!option.choices.empty()) spec += "(" + join(option.choices) + ")";
    }
    text += " \\\n        " + in_quotes(spec);
  }
  return text;
}

std::string zsh(const std::vector<CommandEntry>& commands, const std::vector<OptionEntry>& own) {
  std::string text = R"(#compdef shaderqa
_shaderqa() {
  local dashes=${words[(i)--]}
  if [[ ${words[2]} == run ]] && ((dashes < CURRENT)); then
    shift $dashes words
    ((CURRENT -= dashes))
    _normal
    return
  fi
  if ((CURRENT == 2)); then
    local -a commands=(
)";
  for (const CommandEntry& command : commands)
    text += "      " + in_quotes(command.name + ":" + escaped(command.text, ":\\", "\\")) + "\n";
  text += "    )\n    _describe command commands\n    _arguments";
  for (const OptionEntry& option : own) text += zsh_option(option);
  text +=
      "\n    return\n  fi\n  local command=${words[2]}\n  shift words\n  ((CURRENT--))\n  case $command in\n";
  for (const CommandEntry& command : commands) {
    text += "    " + command.name + ")\n      _arguments";
    for (const OptionEntry& option : command.options) text += zsh_option(option);
    text += command.name == "run"         ? " \\\n        '--[the program follows]'"
            : command.positionals.empty() ? ""
                                          : " \\\n        '*:file:_files'";
    text += "\n      ;;\n";
  }
  // As an autoloaded function it is called at once; read by `source`, it is registered.
  return text +
         "  esac\n}\nif [[ ${funcstack[1]} == _shaderqa ]]; then\n  _shaderqa \"$@\"\nelse\n  compdef "
         "_shaderqa shaderqa\nfi\n";
}

std::string fish(const std::vector<CommandEntry>& commands, const std::vector<OptionEntry>& own) {
  std::string text = R"(# fish completion for shaderqa
function __shaderqa_in -a command
    set -l words (commandline -opc)
    test "$words[2]" = $command; and not contains -- -- $words
end
function __shaderqa_program
    set -l words (commandline -opc)
    test "$words[2]" = run; and contains -- -- $words
end
function __shaderqa_complete_program
    set -l words (commandline -opc) (commandline -ct)
    set -l at (contains -i -- -- $words)
    complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..-1]))
end
complete -c shaderqa -n '__shaderqa_program' -f -a '(__shaderqa_complete_program)'
)";
  const auto add = [&](const std::string& condition, const OptionEntry& option) {
    text += "complete -c shaderqa -n " + in_quotes(condition);
    for (const std::string& name : option.names)
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    text += " -d " + in_quotes(option.summary());
    if (!option.value.empty()) {
      if (option.takes_file() || option.takes_folder()) {
        text += " -rF";
      } else {
        text += option.value_optional ? " -f" : " -x";
        if (!option.choices.empty()) text += " -a " + in_quotes(join(option.choices));
      }
    }
    text += "\n";
  };
  const std::string first = "test (count (commandline -opc)) -eq 1";
  for (const CommandEntry& command : commands) {
    text += "complete -c shaderqa -n " + in_quotes(first) + " -f -a " + command.name + " -d " +
            in_quotes(command.text) + "\n";
    for (const OptionEntry& option : command.options) add("__shaderqa_in " + command.name, option);
    if (command.name == "run")
      text += "complete -c shaderqa -n '__shaderqa_in run' -f -a '--' -d 'The program follows'\n";
  }
  for (const OptionEntry& option : own) add(first, option);
  return text;
}

}  // namespace

const std::vector<std::string>& completion_shells() {
  static const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  return shells;
}

std::string completion(const CLI::App& app, const std::string& shell) {
  const std::vector<CommandEntry> commands = commands_of(app);
  const std::vector<OptionEntry> own = options_of(app);
  if (shell == "zsh") return zsh(commands, own);
  if (shell == "fish") return fish(commands, own);
  return bash(commands, own);
}

}  // namespace shaderqa
