// SPDX-License-Identifier: Apache-2.0
// Binding an action's record disturbs sets that were bound with a longer or another layout. They are bound
// again, as the application had them, before an action that may use them.
#include <vector>

#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

constexpr auto kDynamic = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
constexpr auto kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;

// `layout_` and `pipeline_` have one set, those of this class two more, each with a dynamic offset.
class DisturbedSets : public CommandTest {
 protected:
  explicit DisturbedSets(const char* engine = "bloom") : CommandTest({}, {}, engine) {
    const std::vector<BindingOptions> bindings{{0, kDynamic, 1, 0, {}}};
    dynamic_.emplace(device(), bindings);
    dynamic_layout_ = create_set_layout(device(), bindings);
    long_ = create_pipeline_layout(device(), {set_layout_, dynamic_layout_, dynamic_layout_});
    long_pipeline_ = create_compute_with(device(), shaders::accesses_comp, long_);
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
    VkPipelineLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    info.setLayoutCount = 1;
    info.pSetLayouts = &set_layout_;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    check(vk().vkCreatePipelineLayout(device().handle, &info, nullptr, &other_), "vkCreatePipelineLayout");
    other_pipeline_ = create_compute_with(device(), shaders::accesses_comp, other_);
  }
  void TearDown() override {
    for (const VkPipeline pipeline : {long_pipeline_, other_pipeline_})
      vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
    for (const VkPipelineLayout layout : {long_, other_})
      vk().vkDestroyPipelineLayout(device().handle, layout, nullptr);
    vk().vkDestroyDescriptorSetLayout(device().handle, dynamic_layout_, nullptr);
    dynamic_.reset();
    CommandTest::TearDown();
  }

  void bind_pipeline(VkCommandBuffer commands, VkPipeline pipeline) {
    vk().vkCmdBindPipeline(commands, kCompute, pipeline);
  }
  // All three sets, with the long layout.
  void bind_all(VkCommandBuffer commands) {
    const VkDescriptorSet sets[] = {descriptors_->handle, dynamic_->handle, dynamic_->handle};
    const uint32_t offsets[] = {32, 64};
    vk().vkCmdBindDescriptorSets(commands, kCompute, long_, 0, 3, sets, 2, offsets);
  }
  void bind_first(VkCommandBuffer commands, VkPipelineLayout layout) {
    vk().vkCmdBindDescriptorSets(commands, kCompute, layout, 0, 1, &descriptors_->handle, 0, nullptr);
  }

  // Each command that binds sets, as {first set, number, dynamic offsets...}: {} for a record.
  using Binds = std::vector<std::vector<uint64_t>>;
  static Binds binds_of(VkCommandBuffer commands) {
    Binds all;
    for (const null_driver::CommandRecord& record : driver().log().commands) {
      if (record.command_buffer != reinterpret_cast<uint64_t>(commands) ||
          record.command != "CmdBindDescriptorSets")
        continue;
      all.emplace_back(record.values.begin() + 1, record.values.end());
      if (all.back()[0] == 7) all.back().clear();
    }
    return all;
  }
  static inline const std::vector<uint64_t> kRecord{}, kAll{0, 3, 32, 64}, kFirst{0, 1}, kSecond{1, 1, 32},
      kThird{2, 1, 64};

  std::optional<OneSet> dynamic_;
  VkDescriptorSetLayout dynamic_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout long_ = VK_NULL_HANDLE, other_ = VK_NULL_HANDLE;  // other_ has push constants
  VkPipeline long_pipeline_ = VK_NULL_HANDLE, other_pipeline_ = VK_NULL_HANDLE;
};

TEST_F(DisturbedSets, AreNoneWhereTheLayoutsAreTheSame) {
  const VkCommandBuffer commands = begin();
  bind_pipeline(commands, long_pipeline_);
  bind_all(commands);
  for (int i = 0; i < 2; ++i) dispatch(commands);
  end(commands);
  EXPECT_EQ(binds_of(commands), (Binds{kAll, kRecord, kRecord}));
}

TEST_F(DisturbedSets, AreBoundAgainForWhoeverMayUseThem) {
  const VkCommandBuffer commands = begin();
  bind_pipeline(commands, pipeline_);
  bind_all(commands);
  dispatch(commands);
  dispatch(commands);
  bind_pipeline(commands, long_pipeline_);
  dispatch(commands);
  dispatch(commands);
  bind_pipeline(commands, pipeline_);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(binds_of(commands), (Binds{kAll, kRecord, kRecord, kSecond, kThird, kRecord, kRecord, kRecord}))
      << "the pipeline of one set does not use them";
}

