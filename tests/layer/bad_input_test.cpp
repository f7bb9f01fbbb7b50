// SPDX-License-Identifier: Apache-2.0
// What no correct program hands over, with every engine: the layer must survive it and return what the driver
// said. MUTATIONS=10000 in the environment makes the first test as long as that (docs/internals/building.md).
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/instrument/mutation.h"
#include "tests/layer/descriptor_kit.h"
#include "tests/layer/engine_test.h"

namespace shaderqa::layer_tests {
namespace {

struct Sample {
  std::string name;
  Words words;
  VkShaderStageFlagBits stage;
};

VkShaderStageFlagBits stage_of(const std::string& shader_name) {
  constexpr std::pair<const char*, VkShaderStageFlagBits> stages[] = {
      {".vert.", VK_SHADER_STAGE_VERTEX_BIT},
      {".tesc.", VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT},
      {".tese.", VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT},
      {".geom.", VK_SHADER_STAGE_GEOMETRY_BIT},
      {".frag.", VK_SHADER_STAGE_FRAGMENT_BIT},
      {".task.", VK_SHADER_STAGE_TASK_BIT_EXT},
      {".mesh.", VK_SHADER_STAGE_MESH_BIT_EXT},
      {".rgen.", VK_SHADER_STAGE_RAYGEN_BIT_KHR},
      {".rint.", VK_SHADER_STAGE_INTERSECTION_BIT_KHR},
      {".rahit.", VK_SHADER_STAGE_ANY_HIT_BIT_KHR},
      {".rchit.", VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR},
      {".rmiss.", VK_SHADER_STAGE_MISS_BIT_KHR},
      {".rcall.", VK_SHADER_STAGE_CALLABLE_BIT_KHR}};
  for (const auto& [part, stage] : stages)
    if (shader_name.find(part) != std::string::npos) return stage;
  return VK_SHADER_STAGE_COMPUTE_BIT;
}

std::vector<Sample> samples() {
  std::vector<Sample> all;
  for (const std::string& name : test::shader_names())
    all.push_back({name, test::load_shader(name), stage_of(name)});
  for (const std::string& name : test::sync_shader_names())
    all.push_back({name, test::load_sync_shader(name), stage_of(name)});
  return all;
}

class BadInput : public EngineTest {
 protected:
  BadInput() { set("SHADERQA_QUIET_NOTES", "1"); }
};

// A device whose pipelines have everything in their layouts that the samples may use.
class Victim {
 public:
  Victim() : program_({}, {nullptr, nullptr, {"VK_KHR_ray_tracing_pipeline"}}) {
    std::vector<BindingOptions> bindings;
    for (uint32_t i = 0; i < 8; ++i) bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4, 0, {}});
    set_layout_ = create_set_layout(device(), bindings);
    const std::vector<VkDescriptorSetLayout> sets(4, set_layout_);
    VkPipelineLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    info.setLayoutCount = static_cast<uint32_t>(sets.size());
    info.pSetLayouts = sets.data();
    check(vk().vkCreatePipelineLayout(device().handle, &info, nullptr, &layout_), "vkCreatePipelineLayout");
  }
  ~Victim() {
    vk().vkDestroyPipelineLayout(device().handle, layout_, nullptr);
    vk().vkDestroyDescriptorSetLayout(device().handle, set_layout_, nullptr);
  }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  const Device& device() const { return program_.device; }

  VkResult take(const Words& words, VkShaderStageFlagBits stage, VkResult& module_result) const {
    VkShaderModule module = VK_NULL_HANDLE;
    const VkShaderModuleCreateInfo info = module_info(words);
    module_result = vk().vkCreateShaderModule(device().handle, &info, nullptr, &module);
    if (module_result != VK_SUCCESS) return module_result;
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkResult result = create(stage_info(stage, module), pipeline);
    vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
    vk().vkDestroyShaderModule(device().handle, module, nullptr);
    return result;
  }

 private:
  const VolkDeviceTable& vk() const { return program_.device.vk; }

