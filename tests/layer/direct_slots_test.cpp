// SPDX-License-Identifier: Apache-2.0
// With the exact engine: what records say of where memory and cells of direct descriptors lie, and who
// reaches them (SQA_ACTION_DIRECT).
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_reach.h"
#include "tests/layer/record_slots_kit.h"

namespace shaderqa::layer_tests {
namespace {

// log2 of the most workgroups that are told apart.
constexpr uint32_t kMostX = 20, kMostYz = 16;

struct Direct {
  uint64_t address = 0;
  uint32_t bytes = 0;
  bool alone = false;  // reached by a row of workgroups through this descriptor
  uint32_t reach = 0;  // SQA_REACH_*
  uint64_t cells = 0;
};

class DirectSlots : public WatchedSlots {
 protected:
  explicit DirectSlots(const DeviceOptions& options = {}) : WatchedSlots(options) {}
  // What record number i says for a binding of set 0.
  static Direct direct(size_t i, uint32_t binding) {
    const uint32_t* record = records().at(i);
    const uint32_t at = SQA_ACTION_DIRECT + binding * SQA_DIRECT_DWORDS;
    const uint32_t reach = record[at + SQA_DIRECT_REACH];
    const uint32_t row = reach::at_most(reach::axes[0], kMostX) | reach::at_most(reach::axes[1], 0) |
                         reach::at_most(reach::axes[2], 0);
    const bool alone = (reach & ((SQA_REACH_SLOTS & ~(1u << binding)) | row)) == 0;
    return {address_at(record, at), record[at + 2], alone, reach, address_at(record, at + 4)};
  }
  // What the page table says of it.
  static uint64_t cell_of(uint64_t address) {
    return (page_entry(address) & ~uint64_t{0x1ffff}) + (address & 0xfffc) * 2;
  }
  // Behind all that was recorded before.
  void act_in(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
    shader_barrier(commands);
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pair_pipeline_);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pair_layout_, 0, 1, &pair_->handle,
                                 0, nullptr);
    vk().vkCmdDispatch(commands, x, y, z);
  }
};

TEST_F(DirectSlots, SayWhereMemoryAndCellsLie) {
  reader();
  for (const uint32_t binding : {0u, 1u}) {
    const Direct found = direct(0, binding);
    EXPECT_EQ(found.address, (binding == 0 ? *written_ : *read_).address + 2 * kPage);
    EXPECT_EQ(found.bytes, 2 * kPage);
    EXPECT_EQ(found.cells, cell_of(found.address));
    EXPECT_TRUE(found.alone);
  }
  for (uint32_t slot = 2; slot < SQA_DIRECT_SLOTS; ++slot) EXPECT_EQ(direct(0, slot).cells, 0u);
}

TEST_F(DirectSlots, AreThoseOfTheSetThatIsBound) {
  OneSet swapped(device(), {{0, kStorage, 1, 0, {}}, {1, kStorage, 1, 0, {}}});
  swapped.write(0, 0, kStorage, {inner(*read_)});
  swapped.write(1, 0, kStorage, {inner(*written_)});
  const VkCommandBuffer commands = begin();
  act(commands, *pair_);
  act(commands, swapped);
  end(commands);
  EXPECT_EQ(direct(1, 0).address, direct(0, 1).address);
  EXPECT_EQ(direct(1, 1).address, direct(0, 0).address);
}

TEST_F(DirectSlots, AreNotAloneWhereTwoLeadToTheSameWord) {
  OneSet twice(device(), {{0, kStorage, 1, 0, {}}, {1, kStorage, 1, 0, {}}});
  twice.write(0, 0, kStorage, {{written_->handle, 0, kPage + 4}});
  twice.write(1, 0, kStorage, {{written_->handle, kPage, kPage}});
  recorded(twice);
  EXPECT_NE(direct(0, 0).cells, 0u);
  EXPECT_FALSE(direct(0, 0).alone);
  EXPECT_FALSE(direct(0, 1).alone);
  twice.write(0, 0, kStorage, {{written_->handle, 0, kPage}});
  recorded(twice);
  EXPECT_TRUE(direct(1, 0).alone) << "one ends where the other begins";
  EXPECT_TRUE(direct(1, 1).alone);
}

