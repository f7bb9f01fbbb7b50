// SPDX-License-Identifier: Apache-2.0
// A part of a run is checked: races in it are found, others are not, correct programs stay silent however
// checks are switched, and the verdict says what was checked.
#include <csignal>
#include <fstream>
#include <regex>
#include <set>
#include <thread>
#include <tuple>

#include "sync_fixture.h"

namespace shaderqa::testing {
namespace {

using ::testing::Not;

constexpr const char* kShader = R"(
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint step; };
layout(set = 0, binding = 0) buffer From { uint from[]; };
layout(set = 0, binding = 1) buffer To { uint to[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  to[i] = from[(i + 1u) % from.length()] * 3u + step;
}
)";

class Switch : public EndToEnd {
 protected:
  // What is wrong in the racy programs is not the point here.
  Switch() : validation(environment["VK_INSTANCE_LAYERS"]) { environment.erase("VK_INSTANCE_LAYERS"); }
  // For correct programs: the validation layer below ours, which writes what it finds to stdout.
  const std::string validation;

  Texts program(const Texts& arguments) {
    Texts program{SHADERQA_BIN_DIR "/e2e_switch_runner",
                  compile_glsl(directory.path(), "switched", "comp", kShader, {"-g"})};
    program.insert(program.end(), arguments.begin(), arguments.end());
    return with_test_loader(program);
  }
  std::string engine = "exact";
  Texts layered(const Texts& options, const Texts& arguments) {
    Texts command{
        SHADERQA_BIN_DIR "/shaderqa", "run", "--sync=" + engine, "--fail-on", "hazard", "--report", report};
    command.insert(command.end(), options.begin(), options.end());
    command.push_back("--");
    const Texts run = program(arguments);
    command.insert(command.end(), run.begin(), run.end());
    return command;
  }
  ProcessResult run_part(const Texts& options, const Texts& arguments) {
    std::filesystem::remove(report);
    return run(layered(options, arguments), environment, directory.path());
  }
  std::string plain(const Texts& arguments) {
    Environment alone = environment;
    alone.erase("SHADERQA_SWITCH_SIGNAL");
    return run(program(arguments), alone, directory.path()).out;
  }

