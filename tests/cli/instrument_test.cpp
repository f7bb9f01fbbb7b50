// SPDX-License-Identifier: Apache-2.0
// `shaderqa instrument` and `shaderqa hash`
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cli_test.h"
#include "shader_compiler.h"

namespace shaderqa::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kTwoEntryPoints = R"(
  OpCapability Shader
  OpMemoryModel Logical GLSL450
  OpEntryPoint GLCompute %a "first"
  OpEntryPoint GLCompute %b "second"
  OpEntryPoint Vertex %c "second"
  OpExecutionMode %a LocalSize 1 1 1
  OpExecutionMode %b LocalSize 1 1 1
  %void = OpTypeVoid
  %fn = OpTypeFunction %void
  %a = OpFunction %void None %fn
  %la = OpLabel
  OpReturn
  OpFunctionEnd
  %b = OpFunction %void None %fn
  %lb = OpLabel
  OpReturn
  OpFunctionEnd
  %c = OpFunction %void None %fn
  %lc = OpLabel
  OpReturn
  OpFunctionEnd
)";

class Instrument : public CliTest {
 protected:
  std::string printing_shader() {
    return compile_glsl(
        directory_.path(), "prints", "comp",
        "void main() { debugPrintfEXT(\"a %d b %lu\", 5, uint64_t(7)); debugPrintfEXT(\"plain\"); }");
  }
  std::string silent_shader() { return compile_glsl(directory_.path(), "silent", "comp", "void main() {}"); }
  std::string assemble(const std::string& text) {
    write_file(file("module.spvasm"), text);
    const ProcessResult result =
        testing::run({SHADERQA_SPIRV_AS, file("module.spvasm"), "-o", file("module.spv")}, environment_);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return file("module.spv");
  }
  ProcessResult instrument(const std::string& input, const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"instrument", input, "-o", "out.spv", "--strings", "strings.json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return shaderqa(arguments);
  }
  void expect_no_output() {
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
      const std::string name = entry.path().filename();
      EXPECT_FALSE(name.starts_with("out.spv") || name.starts_with("strings.json")) << name;
    }
  }
};

TEST_F(Instrument, ModuleAndStrings) {
  const std::string input = printing_shader();
  const ProcessResult result = instrument(input, {"--root-address", "0x12345678abc0"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  const std::vector<uint32_t> words = read_words(file("out.spv"));
  ASSERT_GT(words.size(), read_words(input).size());
  // The address is in it, as constants of 32 bits.
  EXPECT_THAT(words, ::testing::Contains(0x5678abc0u));
  EXPECT_THAT(words, ::testing::Contains(0x1234u));

  const json strings = json::parse(read_file(file("strings.json"))).at("amdpal.format_strings");
  EXPECT_EQ(strings.at(".version"), 1);
  ASSERT_EQ(strings.at(".strings").size(), 2u);
  const json& first = strings.at(".strings")[0];
  EXPECT_EQ(first.at(".string"), "a %d b %lu");
  EXPECT_EQ(first.at(".argument_count"), 2);
  EXPECT_EQ(first.at(".64bit_arguments"), json({2}));
  EXPECT_GT(first.at(".index").get<uint64_t>(), 0u);
  EXPECT_LT(first.at(".index").get<uint64_t>(), uint64_t{1} << 48);
}

TEST_F(Instrument, ItsStringsDecodeItsMessages) {
  ASSERT_EQ(instrument(printing_shader()).exit_code, 0);
  const json strings =
      json::parse(read_file(file("strings.json"))).at("amdpal.format_strings").at(".strings");
  const uint64_t id = strings[0].at(".index");
  const std::vector<uint32_t> dump = {
      5, 0, 0, 0, 5 | static_cast<uint32_t>(id) << 16, static_cast<uint32_t>(id >> 16), 5, 7, 1};
  write_file(file("dump.bin"), std::string(reinterpret_cast<const char*>(dump.data()), dump.size() * 4));
  const ProcessResult result = shaderqa({"decode", "--strings", "strings.json", "dump.bin"});
  EXPECT_EQ(result.out, "a 5 b 4294967303\n");
  EXPECT_EQ(result.err, "");
}

TEST_F(Instrument, OptionsChangeTheResult) {
  const std::string input = printing_shader();
  ASSERT_EQ(instrument(input).exit_code, 0);
  const std::vector<uint32_t> plain = read_words(file("out.spv"));
  ASSERT_EQ(instrument(input).exit_code, 0);
  EXPECT_EQ(read_words(file("out.spv")), plain);
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--root-address", "0x1000"},
                                             {"--subgroup"},
                                             {"--no-int64-atomics"},
                                             {"--no-memory-barrier"},
                                             {"--invocation"},
                                             {"--first", "3"},
                                             {"--every", "10"}}) {
    ASSERT_EQ(instrument(input, options).exit_code, 0) << options[0];
    EXPECT_NE(read_words(file("out.spv")), plain) << options[0];
  }
}

