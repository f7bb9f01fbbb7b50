// SPDX-License-Identifier: Apache-2.0
// Which draws and dispatches are traced, and whether a trace names the one that it comes from.
#include "trace_builder.h"
#include "trace_program.h"

namespace shaderqa::testing {
namespace {

TracedSubmission submission(uint64_t frame, uint32_t claimed, std::vector<TracedAction> actions) {
  TracedSubmission made;
  made.frame = frame;
  made.claimed = claimed;
  made.actions = std::move(actions);
  return made;
}

TEST(TracedActions, OneIsNamedSeveralAreCountedAndDoubtIsSilence) {
  TracedActions actions;
  actions.submissions.push_back(
      submission(1, 0, {{2, "draw", {"frame", "blur"}, {7, 8}}, {3, "draw", {}, {9}}}));
  EXPECT_EQ(describe_action(actions, 0, 8),
            "action 2 of its command buffer (draw), within frame > blur, frame 1");
  EXPECT_EQ(describe_action(actions, 0, 9), "action 3 of its command buffer (draw), frame 1");
  EXPECT_EQ(describe_action(actions, 0, 10), "");
  // When this one began, the first two segments were in use.
  actions.submissions.push_back(submission(2, 2, {{1, "dispatch", {}, {9}}}));
  EXPECT_EQ(describe_action(actions, 1, 9), "action 3 of its command buffer (draw), frame 1");
  EXPECT_EQ(
      describe_action(actions, 2, 9),
      "one of 2 actions: action 3 of its command buffer (draw), frame 1; action 1 of its command buffer "
      "(dispatch), frame 2");
  actions.submissions.back().actions.resize(4, {1, "dispatch", {}, {9}});
  EXPECT_EQ(describe_action(actions, 2, 9), "one of 5 actions");
  actions.submissions.front().command_buffer = "post";
  EXPECT_EQ(describe_action(actions, 0, 9), "action 3 of command buffer \"post\" (draw), frame 1");
  actions.unlisted = {9};
  EXPECT_EQ(describe_action(actions, 0, 9), "");
  EXPECT_NE(describe_action(actions, 0, 8), "");
  actions.unlisted = {0};
  EXPECT_EQ(describe_action(actions, 0, 8), "");
}

TEST(TracedActions, AreReadAsWrittenAndDamageIsRefused) {
  TracedSubmission made =
      submission(5, 3, {{2, "draw", {"a", ""}, {7, uint64_t{1} << 40}}, {9, "trace", {}, {}}});
  made.command_buffer = "name";
  const std::string bytes = to_bytes(made);
  const auto read = submission_of(std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(read);
  EXPECT_EQ(to_bytes(*read), bytes);
  EXPECT_EQ(read->actions[0].labels, (std::vector<std::string>{"a", ""}));
  EXPECT_EQ(read->actions[0].shaders[1], uint64_t{1} << 40);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(submission_of(std::as_bytes(std::span(bytes).first(size)))) << size;
  const std::string longer = bytes + "x";
  EXPECT_FALSE(submission_of(std::as_bytes(std::span(longer))));
}

// The list of actions at the end of a file that is cut short may lack the one in question.
TEST(TracedActions, ACutTraceNamesNone) {
  const std::string whole = small_trace_with_action();
  for (const bool cut : {false, true}) {
    const std::string bytes = whole.substr(0, whole.size() - (cut ? 1 : 0));
    TraceContents contents;
    std::string error;
    ASSERT_TRUE(read_trace(std::as_bytes(std::span(bytes)), contents, error)) << error;
    EXPECT_EQ(contents.notes.size(), cut ? 1u : 0u);
    const Debugger debugger(std::move(contents));
    EXPECT_EQ(
        debugger.greeting().find("action 1 of its command buffer (dispatch), frame 1") == std::string::npos,
        cut);
  }
}

// Two dispatches of one shader in each submission, under the labels "step N" > "there" and "back"; the push
// constant `step` says in the trace which submission's labels hold.
class TraceActions : public TraceProgram {
 protected:
  Texts program(const Texts& arguments) {
    Texts program{SHADERQA_BIN_DIR "/e2e_switch_runner",
                  compile_glsl(directory.path(), "switched", "comp", R"(
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint step; };
layout(set = 0, binding = 0) buffer From { uint from[]; };
layout(set = 0, binding = 1) buffer To { uint to[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  to[i] = from[(i + 1u) % from.length()] * 3u + step;
})",
                               {"-g"})};
    program.insert(program.end(), arguments.begin(), arguments.end());
    return with_test_loader(program);
  }
  // The title of the first invocation, and its `step`.
  std::string traced(const Texts& options, const Texts& arguments) {
    Texts all{"--at", "compute:GlobalInvocationID=5,0,0"};
    all.insert(all.end(), options.begin(), options.end());
    process = trace_program(all, program(arguments));
    EXPECT_EQ(process.exit_code, 0) << process.err;
    EXPECT_EQ(process.out, run(program(arguments), environment, directory.path()).out);
    if (process.err.find("no invocation matched") != std::string::npos) return "nothing";
    Debugger debugger = replay();
    const std::string greeting = debugger.greeting();
    const size_t begin = greeting.find("match 1, ");
    EXPECT_NE(begin, std::string::npos) << greeting;
    const std::string title = greeting.substr(begin, greeting.find(" instructions") - begin);
    debugger.command("continue");
    return title + " | " + debugger.command("print step").text;
  }
  ProcessResult process;
};

TEST_F(TraceActions, ByNumberLabelAndFrame) {
  for (const char* style : {"once", "each"}) {
    const Texts arguments{std::string("--style=") + style, "--submissions=8"};
    EXPECT_THAT(traced({"--action", "2", "--frame", "3"}, arguments),
                AllOf(HasSubstr("action 2 of its command buffer (dispatch), within step 3 > back, frame 3"),
                      HasSubstr("| step = 3")))
        << style;
    EXPECT_THAT(traced({"--within", "step 4/there"}, arguments),
                AllOf(HasSubstr("action 1 of its command buffer (dispatch), within step 4 > there, frame 4"),
                      HasSubstr("| step = 4")))
        << style;
    EXPECT_THAT(process.err, HasSubstr("records, action 1 of its command buffer")) << process.err;
  }
}

TEST_F(TraceActions, InSecondaryAndReusedCommandBuffers) {
  EXPECT_THAT(traced({"--within", "back"}, {"--style=secondary"}),
              AllOf(HasSubstr("action 2 of its command buffer (dispatch), within step 1 > back, frame 1"),
                    HasSubstr("| step = 1")));
  EXPECT_THAT(traced({"--action", "2", "--within", "step 2"}, {"--style=reuse"}),
              AllOf(HasSubstr("within step 2 > back, frame 2"), HasSubstr("| step = 2")));
  // It was recorded before the chosen frame, so its own pipelines run.
  EXPECT_EQ(traced({"--frame", "5"}, {"--style=reuse"}), "nothing");
  EXPECT_THAT(process.err, HasSubstr("no invocation matched compute:GlobalInvocationID=5,0,0 in frames 5"));
}

TEST_F(TraceActions, WithoutAChoiceAllCandidatesAreNamed) {
  const std::string text = traced({}, {"--style=once"});
  EXPECT_THAT(text,
              HasSubstr("one of 2 actions: action 1 of its command buffer (dispatch), within step 1 > there, "
                        "frame 1; action 2 of its command buffer (dispatch), within step 1 > back, frame 1"));
}

TEST_F(TraceActions, WithAnEngineTheNumbersAndTheChoiceAreTheSame) {
  for (const char* sync : {"exact", "bloom"}) {
    environment["SHADERQA_SYNC"] = sync;
    EXPECT_THAT(traced({"--action", "2", "--frame", "3"}, {"--style=once"}),
                AllOf(HasSubstr("action 2 of its command buffer (dispatch), within step 3 > back, frame 3"),
                      HasSubstr("| step = 3")))
        << sync;
    // Its submission could leave out accesses, not the trace.
    EXPECT_EQ(traced({"--frame", "5"}, {"--style=reuse"}), "nothing") << sync;
  }
}

// A pipeline with one version runs its code in every action: a trace of another one would be a lie.
TEST_F(TraceActions, PipelinesWithOneVersionAreTracedOnlyWithoutAChoice) {
  environment["SHADERQA_START"] = "creation";
  EXPECT_EQ(traced({"--action", "2"}, {"--style=once"}), "nothing");
  EXPECT_THAT(process.err, HasSubstr("is not traced: its pipeline has one version alone"));
  const std::string text = traced({}, {"--style=once"});
  EXPECT_THAT(text, HasSubstr("| step = 1"));
  EXPECT_THAT(text, Not(HasSubstr("action")));
}

TEST_F(TraceActions, AChoiceThatIsNoneStartsNothing) {
  for (const Texts& options : {Texts{"--action", "x"}, Texts{"--frame", "0"}, Texts{"--within", "a//b"}}) {
    Texts all{"--at", "compute:GlobalInvocationID=5,0,0"};
    all.insert(all.end(), options.begin(), options.end());
    const ProcessResult refused = trace_program(all, program({}));
    EXPECT_EQ(refused.exit_code, 2) << options[0];
    EXPECT_THAT(refused.err, HasSubstr(options[0])) << refused.err;
  }
}

}  // namespace
}  // namespace shaderqa::testing
