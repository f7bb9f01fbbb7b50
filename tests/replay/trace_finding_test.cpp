// SPDX-License-Identifier: Apache-2.0
// A finding of a report is followed: its invocation in its action is traced.
#include <fstream>

#include "trace_program.h"

namespace shaderqa::testing {
namespace {

class TraceFinding : public TraceProgram {
 protected:
  // The line of the first finding of this kind, as --finding takes it.
  std::string line_of(const std::string& kind) const {
    std::ifstream in(report);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number)
      if (line.find("\"kind\":\"" + kind + "\"") != std::string::npos) return std::to_string(number);
    return "none";
  }
  // What is said before the program starts, which does nothing.
  std::string aimed(const std::string& line, const std::string& which = "1") {
    write_file(directory.file("by_hand.jsonl"), line + "\n");
    return run({SHADERQA_BIN_DIR "/shaderqa", "trace", "-o", file, "--finding", which,
                directory.file("by_hand.jsonl"), "--", "/bin/true"},
               environment, directory.path())
        .err;
  }
};

TEST_F(TraceFinding, AValueThatIsNotANumber) {
  const auto shader = compute(R"(layout(local_size_x = 8) in;
void main() {
  uint i = gl_GlobalInvocationID.x;
  float less = i % 8 == 6 ? -1.0 : float(i);
  float root = sqrt(less);
  io[i] = uint(root);
})",
                              "roots", {"-g"});
  const auto other = compute(
      "layout(local_size_x = 32) in;\nvoid main() { io[gl_GlobalInvocationID.x + 64] = 1; }", "other");
  const Outcome found = run_case({"compute", "--groups=4", shader}, {"--nan=full"});
  ASSERT_FALSE(found.of_kind("nan").empty()) << found.process.err;
  const ProcessResult traced =
      trace_program({"--finding", line_of("nan"), report}, runner({"compute", "--groups=4", shader}));
  EXPECT_EQ(traced.exit_code, 0) << traced.err;
  EXPECT_THAT(traced.err, HasSubstr("shaderqa: tracing compute:GlobalInvocationID="));
  EXPECT_THAT(traced.err,
              ::testing::ContainsRegex("in the replay, \"break [67]\" and \"continue\" lead to it"));
  Debugger debugger = replay();
  ASSERT_TRUE(debugger.has_invocation()) << debugger.greeting();
  debugger.command("break 7");
  EXPECT_THAT(debugger.command("continue").text, HasSubstr("io[i] = uint(root);"));
  EXPECT_EQ(debugger.command("print less").text, "less = -1");
  EXPECT_THAT(debugger.command("print root").text, HasSubstr("nan"));
  // Another shader is not traced although it has the invocation.
  const ProcessResult nothing =
      trace_program({"--finding", line_of("nan"), report}, runner({"compute", other}));
  EXPECT_THAT(nothing.err, HasSubstr("nothing was traced"));
}

// Two dispatches and, between them, a barrier that is missing from the third submission on.
TEST_F(TraceFinding, AHazardInItsAction) {
  const std::string shader = compile_glsl(directory.path(), "switched", "comp", R"(
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint step; };
layout(set = 0, binding = 0) buffer From { uint from[]; };
layout(set = 0, binding = 1) buffer To { uint to[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  to[i] = from[(i + 1u) % from.length()] * 3u + step;
})",
                                          {"-g"});
  environment.erase("VK_INSTANCE_LAYERS");
  const Texts program =
      with_test_loader({SHADERQA_BIN_DIR "/e2e_switch_runner", shader, "--racy-from=3", "--submissions=4"});
  Texts command{SHADERQA_BIN_DIR "/shaderqa", "run", "--sync", "--report", report, "--"};
  command.insert(command.end(), program.begin(), program.end());
  run(command, environment, directory.path());
  ASSERT_NE(line_of("hazard"), "none");
  const ProcessResult traced = trace_program({"--finding", line_of("hazard"), report}, program);
  EXPECT_EQ(traced.exit_code, 0) << traced.err;
  Debugger debugger = replay();
  ASSERT_TRUE(debugger.has_invocation()) << debugger.greeting() << traced.err;
  EXPECT_THAT(debugger.greeting(), HasSubstr("action 2 of its command buffer (dispatch), within step "));
  EXPECT_THAT(debugger.greeting(), HasSubstr(" > back"));
}

TEST_F(TraceFinding, EveryWayToNameAnInvocation) {
  const auto line = [](const std::string& stage, const std::string& invocation) {
    return R"({"kind":"nan","text":"t","shader":"0123456789abcdef","stage":")" + stage +
           R"(","invocation":")" + invocation +
           R"(","fingerprint":"00000000000000ab","check":"nan","value":"NaN"})";
  };
  for (const auto& [stage, invocation, selector] :
       {std::tuple{"compute", "global invocation 1,2,3", "compute:GlobalInvocationID=1,2,3"},
        {"mesh", "global invocation 1,2,3", "mesh:GlobalInvocationID=1,2,3"},
        {"vertex", "vertex 5, instance 6", "vertex:VertexIndex=5;InstanceIndex=6"},
        {"fragment", "fragment 10,20", "fragment:FragCoord=10,20"},
        {"tessellation control", "primitive 3, invocation 2", "tesscontrol:PrimitiveID=3;InvocationID=2"},
        {"tessellation evaluation", "primitive 3, invocation 0", "tesseval:PrimitiveID=3"},
        {"geometry", "primitive 3, invocation 1", "geometry:PrimitiveID=3;InvocationID=1"},
        {"closest hit", "launch 1,2,0", "closesthit:LaunchID=1,2,0"}}) {
    EXPECT_THAT(aimed(line(stage, invocation)),
                HasSubstr(std::string("tracing ") + selector + " of shader 0123456789abcdef"))
        << stage;
    EXPECT_THAT(aimed(line(stage, invocation), "00000000000000ab"),
                HasSubstr(std::string("tracing ") + selector));
  }
}

TEST_F(TraceFinding, WhatNamesNoInvocationStartsNothing) {
  const std::string note = R"({"kind":"note","text":"something"})";
  EXPECT_THAT(aimed(note), HasSubstr("--finding: the finding does not say which invocation it comes from"));
  EXPECT_THAT(aimed(note, "2"), HasSubstr("has 1 lines, and --finding takes one of their numbers"));
  EXPECT_THAT(aimed(note, "0"), HasSubstr("has 1 lines"));
  EXPECT_THAT(aimed(note, "abc"), HasSubstr("has the fingerprint abc"));
  EXPECT_THAT(aimed("{"), HasSubstr("line 1 of "));
  const ProcessResult missing = trace_program({"--finding", "1", directory.file("nowhere")}, {"/bin/true"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("nowhere"));
  const ProcessResult neither = trace_program({}, {"/bin/true"});
  EXPECT_EQ(neither.exit_code, 2);
  EXPECT_THAT(neither.err, HasSubstr("--at or --finding"));
}

}  // namespace
}  // namespace shaderqa::testing
