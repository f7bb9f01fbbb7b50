// SPDX-License-Identifier: Apache-2.0
// When the checked version of a pipeline is made, and what the application sees of it.
#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>

#include "tests/layer/command_kit.h"
#include "tests/layer/compiler_kit.h"
#include "tests/layer/pipelines.h"

namespace shaderqa::layer_tests {
namespace {

using null_driver::PipelineRecord;
using namespace std::chrono_literals;

// Compute pipelines of one call.
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
  VkResult create(VkPipelineCache cache = VK_NULL_HANDLE, const VkAllocationCallbacks* allocator = nullptr) {
    return device.vk.vkCreateComputePipelines(device.handle, cache, static_cast<uint32_t>(infos.size()),
                                              infos.data(), allocator, pipelines.data());
  }

  const Device& device;
  std::vector<VkShaderModule> modules;
  std::vector<VkComputePipelineCreateInfo> infos;
  std::vector<VkPipeline> pipelines;
};

std::vector<PipelineRecord> made() { return driver().log().pipelines; }

Words words_of(VkPipeline pipeline) {
  const PipelineRecord record = record_of(pipeline);
  return record.stages.empty() ? Words() : record.stages.front().words;
}

class FirstUse : public LayerTest {
 protected:
  FirstUse() { set("SHADERQA_START", "first_use"), set("SHADERQA_ASSUME", "1"), set("SHADERQA_PRINTF", "1"); }
};

TEST_F(FirstUse, CreationMakesTheApplicationsPipelineAndABindTheCheckedOne) {
  Program program;
  Batch batch(program.device, {shaders::prints_comp});
  ASSERT_EQ(batch.create(), VK_SUCCESS);
  EXPECT_EQ(words_of(batch.pipelines[0]), shaders::prints_comp);
  const VkPipeline bound = use(program.device, batch.pipelines[0]);
  EXPECT_NE(bound, batch.pipelines[0]);
  EXPECT_NE(root_of(words_of(bound)), nullptr);
  EXPECT_EQ(use(program.device, batch.pipelines[0]), bound);
  EXPECT_EQ(made().size(), 2u);
}

TEST_F(FirstUse, WithNothingToCheckThereIsOneVersion) {
  Program program;
  Batch batch(program.device, {shaders::silent_comp});
  ASSERT_EQ(batch.create(), VK_SUCCESS);
  EXPECT_EQ(use(program.device, batch.pipelines[0]), batch.pipelines[0]);
  EXPECT_EQ(made().size(), 1u);
}

TEST_F(FirstUse, GraphicsPipelinesKeepTheirOtherStages) {
  Program program({}, {nullptr, nullptr, pipeline_extensions()});
  PipelineMaker maker(program.device, Kind::graphics, Code::inline_in_chain);
  ASSERT_EQ(maker.create({{VK_SHADER_STAGE_VERTEX_BIT, &shaders::silent_vert},
                          {VK_SHADER_STAGE_FRAGMENT_BIT, &shaders::prints_frag}}),
            VK_SUCCESS);
  const auto own = reinterpret_cast<VkPipeline>(made().front().handle);
  const VkPipeline bound = use(program.device, own, VK_PIPELINE_BIND_POINT_GRAPHICS);
  ASSERT_NE(bound, own);
  const PipelineRecord record = record_of(bound);
  ASSERT_EQ(record.stages.size(), 2u);
  EXPECT_EQ(record.stages[0].words, shaders::silent_vert);
  EXPECT_EQ(record.stages[0].entry_point, "main");
  EXPECT_NE(root_of(record.stages[1].words), nullptr);
}

TEST_F(FirstUse, ACallReturnsWhatItWouldWithoutTheLayer) {
  Program program;
  accept({shaders::prints_comp});
  Batch batch(program.device, {shaders::prints_comp, shaders::assumes_comp, shaders::prints_comp});
  batch.infos[1].flags = VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
  EXPECT_EQ(batch.create(), VK_ERROR_UNKNOWN);
  EXPECT_NE(batch.pipelines[0], VkPipeline{});
  EXPECT_EQ(batch.pipelines[1], VkPipeline{});
  EXPECT_EQ(batch.pipelines[2], VkPipeline{});
  const std::vector<PipelineRecord> all = made();
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const auto& record) { return record.batch == 3; }), 2)
      << "more than one attempt";
}

