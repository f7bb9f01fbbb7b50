// SPDX-License-Identifier: Apache-2.0
// What is known of descriptor set layouts and pipeline layouts: slots in tables, and where dynamic offsets
// are.
#include <gtest/gtest.h>

#include <vector>

#include "instrument/runtime/abi_action.h"
#include "layer/resources/pipeline_layouts.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr auto kDynamicStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
constexpr auto kDynamicUniform = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
constexpr auto kImage = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;

std::shared_ptr<const layer::SetLayout> read(const std::vector<VkDescriptorSetLayoutBinding>& bindings,
                                             const void* next = nullptr) {
  VkDescriptorSetLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  info.pNext = next;
  info.bindingCount = static_cast<uint32_t>(bindings.size());
  info.pBindings = bindings.data();
  return layer::read_set_layout(info);
}

TEST(SetLayouts, SlotsAndDynamicOffsetsAreCountedByBindingNumber) {
  // As Vulkan allows, not in the order of their numbers.
  const auto layout = read({{9, kDynamicUniform, 2, VK_SHADER_STAGE_ALL, nullptr},
                            {1, kDynamicStorage, 3, VK_SHADER_STAGE_ALL, nullptr},
                            {4, kImage, 5, VK_SHADER_STAGE_ALL, nullptr},
                            {7, kStorage, 4, VK_SHADER_STAGE_VERTEX_BIT, nullptr}});
  ASSERT_EQ(layout->bindings.size(), 4u);
  const auto* first = layout->find(1);
  const auto* image = layout->find(4);
  const auto* plain = layout->find(7);
  const auto* last = layout->find(9);
  ASSERT_TRUE(first && image && plain && last);
  EXPECT_EQ(layout->find(0), nullptr);
  EXPECT_EQ(layout->find(5), nullptr);
  EXPECT_EQ(layout->find(10), nullptr);
  EXPECT_EQ(first->slot, 0u);
  EXPECT_EQ(first->dynamic, 0u);
  EXPECT_EQ(image->slot, UINT32_MAX);
  EXPECT_EQ(image->dynamic, UINT32_MAX);
  EXPECT_EQ(plain->slot, 3u);
  EXPECT_EQ(plain->dynamic, UINT32_MAX);
  EXPECT_EQ(plain->stages, VkShaderStageFlags(VK_SHADER_STAGE_VERTEX_BIT));
  EXPECT_EQ(last->slot, 7u);
  EXPECT_EQ(last->dynamic, 3u);
  EXPECT_EQ(layout->slots, 9u);
  EXPECT_EQ(layout->dynamic_count, 5u);
  EXPECT_EQ(layout->slots_with(1), 9u) << "no binding has a variable count";
}

TEST(SetLayouts, AVariableCountIsThatOfTheLastBinding) {
  const VkDescriptorBindingFlags flags[] = {VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT,
                                            VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT};
  VkDescriptorSetLayoutBindingFlagsCreateInfo next{};
  next.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO;
  next.bindingCount = 2;
  next.pBindingFlags = flags;
  const auto layout =
      read({{0, kStorage, 3, VK_SHADER_STAGE_ALL, nullptr}, {1, kStorage, 100, VK_SHADER_STAGE_ALL, nullptr}},
           &next);
  EXPECT_FALSE(layout->find(0)->variable_count);
  EXPECT_TRUE(layout->find(1)->variable_count);
  EXPECT_EQ(layout->slots, 103u);
  EXPECT_EQ(layout->slots_with(0), 3u);
  EXPECT_EQ(layout->slots_with(7), 10u);
  EXPECT_EQ(layout->slots_with(1000), 103u);
  const auto images =
      read({{0, kStorage, 3, VK_SHADER_STAGE_ALL, nullptr}, {1, kImage, 100, VK_SHADER_STAGE_ALL, nullptr}},
           &next);
  EXPECT_EQ(images->slots_with(7), 3u) << "images have no slots";
}