  VkResult create(const VkPipelineShaderStageCreateInfo& stage, VkPipeline& pipeline) const {
    if (stage.stage == VK_SHADER_STAGE_COMPUTE_BIT) {
      VkComputePipelineCreateInfo info{};
      info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
      info.stage = stage;
      info.layout = layout_;
      return vk().vkCreateComputePipelines(device().handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
    }
    if (stage.stage >= VK_SHADER_STAGE_RAYGEN_BIT_KHR) {
      VkRayTracingPipelineCreateInfoKHR info{};
      info.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR;
      info.stageCount = 1;
      info.pStages = &stage;
      info.layout = layout_;
      return vk().vkCreateRayTracingPipelinesKHR(device().handle, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info,
                                                 nullptr, &pipeline);
    }
    VkGraphicsPipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
    info.stageCount = 1;
    info.pStages = &stage;
    info.layout = layout_;
    return vk().vkCreateGraphicsPipelines(device().handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
  }

  Program program_;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
};

TEST_P(BadInput, MutatedModulesGetTheDriversResult) {
  const char* asked = std::getenv("MUTATIONS");
  const int mutations = asked ? std::atoi(asked) : 600;
  constexpr int kMutationsPerDevice = 200;  // what a device remembers about each shader is freed with it
  const std::vector<Sample> all = samples();
  ASSERT_GT(all.size(), 100u);
  test::Mutator mutator(20260202);
  size_t rewritten = 0;
  for (int first = 0; first < mutations; first += kMutationsPerDevice) {
    driver().reset({});
    Victim victim;
    for (int i = first; i < std::min(mutations, first + kMutationsPerDevice); ++i) {
      const Sample& sample = all[mutator.below(static_cast<uint32_t>(all.size()))];
      const Words words = mutator.mutate(sample.words);
      // Now and then the driver refuses what it gets.
      null_driver::Config config;
      const bool refuses = i % 8 == 7;
      if (refuses)
        for (const char* command :
             {"vkCreateComputePipelines", "vkCreateGraphicsPipelines", "vkCreateRayTracingPipelinesKHR"})
          config.faults.push_back({command, 0, VK_ERROR_INVALID_SHADER_NV});
      driver().configure(config);
      VkResult module = VK_SUCCESS;
      const VkResult result = victim.take(words, sample.stage, module);
      ASSERT_EQ(module, VK_SUCCESS) << "mutation " << i << " of " << sample.name;
      ASSERT_EQ(result, refuses ? VK_ERROR_INVALID_SHADER_NV : VK_SUCCESS)
          << "mutation " << i << " of " << sample.name;
    }
    driver().configure({});
    const null_driver::Log log = driver().log();
    ASSERT_EQ(log.violations, std::vector<std::string>());
    rewritten += log.modules.size() - std::min<size_t>(log.modules.size(), kMutationsPerDevice);
  }
  EXPECT_GT(rewritten, static_cast<size_t>(mutations / 20)) << "they reach the passes";
}

TEST_P(BadInput, ModulesOfOddSizesAreTheDriversAffair) {
  Victim victim;
  Words words = shaders::prints_comp;
  for (const size_t size : {size_t{0}, size_t{1}, size_t{3}, size_t{4}, size_t{19}, size_t{20}, size_t{21},
                            words.size() * 4 - 1}) {
    VkShaderModuleCreateInfo info = module_info(words);
    info.codeSize = size;
    VkShaderModule module = VK_NULL_HANDLE;
    EXPECT_EQ(victim.device().vk.vkCreateShaderModule(victim.device().handle, &info, nullptr, &module),
              VK_SUCCESS);
    victim.device().vk.vkDestroyShaderModule(victim.device().handle, module, nullptr);
  }
}

TEST_P(BadInput, PipelinesWithoutStagesAndAsking0PipelinesAreTheDriversAffair) {
  Victim victim;
  const Device& device = victim.device();
  VkGraphicsPipelineCreateInfo graphics{};
  graphics.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  VkPipeline pipeline = VK_NULL_HANDLE;
  EXPECT_EQ(
      device.vk.vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 1, &graphics, nullptr, &pipeline),
      VK_SUCCESS);
  device.vk.vkDestroyPipeline(device.handle, pipeline, nullptr);
  EXPECT_EQ(device.vk.vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 0, nullptr, nullptr, nullptr),
            VK_SUCCESS);
  // A hundred times the same stage.
  const VkShaderModule module = create_module(device, shaders::prints_vert);
  const std::vector<VkPipelineShaderStageCreateInfo> stages(100,
                                                            stage_info(VK_SHADER_STAGE_VERTEX_BIT, module));
  graphics.stageCount = static_cast<uint32_t>(stages.size());
  graphics.pStages = stages.data();
  EXPECT_EQ(
      device.vk.vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 1, &graphics, nullptr, &pipeline),
      VK_SUCCESS);
  device.vk.vkDestroyPipeline(device.handle, pipeline, nullptr);
  device.vk.vkDestroyShaderModule(device.handle, module, nullptr);
}

