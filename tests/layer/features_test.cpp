// SPDX-License-Identifier: Apache-2.0
// What the layer adds to vkCreateDevice: each feature where the application put its own, or in a structure of
// its own.
#include <algorithm>
#include <cstring>
#include <tuple>

#include "tests/layer/layer_test.h"

namespace shaderqa::layer_tests {
namespace {

using null_driver::Config;
using null_driver::DeviceRecord;

DeviceRecord device_record(size_t index) { return driver().log().devices.at(index); }

template <typename T>
T structure(VkStructureType type) {
  T made{};
  made.sType = type;
  return made;
}

// A device creation with the application's features in one of several places; each with a bit of the
// application's own.
struct Application {
  VkPhysicalDeviceFeatures core{};
  VkPhysicalDeviceFeatures2 features2 =
      structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  VkPhysicalDeviceVulkan12Features vulkan12 =
      structure<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  VkPhysicalDeviceBufferDeviceAddressFeatures addresses =
      structure<VkPhysicalDeviceBufferDeviceAddressFeatures>(
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
  VkPhysicalDeviceShaderAtomicInt64Features atomics = structure<VkPhysicalDeviceShaderAtomicInt64Features>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES);
  VkPhysicalDeviceVulkanMemoryModelFeatures memory_model =
      structure<VkPhysicalDeviceVulkanMemoryModelFeatures>(
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES);
};

enum class Core { nowhere, enabled_features, features2 };
enum class Extended { nowhere, vulkan12, dedicated };

class Features : public LayerTest, public ::testing::WithParamInterface<std::tuple<Core, Extended>> {
 protected:
  Core core() const { return std::get<Core>(GetParam()); }
  Extended extended() const { return std::get<Extended>(GetParam()); }

  DeviceOptions options() {
    DeviceOptions options;
    if (core() == Core::enabled_features) {
      app_.core.independentBlend = VK_TRUE;
      options.features = &app_.core;
    }
    if (extended() == Extended::vulkan12) {
      app_.vulkan12.hostQueryReset = VK_TRUE;
      push(options, app_.vulkan12);
    }
    if (extended() == Extended::dedicated) {
      app_.atomics.shaderSharedInt64Atomics = VK_TRUE;
      push(options, app_.memory_model);
      push(options, app_.atomics);
      push(options, app_.addresses);
    }
    if (core() == Core::features2) {
      app_.features2.features.independentBlend = VK_TRUE;
      push(options, app_.features2);
    }
    return options;
  }

  std::set<std::string> own_features() const {
    std::set<std::string> own;
    if (core() != Core::nowhere) own.insert("independentBlend");
    if (extended() == Extended::vulkan12) own.insert("hostQueryReset");
    if (extended() == Extended::dedicated) own.insert("shaderSharedInt64Atomics");
    return own;
  }

  void expect(const std::set<std::string>& enabled, const std::set<std::string>& expected) {
    for (const std::string& name : expected) EXPECT_TRUE(enabled.contains(name)) << name;
  }

  Application app_;

