// SPDX-License-Identifier: Apache-2.0
// Push descriptors, by each command that pushes: an action's record has the table of what was pushed until
// then.
#include <optional>
#include <string>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_table.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

enum class Way { plain, with_template, plain2, with_template2 };

std::string command_of(Way way) {
  switch (way) {
    case Way::plain:
      return "CmdPushDescriptorSet";
    case Way::with_template:
      return "CmdPushDescriptorSetWithTemplate";
    case Way::plain2:
      return "CmdPushDescriptorSet2";
    case Way::with_template2:
      break;
  }
  return "CmdPushDescriptorSetWithTemplate2";
}

class PushDescriptors : public CommandTest, public ::testing::WithParamInterface<Way> {
 protected:
  PushDescriptors() : CommandTest({nullptr, nullptr, {"VK_KHR_push_descriptor", "VK_KHR_maintenance6"}}) {
    other_.emplace(device(), 512);
    pushed_layout_ = create_set_layout(
        device(), {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}, {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}},
        VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT);
    push_layout_ = create_pipeline_layout(device(), {pushed_layout_});
    push_pipeline_ = create_compute_with(device(), shaders::accesses_comp, push_layout_);
    for (uint32_t binding = 0; binding < 2; ++binding) {
      VkDescriptorUpdateTemplateEntry entry{};
      entry.dstBinding = binding;
      entry.descriptorCount = 1;
      entry.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      VkDescriptorUpdateTemplateCreateInfo info{};
      info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO;
      info.descriptorUpdateEntryCount = 1;
      info.pDescriptorUpdateEntries = &entry;
      info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS;
      info.pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE;
      info.pipelineLayout = push_layout_;
      check(vk().vkCreateDescriptorUpdateTemplate(device().handle, &info, nullptr, &templates_[binding]),
            "vkCreateDescriptorUpdateTemplate");
    }
  }

  void TearDown() override {
    for (const VkDescriptorUpdateTemplate made : templates_) {
      vk().vkDestroyDescriptorUpdateTemplate(device().handle, made, nullptr);
    }
    vk().vkDestroyPipeline(device().handle, push_pipeline_, nullptr);
    vk().vkDestroyPipelineLayout(device().handle, push_layout_, nullptr);
    vk().vkDestroyDescriptorSetLayout(device().handle, pushed_layout_, nullptr);
    other_.reset();
    CommandTest::TearDown();
  }

  void push(VkCommandBuffer commands, uint32_t binding, const VkDescriptorBufferInfo& buffer) {
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstBinding = binding;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &buffer;
    switch (GetParam()) {
      case Way::plain:
        vk().vkCmdPushDescriptorSetKHR(commands, VK_PIPELINE_BIND_POINT_COMPUTE, push_layout_, 0, 1, &write);
        break;
      case Way::with_template:
        vk().vkCmdPushDescriptorSetWithTemplateKHR(commands, templates_[binding], push_layout_, 0, &buffer);
        break;
      case Way::plain2: {
        VkPushDescriptorSetInfo info{};
        info.sType = VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_INFO;
        info.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
        info.layout = push_layout_;
        info.descriptorWriteCount = 1;
        info.pDescriptorWrites = &write;
        vk().vkCmdPushDescriptorSet2KHR(commands, &info);
        break;
      }
      case Way::with_template2: {
        VkPushDescriptorSetWithTemplateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_INFO;
        info.descriptorUpdateTemplate = templates_[binding];
        info.layout = push_layout_;
        info.pData = &buffer;
        vk().vkCmdPushDescriptorSetWithTemplate2KHR(commands, &info);
        break;
      }
    }
  }

  // Addresses of the two slots of an action's table.
  static std::vector<uint64_t> slots_of(const uint32_t* record) {
    const auto table = reinterpret_cast<const uint32_t*>(address_at(record, SQA_ACTION_TABLES));
    if (!table) return {};
    EXPECT_EQ(table[0], 2u);
    return {address_at(table, SQA_TABLE_ENTRY_DWORDS), address_at(table, 2 * SQA_TABLE_ENTRY_DWORDS)};
  }
  using Addresses = std::vector<uint64_t>;

  std::optional<BoundBuffer> other_;
  VkDescriptorSetLayout pushed_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout push_layout_ = VK_NULL_HANDLE;
  VkPipeline push_pipeline_ = VK_NULL_HANDLE;
  VkDescriptorUpdateTemplate templates_[2] = {};
};