TEST_F(FirstUse, WhatIsTheApplicationsPipelinesAloneTheCheckedOneHasNot) {
  Program program;
  const Device& device = program.device;
  VkPipelineCacheCreateInfo cache_info{};
  cache_info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  VkPipelineCache cache = VK_NULL_HANDLE;
  check(device.vk.vkCreatePipelineCache(device.handle, &cache_info, nullptr, &cache),
        "vkCreatePipelineCache");
  {
    Batch batch(device, {shaders::prints_comp, shaders::prints_comp});
    VkPipelineCreationFeedback feedback{};
    VkPipelineCreationFeedbackCreateInfo wanted{};
    wanted.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO;
    wanted.pPipelineCreationFeedback = &feedback;
    batch.infos[0].flags = VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT;
    batch.infos[1].flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT | VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT;
    batch.infos[1].basePipelineIndex = 0;
    batch.infos[1].pNext = &wanted;
    const VkAllocationCallbacks allocator{};
    ASSERT_EQ(batch.create(cache, &allocator), VK_SUCCESS);
    const PipelineRecord own = record_of(batch.pipelines[1]);
    EXPECT_TRUE(own.cache && own.allocator && own.base_index == 0 && own.chain.size() == 1);
    EXPECT_EQ(own.flags, batch.infos[1].flags);
    const PipelineRecord checked = record_of(use(device, batch.pipelines[1]));
    EXPECT_FALSE(checked.cache || checked.allocator);
    EXPECT_EQ(checked.base_index, -1);
    EXPECT_EQ(checked.base_handle, 0u);
    EXPECT_EQ(checked.chain, null_driver::Chain());
    EXPECT_EQ(checked.flags, VkPipelineCreateFlags{VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT});
  }
  device.vk.vkDestroyPipelineCache(device.handle, cache, nullptr);
}

TEST_F(FirstUse, ARefusedCheckedVersionIsReplacedByTheOwn) {
  Program program;
  accept({shaders::prints_comp});
  Batch batch(program.device, {shaders::prints_comp});
  ASSERT_EQ(batch.create(), VK_SUCCESS);
  EXPECT_EQ(use(program.device, batch.pipelines[0]), batch.pipelines[0]);
  ASSERT_EQ(notes().size(), 1u);
  EXPECT_NE(notes().front().find("refuses its instrumented form"), std::string::npos);
}

TEST_F(FirstUse, AStructureThatCannotBeCopiedMeansCreation) {
  Program program;
  VkBaseInStructure unknown{static_cast<VkStructureType>(2000123000), nullptr};
  Batch batch(program.device, {shaders::prints_comp});
  batch.infos[0].pNext = &unknown;
  ASSERT_EQ(batch.create(), VK_SUCCESS);
  EXPECT_NE(root_of(words_of(batch.pipelines[0])), nullptr);
  EXPECT_EQ(use(program.device, batch.pipelines[0]), batch.pipelines[0]);
}

TEST_F(FirstUse, PipelinesForExecutionSetsAreCreatedWithTheirChecks) {
  Program program;
  VkPipelineCreateFlags2CreateInfoKHR flags{};
  flags.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR;
  flags.flags = VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT;
  Batch batch(program.device, {shaders::prints_comp});
  batch.infos[0].pNext = &flags;
  ASSERT_EQ(batch.create(), VK_SUCCESS);
  EXPECT_NE(root_of(words_of(batch.pipelines[0])), nullptr);
}

TEST_F(FirstUse, ItWaitsForASlowCompiler) {
  Program program;
  compile_slowly(50, {shaders::prints_comp});
  Batch batch(program.device, {shaders::prints_comp});
  ASSERT_EQ(batch.create(), VK_SUCCESS);
  EXPECT_EQ(made().size(), 1u) << "creation has waited";
  EXPECT_NE(use(program.device, batch.pipelines[0]), batch.pipelines[0]);
}

