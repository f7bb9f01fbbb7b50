// SPDX-License-Identifier: Apache-2.0
// Calls that make several pipelines or shader objects, of which the driver refuses some: those alone are as
// the application has them, and the call returns what it would without the layer.
#include <algorithm>

#include "tests/layer/compiler_kit.h"
#include "tests/layer/pipelines.h"
#include "tests/support/shader_object_info.h"

namespace shaderqa::layer_tests {
namespace {

using null_driver::PipelineRecord;

class PartialFailure : public LayerTest {
 protected:
  PartialFailure() { set("SHADERQA_ASSUME", "1"), set("SHADERQA_PRINTF", "1"); }

  // What the driver gets for such a shader on this device.
  static Words instrumented(const Device& device, const Words& words) {
    create_and_destroy_compute(device, words);
    return last_stages().at(0).words;
  }
  // The words that each living pipeline was made from, by handle.
  static Words words_of(VkPipeline pipeline) {
    const null_driver::Log log = driver().log();
    for (auto record = log.pipelines.rbegin(); record != log.pipelines.rend(); ++record)
      if (record->handle == reinterpret_cast<uint64_t>(pipeline)) return record->stages.at(0).words;
    return {};
  }
};

struct Batch {
  Batch(const Device& its_device, const std::vector<Words>& sources) : device(its_device) {
    for (const Words& words : sources) {
      modules.push_back(create_module(device, words));
      VkComputePipelineCreateInfo info{};
      info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
      info.stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, modules.back());
      info.basePipelineIndex = -1;
      infos.push_back(info);
    }
    pipelines.resize(sources.size());
  }
  ~Batch() {
    for (const VkPipeline pipeline : pipelines) device.vk.vkDestroyPipeline(device.handle, pipeline, nullptr);
    for (const VkShaderModule module : modules)
      device.vk.vkDestroyShaderModule(device.handle, module, nullptr);
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  VkResult create() {
    return device.vk.vkCreateComputePipelines(device.handle, VK_NULL_HANDLE,
                                              static_cast<uint32_t>(infos.size()), infos.data(), nullptr,
                                              pipelines.data());
  }

  const Device& device;
  std::vector<VkShaderModule> modules;
  std::vector<VkComputePipelineCreateInfo> infos;
  std::vector<VkPipeline> pipelines;
};

TEST_F(PartialFailure, OnlyTheRefusedPipelineIsTheOriginal) {
  Program program;
  const Words prints = instrumented(program.device, shaders::prints_comp);
  ASSERT_NE(instrumented(program.device, shaders::assumes_comp), shaders::assumes_comp);
  accept({prints, shaders::assumes_comp, shaders::silent_comp});
  Batch batch(program.device, {shaders::prints_comp, shaders::assumes_comp, shaders::silent_comp});
  EXPECT_EQ(batch.create(), VK_SUCCESS);
  EXPECT_EQ(words_of(batch.pipelines[0]), prints);
  EXPECT_EQ(words_of(batch.pipelines[1]), shaders::assumes_comp);
  EXPECT_EQ(words_of(batch.pipelines[2]), shaders::silent_comp);
  EXPECT_EQ(notes().size(), 1u);
  EXPECT_EQ(driver().log().live["VkPipeline"], 3) << "pipelines of an attempt are left";
}

TEST_F(PartialFailure, WhatFailsByItselfFailsForTheApplicationToo) {
  Program program;
  const Words prints = instrumented(program.device, shaders::prints_comp);
  accept({prints, shaders::assumes_comp});
  Batch batch(program.device, {shaders::silent_comp, shaders::prints_comp, shaders::assumes_comp});
  EXPECT_EQ(batch.create(), VK_ERROR_UNKNOWN);
  EXPECT_EQ(batch.pipelines[0], VkPipeline(VK_NULL_HANDLE));
  EXPECT_EQ(words_of(batch.pipelines[1]), prints);
  EXPECT_EQ(words_of(batch.pipelines[2]), shaders::assumes_comp);
}

TEST_F(PartialFailure, WhatComesAfterAnEarlyReturnIsInstrumentedAllTheSame) {
  Program program;
  const Words prints = instrumented(program.device, shaders::prints_comp);
  accept({prints, shaders::assumes_comp});
  Batch batch(program.device, {shaders::assumes_comp, shaders::prints_comp});
  batch.infos[0].flags = VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
  EXPECT_EQ(batch.create(), VK_SUCCESS);
  EXPECT_EQ(words_of(batch.pipelines[0]), shaders::assumes_comp);
  EXPECT_EQ(words_of(batch.pipelines[1]), prints);
}

TEST_F(PartialFailure, AnEarlyReturnOfTheApplicationsOwnIsOne) {
  Program program;
  const Words prints = instrumented(program.device, shaders::prints_comp);
  accept({prints});
  Batch batch(program.device, {shaders::prints_comp, shaders::silent_comp, shaders::prints_comp});
  batch.infos[1].flags = VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
  EXPECT_EQ(batch.create(), VK_ERROR_UNKNOWN);
  EXPECT_EQ(words_of(batch.pipelines[0]), prints);
  EXPECT_EQ(batch.pipelines[1], VkPipeline(VK_NULL_HANDLE));
  EXPECT_EQ(batch.pipelines[2], VkPipeline(VK_NULL_HANDLE));
}

// Parent and child of one call: the parent is made in the first attempt, the child in the second.
TEST_F(PartialFailure, AChildFindsItsParent) {
  Program program;
  const Words prints = instrumented(program.device, shaders::prints_comp);
  accept({prints, shaders::assumes_comp});
  Batch batch(program.device, {shaders::prints_comp, shaders::assumes_comp, shaders::assumes_comp});
  batch.infos[0].flags = VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT;
  batch.infos[1].flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT | VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT;
  batch.infos[1].basePipelineIndex = 0;
  batch.infos[2].flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
  batch.infos[2].basePipelineIndex = 1;
  EXPECT_EQ(batch.create(), VK_SUCCESS);
  const null_driver::Log log = driver().log();
  const PipelineRecord& child = log.pipelines.at(log.pipelines.size() - 2);
  EXPECT_EQ(child.base_index, -1);
  EXPECT_EQ(child.base_handle, reinterpret_cast<uint64_t>(batch.pipelines[0]));
  EXPECT_EQ(log.pipelines.back().base_index, 0);
}

TEST_F(PartialFailure, OnlyTheRefusedShaderObjectIsTheOriginal) {
  Program program({}, {nullptr, nullptr, {"VK_EXT_shader_object"}});
  const Device& device = program.device;
  std::vector<VkShaderCreateInfoEXT> infos;
  infos.push_back(testing::shader_object_info(VK_SHADER_STAGE_VERTEX_BIT, shaders::prints_vert));
  infos.push_back(testing::shader_object_info(VK_SHADER_STAGE_FRAGMENT_BIT, shaders::prints_frag));
  const auto create = [&](std::vector<VkShaderEXT>& shaders) {
    return device.vk.vkCreateShadersEXT(device.handle, 2, infos.data(), nullptr, shaders.data());
  };
  const auto destroy = [&](const std::vector<VkShaderEXT>& shaders) {
    for (const VkShaderEXT shader : shaders) device.vk.vkDestroyShaderEXT(device.handle, shader, nullptr);
  };
  std::vector<VkShaderEXT> objects(2);
  ASSERT_EQ(create(objects), VK_SUCCESS);
  const Words vertex = driver().log().pipelines.at(0).stages.at(0).words;
  ASSERT_NE(vertex, shaders::prints_vert);
  destroy(objects);
  accept({vertex, shaders::prints_vert, shaders::prints_frag});
  const size_t before = driver().log().pipelines.size();
  ASSERT_EQ(create(objects), VK_SUCCESS);
  std::vector<Words> made;
  const null_driver::Log log = driver().log();
  for (size_t i = before; i < log.pipelines.size(); ++i)
    for (const VkShaderEXT object : objects)
      if (log.pipelines[i].handle == reinterpret_cast<uint64_t>(object) &&
          log.pipelines[i].result == VK_SUCCESS)
        made.push_back(log.pipelines[i].stages.at(0).words);
  // The last two attempts' handles may be those of the first, which were destroyed.
  EXPECT_TRUE(std::count(made.begin(), made.end(), vertex) > 0);
  EXPECT_TRUE(std::count(made.begin(), made.end(), shaders::prints_frag) > 0);
  EXPECT_EQ(notes().size(), 1u);
  destroy(objects);
  EXPECT_EQ(driver().log().live["VkShaderEXT"], 0);
}

}  // namespace
}  // namespace shaderqa::layer_tests
