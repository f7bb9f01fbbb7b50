// SPDX-License-Identifier: Apache-2.0
// Where shaders ask for a stop themselves, and the park where the kernel does not help.
#include <algorithm>
#include <fstream>

#include "debug_program.h"

namespace shaderqa::testing {
namespace {

// Lines are counted from here on.
const char* const kAsks = R"(
layout(local_size_x = 8) in;
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint sum = i * 2;
  if (i == 5) {
    debug_break();
    sum += 1;
  }
  assume_true(sum != 6u);
  io[i] = sum;
}
)";

class DebugStops : public DebugProgram {
 protected:
  // The line of the shader that has the text.
  static std::string line_of(const std::string& text) {
    const std::string source = kAsks;
    const auto end = source.begin() + static_cast<std::ptrdiff_t>(source.find(text));
    return "\"line\":" + std::to_string(1 + std::count(source.begin(), end, '\n'));
  }
  // This compiler also declares the instruction set as an extension, which it is none.
  std::string asking_shader() {
    const std::string path = compute(source, "asks", {"-g"});
    const std::vector<uint32_t> words = read_words(path);
    std::vector<uint32_t> kept(words.begin(), words.begin() + 5);
    constexpr uint32_t kOpExtension = 10;
    for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
      const char* const name = reinterpret_cast<const char*>(&words[at + 1]);
      if ((words[at] & 0xffffu) == kOpExtension && std::string(name) == "NonSemantic.DebugBreak") continue;
      const auto begin = words.begin() + static_cast<std::ptrdiff_t>(at);
      kept.insert(kept.end(), begin, begin + static_cast<std::ptrdiff_t>(words[at] >> 16));
    }
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(kept.data()), static_cast<std::streamsize>(kept.size() * 4));
    return path;
  }
  std::string source = std::string(kIntrinsics) + kAsks;
};

TEST_F(DebugStops, ABreakOfTheShaderIsAStop) {
  const auto shader = asking_shader();
  const Texts arguments{"compute", "--expect-assume", shader};
  const ProcessResult result =
      debug({"--at", "compute:GlobalInvocationID=5,0,0"}, arguments, {"c", "print sum", "c"});
  EXPECT_THAT(reply(result, "c"), HasSubstr(line_of("    debug_break();"))) << result.out << result.err;
  EXPECT_THAT(reply(result, "print sum"), HasSubstr("sum = 10"));
  EXPECT_THAT(reply(result, "c", 2), HasSubstr("the program has ended"));
  EXPECT_TRUE(printed(result, plain(arguments))) << result.err;
}

TEST_F(DebugStops, AnAssumptionThatDoesNotHoldIsAStop) {
  const auto shader = asking_shader();
  const Texts arguments{"compute", "--expect-assume", shader};
  ProcessResult result =
      debug({"--at", "compute:GlobalInvocationID=3,0,0"}, arguments, {"c", "print sum", "c"});
  EXPECT_THAT(reply(result, "c"), HasSubstr(line_of("assume_true(sum"))) << result.out << result.err;
  EXPECT_THAT(reply(result, "print sum"), HasSubstr("sum = 6"));
  EXPECT_THAT(reply(result, "c", 2), HasSubstr("the program has ended"));
  // One that holds is none.
  result = debug({"--at", "compute:GlobalInvocationID=2,0,0"}, arguments, {"c"});
  EXPECT_THAT(reply(result, "c"), HasSubstr("the program has ended")) << result.out << result.err;
}

TEST_F(DebugStops, WithoutUserfaultfdTheProgramGoesOnAndANoteSaysWhy) {
  const auto shader = asking_shader();
  const Texts arguments{"compute", "--expect-assume", shader};
  Texts program{SHADERQA_BIN_DIR "/without_userfaultfd"};
  for (const std::string& word : runner(arguments)) program.push_back(word);
  if (run({program[0], "/bin/true"}, environment, directory.path()).exit_code == 77)
    GTEST_SKIP() << "the kernel has no filters of system calls";
  // It goes on although nobody answers, and a person learns why nothing can be looked at.
  Process process(command({"--at", "compute:GlobalInvocationID=5,0,0", "--json"}, program), environment,
                  directory.path());
  EXPECT_TRUE(process.wait_for_err(plain(arguments)));
  const ProcessResult result = process.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("does not allow userfaultfd"));
  // Whether the debugger sees the instant or comes too late is chance.
  EXPECT_THAT(result.out, ::testing::ContainsRegex("has ended|had gone on|step 0, main")) << result.out;
}

}  // namespace
}  // namespace shaderqa::testing
