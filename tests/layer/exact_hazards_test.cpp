// SPDX-License-Identifier: Apache-2.0
// What reports of the exact engine say of the other side: whose number the cell has, and what the barriers
// between the two lack.
#include <string>
#include <vector>

#include "host/order/cell.h"
#include "instrument/instrument.h"
#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_order.h"
#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/cell_fields.h"
#include "report_reader.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

constexpr VkCommandBufferLevel kSecondary = VK_COMMAND_BUFFER_LEVEL_SECONDARY;

class ExactHazards : public CommandTest {
 protected:
  explicit ExactHazards(const DeviceOptions& options = {}) : CommandTest(options, {}, "exact") {}

  struct Conflict {
    uint32_t earlier = 0, later = 0;  // sequence numbers
    uint32_t action = 0;              // of the later one
    uint32_t kind = SQA_KIND_WRITE;   // of the earlier one
    uint32_t access = SQA_ACCESS_STORE;
    uint64_t offset = 16;
    bool of_uniform = false;
  };
  // What becomes of a shader's report: the finding in the report file.
  nlohmann::json report(const Conflict& conflict) {
    InstrumentOptions options;
    options.root_address = 4096;
    options.sync.enabled = true;
    options.sync.engine = SyncEngine::exact;
    options.sync.record_set = 7;
    options.sync.descriptors = {{0, 0, 0, 1, SQA_NOT_DYNAMIC}};
    // A shader of its own for each, because a bug is reported once: the generator's number is another one.
    Words words = shaders::accesses_comp;
    words[2] = ++shaders_;
    vk().vkDestroyPipeline(device().handle, create_compute_with(device(), words, layout_), nullptr);
    const InstrumentResult result = instrument(words, options);
    const CheckSite* site = nullptr;
    for (const CheckSite& one : result.record.check_sites)
      if (one.access == conflict.access || !site) site = &one;
    abi::Report record{};
    record.shader_hash[0] = static_cast<uint32_t>(result.record.shader_hash);
    record.shader_hash[1] = static_cast<uint32_t>(result.record.shader_hash >> 32);
    record.instruction = site->instruction;
    const uint32_t access =
        conflict.access | SQA_ACCESS_EXACT | (conflict.of_uniform ? uint32_t{SQA_ACCESS_NARROW} : 0);
    record.kind = site->check | static_cast<uint32_t>(Stage::compute) << 8 | access << 16 |
                  uint32_t{SQA_MISSING_ORDER} << 24;
    const uint64_t address = buffer_->address + conflict.offset;
    record.address[0] = static_cast<uint32_t>(address);
    record.address[1] = static_cast<uint32_t>(address >> 32);
    record.size = 4;
    record.action = conflict.action;
    record.dispatch_id = conflict.later;
    Cell cell;
    cell.mask = 15;
    cell.kind = conflict.kind;
    cell.sequence = conflict.earlier;
    const uint64_t value = cell.pack();
    record.value[0] = static_cast<uint32_t>(value);
    record.value[1] = static_cast<uint32_t>(value >> 32);
    EXPECT_TRUE(fail(find_report_block(), record));
    check(vk().vkQueueWaitIdle(device().queue), "vkQueueWaitIdle");
    std::vector<nlohmann::json> hazards;
    for (const auto& finding : testing::read_report(directory() / "report.jsonl"))
      if (finding.at("kind") == "hazard") hazards.push_back(finding);
    EXPECT_EQ(hazards.size(), shaders_);
    return hazards.back();
  }
  // Its sentence about the barriers between the two; none where it only says in general what to do.
  static std::string lacking(const nlohmann::json& finding) {
    const std::string hint = finding.at("hazard").value("hint", "");
    return hint.starts_with("the vkCmd") || hint.starts_with("a barrier from ") ? hint : std::string();
  }
  std::string lacking(const Conflict& conflict) { return lacking(report(conflict)); }
  void transfer_barrier(VkCommandBuffer commands) {
    barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
  }
  // A dispatch, what `between` records, a dispatch; submitted.
  template <typename Between>
  void two_dispatches(const Between& between) {
    const VkCommandBuffer commands = begin();
    bind(commands);
    dispatch(commands);
    between(commands);
    dispatch(commands);
    end(commands);
    submit({commands});
  }
  uint32_t shaders_ = 0;
  static inline const std::string kNoSource = " has no VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT in srcStageMask",
                                  kNoWrite = " has no VK_ACCESS_SHADER_WRITE_BIT in srcAccessMask";
};

