// SPDX-License-Identifier: Apache-2.0
// Assumptions, expectations, breakpoints, NaN and infinity: found in every stage with line, invocation and
// value, and programs without any are left as they are.
#include <algorithm>

#include "e2e_test.h"

namespace shaderqa::testing {
namespace {

const char* const kCompute = R"(layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Io { uint io[]; };
uint i = gl_GlobalInvocationID.x;
)";

class Checks : public EndToEnd {
 protected:
  std::string body(const std::string& stage, const std::string& text, const std::string& name = "shader") {
    return shader(stage, kIntrinsics + text, name, {"-g"});
  }
  static Texts with_extension(Texts arguments) {
    arguments.insert(arguments.begin() + 1, "--expect-assume");
    return arguments;
  }
  // The compiler declares an instruction set of its own as an extension, which it is not.
  std::string without_set_as_extension(const std::string& file) {
    const std::vector<uint32_t> words = read_words(file);
    std::vector<uint32_t> kept(words.begin(), words.begin() + 5);
    constexpr uint32_t kOpExtension = 10;
    for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
      const char* name = reinterpret_cast<const char*>(&words[at + 1]);
      if ((words[at] & 0xffffu) == kOpExtension && std::string(name) == "NonSemantic.DebugBreak") continue;
      kept.insert(kept.end(), words.begin() + static_cast<std::ptrdiff_t>(at),
                  words.begin() + static_cast<std::ptrdiff_t>(at + (words[at] >> 16)));
    }
    write_file(file, std::string(reinterpret_cast<const char*>(kept.data()), kept.size() * 4));
    return file;
  }
  Outcome checked(const Texts& arguments, const Texts& options = {"--assume"}) {
    Texts command{SHADERQA_BIN_DIR "/shaderqa", "run", "--report", report};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back("--");
    const Texts program = runner(with_extension(arguments));
    command.insert(command.end(), program.begin(), program.end());
    const Outcome outcome = finish(run(command, environment, directory.path()));
    EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
    return outcome;
  }
};

// The only finding of that kind; an empty object (and a failure) if there are none or more.
nlohmann::json only(const Outcome& outcome, const std::string& kind) {
  const auto found = outcome.of_kind(kind);
  EXPECT_EQ(found.size(), 1u) << outcome.process.err;
  return found.size() == 1 ? found[0] : nlohmann::json::object();
}

TEST_F(Checks, AssumptionThatDoesNotHold) {
  const std::string file = body("comp", std::string(kCompute) + R"(void main() {
  assume_true(io[i] == 0u);
  assume_true(i != 5u);
  io[i] = i;
})");
  const auto found = only(checked({"compute", file}), "assume");
  EXPECT_EQ(found.value("check", ""), "assume");
  EXPECT_EQ(found.value("stage", ""), "compute");
  EXPECT_EQ(found.value("invocation", ""), "global invocation 5,0,0");
  EXPECT_EQ(found["source"].value("line", 0), 6);
}

TEST_F(Checks, AssumptionsAreNotCheckedUnlessAsked) {
  const std::string file =
      body("comp", std::string(kCompute) + "void main() { assume_true(i != 5u); io[i] = i; }");
  const Outcome outcome = checked({"compute", file}, {"--printf"});
  EXPECT_THAT(outcome.of_kind("assume"), IsEmpty());
}

TEST_F(Checks, EachSiteIsReportedOnceAndCountedAtTheEnd) {
  const std::string file = body("comp", std::string(kCompute) + R"(void main() {
  assume_true(io[i] != 0u);
  assume_true(i > 2u);
})");
  const Outcome outcome = checked({"compute", "--groups=4", file});
  EXPECT_EQ(outcome.of_kind("assume").size(), 2u);
  std::vector<uint64_t> counts;
  for (const auto& note : outcome.of_kind("note"))
    if (note.contains("count")) counts.push_back(note["count"]);
  std::sort(counts.begin(), counts.end());
  EXPECT_THAT(counts, ElementsAre(3u, 32u));
}

TEST_F(Checks, ExpectationOnlyWithItsSetting) {
  const std::string file =
      body("comp", std::string(kCompute) + "void main() { io[i] = expect(i % 4u, 1u); }");
  EXPECT_THAT(checked({"compute", file}).of_kind("assume"), IsEmpty());
  const auto found = only(checked({"compute", file}, {"--assume", "--expect"}), "assume");
  EXPECT_EQ(found.value("check", ""), "expect");
}

TEST_F(Checks, BreakpointPassed) {
  const std::string file =
      body("comp", std::string(kCompute) + "void main() {\n  if (i == 3u) debug_break();\n  io[i] = i;\n}");
  const auto found = only(checked({"compute", without_set_as_extension(file)}), "assume");
  EXPECT_EQ(found.value("check", ""), "breakpoint");
  EXPECT_EQ(found.value("invocation", ""), "global invocation 3,0,0");
}