TEST_F(DisturbedSets, AreThoseOfAnotherLayoutsPushConstantsToo) {
  const VkCommandBuffer commands = begin();
  bind_all(commands);
  bind_pipeline(commands, other_pipeline_);
  dispatch(commands);
  bind_pipeline(commands, long_pipeline_);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(binds_of(commands), (Binds{kAll, kRecord, kFirst, kSecond, kThird, kRecord}));
}

TEST_F(DisturbedSets, AreNoneWherePushConstantsAreTheSame) {
  const auto layout_with = [&](const VkPushConstantRange& range) {
    VkPipelineLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    info.setLayoutCount = 1;
    info.pSetLayouts = &set_layout_;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    check(vk().vkCreatePipelineLayout(device().handle, &info, nullptr, &layout), "vkCreatePipelineLayout");
    return layout;
  };
  for (const auto& [range, same] : {std::pair{VkPushConstantRange{VK_SHADER_STAGE_COMPUTE_BIT, 0, 16}, true},
                                    {VkPushConstantRange{VK_SHADER_STAGE_ALL, 0, 16}, false},
                                    {VkPushConstantRange{VK_SHADER_STAGE_COMPUTE_BIT, 4, 16}, false},
                                    {VkPushConstantRange{VK_SHADER_STAGE_COMPUTE_BIT, 0, 12}, false}}) {
    const VkPipelineLayout layout = layout_with(range);
    const VkPipeline pipeline = create_compute_with(device(), shaders::accesses_comp, layout);
    const VkCommandBuffer commands = begin();
    bind_first(commands, other_);
    bind_pipeline(commands, pipeline);
    dispatch(commands);
    bind_pipeline(commands, other_pipeline_);
    dispatch(commands);
    end(commands);
    EXPECT_EQ(binds_of(commands),
              same ? (Binds{kFirst, kRecord, kRecord}) : (Binds{kFirst, kRecord, kFirst, kRecord}))
        << range.stageFlags << " " << range.offset << " " << range.size;
    vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
    vk().vkDestroyPipelineLayout(device().handle, layout, nullptr);
  }
}

TEST_F(DisturbedSets, ThatTheApplicationDisturbedItselfStayAsTheyAre) {
  const VkCommandBuffer commands = begin();
  bind_all(commands);
  bind_pipeline(commands, other_pipeline_);
  bind_first(commands, other_);
  dispatch(commands);
  bind_pipeline(commands, long_pipeline_);
  dispatch(commands);
  bind_first(commands, long_);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(binds_of(commands), (Binds{kAll, kFirst, kRecord, kRecord, kFirst, kRecord}));
}

TEST_F(DisturbedSets, ThatAreBoundAnewAreNotBoundAgain) {
  const VkCommandBuffer commands = begin();
  bind_pipeline(commands, pipeline_);
  bind_all(commands);
  dispatch(commands);
  bind_all(commands);
  bind_pipeline(commands, long_pipeline_);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(binds_of(commands), (Binds{kAll, kRecord, kAll, kRecord}));
}

TEST_F(DisturbedSets, OfAnEarlierRecordingAreForgotten) {
  const VkCommandBuffer commands = begin();
  bind_pipeline(commands, pipeline_);
  bind_all(commands);
  dispatch(commands);
  end(commands);
  begin(commands);
  const size_t before = binds_of(commands).size();
  bind_pipeline(commands, long_pipeline_);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(binds_of(commands).size(), before + 1) << "the record";
}

TEST_F(DisturbedSets, AreBoundAgainForPipelinesWithoutChecks) {
  const VkPipeline silent = create_compute_with(device(), shaders::silent_comp, long_);
  const VkCommandBuffer commands = begin();
  bind_pipeline(commands, pipeline_);
  bind_all(commands);
  dispatch(commands);
  bind_pipeline(commands, silent);
  dispatch(commands);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(binds_of(commands), (Binds{kAll, kRecord, kSecond, kThird}));
  vk().vkDestroyPipeline(device().handle, silent, nullptr);
}

class ExactDisturbedSets : public DisturbedSets {
 protected:
  ExactDisturbedSets() : DisturbedSets("exact") {}
};

TEST_F(ExactDisturbedSets, AreBoundAgainForWhoeverMayUseThem) {
  const VkCommandBuffer commands = begin();
  bind_pipeline(commands, pipeline_);
  bind_all(commands);
  dispatch(commands);
  bind_pipeline(commands, long_pipeline_);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(binds_of(commands), (Binds{kAll, kRecord, kSecond, kThird, kRecord}));
}

}  // namespace
}  // namespace shaderqa::layer_tests
