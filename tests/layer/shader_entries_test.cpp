// SPDX-License-Identifier: Apache-2.0
// What of the application's shaders reaches the driver, by each way in.
#include <tuple>

#include "tests/layer/layer_test.h"
#include "tests/layer/pipelines.h"
#include "tests/support/shader_object_info.h"

namespace shaderqa::layer_tests {
namespace {

using null_driver::PipelineRecord;
using null_driver::StageRecord;

// Stages of all pipelines and shader objects that reached the driver. A shader object's original may follow,
// from which the layer answers vkGetShaderBinaryDataEXT.
std::vector<StageRecord> driver_stages() {
  std::vector<StageRecord> stages;
  for (const PipelineRecord& pipeline : driver().log().pipelines) {
    stages.insert(stages.end(), pipeline.stages.begin(), pipeline.stages.end());
  }
  return stages;
}

class ShaderEntry : public LayerTest, public ::testing::WithParamInterface<std::tuple<Kind, Code>> {
 protected:
  Kind kind() const { return std::get<Kind>(GetParam()); }
  Code code() const { return std::get<Code>(GetParam()); }
  DeviceOptions device_options() const { return {nullptr, nullptr, pipeline_extensions()}; }
};

TEST_P(ShaderEntry, PrintingStagesReachTheDriverInstrumented) {
  const std::vector<StageSource> sources = printing_stages(kind());
  Program program({}, device_options());
  PipelineMaker maker(program.device, kind(), code());
  ASSERT_EQ(maker.create(sources), VK_SUCCESS);
  const std::vector<StageRecord> stages = driver_stages();
  ASSERT_GE(stages.size(), sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    EXPECT_EQ(stages[i].stage, sources[i].stage);
    EXPECT_EQ(stages[i].entry_point, "main");
    EXPECT_NE(stages[i].words, *sources[i].words);
    EXPECT_NE(root_of(stages[i].words), nullptr) << "the words do not hold the root block's address";
  }
  EXPECT_EQ(notes(), std::vector<std::string>());
}

TEST_P(ShaderEntry, TheMessagesOfItsStagesArePrinted) {
  const std::vector<StageSource> sources = printing_stages(kind());
  Program program({}, device_options());
  PipelineMaker maker(program.device, kind(), code());
  ASSERT_EQ(maker.create(sources), VK_SUCCESS);
  for (const StageSource& source : sources) print(site_id(*source.words), 0);
  ASSERT_EQ(program.device.vk.vkDeviceWaitIdle(program.device.handle), VK_SUCCESS);
  EXPECT_EQ(messages().size(), sources.size());
}

TEST_P(ShaderEntry, OtherStagesReachItAsTheyAre) {
  std::vector<StageSource> sources = {{VK_SHADER_STAGE_COMPUTE_BIT, &shaders::silent_comp}};
  if (kind() == Kind::graphics || kind() == Kind::shader_objects) {
    sources = {{VK_SHADER_STAGE_VERTEX_BIT, &shaders::silent_vert},
               {VK_SHADER_STAGE_FRAGMENT_BIT, &shaders::prints_frag}};
  } else if (kind() != Kind::compute) {
    // What the driver does not look at may be of another stage.
    sources = {{VK_SHADER_STAGE_RAYGEN_BIT_KHR, &shaders::silent_vert},
               {VK_SHADER_STAGE_MISS_BIT_KHR, &shaders::prints_rmiss}};
  }
  Program program({}, device_options());
  PipelineMaker maker(program.device, kind(), code());
  ASSERT_EQ(maker.create(sources), VK_SUCCESS);
  const std::vector<StageRecord> stages = driver_stages();
  ASSERT_GE(stages.size(), sources.size());
  EXPECT_EQ(stages[0].words, *sources[0].words);
  const bool app_put_it_inline = code() == Code::inline_in_chain && kind() != Kind::shader_objects;
  EXPECT_EQ(stages[0].inline_module, app_put_it_inline);
  if (sources.size() > 1) {
    EXPECT_NE(stages[1].words, *sources[1].words);
  }
}

TEST_P(ShaderEntry, NoTemporaryModuleIsLeft) {
  Program program({}, device_options());
  {
    PipelineMaker maker(program.device, kind(), code());
    ASSERT_EQ(maker.create(printing_stages(kind())), VK_SUCCESS);
  }
  null_driver::Log log = driver().log();
  EXPECT_EQ(log.live["VkShaderModule"], 0);
  EXPECT_EQ(log.live["VkPipeline"], 0);
  EXPECT_EQ(log.live["VkShaderEXT"], 0);
}

TEST_P(ShaderEntry, ARefusedRewriteIsReplacedByTheOriginal) {
  const std::vector<StageSource> sources = printing_stages(kind());
  null_driver::Config config;
  for (const StageSource& source : sources) config.accepted_words.push_back(*source.words);
  driver().reset(config);
  Program program({}, device_options());
  PipelineMaker maker(program.device, kind(), code());
  ASSERT_EQ(maker.create(sources), VK_SUCCESS);
  EXPECT_EQ(notes().size(), sources.size()) << "one for each shader";
  const std::vector<StageRecord> stages = driver_stages();
  ASSERT_GE(stages.size(), sources.size());
  EXPECT_EQ(stages.back().words, *sources.back().words);
}

std::string parameter_name(const ::testing::TestParamInfo<std::tuple<Kind, Code>>& info) {
  return name_of(std::get<Kind>(info.param)) +
         (std::get<Code>(info.param) == Code::module ? "_by_module" : "_inline");
}

INSTANTIATE_TEST_SUITE_P(Pipelines, ShaderEntry,
                         ::testing::Combine(::testing::Values(Kind::compute, Kind::graphics,
                                                              Kind::ray_tracing, Kind::deferred_ray_tracing,
                                                              Kind::ray_tracing_nv),
                                            ::testing::Values(Code::module, Code::inline_in_chain)),
                         parameter_name);
INSTANTIATE_TEST_SUITE_P(ShaderObjects, ShaderEntry,
                         ::testing::Combine(::testing::Values(Kind::shader_objects),
                                            ::testing::Values(Code::module)),
                         parameter_name);

using Modules = LayerTest;

TEST_F(Modules, ReachTheDriverAsTheApplicationMadeThem) {
  Program program;
  const VkShaderModule module = create_module(program.device, shaders::prints_comp);
  program.device.vk.vkDestroyShaderModule(program.device.handle, module, nullptr);
  const null_driver::Log log = driver().log();
  ASSERT_EQ(log.modules.size(), 1u);
  EXPECT_EQ(log.modules[0].words, shaders::prints_comp);
}

TEST_F(Modules, SilentPipelineGetsTheApplicationsOwn) {
  Program program;
  create_and_destroy_compute(program.device, shaders::silent_comp);
  const null_driver::Log log = driver().log();
  EXPECT_EQ(log.modules.size(), 1u);
  EXPECT_EQ(log.pipelines.at(0).stages.at(0).words, shaders::silent_comp);
  EXPECT_FALSE(log.pipelines.at(0).stages.at(0).inline_module);
}

TEST_F(Modules, OneModuleInManyPipelinesIsRewrittenToTheSameWords) {
  Program program;
  create_and_destroy_compute(program.device, shaders::prints_comp);
  const auto first = last_stages();
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_EQ(first.at(0).words, last_stages().at(0).words);
}

TEST_F(Modules, ABatchIsOneCallAndOnlyItsPrintingPipelinesChange) {
  Program program;
  const VkShaderModule modules[] = {create_module(program.device, shaders::silent_comp),
                                    create_module(program.device, shaders::prints_comp),
                                    create_module(program.device, shaders::silent_comp)};
  VkComputePipelineCreateInfo infos[3] = {};
  for (int i = 0; i < 3; ++i) {
    infos[i].sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    infos[i].stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, modules[i]);
  }
  VkPipeline pipelines[3] = {};
  ASSERT_EQ(program.device.vk.vkCreateComputePipelines(program.device.handle, VK_NULL_HANDLE, 3, infos,
                                                       nullptr, pipelines),
            VK_SUCCESS);
  const null_driver::Log log = driver().log();
  ASSERT_EQ(log.pipelines.size(), 3u);
  EXPECT_EQ(log.pipelines[0].batch, 3u);
  EXPECT_EQ(log.pipelines[0].stages[0].words, shaders::silent_comp);
  EXPECT_NE(log.pipelines[1].stages[0].words, shaders::prints_comp);
  EXPECT_EQ(log.pipelines[2].stages[0].words, shaders::silent_comp);
  for (int i = 0; i < 3; ++i) {
    program.device.vk.vkDestroyPipeline(program.device.handle, pipelines[i], nullptr);
    program.device.vk.vkDestroyShaderModule(program.device.handle, modules[i], nullptr);
  }
}

// The words of a destroyed module must not be used for the next one with its handle, which the driver reuses.
TEST_F(Modules, AReusedHandleIsAnotherModule) {
  Program program;
  const VkShaderModule first = create_module(program.device, shaders::prints_comp);
  program.device.vk.vkDestroyShaderModule(program.device.handle, first, nullptr);
  const VkShaderModule second = create_module(program.device, shaders::silent_comp);
  ASSERT_EQ(first, second) << "the driver no longer reuses handles";
  program.device.vk.vkDestroyShaderModule(program.device.handle, second, nullptr);
  create_and_destroy_compute(program.device, shaders::silent_comp);
  EXPECT_EQ(last_stages().at(0).words, shaders::silent_comp);
}

TEST_F(Modules, ShaderBinaryIsThatOfTheOriginal) {
  Program program({}, {nullptr, nullptr, {"VK_EXT_shader_object"}});
  const Device& device = program.device;
  const auto info = testing::shader_object_info(VK_SHADER_STAGE_COMPUTE_BIT, shaders::prints_comp);
  VkShaderEXT shader = VK_NULL_HANDLE;
  ASSERT_EQ(device.vk.vkCreateShadersEXT(device.handle, 1, &info, nullptr, &shader), VK_SUCCESS);
  size_t size = 0;
  ASSERT_EQ(device.vk.vkGetShaderBinaryDataEXT(device.handle, shader, &size, nullptr), VK_SUCCESS);
  Words binary(size / 4);
  ASSERT_EQ(device.vk.vkGetShaderBinaryDataEXT(device.handle, shader, &size, binary.data()), VK_SUCCESS);
  EXPECT_EQ(binary, shaders::prints_comp);
  device.vk.vkDestroyShaderEXT(device.handle, shader, nullptr);
}

}  // namespace
}  // namespace shaderqa::layer_tests
