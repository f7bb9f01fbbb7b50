// SPDX-License-Identifier: Apache-2.0
// Memory in `shaderqa debug`: watched places, accesses that leave their buffer, and who waits at a barrier.
#include <filesystem>
#include <fstream>
#include <regex>

#include "debug_program.h"

namespace shaderqa::testing {
namespace {

using ::testing::ContainsRegex;

// io begins on line 1.
const char* const kStores = R"(
layout(local_size_x = 4) in;
void main() {
  uint i = gl_GlobalInvocationID.x;
  io[i] = 10 + i;
  io[i + 8] = io[i] + 1;
  atomicAdd(io[i + 8], 5);
  atomicMax(io[i], 7);
  io[i] = 3;
}
)";

// io[0..1]: address of a buffer of 16 words. io[2..3]: that of one that was destroyed.
const char* const kAddresses = R"(
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word[]; };
layout(local_size_x = 1) in;
void main() {
  Words pool = Words(uvec2(io[0], io[1]));
  for (uint k = 0; k < io[4]; ++k) {
    pool.word[k] += k + 100;
  }
  if (io[5] == 1) {
    Words gone = Words(uvec2(io[2], io[3]));
    gone.word[2] = 4;
  }
  io[6] = 1;
}
)";

const Texts kFirst{"--at", "compute:GlobalInvocationID=1,0,0"};

Texts with(Texts options, const Texts& more) {
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

using DebugMemory = DebugProgram;

TEST_F(DebugMemory, AWatchedRangeStopsWithOldAndNewValues) {
  const auto shader = compute(kStores, "stores", {"-g"});
  const Texts arguments{"compute", shader};
  const ProcessResult result = debug(with(kFirst, {"--watch", "io[8..9]"}), arguments,
                                     {"print i", "c", "c", "info breakpoints", "rc"});
  EXPECT_THAT(reply(result, ""), HasSubstr("watch 1: io[9]: 0 -> 12")) << result.err;
  EXPECT_THAT(reply(result, "print i"), HasSubstr("i = 1"));
  EXPECT_THAT(reply(result, "c"), HasSubstr("watch 1: io[9]: 12 -> 17"));
  EXPECT_THAT(reply(result, "c", 2), HasSubstr("the program has ended"));
  EXPECT_THAT(reply(result, "info breakpoints"), HasSubstr("1 watch io[8..9]"));
  EXPECT_THAT(reply(result, "rc"), HasSubstr("watch 1: io[9]: 12 -> 17"));
  EXPECT_TRUE(printed(result, plain(arguments))) << result.err;
}

TEST_F(DebugMemory, ALogSaysWhatIsStoredAndGoesOn) {
  const auto shader = compute(kStores, "stores", {"-g"});
  const Texts arguments{"compute", shader};
  const ProcessResult result = debug(with(kFirst, {"--log", "io[1]"}), arguments, {});
  // An atomic maximum that changes nothing stores all the same.
  EXPECT_THAT(reply(result, ""), ContainsRegex("io\\[1\\]: 0 -> 11 at .*:6.*io\\[1\\]: 11 -> 11 at .*:9.*"
                                               "io\\[1\\]: 11 -> 3 at .*:10"))
      << result.err;
  EXPECT_TRUE(printed(result, plain(arguments))) << result.err;
}

TEST_F(DebugMemory, WatchesThatCannotBeMeantAreRefused) {
  const auto shader = compute(kStores, "stores", {"-g"});
  const ProcessResult result = debug(kFirst, {"compute", shader},
                                     {"watch io[5..4]", "watch 0xzz", "watch 0x10,0", "watch io[3..",
                                      "watch nobody[1..2]", "log", "watch 0x10,8"});
  EXPECT_THAT(reply(result, "watch io[5..4]"), HasSubstr("io[4..9]")) << result.err;
  EXPECT_THAT(reply(result, "watch 0xzz"), HasSubstr("0x7f0012340000,16"));
  EXPECT_THAT(reply(result, "watch 0x10,0"), HasSubstr("0x7f0012340000,16"));
  EXPECT_THAT(reply(result, "watch io[3.."), HasSubstr("io[4..9]"));
  EXPECT_THAT(reply(result, "watch nobody[1..2]"), HasSubstr("nothing is called nobody"));
  EXPECT_THAT(reply(result, "log"), HasSubstr("ADDRESS[,BYTES]"));
  EXPECT_THAT(reply(result, "watch 0x10,8"), HasSubstr("breakpoint 1"));
}

TEST_F(DebugMemory, AnAddressIsWatched) {
  const auto shader = compute(kAddresses, "addresses", {"-g"});
  const Texts arguments{"addresses", "--words=4", shader};
  // The pointer's value says where the buffer is.
  const Texts at{"--at", "compute:GlobalInvocationID=0,0,0"};
  Process process(command(with(at, {"--break", "9", "--json"}), runner(arguments)), environment,
                  directory.path());
  ASSERT_TRUE(process.wait_for_out("\"line\":9")) << process.out();
  process.write("print pool\n");
  ASSERT_TRUE(process.wait_for_out("pool = "));
  const std::string out = process.out();
  std::smatch address;
  const std::string tail = out.substr(out.find("pool = "));
  ASSERT_TRUE(std::regex_search(tail, address, std::regex("0x([0-9a-f]+)"))) << out;
  char watched[40];
  std::snprintf(watched, sizeof watched, "0x%llx,4", std::stoull(address[1].str(), nullptr, 16) + 8);
  process.write("delete\nwatch " + std::string(watched) + "\nc\nprint k\nc\n");
  const ProcessResult result = process.wait();
  EXPECT_THAT(reply(result, "c"), ContainsRegex("watch 1: 0x[0-9a-f]+ \\(4 bytes\\): 0 -> 102"))
      << result.out;
  EXPECT_THAT(reply(result, "print k"), HasSubstr("k = 2"));
  EXPECT_THAT(reply(result, "c", 2), HasSubstr("the program has ended"));
}

TEST_F(DebugMemory, AnElementBehindTheBufferStopsBeforeTheAccess) {
  const auto shader = compute(R"(
layout(local_size_x = 8) in;
void main() {
  uint i = gl_GlobalInvocationID.x;
  io[i] = 1;
  if (i == 5) io[4096 + i] = 77;
  io[i] = 2;
}
)",
                              "beyond", {"-g"});
  const Texts arguments{"compute", shader};
  ProcessResult result = debug({"--at", "compute:GlobalInvocationID=5,0,0", "--break-on-violation"},
                               arguments, {"print io[5]", "c"});
  EXPECT_THAT(
      reply(result, ""),
      HasSubstr("memory violation: the next instruction would store io[4101], but what is bound there "
                "ends behind 4096 elements"))
      << result.err;
  EXPECT_THAT(reply(result, ""), HasSubstr("\"line\":7"));
  EXPECT_THAT(reply(result, "print io[5]"), HasSubstr("io[5] = 1"));
  EXPECT_THAT(reply(result, "c"), HasSubstr("the program has ended"));
  // Nothing to find: nothing stops.
  result =
      debug({"--at", "compute:GlobalInvocationID=4,0,0", "--break-on-violation"}, arguments, {"print i"});
  EXPECT_THAT(reply(result, ""), HasSubstr("the program has ended")) << result.err;
  EXPECT_TRUE(printed(result, plain(arguments))) << result.err;
}

