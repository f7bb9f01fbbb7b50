// SPDX-License-Identifier: Apache-2.0
// Programs that run under `shaderqa trace`, and what the replay of their traces shows.
#include <filesystem>
#include <fstream>
#include <random>

#include "trace_program.h"

namespace shaderqa::testing {
namespace {

const char* const kLoop = R"(
layout(local_size_x = 8) in;
uint twice(uint x) {
  uint y = x * 2;
  return y;
}
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint sum = 0;
  for (uint k = 0; k < i; ++k) {
    if (k % 2 == 0)
      sum += twice(k);
    else
      sum += 1;
  }
  io[i] = sum;
}
)";

TEST_F(TraceProgram, ComputeIsWalkedInBothDirections) {
  const auto shader = compute(kLoop, "loop", {"-g"});
  const ProcessResult result =
      trace({"--at", "compute:GlobalInvocationID=5,0,0"}, {"compute", "--groups=4", shader});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("traced compute:GlobalInvocationID=5,0,0"));
  EXPECT_EQ(result.out, plain({"compute", "--groups=4", shader}));
  Debugger debugger = replay();
  ASSERT_TRUE(debugger.has_invocation()) << debugger.greeting();
  EXPECT_THAT(debugger.greeting(), Not(HasSubstr("note:"))) << debugger.greeting();
  // io begins on line 1, so line 17 is the last store.
  EXPECT_THAT(debugger.command("break twice").text, Not(HasSubstr("does not come there")));
  EXPECT_THAT(debugger.command("c").text, HasSubstr("twice"));
  EXPECT_EQ(debugger.command("print x").text, "x = 0");
  EXPECT_THAT(debugger.command("bt").text, HasSubstr("#1 "));
  debugger.command("c");
  EXPECT_EQ(debugger.command("print x").text, "x = 2");
  EXPECT_THAT(debugger.command("finish").text, HasSubstr("main"));
  debugger.command("c");
  EXPECT_EQ(debugger.command("print x").text, "x = 4");
  debugger.command("finish");
  EXPECT_EQ(debugger.command("print k").text, "k = 4");
  debugger.command("delete");
  EXPECT_THAT(debugger.command("c").text, HasSubstr("the end of the invocation"));
  // 0 + 1 + 4 + 1 + 8
  EXPECT_EQ(debugger.command("print sum").text, "sum = 14");
  EXPECT_EQ(debugger.command("print io[5]").text, "io[5] = 14");
  EXPECT_THAT(debugger.command("print io[6]").text, HasSubstr("not known"));
  EXPECT_THAT(debugger.command("who sum").text, HasSubstr("sum += twice(k);"));
  debugger.command("watch sum");
  debugger.command("rc");
  debugger.command("rc");
  EXPECT_EQ(debugger.command("print sum").text, "sum = 6");
  EXPECT_THAT(debugger.command("goto 0").text, HasSubstr("step 0"));
  EXPECT_THAT(debugger.command("print sum").text, HasSubstr("not known"));
  EXPECT_THAT(debugger.command("list").text, HasSubstr("uint sum = 0;"));
}

TEST_F(TraceProgram, NothingThatMatchesIsSaidAndChangesNothing) {
  const auto shader = compute(kLoop, "loop");
  const ProcessResult result =
      trace({"--at", "compute:GlobalInvocationID=5000,0,0"}, {"compute", "--groups=4", shader});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, plain({"compute", "--groups=4", shader}));
  EXPECT_THAT(result.err, HasSubstr("no invocation matched compute:GlobalInvocationID=5000,0,0"));
}

TEST_F(TraceProgram, SeveralAtOnceByWorkgroupAndMatch) {
  const auto shader = compute(kLoop, "loop");
  const ProcessResult result =
      trace({"--at", "compute:WorkgroupID=1,0,0;LocalInvocationID=2,0,0;match=2", "--at",
             "compute:GlobalInvocationID=*,0,0;LocalInvocationIndex=7;matches=3"},
            {"compute", "--groups=4", "--repeat=3", shader});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  Debugger debugger = replay();
  const std::string text = debugger.greeting();
  EXPECT_THAT(text, HasSubstr("compute:GlobalInvocationID=10,0,0, match 2"));
  EXPECT_THAT(text, HasSubstr("match 3"));
  EXPECT_THAT(text, HasSubstr("invocation 4:"));
  EXPECT_THAT(text, Not(HasSubstr("invocation 5:")));
}