TEST_F(ExactHazards, NameTheActionThatHasTheNumberInTheCell) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  vk().vkCmdDispatch(commands, 2, 3, 4);
  vk().vkCmdDispatch(commands, 5, 6, 7);
  end(commands);
  submit({commands});
  const nlohmann::json finding = report({.earlier = 2, .later = 3, .action = 3});
  const nlohmann::json& other = finding.at("other");
  EXPECT_EQ(other.at("action"), 2) << other;
  EXPECT_EQ(lacking(finding), "") << "there is no barrier";
}

TEST_F(ExactHazards, BarriersBetweenAreToldFromOthers) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  transfer_barrier(commands);
  dispatch(commands);
  dispatch(commands);
  barrier(commands, kComputeStage, 0, kComputeStage, VK_ACCESS_SHADER_READ_BIT);
  dispatch(commands);
  dispatch(commands);
  transfer_barrier(commands);
  end(commands);
  submit({commands});
  EXPECT_EQ(lacking({.earlier = 2, .later = 3, .action = 3}),
            "the vkCmdPipelineBarrier after action 2" + kNoWrite);
  EXPECT_EQ(lacking({.earlier = 1, .later = 4, .action = 4, .offset = 32}),
            "the vkCmdPipelineBarrier after action 2" + kNoWrite);
  EXPECT_EQ(lacking({.earlier = 1, .later = 2, .action = 2, .offset = 48}), "") << "in front of both";
  EXPECT_EQ(lacking({.earlier = 3, .later = 4, .action = 4, .offset = 64}), "") << "behind both";
}

TEST_F(ExactHazards, TheEarlierAccessDecidesWhatIsNeeded) {
  two_dispatches([&](VkCommandBuffer commands) {
    barrier(commands, kComputeStage, VK_ACCESS_SHADER_WRITE_BIT, kComputeStage, 0);
  });
  const Conflict load{.earlier = 1, .later = 2, .action = 2, .access = SQA_ACCESS_LOAD};
  EXPECT_EQ(lacking(load),
            "the vkCmdPipelineBarrier after action 1 has no VK_ACCESS_SHADER_READ_BIT in "
            "dstAccessMask");
  Conflict uniform = load;
  uniform.of_uniform = true;
  uniform.offset = 32;
  EXPECT_EQ(lacking(uniform),
            "the vkCmdPipelineBarrier after action 1 has no VK_ACCESS_UNIFORM_READ_BIT in "
            "dstAccessMask");
  EXPECT_EQ(lacking({.earlier = 1, .later = 2, .action = 2, .kind = SQA_KIND_READ, .offset = 48}), "");
}

// The numbers of actions go on from one command buffer to the next.
TEST_F(ExactHazards, NameBarriersByTheNumbersThatActionsHaveInReports) {
  two_dispatches([&](VkCommandBuffer commands) { transfer_barrier(commands); });
  two_dispatches([&](VkCommandBuffer commands) {
    barrier(commands, kComputeStage, 0, kComputeStage, VK_ACCESS_SHADER_READ_BIT);
  });
  EXPECT_EQ(lacking({.earlier = 3, .later = 4, .action = 4}),
            "the vkCmdPipelineBarrier after action 3" + kNoWrite);
}

TEST_F(ExactHazards, OfTheSameActionSayNothingOfBarriers) {
  two_dispatches([&](VkCommandBuffer commands) { transfer_barrier(commands); });
  const nlohmann::json finding = report({.earlier = 2, .later = 2, .action = 2});
  const nlohmann::json& other = finding.at("other");
  EXPECT_EQ(other.at("same_action"), true) << other;
  EXPECT_EQ(lacking(finding), "");
}

// Numbers that nobody has, or that were never given out.
TEST_F(ExactHazards, WithoutAnOwnerNothingIsKnownOfTheOtherSide) {
  two_dispatches([&](VkCommandBuffer commands) { transfer_barrier(commands); });
  uint64_t offset = 16;
  for (const uint32_t earlier : {3u, 700u, uint32_t{SQA_EPOCH_BIT}, SQA_EPOCH_BIT + 1u}) {
    const nlohmann::json finding =
        report({.earlier = earlier, .later = 2, .action = 2, .offset = offset += 16});
    const nlohmann::json& other = finding.at("other");
    EXPECT_FALSE(other.contains("action")) << earlier << other;
    EXPECT_EQ(lacking(finding), "") << earlier;
  }
}