TEST(SetLayouts, MutableBindingsHaveSlotsIfOneOfTheirTypesHas) {
  const VkDescriptorType buffers[] = {kImage, kStorage};
  const VkMutableDescriptorTypeListEXT lists[] = {{1, buffers}, {2, buffers}};
  VkMutableDescriptorTypeCreateInfoEXT next{};
  next.sType = VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT;
  next.mutableDescriptorTypeListCount = 2;
  next.pMutableDescriptorTypeLists = lists;
  const auto layout = read({{0, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 2, VK_SHADER_STAGE_ALL, nullptr},
                            {1, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 3, VK_SHADER_STAGE_ALL, nullptr},
                            {2, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 4, VK_SHADER_STAGE_ALL, nullptr}},
                           &next);
  EXPECT_EQ(layout->find(0)->slot, UINT32_MAX);
  EXPECT_EQ(layout->find(1)->slot, 0u);
  EXPECT_EQ(layout->find(1)->mutable_types.size(), 2u);
  EXPECT_EQ(layout->find(2)->slot, UINT32_MAX) << "there is no list of its types";
  EXPECT_EQ(layout->slots, 3u);
}

TEST(SetLayouts, TooManySlotsForATableAreNone) {
  const auto layout = read({{0, kStorage, (1u << 24) - 2, VK_SHADER_STAGE_ALL, nullptr},
                            {1, kStorage, 3, VK_SHADER_STAGE_ALL, nullptr},
                            {2, kStorage, 2, VK_SHADER_STAGE_ALL, nullptr},
                            {3, kStorage, 1, VK_SHADER_STAGE_ALL, nullptr}});
  EXPECT_EQ(layout->find(0)->slot, 0u);
  EXPECT_EQ(layout->find(1)->slot, UINT32_MAX);
  EXPECT_EQ(layout->find(2)->slot, (1u << 24) - 2);
  EXPECT_EQ(layout->find(3)->slot, UINT32_MAX);
  EXPECT_EQ(layout->slots, 1u << 24);
}

// Dynamic offsets are numbered through all sets of a pipeline layout.
class DynamicOffsets : public CommandTest {
 protected:
  static std::vector<uint32_t> offsets_of(const uint32_t* record, uint32_t count) {
    return {record + SQA_ACTION_DYNAMIC, record + SQA_ACTION_DYNAMIC + count};
  }
};

TEST_F(DynamicOffsets, EachSetKeepsItsPlaceInTheRecord) {
  const std::vector<BindingOptions> two{{0, kDynamicStorage, 2, 0, {}}};
  const std::vector<BindingOptions> three{{0, kDynamicUniform, 1, 0, {}}, {3, kDynamicStorage, 2, 0, {}}};
  const VkDescriptorSetLayout layouts[] = {create_set_layout(device(), two),
                                           create_set_layout(device(), three)};
  const VkPipelineLayout layout = create_pipeline_layout(device(), {layouts[0], layouts[1], layouts[0]});
  const VkPipeline pipeline = create_compute_with(device(), shaders::accesses_comp, layout);
  {
    const OneSet pair(device(), two), triple(device(), three);
    const VkDescriptorSet sets[] = {pair.handle, triple.handle, pair.handle};
    const VkCommandBuffer commands = begin();
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    const uint32_t all[] = {16, 32, 48, 64, 80, 96, 112};
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 3, sets, 7, all);
    dispatch(commands);
    const uint32_t others[] = {256, 272, 288};
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 1, 1, sets + 1, 3, others);
    dispatch(commands);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 2, 1, sets, 2, all);
    dispatch(commands);
    end(commands);
  }
  const auto written = records();
  ASSERT_EQ(written.size(), 3u);
  EXPECT_EQ(offsets_of(written[0], 7), (std::vector<uint32_t>{16, 32, 48, 64, 80, 96, 112}));
  EXPECT_EQ(offsets_of(written[1], 7), (std::vector<uint32_t>{16, 32, 256, 272, 288, 96, 112}));
  EXPECT_EQ(offsets_of(written[2], 7), (std::vector<uint32_t>{16, 32, 256, 272, 288, 16, 32}));
  vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
  vk().vkDestroyPipelineLayout(device().handle, layout, nullptr);
  for (const VkDescriptorSetLayout one : layouts)
    vk().vkDestroyDescriptorSetLayout(device().handle, one, nullptr);
}

}  // namespace
}  // namespace shaderqa::layer_tests
