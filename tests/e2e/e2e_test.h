// SPDX-License-Identifier: Apache-2.0
// What every end-to-end test needs: a place of its own, shaders compiled there, and the runner under
// `shaderqa run` with the Khronos validation layer below ours, which must find nothing to say.
#ifndef SHADERQA_TESTS_E2E_E2E_TEST_H
#define SHADERQA_TESTS_E2E_E2E_TEST_H

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "environment.h"
#include "paths.h"
#include "process.h"
#include "report_reader.h"
#include "shader_compiler.h"

namespace shaderqa::testing {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Texts = std::vector<std::string>;

// What GLSL has no words for in this compiler's version.
inline const char* const kIntrinsics = R"(#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(extensions = ["SPV_KHR_expect_assume"], capabilities = [5629], id = 5630) void assume_true(bool b);
spirv_instruction(extensions = ["SPV_KHR_expect_assume"], capabilities = [5629], id = 5631) uint expect(uint v, uint e);
spirv_instruction(extensions = ["SPV_KHR_non_semantic_info"], set = "NonSemantic.DebugBreak", id = 1) void debug_break();
#line 1
)";

struct Outcome {
  ProcessResult process;
  std::vector<nlohmann::json> findings;
  Texts printed() const { return texts_of(findings, "printf"); }
  Texts notes() const { return texts_of(findings, "note"); }
  std::vector<nlohmann::json> of_kind(const std::string& kind) const {
    std::vector<nlohmann::json> result;
    for (const auto& finding : findings)
      if (finding.at("kind") == kind) result.push_back(finding);
    return result;
  }
  // A line "name: value" of the runner.
  std::string value(const std::string& name) const {
    const size_t begin = process.out.find(name + ": ");
    if (begin == std::string::npos) return "";
    const size_t value_begin = begin + name.size() + 2;
    return process.out.substr(value_begin, process.out.find('\n', value_begin) - value_begin);
  }
};

// The program has ended where it made its device.
inline bool lacks_an_extension(const ProcessResult& result) {
  return result.err.find("vkCreateDevice returned " + std::to_string(VK_ERROR_EXTENSION_NOT_PRESENT)) !=
         std::string::npos;
}

class EndToEnd : public ::testing::Test {
 protected:
  EndToEnd() {
    environment["VK_INSTANCE_LAYERS"] = "VK_LAYER_KHRONOS_validation";
    environment["VK_LAYER_PATH"] = SHADERQA_VALIDATION_LAYER_DIR;
    // Compiling takes longer than running: lavapipe need not optimise what runs for a millisecond.
    environment["GALLIVM_PERF"] = "nopt";
  }

  std::string compute(const std::string& body, const std::string& name = "shader", const Texts& flags = {}) {
    return shader("comp", "layout(set = 0, binding = 0) buffer Io { uint io[]; };\n" + body, name, flags);
  }
  std::string shader(const std::string& stage, const std::string& body, const std::string& name = "shader",
                     const Texts& flags = {}) {
    return compile_glsl(directory.path(), name, stage, body, flags);
  }

  static Texts runner(const Texts& arguments) {
    Texts program{SHADERQA_BIN_DIR "/e2e_runner"};
    program.insert(program.end(), arguments.begin(), arguments.end());
    return with_test_loader(program);
  }
  // options: of `shaderqa run`, beside the report.
  Texts under_layer(const Texts& arguments, const Texts& options = {}) const {
    Texts command{SHADERQA_BIN_DIR "/shaderqa", "run", "--printf", "--report", report};
    command.insert(command.end(), options.begin(), options.end());
    // The same tests once more with something on top (tests/e2e/CMakeLists.txt).
    if (const char* more = std::getenv("SHADERQA_E2E_OPTION")) command.push_back(more);
    command.push_back("--");
    const Texts program = runner(arguments);
    command.insert(command.end(), program.begin(), program.end());
    return command;
  }

  Outcome finish(ProcessResult result) const {
    EXPECT_THAT(result.out + result.err, Not(HasSubstr("VUID-")));
    EXPECT_THAT(result.out + result.err, Not(HasSubstr("Validation Error")));
    return {std::move(result), read_report(report)};
  }
  Outcome run_case(const Texts& arguments, const Texts& options = {}) const {
    return finish(run(under_layer(arguments, options), environment, directory.path()));
  }

  // A sample as its users start it, which must succeed where the device has what it needs. options: of
  // `shaderqa run`; none: without the layer.
  Outcome run_sample(const std::string& name, const Texts& arguments, const Texts& options) const {
    Texts command;
    if (!options.empty()) command = {SHADERQA_BIN_DIR "/shaderqa", "run", "--report", report};
    command.insert(command.end(), options.begin(), options.end());
    if (!options.empty()) command.push_back("--");
    Texts program{std::string(SHADERQA_BIN_DIR).append("/").append(name)};
    program.insert(program.end(), arguments.begin(), arguments.end());
    program = with_test_loader(program);
    command.insert(command.end(), program.begin(), program.end());
    const Outcome outcome = finish(run(command, environment, directory.path()));
    if (!lacks_an_extension(outcome.process)) {
      EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
    }
    return outcome;
  }

  TemporaryDirectory directory;
  Environment environment = isolated_environment(directory.path(), Driver::lavapipe);
  std::string report = directory.file("report.jsonl");
};

inline Texts sorted(Texts texts) {
  std::sort(texts.begin(), texts.end());
  return texts;
}

}  // namespace shaderqa::testing
#endif
