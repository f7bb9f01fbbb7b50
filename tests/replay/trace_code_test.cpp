// SPDX-License-Identifier: Apache-2.0
// Traces of a part of a shader's code.
#include <map>

#include "instrument/code_window.h"
#include "replay/invocation.h"
#include "trace_program.h"

namespace shaderqa::testing {
namespace {

TEST(CodeWindow, ReadsFunctionsAndLines) {
  std::string error;
  const auto window = CodeWindow::parse(" scan, src/sort.comp:10-12 ,7", error);
  ASSERT_TRUE(window) << error;
  EXPECT_TRUE(window->has_function("scan"));
  EXPECT_FALSE(window->has_function("sca"));
  EXPECT_TRUE(window->has_line("/home/me/src/sort.comp", 10));
  EXPECT_TRUE(window->has_line("src/sort.comp", 12));
  EXPECT_FALSE(window->has_line("other_src/sort.comp", 12));
  EXPECT_FALSE(window->has_line("src/sort.comp", 13));
  EXPECT_TRUE(window->has_line("", 7));
  EXPECT_FALSE(window->is_everything());
  EXPECT_TRUE(CodeWindow::parse("  ", error)->is_everything());
}

TEST(CodeWindow, RefusesOthers) {
  for (const std::string text :
       {"10-5", "0", "4-", "a,,b", "a,", ",a", "x.comp:", "x.comp:y", "5x", "99999999999"}) {
    std::string error;
    EXPECT_FALSE(CodeWindow::parse(text, error)) << text;
    EXPECT_FALSE(error.empty());
  }
  std::string error;
  EXPECT_FALSE(CodeWindow::parse(std::string(CodeWindow::kMostText + 1, 'a'), error));
}

const char* const kLoop = R"(
layout(local_size_x = 8) in;
uint calls = 0;
uint twice(uint x) {
  uint y = x * 2;
  calls += 1;
  return y;
}
void add(inout uint to, uint x) { to += twice(x); }
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint sum = 0;
  for (uint k = 0; k < i; ++k) {
    if (k % 2 == 0)
      add(sum, k);
    else
      sum += 1;
  }
  sum += calls;
  io[i] = sum;
}
)";
constexpr uint32_t kFirstLine = 3, kLastLine = 22;  // of the file, in which io comes first

std::string line_of(const std::string& text) {
  const std::string_view before = std::string_view(kLoop).substr(0, std::string_view(kLoop).find(text));
  return std::to_string(kFirstLine - 1 + std::ranges::count(before, '\n'));
}

class TraceCode : public TraceProgram {
 protected:
  void trace_code(const std::string& code, const std::string& shader) {
    Texts options{"--at", "compute:GlobalInvocationID=5,0,0"};
    if (!code.empty()) options.insert(options.end(), {"--code", code});
    const ProcessResult result = trace(options, {"compute", shader});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    if (expected_.empty()) expected_ = plain({"compute", shader});
    EXPECT_EQ(result.out, expected_) << code;
    err_ = result.err;
  }
  std::string expected_, err_;
};

TEST_F(TraceCode, AFunctionAlone) {
  trace_code("twice", compute(kLoop, "loop", {"-g"}));
  Debugger debugger = replay();
  ASSERT_TRUE(debugger.has_invocation()) << debugger.greeting();
  // Calls for k = 0, 2, 4: each is one of its own.
  debugger.command("break twice");
  debugger.command("break " + line_of("return y;"));
  for (const char* x : {"x = 0", "x = 2", "x = 4"}) {
    EXPECT_THAT(debugger.command("print y").text, HasSubstr("not known"));
    EXPECT_THAT(debugger.command("c").text, HasSubstr("return y;"));
    EXPECT_EQ(debugger.command("print x").text, x);
    EXPECT_THAT(debugger.command("who calls").text, HasSubstr("calls += 1;"));
    if (std::string(x) == "x = 4") break;
    EXPECT_THAT(debugger.command("c").text, HasSubstr("(behind code that is not traced)"));
    EXPECT_THAT(debugger.command("who calls").text, HasSubstr("not traced"));
  }
  EXPECT_THAT(debugger.command("c").text, HasSubstr("(trace_code)"));
}