// Cells are of words.
TEST_F(DirectSlots, ShareTheWordsThatTheyHaveInPart) {
  OneSet twice(device(), {{0, kStorage, 1, 0, {}}, {1, kStorage, 1, 0, {}}});
  const auto alone = [&](VkDeviceSize end, VkDeviceSize begin) {
    twice.write(0, 0, kStorage, {{written_->handle, 0, end}});
    twice.write(1, 0, kStorage, {{written_->handle, begin, kPage}});
    const size_t before = records().size();
    recorded(twice);
    return direct(before, 0).alone;
  };
  EXPECT_TRUE(alone(kPage + 4, kPage + 4));
  EXPECT_TRUE(alone(kPage + 8, kPage + 8));
  EXPECT_TRUE(alone(kPage + 2, kPage + 4));
  EXPECT_FALSE(alone(kPage + 1, kPage));
  EXPECT_FALSE(alone(kPage + 2, kPage + 2));
  EXPECT_FALSE(alone(kPage + 7, kPage + 7));
}

// To compare more of them with each other would take long.
TEST_F(DirectSlots, AreNotKnownToBeAloneAmongVeryMany) {
  const auto alone_among = [&](uint32_t all) {
    const std::vector<BindingOptions> bindings{{0, kStorage, 1, 0, {}}, {1, kStorage, all - 1, 0, {}}};
    const VkDescriptorSetLayout layout = create_set_layout(device(), bindings);
    const VkPipelineLayout pipeline_layout = create_pipeline_layout(device(), {layout});
    const VkPipeline pipeline = create_compute_with(device(), shaders::accesses_comp, pipeline_layout);
    const OneSet set(device(), bindings);
    set.write(0, 0, kStorage, {inner(*written_)});
    const size_t before = records().size();
    const VkCommandBuffer commands = begin();
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_layout, 0, 1, &set.handle,
                                 0, nullptr);
    dispatch(commands);
    end(commands);
    EXPECT_NE(direct(before, 0).cells, 0u);
    const bool alone = direct(before, 0).alone;
    vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
    vk().vkDestroyPipelineLayout(device().handle, pipeline_layout, nullptr);
    vk().vkDestroyDescriptorSetLayout(device().handle, layout, nullptr);
    return alone;
  };
  EXPECT_TRUE(alone_among(64));
  EXPECT_FALSE(alone_among(65));
}

