// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "host/text/troff.h"
#include "tools/help.h"
#include "tools/option_list.h"

namespace shaderqa {
namespace {

// A line may end behind a '|'.
std::string with_breaks(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("|\\:") : std::string(1, c);
  return result;
}

std::string option_lines(const OptionEntry& option) {
  std::string head;
  for (const std::string& name : option.names) head += (head.empty() ? "" : ", ") + troff_bold(name);
  if (!option.value.empty()) {
    const bool braces = !option.choices.empty();
    std::string value;
    for (const std::string& choice : option.choices) value += (value.empty() ? "" : "|") + choice;
    value = braces ? with_breaks(troff_text(value)) : troff_italic(option.value);
    head += option.value_optional ? "[=" + value + "]" : " " + value;
  }
  std::string text = ".TP\n" + head + "\n";
  std::istringstream lines(option.text);
  bool first = true;
  for (std::string line; std::getline(lines, line); first = false)
    text += (first ? "" : ".br\n") + troff_text(line) + "\n";
  return text;
}

std::string synopsis(const CommandEntry& command) {
  std::string text = ".B shaderqa " + command.name + "\n";
  if (!command.options.empty()) text += "[\\fIOPTIONS\\fR]\n";
  if (command.name == "run") return text + "\\fB\\-\\-\\fR \\fIPROGRAM\\fR [\\fIARGUMENTS\\fR...]\n";
  for (const std::string& name : command.positionals) text += troff_italic(name) + "\n";
  return text;
}

}  // namespace

std::string manual_page(const CLI::App& app, const std::string& version) {
  const std::vector<CommandEntry> commands = commands_of(app);
  std::string text =
      troff_title("SHADERQA", "1", version) +
      ".SH NAME\nshaderqa \\- finds on the GPU itself what is wrong with a Vulkan program's shaders\n"
      ".SH SYNOPSIS\n";
  for (const CommandEntry& command : commands) text += synopsis(command) + ".br\n";
  text += ".SH DESCRIPTION\n.B shaderqa run\n" +
          troff_text(
              "starts a Vulkan program with a layer that rewrites its shaders, so that they print, check "
              "themselves "
              "and report unsynchronised accesses to buffers. The other commands work on files.") +
          "\n";
  for (const CommandEntry& command : commands) {
    text += ".SH " + troff_text("SHADERQA " + command.name) + "\n" + troff_text(command.text) + ".\n";
    for (const OptionEntry& option : command.options) text += option_lines(option);
    if (!command.footer.empty()) text += ".PP\n" + troff_text(command.footer) + "\n";
  }
  return text +
         ".SH ENVIRONMENT\n.TP\n.B SHADERQA=1\n"
         "Loads the layer into a program that is started without this command. No other value does.\n"
         ".TP\n.B SHADERQA_DISABLE\nKeeps the layer out, whatever its value.\n"
         ".TP\n.B SHADERQA_\\fIKEY\\fR\nA setting of the layer:\n.BR shaderqa\\-settings (5).\n"
         ".SH EXAMPLES\n.nf\nshaderqa run \\-\\-printf \\-\\- ./program\n"
         "shaderqa run \\-\\-sync \\-\\-fail\\-on hazard \\-\\-report races.jsonl \\-\\- ./program "
         "\\-\\-level 3\n.fi\n"
         ".SH SEE ALSO\n.BR shaderqa\\-settings (5)\n";
}

}  // namespace shaderqa
