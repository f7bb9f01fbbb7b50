// SPDX-License-Identifier: Apache-2.0
// Calls in traces: of functions from several places, and of shaders by other shaders.
#include "debug_program.h"

namespace shaderqa::testing {
namespace {

using ::testing::ContainsRegex;

// io begins on line 1.
const char* const kFunctions = R"(
layout(local_size_x = 1) in;
uint add(uint x) {
  uint y = x + 1;
  return y;
}
uint twice(uint x) {
  uint z = add(x) + add(x + 10);
  return z;
}
void main() {
  uint a = add(100);
  uint b = twice(200);
  io[0] = a + b + add(300);
}
)";

TEST_F(TraceProgram, AFunctionHasAFrameForEachCall) {
  const auto shader = compute(kFunctions, "functions", {"-g"});
  ASSERT_EQ(trace({"--at", "compute:GlobalInvocationID=0,0,0"}, {"compute", shader}).exit_code, 0);
  Debugger debugger = replay();
  debugger.command("break 6");
  const struct {
    const char *value, *callers;
  } expected[] = {
      {"y = 101", "#0 .*add.*:6\n#1 .*main.*:13"},
      {"y = 201", "#0 .*add.*:6\n#1 .*twice.*:9\n#2 .*main.*:14"},
      {"y = 211", "#0 .*add.*:6\n#1 .*twice.*:9\n#2 .*main.*:14"},
      {"y = 301", "#0 .*add.*:6\n#1 .*main.*:15"},
  };
  for (const auto& each : expected) {
    debugger.command("c");
    EXPECT_EQ(debugger.command("print y").text, each.value);
    EXPECT_THAT(debugger.command("bt").text, ContainsRegex(each.callers));
  }
  EXPECT_THAT(debugger.command("bt").text, Not(HasSubstr("twice")));
  EXPECT_THAT(debugger.command("c").text, HasSubstr("the end of the invocation"));
}

const char* const kGenerate = R"(#extension GL_EXT_ray_tracing : require
layout(set = 0, binding = 0) buffer Io { uint io[]; };
layout(location = 0) callableDataEXT uint value;
void main() {
  value = 3;
  executeCallableEXT(0, 0);
  uint first = value;
  value = 1;
  executeCallableEXT(0, 0);
  io[gl_LaunchIDEXT.x] = first + value;
}
)";
// Calls itself `value` times.
const char* const kCallable = R"(#extension GL_EXT_ray_tracing : require
layout(location = 0) callableDataInEXT uint value;
layout(location = 1) callableDataEXT uint inner;
void main() {
  uint own = value;
  if (own > 1) {
    inner = own - 1;
    executeCallableEXT(0, 1);
    own += inner * 10;
  }
  value = own;
}
)";

class CallsOfShaders : public DebugProgram {
 protected:
  Texts program() {
    const Texts flags{"-g", "--target-env", "vulkan1.2"};
    return with_test_loader({SHADERQA_BIN_DIR "/e2e_path_runner", "rays",
                             shader("rgen", kGenerate, "io", flags),
                             shader("rcall", kCallable, "io", flags)});
  }
  // The other launch IDs are there to be confused with these.
  const Texts at{"--at", "raygen:LaunchID=2,0,0", "--at", "callable:LaunchID=2,0,0;matches=8"};
};

TEST_F(CallsOfShaders, NestInReplay) {
  const ProcessResult result = trace_program(at, program());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  Debugger debugger = replay();
  const std::string all = debugger.command("info invocations").text;
  // The generating shader calls one that calls itself twice, then one alone. It is traced twice.
  EXPECT_THAT(all,
              ContainsRegex("1 raygen.*\n  2 callable.*called by invocation 1 at step [0-9]+, recursion "
                            "depth 1\n  3 callable.*called by invocation 2 at step [0-9]+, recursion depth "
                            "2\n  4 callable.*called by invocation 3 at step [0-9]+, recursion depth 3\n  5 "
                            "callable.*called by invocation 1 at step [0-9]+, recursion depth 1"))
      << all;
  debugger.command("invocation 4");
  EXPECT_THAT(debugger.command("bt").text,
              ContainsRegex("#0 .*main, .*rcall:5\nrecursion depth 3: called by invocation 3, callable.*\n#1 "
                            ".*rcall:8\nrecursion depth 2: called by invocation 2, callable.*\n#2 .*rcall:8\n"
                            "recursion depth 1: called by invocation 1, raygen.*\n#3 .*rgen:6"))
      << debugger.command("bt").text;
  debugger.command("goto 9999");
  debugger.command("c");
  EXPECT_EQ(debugger.command("print own").text, "own = 1");
}

TEST_F(CallsOfShaders, NestWhileTheyRun) {
  const ProcessResult result = debug_program(at, program(), {"bt", "break 6 if own == 1", "c", "bt", "quit"});
  EXPECT_THAT(reply(result, "bt"), Not(HasSubstr("recursion"))) << result.err;
  EXPECT_THAT(reply(result, "bt", 2), HasSubstr("recursion depth 3: called by invocation 3"))
      << result.out << result.err;
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

// traceRay in all stages: the surface asks for its colour and sends two rays of its own.
TEST_F(CallsOfShaders, OfTheSampleNest) {
  const Texts sample = with_test_loader({SHADERQA_BIN_DIR "/sample_raytracing"});
  Texts all{"--segments", "16"};
  for (const char* stage : {"raygen", "intersection", "anyhit", "closesthit", "miss", "callable"}) {
    all.push_back("--at");
    all.push_back(std::string(stage) + ":LaunchID=32,20,0;matches=8");
  }
  const ProcessResult result = trace_program(all, sample);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, run(sample, environment, directory.path()).out);
  Debugger debugger = replay();
  const std::string found = debugger.command("info invocations").text;
  EXPECT_THAT(found,
              ContainsRegex("4 closesthit.*called by invocation 1 at step [0-9]+, recursion depth 1\n  5 "
                            "callable.*called by invocation 4 at step [0-9]+, recursion depth 2\n"))
      << found;
  EXPECT_THAT(found, ContainsRegex("9 miss.*called by invocation 4 at step [0-9]+, recursion depth 2"))
      << found;
}

}  // namespace
}  // namespace shaderqa::testing