TEST_F(FirstUse, OnlySomeAreMadeAhead) {
  Program program;
  {
    Batch batch(program.device, std::vector<Words>(200, shaders::prints_comp));
    ASSERT_EQ(batch.create(), VK_SUCCESS);
    const auto deadline = std::chrono::steady_clock::now() + 120s;
    while (made().size() < 264 && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(1ms);
    std::this_thread::sleep_for(50ms);
    EXPECT_EQ(made().size(), 264u);
    EXPECT_NE(use(program.device, batch.pipelines[199]), batch.pipelines[199]);
    EXPECT_NE(use(program.device, batch.pipelines[0]), batch.pipelines[0]);
  }
  // Two more could be made ahead meanwhile. What is being made is destroyed when it is done.
  const auto deadline = std::chrono::steady_clock::now() + 120s;
  while (driver().log().live["VkPipeline"] != 0 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(1ms);
  EXPECT_EQ(driver().log().live["VkPipeline"], 0);
}

TEST_F(FirstUse, ADestroyedPipelineLeavesNothingWhateverBecameOfItsVersion) {
  Program program;
  compile_slowly(30, {shaders::prints_comp});
  for (int round = 0; round < 4; ++round) {
    Batch batch(program.device, std::vector<Words>(6, shaders::prints_comp));
    ASSERT_EQ(batch.create(), VK_SUCCESS);
    if (round % 2) use(program.device, batch.pipelines[0]);
  }
}

TEST_F(FirstUse, ADeviceIsDestroyedWhileTheCompilerIsAtIt) {
  compile_slowly(2000, {shaders::prints_comp});
  {
    Program program;
    Batch batch(program.device, std::vector<Words>(8, shaders::prints_comp));
    ASSERT_EQ(batch.create(), VK_SUCCESS);
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_LE(made().size(), 8u + std::max(2u, std::thread::hardware_concurrency()) - 1) << "it waited for all";
}

TEST_F(FirstUse, ALostDeviceLeavesTheOwnPipelineBound) {
  Program program;
  Batch batch(program.device, {shaders::prints_comp});
  null_driver::Config config;
  config.pipeline_ms = 30;
  config.quick_words = {shaders::prints_comp};
  config.faults.push_back({"vkCreateComputePipelines", 2, VK_ERROR_DEVICE_LOST});
  driver().configure(config);
  ASSERT_EQ(batch.create(), VK_SUCCESS);
  EXPECT_EQ(use(program.device, batch.pipelines[0]), batch.pipelines[0]);
}

TEST_F(FirstUse, MessagesNameThePipelineAsItWasNamedBeforeItsFirstUse) {
  set("SHADERQA_PRINTF_VERBOSE", "1");
  // Without the extension, loaders from 1.3.268 on have no such command.
  Program program({VK_API_VERSION_1_3, true, {"VK_EXT_debug_utils"}, nullptr});
  Batch batch(program.device, {shaders::prints_comp});
  ASSERT_EQ(batch.create(), VK_SUCCESS);
  VkDebugUtilsObjectNameInfoEXT name{};
  name.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
  name.objectType = VK_OBJECT_TYPE_PIPELINE;
  name.objectHandle = reinterpret_cast<uint64_t>(batch.pipelines[0]);
  name.pObjectName = "culling";
  const auto set_name = reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(
      vkGetDeviceProcAddr(program.device.handle, "vkSetDebugUtilsObjectNameEXT"));
  ASSERT_NE(set_name, nullptr);
  set_name(program.device.handle, &name);
  abi::Root* root = root_of(words_of(use(program.device, batch.pipelines[0])));
  ASSERT_NE(root, nullptr);
  const uint32_t number = 1;
  ASSERT_TRUE(print(*root, site_id(shaders::prints_comp), {&number, 1}));
  check(program.device.vk.vkQueueWaitIdle(program.device.queue), "vkQueueWaitIdle");
  ASSERT_EQ(messages().size(), 1u);
}

// With accesses checked: layouts, records and leases.
class FirstUseSync : public CommandTest {
 protected:
  FirstUseSync() : CommandTest({}, {}, "exact", {{"SHADERQA_START", "first_use"}}) {}
};

TEST_F(FirstUseSync, ActionsOfTheCheckedVersionHaveRecords) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), joined({kBound, kAction}));
  ASSERT_EQ(records().size(), 1u);
}

// Whether the shader checks what indirect commands read.
bool checks_indirect(VkPipeline pipeline) {
  const Words words = words_of(pipeline);
  const std::string_view bytes(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t));
  EXPECT_NE(bytes.find("sqa_begin_sync"), bytes.npos);
  return bytes.find("sqa_indirect") != bytes.npos;
}

// Indirect commands run a version of their own, which is made when the first of them is recorded.
class FirstUseIndirect : public FirstUseSync {
 protected:
  FirstUseIndirect() { own_ = create_compute_with(device(), shaders::accesses_comp, layout_); }
  void TearDown() override {
    if (own_) vk().vkDestroyPipeline(device().handle, own_, nullptr);
    FirstUseSync::TearDown();
  }
  VkCommandBuffer begin_with_own() {
    const VkCommandBuffer commands = begin();
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, own_);
    return commands;
  }
  void dispatch_indirect(VkCommandBuffer commands) {
    vk().vkCmdDispatchIndirect(commands, buffer_->handle, 0);
  }

  static inline const Stream kIndirect{"CmdPipelineBarrier", "bind record", "CmdDispatchIndirect"};
  VkPipeline own_ = VK_NULL_HANDLE;
};

