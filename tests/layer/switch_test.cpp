// SPDX-License-Identifier: Apache-2.0
// A part of a run is checked: what command buffers and submissions become outside of it and in it.
#include <unistd.h>

#include <csignal>
#include <random>

#include "host/switch/control_page.h"
#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_submission.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

constexpr VkCommandBufferUsageFlags kOnce = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;

class Switched : public CommandTest {
 protected:
  explicit Switched(std::map<std::string, std::string> settings = {}, const char* engine = "exact",
                    const InstanceOptions& instance_options = {})
      : CommandTest({}, {}, engine, with_start(std::move(settings)), instance_options) {}

  static std::map<std::string, std::string> with_start(std::map<std::string, std::string> settings) {
    settings.emplace("SHADERQA_START", "first_use");
    return settings;
  }
  // As `shaderqa attach` does.
  static void switch_checks(bool on) {
    std::string problem;
    AttachedProcess self = AttachedProcess::find(static_cast<uint32_t>(getpid()), problem);
    ASSERT_TRUE(self) << problem;
    self.ask(on);
  }
  VkCommandBuffer recorded(VkCommandBufferUsageFlags flags) {
    const VkCommandBuffer commands = begin(VK_COMMAND_BUFFER_LEVEL_PRIMARY, flags);
    bind(commands);
    dispatch(commands);
    shader_barrier(commands);
    dispatch(commands);
    end(commands);
    return commands;
  }
  static uint32_t first_sequence(size_t record) {
    return reinterpret_cast<const abi::SubmissionState*>(
               address_at(records().at(record), SQA_ACTION_SUBMISSION))
        ->first_sequence;
  }
  static inline const Stream kOwn{"CmdBindPipeline", "CmdBindDescriptorSets", "CmdDispatch",
                                  "CmdPipelineBarrier", "CmdDispatch"};
};

class SwitchedOff : public Switched {
 protected:
  SwitchedOff() : Switched({{"SHADERQA_AFTER", "never"}}) {}
};

// Nothing of the layer's reaches the driver.
TEST_F(SwitchedOff, TheProgramRunsAlone) {
  const size_t pipelines = driver().log().pipelines.size();
  const VkCommandBuffer commands = recorded(kOnce);
  EXPECT_EQ(stream_of(commands), with_ends(kOwn));
  submit({commands});
  EXPECT_EQ(last_batch({commands}), Stream{"0"});
  EXPECT_EQ(records().size(), 0u);
  EXPECT_GE(driver().log().pipelines.size(), pipelines);
}

TEST_F(SwitchedOff, OnInTheMiddleAndOffAgain) {
  submit({recorded(kOnce)});
  switch_checks(true);
  const VkCommandBuffer checked = recorded(kOnce);
  EXPECT_EQ(stream_of(checked), joined({kBound, kAction, {"CmdPipelineBarrier"}, kAction}));
  submit({checked});
  EXPECT_NE(first_sequence(0), 0u);
  switch_checks(false);
  const VkCommandBuffer own = recorded(kOnce);
  EXPECT_EQ(stream_of(own), with_ends(kOwn));
  submit({own});
  EXPECT_EQ(last_batch({own}), Stream{"0"});
}

// It may be submitted again when checks are on: it has them, and its shaders find at once that they are off.
TEST_F(SwitchedOff, WhatMayBeUsedAgainIsRecordedWithChecks) {
  const VkCommandBuffer commands = recorded(0);
  EXPECT_EQ(records().size(), 2u);
  submit({commands});
  EXPECT_EQ(first_sequence(0), 0u);
  EXPECT_EQ(last_batch({commands}), Stream{"0"}) << "nothing is cleared";
  switch_checks(true);
  submit({commands});
  EXPECT_NE(first_sequence(0), 0u);
  switch_checks(false);
  submit({commands});
  EXPECT_EQ(first_sequence(0), 0u);
}

