// SPDX-License-Identifier: Apache-2.0
// Graphics pipeline libraries: only those parts that have shaders of their own are instrumented. What a
// pipeline made of libraries passes as its stages means nothing.
#include <optional>

#include "tests/layer/layer_test.h"

namespace shaderqa::layer_tests {
namespace {

constexpr VkGraphicsPipelineLibraryFlagsEXT kNoPart = 0;

class PipelineLibraries : public LayerTest {
 protected:
  PipelineLibraries() {
    VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT;
    features.graphicsPipelineLibrary = VK_TRUE;
    program_.emplace(
        InstanceOptions{},
        DeviceOptions{&features, nullptr, {"VK_KHR_pipeline_library", "VK_EXT_graphics_pipeline_library"}});
  }
  void TearDown() override {
    program_.reset();
    LayerTest::TearDown();
  }

  // A pipeline with a vertex and a fragment stage, with the parts that `parts` names, and linked with
  // `libraries`.
  VkPipeline create(VkGraphicsPipelineLibraryFlagsEXT parts, const std::vector<VkPipeline>& libraries,
                    bool with_library_info = true) {
    const VkShaderModuleCreateInfo code[] = {module_info(shaders::prints_vert),
                                             module_info(shaders::prints_frag)};
    VkPipelineShaderStageCreateInfo stages[] = {stage_info(VK_SHADER_STAGE_VERTEX_BIT, VK_NULL_HANDLE),
                                                stage_info(VK_SHADER_STAGE_FRAGMENT_BIT, VK_NULL_HANDLE)};
    for (int i = 0; i < 2; ++i) stages[i].pNext = &code[i];
    VkPipelineLibraryCreateInfoKHR link{};
    link.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR;
    link.libraryCount = static_cast<uint32_t>(libraries.size());
    link.pLibraries = libraries.data();
    VkGraphicsPipelineLibraryCreateInfoEXT part{};
    part.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT;
    part.pNext = with_library_info ? &link : nullptr;
    part.flags = parts;
    VkGraphicsPipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
    info.pNext = parts != kNoPart ? static_cast<const void*>(&part) : part.pNext;
    info.flags = parts != kNoPart ? VK_PIPELINE_CREATE_LIBRARY_BIT_KHR : 0;
    info.stageCount = 2;
    info.pStages = stages;
    VkPipeline pipeline = VK_NULL_HANDLE;
    const Device& device = program_->device;
    check(device.vk.vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "vkCreateGraphicsPipelines");
    return pipeline;
  }
  void destroy(VkPipeline pipeline) {
    program_->device.vk.vkDestroyPipeline(program_->device.handle, pipeline, nullptr);
  }
  static bool instrumented() {
    const auto stages = last_stages();
    EXPECT_EQ(stages.size(), 2u);
    const bool vertex = stages.at(0).words != shaders::prints_vert;
    EXPECT_EQ(vertex, stages.at(1).words != shaders::prints_frag);
    return vertex;
  }

 private:
  std::optional<Program> program_;
};

TEST_F(PipelineLibraries, PartsWithShadersAreInstrumented) {
  struct Part {
    VkGraphicsPipelineLibraryFlagBitsEXT flag;
    bool has_shaders;
  };
  for (const Part& part : {Part{VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT, false},
                           Part{VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT, true},
                           Part{VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT, true},
                           Part{VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT, false}}) {
    destroy(create(part.flag, {}));
    EXPECT_EQ(instrumented(), part.has_shaders) << "part " << part.flag;
  }
  destroy(create(VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT |
                     VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT,
                 {}));
  EXPECT_TRUE(instrumented());
}

TEST_F(PipelineLibraries, APipelineOfLibrariesOnlyHasNoStagesOfItsOwn) {
  const VkPipeline library = create(VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT, {});
  destroy(create(kNoPart, {library}));
  EXPECT_FALSE(instrumented());
  destroy(create(kNoPart, {}));
  EXPECT_TRUE(instrumented()) << "a list without libraries is none";
  destroy(create(kNoPart, {}, false));
  EXPECT_TRUE(instrumented()) << "an ordinary pipeline";
  destroy(create(VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT, {library}));
  EXPECT_TRUE(instrumented()) << "a library that is linked with another one and has a part of its own";
  destroy(library);
}

}  // namespace
}  // namespace shaderqa::layer_tests