TEST_F(Instrument, ChecksOfValues) {
  const std::string input =
      compile_glsl(directory_.path(), "divides", "comp",
                   "layout(binding = 0) buffer B { float b[]; }; void main() { b[0] = b[1] / b[2]; "
                   "debugPrintfEXT(\"x\"); }");
  std::set<std::vector<uint32_t>> results{read_words(input)};
  // Each mode is something else, with or without messages; the strings are not always asked for.
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{},
                                             {"--nan=writes"},
                                             {"--nan=full"},
                                             {"--nan=flush-nan"},
                                             {"--nan=full", "--no-printf"},
                                             {"--nan=writes", "--no-printf"}}) {
    std::vector<std::string> arguments = {"instrument", input, "-o", "out.spv"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProcessResult result = shaderqa(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(results.insert(read_words(file("out.spv"))).second);
  }
  const std::vector<uint32_t> writes = [&] {
    EXPECT_EQ(shaderqa({"instrument", input, "-o", "out.spv", "--nan"}).exit_code, 0);
    return read_words(file("out.spv"));
  }();
  EXPECT_TRUE(results.contains(writes));
  const ProcessResult unknown = shaderqa({"instrument", input, "-o", "out.spv", "--nan=some"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("is not one of none, writes, full, flush-nan"));
}

TEST_F(Instrument, AssumptionsAreCheckedOrRemoved) {
  const std::string input = assemble(R"(
  OpCapability Shader
  OpCapability ExpectAssumeKHR
  OpExtension "SPV_KHR_expect_assume"
  OpMemoryModel Logical GLSL450
  OpEntryPoint GLCompute %a "main"
  OpExecutionMode %a LocalSize 1 1 1
  %void = OpTypeVoid
  %bool = OpTypeBool
  %false = OpConstantFalse %bool
  %fn = OpTypeFunction %void
  %a = OpFunction %void None %fn
  %la = OpLabel
  %b = OpExpectKHR %bool %false %false
  OpAssumeTrueKHR %b
  OpReturn
  OpFunctionEnd
)");
  const size_t size = read_words(input).size();
  EXPECT_EQ(instrument(input).exit_code, 0);
  EXPECT_EQ(read_words(file("out.spv")).size(), size);
  EXPECT_EQ(instrument(input, {"--no-expect-assume"}).exit_code, 0);
  EXPECT_LT(read_words(file("out.spv")).size(), size);
  for (const char* option : {"--assume", "--expect"}) {
    EXPECT_EQ(instrument(input, {option}).exit_code, 0);
    EXPECT_GT(read_words(file("out.spv")).size(), 2 * size) << option;
  }
}

TEST_F(Instrument, NothingToDo) {
  const std::string input = silent_shader();
  const ProcessResult result = instrument(input);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("copied unchanged"));
  EXPECT_EQ(read_file(file("out.spv")), read_file(input));
  EXPECT_TRUE(
      json::parse(read_file(file("strings.json"))).at("amdpal.format_strings").at(".strings").empty());
}

TEST_F(Instrument, ChoiceOfTheEntryPoint) {
  const std::string input = assemble(kTwoEntryPoints);
  ProcessResult result = instrument(input);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--entry first --stage compute\n  --entry second --stage compute\n"
                                    "  --entry second --stage vertex\n"));
  EXPECT_EQ(instrument(input, {"--entry", "second"}).exit_code, 2);
  EXPECT_EQ(instrument(input, {"--entry", "third"}).exit_code, 2);
  expect_no_output();
  EXPECT_EQ(instrument(input, {"--entry", "first"}).exit_code, 0);
  EXPECT_EQ(instrument(input, {"--stage", "vertex"}).exit_code, 0);
  EXPECT_EQ(instrument(input, {"--entry", "second", "--stage", "compute"}).exit_code, 0);
  EXPECT_EQ(instrument(input, {"--stage", "pixel"}).exit_code, 2);
}

