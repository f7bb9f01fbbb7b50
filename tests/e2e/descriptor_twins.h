// SPDX-License-Identifier: Apache-2.0
// Twins of a program whose descriptors lie in a descriptor buffer or heap (descriptor_program.h).
#ifndef SHADERQA_TESTS_E2E_DESCRIPTOR_TWINS_H
#define SHADERQA_TESTS_E2E_DESCRIPTOR_TWINS_H

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>

#include "e2e_test.h"
#include "sync_fixture.h"

namespace shaderqa::testing {

struct DescriptorTwin {
  const char* mode;  // its first word is the program's
  const char* write = "data[0].words[i] = i * 3u + 1u";
  const char* read = "data[0].words[63u - i]";
  const char* array = "[4]";  // of data
};

inline void PrintTo(const DescriptorTwin& test, std::ostream* out) { *out << test.mode; }

inline std::string name_of(const ::testing::TestParamInfo<DescriptorTwin>& info) {
  std::string name = info.param.mode;
  std::ranges::replace(name, ' ', '_');
  return name;
}

class DescriptorTwins : public EndToEnd {
 protected:
  enum class Extension { required, optional };  // what the program needs of the driver
  // shader: a compute shader with WRITE, READ and ARRAY. set: of the bindings.
  DescriptorTwins(const char* program, const char* shader, int set, Extension extension)
      : program_(program), shader_(shader), set_(std::to_string(set)), extension_(extension) {}

  Outcome twin(const DescriptorTwin& test, const std::string& which, const Texts& options) {
    const std::string mode = test.mode;
    return run_twin({mode.substr(0, mode.find(' ')), which, compiled(test, "shader")}, options);
  }
  // The same, where each dispatch has a shader of its own.
  Outcome twin_of_two(DescriptorTwin test, const std::string& which, const Texts& options) {
    DescriptorTwin second = test;
    test.read = "0u";
    second.write = "";
    return run_twin({test.mode, which, compiled(test, "first"), compiled(second, "second")}, options);
  }

  // The finding of the racy twin; an object without members if there is none. The correct one is silent and
  // does what it does without the layer.
  nlohmann::json race_of(const DescriptorTwin& test, const Texts& options) {
    return race_of_twins([&](const char* which, const Texts& more) { return twin(test, which, more); },
                         options);
  }
  // The same of two draws, whose fragments write and read.
  nlohmann::json race_of_draws() {
    const std::string fragment = compile_glsl(directory.path(), "fragment", "frag",
                                              "#define SET " + set_ + "\n#line 1\n" + kFragment, {"-g"});
    const std::string vertex = compile_glsl(directory.path(), "vertex", "vert", kTriangle, {});
    return race_of_twins(
        [&](const char* which, const Texts& more) {
          return run_twin({"draws", which, fragment, vertex}, more);
        },
        {"--sync"});
  }
  // The finding of the twin whose barrier gives an image another layout than its descriptor names. The other
  // twin is silent, and so are both where the program has got the same bytes for either layout.
  nlohmann::json wrong_layout(const DescriptorTwin& test, const DescriptorTwin& ambiguous) {
    const Texts options{"--sync", "--sync-images"};
    const Outcome plain = twin(test, "correct", {});
    if (lacks_) return nlohmann::json::object();
    for (const auto& [silent, which] :
         {std::pair(test, "correct"), std::pair(ambiguous, "correct"), std::pair(ambiguous, "racy")}) {
      const Outcome outcome = twin(silent, which, options);
      EXPECT_EQ(outcome.process.out, plain.process.out);
      EXPECT_THAT(outcome.findings, IsEmpty()) << all_of(outcome.findings);
    }
    const Outcome wrong = twin(test, "racy", options);
    EXPECT_EQ(wrong.process.out, plain.process.out);
    EXPECT_THAT(wrong.of_kind("hazard"), IsEmpty()) << all_of(wrong.findings);
    const auto found = wrong.of_kind("layout");
    EXPECT_EQ(found.size(), 1u) << all_of(wrong.findings) << wrong.process.err;
    return found.empty() ? nlohmann::json::object() : nlohmann::json(found[0]);
  }
  static void expect_named_and_is(const nlohmann::json& finding, int line) {
    const auto layout = finding.value("layout", nlohmann::json::object());
    EXPECT_EQ(layout.value("named", ""), "VK_IMAGE_LAYOUT_GENERAL");
    EXPECT_EQ(layout.value("is", ""), "VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL");
    EXPECT_EQ(layout.value("changed_by", ""), "vkCmdPipelineBarrier");
    EXPECT_TRUE(layout.value("of_descriptor", false));
    EXPECT_EQ(line_of(finding), line);
  }
  static constexpr int kFragmentsRead = 10;  // line
  // The same of a draw that reads as an input of its subpass what a dispatch has stored.
  nlohmann::json race_of_inputs() {
    const std::string defined = "#define SET " + set_ + "\n#line 1\n",
                      compute = compile_glsl(directory.path(), "stores", "comp", defined + kStores, {"-g"}),
                      fragment = compile_glsl(directory.path(), "fragment", "frag", defined + kInput, {"-g"}),
                      vertex = compile_glsl(directory.path(), "vertex", "vert", kTriangle, {});
    return race_of_twins(
        [&](const char* which, const Texts& more) {
          return run_twin({"inputs", which, compute, fragment, vertex}, more);
        },
        {"--sync", "--sync-images"});
  }
  static constexpr int kInputRead = 4;  // line
  // The same of two traces, whose ray generation shader writes and whose callable one reads.
  nlohmann::json race_of_rays() {
    const auto compile = [&](const char* stage, const char* text) {
      return compile_glsl(directory.path(), "rays", stage, "#define SET " + set_ + "\n" + kRays + text,
                          {"-g", "--target-env", "vulkan1.2"});
    };
    const std::string generate = compile("rgen", kGenerate), callable = compile("rcall", kCallable);
    return race_of_twins(
        [&](const char* which, const Texts& more) {
          return run_twin({"rays", which, generate, callable}, more);
        },
        {"--sync"});
  }
  static constexpr int kCallableReads = 3;  // line

