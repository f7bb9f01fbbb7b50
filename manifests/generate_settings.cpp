// SPDX-License-Identifier: Apache-2.0
// Writes what people read about settings from the rows of host/settings/settings.inc:
//   generate_settings example OUT      the example of a vk_layer_settings.txt
//   generate_settings manual IN OUT    docs/manual/settings.md, its tables replaced, all else as it is
//   generate_settings page OUT         the manual page shaderqa-settings(5)
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "host/settings/settings_table.h"
#include "host/text/troff.h"
#include "host/version.h"

namespace {

using shaderqa::Setting;
using shaderqa::SettingGroup;
using shaderqa::SettingType;

constexpr std::string_view kBegin = "<!-- Tables made from host/settings/settings.inc: begin -->\n";
constexpr std::string_view kEnd = "<!-- end -->\n";
constexpr size_t kLineLength = 120;

constexpr SettingGroup kGroups[] = {SettingGroup::checks, SettingGroup::selection, SettingGroup::part,
                                    SettingGroup::printf, SettingGroup::output,    SettingGroup::cache,
                                    SettingGroup::sync,   SettingGroup::trace,     SettingGroup::pictures};

std::vector<const Setting*> settings_of(SettingGroup group) {
  std::vector<const Setting*> found;
  for (const Setting& setting : shaderqa::settings_table())
    if (setting.group == group) found.push_back(&setting);
  return found;
}

std::string meaning(const Setting& setting) {
  std::string text = setting.text;
  if (setting.foreign) text += std::string(" Without it: `") + setting.foreign + "`.";
  for (const shaderqa::SettingChoice& choice : choices_of(setting))
    text += std::string("<br>`") + choice.name + "`: " + choice.text;
  return text;
}

std::string table(SettingGroup group) {
  std::string text = std::string("\n### ") + title(group) +
                     "\n\n| key | default | allowed | `shaderqa run` | meaning |\n|---|---|---|---|---|\n";
  for (const Setting* setting : settings_of(group)) {
    const std::string value = default_value(*setting);
    const bool has_option = setting->use == shaderqa::SettingUse::option;
    text += std::string("| `") + setting->key + "` | " + (value.empty() ? "" : "`" + value + "` ") + "| " +
            allowed_values(*setting) + " | " +
            (has_option ? "`" + command_line_option(*setting) + "` " : "") + "| " + meaning(*setting) +
            " |\n";
  }
  return text;
}

std::string manual(const std::string& before) {
  const size_t begin = before.find(kBegin), end = before.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    throw std::runtime_error("the comments around the tables are missing");
  std::string text = before.substr(0, begin + kBegin.size());
  for (const SettingGroup group : kGroups) text += table(group);
  return text + "\n" + before.substr(end);
}

// Comment lines of at most kLineLength characters.
std::string comment(std::string_view text) {
  std::string lines, line = "#";
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (line.size() + 1 + end > kLineLength) {
      lines += line + "\n";
      line = "#";
    }
    line += " " + std::string(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines + line + "\n";
}

std::string entry(const Setting& setting) {
  std::string about = setting.text;
  if (setting.foreign) about += std::string(" Without it: ") + setting.foreign + ".";
  std::string text = "\n" + comment(about);
  if (setting.type == SettingType::integer)
    text += comment("Allowed: " + allowed_values(setting) + "; k, M and G may follow the number.");
  if (is_formed(setting.type)) text += comment("Allowed: " + allowed_values(setting) + ".");
  for (const shaderqa::SettingChoice& choice : choices_of(setting))
    text += comment(std::string("  ") + choice.name + ": " + choice.text);
  const std::string value = default_value(setting);
  return text + "shaderqa_instrument." + setting.key + " =" + (value.empty() ? "" : " " + value) + "\n";
}

std::string example() {
  std::string text =
      comment(
          "Settings of VK_LAYER_SHADERQA_instrument. Put this file into the program's working directory, or "
          "name it (or its directory) in the environment variable VK_LAYER_SETTINGS_PATH. Every line is "
          "optional and stands here with its default. A variable SHADERQA_<KEY>, for example "
          "SHADERQA_PRINTF_VERBOSE=1, is stronger than this file.") +
      comment("Made from host/settings/settings.inc.");
  for (const SettingGroup group : kGroups) {
    const std::string heading = std::string("# ") + title(group) + " ";
    text += "\n" + heading + std::string(kLineLength - heading.size(), '-') + "\n";
    for (const Setting* setting : settings_of(group)) text += entry(*setting);
  }
  return text;
}

std::string page_entry(const Setting& setting) {
  std::string head = shaderqa::troff_bold(setting.key);
  if (setting.use == shaderqa::SettingUse::option)
    head += " (" + shaderqa::troff_bold(command_line_option(setting)) + ")";
  std::string text = ".TP\n" + head + "\n" + shaderqa::troff_text(setting.text) + "\n";
  if (setting.foreign)
    text += shaderqa::troff_text(std::string("Without it: ") + setting.foreign + ".") + "\n";
  for (const shaderqa::SettingChoice& choice : choices_of(setting))
    text += ".br\n" + shaderqa::troff_bold(choice.name) + ": " + shaderqa::troff_text(choice.text) + "\n";
  const std::string value = default_value(setting);
  text += ".br\n";
  if (setting.type == SettingType::integer)
    text += shaderqa::troff_text("Allowed: " + allowed_values(setting) + ".") + "\n";
  if (is_formed(setting.type))
    text += shaderqa::troff_text("Allowed: " + allowed_values(setting) + ".") + "\n";
  return text + (value.empty() ? "No default." : "Default: " + shaderqa::troff_text(value) + ".") + "\n";
}

std::string page() {
  std::string text =
      shaderqa::troff_title("SHADERQA\\-SETTINGS", "5", shaderqa::version()) +
      ".SH NAME\nshaderqa\\-settings \\- settings of the Vulkan layer VK_LAYER_SHADERQA_instrument\n"
      ".SH DESCRIPTION\nThree places can set each of them. The strongest wins, setting by setting:\n"
      ".IP 1. 3\nthe environment: \\fBSHADERQA_\\fIKEY\\fR, the key in capitals;\n"
      ".IP 2. 3\nlines \\fBshaderqa_instrument.\\fIkey\\fR = \\fIvalue\\fR of a file "
      "\\fIvk_layer_settings.txt\\fR: in\n.B $VK_LAYER_SETTINGS_PATH\n(a file or a directory), in\n"
      ".I $XDG_DATA_HOME/vulkan/settings.d\nor in the working directory;\n"
      ".IP 3. 3\nthe application, through VK_EXT_layer_settings.\n.PP\n"
      "The options of\n.BR shaderqa (1)\nset the environment.\n";
  for (const SettingGroup group : kGroups) {
    text += ".SH " + shaderqa::troff_text(title(group)) + "\n";
    for (const Setting* setting : settings_of(group))
      if (setting->use != shaderqa::SettingUse::internal) text += page_entry(*setting);
  }
  return text + ".SH SEE ALSO\n.BR shaderqa (1)\n";
}

std::string read(const char* path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write(const char* path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(std::string("cannot write ") + path);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  try {
    if (what == "example" && argc == 3) {
      write(argv[2], example());
    } else if (what == "manual" && argc == 4) {
      write(argv[3], manual(read(argv[2])));
    } else if (what == "page" && argc == 3) {
      write(argv[2], page());
    } else {
      std::fprintf(stderr, "usage: %s example OUT | manual IN OUT | page OUT\n", argv[0]);
      return 2;
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "generate_settings: %s\n", error.what());
    return 1;
  }
}
