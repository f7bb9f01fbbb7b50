// SPDX-License-Identifier: Apache-2.0
// With what options shaders are rewritten, as their words tell: which of the application's specialisation
// constants count, and what settings exclude each other.
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

// shared.comp: constant 3 is the number of elements in workgroup memory, 8 if nobody sets it.
class SpecialisedShaders : public CommandTest {
 protected:
  struct Constant {
    uint32_t id = 0;
    std::vector<uint8_t> bytes;
  };
  static Constant constant(uint32_t id, uint32_t value) {
    Constant one{id, std::vector<uint8_t>(sizeof value)};
    std::memcpy(one.bytes.data(), &value, sizeof value);
    return one;
  }
  // The words that the driver gets for a pipeline with these constants.
  Words words_with(const std::vector<Constant>& constants, const Words& shader = shaders::shared_comp) {
    std::vector<VkSpecializationMapEntry> entries;
    std::vector<uint8_t> data;
    for (const Constant& one : constants) {
      entries.push_back({one.id, static_cast<uint32_t>(data.size()), one.bytes.size()});
      data.insert(data.end(), one.bytes.begin(), one.bytes.end());
    }
    const VkSpecializationInfo specialisation{static_cast<uint32_t>(entries.size()), entries.data(),
                                              data.size(), data.data()};
    const VkShaderModule module = create_module(device(), shader);
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, module);
    if (!constants.empty()) info.stage.pSpecializationInfo = &specialisation;
    info.layout = layout_;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vk().vkCreateComputePipelines(device().handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "vkCreateComputePipelines");
    const VkPipeline used = use(device(), pipeline);
    Words words;
    for (const null_driver::PipelineRecord& record : driver().log().pipelines)
      if (record.handle == reinterpret_cast<uint64_t>(used)) words = record.stages.at(0).words;
    vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
    vk().vkDestroyShaderModule(device().handle, module, nullptr);
    return words;
  }
};

TEST_F(SpecialisedShaders, TheConstantsOfWorkgroupMemoryCount) {
  const Words eight = words_with({});
  EXPECT_NE(eight, shaders::shared_comp);
  EXPECT_EQ(words_with({constant(3, 8)}), eight);
  const Words sixteen = words_with({constant(3, 16)});
  EXPECT_NE(sixteen, eight);
  EXPECT_EQ(words_with({constant(3, 16)}), sixteen);
  EXPECT_NE(words_with({constant(3, 24)}), sixteen);
}

TEST_F(SpecialisedShaders, OtherConstantsDoNot) {
  const Words eight = words_with({}), sixteen = words_with({constant(3, 16)});
  EXPECT_EQ(words_with({constant(4, 16)}), eight);
  EXPECT_EQ(words_with({constant(2, 24), constant(3, 16), constant(4, 24)}), sixteen)
      << "each value is where its entry says";
  EXPECT_EQ(words_with({{3, {16, 0, 0, 0, 0, 0, 0, 0}}}), eight) << "64 bits are no size";
  EXPECT_EQ(words_with({{3, {16, 0}}}), eight);
}

TEST_F(SpecialisedShaders, ConstantsSayWhatIsAnInvocationsOwn) {
  const Words own = words_with({}, shaders::steps_comp);
  EXPECT_EQ(words_with({constant(3, 1)}, shaders::steps_comp).size(), own.size());
  EXPECT_GT(words_with({constant(3, 0)}, shaders::steps_comp).size(), own.size())
      << "all invocations access one element, which has to be checked";
}

// accesses_twice.comp loads what the invocation has just stored.
class ShaderOptions : public SyncTest {
 protected:
  size_t words_with(const std::map<std::string, std::string>& settings) {
    for (const auto& [variable, value] : settings) set(variable, value);
    driver().reset({});
    const Program program;
    const Device& device = program.device;
    const VkDescriptorSetLayout set_layout =
        create_set_layout(device, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, 0, {}}});
    const VkPipelineLayout layout = create_pipeline_layout(device, {set_layout});
    const VkPipeline pipeline = create_compute_with(device, shaders::accesses_twice_comp, layout);
    const VkPipeline used = use(device, pipeline);
    size_t words = 0;
    for (const null_driver::PipelineRecord& record : driver().log().pipelines)
      if (record.handle == reinterpret_cast<uint64_t>(used)) words = record.stages.at(0).words.size();
    device.vk.vkDestroyPipeline(device.handle, pipeline, nullptr);
    device.vk.vkDestroyPipelineLayout(device.handle, layout, nullptr);
    device.vk.vkDestroyDescriptorSetLayout(device.handle, set_layout, nullptr);
    for (const auto& [variable, value] : settings) unset(variable);
    return words;
  }
};

TEST_F(ShaderOptions, AccessesAreMergedUnlessEachIsNeeded) {
  const auto words = [&](const char* engine, const char* merge, const char* redundant) {
    return words_with(
        {{"SHADERQA_SYNC", engine}, {"SHADERQA_SYNC_MERGE", merge}, {"SHADERQA_SYNC_REDUNDANT", redundant}});
  };
  const size_t merged = words("exact", "true", "false"), single = words("exact", "false", "false");
  EXPECT_GT(merged, shaders::accesses_twice_comp.size());
  EXPECT_LT(merged, single);
  EXPECT_LT(words("bloom", "true", "false"), words("bloom", "false", "false"));
  const size_t footprints = words("exact", "true", "true");
  EXPECT_EQ(footprints, words("exact", "false", "true")) << "a load that is not recorded has no footprint";
  EXPECT_NE(footprints, single);
}

}  // namespace
}  // namespace shaderqa::layer_tests
