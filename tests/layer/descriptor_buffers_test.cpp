// SPDX-License-Identifier: Apache-2.0
// Pipelines whose sets lie in descriptor buffers: their action records are pushed.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/layer/descriptor_buffer_kit.h"

namespace shaderqa::layer_tests {
namespace {

const std::vector<BindingOptions> kOneBuffer = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};

class DescriptorBuffers : public CommandTest {
 protected:
  explicit DescriptorBuffers(const null_driver::Config& config = {})
      : CommandTest(with_descriptor_buffers(), config) {
    in_buffers_ = create_set_layout(device(), kOneBuffer, kInBuffers);
  }
  void TearDown() override {
    vk().vkDestroyPipeline(device().handle, pushed_pipeline_, nullptr);
    vk().vkDestroyPipelineLayout(device().handle, pushed_layout_, nullptr);
    vk().vkDestroyDescriptorSetLayout(device().handle, in_buffers_, nullptr);
    CommandTest::TearDown();
  }
  void make_pipeline() {
    pushed_layout_ = create_pipeline_layout(device(), {in_buffers_});
    pushed_pipeline_ = create_compute_with(device(), shaders::accesses_address_comp, pushed_layout_);
  }
  // What the driver got for a layout of these.
  null_driver::PipelineLayoutRecord layout_of(const std::vector<VkDescriptorSetLayout>& sets) {
    const VkPipelineLayout layout = create_pipeline_layout(device(), sets);
    const auto record = driver().log().pipeline_layouts.back();
    vk().vkDestroyPipelineLayout(device().handle, layout, nullptr);
    return record;
  }
  static null_driver::SetLayoutRecord set_of(VkDescriptorSetLayout layout) {
    null_driver::SetLayoutRecord found;
    for (const auto& record : driver().log().set_layouts)
      if (record.handle == layout) found = record;
    return found;
  }

  static inline const Stream kPushed{"CmdPipelineBarrier", "CmdPushDescriptorSet", "CmdDispatch"};
  VkDescriptorSetLayout in_buffers_ = VK_NULL_HANDLE;
  VkPipelineLayout pushed_layout_ = VK_NULL_HANDLE;
  VkPipeline pushed_pipeline_ = VK_NULL_HANDLE;
};

TEST_F(DescriptorBuffers, SwitchPushDescriptorsOn) {
  const null_driver::DeviceRecord record = driver().log().devices.at(0);
  EXPECT_TRUE(record.features.contains("descriptorBufferPushDescriptors"));
  EXPECT_EQ(std::ranges::count(record.extensions, "VK_KHR_push_descriptor"), 1);
}

TEST_F(DescriptorBuffers, GetTheReservedSetAsAPushDescriptor) {
  const auto record = layout_of({in_buffers_});
  ASSERT_EQ(record.set_layouts.size(), 8u);
  EXPECT_EQ(record.set_layouts[0], in_buffers_);
  const auto gap = set_of(record.set_layouts[1]);
  EXPECT_EQ(gap.flags, VkDescriptorSetLayoutCreateFlags(kInBuffers));
  EXPECT_TRUE(gap.bindings.empty());
  const auto reserved = set_of(record.set_layouts[7]);
  EXPECT_EQ(reserved.flags, kInBuffers | VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT);
  ASSERT_EQ(reserved.bindings.size(), 1u);
  EXPECT_EQ(reserved.bindings[0].descriptorType, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
  EXPECT_EQ(notes_about("does not follow such descriptors").size(), 1u);
}

TEST_F(DescriptorBuffers, RecordsArePushedBetweenThoseThatAreBound) {
  make_pipeline();
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pushed_pipeline_);
  dispatch(commands);
  bind(commands);
  dispatch(commands);
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pushed_pipeline_);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands),
            joined({{"CmdBindPipeline"}, kPushed, kBound, kAction, {"CmdBindPipeline"}, kPushed}));
  EXPECT_EQ(records().size(), 3u);
}

TEST_F(DescriptorBuffers, RecordsArePushedWithALayoutThatTheApplicationDestroyed) {
  make_pipeline();
  vk().vkDestroyPipelineLayout(device().handle, pushed_layout_, nullptr);
  pushed_layout_ = VK_NULL_HANDLE;
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pushed_pipeline_);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({{"CmdBindPipeline"}, kPushed}));
  EXPECT_EQ(driver().log().violations, std::vector<std::string>());
}

