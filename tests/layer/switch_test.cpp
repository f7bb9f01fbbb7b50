// SPDX-License-Identifier: Apache-2.0
// A part of a run is checked: what command buffers and submissions become outside of it and in it.
#include <unistd.h>

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
  explicit Switched(std::map<std::string, std::string> settings = {}, const char* engine = "exact")
      : CommandTest({}, {}, engine, with_start(std::move(settings))) {}

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

}  // namespace
}  // namespace shaderqa::layer_tests
