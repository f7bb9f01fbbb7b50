// SPDX-License-Identifier: Apache-2.0
// How the list of redundant barriers names a barrier, and what it says of all of them. Nothing runs here, so
// that nothing is noted: every barrier that is judged is listed.
#include <algorithm>
#include <string>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_footprints.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

using Texts = std::vector<std::string>;

constexpr VkAccessFlags kWrite = VK_ACCESS_SHADER_WRITE_BIT, kRead = VK_ACCESS_SHADER_READ_BIT;

class RedundantTexts : public CommandTest {
 protected:
  RedundantTexts()
      : CommandTest({}, {}, "exact", {{"SHADERQA_SYNC_REDUNDANT", "1"}},
                    {VK_API_VERSION_1_3, true, {"VK_EXT_debug_utils"}}) {}

  void name(VkObjectType type, uint64_t handle, const char* text) const {
    VkDebugUtilsObjectNameInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
    info.objectType = type;
    info.objectHandle = handle;
    info.pObjectName = text;
    check(vkSetDebugUtilsObjectNameEXT(device().handle, &info), "vkSetDebugUtilsObjectNameEXT");
  }
  static void label(VkCommandBuffer commands, const char* text) {
    VkDebugUtilsLabelEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
    info.pLabelName = text;
    vkCmdBeginDebugUtilsLabelEXT(commands, &info);
  }
  void wait() const { check(vk().vkDeviceWaitIdle(device().handle), "vkDeviceWaitIdle"); }

  // At the end of the device, when the list is written.
  void TearDown() override {
    CommandTest::TearDown();
    Texts texts = reported("redundant");
    std::ranges::sort(texts);
    EXPECT_EQ(texts, listed_);
    const Texts notes = notes_about("barriers that were judged");
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_NE(notes[0].find(summary_), std::string::npos) << notes[0];
  }

  Texts listed_;
  std::string summary_;
};

const std::string kNothing = ", ordered no conflicting accesses";
const std::string kShaders =
    "vkCmdPipelineBarrier (COMPUTE_SHADER, SHADER_WRITE -> COMPUTE_SHADER, SHADER_READ)";

TEST_F(RedundantTexts, TellWhereABarrierStands) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  shader_barrier(commands);
  dispatch(commands);
  shader_barrier(commands);
  shader_barrier(commands);
  vk().vkCmdDispatch(commands, 2, 3, 4);
  shader_barrier(commands);
  end(commands);
  const VkCommandBuffer empty = begin();
  shader_barrier(empty);
  end(empty);
  submit({commands, empty});
  wait();
  submit({commands});
  wait();
  const std::string between =
      kShaders + " between action 1, vkCmdDispatch(1, 1, 1) and action 2, vkCmdDispatch(2, 3, 4)";
  listed_ = {kShaders + " before action 1, vkCmdDispatch(1, 1, 1), passed 2 times" + kNothing,
             kShaders + " behind action 2, vkCmdDispatch(2, 3, 4), passed 2 times" + kNothing,
             between + " (number 2 there), passed 2 times" + kNothing,
             between + ", passed 2 times" + kNothing,
             kShaders + " without actions around it, passed once" + kNothing};
  std::ranges::sort(listed_);
  summary_ = "5 of 5 barriers that were judged ordered no conflicting accesses in this run";
}

TEST_F(RedundantTexts, TellWhatABarrierNames) {
  const BoundBuffer named(device(), 256), nameless(device(), 256);
  name(VK_OBJECT_TYPE_BUFFER, reinterpret_cast<uint64_t>(named.handle), "particles");
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  vk().vkCmdPipelineBarrier(commands, kComputeStage, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0,
                            nullptr, 0, nullptr);
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.dstAccessMask = kRead;
  VkBufferMemoryBarrier ranges[2]{};
  for (VkBufferMemoryBarrier& range : ranges) {
    range.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
    range.srcAccessMask = kWrite;
    range.dstAccessMask = kRead;
    range.srcQueueFamilyIndex = range.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  }
  ranges[0].buffer = named.handle;
  ranges[0].offset = 64;
  ranges[0].size = 32;
  ranges[1].buffer = nameless.handle;
  ranges[1].size = VK_WHOLE_SIZE;
  vk().vkCmdPipelineBarrier(commands, kComputeStage, kComputeStage, 0, 1, &memory, 2, ranges, 0, nullptr);
  end(commands);
  submit({commands});
  wait();
  const std::string where = " behind action 1, vkCmdDispatch(1, 1, 1), passed once" + kNothing;
  const std::string written = "COMPUTE_SHADER, SHADER_WRITE -> COMPUTE_SHADER, SHADER_READ";
  listed_ = {"vkCmdPipelineBarrier (COMPUTE_SHADER -> ALL_TRANSFER)" + where,
             "vkCmdPipelineBarrier (COMPUTE_SHADER -> COMPUTE_SHADER, SHADER_READ; " + written +
                 ", of buffer \"particles\", bytes 64 to 96; " + written +
                 ", of one buffer, bytes 0 to 256)" + where};
  summary_ = "2 of 2 barriers";
}