// With the application's allocator it must free the layout when it says so: the layer has one of its own.
TEST_F(DescriptorBuffers, RecordsDoNotNeedALayoutThatTheApplicationAllocatedFor) {
  const VkAllocationCallbacks allocator{
      nullptr,
      [](void*, size_t size, size_t, VkSystemAllocationScope) { return std::malloc(size); },
      [](void*, void* memory, size_t size, size_t, VkSystemAllocationScope) {
        return std::realloc(memory, size);
      },
      [](void*, void* memory) { std::free(memory); },
      nullptr,
      nullptr};
  std::vector<VkPipeline> pipelines;
  for (const bool pushed : {true, false}) {
    VkPipelineLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    info.setLayoutCount = 1;
    info.pSetLayouts = pushed ? &in_buffers_ : &set_layout_;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    check(vk().vkCreatePipelineLayout(device().handle, &info, &allocator, &layout), "vkCreatePipelineLayout");
    pipelines.push_back(create_compute_with(device(), shaders::accesses_address_comp, layout));
    const int64_t living = driver().log().live["VkPipelineLayout"];
    vk().vkDestroyPipelineLayout(device().handle, layout, &allocator);
    EXPECT_EQ(driver().log().live["VkPipelineLayout"], living - 1) << "it must go at once";
  }
  const VkCommandBuffer commands = begin();
  for (const VkPipeline pipeline : pipelines) {
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    dispatch(commands);
  }
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({{"CmdBindPipeline"}, kPushed, {"CmdBindPipeline"}, kAction}));
  EXPECT_EQ(driver().log().violations, std::vector<std::string>());
  for (const VkPipeline pipeline : pipelines) vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
}

TEST_F(DescriptorBuffers, BesidePushDescriptorsOfTheApplicationStayAsTheyAre) {
  const VkDescriptorSetLayout pushed = create_set_layout(
      device(), kOneBuffer, kInBuffers | VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT);
  EXPECT_EQ(layout_of({in_buffers_, pushed}).set_layouts.size(), 2u);
  EXPECT_EQ(notes_about("there can be one set of them").size(), 1u);
  vk().vkDestroyDescriptorSetLayout(device().handle, pushed, nullptr);
}

// Which of the two kinds its pipelines are for is not known.
TEST_F(DescriptorBuffers, LayoutsOfNoSetStayAsTheyAre) {
  EXPECT_EQ(layout_of({}).set_layouts.size(), 0u);
  EXPECT_EQ(layout_of({VK_NULL_HANDLE, VK_NULL_HANDLE}).set_layouts.size(), 2u);
  EXPECT_EQ(layout_of({VK_NULL_HANDLE, in_buffers_}).set_layouts.size(), 8u);
}

class DescriptorBuffersWithoutPushing : public DescriptorBuffers {
 protected:
  static null_driver::Config config() {
    null_driver::Config config;
    config.bufferless_push_descriptors = false;
    return config;
  }
  DescriptorBuffersWithoutPushing() : DescriptorBuffers(config()) {}
};

TEST_F(DescriptorBuffersWithoutPushing, StayAsTheyAre) {
  EXPECT_FALSE(driver().log().devices.at(0).features.contains("descriptorBufferPushDescriptors"));
  make_pipeline();
  EXPECT_EQ(driver().log().pipeline_layouts.back().set_layouts.size(), 1u);
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pushed_pipeline_);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({{"CmdBindPipeline", "CmdDispatch"}}));
  EXPECT_EQ(notes_about("beside which the device has no push descriptors").size(), 1u);
}

// An application that uses the structure of Vulkan 1.4 says there that it wants no push descriptors.
class DescriptorBuffersOf14 : public SyncTest, public ::testing::WithParamInterface<VkBool32> {};

TEST_P(DescriptorBuffersOf14, SwitchPushDescriptorsOnInTheStructureToo) {
  null_driver::Config config;
  config.api_version = VK_API_VERSION_1_4;
  driver().reset(config);
  VkPhysicalDeviceVulkan14Features features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES;
  features.pushDescriptor = GetParam();
  const DeviceOptions options = with_descriptor_buffers();
  descriptor_buffer_features()->pNext = &features;
  const Program program({VK_API_VERSION_1_4, true, {}, nullptr}, options);
  const null_driver::DeviceRecord record = driver().log().devices.at(0);
  EXPECT_TRUE(record.features.contains("descriptorBufferPushDescriptors"));
  EXPECT_TRUE(record.features.contains("pushDescriptor"));
  EXPECT_EQ(features.pushDescriptor, GetParam()) << "the application's structure stays as it is";
}

INSTANTIATE_TEST_SUITE_P(PushDescriptors, DescriptorBuffersOf14, ::testing::Values(VK_FALSE, VK_TRUE));

using DescriptorBufferCases = LayerTest;

TEST_F(DescriptorBufferCases, WithoutSyncNothingIsSwitchedOn) {
  Program program({}, with_descriptor_buffers());
  const null_driver::DeviceRecord record = driver().log().devices.at(0);
  EXPECT_FALSE(record.features.contains("descriptorBufferPushDescriptors"));
  EXPECT_EQ(std::ranges::count(record.extensions, "VK_KHR_push_descriptor"), 0);
}

}  // namespace
}  // namespace shaderqa::layer_tests
