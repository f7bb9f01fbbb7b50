// SPDX-License-Identifier: Apache-2.0
// What `shaderqa run` refuses, and how it says so.
#include <filesystem>

#include "cli_test.h"
#include "host/findings/finding_types.h"
#include "host/settings/settings_table.h"

namespace shaderqa::testing {
namespace {

using ::testing::HasSubstr;

class RunArguments : public CliTest {
 protected:
  // Nothing is started, and the message holds `text`.
  void expect_refused(const std::vector<std::string>& options, const std::string& text) {
    const ProcessResult result = run_script(options, "echo started");
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("shaderqa: error: "));
    EXPECT_THAT(result.err, HasSubstr(text));
  }
};

TEST_F(RunArguments, HelpNamesEveryOption) {
  const ProcessResult result = shaderqa({"run", "--help"});
  EXPECT_EQ(result.exit_code, 0);
  for (const Setting& setting : settings_table()) {
    const bool is_option = setting.use == SettingUse::option;
    EXPECT_EQ(result.out.find(command_line_option(setting) + " ") != std::string::npos, is_option)
        << setting.key;
  }
  for (const char* text :
       {"--printf ", "--sync-host", "-v,--verbose", "--fail-on", "99", "2: ", "126", "127"})
    EXPECT_THAT(result.out, HasSubstr(text));
  // The kinds of --fail-on, all of them.
  for (const char* kind : {" printf", " assume", " nan", " hazard", " redundant", " trace", " note"})
    EXPECT_THAT(result.out, HasSubstr(kind));
}

TEST_F(RunArguments, APartThatIsNone) {
  expect_refused({"--frames", "0"}, "\"0\" is not numbers and ranges of numbers from 1 on");
  expect_refused({"--frames=5-3"}, "such as 100-110,200 or 300-");
  expect_refused({"--actions", "all"}, "--actions");
  expect_refused({"--after", "30"}, "\"30\" is not a time such as 30s, 500ms or 1m30s, or never");
  expect_refused({"--within", "a//b"}, "is not labels");
  for (const char* wrong : {"0%", "200%", "10", "a lot"})
    expect_refused({"--budget", wrong}, "is not a share of more than 0% and at most 100%");
  expect_refused({"--switch-signal=sigkill"}, "is not one of none, sigusr1");
}

TEST_F(RunArguments, Version) {
  const ProcessResult result = shaderqa({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "shaderqa " SHADERQA_PROJECT_VERSION "\n");
}

TEST_F(RunArguments, OptionsBecomeVariables) {
  const auto variables = [&](const std::vector<std::string>& options) {
    const ProcessResult result = run_script(
        options,
        "echo $SHADERQA_PRINTF,$SHADERQA_SYNC,$SHADERQA_PRINTF_FIRST,$SHADERQA_LOG_LEVEL,$SHADERQA_LOG_FILE");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  EXPECT_EQ(variables({}), ",,,,\n");
  EXPECT_EQ(variables({"--printf", "--sync", "--printf-first=7"}), "true,exact,7,,\n");
  EXPECT_EQ(variables({"--sync=bloom", "--log-level"}), ",bloom,,info,\n");
  EXPECT_EQ(variables({"-v"}), ",,,info,\n");
  EXPECT_EQ(variables({"-vv"}), ",,,debug,\n");
  EXPECT_EQ(variables({"--verbose", "--verbose", "--verbose"}), ",,,trace,\n");
  EXPECT_EQ(variables({"--log-level=warn", "--log-file", "log"}), ",,,warn," + file("log") + "\n");
}

TEST_F(RunArguments, WithoutProgram) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"run"}, {"run", "--"}, {"run", "--printf"}, {"run", "true"}}) {
    const ProcessResult result = shaderqa(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("shaderqa: error: "));
    EXPECT_THAT(result.err, HasSubstr("--help"));
  }
  EXPECT_THAT(shaderqa({"run", "true"}).err, HasSubstr("behind --"));
}

TEST_F(RunArguments, UsageOfOtherCommands) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {}, {"unknown"}, {"hash"}, {"decode"}, {"instrument"}, {"hash", "--unknown", "x"}}) {
    const ProcessResult result = shaderqa(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("shaderqa: error: "));
  }
}

