// What command buffers and submissions become when accesses are checked: records, clears, and their order.
#include <cstring>
#include <optional>

#include "tests/layer/descriptor_kit.h"

namespace shaderqa::layer_tests {
namespace {

using Stream = std::vector<std::string>;

constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
constexpr uint32_t kFilterBytes = 1 << 20;

class CommandStream : public SyncTest {
 protected:
  CommandStream() {
    set("SHADERQA_BLOOM_BUFFER_SIZE_LOG2", "20");
    program_.emplace();
    buffer_.emplace(device(), 256);
    descriptors_.emplace(device(),
                         std::vector<BindingOptions>{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, 0, {}}});
    descriptors_->write(0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {{buffer_->handle, 0, VK_WHOLE_SIZE}});
    set_layout_ = create_set_layout(device(), {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, 0, {}}});
    VkPipelineLayoutCreateInfo layout{};
    layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &set_layout_;
    check(vk().vkCreatePipelineLayout(device().handle, &layout, nullptr, &layout_), "vkCreatePipelineLayout");
    const VkShaderModule module = create_module(device(), shaders::accesses_comp);
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, module);
    info.layout = layout_;
    check(vk().vkCreateComputePipelines(device().handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline_),
          "vkCreateComputePipelines");
    vk().vkDestroyShaderModule(device().handle, module, nullptr);
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    check(vk().vkCreateCommandPool(device().handle, &pool, nullptr, &pool_), "vkCreateCommandPool");
  }

  void TearDown() override {
    vk().vkDestroyCommandPool(device().handle, pool_, nullptr);
    vk().vkDestroyPipeline(device().handle, pipeline_, nullptr);
    if (layout_) vk().vkDestroyPipelineLayout(device().handle, layout_, nullptr);
    vk().vkDestroyDescriptorSetLayout(device().handle, set_layout_, nullptr);
    descriptors_.reset();
    buffer_.reset();
    program_.reset();
    SyncTest::TearDown();
  }

  const Device& device() const { return program_->device; }
  const VolkDeviceTable& vk() const { return program_->device.vk; }

  VkCommandBuffer begin(VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY) {
    VkCommandBufferAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    info.commandPool = pool_;
    info.level = level;
    info.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    check(vk().vkAllocateCommandBuffers(device().handle, &info, &commands), "vkAllocateCommandBuffers");
    VkCommandBufferInheritanceInfo inheritance{};
    inheritance.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO;
    VkCommandBufferBeginInfo begin_info{};
    begin_info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    begin_info.pInheritanceInfo = &inheritance;
    check(vk().vkBeginCommandBuffer(commands, &begin_info), "vkBeginCommandBuffer");
    return commands;
  }
  void end(VkCommandBuffer commands) { check(vk().vkEndCommandBuffer(commands), "vkEndCommandBuffer"); }
  void bind(VkCommandBuffer commands) {
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1,
                                 &descriptors_->handle, 0, nullptr);
  }
  void dispatch(VkCommandBuffer commands) { vk().vkCmdDispatch(commands, 1, 1, 1); }
  void barrier(VkCommandBuffer commands, VkPipelineStageFlags source, VkAccessFlags source_access,
               VkPipelineStageFlags destination, VkAccessFlags destination_access) {
    VkMemoryBarrier memory{};
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    memory.srcAccessMask = source_access;
    memory.dstAccessMask = destination_access;
    vk().vkCmdPipelineBarrier(commands, source, destination, 0, 1, &memory, 0, nullptr, 0, nullptr);
  }
  void shader_barrier(VkCommandBuffer commands) {
    barrier(commands, kCompute, VK_ACCESS_SHADER_WRITE_BIT, kCompute, VK_ACCESS_SHADER_READ_BIT);
  }
  // One dispatch.
  VkCommandBuffer checked_commands() {
    const VkCommandBuffer commands = begin();
    bind(commands);
    dispatch(commands);
    end(commands);
    return commands;
  }

  void submit(const std::vector<VkCommandBuffer>& commands, VkSemaphore wait = VK_NULL_HANDLE,
              VkPipelineStageFlags stage = 0) {
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.waitSemaphoreCount = wait ? 1 : 0;
    info.pWaitSemaphores = &wait;
    info.pWaitDstStageMask = &stage;
    info.commandBufferCount = static_cast<uint32_t>(commands.size());
    info.pCommandBuffers = commands.data();
    check(vk().vkQueueSubmit(device().queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
  }

  // What reached the driver, "bind record" for that of the reserved set, "clear" for the four commands of
  // one.
  static Stream stream_of(VkCommandBuffer commands) {
    Stream stream;
    const null_driver::Log log = driver().log();
    for (const null_driver::CommandRecord& record : log.commands) {
      if (record.command_buffer != reinterpret_cast<uint64_t>(commands)) continue;
      std::string text = record.command;
      if (text == "CmdBindDescriptorSets" && record.values.at(1) != 0) text = "bind record";
      if (text == "CmdFillBuffer" && record.values.at(0) == kFilterBytes) text = "fill filter";
      if (text == "CmdFillBuffer") text = "fill dispatch_id";
      stream.push_back(text);
    }
    return stream;
  }
  static Stream with_ends(Stream commands) {
    commands.insert(commands.begin(), "BeginCommandBuffer");
    commands.push_back("EndCommandBuffer");
    return commands;
  }
  // The command buffers of the latest batch: "clear" for one of the layer's.
  Stream last_batch(const std::vector<VkCommandBuffer>& known) {
    Stream batch;
    const null_driver::Log log = driver().log();
    for (const uint64_t handle : log.batches.back().command_buffers) {
      std::string text = "?";
      for (size_t i = 0; i < known.size(); ++i) {
        if (handle == reinterpret_cast<uint64_t>(known[i])) text = std::to_string(i);
      }
      const Stream stream = stream_of(reinterpret_cast<VkCommandBuffer>(handle));
      if (text == "?" && stream == with_ends(kClear)) text = "clear";
      batch.push_back(text);
    }
    return batch;
  }

  // Records hold their own address first.
  static std::vector<const uint32_t*> records() {
    std::vector<const uint32_t*> found;
    for (const std::span<std::byte> memory : driver().memory()) {
      for (size_t at = 0; at + 256 <= memory.size(); at += 16) {
        uint64_t self = 0;
        std::memcpy(&self, memory.data() + at, 8);
        if (self == reinterpret_cast<uint64_t>(memory.data() + at)) {
          found.push_back(reinterpret_cast<const uint32_t*>(memory.data() + at));
        }
      }
    }
    return found;
  }

  static inline const Stream kClear{"CmdPipelineBarrier", "fill filter", "fill dispatch_id",
                                    "CmdPipelineBarrier"};
  static inline const Stream kBound{"CmdBindPipeline", "CmdBindDescriptorSets"};
  // Apart from what is before it, by a clear or a barrier.
  static inline const Stream kAction{"CmdPipelineBarrier", "bind record", "CmdDispatch"};
  static inline const Stream kActionAfterClear{"bind record", "CmdDispatch"};
  static Stream joined(std::initializer_list<Stream> parts) {
    Stream all;
    for (const Stream& part : parts) all.insert(all.end(), part.begin(), part.end());
    return with_ends(all);
  }

  std::optional<Program> program_;
  std::optional<BoundBuffer> buffer_;
  std::optional<OneSet> descriptors_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
};

uint64_t address_at(const uint32_t* record, uint32_t dword) {
  uint64_t value = 0;
  std::memcpy(&value, record + dword, 8);
  return value;
}

TEST_F(CommandStream, AnActionGetsItsRecord) {
  const VkCommandBuffer commands = checked_commands();
  EXPECT_EQ(stream_of(commands), joined({kBound, kAction}));
  ASSERT_EQ(records().size(), 1u);
  const uint32_t* record = records()[0];
  EXPECT_EQ(record[SQA_ACTION_NUMBER], 1u);
  EXPECT_EQ(record[SQA_ACTION_FLAGS], 0u);
  EXPECT_EQ(record[SQA_ACTION_SALT], 0u);
  EXPECT_EQ(address_at(record, SQA_ACTION_INDIRECT), 0u);
  const auto family = reinterpret_cast<const abi::FamilyState*>(address_at(record, SQA_ACTION_FAMILY));
  EXPECT_EQ(family->bucket_mask, kFilterBytes / 8 - 1);
  EXPECT_EQ(family->filter_address, 0u) << "before a clear the filter holds anything";
  const auto table = reinterpret_cast<const uint32_t*>(address_at(record, SQA_ACTION_TABLES));
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table[0], 1u);
  EXPECT_EQ(address_at(table, SQA_TABLE_ENTRY_DWORDS), buffer_->address);
  EXPECT_EQ(address_at(record, SQA_ACTION_TABLES + 2), 0u);
}