TEST_F(RedundantTexts, TellLabelsAndTheCommandBuffer) {
  const VkCommandBuffer commands = allocate();
  name(VK_OBJECT_TYPE_COMMAND_BUFFER, reinterpret_cast<uint64_t>(commands), "main");
  CommandTest::begin(commands);
  label(commands, "frame");
  shader_barrier(commands);
  label(commands, "shadows");
  shader_barrier(commands);
  bind(commands);
  dispatch(commands);
  end(commands);
  submit({commands});
  wait();
  const std::string where = kShaders + " before action 1, vkCmdDispatch(1, 1, 1), in frame";
  const std::string end = ", of command buffer main, passed once" + kNothing;
  listed_ = {where + " > shadows" + end, where + end};
  summary_ = "2 of 2 barriers";
}

TEST_F(RedundantTexts, BarriersOfASecondaryPassWhereItIsExecuted) {
  const VkCommandBuffer secondary = begin(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  shader_barrier(secondary);
  end(secondary);
  const VkCommandBuffer primary = begin();
  vk().vkCmdExecuteCommands(primary, 1, &secondary);
  end(primary);
  submit({primary});
  wait();
  listed_ = {kShaders + " without actions around it, passed once" + kNothing};
  summary_ = "1 of 1 barriers";
}

// Each kind of barrier that is not judged, by both generations of the command.
TEST_F(RedundantTexts, TellWhyABarrierIsNotJudged) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  VkImageMemoryBarrier image{};
  image.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  VkBufferMemoryBarrier range{};
  range.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
  range.srcAccessMask = kWrite;
  range.dstAccessMask = kRead;
  range.dstQueueFamilyIndex = 1;
  range.buffer = buffer_->handle;
  range.size = VK_WHOLE_SIZE;
  vk().vkCmdPipelineBarrier(commands, kComputeStage, kComputeStage, 0, 0, nullptr, 0, nullptr, 1, &image);
  vk().vkCmdPipelineBarrier(commands, kComputeStage, kComputeStage, 0, 0, nullptr, 1, &range, 0, nullptr);
  barrier(commands, kComputeStage, kWrite, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  barrier(commands, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_WRITE_BIT, kComputeStage, kRead);
  VkBaseInStructure unknown{static_cast<VkStructureType>(0x7ffffff0), nullptr};
  VkMemoryBarrier extended{};
  extended.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  extended.pNext = &unknown;
  vk().vkCmdPipelineBarrier(commands, kComputeStage, kComputeStage, 0, 1, &extended, 0, nullptr, 0, nullptr);

  VkImageMemoryBarrier2 newer_image{};
  newer_image.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2;
  newer_image.srcStageMask = newer_image.dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
  VkDependencyInfo newer{};
  newer.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  newer.imageMemoryBarrierCount = 1;
  newer.pImageMemoryBarriers = &newer_image;
  vk().vkCmdPipelineBarrier2(commands, &newer);
  end(commands);
  submit({commands});
  wait();
  listed_ = {};
  summary_ =
      "0 of 0 barriers that were judged ordered no conflicting accesses in this run; 1 not judged: it hands "
      "a "
      "buffer over to another queue family; 2 not judged: it has image memory barriers; 2 not judged: it "
      "orders accesses of the host; 1 not judged: it says more than the layer understands";
}

// With what shaders note of their accesses.
class RedundantNotes : public RedundantTexts {
 protected:
  static abi::Footprints& notes_of_shaders() {
    const auto& engine =
        *reinterpret_cast<const abi::ExactState*>(address_at(records().at(0), SQA_ACTION_ENGINE));
    return *reinterpret_cast<abi::Footprints*>(engine.footprints_address);
  }
  static void note(uint32_t slot, uint64_t address, uint64_t how, uint64_t sequence) {
    note_part(slot, address >> SQA_FOOTPRINT_LOG2, how, sequence);
    const uint64_t word = (address & ((1u << SQA_FOOTPRINT_LOG2) - 1)) / 4;
    notes_of_shaders().words[slot][word / 32] |= 1u << word % 32;
  }
  static void note_part(uint32_t slot, uint64_t part, uint64_t how, uint64_t sequence) {
    abi::Footprints& notes = notes_of_shaders();
    notes.used[notes.count++] = slot;
    notes.keys[slot] = part | how << 45 | sequence << 49;
  }
  // Two dispatches with a barrier between them.
  VkCommandBuffer two_dispatches() {
    const VkCommandBuffer commands = begin();
    bind(commands);
    dispatch(commands);
    shader_barrier(commands);
    dispatch(commands);
    end(commands);
    return commands;
  }
  static constexpr uint64_t kNowhere = SQA_FOOTPRINT_NOWHERE_LOW | uint64_t{SQA_FOOTPRINT_NOWHERE_HIGH} << 32;
  static inline const std::string kBetween =
      kShaders + " between action 1, vkCmdDispatch(1, 1, 1) and action 2, vkCmdDispatch(1, 1, 1), passed ";
};

TEST_F(RedundantNotes, ABarrierBetweenAWriteAndAReadOfOneWordIsNeeded) {
  submit({two_dispatches()});
  note(7, buffer_->address + 8, SQA_FOOTPRINT_READ, 2);
  note(3, buffer_->address + 8, SQA_FOOTPRINT_WRITE, 1);
  wait();
  summary_ = "0 of 1 barriers";
}

TEST_F(RedundantNotes, BetweenReadsOrOfOtherWordsItIsNot) {
  submit({two_dispatches()});
  note(3, buffer_->address + 8, SQA_FOOTPRINT_WRITE, 1);
  note(4, buffer_->address + 12, SQA_FOOTPRINT_READ, 1);
  note(5, buffer_->address + 12, SQA_FOOTPRINT_READ, 2);
  note(6, buffer_->address + 8 + (1u << SQA_FOOTPRINT_LOG2), SQA_FOOTPRINT_READ, 2);
  wait();
  listed_ = {kBetween + "once" + kNothing};
  summary_ = "1 of 1 barriers";
}

// With the next submission, before shaders write more.
TEST_F(RedundantNotes, AreTakenOnceAllIsDone) {
  const VkCommandBuffer commands = two_dispatches();
  submit({commands});
  note(3, buffer_->address, SQA_FOOTPRINT_WRITE, 1);
  note(SQA_FOOTPRINT_SLOTS - 1, buffer_->address, SQA_FOOTPRINT_READ, 1);
  wait();
  submit({commands});
  const abi::Footprints& notes = notes_of_shaders();
  EXPECT_EQ(notes.count, 0u);
  for (const uint32_t slot : {3u, SQA_FOOTPRINT_SLOTS - 1u}) {
    EXPECT_EQ(notes.keys[slot], 0u);
    for (const uint32_t word : notes.words[slot]) EXPECT_EQ(word, 0u);
  }
  note(3, buffer_->address, SQA_FOOTPRINT_READ, 4);
  wait();
  listed_ = {kBetween + "2 times" + kNothing};
  summary_ = "1 of 1 barriers";
}

TEST_F(RedundantNotes, WithoutAPlaceNothingIsJudged) {
  submit({two_dispatches()});
  note_part(3, kNowhere, SQA_FOOTPRINT_PART, 1);
  wait();
  summary_ =
      "0 of 0 barriers that were judged ordered no conflicting accesses in this run; 1 not judged: some "
      "shaders accessed memory through descriptors that are not followed";
}

TEST_F(RedundantNotes, OfANumberThatNobodyHasJudgeNothing) {
  submit({two_dispatches()});
  note(3, buffer_->address, SQA_FOOTPRINT_WRITE, 700);
  wait();
  summary_ =
      "0 of 0 barriers that were judged ordered no conflicting accesses in this run; 1 not judged: some "
      "shaders accessed memory through descriptors that are not followed";
}

TEST_F(RedundantNotes, ThatHadNoRoomJudgeNothing) {
  submit({two_dispatches()});
  notes_of_shaders().lost = 1;
  wait();
  submit({two_dispatches()});
  EXPECT_EQ(notes_of_shaders().lost, 0u);
  wait();
  summary_ =
      "0 of 0 barriers that were judged ordered no conflicting accesses in this run; 1 not judged: more "
      "was accessed than there is room to note";
}

// What the layer enters for a command is in the notes as what shaders access is.
TEST_F(RedundantNotes, OfCommandsAreTakenToo) {
  const auto fill_and_read = [&] {
    const VkCommandBuffer commands = begin();
    bind(commands);
    vk().vkCmdFillBuffer(commands, buffer_->handle, 0, 64, 1);
    barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, kComputeStage, kRead);
    dispatch(commands);
    end(commands);
    return commands;
  };
  submit({fill_and_read()});
  note(3, buffer_->address, SQA_FOOTPRINT_WRITE, 1);
  note(4, buffer_->address, SQA_FOOTPRINT_READ, 2);
  wait();
  summary_ = "0 of 1 barriers that were judged ordered no conflicting accesses in this run";
}

// Without memory for what a command accesses, nothing that it orders is known.
TEST_F(RedundantNotes, WithoutMemoryForACommandNothingIsJudged) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  const BoundBuffer large(device(), 1 << 20, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  shader_barrier(commands);
  null_driver::Config config;
  config.faults.push_back({"vkAllocateMemory", 0, VK_ERROR_OUT_OF_DEVICE_MEMORY});
  driver().configure(config);
  // More than a block of records holds.
  std::vector<VkBufferCopy> regions(20000, {0, 0, 4});
  for (size_t i = 0; i < regions.size(); ++i) regions[i].dstOffset = 16 * i;
  const BoundBuffer* const target = &large;
  vk().vkCmdCopyBuffer(commands, buffer_->handle, target->handle, static_cast<uint32_t>(regions.size()),
                       regions.data());
  end(commands);
  driver().configure({});
  submit({commands});
  wait();
  summary_ =
      "0 of 0 barriers that were judged ordered no conflicting accesses in this run; 1 not judged: there "
      "was no memory to note what some commands access";
}

}  // namespace
}  // namespace shaderqa::layer_tests
