// SPDX-License-Identifier: Apache-2.0
// Assumptions, expectations, breakpoints, NaN and infinity: found in every stage with line, invocation and
// value, and programs without any are left as they are.
#include <algorithm>
#include <filesystem>
#include <utility>

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

// The text of "from" in the finding's block: what made the NaN.
nlohmann::json origin_in(const Outcome& outcome, const std::string& invocation) {
  for (const auto& finding : outcome.of_kind("nan"))
    if (finding.value("invocation", "") == "global invocation " + invocation + ",0,0")
      return finding.value("origin", nlohmann::json::object());
  return {{"no finding", invocation}};
}

TEST_F(Checks, ANanSaysWhatMadeIt) {
  const std::string file = body("comp", std::string(kCompute) + R"(
layout(set = 0, binding = 0) buffer Floats { float floats[]; };
layout(set = 0, binding = 0) buffer Vectors { vec4 vectors[]; };
void main() {
  float total = float(io[i] * 0u), count = total;
  if (i == 1u) floats[64] = total / count;
  if (i == 2u) {
    float mean = total / count;
    floats[65] = mean * 2.0;
  }
  if (i == 3u) {
    vec3 v = vec3(total);
    vectors[20] = vec4(normalize(v), 1.0);
  }
  if (i == 4u) {
    io[70] = 0x7fc00000u;
    floats[71] = floats[70];
  }
  if (i == 5u) vectors[21] = vec4(1.0, 2.0, vec2(3.0, sqrt(total - 1.0)));
  if (i == 6u) floats[72] = dot(vec3(1.0 / total), vec3(total));
})");
  const auto is = [](const char* operation, const nlohmann::json& operands, bool begins) {
    nlohmann::json origin{{"operands", operands}, {"begins", begins}};
    if (*operation != 0) origin["operation"] = operation;
    return origin;
  };
  const auto operand = [](const char* name, const char* value) {
    return nlohmann::json{{"name", name}, {"value", value}};
  };
  for (const char* mode : {"--nan=writes", "--nan=full"}) {
    SCOPED_TRACE(mode);
    const bool full = std::string(mode) == "--nan=full";
    const Outcome outcome = checked({"compute", file}, {mode});
    std::filesystem::remove(report);
    EXPECT_EQ(origin_in(outcome, "1"), is("division", {operand("total", "0"), operand("count", "0")}, true));
    EXPECT_EQ(origin_in(outcome, "4"),
              is("", nlohmann::json::array({operand("Floats.floats[70]", "NaN")}), false));
    if (full) continue;  // it reports the operations before, too
    nlohmann::json product =
        is("multiplication", {operand("mean", "NaN"), operand("a constant", "2")}, false);
    EXPECT_EQ(origin_in(outcome, "2"), product);
    EXPECT_EQ(origin_in(outcome, "3"),
              is("normalize", {operand("v.x", "0"), operand("v.y", "0"), operand("v.z", "0")}, true));
    EXPECT_EQ(origin_in(outcome, "5"),
              is("sqrt", nlohmann::json::array({operand("the result of subtraction", "-1")}), true));
    const nlohmann::json product_of_vectors = origin_in(outcome, "6");
    EXPECT_EQ(product_of_vectors.value("operation", ""), "dot");
    EXPECT_EQ(product_of_vectors.value("begins", true), false);
    EXPECT_THAT(outcome.process.err, HasSubstr("division: total = 0, count = 0; it begins here"));
  }
}

// As compilers of HLSL and optimisers leave shaders.
TEST_F(Checks, FindingsNameTheFunctionsThatWereInlined) {
  const std::string text = R"(layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Io { uint io[]; };
layout(set = 0, binding = 0) buffer Floats { float floats[]; };
float root(float x) {
  return sqrt(x);
}
void store(float x) {
  floats[64u + gl_GlobalInvocationID.x] = root(x);
}
void main() {
  if (gl_GlobalInvocationID.x == 2u) store(float(io[0] * 0u) - 1.0);
  io[80] = gl_GlobalInvocationID.x;
})";
  const std::string file = shader("comp", text, "nested", {"-gVS"});
  const ProcessResult inlined =
      run({"/usr/bin/spirv-opt", "--inline-entry-points-exhaustive", "--eliminate-dead-functions",
           "--ssa-rewrite", "--eliminate-dead-code-aggressive", file, "-o", file},
          {{"PATH", "/usr/bin:/bin"}});
  ASSERT_EQ(inlined.exit_code, 0) << inlined.err;
  const Outcome outcome = checked({"compute", file}, {"--nan=writes", "--sync"});
  const nlohmann::json store{{"function", "store"}}, main{{"function", "main"}, {"line", 11}};
  const auto frames_of = [](const nlohmann::json& finding) {
    nlohmann::json frames = finding.value("frames", nlohmann::json::array());
    for (auto& frame : frames) frame.erase("file");
    return frames;
  };
  EXPECT_EQ(frames_of(only(outcome, "nan")), (nlohmann::json{store, main}));
  EXPECT_THAT(outcome.process.err, HasSubstr("in store(), inlined at "));
  EXPECT_THAT(outcome.process.err, HasSubstr(":11 in main()"));
  // What is in main() itself says nothing more.
  EXPECT_EQ(frames_of(only(outcome, "hazard")), nlohmann::json::array());

  // Not inlined: the function's name.
  std::filesystem::remove(report);
  const std::string called = shader("comp", text, "called", {"-g"});
  EXPECT_EQ(frames_of(only(checked({"compute", called}, {"--nan=writes"}), "nan")), nlohmann::json{store});
}