TEST_F(SwitchedOff, APendingSubmissionKeepsWhatItWasTold) {
  const VkCommandBuffer commands = recorded(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
  switch_checks(true);
  submit({commands});
  const uint32_t told = first_sequence(0);
  EXPECT_NE(told, 0u);
  switch_checks(false);
  submit({commands});
  EXPECT_EQ(first_sequence(0), told) << "the device writes it, behind the first submission";
  EXPECT_EQ(last_batch({commands}).size(), 2u);
}

// A program that records each command buffer for one submission, without saying so.
TEST_F(SwitchedOff, WhatIsRecordedAnewEachTimeIsLearnt) {
  const VkCommandBuffer commands = recorded(0);
  submit({commands});
  begin(commands);
  bind(commands);
  dispatch(commands);
  end(commands);
  const Stream all = stream_of(commands);
  EXPECT_EQ(all.back() == "EndCommandBuffer" || all.back() == "CmdDispatch", true);
  EXPECT_EQ(records().size(), 2u) << "no new record";
  EXPECT_EQ(recorded(0) != VK_NULL_HANDLE, true);
  EXPECT_EQ(records().size(), 2u) << "nor in another one of its pool";
}

// A program may keep one command buffer for ever, and never use the others of the same pool again.
TEST_F(SwitchedOff, OneThatIsUsedAgainDoesNotSpeakForItsPool) {
  const VkCommandBuffer kept = recorded(0);
  for (int i = 0; i < 3; ++i) submit({kept});
  for (int i = 0; i < 7; ++i) submit({recorded(0)});
  const size_t before = records().size();
  submit({recorded(0)});
  EXPECT_EQ(records().size(), before);
  // Two more like the first one, of eleven.
  for (const VkCommandBuffer commands : {recorded(0), recorded(0)}) {
    for (int i = 0; i < 2; ++i) submit({commands});
  }
  recorded(0);
  EXPECT_GT(records().size(), before) << "a quarter of them is used again";
}

// What ran while checks were off may have ordered anything.
TEST_F(SwitchedOff, EarlierActionsAreOrderedWhenChecksBeginAgain) {
  switch_checks(true);
  const VkCommandBuffer earlier = recorded(kOnce);
  submit({earlier});
  switch_checks(false);
  submit({recorded(kOnce)});
  switch_checks(true);
  const VkCommandBuffer later = recorded(kOnce);
  submit({later});
  const auto& state =
      *reinterpret_cast<const abi::SubmissionState*>(address_at(records().at(2), SQA_ACTION_SUBMISSION));
  EXPECT_EQ(state.ordered_before[SQA_CLASS_COMPUTE] + 1, state.first_sequence);
}

class SwitchedSubmissions : public Switched {
 protected:
  SwitchedSubmissions() : Switched({{"SHADERQA_FRAMES", "2"}}) {}
};

TEST_F(SwitchedSubmissions, ChecksAreOnForOne) {
  const VkCommandBuffer commands = recorded(0);
  std::vector<bool> checked;
  for (int i = 0; i < 3; ++i) {
    submit({commands});
    checked.push_back(first_sequence(0) != 0);
  }
  EXPECT_EQ(checked, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(notes_about("cannot present").size(), 1u);
}

class SwitchedActions : public Switched {
 protected:
  SwitchedActions() : Switched({{"SHADERQA_ACTIONS", "2"}}) {}
};

// The version of the pipeline that each action needs is bound in front of it.
TEST_F(SwitchedActions, OthersHaveTheProgramsPipeline) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  for (int i = 0; i < 3; ++i) dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({kBound,
                                         {"CmdBindPipeline", "CmdDispatch", "CmdBindPipeline"},
                                         kAction,
                                         {"CmdBindPipeline", "CmdDispatch"}}));
  EXPECT_EQ(records().size(), 1u);
}

// Within labels of the command buffer, of the queue, or both.
class SwitchedWithin : public Switched {
 protected:
  SwitchedWithin() : Switched({{"SHADERQA_WITHIN", "frame/shadow*"}}, "exact", kLabels) {}
  static inline const InstanceOptions kLabels{VK_API_VERSION_1_3, true, {"VK_EXT_debug_utils"}, nullptr};

  static VkDebugUtilsLabelEXT label(const char* name) {
    VkDebugUtilsLabelEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
    info.pLabelName = name;
    return info;
  }
  static void begin_label(VkCommandBuffer commands, const char* name) {
    const VkDebugUtilsLabelEXT info = label(name);
    vkCmdBeginDebugUtilsLabelEXT(commands, &info);
  }
  // Whether each dispatch has a record of its own: the others have the program's pipeline.
  static std::vector<bool> checked(VkCommandBuffer commands) {
    std::vector<bool> all;
    std::string before;
    for (const std::string& command : stream_of(commands)) {
      if (command == "CmdDispatch") all.push_back(before == "bind record");
      before = command;
    }
    return all;
  }
  using Which = std::vector<bool>;
};

TEST_F(SwitchedWithin, OnlyActionsWithinTheLabelsAreChecked) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  begin_label(commands, "frame");
  dispatch(commands);
  begin_label(commands, "shadow 1");
  dispatch(commands);
  begin_label(commands, "cascade");
  dispatch(commands);
  vkCmdEndDebugUtilsLabelEXT(commands);
  dispatch(commands);
  vkCmdEndDebugUtilsLabelEXT(commands);
  dispatch(commands);
  begin_label(commands, "light");
  dispatch(commands);
  end(commands);
  EXPECT_EQ(checked(commands), (Which{false, false, true, true, true, false, false}));
}

TEST_F(SwitchedWithin, TheOrderOfLabelsCounts) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  begin_label(commands, "shadow 1");
  dispatch(commands);
  begin_label(commands, "frame");
  dispatch(commands);
  begin_label(commands, "shadow 2");
  dispatch(commands);
  end(commands);
  EXPECT_EQ(checked(commands), (Which{false, false, true}));
}

