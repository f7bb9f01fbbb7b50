// SPDX-License-Identifier: Apache-2.0
// Settings and selection, seen from outside.
#include <filesystem>

#include "e2e_test.h"

namespace shaderqa::testing {
namespace {

class SettingsTest : public EndToEnd {
 protected:
  std::string hash_of(const std::string& file) {
    const ProcessResult result = run({SHADERQA_BIN_DIR "/shaderqa", "hash", file}, environment);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out.substr(0, 16);
  }
  const std::string one = compute(R"(void main() { debugPrintfEXT("one %u", io[0]); })", "one");
  const std::string two = compute(R"(void main() { debugPrintfEXT("two %u", io[0]); })", "two");
};

// That the validation layer stays silent says something only if it is there.
TEST_F(SettingsTest, ValidationLayerIsListening) {
  const auto file = compute("void main() { io[0] = 1; }", "too_new", {"--target-env", "spirv1.6"});
  const ProcessResult result =
      run(under_layer({"compute", "--api=1.0", file}), environment, directory.path());
  EXPECT_THAT(result.out + result.err, HasSubstr("VUID-"));
}

TEST_F(SettingsTest, HashFileSelectsShaders) {
  write_file(directory.file("hashes.txt"), hash_of(two) + "-" + hash_of(two) + "\n");
  EXPECT_THAT(run_case({"compute", one, two}, {"--hashes", directory.file("hashes.txt")}).printed(),
              ElementsAre("two 0"));
}

TEST_F(SettingsTest, HashFileExcludesShaders) {
  write_file(directory.file("hashes.txt"),
             "0000000000000000-ffffffffffffffff\n" + hash_of(two) + "-" + hash_of(two) + " disallow\n");
  EXPECT_THAT(run_case({"compute", one, two}, {"--hashes", directory.file("hashes.txt")}).printed(),
              ElementsAre("one 0"));
}

TEST_F(SettingsTest, HashesOfTheEnvironmentVariable) {
  write_file(directory.file("hashes.txt"), hash_of(one) + "-" + hash_of(one) + "\n");
  environment["VKD3D_QA_HASHES"] = directory.file("hashes.txt");
  EXPECT_THAT(run_case({"compute", one, two}).printed(), ElementsAre("one 0"));
}

TEST_F(SettingsTest, BadHashLineIsNamed) {
  write_file(directory.file("hashes.txt"), hash_of(one) + "-" + hash_of(one) + "\nnonsense\n");
  const Outcome outcome = run_case({"compute", one, two}, {"--hashes", directory.file("hashes.txt")});
  EXPECT_THAT(outcome.process.err, HasSubstr("hashes.txt:2"));
}

TEST_F(SettingsTest, BadValuesAreNamedAndTheProgramRuns) {
  environment["SHADERQA_PRINTF_BUFFER_SIZE"] = "a lot";
  const Outcome outcome = run_case({"compute", one});
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  EXPECT_THAT(outcome.process.err, HasSubstr("SHADERQA_PRINTF_BUFFER_SIZE"));
  EXPECT_THAT(outcome.process.err, HasSubstr("a lot"));
  EXPECT_THAT(outcome.printed(), ElementsAre("one 0"));
}

TEST_F(SettingsTest, SettingsFileInTheWorkingDirectory) {
  write_file(directory.file("vk_layer_settings.txt"), "shaderqa_instrument.printf_to_stderr = false\n");
  const Outcome outcome = run_case({"compute", one});
  EXPECT_THAT(outcome.printed(), ElementsAre("one 0"));
  EXPECT_THAT(outcome.process.err, Not(HasSubstr("one 0")));
}

TEST_F(SettingsTest, VerboseSaysWhere) {
  environment["SHADERQA_PRINTF_VERBOSE"] = "true";
  environment["SHADERQA_MESSENGERS"] = "also";
  const auto file = compute(R"(
layout(local_size_x = 2, local_size_y = 3) in;
void main() {
  if (gl_LocalInvocationIndex == 5) debugPrintfEXT("here %u", io[0]);
})",
                            "verbose", {"-gVS"});
  const Outcome outcome = run_case({"messenger", file});
  ASSERT_EQ(outcome.printed(), Texts{"here 0"});
  const auto finding = outcome.findings.back();
  EXPECT_EQ(finding.value("stage", ""), "compute");
  EXPECT_EQ(finding.value("entry_point", ""), "main");
  EXPECT_THAT(finding.value("invocation", ""), HasSubstr("1,2,0"));
  EXPECT_EQ(finding.value("shader", ""), hash_of(file));
  ASSERT_TRUE(finding.contains("source")) << finding;
  EXPECT_THAT(finding["source"].value("file", ""), HasSubstr("verbose.comp"));
  EXPECT_EQ(finding["source"].value("line", 0), 5);
  EXPECT_THAT(outcome.process.err, HasSubstr("verbose.comp:5"));
}

TEST_F(SettingsTest, AMessageThatAMessengerHearsComesOnce) {
  const auto times = [](const Outcome& outcome) {
    const std::string all = outcome.process.out + outcome.process.err;
    size_t count = 0;
    for (size_t at = all.find("one 0"); at != std::string::npos; at = all.find("one 0", at + 1)) ++count;
    return count;
  };
  const Outcome outcome = run_case({"messenger", one});
  EXPECT_EQ(outcome.value("received"), "one 0");
  EXPECT_EQ(times(outcome), 1u) << outcome.process.err;
  environment["SHADERQA_MESSENGERS"] = "also";
  EXPECT_EQ(times(run_case({"messenger", one})), 2u);
  environment["SHADERQA_MESSENGERS"] = "never";
  const Outcome never = run_case({"messenger", one});
  EXPECT_EQ(never.value("received"), "");
  EXPECT_THAT(never.process.err, HasSubstr("one 0"));
}

TEST_F(SettingsTest, ObjectNamesAreSaid) {
  environment["SHADERQA_PRINTF_VERBOSE"] = "true";
  const Outcome outcome = run_case({"messenger", one});
  ASSERT_EQ(outcome.printed(), Texts{"one 0"});
  EXPECT_EQ(outcome.findings.back().value("pipeline", ""), "the named pipeline");
}

// Without `shaderqa run`: the loader finds the layer by its manifest, once SHADERQA is 1 and SHADERQA_DISABLE
// is not set.
TEST_F(SettingsTest, EnabledByEnvironment) {
  install_implicit_layer(directory.path());
  environment["SHADERQA_REPORT"] = report;
  const auto printed = [&](const Environment& more) {
    std::filesystem::remove(report);
    Environment all = environment;
    all.insert(more.begin(), more.end());
    const Outcome outcome = finish(run(runner({"compute", one}), all, directory.path()));
    EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
    return outcome.printed();
  };
  EXPECT_THAT(printed({}), IsEmpty());
  EXPECT_THAT(printed({{"SHADERQA", "1"}}), ElementsAre("one 0"));
  EXPECT_THAT(printed({{"SHADERQA", "yes"}}), IsEmpty());
  EXPECT_THAT(printed({{"SHADERQA", "1"}, {"SHADERQA_DISABLE", "1"}}), IsEmpty());
  EXPECT_THAT(printed({{"SHADERQA", "1"}, {"SHADERQA_DISABLE", ""}}), IsEmpty());
  EXPECT_THAT(printed({{"VK_LOADER_LAYERS_ENABLE", "*SHADERQA*"}}), ElementsAre("one 0"));
}

}  // namespace
}  // namespace shaderqa::testing
