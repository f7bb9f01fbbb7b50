// SPDX-License-Identifier: Apache-2.0
// Variables, scopes and inlined functions by NonSemantic.Shader.DebugInfo. The fixtures are one shader,
// and have no other names than those of the debug information.
#include "trace_program.h"

namespace shaderqa::testing {
namespace {

using ::testing::StartsWith;

class TraceDebugInfo : public TraceProgram {
 protected:
  // At the second call of twice(), where k is 2.
  Debugger in_second_call(const std::string& fixture, const std::string& version = "100") {
    const std::string shader = assemble_spirv(directory.path(), fixture,
                                              read_file(SHADERQA_REPLAY_FIXTURES "/" + fixture + ".spvasm"));
    std::string words = read_file(shader);
    words.replace(words.find("DebugInfo.100") + std::string("DebugInfo.").size(), 3, version);
    write_file(shader, words);
    const ProcessResult traced =
        trace({"--at", "compute:GlobalInvocationID=5,0,0"}, {"compute", "--groups=4", shader});
    EXPECT_EQ(traced.exit_code, 0) << traced.err;
    Debugger debugger = replay();
    EXPECT_THAT(debugger.greeting(), Not(HasSubstr("note:")));
    EXPECT_THAT(debugger.command("break twice").text, Not(HasSubstr("does not come there")));
    debugger.command("continue");
    EXPECT_THAT(debugger.command("continue").text,
                AllOf(HasSubstr(", twice, scopes.comp:6"), HasSubstr("y = x * 2")));
    return debugger;
  }
  // What is the same however the shader was compiled.
  static void walk(Debugger debugger) {
    EXPECT_EQ(debugger.command("print x").text, "x = 2");
    // The first call's y is not this one's.
    EXPECT_THAT(debugger.command("print y").text, Not(HasSubstr("y = 0")));
    EXPECT_FALSE(debugger.command("print i").ok);
    EXPECT_FALSE(debugger.command("print sum").ok);
    EXPECT_THAT(debugger.command("bt").text,
                AllOf(StartsWith("#0 "), HasSubstr(", twice, scopes.comp:6\n#1 "),
                      HasSubstr(", main, scopes.comp:18")));
    EXPECT_THAT(debugger.command("finish").text, HasSubstr(", main, scopes.comp:18"));
    EXPECT_EQ(debugger.command("print k").text, "k = 2");
    EXPECT_EQ(debugger.command("print sum").text, "sum = 1");
    EXPECT_THAT(debugger.command("print p").text, HasSubstr("{position = (5, 1, 2), mass = 3, turn = "));
    EXPECT_EQ(debugger.command("print p.position").text, "p.position = (5, 1, 2)");
    EXPECT_EQ(debugger.command("print p.position.y").text, "p.position.y = 1");
    EXPECT_EQ(debugger.command("print p.mass").text, "p.mass = 3");
    EXPECT_FALSE(debugger.command("print p.weight").ok);
    EXPECT_FALSE(debugger.command("print p.position.q").ok);
    EXPECT_FALSE(debugger.command("print x").ok);
    EXPECT_THAT(debugger.command("info locals").text,
                AllOf(HasSubstr("sum = 1"), HasSubstr("k = 2"), HasSubstr("p = {")));
    EXPECT_THAT(debugger.command("reverse-continue").text, HasSubstr(", twice, "));
    EXPECT_THAT(debugger.command("reverse-finish").text, HasSubstr(", main, "));
    debugger.command("delete");
    debugger.command("continue");
    EXPECT_EQ(debugger.command("print io[5]").text, "io[5] = 33");
  }
};

TEST_F(TraceDebugInfo, LexicalBlocks) {
  Debugger debugger = in_second_call("blocks");
  debugger.command("finish");
  // The body's own hides that of the function.
  EXPECT_EQ(debugger.command("print i").text, "i = 6");
  EXPECT_EQ(debugger.command("info locals").text.find("i = "),
            debugger.command("info locals").text.rfind("i = "));
  debugger.command("delete");
  debugger.command("break 22");
  debugger.command("continue");
  EXPECT_EQ(debugger.command("print i").text, "i = 5");
  EXPECT_FALSE(debugger.command("print k").ok);
  walk(in_second_call("blocks"));
}

TEST_F(TraceDebugInfo, InlinedFunctions) {
  Debugger debugger = in_second_call("inlined");
  EXPECT_THAT(debugger.command("next").text, HasSubstr(", twice, scopes.comp:7"));
  EXPECT_EQ(debugger.command("print y").text, "y = 4");
  EXPECT_THAT(debugger.command("reverse-next").text, HasSubstr(", twice, scopes.comp:6"));
  debugger.command("finish");
  // One scope for both: which one is meant cannot be known.
  EXPECT_EQ(debugger.command("print i").text, "i (line 16) = 6\ni (line 10) = 5");
  walk(in_second_call("inlined"));
}

// As compilers of 2026 name the set.
TEST_F(TraceDebugInfo, OfANewerVersion) {
  // The others end scopes between blocks, which Khronos' validator allows in sets alone that it knows.
  walk(in_second_call("blocks", "102"));
}

TEST_F(TraceDebugInfo, NextGoesOverInlinedFunctions) {
  Debugger debugger = in_second_call("inlined");
  debugger.command("delete");
  debugger.command("break 17");
  debugger.command("goto 0");
  debugger.command("continue");
  EXPECT_THAT(debugger.command("next").text, HasSubstr(", main, scopes.comp:18"));
  EXPECT_THAT(debugger.command("next").text, HasSubstr(", main, scopes.comp:15"));
}

// It is in no variable any more.
TEST_F(TraceDebugInfo, AWatchedValueStopsWhereItChanges) {
  Debugger debugger = in_second_call("inlined");
  debugger.command("finish");
  debugger.command("delete");
  EXPECT_TRUE(debugger.command("watch sum").ok);
  EXPECT_EQ(debugger.command("print sum").text, "sum = 1");
  for (const char* value : {"sum = 11", "sum = 12", "sum = 32"}) {
    debugger.command("continue");
    EXPECT_EQ(debugger.command("print sum").text, value);
  }
  EXPECT_THAT(debugger.command("continue").text, HasSubstr("the end of the invocation"));
}

TEST_F(TraceDebugInfo, StructuresTakenApart) {
  walk(in_second_call("taken_apart"));
  Debugger debugger = in_second_call("taken_apart");
  debugger.command("finish");
  EXPECT_EQ(debugger.command("print p").text, "p = {position = (5, 1, 2), mass = 3, turn = ?}");
  EXPECT_FALSE(debugger.command("who p").ok);
}

// glslang's own, with other names beside it.
TEST_F(TraceDebugInfo, AsTheCompilerWritesIt) {
  const auto shader =
      compute(R"(struct Inner { float a[2]; uvec3 v; }; struct Outer { Inner inner[2]; bool flag; };
void fill(inout Outer outer, uint n) { outer.inner[1].a[0] = n * 0.5; outer.flag = n > 3; }
void main() {
  uint n = gl_GlobalInvocationID.x + 4;
  Outer mine;
  mine.inner[0].v = uvec3(n);
  fill(mine, n);
  io[n] = uint(mine.inner[1].a[0]) + mine.inner[0].v.y;
})",
              "plain", {"-gVS"});
  trace({"--at", "compute:GlobalInvocationID=0,0,0"}, {"compute", shader});
  Debugger debugger = replay();
  ASSERT_TRUE(debugger.has_invocation()) << debugger.greeting();
  debugger.command("break fill");
  debugger.command("continue");
  EXPECT_EQ(debugger.command("print n").text, "n = 4");
  EXPECT_THAT(debugger.command("info locals").text, HasSubstr("outer = {inner = {{a = {"));
  debugger.command("finish");
  debugger.command("next");
  EXPECT_EQ(debugger.command("print mine.inner[1].a[0]").text, "mine.inner[1].a[0] = 2");
  EXPECT_EQ(debugger.command("print mine.flag").text, "mine.flag = true");
  EXPECT_EQ(debugger.command("print mine.inner[0].v").text, "mine.inner[0].v = (4, 4, 4)");
  EXPECT_FALSE(debugger.command("print outer").ok);
}

}  // namespace
}  // namespace shaderqa::testing