TEST_F(TraceProgram, AWindowAndBothPoliciesSayWhatIsMissing) {
  const auto shader = compute(R"(
    void main() { uint sum = io[0]; for (uint k = 0; k < 5000; ++k) sum += k; io[1] = sum; })",
                              "long");
  trace({"--at", "compute:GlobalInvocationID=0,0,0", "--segment-size", "64k"}, {"compute", shader});
  EXPECT_THAT(replay().greeting(), HasSubstr("are not in the trace; a larger trace_segment_size"));
  trace({"--at", "compute:GlobalInvocationID=0,0,0", "--segment-size", "64k", "--last"}, {"compute", shader});
  Debugger last = replay();
  EXPECT_THAT(last.command("c").text, HasSubstr("the end of the invocation"));
  EXPECT_EQ(last.command("print sum").text, "sum = 12497500");
  trace({"--at", "compute:GlobalInvocationID=0,0,0", "--skip", "100", "--records", "10"},
        {"compute", shader});
  const std::string window = replay().greeting();
  EXPECT_THAT(window, HasSubstr("the first 100 of"));
  EXPECT_THAT(window, HasSubstr("(trace_skip)"));
}

TEST_F(TraceProgram, VertexAndFragment) {
  const auto vertex = shader("vert", R"(
    void main() {
      vec2 at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4 - 1;
      gl_Position = vec4(at, 0, 1);
    })",
                             "triangle");
  const auto fragment = shader("frag", R"(
    layout(location = 0) out vec4 colour;
    void main() {
      vec2 where = gl_FragCoord.xy;
      colour = vec4(where / 64, 0, 1);
    })",
                               "colour");
  const Texts arguments{"graphics", vertex, fragment};
  const ProcessResult result =
      trace({"--at", "vertex:VertexIndex=2", "--at", "fragment:FragCoord=3,4"}, arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, plain(arguments));
  Debugger debugger = replay();
  const std::string text = debugger.greeting();
  ASSERT_THAT(text, HasSubstr("vertex:VertexIndex=2;InstanceIndex=0"));
  ASSERT_THAT(text, HasSubstr("fragment:FragCoord=3,4"));
  const bool first = text.find("vertex:") < text.find("fragment:");
  debugger.command(first ? "invocation 1" : "invocation 2");
  debugger.command("c");
  EXPECT_EQ(debugger.command("print at").text, "at = (-1, 3)");
  debugger.command(first ? "invocation 2" : "invocation 1");
  debugger.command("c");
  EXPECT_EQ(debugger.command("print where").text, "where = (3.5, 4.5)");
  EXPECT_EQ(debugger.command("print colour").text, "colour = (0.0546875, 0.0703125, 0, 1)");
}

// A program that ends in the middle of its work leaves what was traced.
TEST_F(TraceProgram, OutlivesTheProgram) {
  const auto shader = compute(kLoop, "loop");
  const ProcessResult result =
      trace({"--at", "compute:GlobalInvocationID=5,0,0"}, {"compute", "--then=kill", shader});
  EXPECT_NE(result.exit_code, 0);
  Debugger debugger = replay();
  ASSERT_TRUE(debugger.has_invocation()) << debugger.greeting();
  debugger.command("c");
  EXPECT_EQ(debugger.command("print sum").text, "sum = 14");
}