  // The steps in which hazards were found.
  std::set<int> steps() {
    std::set<int> found;
    std::ifstream in(report);
    const std::regex label("\"step ([0-9]+)\"");
    for (std::string line; std::getline(in, line);) {
      std::smatch match;
      if (line.find("\"kind\":\"hazard\"") != std::string::npos && std::regex_search(line, match, label))
        found.insert(std::stoi(match[1]));
    }
    return found;
  }
};

TEST_F(Switch, OnlyTheChosenSubmissions) {
  for (const char* style : {"once", "each", "ahead"}) {
    const Texts arguments{std::string("--style=") + style, "--submissions=12", "--racy"};
    const ProcessResult result = run_part({"--frames", "3,7-8"}, arguments);
    EXPECT_EQ(result.exit_code, 99) << style << result.err;
    EXPECT_EQ(result.out, plain(arguments));
    EXPECT_THAT(steps(), ::testing::IsSubsetOf({3, 7, 8})) << style;
    EXPECT_FALSE(steps().empty()) << style << result.err;
    EXPECT_THAT(result.err, HasSubstr("cannot present"));
    EXPECT_THAT(result.err, HasSubstr("chosen part (frames = 3,7-8): 3 of 12 submissions"));
    EXPECT_THAT(result.err,
                HasSubstr("actions submitted: 6 checked, 0 not checked, 18 outside of the chosen part"));
    EXPECT_THAT(result.err, Not(HasSubstr("not complete")));
  }
}

TEST_F(Switch, CommandBuffersThatAreUsedAgain) {
  for (const char* style : {"reuse", "secondary"}) {
    const Texts arguments{std::string("--style=") + style, "--submissions=12", "--racy"};
    const ProcessResult result = run_part({"--frames", "7-8"}, arguments);
    EXPECT_EQ(result.exit_code, 99) << style << result.err;
    EXPECT_EQ(result.out, plain(arguments));
    EXPECT_THAT(result.err, HasSubstr("actions submitted: 4 checked, 0 not checked, 20 outside")) << style;
  }
}

TEST_F(Switch, RacesOutsideAreNotFound) {
  const ProcessResult result = run_part({"--frames", "1-6"}, {"--submissions=12", "--racy-from=7"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("no bug found"));
}

TEST_F(Switch, NothingInTheWindowIsNotChecked) {
  const ProcessResult late = run_part({"--frames", "100-110"}, {"--submissions=5"});
  EXPECT_EQ(late.exit_code, 98) << late.err;
  EXPECT_THAT(late.err,
              HasSubstr("nothing was submitted while checks were on (frames = 100-110): the program made 5 "
                        "submissions and presented 0 frames"));
  const ProcessResult never = run_part({"--after", "1h"}, {"--submissions=5"});
  EXPECT_EQ(never.exit_code, 98) << never.err;
  const ProcessResult nowhere = run_part({"--within", "no such label"}, {"--submissions=5"});
  EXPECT_EQ(nowhere.exit_code, 98) << nowhere.err;
  EXPECT_THAT(nowhere.err, HasSubstr("no action was checked: none of 10 actions lies in the chosen part"));
}

TEST_F(Switch, ChosenActionsAndLabels) {
  for (const Texts& options : {Texts{"--actions", "1"}, Texts{"--actions", "2-"},
                               Texts{"--within", "step * > back"}, Texts{"--within", "there"}}) {
    const ProcessResult result = run_part(options, {"--submissions=6", "--racy"});
    EXPECT_EQ(result.exit_code, 0) << "each race has one side outside\n" << options[1] << result.err;
    EXPECT_EQ(result.out, plain({"--submissions=6", "--racy"}));
    EXPECT_THAT(result.err, HasSubstr("actions submitted: 6 checked, 0 not checked, 6 outside"))
        << options[1];
  }
  const ProcessResult both = run_part({"--within", "step 3, step 5"}, {"--submissions=6", "--racy"});
  EXPECT_EQ(both.exit_code, 99) << both.err;
  EXPECT_THAT(steps(), ::testing::IsSubsetOf({3, 5}));
  EXPECT_FALSE(steps().empty());
  EXPECT_THAT(both.err, HasSubstr("actions submitted: 4 checked, 0 not checked, 8 outside"));
}

TEST_F(Switch, LabelsOfQueues) {
  const ProcessResult result =
      run_part({"--within", "even/step*"}, {"--submissions=9", "--racy", "--queue-labels"});
  EXPECT_EQ(result.exit_code, 99) << result.err;
  EXPECT_THAT(steps(), ::testing::IsSubsetOf({4, 6, 8})) << "2 was recorded before the label was known";
  EXPECT_FALSE(steps().empty());
}

// What the program submitted too early is known from its own clock, since a busy machine makes any step late.
TEST_F(Switch, AfterSomeTime) {
  const ProcessResult result =
      run_part({"--after", "1s"}, {"--submissions=20", "--racy-from=2", "--pause=100", "--times"});
  EXPECT_EQ(result.exit_code, 99) << result.err;
  const std::set<int> found = steps();
  const std::regex submitted("step ([0-9]+) submitted within ([0-9]+) ms");
  int seen = 0;
  for (auto step = std::sregex_iterator(result.err.begin(), result.err.end(), submitted);
       step != std::sregex_iterator(); ++step, ++seen)
    EXPECT_FALSE(std::stoi((*step)[2]) < 1000 && found.contains(std::stoi((*step)[1]))) << step->str();
  EXPECT_EQ(seen, 20) << result.err;
}

TEST_F(Switch, FramesArePresents) {
  const Texts arguments{"--submissions=10", "--racy", "--present"};
  if (run(program(arguments), environment, directory.path()).exit_code != 0)
    GTEST_SKIP() << "the driver has no surface without a window";
  const ProcessResult result = run_part({"--frames", "4-5"}, arguments);
  EXPECT_EQ(result.exit_code, 99) << result.err;
  EXPECT_THAT(steps(), ::testing::IsSubsetOf({4, 5}));
  EXPECT_THAT(result.err, HasSubstr("chosen part (frames = 4-5): 2 of 10 frames"));
  EXPECT_THAT(result.err, Not(HasSubstr("cannot present")));
}

// A correct program stays correct and silent, whenever checks are switched.
TEST_F(Switch, AtRandomMoments) {
  environment["VK_INSTANCE_LAYERS"] = validation;
  environment["SHADERQA_SWITCH_SIGNAL"] = "sigusr1";
  for (const auto& [style, start, seed] : {std::tuple{"once", "first_use", "1"},
                                           {"once", "background", "2"},
                                           {"each", "first_use", "3"},
                                           {"reuse", "first_use", "4"},
                                           {"reuse", "creation", "5"},
                                           {"ahead", "first_use", "6"},
                                           {"secondary", "first_use", "7"},
                                           {"secondary", "creation", "8"}}) {
    const Texts arguments{std::string("--style=") + style, "--submissions=40",
                          std::string("--toggle=") + seed};
    const ProcessResult result = run_part({"--start", start}, arguments);
    EXPECT_THAT(result.err, HasSubstr("no bug found")) << style << start;
    EXPECT_THAT(result.err, HasSubstr("chosen part: ")) << style << start;
    EXPECT_EQ(result.out, plain(arguments)) << style << start;
  }
}

// `shaderqa attach`, by the number of the process that the user started.
TEST_F(Switch, Attach) {
  const std::string ended = directory.file("ended");
  std::string started;
  for (const std::string& part : layered({"--after", "never"}, {"--until=" + ended, "--racy", "--pause=20"}))
    started += "'" + part + "' ";
  const std::string attach = std::string("'") + SHADERQA_BIN_DIR + "/shaderqa' attach $run ";
  const ProcessResult result = run(
      {"/bin/sh", "-c",
       "soon() { n=0; until \"$@\" || [ $n -ge 3000 ]; do sleep 0.1; n=$((n + 1)); done; }\n" +
           ("begun() { " + attach + "status 2>/dev/null | grep submissions; }\n") + started +
           "2>errors & run=$!\nsoon begun\n" + attach + "on\nsoon grep -q hazard '" + report + "'\n" +
           attach + "off\nsleep 0.2\n" + attach + "status\ntouch '" + ended + "'\nwait $run\necho code $?\n"},
      environment, directory.path());
  std::ifstream in(directory.file("errors"));
  const std::string errors((std::istreambuf_iterator<char>(in)), {});
  EXPECT_THAT(result.out, HasSubstr("checks are on (chosen part: after = never)"));
  EXPECT_THAT(result.out, HasSubstr("checks are off (chosen part: after = never)"));
  EXPECT_THAT(result.out, HasSubstr("outside of the chosen part"));
  EXPECT_THAT(result.out, HasSubstr("code 99")) << result.out << result.err << errors;
  EXPECT_FALSE(steps().empty());
  const std::regex part("([0-9]+) of ([0-9]+) submissions");
  std::smatch match;
  ASSERT_TRUE(std::regex_search(errors, match, part)) << errors;
  EXPECT_LT(std::stoi(match[1]), std::stoi(match[2])) << errors;
}

TEST_F(Switch, WithTheFilter) {
  engine = "bloom";
  environment["VKD3D_BLOOM_BUFFER_SIZE_LOG2"] = "22";
  const Texts arguments{"--submissions=12", "--racy"};
  const ProcessResult result = run_part({"--frames", "3,7-8"}, arguments);
  EXPECT_EQ(result.out, plain(arguments));
  EXPECT_THAT(steps(), ::testing::IsSubsetOf({3, 7, 8}));
  EXPECT_FALSE(steps().empty()) << result.err;
}

struct Part {
  const char* variable;
  const char* value;
  size_t first;  // of every fourth program
};

// The correct programs of the sync tests, with every other submission or action left out.
class SwitchedCases : public Sync, public ::testing::WithParamInterface<Part> {
 protected:
  SwitchedCases() { engine = "exact"; }
};

TEST_P(SwitchedCases, CorrectProgramsStaySilent) {
  std::vector<std::pair<const Case*, bool>> twins;
  size_t number = 0;
  for (const auto* cases : {&sync_cases::cases_with_a_race(), &sync_cases::correct_patterns()})
    for (const Case& test : *cases)
      if (number++ % 4 == GetParam().first) twins.emplace_back(&test, false);
  const Texts program = sync_program(twins);
  const Outcome plain = finish(run(program, environment, directory.path()));
  environment[GetParam().variable] = GetParam().value;
  const Outcome switched = run_layered(program);
  EXPECT_EQ(switched.process.exit_code, 0) << switched.process.err;
  for (const auto& finding : switched.findings) EXPECT_FALSE(is_check(finding)) << finding.dump(2);
  EXPECT_THAT(switched.process.err, HasSubstr("outside of the chosen part"));
  for (const auto& [test, racy] : twins) {
    const std::string name = std::string(test->name) + ":correct";
    EXPECT_NE(plain.value(name), "") << name;
    EXPECT_EQ(plain.value(name), switched.value(name)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Switch, SwitchedCases,
                         ::testing::Values(Part{"SHADERQA_FRAMES", "1,3,5,7,9,11,13,15,17,19-", 0},
                                           Part{"SHADERQA_FRAMES", "2,4,6,8,10,12,14,16,18", 1},
                                           Part{"SHADERQA_ACTIONS", "1,3,5,7,9,11,13,15,17,19", 2},
                                           Part{"SHADERQA_ACTIONS", "2,4,6,8,10,12,14,16-", 3}));

// Over seconds, what checks add stays within the share.
TEST_F(Switch, WithinABudget) {
  environment["VK_INSTANCE_LAYERS"] = validation;
  const Texts arguments{"--submissions=600", "--pause=5"};
  const ProcessResult result = run_part({"--budget", "20%"}, arguments);
  EXPECT_EQ(result.out, plain(arguments));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("chosen part (budget = 20%): "));
  EXPECT_THAT(result.err, Not(HasSubstr("600 of 600 submissions"))) << "not everything";
  EXPECT_THAT(
      result.err,
      HasSubstr("the chosen part has 1 of 1 shader that draws and dispatches used, and 2 of 2 buffers"));
}

}  // namespace
}  // namespace shaderqa::testing