TEST_F(CommandStream, IndirectArgumentsAreInTheRecord) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  vk().vkCmdDispatchIndirect(commands, buffer_->handle, 16);
  end(commands);
  ASSERT_EQ(records().size(), 1u);
  EXPECT_EQ(address_at(records()[0], SQA_ACTION_INDIRECT), buffer_->address + 16);
  EXPECT_EQ(records()[0][SQA_ACTION_INDIRECT_BYTES], 12u);
}

TEST_F(CommandStream, ActionsOfOtherPipelinesAreLeftAlone) {
  const VkPipeline silent = create_compute(device(), shaders::silent_comp);
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, silent);
  dispatch(commands);
  shader_barrier(commands);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands),
            with_ends({"CmdBindPipeline", "CmdDispatch", "CmdPipelineBarrier", "CmdDispatch"}));
  submit({commands});
  EXPECT_EQ(last_batch({commands}), Stream{"0"});
  vk().vkDestroyPipeline(device().handle, silent, nullptr);
}

TEST_F(CommandStream, ABarrierClearsBeforeTheNextAction) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  shader_barrier(commands);
  shader_barrier(commands);
  dispatch(commands);
  dispatch(commands);
  end(commands);
  const Stream barriers{"CmdPipelineBarrier", "CmdPipelineBarrier"};
  EXPECT_EQ(stream_of(commands), joined({kBound, kAction, barriers, kClear, kActionAfterClear, kAction}));
}

