// SPDX-License-Identifier: Apache-2.0
// Where memory runs out, what needs it is not checked: one note, and the program goes on.
#include <string>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_filter.h"
#include "tests/layer/command_kit.h"
#include "tests/support/shader_object_info.h"

namespace shaderqa::layer_tests {
namespace {

class SyncFaults : public CommandTest {
 protected:
  static void fail(const std::string& command, uint64_t first, uint64_t last) {
    null_driver::Config config;
    for (uint64_t call = first; call <= last; ++call) {
      config.faults.push_back({command, call, VK_ERROR_OUT_OF_DEVICE_MEMORY});
    }
    driver().configure(config);
  }
  static const abi::FamilyState& family_of(const uint32_t* record) {
    return *reinterpret_cast<const abi::FamilyState*>(address_at(record, SQA_ACTION_ENGINE));
  }
  // The buffers in the order of their creation: the state, the filter, after each failure a filter of half
  // the size.
  static constexpr uint64_t kStateBuffer = 1, kFilterBuffer = 2, kSmallestFilterBuffer = 6;
};

TEST_F(SyncFaults, WithoutMemoryForTheFilterNothingIsChecked) {
  fail("vkCreateBuffer", kFilterBuffer, kSmallestFilterBuffer);
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  shader_barrier(commands);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands),
            joined({kBound, kActionAfterClear, {"CmdPipelineBarrier"}, kActionAfterClear}));
  submit({commands});
  check(vk().vkQueueWaitIdle(device().queue), "vkQueueWaitIdle");
  submit({commands});
  EXPECT_EQ(last_batch({commands}), Stream{"0"});
  for (const uint32_t* record : records()) EXPECT_EQ(family_of(record).filter_address, 0u);
  EXPECT_EQ(notes_about("sync is not checked").size(), 1u);
}

TEST_F(SyncFaults, ASmallerFilterIsSaid) {
  fail("vkCreateBuffer", kFilterBuffer, kFilterBuffer);
  checked_commands();
  ASSERT_EQ(records().size(), 1u);
  EXPECT_EQ(family_of(records()[0]).bucket_mask, kFilterBytes / 2 / sizeof(uint64_t) - 1);
  EXPECT_EQ(notes_about("512 KiB instead of 1 MiB").size(), 1u);
}

TEST_F(SyncFaults, WithoutEvenTheFiltersStateActionsAreNotChecked) {
  fail("vkCreateBuffer", kStateBuffer, kStateBuffer);
  for (int i = 0; i < 2; ++i) {
    const VkCommandBuffer commands = checked_commands();
    EXPECT_EQ(stream_of(commands), joined({kBound, kActionAfterClear})) << "what shaders read is there";
    submit({commands});
    EXPECT_EQ(last_batch({commands}), Stream{"0"});
  }
  EXPECT_TRUE(records().empty());
  EXPECT_EQ(notes_about("sync is not checked").size(), 1u);
}

TEST_F(SyncFaults, WithoutMoreMemoryForRecordsSomeActionsAreNotChecked) {
  checked_commands();
  fail("vkAllocateMemory", 0, 0);
  const VkCommandBuffer commands = begin();
  bind(commands);
  constexpr uint32_t kActions = 20000;  // more than fit into a block
  for (uint32_t i = 0; i < kActions; ++i) dispatch(commands);
  end(commands);
  size_t bound = 0;
  for (const std::string& text : stream_of(commands)) bound += text == "bind record" ? 1 : 0;
  EXPECT_EQ(bound, kActions);
  EXPECT_LT(records().size(), kActions);
  EXPECT_GT(records().size(), 1000u);
  submit({commands});
  EXPECT_EQ(last_batch({commands}).back(), "0");
  EXPECT_EQ(notes_about("there is no memory to check").size(), 1u);
}

TEST_F(SyncFaults, WithoutMemoryForTablesSetsAreNotChecked) {
  // As many sets as fill what there is.
  const std::vector<BindingOptions> large{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 70000}};
  fail("vkAllocateMemory", 0, 0);
  {
    const OneSet set(device(), large);
    set.write(0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {{buffer_->handle, 0, VK_WHOLE_SIZE}});
    const OneSet copy(device(), large);
    VkCopyDescriptorSet info{};
    info.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET;
    info.srcSet = set.handle;
    info.dstSet = copy.handle;
    info.descriptorCount = 70000;
    vk().vkUpdateDescriptorSets(device().handle, 0, nullptr, 1, &info);
    const VkCommandBuffer commands = begin();
    bind(commands);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &copy.handle, 0,
                                 nullptr);
    dispatch(commands);
    end(commands);
  }
  EXPECT_EQ(driver().log().descriptor_copies, 70000u);
  EXPECT_EQ(notes_about("accesses through some descriptor sets are not checked").size(), 1u);
}

using NoRecords = SyncTest;

// Shaders that read an action's record must not run without one.
TEST_F(NoRecords, ShadersAreLeftAsTheyAre) {
  for (const std::string command :
       {"vkCreateDescriptorPool", "vkAllocateDescriptorSets", "vkAllocateMemory"}) {
    driver().reset({});
    Program program;
    const Device& device = program.device;
    const VkDescriptorSetLayout set_layout =
        create_set_layout(device, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}});
    const VkPipelineLayout layout = create_pipeline_layout(device, {set_layout});
    // Reports of values have their memory before.
    const VkPipeline other = create_compute(device, shaders::prints_comp);
    null_driver::Config config;
    config.faults = {{command, 0, VK_ERROR_OUT_OF_DEVICE_MEMORY}};
    driver().configure(config);
    const VkPipeline pipeline = create_compute_with(device, shaders::accesses_comp, layout);
    EXPECT_EQ(last_stages().at(0).words, shaders::accesses_comp) << command;
    for (const VkPipeline made : {other, pipeline}) device.vk.vkDestroyPipeline(device.handle, made, nullptr);
    device.vk.vkDestroyPipelineLayout(device.handle, layout, nullptr);
    device.vk.vkDestroyDescriptorSetLayout(device.handle, set_layout, nullptr);
  }
  EXPECT_EQ(notes_about("records of actions").size(), 3u) << "one a program";
}

class ShaderObjectFaults : public CommandTest {
 protected:
  ShaderObjectFaults() : CommandTest({nullptr, nullptr, {"VK_EXT_shader_object"}}) {}
};

// An action of theirs would have nothing to bind its record with.
TEST_F(ShaderObjectFaults, WithoutALayoutOfTheLayersNoneIsChecked) {
  null_driver::Config config;
  config.faults.push_back({"vkCreatePipelineLayout", 0, VK_ERROR_OUT_OF_DEVICE_MEMORY});
  driver().configure(config);
  const auto info =
      testing::shader_object_info(VK_SHADER_STAGE_COMPUTE_BIT, shaders::accesses_comp, {&set_layout_, 1});
  VkShaderEXT shader = VK_NULL_HANDLE;
  check(vk().vkCreateShadersEXT(device().handle, 1, &info, nullptr, &shader), "vkCreateShadersEXT");
  EXPECT_EQ(driver().log().pipelines.back().stages.at(0).words, shaders::accesses_comp);
  const VkCommandBuffer commands = begin();
  const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
  vk().vkCmdBindShadersEXT(commands, 1, &stage, &shader);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({{"CmdBindShadersEXT", "CmdDispatch"}}));
  EXPECT_EQ(notes_about("the pipeline layout that the check needs").size(), 1u);
  vk().vkDestroyShaderEXT(device().handle, shader, nullptr);
}

}  // namespace
}  // namespace shaderqa::layer_tests
