// SPDX-License-Identifier: Apache-2.0
// A gate in front of real programs: it passes for what is right and checked, and for nothing else. What is
// wrong is shown as one block for a bug.
#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "e2e_test.h"

namespace shaderqa::testing {
namespace {

class VerdictEndToEnd : public EndToEnd {
 protected:
  // What the programs do is right (sync_sample_test.cpp has validation below): this is about what is said.
  VerdictEndToEnd() { environment.erase("VK_INSTANCE_LAYERS"); }
  ProcessResult gate(const Texts& arguments, const Texts& options = {}, const Texts& before = {}) {
    Texts command{SHADERQA_BIN_DIR "/shaderqa", "run", "--sync", "--fail-on", "hazard"};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back("--");
    command.insert(command.end(), before.begin(), before.end());
    Texts program{SHADERQA_BIN_DIR "/sample_sync"};
    program.insert(program.end(), arguments.begin(), arguments.end());
    program = with_test_loader(program);
    command.insert(command.end(), program.begin(), program.end());
    return run(command, environment, directory.path());
  }
  static size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }
  // The blocks, without what differs from run to run.
  static std::string blocks(const std::string& err) {
    std::string kept;
    const size_t begin = err.find("shaderqa: hazard: ");
    std::string text = err.substr(begin, err.find("shaderqa: loaded in ") - begin);
    for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
      std::string line = text.substr(at, end - at);
      for (const char* part : {"  by ", ", action "}) line = line.substr(0, line.find(part));
      if (line.ends_with(" times")) line = line.substr(0, line.rfind(", "));
      kept += line + "\n";
    }
    return kept;
  }
};

TEST_F(VerdictEndToEnd, ARightProgramPasses) {
  const ProcessResult result = gate({});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("shaders: 4 checked"));
  EXPECT_THAT(result.err, HasSubstr("actions submitted: "));
  EXPECT_THAT(result.err, ::testing::EndsWith("shaderqa: verdict: no bug found\n"));
}

TEST_F(VerdictEndToEnd, WhatIsNotCheckedNamesTheShader) {
  const ProcessResult result = gate({}, {"--max-sites", "1"});
  EXPECT_EQ(result.exit_code, 98) << result.err;
  EXPECT_THAT(result.err, ::testing::ContainsRegex(
                              "not complete: shader [0-9a-f]+ \\(compute, main, [a-z]+\\.comp\\): "
                              "It has more printfs, checked instructions and accesses than max_sites"));
}

// A report that lost its beginning is not a complete one.
TEST_F(VerdictEndToEnd, ADroppedReportIsSaid) {
  const ProcessResult cut =
      gate({"--bug=neighbour"}, {"--report", report, "--rotate-size", "100", "--rotate-files", "1"});
  EXPECT_THAT(cut.err, HasSubstr("its oldest lines are dropped"));
  EXPECT_THAT(cut.err, HasSubstr("NOT COMPLETELY CHECKED"));
  EXPECT_TRUE(std::filesystem::exists(report + ".1"));
  EXPECT_FALSE(std::filesystem::exists(report + ".2"));
}

TEST_F(VerdictEndToEnd, AWrongOneDoesNot) {
  const ProcessResult result = gate({"--bug=neighbour"});
  EXPECT_EQ(result.exit_code, 99);
  EXPECT_EQ(count(result.err, "shaderqa: hazard: "), 1u) << result.err;
  EXPECT_THAT(result.err, HasSubstr("data race on Particles.particles.position (set 0, binding 0) in buffer "
                                    "\"particles\""));
  EXPECT_THAT(result.err, HasSubstr("  cure    "));
  EXPECT_THAT(result.err, HasSubstr("verdict: 1 bug (1 hazard), "));
}

TEST_F(VerdictEndToEnd, TheSameBlocksInEachRun) {
  const std::string first = blocks(gate({"--bug=barrier"}).err);
  EXPECT_THAT(first, HasSubstr("VkMemoryBarrier2 b = {"));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(blocks(gate({"--bug=barrier"}).err), first);
  // Within a dispatch, chance decides which side is seen first.
  for (const char* bug : {"--bug=scan", "--bug=neighbour"}) {
    const std::string within = blocks(gate({bug}).err);
    EXPECT_THAT(within, HasSubstr("data race on "));
    EXPECT_EQ(blocks(gate({bug}).err), within);
  }
}

// Whether the host reads one report before the next one comes does not decide what is found.
TEST_F(VerdictEndToEnd, OneLoadAgainstStoresAtSeveralPlaces) {
  const Outcome outcome = run_case({"compute", compute(R"(layout(local_size_x = 64) in;
void main() {
  uint l = gl_LocalInvocationIndex;
  if (l < 32u) {
    io[l] = 1u;
    io[l + 32u] = 2u;
    io[l + 64u] = 3u;
    io[l + 96u] = 4u;
  }
  if (l < 32u) return;
  uint sum = 0u;
  for (uint place = 0u; place < 4u; ++place) sum += io[place * 32u + l - 32u];
  io[128u + l] = sum;
}
)",
                                                       "places", {"-g"})},
                                   {"--sync"});
  std::set<std::string> stores;
  for (const auto& finding : outcome.of_kind("hazard"))
    for (const auto& place : finding.at("other").at("places")) stores.insert(place);
  EXPECT_EQ(stores.size(), 4u) << outcome.process.err;
}