// The labels that a queue had when the command buffer was recorded count, if it has them at the submission.
TEST_F(SwitchedWithin, LabelsOfTheQueueCount) {
  const VkDebugUtilsLabelEXT frame = label("frame");
  const auto record = [&] {
    const VkCommandBuffer commands = begin();
    bind(commands);
    begin_label(commands, "shadow 1");
    dispatch(commands);
    end(commands);
    return commands;
  };
  EXPECT_EQ(checked(record()), Which{false});
  vkQueueBeginDebugUtilsLabelEXT(device().queue, &frame);
  const VkCommandBuffer commands = record();
  EXPECT_EQ(checked(commands), Which{true});
  submit({commands});
  EXPECT_NE(first_sequence(0), 0u);
  vkQueueEndDebugUtilsLabelEXT(device().queue);
  submit({commands});
  EXPECT_EQ(first_sequence(0), 0u) << "the queue has no such label any more";
}

class SwitchedFilter : public Switched {
 protected:
  SwitchedFilter() : Switched({{"SHADERQA_AFTER", "never"}}, "bloom") {}
};

TEST_F(SwitchedFilter, TheProgramRunsAlone) {
  const VkCommandBuffer commands = recorded(0);
  EXPECT_EQ(stream_of(commands), with_ends(kOwn));
  submit({commands});
  EXPECT_EQ(last_batch({commands}), Stream{"0"});
  switch_checks(true);
  const VkCommandBuffer checked = recorded(0);
  submit({checked});
  EXPECT_EQ(last_batch({checked}), (Stream{"clear", "0"})) << "what was marked before does not count";
}

// Pipelines with one version alone: their actions get the record that checks nothing.
class SwitchedAtCreation : public Switched {
 protected:
  SwitchedAtCreation() : Switched({{"SHADERQA_AFTER", "never"}, {"SHADERQA_START", "creation"}}) {}
};

TEST_F(SwitchedAtCreation, ActionsGetTheBlankRecord) {
  const VkCommandBuffer commands = recorded(kOnce);
  EXPECT_EQ(
      stream_of(commands),
      joined({kBound, {"bind record", "CmdDispatch", "CmdPipelineBarrier", "bind record", "CmdDispatch"}}));
  EXPECT_EQ(records().size(), 0u) << "of their own";
  submit({commands});
  EXPECT_EQ(last_batch({commands}), Stream{"0"});
}

// Random switching, recording and submitting: the driver finds nothing wrong, and a submission is checked
// exactly if checks were on when it was recorded and submitted.
TEST_F(SwitchedOff, AtRandomMoments) {
  std::mt19937 random(11);
  bool on = false;
  std::vector<VkCommandBuffer> kept;
  for (int i = 0; i < 200; ++i) {
    if (random() % 3 == 0) switch_checks(on = !on);
    if (kept.size() < 4 || random() % 2 == 0) {
      if (kept.size() >= 8) {
        vk().vkQueueWaitIdle(program_->device.queue);
        kept.erase(kept.begin());
      }
      kept.push_back(recorded(random() % 2 ? kOnce : 0));
    }
    const VkCommandBuffer commands = kept[random() % kept.size()];
    vk().vkQueueWaitIdle(program_->device.queue);
    submit({commands});
    if (!on) {
      for (const uint32_t* record : records()) {
        const auto& state =
            *reinterpret_cast<const abi::SubmissionState*>(address_at(record, SQA_ACTION_SUBMISSION));
        EXPECT_TRUE(state.first_sequence == 0 || state.serial != driver().log().batches.size());
      }
    }
  }
}

class SwitchedBySignal : public Switched {
 protected:
  SwitchedBySignal() : Switched({{"SHADERQA_AFTER", "never"}, {"SHADERQA_SWITCH_SIGNAL", "sigusr2"}}) {}
};

TEST_F(SwitchedBySignal, EachTogglesChecks) {
  for (const bool on : {true, false, true}) {
    ASSERT_EQ(raise(SIGUSR2), 0);
    const VkCommandBuffer commands = recorded(kOnce);
    EXPECT_EQ(stream_of(commands),
              on ? joined({kBound, kAction, {"CmdPipelineBarrier"}, kAction}) : with_ends(kOwn));
    submit({commands});
  }
  raise(SIGUSR2);
  raise(SIGUSR2);
  EXPECT_EQ(stream_of(recorded(kOnce)), joined({kBound, kAction, {"CmdPipelineBarrier"}, kAction}))
      << "two at once change nothing";
}

// A signal that the program handles itself stays the program's.
class SwitchedBySignalOfTheProgram : public Switched {
 protected:
  static std::map<std::string, std::string> handled() {
    std::signal(SIGUSR1, [](int) { handled_ = handled_ + 1; });
    return {{"SHADERQA_AFTER", "never"}, {"SHADERQA_SWITCH_SIGNAL", "sigusr1"}};
  }
  SwitchedBySignalOfTheProgram() : Switched(handled()) {}
  void TearDown() override {
    Switched::TearDown();
    std::signal(SIGUSR1, SIG_DFL);
  }
  static inline volatile std::sig_atomic_t handled_ = 0;
};

TEST_F(SwitchedBySignalOfTheProgram, SwitchesNothing) {
  EXPECT_EQ(notes_about("sigusr1 switches no checks: the program handles this signal itself").size(), 1u);
  raise(SIGUSR1);
  EXPECT_EQ(handled_, 1);
  EXPECT_EQ(stream_of(recorded(kOnce)), with_ends(kOwn));
}

}  // namespace
}  // namespace shaderqa::layer_tests