 private:
  template <typename T>
  void push(DeviceOptions& options, T& structure) {
    structure.pNext = const_cast<void*>(options.next);
    options.next = &structure;
  }
};

const std::set<std::string> kNeeded = {"bufferDeviceAddress", "shaderBufferInt64Atomics", "shaderInt64",
                                       "vertexPipelineStoresAndAtomics", "fragmentStoresAndAtomics"};

TEST_P(Features, AreAddedToWhatTheApplicationEnables) {
  const DeviceOptions device_options = options();
  const Application before = app_;
  Program program({}, device_options);
  EXPECT_EQ(std::memcmp(&before, &app_, sizeof app_), 0) << "the application's structures were written to";
  const DeviceRecord record = device_record(0);
  expect(record.features, kNeeded);
  expect(record.features, own_features());
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_NE(last_stages().at(0).words, shaders::prints_comp);
  EXPECT_EQ(notes(), std::vector<std::string>());
}

TEST_P(Features, ThatTheDriverLacksAreNotAskedFor) {
  for (const std::string& missing : kNeeded) {
    Config config;
    config.missing_features = {missing};
    driver().reset(config);
    Program program({}, options());
    const null_driver::Log log = driver().log();
    EXPECT_EQ(log.devices.size(), 1u) << "no second attempt is needed without " << missing;
    EXPECT_FALSE(log.devices.at(0).features.contains(missing));
    expect(log.devices.at(0).features, own_features());
    create_and_destroy_compute(program.device, shaders::prints_comp);
  }
}

TEST_P(Features, ThatTheDriverRefusesAreGivenUp) {
  Config config;
  config.refused_features = {"bufferDeviceAddress"};
  driver().reset(config);
  Program program({}, options());
  const null_driver::Log log = driver().log();
  ASSERT_EQ(log.devices.size(), 2u);
  EXPECT_NE(log.devices[0].result, VK_SUCCESS);
  EXPECT_EQ(log.devices[1].result, VK_SUCCESS);
  EXPECT_EQ(log.devices[1].features, own_features());
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_EQ(last_stages().at(0).words, shaders::prints_comp);
  EXPECT_EQ(notes().size(), 1u);
}

std::string parameter_name(const ::testing::TestParamInfo<std::tuple<Core, Extended>>& info) {
  const char* const cores[] = {"nothing", "enabled_features", "features2"};
  const char* const extendeds[] = {"nothing", "vulkan12", "dedicated"};
  return std::string(cores[static_cast<int>(std::get<Core>(info.param))]) + "_and_" +
         extendeds[static_cast<int>(std::get<Extended>(info.param))];
}

INSTANTIATE_TEST_SUITE_P(
    Chains, Features,
    ::testing::Combine(::testing::Values(Core::nowhere, Core::enabled_features, Core::features2),
                       ::testing::Values(Extended::nowhere, Extended::vulkan12, Extended::dedicated)),
    parameter_name);

using FeatureCases = LayerTest;

TEST_F(FeatureCases, DeviceScopeIsEnabledOnlyWithTheVulkanMemoryModel) {
  Instance instance;
  { Device device(instance); }
  EXPECT_FALSE(device_record(0).features.contains("vulkanMemoryModelDeviceScope"));
  Application app;
  app.memory_model.vulkanMemoryModel = VK_TRUE;
  { Device device(instance, {&app.memory_model, nullptr, {}}); }
  EXPECT_TRUE(device_record(1).features.contains("vulkanMemoryModelDeviceScope"));
  app.vulkan12.vulkanMemoryModel = VK_TRUE;
  { Device device(instance, {&app.vulkan12, nullptr, {}}); }
  EXPECT_TRUE(device_record(2).features.contains("vulkanMemoryModelDeviceScope"));
}

TEST_F(FeatureCases, WithoutDeviceAddressesTheDeviceWorksAndOneNoteSaysSo) {
  Config config;
  config.missing_features = {"bufferDeviceAddress"};
  driver().reset(config);
  Program program;
  create_and_destroy_compute(program.device, shaders::prints_comp);
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_EQ(last_stages().at(0).words, shaders::prints_comp);
  EXPECT_EQ(notes().size(), 1u);
  EXPECT_EQ(driver().log().allocations.size(), 0u);
}

TEST_F(FeatureCases, WithoutInt64AtomicsShadersStillPrint) {
  for (const char* missing : {"shaderInt64", "shaderBufferInt64Atomics"}) {
    Config config;
    config.missing_features = {missing};
    driver().reset(config);
    Program program;
    const VkPipeline pipeline = create_compute(program.device, shaders::prints_comp);
    EXPECT_NE(last_stages().at(0).words, shaders::prints_comp);
    print(site_id(shaders::prints_comp), 7);
    EXPECT_EQ(program.device.vk.vkQueueWaitIdle(program.device.queue), VK_SUCCESS);
    program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
  }
  EXPECT_EQ(messages(), std::vector<std::string>(2, "compute 7"));
}

TEST_F(FeatureCases, TheOldAddressExtensionIsLeftAlone) {
  auto old = structure<VkPhysicalDeviceBufferDeviceAddressFeaturesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES_EXT);
  old.bufferDeviceAddress = VK_TRUE;
  Program program({}, {&old, nullptr, {"VK_EXT_buffer_device_address"}});
  EXPECT_EQ(device_record(0).features, std::set<std::string>{"bufferDeviceAddressEXT"});
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_EQ(last_stages().at(0).words, shaders::prints_comp);
  EXPECT_EQ(notes().size(), 1u);
}

TEST_F(FeatureCases, OnVulkan11ExtensionsBringThem) {
  Config config;
  config.api_version = VK_API_VERSION_1_1;
  driver().reset(config);
  Program program({VK_API_VERSION_1_1, true, {}, nullptr});
  const DeviceRecord record = device_record(0);
  EXPECT_EQ(record.result, VK_SUCCESS);
  EXPECT_EQ(std::count(record.extensions.begin(), record.extensions.end(), "VK_KHR_buffer_device_address"),
            1);
  EXPECT_TRUE(record.features.contains("bufferDeviceAddress"));
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_NE(last_stages().at(0).words, shaders::prints_comp);
}

TEST_F(FeatureCases, OnVulkan11AnEnabledExtensionIsNotEnabledTwice) {
  Config config;
  config.api_version = VK_API_VERSION_1_1;
  driver().reset(config);
  Program program({VK_API_VERSION_1_1, true, {}, nullptr},
                  {nullptr, nullptr, {"VK_KHR_buffer_device_address", "VK_KHR_shader_atomic_int64"}});
  EXPECT_EQ(device_record(0).extensions.size(), 2u);
}

TEST_F(FeatureCases, OnVulkan11WithoutTheExtensionTheDeviceIsTheApplicationsOwn) {
  Config config;
  config.api_version = VK_API_VERSION_1_1;
  config.missing_extensions = {"VK_KHR_buffer_device_address"};
  driver().reset(config);
  Program program({VK_API_VERSION_1_1, true, {}, nullptr});
  EXPECT_EQ(device_record(0).extensions.size(), 0u);
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_EQ(last_stages().at(0).words, shaders::prints_comp);
  EXPECT_EQ(notes().size(), 1u);
}

TEST_F(FeatureCases, OnVulkan10TheDeviceIsTheApplicationsOwn) {
  Config config;
  config.api_version = VK_API_VERSION_1_0;
  driver().reset(config);
  Program program({VK_API_VERSION_1_0, true, {}, nullptr});
  EXPECT_EQ(device_record(0).features.size(), 0u);
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_EQ(last_stages().at(0).words, shaders::prints_comp);
  EXPECT_EQ(notes().size(), 1u);
}

TEST_F(FeatureCases, AnApplicationOf10OnANewerDriverPrints) {
  Program program({VK_API_VERSION_1_0, true, {}, nullptr});
  const VkPipeline pipeline = create_compute(program.device, shaders::prints_comp);
  print(site_id(shaders::prints_comp), 3);
  EXPECT_EQ(program.device.vk.vkQueueWaitIdle(program.device.queue), VK_SUCCESS);
  EXPECT_EQ(messages(), std::vector<std::string>{"compute 3"});
  program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
}

TEST_F(FeatureCases, WithoutStoresInAStageThatStageStaysSilent) {
  Config config;
  config.missing_features = {"vertexPipelineStoresAndAtomics"};
  driver().reset(config);
  Program program;
  const Device& device = program.device;
  const VkShaderModule modules[] = {create_module(device, shaders::prints_vert),
                                    create_module(device, shaders::prints_frag)};
  const VkPipelineShaderStageCreateInfo stages[] = {stage_info(VK_SHADER_STAGE_VERTEX_BIT, modules[0]),
                                                    stage_info(VK_SHADER_STAGE_FRAGMENT_BIT, modules[1])};
  VkGraphicsPipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.stageCount = 2;
  info.pStages = stages;
  VkPipeline pipeline = VK_NULL_HANDLE;
  ASSERT_EQ(device.vk.vkCreateGraphicsPipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
            VK_SUCCESS);
  EXPECT_EQ(last_stages().at(0).words, shaders::prints_vert);
  EXPECT_NE(last_stages().at(1).words, shaders::prints_frag);
  EXPECT_EQ(notes().size(), 1u);
  device.vk.vkDestroyPipeline(device.handle, pipeline, nullptr);
  for (const VkShaderModule module : modules) device.vk.vkDestroyShaderModule(device.handle, module, nullptr);
}

TEST_F(FeatureCases, WithoutBallotShadersStillPrint) {
  Config config;
  config.subgroup_operations = VK_SUBGROUP_FEATURE_BASIC_BIT;
  driver().reset(config);
  Program program;
  create_and_destroy_compute(program.device, shaders::prints_comp);
  const Words words = last_stages().at(0).words;
  EXPECT_NE(words, shaders::prints_comp);
  // OpCapability GroupNonUniformBallot
  const uint32_t capability[] = {0x00020011, 64};
  EXPECT_EQ(std::search(words.begin(), words.end(), std::begin(capability), std::end(capability)),
            words.end());
}

TEST_F(FeatureCases, WithoutMemoryThatHostAndDeviceReachNothingBreaks) {
  Config config;
  config.memory_types = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT};
  driver().reset(config);
  Program program;
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_EQ(last_stages().at(0).words, shaders::prints_comp);
  EXPECT_EQ(notes().size(), 1u);
}

}  // namespace
}  // namespace shaderqa::layer_tests