TEST_P(BadInput, LayoutsLargerThanAnyDeviceAreTheDriversAffair) {
  null_driver::Config config;
  config.max_bound_sets = 2000;
  driver().configure(config);
  Victim victim;
  const Device& device = victim.device();
  const BoundBuffer buffer(device, 64,
                           VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  // Slots that a 32-bit sum cannot hold; numbers at the end of the range.
  const VkDescriptorSetLayout layout =
      create_set_layout(device, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0xffffffff, 0, {}},
                                 {7, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 0x80000001, 0, {}},
                                 {8, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 0x80000001, 0, {}},
                                 {0xffffffff, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 1, 0, {}}});
  const std::vector<VkDescriptorSetLayout> many(1000, layout);
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = static_cast<uint32_t>(many.size());
  info.pSetLayouts = many.data();
  VkPipelineLayout pipeline_layout = VK_NULL_HANDLE;
  EXPECT_EQ(device.vk.vkCreatePipelineLayout(device.handle, &info, nullptr, &pipeline_layout), VK_SUCCESS);

  const VkDescriptorPool pool = create_pool(device, 0xffffffff, 0xffffffff);
  VkDescriptorSetAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = pool;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &layout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  EXPECT_EQ(device.vk.vkAllocateDescriptorSets(device.handle, &allocate, &set), VK_SUCCESS);
  const VkDescriptorBufferInfo whole{buffer.handle, 0, VK_WHOLE_SIZE};
  for (const uint32_t binding : {0u, 1u, 7u, 8u, 0xffffffffu}) {
    for (const uint32_t element : {0u, 1u, 0x7fffffffu, 0xffffffffu}) {
      VkWriteDescriptorSet write{};
      write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      write.dstSet = set;
      write.dstBinding = binding;
      write.dstArrayElement = element;
      write.descriptorCount = 1;
      write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      write.pBufferInfo = &whole;
      device.vk.vkUpdateDescriptorSets(device.handle, 1, &write, 0, nullptr);
      VkCopyDescriptorSet copy{};
      copy.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET;
      copy.srcSet = copy.dstSet = set;
      copy.srcBinding = 0xfffffff0;
      copy.dstBinding = binding;
      copy.srcArrayElement = copy.dstArrayElement = element;
      copy.descriptorCount = 3;
      device.vk.vkUpdateDescriptorSets(device.handle, 0, nullptr, 1, &copy);
    }
  }
  device.vk.vkDestroyDescriptorPool(device.handle, pool, nullptr);
  device.vk.vkDestroyPipelineLayout(device.handle, pipeline_layout, nullptr);
  device.vk.vkDestroyDescriptorSetLayout(device.handle, layout, nullptr);
}

TEST_P(BadInput, AChainThatIsARingEnds) {
  Victim victim;
  const Device& device = victim.device();
  VkBaseInStructure ring[2] = {{VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO, nullptr},
                               {VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO, nullptr}};
  ring[0].pNext = &ring[1];
  ring[1].pNext = &ring[0];
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.pNext = ring;
  const VkShaderModule module = create_module(device, shaders::prints_comp);
  info.stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, module);
  info.stage.pNext = ring;
  VkPipeline pipeline = VK_NULL_HANDLE;
  EXPECT_EQ(device.vk.vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
            VK_SUCCESS);
  device.vk.vkDestroyPipeline(device.handle, pipeline, nullptr);
  device.vk.vkDestroyShaderModule(device.handle, module, nullptr);
}

SHADERQA_WITH_EVERY_ENGINE(BadInput);

}  // namespace
}  // namespace shaderqa::layer_tests
