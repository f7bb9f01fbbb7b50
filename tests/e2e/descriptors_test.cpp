// SPDX-License-Identifier: Apache-2.0
// Descriptors that are not in ordinary sets, and programs that use all that the device has of sets and push
// constants: messages, assumptions and accesses by address are seen there too.
#include <algorithm>
#include <ostream>
#include <string>

#include "e2e_test.h"

namespace shaderqa::testing {
namespace {

// As tests/e2e/descriptors_runner.cpp has it.
const char* const kShader = R"(#extension GL_EXT_buffer_reference : require
#extension GL_EXT_debug_printf : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430) buffer Data { uint words[]; };
layout(push_constant) uniform Push { Data data; uint step; uint rest[REST]; };
layout(set = IO_SET, binding = 0) buffer Io { uint io[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (step == 0) {
    data.words[i] = i + rest[REST - 1];
  } else {
    io[i] = data.words[63 - i]; //!
    if (i == 7) debugPrintfEXT("%u %g", io[i], SAMPLED);
  }
  assume_true(step == 0 || i != 5);
}
)";

struct Descriptors {
  const char* mode;
  uint32_t io_set = 0;
  uint32_t constants = 4;  // dwords
  bool embedded = false;
  bool hazard = true;
  const char* note = "";  // the one that there is
};

void PrintTo(const Descriptors& test, std::ostream* out) { *out << test.mode; }

class DescriptorRoads : public EndToEnd, public ::testing::WithParamInterface<Descriptors> {
 protected:
  DescriptorRoads() { environment["VKD3D_BLOOM_BUFFER_SIZE_LOG2"] = "22"; }

  Outcome twin(const std::string& which, bool layered = true) {
    const Descriptors& test = GetParam();
    const uint32_t rest = test.constants - 3;
    std::string text = kIntrinsics;
    text += "#define IO_SET " + std::to_string(test.io_set) + "\n#define REST " + std::to_string(rest) + "\n";
    if (test.embedded) {
      text +=
          "layout(set = 0, binding = 1) uniform texture2D image;\n"
          "layout(set = 1, binding = 0) uniform sampler clamped;\n"
          "#define SAMPLED textureLod(sampler2D(image, clamped), vec2(0.5), 0.0).g\n";
    } else {
      text += "#define SAMPLED 1.0\n";
    }
    const std::string file =
        compile_glsl(directory.path(), "shader", "comp", text + "#line 1\n" + kShader, {"-g"});
    Texts command;
    if (layered) {
      command = {
          SHADERQA_BIN_DIR "/shaderqa", "run", "--printf", "--assume", "--sync", "--report", report, "--"};
    }
    const Texts program =
        with_test_loader({SHADERQA_BIN_DIR "/e2e_descriptors_runner", test.mode, which, file});
    command.insert(command.end(), program.begin(), program.end());
    const Outcome outcome = finish(run(command, environment, directory.path()));
    EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
    return outcome;
  }
};

TEST_P(DescriptorRoads, AreChecked) {
  const Descriptors& test = GetParam();
  const Outcome plain = twin("correct", false);
  const Outcome correct = twin("correct");
  EXPECT_EQ(correct.process.out, plain.process.out);
  // The last of the push constants is its number, which the first dispatch adds.
  const std::string message = std::to_string(63 - 7 + test.constants - 1) + " 1";
  EXPECT_THAT(correct.printed(), ElementsAre(message));
  EXPECT_EQ(correct.of_kind("assume").size(), 1u);
  EXPECT_THAT(correct.of_kind("hazard"), IsEmpty());
  const auto notes = correct.notes();
  if (*test.note) {
    EXPECT_THAT(notes, ElementsAre(HasSubstr(test.note)));
  } else {
    EXPECT_THAT(notes, IsEmpty());
  }

  const Outcome racy = twin("racy");
  const auto hazards = racy.of_kind("hazard");
  ASSERT_EQ(hazards.empty(), !test.hazard) << racy.process.err;
  for (const auto& hazard : hazards) {
    EXPECT_EQ(hazard["buffer"].value("name", ""), "data");
    EXPECT_EQ(hazard["source"].value("line", 0), 12);
  }
}

INSTANTIATE_TEST_SUITE_P(Descriptors, DescriptorRoads,
                         ::testing::Values(Descriptors{.mode = "buffers"},
                                           Descriptors{.mode = "embedded", .embedded = true},
                                           Descriptors{.mode = "null-layout", .io_set = 1},
                                           Descriptors{.mode = "all-sets", .io_set = 7},
                                           Descriptors{.mode = "all-of-both",
                                                       .io_set = 7,
                                                       .constants = 64,
                                                       .hazard = false,
                                                       .note = "all push constants that the device has"},
                                           Descriptors{.mode = "push-constants", .constants = 64}),
                         [](const auto& instance) {
                           std::string name = instance.param.mode;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace shaderqa::testing
