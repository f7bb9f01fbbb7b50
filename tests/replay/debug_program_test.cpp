// SPDX-License-Identifier: Apache-2.0
// Programs that run under `shaderqa debug`: stops, changes, and that nothing waits for ever.
#include <filesystem>
#include <fstream>

#include "debug_program.h"
#include "replay/dap_stream.h"

namespace shaderqa::testing {
namespace {

using ::testing::ContainsRegex;

// io begins on line 1.
const char* const kSums = R"(
layout(local_size_x = 8) in;
uint twice(uint x) {
  uint y = x * 2;
  return y;
}
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint sum = 0;
  for (uint k = 0; k < i; ++k) {
    sum += twice(k);
  }
  io[i] = sum;
}
)";

TEST_F(DebugProgram, StopsShowsChangesAndGoesOn) {
  const auto shader = compute(kSums, "sums", {"-g"});
  const ProcessResult result =
      debug({"--at", "compute:GlobalInvocationID=5,0,0", "--break", "12"}, {"compute", "--groups=4", shader},
            {"print k", "bt", "c", "print sum", "set sum = 100", "print sum", "finish", "delete", "c",
             "print io[5]"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(reply(result, ""), HasSubstr(":11")) << result.err;
  EXPECT_THAT(reply(result, "print k"), HasSubstr("k = 0"));
  EXPECT_THAT(reply(result, "bt"), HasSubstr("#0 "));
  EXPECT_THAT(reply(result, "print sum"), HasSubstr("sum = 0"));
  EXPECT_THAT(reply(result, "print sum", 2), HasSubstr("sum = 100"));
  // 100 + twice(1) + twice(2) + twice(3) + twice(4)
  EXPECT_THAT(reply(result, "print io[5]"), HasSubstr("io[5] = 120")) << result.out;
  const std::string before = plain({"compute", "--groups=4", shader});
  EXPECT_FALSE(printed(result, before));
}

TEST_F(DebugProgram, AProgramThatIsOnlyLookedAtComputesTheSame) {
  const auto shader = compute(kSums, "sums", {"-g"});
  const ProcessResult result =
      debug({"--at", "compute:GlobalInvocationID=5,0,0"}, {"compute", "--groups=4", shader},
            {"step", "step", "next", "step", "info locals", "reverse-step", "goto 0", "c"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(reply(result, "info locals"), HasSubstr("x = 0")) << result.out;
  EXPECT_TRUE(printed(result, plain({"compute", "--groups=4", shader}))) << result.err;
}

TEST_F(DebugProgram, ConditionsWatchesAndFunctions) {
  const auto shader = compute(kSums, "sums", {"-g"});
  const Texts arguments{"compute", "--groups=4", shader};
  const Texts at{"--at", "compute:GlobalInvocationID=7,0,0"};
  ProcessResult result = debug({at[0], at[1], "--break", "12 if k == 4"}, arguments,
                               {"print k", "print sum", "c", "print io[7]"});
  EXPECT_THAT(reply(result, "print k"), HasSubstr("k = 4")) << result.out << result.err;
  EXPECT_THAT(reply(result, "print sum"), HasSubstr("sum = 12"));
  EXPECT_THAT(reply(result, "print io[7]"), HasSubstr("io[7] = 42"));
  result = debug({at[0], at[1], "--break-if", "sum > 15"}, arguments, {"print sum"});
  EXPECT_THAT(reply(result, "print sum"), HasSubstr("sum = 20")) << result.out << result.err;
  result = debug({at[0], at[1], "--break", "twice"}, arguments,
                 {"print x", "c", "print x", "watch y", "c", "print y"});
  EXPECT_THAT(reply(result, "print x"), HasSubstr("x = 0")) << result.out << result.err;
  EXPECT_THAT(reply(result, "print x", 2), HasSubstr("x = 1"));
  EXPECT_THAT(reply(result, "print y"), HasSubstr("y = 2"));
  result = debug({at[0], at[1], "--watch", "sum"}, arguments, {"c", "c", "print sum"});
  EXPECT_THAT(reply(result, "print sum"), HasSubstr("sum = 2")) << result.out << result.err;
}

TEST_F(DebugProgram, AParameterOfAFunctionCanBeChanged) {
  const auto shader = compute(kSums, "sums", {"-g"});
  const ProcessResult result =
      debug({"--at", "compute:GlobalInvocationID=3,0,0", "--break", "twice if x == 1"},
            {"compute", "--groups=4", shader}, {"set x = 50", "bt", "finish", "delete", "c", "print io[3]"});
  EXPECT_THAT(reply(result, "set x = 50"), HasSubstr("x = 50")) << result.out << result.err;
  EXPECT_THAT(reply(result, "bt"), HasSubstr("#1 "));
  EXPECT_THAT(reply(result, "print io[3]"), HasSubstr("io[3] = 104"));
}

TEST_F(DebugProgram, VectorsAndMembersOfStructuresCanBeChanged) {
  const auto shader = compute(R"(
layout(local_size_x = 8) in;
struct Ray { vec3 at; int depth; bool hit; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  Ray ray = Ray(vec3(i), -1, false);
  vec2 v = vec2(1.0, 2.0);
  io[i] = uint(ray.at.y) + uint(v.y) + (ray.hit ? 1000 : 0) + uint(-ray.depth);
}
)",
                              "members", {"-g"});
  const ProcessResult result = debug(
      {"--at", "compute:GlobalInvocationID=1,0,0", "--break", "9"}, {"compute", "--groups=1", shader},
      {"print ray", "set ray.at = 7.5, 40, 1", "print ray.at", "set v.y = 3", "stepi", "c", "print io[1]"});
  EXPECT_THAT(reply(result, "set ray.at = 7.5, 40, 1"), HasSubstr("ray.at = ")) << result.out << result.err;
  EXPECT_THAT(reply(result, "print ray.at"), HasSubstr("40"));
  EXPECT_THAT(reply(result, "set v.y = 3"), HasSubstr("one variable"));
  EXPECT_THAT(reply(result, "print io[1]"), HasSubstr("io[1] = 43"));
}

TEST_F(DebugProgram, WrongChangesAreRefused) {
  const auto shader = compute(kSums, "sums", {"-g"});
  const ProcessResult result =
      debug({"--at", "compute:GlobalInvocationID=3,0,0", "--break", "12"}, {"compute", "--groups=4", shader},
            {"set sum = 1.5", "set sum = -1", "set sum = 1, 2", "set nobody = 1", "set io[3] = 1", "set sum",
             "rs", "set sum = 1"});
  EXPECT_THAT(reply(result, "set sum = 1.5"), HasSubstr("one number")) << result.err;
  EXPECT_THAT(reply(result, "set sum = -1"), HasSubstr("one number"));
  EXPECT_THAT(reply(result, "set sum = 1, 2"), HasSubstr("one number"));
  EXPECT_THAT(reply(result, "set nobody = 1"), HasSubstr("nobody"));
  EXPECT_THAT(reply(result, "set io[3] = 1"), HasSubstr("cannot be changed here"));
  EXPECT_THAT(reply(result, "set sum"), HasSubstr("NAME = VALUE"));
  EXPECT_THAT(reply(result, "set sum = 1"), HasSubstr("only where"));
  EXPECT_TRUE(printed(result, plain({"compute", "--groups=4", shader}))) << result.err;
}

TEST_F(DebugProgram, ALostDebuggerLetsTheProgramGoOn) {
  const auto shader = compute(kSums, "sums", {"-g"});
  const Texts arguments{"compute", "--groups=4", shader};
  const std::string expected = plain(arguments);
  // It answers too late.
  {
    Process process(
        command({"--at", "compute:GlobalInvocationID=5,0,0", "--break", "12", "--hold", "1", "--json"},
                runner(arguments)),
        environment, directory.path());
    ASSERT_TRUE(process.wait_for_err(expected));
    process.write("set sum = 7\nprint k\nquit\n");
    const ProcessResult result = process.wait();
    EXPECT_THAT(reply(result, "set sum = 7"), ContainsRegex("went on by itself|has ended"));
    EXPECT_THAT(reply(result, "print k"), HasSubstr("k = 0"));
  }
  // It is killed while the invocation waits.
  const std::filesystem::path stopped = directory.path() / "stopped";
  Process process(command({"--at", "compute:GlobalInvocationID=5,0,0", "--break", "12", "--json"},
                          killed_when(stopped, "$PPID", runner(arguments))),
                  environment, directory.path());
  EXPECT_TRUE(process.wait_for_out("\"line\":12"));
  std::ofstream{stopped};
  EXPECT_TRUE(process.wait_for_err(expected));
}

TEST_F(DebugProgram, TwoAtOnce) {
  const auto shader = compute(kSums, "sums", {"-g"});
  const Texts arguments{"compute", "--groups=4", shader};
  // The inner one has the program; the outer one says that nothing came.
  const Texts at{"--at", "compute:GlobalInvocationID=5,0,0", "--json"};
  const ProcessResult result =
      run(command(at, command(at, runner(arguments))), environment, directory.path());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("no invocation was chosen"));
  EXPECT_TRUE(printed(result, plain(arguments))) << result.err;
}

TEST_F(DebugProgram, FragmentsStopToo) {
  const auto vertex = shader("vert", R"(
void main() {
  vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0;
  gl_Position = vec4(p, 0.0, 1.0);
}
)",
                             "full", {"-g"});
  const auto fragment = shader("frag", R"(
layout(location = 0) out vec4 colour;
void main() {
  float x = gl_FragCoord.x;
  colour = vec4(x);
}
)",
                               "show", {"-g"});
  const ProcessResult result = debug({"--at", "fragment:FragCoord=3,2", "--break", "5"},
                                     {"graphics", vertex, fragment}, {"print x", "set x = 0.5", "c"});
  EXPECT_THAT(reply(result, "print x"), HasSubstr("x = 3.5")) << result.out << result.err;
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(DebugProgram, AClientOfTheDebugAdapterProtocolSteersIt) {
  const auto shader = compute(kSums, "sums", {"-g"});
  const Texts arguments{"compute", "--groups=4", shader};
  Process process(command({"--at", "compute:GlobalInvocationID=5,0,0", "--dap"}, runner(arguments)),
                  environment, directory.path());
  int sequence = 0;
  const auto request = [&](const std::string& name, const std::string& body, const std::string& answer) {
    process.write(DapStream::framed(R"({"type":"request","seq":)" + std::to_string(++sequence) +
                                    R"(,"command":")" + name + R"(","arguments":)" + body + "}"));
    EXPECT_TRUE(process.wait_for_out(answer)) << name << "\n" << process.out();
  };
  request("initialize", "{}", R"("supportsSetVariable":true)");
  request("launch", "{}", R"("event":"initialized")");
  request("setFunctionBreakpoints", R"({"breakpoints":[{"name":"twice"}]})",
          R"("command":"setFunctionBreakpoints")");
  request("configurationDone", "{}", R"("reason":"entry")");
  request("continue", R"({"threadId":1})", R"("reason":"breakpoint")");
  request("stackTrace", R"({"threadId":1})", R"("name":"twice")");
  request("scopes", R"({"frameId":1})", R"("name":"Locals")");
  request("setVariable", R"({"variablesReference":1,"name":"x","value":"1000"})", R"("value":"1000")");
  request("setFunctionBreakpoints", R"({"breakpoints":[]})", R"("request_seq":9)");
  request("continue", R"({"threadId":1})", "the program has ended");
  request("evaluate", R"({"expression":"io[5]"})", R"("result":"2020")");
  request("disconnect", "{}", R"("event":"terminated")");
  const ProcessResult result = process.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(DebugProgram, WhatCannotBeStartedSaysWhy) {
  const Texts program{"/bin/true"};
  const auto refused = [&](const Texts& options, const std::string& why) {
    const ProcessResult result = run(command(options, program), environment, directory.path());
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(why));
  };
  refused({}, "--at or --finding is required");
  refused({"--at", "compute", "--break-if", "1 +"}, "a value is missing");
  refused({"--at", "compute", "--break", "7 if (a"}, "parenthesis");
  refused({"--at", "compute:Nonsense=1"}, "--at: ");
}

// Its first dispatch has invocation 5, and the ones after it invocation 6.
TEST_F(DebugProgram, AimsAtOthersWhileTheProgramRuns) {
  const ProcessResult result = debug_program(
      {"--at", "compute:GlobalInvocationID=5,0,0"}, {SHADERQA_BIN_DIR "/sample_compute"},
      {"at compute:Nonsense=1", "at compute:GlobalInvocationID=6,0,0", "c", "c", "info invocations"});
  EXPECT_THAT(reply(result, "at compute:Nonsense=1"), HasSubstr("Nonsense"));
  EXPECT_THAT(reply(result, "at compute:Nonsense=1"), HasSubstr("\"ok\":false"));
  EXPECT_THAT(reply(result, "at compute:GlobalInvocationID=6,0,0"), HasSubstr("are chosen by compute:"));
  const std::string all = reply(result, "info invocations");
  EXPECT_THAT(all, HasSubstr("GlobalInvocationID=5,0,0"));
  EXPECT_THAT(all, HasSubstr("GlobalInvocationID=6,0,0"));
  EXPECT_TRUE(printed(result, "values sorted into 256 bins: right")) << result.err;
}

}  // namespace
}  // namespace shaderqa::testing