// `ends[l] = l == 0u ? 0u : counts[l - 1u]` stores behind a selection, where the compiler notes no line.
TEST_F(VerdictEndToEnd, BothSidesHaveALine) {
  const std::string scan = gate({"--bug=scan"}).err;
  EXPECT_THAT(scan, HasSubstr("samples/sync/scan.comp:13  by local invocation"));
  EXPECT_THAT(scan, Not(HasSubstr("(word ")));
}

TEST_F(VerdictEndToEnd, ABaselineOfItsOwnFindings) {
  Texts options{"--report", report};
  EXPECT_EQ(gate({"--bug=barrier"}, options).exit_code, 99);
  read_report(report);  // fits the schema
  const ProcessResult known = gate({"--bug=barrier"}, {"--baseline", report});
  EXPECT_EQ(known.exit_code, 0) << known.err;
  EXPECT_THAT(known.err, HasSubstr("no new bug found"));
}

TEST_F(VerdictEndToEnd, AClearedEnvironmentIsNamed) {
  const ProcessResult result = gate({}, {}, {"/usr/bin/env", "-u", "SHADERQA_RESCUE_DIR", "-u", "SHADERQA"});
  EXPECT_EQ(result.exit_code, 98) << result.err;
  EXPECT_THAT(result.err, HasSubstr("uses Vulkan without the layer"));
  EXPECT_THAT(result.err, HasSubstr("another environment"));
}

// The process has the variables of the run, and one that undoes them.
TEST_F(VerdictEndToEnd, AVariableThatKeepsTheLayerOutIsNamed) {
  const std::pair<Texts, const char*> rows[] = {
      {{"SHADERQA_DISABLE="}, "it has SHADERQA_DISABLE in its environment"},
      {{"-u", "SHADERQA"}, "it has no SHADERQA=1 in its environment"},
      {{"VK_LOADER_LAYERS_DISABLE=~all~", "SHADERQA=0"}, "it has no SHADERQA=1 in its environment"},
      {{"-u", "XDG_DATA_DIRS", "-u", "VK_ADD_IMPLICIT_LAYER_PATH"}, "it has no XDG_DATA_DIRS"}};
  for (const auto& [changes, text] : rows) {
    Texts before{"/usr/bin/env"};
    before.insert(before.end(), changes.begin(), changes.end());
    const ProcessResult result = gate({"--bug=barrier"}, {}, before);
    EXPECT_EQ(result.exit_code, 98) << result.err;
    EXPECT_THAT(result.err, HasSubstr("uses Vulkan without the layer"));
    EXPECT_THAT(result.err, HasSubstr(text));
  }
}

TEST_F(VerdictEndToEnd, LimitsMakeItIncomplete) {
  environment["SHADERQA_SYNC_MEMORY_LIMIT"] = "1000";
  const ProcessResult memory = gate({});
  EXPECT_EQ(memory.exit_code, 98);
  EXPECT_THAT(memory.err, HasSubstr("not complete: accesses to some buffers"));
  EXPECT_EQ(gate({}, {"--allow-incomplete"}).exit_code, 0);
  environment.erase("SHADERQA_SYNC_MEMORY_LIMIT");
  environment["SHADERQA_MAX_SITES"] = "1";
  EXPECT_EQ(gate({}).exit_code, 98);
  environment.erase("SHADERQA_MAX_SITES");
  environment["SHADERQA_ONLY"] = "nonesuch";
  EXPECT_EQ(gate({}, {"--allow-incomplete"}).exit_code, 98);
}

// Which are ready in time is chance.
TEST_F(VerdictEndToEnd, ActionsWhoseCheckedPipelineIsNotReadyAreNotChecked) {
  const ProcessResult result = gate({}, {"--start", "background", "--allow-incomplete"});
  const auto number_before = [&](const char* text) {
    const size_t end = result.err.find(text);
    if (end == std::string::npos) return std::string("none");
    const size_t begin = result.err.find_last_not_of("0123456789", end - 1) + 1;
    return result.err.substr(begin, end - begin);
  };
  const std::string unchecked = number_before(" actions (draws, dispatches) were recorded before");
  EXPECT_EQ(number_before(" not checked, "), unchecked) << result.err;
  const bool none = result.err.find("actions submitted: 0 checked, ") != std::string::npos;
  EXPECT_EQ(result.exit_code, none ? 98 : 0) << result.err;
}

TEST_F(VerdictEndToEnd, AReportThatCannotBeWritten) {
  const ProcessResult result = gate({"--bug=neighbour"}, {"--report", "/dev/full"});
  EXPECT_EQ(result.exit_code, 99);
  EXPECT_THAT(result.err, HasSubstr("not complete: cannot write the report file /dev/full"));
}

// The layer alone, as the loader finds it.
TEST_F(VerdictEndToEnd, WithoutTheCommand) {
  Texts program = with_test_loader({SHADERQA_BIN_DIR "/sample_sync", "--bug=neighbour"});
  environment["SHADERQA"] = "1";
  environment["XDG_DATA_DIRS"] = std::filesystem::path(SHADERQA_BIN_DIR).parent_path() / "share";
  environment["SHADERQA_SYNC"] = "exact";
  EXPECT_THAT(run(program, environment, directory.path()).err, Not(HasSubstr("verdict: ")));
  environment["SHADERQA_VERDICT"] = "1";
  const ProcessResult result = run(program, environment, directory.path());
  EXPECT_EQ(count(result.err, "shaderqa: verdict: "), 1u) << result.err;
  EXPECT_THAT(result.err, HasSubstr("shaders: 4 checked"));
  EXPECT_THAT(result.err, HasSubstr("bug (1 hazard), "));
}

}  // namespace
}  // namespace shaderqa::testing
