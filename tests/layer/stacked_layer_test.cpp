// SPDX-License-Identifier: Apache-2.0
// Another layer below ours: it moves the loader's links on at every creation, so a second attempt must put
// them back.
#include <nlohmann/json.hpp>

#include "tests/layer/layer_test.h"

namespace shaderqa::layer_tests {
namespace {

class Stacked : public LayerTest {
 protected:
  Stacked() {
    const nlohmann::json manifest = {{"file_format_version", "1.2.0"},
                                     {"layer",
                                      {{"name", "VK_LAYER_TEST_below"},
                                       {"type", "GLOBAL"},
                                       {"library_path", SHADERQA_LAYER_BELOW},
                                       {"api_version", "1.3.0"},
                                       {"implementation_version", "1"},
                                       {"description", "passes everything on"}}}};
    testing::write_file(directory() / "data/vulkan/explicit_layer.d/below.json", manifest.dump());
    set("VK_INSTANCE_LAYERS", "VK_LAYER_TEST_below");
  }
};

TEST_F(Stacked, ShadersPrint) {
  Program program;
  const VkPipeline pipeline = create_compute(program.device, shaders::prints_comp);
  print(site_id(shaders::prints_comp), 1);
  EXPECT_EQ(program.device.vk.vkQueueWaitIdle(program.device.queue), VK_SUCCESS);
  EXPECT_EQ(messages(), std::vector<std::string>{"compute 1"});
  program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
}

TEST_F(Stacked, ASecondAttemptAtTheDeviceReachesTheDriver) {
  null_driver::Config config;
  config.refused_features = {"bufferDeviceAddress"};
  driver().reset(config);
  Program program;
  EXPECT_EQ(driver().log().devices.size(), 2u);
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_EQ(last_stages().at(0).words, shaders::prints_comp);
}

// The first attempt asks for a newer version of Vulkan than the application does.
TEST_F(Stacked, ASecondAttemptAtTheInstanceReachesTheDriver) {
  null_driver::Config config;
  config.faults.push_back({"vkCreateInstance", 1, VK_ERROR_INCOMPATIBLE_DRIVER});
  driver().reset(config);
  Instance instance({VK_API_VERSION_1_0, true, {}, nullptr});
  EXPECT_EQ(driver().log().instances.back().api_version, VK_API_VERSION_1_0);
  Device device(instance);
  create_and_destroy_compute(device, shaders::prints_comp);
}

}  // namespace
}  // namespace shaderqa::layer_tests