// Random programs over all types: what a twin prints is what the trace has.
std::string random_program(uint64_t seed, bool prints) {
  std::mt19937_64 random(seed);
  const auto pick = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const auto name = [&](char type) { return type + std::to_string(pick(3)); };
  std::string text =
      "layout(local_size_x = 4) in;\nuint mix_up(uint a, inout uint b) { b ^= a * 3; if (b > "
      "1000) return b % 1000; return a + b; }\nvoid main() {\n  uint id = "
      "gl_GlobalInvocationID.x + io[0];\n";
  for (int i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i);
    text += "  uint u" + n + " = id + " + n + "; int s" + n + " = int(id) - " + n + "; float f" + n +
            " = id * 0.5 + " + n + "; double d" + n + " = id * 0.25; uint64_t l" + n +
            " = id * 0x100000001ul + " + n + "; int16_t h" + n + " = int16_t(int(id) - 3 - " + n +
            "); vec3 v" + n + " = vec3(id, " + n + ", 2); float16_t e" + n +
            " = float16_t(id) * 0.5hf; int8_t c" + n + " = int8_t(int(id) - 5 - " + n + "); int64_t q" + n +
            " = int64_t(id) * -0x100000003l - " + n + "; bool b" + n + " = (id + " + n + ") % 2 == 0;\n";
  }
  for (int i = 0; i < 12; ++i) {
    const std::string round = "r" + std::to_string(i);
    switch (pick(13)) {
      case 0:
        text += "  " + name('u') + " = mix_up(" + name('u') + ", " + name('u') + ");\n";
        break;
      case 1:
        text += "  for (uint " + round + " = 0; " + round + " < u0 % 5; ++" + round + ") { " + name('u') +
                " += " + round + "; " + name('f') + " *= 1.5; if (u1 > 50) break; }\n";
        break;
      case 2:
        text += "  switch (" + name('u') + " % 3) { case 0: " + name('s') +
                " -= 7; break; case 1: " + name('l') + " <<= 3; default: " + name('d') + " += 0.125; }\n";
        break;
      case 3:
        text +=
            "  " + name('v') + " = cross(" + name('v') + ", " + name('v') + ").zxy + " + name('f') + ";\n";
        break;
      case 4:
        text +=
            "  " + name('h') + " = int16_t(" + name('h') + " * int16_t(3) - int16_t(" + name('u') + "));\n";
        break;
      case 5:
        text += "  if (" + name('s') + " > " + name('s') + " || " + name('u') + " > 9) { " + name('l') +
                " += " + name('u') + "; } else { " + name('d') + " *= 3; }\n";
        break;
      case 6:
        text += "  { uint array[4] = uint[](1, 2, 3, 4); array[" + name('u') + " & 3] += " + name('u') +
                "; " + name('u') + " = array[" + name('u') + " & 3]; }\n";
        break;
      case 7:
        text += "  " + name('e') + " = " + name('e') + " * 0.75hf + float16_t(" + name('u') + " & 7u);\n";
        break;
      case 8:
        text += "  " + name('c') + " = int8_t(" + name('c') + " * int8_t(5) + int8_t(" + name('s') + "));\n";
        break;
      case 9:
        text += "  " + name('q') + " = (" + name('q') + " >> 3) - int64_t(" + name('c') + ") * 77l;\n";
        break;
      case 10:
        text += "  " + name('b') + " = " + name('b') + " != (" + name('u') + " > " + name('u') + ") && !" +
                name('b') + ";\n";
        break;
      case 11:
        text += "  { mat2 m = mat2(" + name('f') + ", 2, 3, " + name('f') +
                "); struct Pair { vec2 first; uint second; } pair = Pair(m * vec2(1, " + name('f') + "), " +
                name('u') + "); " + name('f') + " = pair.first.y; " + name('u') + " += pair.second; }\n";
        break;
      default:
        text += "  " + name('u') + " = subgroupAdd(" + name('u') + ") & 0xffff;\n";
    }
  }
  if (prints)
    for (int i = 0; i < 3; ++i) {
      const std::string n = std::to_string(i);
      text += "  if (id == 2) { debugPrintfEXT(\"u" + n + " = %u\", u" + n + "); debugPrintfEXT(\"s" + n +
              " = %d\", s" + n + "); debugPrintfEXT(\"f" + n + " = %.9g\", f" + n + "); debugPrintfEXT(\"d" +
              n + " = %.17g\", d" + n + "); debugPrintfEXT(\"l" + n + " = %lu\", l" + n +
              "); debugPrintfEXT(\"h" + n + " = %d\", int(h" + n + ")); debugPrintfEXT(\"v" + n +
              " = (%.9g, %.9g, %.9g)\", v" + n + ".x, v" + n + ".y, v" + n + ".z); debugPrintfEXT(\"e" + n +
              " = %.9g\", float(e" + n + ")); debugPrintfEXT(\"c" + n + " = %d\", int(c" + n +
              ")); debugPrintfEXT(\"q" + n + " = %ld\", q" + n + "); if (b" + n + ") debugPrintfEXT(\"b" + n +
              " = true\"); else debugPrintfEXT(\"b" + n + " = false\"); }\n";
    }
  text +=
      "  io[id + 8] = u0 + uint(s1) + floatBitsToUint(f2) + unpackDouble2x32(d0).x + uint(l1) + "
      "uint(int(h2)) + floatBitsToUint(v0.x) + uint(int(c1)) + uint(q2) + uint(b0) + "
      "floatBitsToUint(float(e1));\n}\n";
  return text;
}