TEST_F(FirstUseIndirect, TheirVersionIsMadeWhenItIsNeeded) {
  VkCommandBuffer commands = begin_with_own();
  dispatch(commands);
  dispatch_indirect(commands);
  dispatch_indirect(commands);
  dispatch(commands);  // it runs what is bound
  end(commands);
  EXPECT_EQ(stream_of(commands),
            joined({{"CmdBindPipeline"}, kAction, {"CmdBindPipeline"}, kIndirect, kIndirect, kAction}));
  const std::vector<VkPipeline> first = bound_in(commands);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_FALSE(checks_indirect(first[0]));
  EXPECT_TRUE(checks_indirect(first[1]));
  commands = begin_with_own();
  dispatch_indirect(commands);
  end(commands);
  EXPECT_EQ(bound_in(commands), first) << "it is made once";
}

TEST_F(FirstUseIndirect, ItKeepsWhatTheApplicationDestroysUntilThePipelineGoes) {
  const VkPipelineLayout layout = create_pipeline_layout(device(), {set_layout_});
  const VkPipeline pipeline = create_compute_with(device(), shaders::accesses_comp, layout);
  vk().vkDestroyPipelineLayout(device().handle, layout, nullptr);
  const int64_t live = driver().log().live["VkPipelineLayout"];
  use(device(), pipeline);
  EXPECT_EQ(driver().log().live["VkPipelineLayout"], live) << "the version for indirect commands may be made";
  vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
  EXPECT_EQ(driver().log().live["VkPipelineLayout"], live - 1);
}

TEST_F(FirstUseIndirect, AVersionThatTheDriverRefusesMeansTheOwn) {
  const VkCommandBuffer commands = begin_with_own();
  dispatch(commands);
  accept({shaders::accesses_comp});
  dispatch_indirect(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands),
            joined({{"CmdBindPipeline"}, kAction, {"CmdBindPipeline", "CmdDispatchIndirect"}}));
  EXPECT_EQ(notes_about("the driver refuses its instrumented form").size(), 1u);
}

TEST_F(FirstUseIndirect, BothAreDestroyedWithThePipeline) {
  const VkCommandBuffer commands = begin_with_own();
  dispatch_indirect(commands);
  end(commands);
  use(device(), pipeline_);  // nothing is being made from here on
  const int64_t live = driver().log().live["VkPipeline"];
  vk().vkDestroyPipeline(device().handle, own_, nullptr);
  own_ = VK_NULL_HANDLE;
  EXPECT_EQ(driver().log().live["VkPipeline"], live - 3);
}

TEST_F(FirstUseIndirect, WhereNothingElseCanBeBoundThereIsOneVersion) {
  Words words = shaders::accesses_comp;
  constexpr uint32_t transform_feedback[] = {2u << 16 | 17, 53};
  words.insert(words.begin() + 5, std::begin(transform_feedback), std::end(transform_feedback));
  const VkPipeline pipeline = create_compute_with(device(), words, layout_);
  EXPECT_TRUE(checks_indirect(use(device(), pipeline)));
  vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
}

TEST_F(FirstUseSync, TheLayoutMayBeGoneBeforeTheVersionIsMade) {
  compile_slowly(50, {shaders::accesses_comp});
  const VkPipelineLayout layout = create_pipeline_layout(device(), {set_layout_});
  const VkPipeline pipeline = create_compute_with(device(), shaders::accesses_comp, layout);
  vk().vkDestroyPipelineLayout(device().handle, layout, nullptr);
  const VkPipeline bound = use(device(), pipeline);
  EXPECT_NE(bound, pipeline);
  EXPECT_EQ(record_of(bound).layout, record_of(pipeline).layout)
      << "the driver complains of one that is gone";
  vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
}

TEST_F(FirstUseSync, ALayoutWithAnAllocatorHasATwinForIt) {
  const VkAllocationCallbacks allocator{};
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = 1;
  info.pSetLayouts = &set_layout_;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  check(vk().vkCreatePipelineLayout(device().handle, &info, &allocator, &layout), "vkCreatePipelineLayout");
  const VkPipeline pipeline = create_compute_with(device(), shaders::accesses_comp, layout);
  vk().vkDestroyPipelineLayout(device().handle, layout, &allocator);
  EXPECT_NE(use(device(), pipeline), pipeline);
  vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
}

