// SPDX-License-Identifier: Apache-2.0
// Suggestions, completion and manual pages, all made from the options' table.
#include <filesystem>

#include "cli_test.h"
#include "host/settings/settings_table.h"

namespace shaderqa::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Help = CliTest;

TEST_F(Help, MisspeltWordsGetASuggestion) {
  const auto meant = [&](const std::vector<std::string>& arguments) {
    const std::string err = shaderqa(arguments).err;
    const size_t at = err.find("did you mean ");
    return at == std::string::npos ? "" : err.substr(at + 13, err.find('?', at) - at - 13);
  };
  EXPECT_EQ(meant({"run", "--snyc", "--", "true"}), "--sync");
  EXPECT_EQ(meant({"run", "--printf", "--printf-verbos", "--", "true"}), "--printf-verbose");
  EXPECT_EQ(meant({"run", "--fail_on=hazard", "--", "true"}), "--fail-on");
  EXPECT_EQ(meant({"rnu", "--", "true"}), "run");
  EXPECT_EQ(meant({"instrument", "--strngs", "x", "in.spv"}), "--strings");
  EXPECT_EQ(meant({"run", "--completely-different", "--", "true"}), "");
  EXPECT_EQ(meant({"run", "--nan=wrong", "--", "true"}), "");  // the option is right, its value is not
}

TEST_F(Help, SaysWhereTheProgramGoes) {
  EXPECT_THAT(shaderqa({"run", "--help"}).out, HasSubstr("run [OPTIONS] -- PROGRAM [ARGUMENTS...]"));
}

TEST_F(Help, EverySettingIsAnOption) {
  for (const Setting& setting : settings_table()) {
    if (setting.use != SettingUse::option) continue;
    std::vector<std::string> options = {command_line_option(setting)};
    std::string expected = "true";
    if (setting.type == SettingType::integer) options.push_back(expected = default_value(setting));
    if (setting.type == SettingType::choice) options.back() += "=" + (expected = setting.choices[1].name);
    if (setting.type == SettingType::text) options.push_back(expected = "a,b");
    if (is_formed(setting.type)) options.push_back(expected = example_of(setting.type));
    const bool is_path = setting.type != SettingType::text && !is_formed(setting.type) &&
                         setting.type != SettingType::choice && setting.type != SettingType::integer &&
                         setting.type != SettingType::boolean;
    if (is_path) {
      if (setting.type == SettingType::load_file) write_file(file("given"), "0-f\n");
      options.emplace_back("given");
      expected = file("given");  // the program may change its directory
    }
    if (switches_off(setting)) expected = "false";
    const ProcessResult result = run_script(options, "echo \"$" + environment_variable(setting) + "\"");
    EXPECT_EQ(result.out, expected + "\n") << setting.key << result.err;
    std::filesystem::remove(file("given"));
  }
}

TEST_F(Help, CompletionKnowsEveryOption) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const ProcessResult result = shaderqa({"completion", shell});
    ASSERT_EQ(result.exit_code, 0);
    for (const Setting& setting : settings_table()) {
      if (setting.use != SettingUse::option) continue;
      const std::string name = command_line_option(setting);
      EXPECT_THAT(result.out, HasSubstr(shell == std::string("fish") ? " -l " + name.substr(2) : name))
          << shell;
    }
    EXPECT_THAT(result.out, HasSubstr("exact bloom")) << shell;
    EXPECT_THAT(result.out, HasSubstr("fail-on")) << shell;
    // The build's copy is the one that is installed.
    const std::string name = shell == std::string("bash")  ? "bash-completion/completions/shaderqa"
                             : shell == std::string("zsh") ? "zsh/vendor-completions/_shaderqa"
                                                           : "fish/vendor_completions.d/shaderqa.fish";
    EXPECT_EQ(read_file(SHADERQA_BUILD_DIR "/share/" + name), result.out);
  }
  EXPECT_EQ(shaderqa({"completion", "csh"}).exit_code, 2);
}

TEST_F(Help, BashCompletes) {
  write_file(file("completion"), shaderqa({"completion", "bash"}).out);
  write_file(file("report.jsonl"), "");
  const auto complete = [&](const std::string& words) {
    const ProcessResult result =
        testing::run({"/bin/bash", "-c",
                      "source completion; COMP_WORDS=(shaderqa " + words +
                          "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _shaderqa; echo ${COMPREPLY[*]}"},
                     environment_, file(""));
    EXPECT_EQ(result.err, "");
    return result.out;
  };
  EXPECT_EQ(complete("ru"), "run\n");
  EXPECT_EQ(complete("run --printf-v"), "--printf-verbose\n");
  EXPECT_EQ(complete("run --sync = b"), "bloom\n");
  EXPECT_EQ(complete("run --nan = ''"), "writes full flush-nan\n");
  EXPECT_EQ(complete("run --report rep"), "report.jsonl\n");
  EXPECT_THAT(complete("run --sync -- --sy"), Not(HasSubstr("--sync")));  // the program's own arguments
}

// Where the shells are installed, they must read their scripts.
TEST_F(Help, ShellsReadTheirScripts) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    if (!std::filesystem::exists("/usr/bin/" + shell)) continue;
    write_file(file("script"), shaderqa({"completion", shell}).out);
    const ProcessResult result = testing::run({"/usr/bin/" + shell, "-n", file("script")}, environment_);
    EXPECT_EQ(result.exit_code, 0) << shell << result.err;
    EXPECT_EQ(result.err, "") << shell;
  }
}

TEST_F(Help, ManualPagesNameEverythingAndAreValid) {
  const std::string command = shaderqa({"manual"}).out;
  EXPECT_EQ(read_file(SHADERQA_BUILD_DIR "/share/man/man1/shaderqa.1"), command);
  const std::string page = read_file(SHADERQA_BUILD_DIR "/share/man/man5/shaderqa-settings.5");
  for (const Setting& setting : settings_table()) {
    if (setting.use == SettingUse::internal) continue;
    std::string option;
    for (const char c : command_line_option(setting)) option += c == '-' ? "\\-" : std::string(1, c);
    if (setting.use == SettingUse::option) {
      EXPECT_THAT(command, HasSubstr("\\fB" + option + "\\fR")) << setting.key;
    }
    EXPECT_THAT(page, HasSubstr(".TP\n\\fB" + std::string(setting.key) + "\\fR")) << setting.key;
  }
  if (!std::filesystem::exists("/usr/bin/groff")) return;
  for (const char* name : {"man1/shaderqa.1", "man5/shaderqa-settings.5"}) {
    const ProcessResult result = testing::run({"/usr/bin/groff", "-man", "-ww", "-z", "-Tutf8",
                                               std::string(SHADERQA_BUILD_DIR "/share/man/") + name},
                                              environment_);
    EXPECT_EQ(result.err, "") << name;
  }
}

}  // namespace
}  // namespace shaderqa::testing