TEST_F(TraceCode, LinesAlone) {
  trace_code(line_of("sum += 1;"), compute(kLoop, "loop", {"-g"}));
  Debugger debugger = replay();
  ASSERT_TRUE(debugger.has_invocation()) << debugger.greeting();
  debugger.command("break " + line_of("sum += 1;"));
  // For k = 1 and 3. What the sum is becomes known when it is loaded.
  for (const char* sum : {"sum = 0", "sum = 5"}) {
    EXPECT_THAT(debugger.command("c").text, HasSubstr("(behind code that is not traced)"));
    EXPECT_THAT(debugger.command("print sum").text, HasSubstr("not known"));
    debugger.command("stepi");
    EXPECT_EQ(debugger.command("print sum").text, sum);
  }
}

TEST_F(TraceCode, NothingInItIsSaid) {
  trace_code("nobody", compute(kLoop, "loop", {"-g"}));
  EXPECT_THAT(err_, HasSubstr("no invocation matched compute:GlobalInvocationID=5,0,0 in --code nobody"));
  const ProcessResult wrong =
      trace({"--at", "compute:GlobalInvocationID=5,0,0", "--code", "10-5"}, {"compute", "x"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--code: \"10-5\" names no lines"));
}

struct Walked {
  TraceContents contents;
  std::unique_ptr<TracedShader> shader;
  std::unique_ptr<Invocation> invocation;
};

Walked walked(const std::string& file) {
  Walked all;
  std::string error;
  EXPECT_TRUE(read_trace_file(file, all.contents, error)) << error;
  if (all.contents.shaders.empty() || all.contents.segments.empty()) return all;
  all.shader = TracedShader::load(all.contents.shaders.front(), error);
  EXPECT_TRUE(all.shader) << error;
  all.invocation = std::make_unique<Invocation>(*all.shader, all.contents.segments.front());
  return all;
}

// What the trace of a part says of memory is what the whole trace says, or that it is not known.
void expect_same(const Walked& part, const Walked& whole, const std::string& what) {
  std::map<uint32_t, std::vector<size_t>> places;
  const auto& all = whole.invocation->steps();
  for (size_t step = 0; step < all.size(); ++step) places[all[step].offset].push_back(step);
  std::map<uint32_t, size_t> seen;
  size_t known = 0;
  const auto& steps = part.invocation->steps();
  for (size_t step = 0; step < steps.size(); ++step) {
    const size_t nth = seen[steps[step].offset]++;
    ASSERT_LT(nth, places[steps[step].offset].size()) << what;
    const size_t same = places[steps[step].offset][nth];
    for_each_instruction(part.shader->view().words(), header_words, [&](InstructionView i, uint32_t) {
      if (i.op() != spv::Op::OpVariable) return true;
      const auto dwords =
          part.invocation->memory(part.invocation->variable(i.word(2), steps[step].frame), 0, 8, step);
      const auto expected =
          whole.invocation->memory(whole.invocation->variable(i.word(2), all[same].frame), 0, 8, same);
      for (size_t dword = 0; dword < 8; ++dword) {
        if (!dwords[dword] || !expected[dword]) continue;
        EXPECT_EQ(*dwords[dword], *expected[dword]) << what << ", step " << step << ", %" << i.word(2);
        ++known;
      }
      return true;
    });
  }
  // Each call was counted as often as the whole trace has it.
  for (const auto& [offset, count] : seen) EXPECT_EQ(count, places[offset].size()) << what;
  EXPECT_NE(known, 0u) << what;
}

TEST_F(TraceCode, SaysNothingThatTheWholeTraceDoesNotSay) {
  const auto shader = compute(kLoop, "loop", {"-g"});
  trace_code("", shader);
  const Walked whole = walked(file);
  ASSERT_TRUE(whole.invocation);
  std::vector<std::string> windows{"twice", "add", "main", "twice,add", "main,twice"};
  for (uint32_t line = kFirstLine; line <= kLastLine; ++line) windows.push_back(std::to_string(line));
  for (uint32_t line = kFirstLine; line + 3 <= kLastLine; line += 3)
    windows.push_back(std::to_string(line) + "-" + std::to_string(line + 3));
  size_t traced = 0;
  for (const std::string& window : windows) {
    trace_code(window, shader);
    const Walked part = walked(file);
    if (!part.invocation) continue;
    ++traced;
    EXPECT_LT(part.contents.segments.front().count, whole.contents.segments.front().count) << window;
    expect_same(part, whole, window);
  }
  EXPECT_GT(traced, windows.size() / 2);
}

}  // namespace
}  // namespace shaderqa::testing