TEST_F(RunArguments, BadValues) {
  expect_refused({"--unknown"}, "--unknown");
  expect_refused({"--nan=maybe"}, "maybe");
  expect_refused({"--sync=perhaps"}, "perhaps");
  expect_refused({"--printf-buffer-size", "1X"}, "--printf-buffer-size");
  expect_refused({"--printf-buffer-size", "1k"}, "65536");
  expect_refused({"--printf-buffer-size", "4G"}, "2147483648");
  expect_refused({"--printf-first", "-1"}, "--printf-first");
  expect_refused({"--printf-every", "4294967296"}, "--printf-every");
  expect_refused({"-v", "--log-level=warn"}, "--log-level");
  expect_refused({"--log-level=loud"}, "off, error, warn, info, debug, trace");
  expect_refused({"--fail-on", "printf,hazzard"}, "hazzard");
  expect_refused({"--fail-on", "printf,hazzard"}, "hazard");  // what there is
  expect_refused({"--allow-incomplete"}, "--fail-on");
}

// Each kind of docs/manual/report.md is listed and taken.
TEST_F(RunArguments, FailOnTakesEveryKind) {
  std::string list, all;
  for (const FindingKind kind : kFindingKinds) {
    list += std::string(" ") + to_string(kind);
    all += (all.empty() ? "" : ",") + std::string(to_string(kind));
  }
  EXPECT_THAT(shaderqa({"run", "--help"}).out, HasSubstr("(commas between):" + list));
  // Taken, and then nothing was checked.
  EXPECT_EQ(
      shaderqa({"run", "--assume", "--nan", "--sync-redundant", "--printf", "--fail-on", all, "--", "true"})
          .exit_code,
      98);
}

TEST_F(RunArguments, UnusableFiles) {
  expect_refused({"--hashes", "missing"}, file("missing"));
  expect_refused({"--hashes", "."}, "is a directory");
  expect_refused({"--report", "no/such/folder"}, file("no/such/folder"));
  expect_refused({"--log-file", "no/such/folder"}, file("no/such/folder"));
  expect_refused({"--log-file", "."}, "is a directory");
  expect_refused({"--report", "."}, "is a directory");
}

TEST_F(RunArguments, OptionsAfterDashesAreThePrograms) {
  const ProcessResult result =
      shaderqa({"run", "--printf", "--", "/bin/echo", "--printf", "--", "--nan", "-h"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "--printf -- --nan -h\n");
}

TEST_F(RunArguments, CommandThatCannotBeStarted) {
  const ProcessResult missing = shaderqa({"run", "--", "no-such-command"});
  EXPECT_EQ(missing.exit_code, 127);
  EXPECT_THAT(missing.err, HasSubstr("no-such-command: command not found"));
  const ProcessResult missing_path = shaderqa({"run", "--", "./no-such-file"});
  EXPECT_EQ(missing_path.exit_code, 127);
  EXPECT_THAT(missing_path.err, HasSubstr("./no-such-file"));

  write_file(file("plain"), "#!/bin/sh\n");
  const ProcessResult not_executable = shaderqa({"run", "--", "./plain"});
  EXPECT_EQ(not_executable.exit_code, 126);
  EXPECT_THAT(not_executable.err, HasSubstr("chmod +x"));
  const ProcessResult folder = shaderqa({"run", "--", "/"});
  EXPECT_EQ(folder.exit_code, 126);
  EXPECT_THAT(folder.err, HasSubstr("directory"));

  write_file(file("script"), "#!/no/such/interpreter\n");
  std::filesystem::permissions(file("script"), std::filesystem::perms::owner_all);
  const ProcessResult interpreter = shaderqa({"run", "--", "./script"});
  EXPECT_EQ(interpreter.exit_code, 127);
  EXPECT_THAT(interpreter.err, HasSubstr("interpreter"));
}

TEST_F(RunArguments, ManifestMissing) {
  // The command looks beside itself, so a lonely copy finds nothing.
  const std::string lonely = file("prefix/bin/shaderqa");
  std::filesystem::create_directories(file("prefix/bin"));
  std::filesystem::copy_file(kCommand, lonely);
  ProcessResult result = testing::run({lonely, "run", "--", "/bin/true"}, environment_);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("prefix/share/vulkan/implicit_layer.d/VkLayer_shaderqa.json"));

  const std::string folder = file("prefix/share/vulkan/implicit_layer.d");
  std::filesystem::create_directories(folder);
  write_file(folder + "/VkLayer_shaderqa.json", "{\"layer\": 1}");
  result = testing::run({lonely, "run", "--", "/bin/true"}, environment_);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("is not a layer manifest"));

  write_file(folder + "/VkLayer_shaderqa.json", "{\"layer\": {\"library_path\": \"../lost.so\"}}");
  result = testing::run({lonely, "run", "--", "/bin/true"}, environment_);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("lost.so"));
}

}  // namespace
}  // namespace shaderqa::testing