TEST_P(PushDescriptors, EachActionSeesWhatWasPushedBefore) {
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, push_pipeline_);
  push(commands, 0, {buffer_->handle, 0, VK_WHOLE_SIZE});
  dispatch(commands);
  push(commands, 1, {other_->handle, 0, VK_WHOLE_SIZE});
  dispatch(commands);
  push(commands, 0, {other_->handle, 256, 16});
  dispatch(commands);
  dispatch(commands);
  end(commands);
  const Stream one{command_of(GetParam())};
  EXPECT_EQ(stream_of(commands),
            joined({{"CmdBindPipeline"}, one, kAction, one, kAction, one, kAction, kAction}));
  const auto all = records();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(slots_of(all[0]), (Addresses{buffer_->address, 0}));
  EXPECT_EQ(slots_of(all[1]), (Addresses{buffer_->address, other_->address}));
  EXPECT_EQ(slots_of(all[2]), (Addresses{other_->address + 256, other_->address}));
  EXPECT_EQ(slots_of(all[3]), slots_of(all[2]));
  EXPECT_EQ(address_at(all[3], SQA_ACTION_TABLES), address_at(all[2], SQA_ACTION_TABLES))
      << "nothing was pushed in between";
  const auto range = reinterpret_cast<const uint32_t*>(address_at(all[2], SQA_ACTION_TABLES))[4 + 2];
  EXPECT_EQ(range, 16u);
}

TEST_P(PushDescriptors, ABoundSetTakesTheirPlace) {
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, push_pipeline_);
  push(commands, 0, {other_->handle, 0, VK_WHOLE_SIZE});
  dispatch(commands);
  bind(commands);
  dispatch(commands);
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, push_pipeline_);
  push(commands, 1, {other_->handle, 0, VK_WHOLE_SIZE});
  dispatch(commands);
  bind(commands);
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, push_pipeline_);
  push(commands, 0, {other_->handle, 0, VK_WHOLE_SIZE});
  dispatch(commands);
  end(commands);
  submit({commands});
  const auto all = records();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(slots_of(all[0]), (Addresses{other_->address, 0}));
  const auto table = reinterpret_cast<const uint32_t*>(address_at(all[1], SQA_ACTION_TABLES));
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table[0], 1u) << "the set's own";
  EXPECT_EQ(address_at(table, SQA_TABLE_ENTRY_DWORDS), buffer_->address);
  EXPECT_EQ(slots_of(all[2]), (Addresses{0, other_->address})) << "what was pushed before is lost";
  EXPECT_EQ(slots_of(all[3]), (Addresses{other_->address, 0}));
}

INSTANTIATE_TEST_SUITE_P(Commands, PushDescriptors,
                         ::testing::Values(Way::plain, Way::with_template, Way::plain2, Way::with_template2),
                         [](const auto& way) { return command_of(way.param); });

class Maintenance6 : public CommandTest {
 protected:
  Maintenance6() : CommandTest({nullptr, nullptr, {"VK_KHR_maintenance6"}}) {}
};

TEST_F(Maintenance6, BindsSetsForTheStagesThatItNames) {
  const VkDescriptorSetLayout set_layout =
      create_set_layout(device(), {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC}});
  const VkPipelineLayout layout = create_pipeline_layout(device(), {set_layout});
  const VkPipeline pipeline = create_compute_with(device(), shaders::accesses_comp, layout);
  {
    const OneSet set(device(), {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC}});
    set.write(0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, {{buffer_->handle, 0, 64}});
    const VkCommandBuffer commands = begin();
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    const auto bind_for = [&](VkShaderStageFlags stages, uint32_t offset) {
      VkBindDescriptorSetsInfo info{};
      info.sType = VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO;
      info.stageFlags = stages;
      info.layout = layout;
      info.descriptorSetCount = 1;
      info.pDescriptorSets = &set.handle;
      info.dynamicOffsetCount = 1;
      info.pDynamicOffsets = &offset;
      vk().vkCmdBindDescriptorSets2KHR(commands, &info);
    };
    bind_for(VK_SHADER_STAGE_FRAGMENT_BIT, 16);
    dispatch(commands);
    bind_for(VK_SHADER_STAGE_ALL, 32);
    dispatch(commands);
    end(commands);
    const Stream binds{"CmdBindDescriptorSets2"};
    EXPECT_EQ(stream_of(commands), joined({{"CmdBindPipeline"}, binds, kAction, binds, kAction}));
  }
  const auto all = records();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(address_at(all[0], SQA_ACTION_TABLES), 0u) << "bound for graphics alone";
  EXPECT_EQ(all[0][SQA_ACTION_DYNAMIC], 0u);
  EXPECT_NE(address_at(all[1], SQA_ACTION_TABLES), 0u);
  EXPECT_EQ(all[1][SQA_ACTION_DYNAMIC], 32u);
  vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
  vk().vkDestroyPipelineLayout(device().handle, layout, nullptr);
  vk().vkDestroyDescriptorSetLayout(device().handle, set_layout, nullptr);
}

}  // namespace
}  // namespace shaderqa::layer_tests