TEST_F(CommandStream, AnExecutionDependencyMarksTheRecords) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  barrier(commands, kCompute, 0, kCompute, 0);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({kBound, kAction, {"CmdPipelineBarrier"}, kAction}));
  ASSERT_EQ(records().size(), 2u);
  EXPECT_EQ(records()[0][SQA_ACTION_FLAGS], 0u);
  EXPECT_EQ(records()[1][SQA_ACTION_FLAGS], uint32_t{SQA_ACTION_FLAG_READS_ORDERED});
}

TEST_F(CommandStream, ABarrierOfTransfersDoesNothing) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, kCompute,
          VK_ACCESS_SHADER_READ_BIT);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({kBound, kAction, {"CmdPipelineBarrier"}, kAction}));
}

TEST_F(CommandStream, SecondaryCommandBuffersHaveRecordsOfTheirOwn) {
  const VkCommandBuffer secondary = begin(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  bind(secondary);
  dispatch(secondary);
  shader_barrier(secondary);
  end(secondary);
  EXPECT_EQ(stream_of(secondary), joined({kBound, kAction, {"CmdPipelineBarrier"}}));
  const VkCommandBuffer primary = begin();
  vk().vkCmdExecuteCommands(primary, 1, &secondary);
  bind(primary);
  dispatch(primary);
  end(primary);
  EXPECT_EQ(stream_of(primary), joined({{"CmdExecuteCommands"}, kBound, kClear, kActionAfterClear}));
  submit({primary});
  for (const uint32_t* record : records()) {
    const auto submission =
        reinterpret_cast<const abi::SubmissionState*>(address_at(record, SQA_ACTION_SUBMISSION));
    EXPECT_EQ(submission->serial, 1u);
  }
}

TEST_F(CommandStream, TheFirstSubmissionClearsAndTheNextDoesNot) {
  const VkCommandBuffer commands = checked_commands();
  submit({commands});
  EXPECT_EQ(last_batch({commands}), (Stream{"clear", "0"}));
  const auto family = reinterpret_cast<const abi::FamilyState*>(address_at(records()[0], SQA_ACTION_FAMILY));
  EXPECT_NE(family->filter_address, 0u);
  // Submission order alone synchronises nothing.
  submit({commands});
  EXPECT_EQ(last_batch({commands}), Stream{"0"});
  const auto submission =
      reinterpret_cast<const abi::SubmissionState*>(address_at(records()[0], SQA_ACTION_SUBMISSION));
  EXPECT_EQ(submission->serial, 2u);
}

TEST_F(CommandStream, AWaitOfTheHostClearsAtTheNextSubmission) {
  const VkCommandBuffer commands = checked_commands();
  submit({commands});
  check(vk().vkQueueWaitIdle(device().queue), "vkQueueWaitIdle");
  submit({commands});
  EXPECT_EQ(last_batch({commands}), (Stream{"clear", "0"}));
}

TEST_F(CommandStream, ASemaphoreThatShadersWaitForClears) {
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  check(vk().vkCreateSemaphore(device().handle, &info, nullptr, &semaphore), "vkCreateSemaphore");
  const VkCommandBuffer commands = checked_commands();
  submit({commands});
  submit({commands}, semaphore, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT);
  EXPECT_EQ(last_batch({commands}), Stream{"0"});
  submit({commands}, semaphore, kCompute);
  EXPECT_EQ(last_batch({commands}), (Stream{"clear", "0"}));
  vk().vkDestroySemaphore(device().handle, semaphore, nullptr);
}

TEST_F(CommandStream, ABarrierAtTheEndClearsBeforeTheNextCommandBuffer) {
  const VkCommandBuffer first = begin();
  bind(first);
  dispatch(first);
  shader_barrier(first);
  end(first);
  EXPECT_EQ(stream_of(first), joined({kBound, kAction, {"CmdPipelineBarrier"}}));
  const VkCommandBuffer second = checked_commands();
  submit({first, second, second});
  EXPECT_EQ(last_batch({first, second}), (Stream{"clear", "0", "clear", "1", "1"}));
}

TEST_F(CommandStream, APipelineLayoutDestroyedEarlyStillBindsRecords) {
  vk().vkDestroyPipelineLayout(device().handle, layout_, nullptr);
  layout_ = VK_NULL_HANDLE;
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({{"CmdBindPipeline"}, kAction}));
}

TEST_F(CommandStream, AResetCommandBufferGivesItsMemoryBack) {
  const VkCommandBuffer commands = checked_commands();
  const size_t allocations = driver().log().allocations.size();
  for (int i = 0; i < 1000; ++i) {
    VkCommandBufferBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    check(vk().vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
    bind(commands);
    for (int k = 0; k < 100; ++k) dispatch(commands);
    end(commands);
  }
  EXPECT_EQ(driver().log().allocations.size(), allocations);
}

}  // namespace
}  // namespace shaderqa::layer_tests