TEST_F(Instrument, OtherByteOrder) {
  const std::string input = printing_shader();
  ASSERT_EQ(instrument(input).exit_code, 0);
  const std::string expected = read_file(file("out.spv"));
  std::string swapped = read_file(input);
  for (size_t i = 0; i < swapped.size(); i += 4) std::reverse(&swapped[i], &swapped[i] + 4);
  write_file(file("swapped.spv"), swapped);
  const ProcessResult result = instrument("swapped.spv");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("byte order"));
  EXPECT_EQ(read_file(file("out.spv")), expected);
  EXPECT_EQ(shaderqa({"hash", "swapped.spv"}).out, shaderqa({"hash", input}).out);
}

TEST_F(Instrument, BadInputs) {
  const std::string module = read_file(printing_shader());
  write_file(file("empty"), "");
  write_file(file("text"), "void main() {}\n");
  write_file(file("odd"), module + "x");
  write_file(file("header"), module.substr(0, 16));
  write_file(file("cut"), module.substr(0, 24));                    // within the first instruction
  write_file(file("no-entry"), module.substr(0, 28));               // behind it
  write_file(file("no-end"), module.substr(0, module.size() - 4));  // without the last OpFunctionEnd
  const auto expect_error = [&](const std::string& input, const std::string& text, int code = 2) {
    const ProcessResult result = instrument(input);
    EXPECT_EQ(result.exit_code, code) << input;
    EXPECT_THAT(result.err, HasSubstr("shaderqa: error: " + input + ": "));
    EXPECT_THAT(result.err, HasSubstr(text));
    expect_no_output();
  };
  expect_error("missing", "cannot open");
  expect_error("empty", "is empty");
  expect_error("text", "is not SPIR-V");
  expect_error("odd", "no whole number of 4-byte words");
  expect_error("header", "less than a SPIR-V header");
  expect_error("cut", "damaged or cut off");
  expect_error("no-entry", "no entry point");
  expect_error("no-end", "cannot be instrumented: ", 1);
  expect_error(".", "cannot read");
}

TEST_F(Instrument, OutputThatCannotBeWritten) {
  const std::string input = printing_shader();
  const ProcessResult result =
      shaderqa({"instrument", input, "-o", "no/folder/out.spv", "--strings", "strings.json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("no/folder/out.spv"));
}

TEST_F(Instrument, FilesGetTheUsersPermissions) {
  const std::string input = printing_shader();
  const ProcessResult result = testing::run(
      {"/bin/sh", "-c",
       "umask 027; " + std::string(kCommand) + " instrument " + input + " -o out.spv --strings s"},
      environment_, directory_.path());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  struct stat info {};
  ASSERT_EQ(stat(file("out.spv").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_F(Instrument, Hash) {
  const std::string prints = printing_shader(), silent = silent_shader();
  const ProcessResult one = shaderqa({"hash", prints});
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_THAT(one.out, ::testing::MatchesRegex("[0-9a-f]{16}\n"));
  const ProcessResult two = shaderqa({"hash", prints, silent});
  EXPECT_EQ(two.out, one.out.substr(0, 16) + "  " + prints + "\n" +
                         shaderqa({"hash", silent}).out.substr(0, 16) + "  " + silent + "\n");
  EXPECT_NE(shaderqa({"hash", silent}).out, one.out);

  // One bad file does not keep the others from being hashed.
  const ProcessResult some = shaderqa({"hash", "missing", prints});
  EXPECT_EQ(some.exit_code, 2);
  EXPECT_EQ(some.out, one.out.substr(0, 16) + "  " + prints + "\n");
  EXPECT_THAT(some.err, HasSubstr("missing: cannot open"));
}

}  // namespace
}  // namespace shaderqa::testing