TEST_F(DebugMemory, AddressesThatNoBufferHasStopBeforeTheAccess) {
  const auto shader = compute(kAddresses, "addresses", {"-g"});
  const Texts at{"--at", "compute:GlobalInvocationID=0,0,0", "--break-on-violation"};
  ProcessResult result = debug(at, {"addresses", "--words=17", shader}, {"print k", "c"});
  EXPECT_THAT(
      reply(result, ""),
      ContainsRegex("memory violation: the next instruction would read 4 bytes at 0x[0-9a-f]+, where no "
                    "buffer is: buffer pool \\(0x[0-9a-f]+, 64 bytes\\) ends at 0x[0-9a-f]+, 0 bytes "
                    "before"))
      << result.err;
  EXPECT_THAT(reply(result, "print k"), HasSubstr("k = 16"));
  result = debug(at, {"addresses", "--words=4", "--gone=1", shader}, {"c"});
  EXPECT_THAT(reply(result, ""),
              ContainsRegex("would store 4 bytes at 0x[0-9a-f]+, where no buffer is: buffer "
                            "gone .* had it until it was destroyed"))
      << result.err;
  EXPECT_THAT(reply(result, ""), HasSubstr("\"line\":14"));
  // All 16 words are the buffer's.
  const Texts fine{"addresses", "--words=16", shader};
  result = debug(at, fine, {});
  EXPECT_THAT(reply(result, ""), HasSubstr("the program has ended")) << result.err;
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

// io[0..3] count what has come to the barrier.
const char* const kBarrier = R"(
layout(local_size_x = 64) in;
shared uint total;
void main() {
  uint i = gl_LocalInvocationIndex;
  if (i == 0) total = 0;
  barrier();
  atomicAdd(total, i);
  if (i >= 32) {
    io[i] = total;
  }
  barrier();
  io[i] = total;
}
)";

TEST_F(DebugMemory, WhoWaitsAtWhichBarrier) {
  const auto shader = compute(kBarrier, "barrier", {"-g"});
  const Texts arguments{"compute", shader};
  const Texts at{"--at", "compute:LocalInvocationIndex=0", "--at", "compute:LocalInvocationIndex=40"};
  // Subgroups run one after the other here, each up to the barrier.
  const ProcessResult result =
      debug(with(at, {"--break", "11"}), arguments, {"info barriers", "c", "info barriers"});
  EXPECT_THAT(
      reply(result, "info barriers"),
      ContainsRegex("1 compute.*: waits at the barrier .*barrier.comp:13.*2 compute.*: stopped by the "
                    "debugger, at .*:11"))
      << result.out << result.err;
  EXPECT_THAT(reply(result, "info barriers", 2),
              ContainsRegex("1 compute.*: has ended.*2 compute.*: has ended"))
      << result.err;
  EXPECT_TRUE(printed(result, plain(arguments))) << result.err;
}

TEST_F(DebugMemory, ATraceThatWasCutShortSaysWhoWaitedAtABarrier) {
  const auto shader = compute(kBarrier, "barrier", {"-g"});
  // The program is killed while one invocation waits for the debugger.
  const std::filesystem::path stopped = directory.path() / "stopped";
  Process process(command({"--at", "compute:LocalInvocationIndex=0", "--at",
                           "compute:LocalInvocationIndex=40", "--break", "11", "-o", file, "--json"},
                          killed_when(stopped, "$$", runner({"compute", shader}))),
                  environment, directory.path());
  EXPECT_TRUE(process.wait_for_out("\"line\":11")) << process.out();
  std::ofstream{stopped};
  EXPECT_TRUE(process.wait_for_err("signal 9"));
  process.wait();
  Debugger debugger = replay();
  const std::string text = debugger.command("info barriers").text;
  EXPECT_THAT(text, ContainsRegex("1 compute.*: waits at the barrier .*barrier.comp:13")) << text;
  EXPECT_THAT(text, ContainsRegex("2 compute.*: ")) << text;
}

}  // namespace
}  // namespace shaderqa::testing
