// SPDX-License-Identifier: Apache-2.0
// The settings `only` and `skip`: shaders chosen by what they are called.
#include "tests/layer/layer_test.h"

namespace shaderqa::layer_tests {
namespace {

class NameSelection : public LayerTest {
 protected:
  // Whether the driver gets it rewritten.
  static bool instrumented(const char* module_name) {
    Program program({VK_API_VERSION_1_3, true, {"VK_EXT_debug_utils"}, nullptr});
    const Device& device = program.device;
    const VkShaderModule module = create_module(device, shaders::prints_comp);
    if (module_name) {
      VkDebugUtilsObjectNameInfoEXT name{};
      name.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
      name.objectType = VK_OBJECT_TYPE_SHADER_MODULE;
      name.objectHandle = reinterpret_cast<uint64_t>(module);
      name.pObjectName = module_name;
      check(vkSetDebugUtilsObjectNameEXT(device.handle, &name), "vkSetDebugUtilsObjectNameEXT");
    }
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, module);
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(device.vk.vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "vkCreateComputePipelines");
    const bool changed = last_stages().at(0).words != shaders::prints_comp;
    device.vk.vkDestroyPipeline(device.handle, pipeline, nullptr);
    device.vk.vkDestroyShaderModule(device.handle, module, nullptr);
    return changed;
  }
};

TEST_F(NameSelection, OnlyModulesCalledSo) {
  set("SHADERQA_ONLY", "blur*,shadow*");
  EXPECT_TRUE(instrumented("shadow map"));
  EXPECT_TRUE(notes().empty());
  EXPECT_FALSE(instrumented("sky"));
  EXPECT_FALSE(instrumented(nullptr));
  EXPECT_EQ(notes().size(), 2u) << "one for each device";
}

TEST_F(NameSelection, NotModulesCalledSo) {
  set("SHADERQA_SKIP", "sky");
  EXPECT_FALSE(instrumented("sky"));
  EXPECT_TRUE(instrumented("shadow map"));
}

TEST_F(NameSelection, ByEntryPoint) {
  set("SHADERQA_ONLY", "mai?");
  EXPECT_TRUE(instrumented(nullptr));
  set("SHADERQA_ONLY", "other");
  EXPECT_FALSE(instrumented(nullptr));
}

}  // namespace
}  // namespace shaderqa::layer_tests