TEST_F(FirstUseSync, ImmutableSamplersAndRenderPassesMayBeGoneToo) {
  compile_slowly(50, {shaders::accesses_frag, shaders::silent_vert});
  VkSamplerCreateInfo sampler_info{};
  sampler_info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  VkSampler sampler = VK_NULL_HANDLE;
  check(vk().vkCreateSampler(device().handle, &sampler_info, nullptr, &sampler), "vkCreateSampler");
  const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_SAMPLER, 1, VK_SHADER_STAGE_ALL, &sampler};
  VkDescriptorSetLayoutCreateInfo set_info{};
  set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set_info.bindingCount = 1;
  set_info.pBindings = &binding;
  VkDescriptorSetLayout set = VK_NULL_HANDLE;
  check(vk().vkCreateDescriptorSetLayout(device().handle, &set_info, nullptr, &set),
        "vkCreateDescriptorSetLayout");
  const VkPipelineLayout layout = create_pipeline_layout(device(), {set_layout_, set});
  VkSubpassDescription subpass{};
  VkRenderPassCreateInfo pass_info{};
  pass_info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
  pass_info.subpassCount = 1;
  pass_info.pSubpasses = &subpass;
  VkRenderPass pass = VK_NULL_HANDLE;
  check(vk().vkCreateRenderPass(device().handle, &pass_info, nullptr, &pass), "vkCreateRenderPass");

  const VkShaderModule vertex = create_module(device(), shaders::silent_vert);
  const VkShaderModule fragment = create_module(device(), shaders::accesses_frag);
  const VkPipelineShaderStageCreateInfo stages[] = {stage_info(VK_SHADER_STAGE_VERTEX_BIT, vertex),
                                                    stage_info(VK_SHADER_STAGE_FRAGMENT_BIT, fragment)};
  VkGraphicsPipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.stageCount = 2;
  info.pStages = stages;
  info.layout = layout;
  info.renderPass = pass;
  VkPipeline pipeline = VK_NULL_HANDLE;
  check(vk().vkCreateGraphicsPipelines(device().handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
        "vkCreateGraphicsPipelines");
  vk().vkDestroyRenderPass(device().handle, pass, nullptr);
  vk().vkDestroySampler(device().handle, sampler, nullptr);
  vk().vkDestroyPipelineLayout(device().handle, layout, nullptr);
  vk().vkDestroyDescriptorSetLayout(device().handle, set, nullptr);
  vk().vkDestroyShaderModule(device().handle, vertex, nullptr);
  vk().vkDestroyShaderModule(device().handle, fragment, nullptr);
  EXPECT_EQ(driver().log().live["VkSampler"], 1);
  EXPECT_EQ(driver().log().live["VkRenderPass"], 1);
  EXPECT_NE(use(device(), pipeline, VK_PIPELINE_BIND_POINT_GRAPHICS), pipeline);
  EXPECT_EQ(driver().log().live["VkSampler"], 1) << "the version for indirect commands may be made";
  vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
  EXPECT_EQ(driver().log().live["VkSampler"], 0);
  EXPECT_EQ(driver().log().live["VkRenderPass"], 0);
}

class Background : public CommandTest {
 protected:
  Background() : CommandTest({}, {}, "exact", {{"SHADERQA_START", "background"}}) {}
  void TearDown() override {
    CommandTest::TearDown();
    const std::vector<std::string> said = notes_about("ran unchecked");
    ASSERT_EQ(said.size(), 1u);
    EXPECT_EQ(said.front().substr(0, 10), "2 actions ");
  }
};

TEST_F(Background, NobodyWaitsAndUncheckedActionsAreCounted) {
  compile_slowly(100, {shaders::accesses_comp});
  const VkPipeline pipeline = create_compute_with(device(), shaders::accesses_comp, layout_);
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  dispatch(commands);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(stream_of(commands), with_ends({"CmdBindPipeline", "CmdDispatch", "CmdDispatch"}));
  VkPipeline bound = pipeline;
  for (int i = 0; i < 12000 && bound == pipeline; ++i) {
    std::this_thread::sleep_for(10ms);
    bound = use(device(), pipeline);
  }
  EXPECT_NE(bound, pipeline) << "it never became ready";
  EXPECT_TRUE(checks_indirect(bound)) << "nobody would wait for another one";
  vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
}

}  // namespace
}  // namespace shaderqa::layer_tests