TEST_F(TraceProgram, ValuesAreThoseThatATwinPrints) {
  const Texts flags{"-g"};
  for (uint64_t seed = 1; seed <= 16; ++seed) {
    const std::string head = "#extension GL_KHR_shader_subgroup_arithmetic : require\n";
    const auto twin =
        shader("comp",
               head + "layout(set = 0, binding = 0) buffer Io { uint io[]; };\n" + random_program(seed, true),
               "twin", flags);
    const auto shown = shader(
        "comp",
        head + "layout(set = 0, binding = 0) buffer Io { uint io[]; };\n" + random_program(seed, false),
        "shown", flags);
    std::filesystem::remove(report);
    const Outcome printed = run_case({"compute", twin});
    ASSERT_EQ(printed.printed().size(), 33u) << random_program(seed, true) << printed.process.err;
    const ProcessResult traced = trace({"--at", "compute:GlobalInvocationID=2,0,0"}, {"compute", shown});
    EXPECT_EQ(traced.out, plain({"compute", shown})) << seed;
    Debugger debugger = replay();
    ASSERT_TRUE(debugger.has_invocation()) << debugger.greeting();
    EXPECT_THAT(debugger.command("c").text, HasSubstr("the end of the invocation"));
    for (const std::string& line : printed.printed())
      EXPECT_EQ(debugger.command("print " + line.substr(0, 2)).text, line) << "seed " << seed << "\n"
                                                                           << random_program(seed, false);
  }
}

TEST_F(TraceProgram, TwoTracesOfOneProgramAreEqual) {
  const auto shader = compute(kLoop, "same");
  std::string texts[2];
  for (std::string& text : texts) {
    trace({"--at", "compute:GlobalInvocationID=1,0,0"}, {"compute", shader});
    TraceContents contents;
    std::string error;
    ASSERT_TRUE(read_trace_file(file, contents, error)) << error;
    ASSERT_EQ(contents.segments.size(), 1u);
    text.assign(reinterpret_cast<const char*>(contents.segments[0].dwords.data()),
                contents.segments[0].dwords.size() * 4);
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST_F(TraceProgram, BadCommandLinesStartNothing) {
  const auto refused = trace({"--at", "pixel:1"}, {"compute"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("a stage should be here"));
  std::ofstream(file) << "something of the user's";
  const auto kept = trace({"--at", "compute:GlobalInvocationID=0,0,0"}, {"compute"});
  EXPECT_EQ(kept.exit_code, 2);
  EXPECT_THAT(kept.err, HasSubstr("is no trace: choose another name"));
  const auto unread = run({SHADERQA_BIN_DIR "/shaderqa", "replay", file}, environment, directory.path());
  EXPECT_EQ(unread.exit_code, 2);
  EXPECT_THAT(unread.err, HasSubstr("is no trace"));
}

}  // namespace
}  // namespace shaderqa::testing