TEST_F(DirectSlots, AreAloneInRowsOfWorkgroupsOnly) {
  const VkCommandBuffer commands = begin();
  act_in(commands, 7, 1, 1);
  act_in(commands, 1, 2, 1);
  act_in(commands, 1, 1, 2);
  act_in(commands, 1u << kMostX, 1, 1);
  act_in(commands, (1u << kMostX) + 1, 1, 1);
  shader_barrier(commands);
  vk().vkCmdDispatchBase(commands, 1, 0, 0, 1u << kMostX, 1, 1);
  shader_barrier(commands);
  vk().vkCmdDispatchBase(commands, 1, 5, 5, 3, 1, 1);
  barrier(commands, kComputeStage, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
          VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
  vk().vkCmdDispatchIndirect(commands, read_->handle, 0);
  end(commands);
  const bool alone[] = {true, false, false, true, false, false, true, false};
  for (size_t i = 0; i < std::size(alone); ++i) {
    const size_t record = i < 7 ? i : 8;  // the last one's follows that of its arguments
    EXPECT_EQ(direct(record, 0).alone, alone[i]) << "action " << i;
    EXPECT_NE(direct(record, 0).cells, 0u);
  }
}

TEST_F(DirectSlots, SayHowManyWorkgroupsThereAre) {
  const VkCommandBuffer commands = begin();
  act_in(commands, 7, 1, 1);
  act_in(commands, 8, 9, 1);
  act_in(commands, 1, 1u << kMostYz, 5);
  act_in(commands, 0, 1, (1u << kMostYz) + 1);
  shader_barrier(commands);
  vk().vkCmdDispatchBase(commands, 3, 5, 7, 6, 1, 2);
  shader_barrier(commands);
  vk().vkCmdDispatchBase(commands, 0, 1u << kMostYz, 0, 1, 1, 1);
  end(commands);
  // The numbers of levels that each is beyond (abi_reach.h).
  const auto packed = [](uint32_t x, uint32_t y, uint32_t z) {
    return 1u | ((1u << x) - 1) << SQA_REACH_X | ((1u << y) - 1) << SQA_REACH_Y |
           ((1u << z) - 1) << SQA_REACH_Z;
  };
  const uint32_t expected[] = {packed(1, 0, 0), packed(1, 2, 0), packed(0, 5, 1),
                               packed(0, 0, 4), packed(2, 0, 1), packed(0, 6, 0)};
  for (size_t i = 0; i < std::size(expected); ++i)
    EXPECT_EQ(direct(i, 0).reach, expected[i]) << std::hex << direct(i, 0).reach << ", action " << i;
}

// In place: elements of one index are the same through both.
TEST_F(DirectSlots, SayThroughWhichOthersTheSameMemoryIsReached) {
  OneSet twice(device(), {{0, kStorage, 1, 0, {}}, {1, kStorage, 1, 0, {}}});
  const auto slots = [&](VkDeviceSize begin, VkDeviceSize size, VkDeviceSize other_size) {
    twice.write(0, 0, kStorage, {{written_->handle, begin, size}});
    twice.write(1, 0, kStorage, {{written_->handle, 0, other_size}});
    const size_t before = records().size();
    recorded(twice);
    return std::pair(direct(before, 0).reach, direct(before, 1).reach);
  };
  EXPECT_EQ(slots(0, kPage, kPage), std::pair(3u, 3u));
  EXPECT_EQ(slots(0, kPage, 2 * kPage), std::pair(3u, 3u)) << "one is longer";
  EXPECT_EQ(slots(kPage, kPage, kPage), std::pair(1u, 2u));
  EXPECT_EQ(slots(64, kPage, kPage), std::pair(SQA_REACH_UNKNOWN + 0u, SQA_REACH_UNKNOWN + 0u))
      << "indices are of other elements";
}

// It may run first, and the other one would replace what it has left in the cells.
TEST_F(DirectSlots, AreComparedWhereSomethingFollowsUnordered) {
  const auto alone = [&](const std::function<void(VkCommandBuffer)>& next) {
    const size_t before = records().size();
    const VkCommandBuffer commands = begin();
    act_in(commands, 1, 1, 1);
    next(commands);
    end(commands);
    EXPECT_NE(direct(before, 0).cells, 0u);
    return direct(before, 0).alone;
  };
  const auto copies = [&](VkCommandBuffer commands) {
    vk().vkCmdFillBuffer(commands, read_->handle, 0, 64, 0);
  };
  EXPECT_TRUE(alone([](VkCommandBuffer) {}));
  EXPECT_TRUE(alone([&](VkCommandBuffer commands) { act_in(commands, 1, 1, 1); }));
  EXPECT_FALSE(alone([&](VkCommandBuffer commands) { dispatch(commands); }));
  EXPECT_FALSE(alone(copies));
  const auto barrier_to = [&](VkCommandBuffer commands, VkPipelineStageFlags stage, VkAccessFlags access) {
    barrier(commands, kComputeStage, VK_ACCESS_SHADER_WRITE_BIT, stage, access);
  };
  EXPECT_TRUE(alone([&](VkCommandBuffer commands) {
    barrier_to(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
               VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
    copies(commands);
  }));
  EXPECT_FALSE(alone([&](VkCommandBuffer commands) {
    act_in(commands, 1, 1, 1);
    copies(commands);
  })) << "it is ordered before the next dispatch, and not before the copy behind it";
  EXPECT_FALSE(alone([&](VkCommandBuffer commands) {
    barrier_to(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
    dispatch(commands);
  })) << "the barrier is for copies";
}

class DirectSlotsOfTwoQueues : public DirectSlots {
 protected:
  DirectSlotsOfTwoQueues() : DirectSlots(two_queues()) {}
};

// What the other one is given later may run first.
TEST_F(DirectSlotsOfTwoQueues, AreComparedOnceTheProgramHasBoth) {
  const VkCommandBuffer commands = reader();
  submit({commands});
  EXPECT_TRUE(direct(0, 0).alone);
  VkQueue queue = device().queue;
  vk().vkGetDeviceQueue(device().handle, 0, 0, &queue);
  submit({commands});
  EXPECT_TRUE(direct(0, 0).alone) << "it is the same";
  vk().vkGetDeviceQueue(device().handle, 0, 1, &queue);
  submit({commands});
  EXPECT_FALSE(direct(0, 0).alone);
  submit({reader()});
  EXPECT_FALSE(direct(1, 0).alone);
}

// Shaders look such descriptors up.
TEST_F(DirectSlots, HaveNoCellsWhereNothingIsBoundOrTracked) {
  OneSet half(device(), {{0, kStorage, 1, 0, {}}, {1, kStorage, 1, 0, {}}});
  half.write(0, 0, kStorage, {inner(*written_)});
  recorded(half);
  EXPECT_NE(direct(0, 0).cells, 0u);
  EXPECT_TRUE(direct(0, 0).alone);
  EXPECT_EQ(direct(0, 1).cells, 0u);
  EXPECT_EQ(direct(0, 1).address, 0u);
}

}  // namespace
}  // namespace shaderqa::layer_tests