TEST_F(Checks, NanAndInfinityThatReachMemory) {
  const std::string file = body("comp", std::string(kCompute) + R"(
layout(set = 0, binding = 0) buffer Floats { vec2 floats[]; };
void main() {
  float zero = float(io[i]);
  if (i == 2u) floats[64 + i] = vec2(1.0, sqrt(zero - 1.0));
  if (i == 3u) floats[64 + i].x = 1.0 / zero;
  if (i == 4u) floats[64 + i].y = -1.0 / zero;
  if (i == 5u) floats[64 + i].y = 3.0e38;
  float unused = sqrt(zero - 1.0);
  if (unused > 0.0) floats[100].x = 1.0;
})");
  const Outcome outcome = checked({"compute", file}, {"--nan=writes"});
  Texts values;
  for (const auto& finding : outcome.of_kind("nan")) {
    values.push_back(finding.value("value", "") + " in " + finding.value("invocation", ""));
    const int line = finding["source"].value("line", 0);
    EXPECT_EQ(line, values.back().starts_with("NaN") ? 8 : values.back().starts_with("infinity") ? 9 : 10);
  }
  EXPECT_THAT(sorted(values),
              ElementsAre("-infinity in global invocation 4,0,0", "NaN in global invocation 2,0,0",
                          "infinity in global invocation 3,0,0"));
}

TEST_F(Checks, FullNanCheckAlsoSeesWhatIsNotWritten) {
  const std::string file = body("comp", std::string(kCompute) + R"(void main() {
  float unused = float(io[i]) / float(io[i]);
  if (unused > 0.0) io[0] = 1u;
})");
  EXPECT_THAT(checked({"compute", file}, {"--nan=writes"}).of_kind("nan"), IsEmpty());
  EXPECT_THAT(checked({"compute", file}, {"--nan=full"}).of_kind("nan"), Not(IsEmpty()));
}

const char* const kVertex = R"(void main() {
  gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0);
  CHECK
}
)";
const char* const kFragment = R"(layout(location = 0) out vec4 colour;
void main() {
  colour = vec4(1.0);
  CHECK
}
)";
const char* const kGeometry = R"(layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
void main() {
  for (int n = 0; n < 3; ++n) { gl_Position = gl_in[n].gl_Position; EmitVertex(); }
  CHECK
}
)";
const char* const kControl = R"(layout(vertices = 3) out;
void main() {
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  gl_TessLevelInner[0] = gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 1.0;
  CHECK
}
)";
const char* const kEvaluation = R"(layout(triangles) in;
void main() {
  gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position +
                gl_TessCoord.z * gl_in[2].gl_Position;
  CHECK
}
)";

struct StageCase {
  const char* stage;
  const char* name;
  const char* condition;   // does not hold in one invocation
  const char* invocation;  // of that one; empty: several
};

class ChecksInStage : public Checks, public ::testing::WithParamInterface<StageCase> {
 protected:
  Texts pipeline(const std::string& check) {
    const std::pair<const char*, const char*> all[] = {{"vert", kVertex},
                                                       {"tesc", kControl},
                                                       {"tese", kEvaluation},
                                                       {"geom", kGeometry},
                                                       {"frag", kFragment}};
    Texts arguments{"graphics"};
    for (const auto& [stage, source] : all) {
      std::string text = source;
      text.replace(text.find("CHECK"), 5, std::string(GetParam().stage) == stage ? check : "");
      arguments.push_back(body(stage, text, stage));
    }
    return arguments;
  }
};

TEST_P(ChecksInStage, AssumptionIsCheckedThere) {
  const auto found =
      only(checked(pipeline(std::string("assume_true(") + GetParam().condition + ");")), "assume");
  EXPECT_EQ(found.value("stage", ""), GetParam().name);
  if (*GetParam().invocation != 0) {
    EXPECT_EQ(found.value("invocation", ""), GetParam().invocation);
  }
}

TEST_P(ChecksInStage, ThatHoldsIsSilentAndLeavesThePicture) {
  const Texts arguments = pipeline("assume_true(true || " + std::string(GetParam().condition) + ");");
  const Outcome layered = checked(arguments, {"--assume", "--nan=writes"});
  EXPECT_THAT(layered.findings, IsEmpty());
  const Outcome plain = finish(run(runner(with_extension(arguments)), environment, directory.path()));
  EXPECT_EQ(plain.process.out, layered.process.out);
}

INSTANTIATE_TEST_SUITE_P(
    Stages, ChecksInStage,
    ::testing::Values(StageCase{"vert", "vertex", "gl_VertexIndex != 2", "vertex 2, instance 0"},
                      StageCase{"tesc", "tessellation control", "gl_InvocationID != 1", ""},
                      StageCase{"tese", "tessellation evaluation", "gl_TessCoord.x < 0.5", ""},
                      StageCase{"geom", "geometry", "gl_in[0].gl_Position.w != 1.0", ""},
                      StageCase{"frag", "fragment", "floor(gl_FragCoord.xy) != vec2(7.0, 9.0)",
                                "fragment 7,9"}),
    [](const auto& parameter) { return std::string(parameter.param.stage); });

TEST_F(Checks, NanInAnOutputOfAVertexAndAFragmentShader) {
  std::string vertex = kVertex, fragment = kFragment;
  vertex.replace(vertex.find("CHECK"), 5, "ratio = float(gl_VertexIndex) / float(gl_InstanceIndex);");
  fragment.replace(fragment.find("CHECK"), 5,
                   "if (gl_FragCoord.x < 1.0) colour.y = (gl_FragCoord.y - 0.5) / (gl_FragCoord.x - 0.5);");
  const Outcome outcome = checked(
      {"graphics", body("vert", "layout(location = 3) out float ratio;\n" + vertex), body("frag", fragment)},
      {"--nan=writes"});
  Texts stages;
  for (const auto& finding : outcome.of_kind("nan")) stages.push_back(finding.value("stage", ""));
  EXPECT_THAT(stages, ::testing::UnorderedElementsAre("vertex", "fragment"));
}

}  // namespace
}  // namespace shaderqa::testing
