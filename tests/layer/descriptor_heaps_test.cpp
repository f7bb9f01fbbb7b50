// SPDX-License-Identifier: Apache-2.0
// Programs with descriptor heaps keep working, and what is not checked in them is said.
#include <string>
#include <vector>

#include "layer/vk/descriptor_heap.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

VkPhysicalDeviceDescriptorHeapFeaturesEXT* application_features() {
  static VkPhysicalDeviceDescriptorHeapFeaturesEXT features{};
  features = {};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_HEAP_FEATURES_EXT;
  features.descriptorHeap = VK_TRUE;
  return &features;
}

class DescriptorHeaps : public CommandTest {
 protected:
  DescriptorHeaps()
      : CommandTest({application_features(),
                     nullptr,
                     {VK_EXT_DESCRIPTOR_HEAP_EXTENSION_NAME, VK_EXT_SHADER_OBJECT_EXTENSION_NAME}},
                    host_visible(), "exact") {}
  void TearDown() override {
    vk().vkDestroyPipeline(device().handle, heap_pipeline_, nullptr);
    CommandTest::TearDown();
  }

  template <typename Function>
  Function command(const char* name) {
    const auto found = reinterpret_cast<Function>(vkGetDeviceProcAddr(device().handle, name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  void create_pipeline() {
    VkDescriptorSetAndBindingMappingEXT mapping{};
    mapping.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_AND_BINDING_MAPPING_EXT;
    mapping.bindingCount = 1;
    mapping.resourceMask = VK_SPIRV_RESOURCE_TYPE_ALL_EXT;
    VkShaderDescriptorSetAndBindingMappingInfoEXT mapped{};
    mapped.sType = VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT;
    mapped.mappingCount = 1;
    mapped.pMappings = &mapping;
    VkPipelineCreateFlags2CreateInfo flags{};
    flags.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO;
    flags.flags = VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT;
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.pNext = &flags;
    const VkShaderModule module = create_module(device(), shaders::accesses_comp);
    info.stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, module);
    info.stage.pNext = &mapped;
    check(vk().vkCreateComputePipelines(device().handle, VK_NULL_HANDLE, 1, &info, nullptr, &heap_pipeline_),
          "vkCreateComputePipelines");
    vk().vkDestroyShaderModule(device().handle, module, nullptr);
  }

  VkPipeline heap_pipeline_ = VK_NULL_HANDLE;
};

TEST_F(DescriptorHeaps, TheirPipelinesStayAsTheyAre) {
  create_pipeline();
  const null_driver::PipelineRecord made = driver().log().pipelines.back();
  EXPECT_EQ(made.handle, reinterpret_cast<uint64_t>(heap_pipeline_));
  EXPECT_EQ(made.layout, VkPipelineLayout{});
  ASSERT_EQ(made.stages.size(), 1u);
  EXPECT_EQ(made.stages[0].words, shaders::accesses_comp);
  EXPECT_EQ(made.stages[0].chain,
            null_driver::Chain{VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT});
  EXPECT_EQ(notes_about("pipelines with descriptor heaps").size(), 1u);
}

TEST_F(DescriptorHeaps, TheirCommandsReachTheDriver) {
  create_pipeline();
  VkBindHeapInfoEXT heap{};
  heap.sType = VK_STRUCTURE_TYPE_BIND_HEAP_INFO_EXT;
  heap.heapRange = {0x10000, 4096};
  const uint32_t data[] = {5, 6};
  VkPushDataInfoEXT push{};
  push.sType = VK_STRUCTURE_TYPE_PUSH_DATA_INFO_EXT;
  push.offset = 8;
  push.data = {data, sizeof data};
  const VkCommandBuffer commands = begin();
  command<PFN_vkCmdBindResourceHeapEXT>("vkCmdBindResourceHeapEXT")(commands, &heap);
  command<PFN_vkCmdPushDataEXT>("vkCmdPushDataEXT")(commands, &push);
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, heap_pipeline_);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands),
            with_ends({"CmdBindResourceHeapEXT", "CmdPushDataEXT", "CmdBindPipeline", "CmdDispatch"}));
}

// Neither set layouts nor anything else in their place may be given.
TEST_F(DescriptorHeaps, TheirShaderObjectsGetNoSetLayouts) {
  VkShaderCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT;
  info.flags = VK_SHADER_CREATE_DESCRIPTOR_HEAP_BIT_EXT;
  info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
  info.codeSize = shaders::accesses_comp.size() * sizeof(uint32_t);
  info.pCode = shaders::accesses_comp.data();
  info.pName = "main";
  VkShaderEXT shader = VK_NULL_HANDLE;
  check(vk().vkCreateShadersEXT(device().handle, 1, &info, nullptr, &shader), "vkCreateShadersEXT");
  EXPECT_EQ(last_stages().at(0).words, shaders::accesses_comp);
  EXPECT_EQ(notes_about("their descriptors are in descriptor heaps").size(), 1u);
  vk().vkDestroyShaderEXT(device().handle, shader, nullptr);
}

}  // namespace
}  // namespace shaderqa::layer_tests