  // The racy twin has no finding and one note.
  void expect_note_alone(const DescriptorTwin& test, const Texts& options, const char* note) {
    const Outcome plain = twin(test, "racy", {});
    if (lacks_) return;
    const Outcome layered = twin(test, "racy", options);
    EXPECT_EQ(layered.process.out, plain.process.out);
    EXPECT_THAT(layered.of_kind("hazard"), IsEmpty());
    EXPECT_THAT(layered.notes(), ElementsAre(HasSubstr(note)));
  }

  static int line_of(const nlohmann::json& finding) {
    return finding.value("source", nlohmann::json::object()).value("line", 0);
  }

  bool lacks_ = false;  // the driver, what the program needs

 private:
  std::string compiled(const DescriptorTwin& test, const char* name) {
    return compile_glsl(directory.path(), name, "comp",
                        std::string("#define WRITE ") + test.write + "\n#define READ " + test.read +
                            "\n#define ARRAY " + test.array + "\n#line 1\n" + shader_,
                        {"-g"});
  }
  static constexpr const char* kFragment =
      R"(layout(push_constant) uniform Push { uint step; uint which; };
layout(set = SET, binding = 1) buffer Data { uint words[]; } data[4];
layout(location = 0) out vec4 colour;
void main() {
  uint i = uint(gl_FragCoord.y) * 8u + uint(gl_FragCoord.x);
  colour = vec4(0.0);
  if (step == 0) {
    data[0].words[i] = i * 3u + 1u;
  } else {
    colour.r = float(data[0].words[63u - i]) / 255.0;
  }
}
)";
  static constexpr const char* kStores = R"(layout(local_size_x = 64) in;
layout(set = SET, binding = 5, r32ui) uniform uimage2D picture;
void main() {
  uint i = gl_GlobalInvocationID.x;
  imageStore(picture, ivec2(i & 7u, i >> 3), uvec4(i));
}
)";
  static constexpr const char* kInput =
      R"(layout(input_attachment_index = 0, set = SET, binding = 8) uniform usubpassInput before;
layout(location = 0) out vec4 colour;
void main() {
  colour = vec4(float(subpassLoad(before).x) / 255.0);
}
)";
  static constexpr const char* kRays = R"(#extension GL_EXT_ray_tracing : require
layout(push_constant) uniform Push { uint step; uint which; };
layout(set = SET, binding = 0) buffer Io { uint io[]; };
layout(set = SET, binding = 1) buffer Data { uint words[]; } data[4];
#line 1
)";
  static constexpr const char* kGenerate = R"(layout(location = 0) callableDataEXT uint nothing;
void main() {
  uint i = gl_LaunchIDEXT.x;
  if (step == 0) {
    data[0].words[i] = i * 3u + 1u;
  } else {
    executeCallableEXT(0, 0);
  }
}
)";
  static constexpr const char* kCallable = R"(layout(location = 0) callableDataInEXT uint nothing;
void main() {
  io[gl_LaunchIDEXT.x] = data[0].words[63u - gl_LaunchIDEXT.x];
}
)";
  static constexpr const char* kTriangle = R"(void main() {
  gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
)";

  template <typename Run>
  nlohmann::json race_of_twins(const Run& run_it, const Texts& options) {
    const Outcome plain = run_it("correct", {});
    if (lacks_) return nlohmann::json::object();
    const Outcome correct = run_it("correct", options);
    EXPECT_EQ(correct.process.out, plain.process.out);
    EXPECT_THAT(correct.of_kind("hazard"), IsEmpty()) << all_of(correct.findings);
    // Traces read more than their shaders do.
    EXPECT_THAT(correct.notes(), ::testing::Each(HasSubstr("what traces read of")));
    const Outcome racy = run_it("racy", options);
    const auto hazards = racy.of_kind("hazard");
    EXPECT_EQ(hazards.size(), 1u) << all_of(racy.findings) << racy.process.err;
    return hazards.empty() ? nlohmann::json::object() : nlohmann::json(hazards[0]);
  }

  Outcome run_twin(const Texts& arguments, const Texts& options) {
    Texts command;
    if (!options.empty()) command = {SHADERQA_BIN_DIR "/shaderqa", "run", "--report", report};
    command.insert(command.end(), options.begin(), options.end());
    if (!options.empty()) command.push_back("--");
    Texts program{std::string(SHADERQA_BIN_DIR "/") + program_};
    program.insert(program.end(), arguments.begin(), arguments.end());
    program = with_test_loader(program);
    command.insert(command.end(), program.begin(), program.end());
    Outcome outcome = finish(run(command, environment, directory.path()));
    lacks_ = extension_ == Extension::optional && lacks_an_extension(outcome.process);
    EXPECT_TRUE(lacks_ || outcome.process.exit_code == 0) << outcome.process.err;
    return outcome;
  }

  const char* program_;
  const char* shader_;
  const std::string set_;
  const Extension extension_;
};

}  // namespace shaderqa::testing
#endif