// A command has no shader whose text could tell which barrier it needs.
TEST_F(ExactHazards, OfCommandsNameTheBarrierThatIsMissing) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  vk().vkCmdFillBuffer(commands, buffer_->handle, 0, 64, 1);
  dispatch(commands);
  vk().vkCmdDispatchIndirect(commands, buffer_->handle, 128);
  dispatch(commands);
  end(commands);
  submit({commands});
  const std::string missing = " between the two is missing";
  EXPECT_EQ(lacking({.earlier = 1, .later = 2, .action = 2}),
            "a barrier from VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, to "
            "VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT" +
                missing);
  // The arguments of an indirect dispatch have a number of their own.
  EXPECT_EQ(lacking({.earlier = 3, .later = 5, .action = 5, .kind = SQA_KIND_READ, .offset = 128}),
            "a barrier from VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, to VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT" +
                missing);
  EXPECT_EQ(lacking({.earlier = 4, .later = 5, .action = 5, .offset = 192}), "") << "its shader's";
}

TEST_F(ExactHazards, SecondaryCommandBuffersHaveTheirOwnActionsAndBarriers) {
  const auto secondary = [&](bool barrier_first) {
    const VkCommandBuffer commands = begin(kSecondary);
    bind(commands);
    if (barrier_first) transfer_barrier(commands);
    vk().vkCmdDispatch(commands, barrier_first ? 8 : 9, 1, 1);
    end(commands);
    return commands;
  };
  const VkCommandBuffer inner[] = {secondary(false), secondary(true)};
  const VkCommandBuffer primary = begin();
  bind(primary);
  dispatch(primary);
  vk().vkCmdExecuteCommands(primary, 2, inner);
  bind(primary);
  vk().vkCmdDispatch(primary, 7, 1, 1);
  end(primary);
  submit({primary});
  const auto other = [&](uint32_t earlier, uint32_t later, uint64_t offset) {
    // The secondaries were recorded first.
    const uint32_t actions[] = {0, 3, 1, 2, 4};
    return report({.earlier = earlier, .later = later, .action = actions[later], .offset = offset});
  };
  const nlohmann::json first = other(1, 2, 16), inside = other(2, 3, 32), behind = other(3, 4, 48);
  EXPECT_EQ(first.at("other").at("action"), 3);
  EXPECT_EQ(lacking(first), "");
  EXPECT_EQ(inside.at("other").at("action"), 1);
  EXPECT_EQ(lacking(inside), "the vkCmdPipelineBarrier at the begin of the command buffer" + kNoSource +
                                 " and has no VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT in dstStageMask");
  EXPECT_EQ(behind.at("other").at("action"), 2);
  EXPECT_EQ(lacking(behind), "");
}

class ExactHazardsOfQueues : public ExactHazards {
 protected:
  ExactHazardsOfQueues() : ExactHazards(two_queues()) {}
};

// Barriers of one queue do not order what another one does.
TEST_F(ExactHazardsOfQueues, BarriersOfTheSameQueueAreLookedAt) {
  VkQueue other_queue = VK_NULL_HANDLE;
  vk().vkGetDeviceQueue(device().handle, 0, 1, &other_queue);
  const auto recorded = [&] {
    const VkCommandBuffer commands = begin();
    transfer_barrier(commands);
    bind(commands);
    dispatch(commands);
    end(commands);
    return commands;
  };
  const VkCommandBuffer first = recorded(), elsewhere = recorded(), second = recorded();
  submit({first});
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &elsewhere;
  check(vk().vkQueueSubmit(other_queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
  submit({second});
  EXPECT_EQ(lacking({.earlier = 1, .later = 2, .action = 2}), "") << "of another queue";
  EXPECT_EQ(lacking({.earlier = 1, .later = 3, .action = 3, .offset = 32}),
            "the vkCmdPipelineBarrier at the begin of the command buffer" + kNoSource +
                " and has no VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT in dstStageMask");
}

}  // namespace
}  // namespace shaderqa::layer_tests