// What a function returns is what an operation in it made, out of the caller's values.
TEST_F(Checks, ANanIsFollowedIntoTheFunctionThatReturnsIt) {
  const auto origin_of = [&](const std::string& name, const std::string& function, const std::string& call) {
    const std::string file = shader("comp", R"(layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Io { uint io[]; };
layout(set = 0, binding = 0) buffer Floats { float floats[]; };
)" + function + R"(
void main() {
  float total = float(io[0] * 0u), count = total * 3.0;
  floats[64] = )" + call + R"(;
})",
                                    name, {"-g"});
    std::filesystem::remove(report);
    return only(checked({"compute", file}, {"--nan=writes"}), "nan").at("origin");
  };
  const nlohmann::json mean = origin_of(
      "mean", "float mean(float total, float count) {\n  return total / count;\n}", "mean(total, count)");
  EXPECT_EQ(mean.at("operation"), "division in mean()");
  EXPECT_EQ(mean.at("line"), 5);
  EXPECT_EQ(mean.at("begins"), true);
  EXPECT_EQ(mean.at("operands"),
            (nlohmann::json{{{"name", "total"}, {"value", "0"}}, {{"name", "count"}, {"value", "0"}}}));
  // The function changes what it was given: the caller's values say nothing of the operands.
  const nlohmann::json changed = origin_of(
      "changed", "float mean(float total, float count) {\n  total += 0.0;\n  return total / count;\n}",
      "mean(total, count)");
  EXPECT_EQ(changed.at("operation"), "division in mean()");
  EXPECT_FALSE(changed.contains("operands"));
  EXPECT_FALSE(changed.contains("begins"));
  // Which of the two returns it was is not known.
  const nlohmann::json two =
      origin_of("two", "float mean(float a, float b) {\n  if (b > 1.0) return a;\n  return a / b;\n}",
                "mean(total, count)");
  EXPECT_EQ(two.at("operation"), "mean()");
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

// They note what fails, and report it when the invocation ends.
std::string many(const std::string& first) {
  std::string checks = first;
  for (int n = 0; n < 20; ++n) checks += " assume_true(true);";
  return checks;
}

TEST_P(ChecksInStage, ManyChecksAreReportedAtTheEnd) {
  const Outcome outcome = checked(pipeline(many(std::string("assume_true(") + GetParam().condition + ");")),
                                  {"--assume", "--sync"});
  const auto found = only(outcome, "assume");
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

// What failed before an invocation is discarded, in main() or in a function, is told of as well.
TEST_F(Checks, ManyChecksBeforeADiscard) {
  for (const char* end : {"discard;", "demote;", "leave();"}) {
    SCOPED_TRACE(end);
    std::filesystem::remove(report);
    const std::string fragment =
        "#extension GL_EXT_demote_to_helper_invocation : require\n"
        "layout(location = 0) out vec4 colour;\nvoid leave() { discard; }\n"
        "void main() {\n  colour = vec4(1.0);\n  " +
        many("assume_true(floor(gl_FragCoord.xy) != vec2(7.0, 9.0));") + "\n  if (gl_FragCoord.x < 20.0) " +
        end + "\n}\n";
    std::string vertex = kVertex;
    vertex.replace(vertex.find("CHECK"), 5, "");
    const Outcome outcome = checked({"graphics", body("vert", vertex), body("frag", fragment, "discards")});
    EXPECT_EQ(only(outcome, "assume").value("invocation", ""), "fragment 7,9");
  }
}

// A loop may not end because of what is wrong: each iteration reports what it noted.
TEST_F(Checks, ManyChecksInALoopThatMayNotEnd) {
  const std::string file = body("comp", std::string(kCompute) + R"(void main() {
  float x = float(i) + 1.0;
  while (x < 1.0e6) {
    x = x * 2.0;
)" + many("assume_true(x != 24.0);") + R"(
  }
  io[i] = uint(x);
})");
  // 3, 6, 12, 24
  EXPECT_EQ(only(checked({"compute", "--groups=1", file}), "assume").value("check", ""), "assume");
}

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
