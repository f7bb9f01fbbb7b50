// SPDX-License-Identifier: Apache-2.0
// Structures that this build does not know stay where they are, and the application gets what it asked for.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/layer/layer_test.h"
#include "tests/layer/pipelines.h"

namespace shaderqa::layer_tests {
namespace {

constexpr auto kUnknown = static_cast<VkStructureType>(1999999001);

struct Unknown {
  VkStructureType sType = kUnknown;
  const void* pNext = nullptr;
  uint64_t payload[4] = {1, 2, 3, 4};
};

class UnknownStructure : public LayerTest {
 protected:
  std::vector<std::string> notes_about(const std::string& text) const {
    std::vector<std::string> found = notes();
    std::erase_if(found, [&](const std::string& note) { return note.find(text) == std::string::npos; });
    return found;
  }
};

TEST_F(UnknownStructure, FirstInADeviceCreation) {
  Instance instance;
  VkPhysicalDeviceVulkan12Features known{};
  known.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  Unknown unknown;
  unknown.pNext = &known;
  Device device(instance, {&unknown, nullptr, {}});
  const null_driver::DeviceRecord record = driver().log().devices.at(0);
  EXPECT_EQ(std::count(record.chain.begin(), record.chain.end(), kUnknown), 1);
  // The structure behind would have to be changed, and what is in front cannot be copied.
  EXPECT_FALSE(record.features.contains("bufferDeviceAddress"));
  create_and_destroy_compute(device, shaders::prints_comp);
  EXPECT_EQ(last_stages().at(0).words, shaders::prints_comp);
  EXPECT_EQ(notes().size(), 1u);
  EXPECT_NE(notes().at(0).find("1999999001"), std::string::npos) << notes().at(0);
}

// One that the headers of the build do not know, but the table of sizes does.
TEST_F(UnknownStructure, NewerThanTheHeaders) {
  for (const int type : {1000387000, 1000527000}) {
    Instance instance;
    VkPhysicalDeviceVulkan12Features known{};
    known.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    const struct {
      VkStructureType sType;
      const void* pNext;
      VkBool32 features[2];
    } newer{static_cast<VkStructureType>(type), &known, {}};
    static_assert(sizeof newer == 24);
    Device device(instance, {&newer, nullptr, {}});
    const null_driver::DeviceRecord record = driver().log().devices.back();
    EXPECT_EQ(std::count(record.chain.begin(), record.chain.end(), newer.sType), 1);
    EXPECT_TRUE(record.features.contains("bufferDeviceAddress"));
    create_and_destroy_compute(device, shaders::prints_comp);
    EXPECT_NE(last_stages().at(0).words, shaders::prints_comp);
  }
  EXPECT_EQ(notes().size(), 0u);
}

// The application enables what every check needs.
TEST_F(UnknownStructure, InFrontOfAFeatureOfOneEngine) {
  Instance instance;
  VkPhysicalDeviceVulkan12Features known{};
  known.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  known.bufferDeviceAddress = known.bufferDeviceAddressCaptureReplay = VK_TRUE;
  Unknown unknown;
  unknown.pNext = &known;
  Device device(instance, {&unknown, nullptr, {}});
  const null_driver::DeviceRecord record = driver().log().devices.at(0);
  EXPECT_EQ(std::count(record.chain.begin(), record.chain.end(), kUnknown), 1);
  EXPECT_FALSE(record.features.contains("shaderBufferInt64Atomics"));
  EXPECT_TRUE(record.features.contains("fragmentStoresAndAtomics"));
  create_and_destroy_compute(device, shaders::prints_comp);
  EXPECT_NE(last_stages().at(0).words, shaders::prints_comp);
  ASSERT_EQ(notes_about("1999999001").size(), 1u);
  EXPECT_NE(notes_about("1999999001")[0].find("by the exact engine"), std::string::npos);
}

TEST_F(UnknownStructure, InFrontOfTheFeaturesOfStages) {
  Instance instance;
  VkPhysicalDeviceFeatures2 behind{};
  behind.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  behind.features.shaderInt64 = VK_TRUE;
  Unknown unknown;
  unknown.pNext = &behind;
  Device device(instance, {&unknown, nullptr, {}});
  const null_driver::DeviceRecord record = driver().log().devices.at(0);
  EXPECT_FALSE(record.features.contains("fragmentStoresAndAtomics"));
  EXPECT_TRUE(record.features.contains("shaderBufferInt64Atomics"));
  create_and_destroy_compute(device, shaders::prints_comp);
  EXPECT_NE(last_stages().at(0).words, shaders::prints_comp);
  EXPECT_EQ(notes_about("1999999001").size(), 2u);
  EXPECT_EQ(notes_about("fragment shaders are not checked").size(), 1u);
}

TEST_F(UnknownStructure, InTheMiddleOfADeviceCreation) {
  Instance instance;
  VkPhysicalDeviceVulkan13Features behind{};
  behind.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  behind.synchronization2 = VK_TRUE;
  Unknown unknown;
  unknown.pNext = &behind;
  VkPhysicalDeviceVulkan12Features front{};
  front.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  front.pNext = &unknown;
  Device device(instance, {&front, nullptr, {}});
  const null_driver::DeviceRecord record = driver().log().devices.at(0);
  EXPECT_EQ(std::count(record.chain.begin(), record.chain.end(), kUnknown), 1);
  EXPECT_TRUE(record.features.contains("bufferDeviceAddress"));
  EXPECT_TRUE(record.features.contains("synchronization2"));
  create_and_destroy_compute(device, shaders::prints_comp);
  EXPECT_NE(last_stages().at(0).words, shaders::prints_comp);
}

TEST_F(UnknownStructure, LastAndAloneInADeviceCreation) {
  Instance instance;
  Unknown unknown;
  Device device(instance, {&unknown, nullptr, {}});
  const null_driver::DeviceRecord record = driver().log().devices.at(0);
  EXPECT_EQ(std::count(record.chain.begin(), record.chain.end(), kUnknown), 1);
  EXPECT_TRUE(record.features.contains("bufferDeviceAddress"));
  create_and_destroy_compute(device, shaders::prints_comp);
  EXPECT_NE(last_stages().at(0).words, shaders::prints_comp);
}

// With a module nothing in the chain has to be changed.
TEST_F(UnknownStructure, InAStageWithAModule) {
  Program program;
  Unknown unknown;
  PipelineMaker maker(program.device, Kind::compute, Code::module);
  maker.chain(reinterpret_cast<VkBaseInStructure*>(&unknown));
  ASSERT_EQ(maker.create(printing_stages(Kind::compute)), VK_SUCCESS);
  const null_driver::StageRecord stage = last_stages().at(0);
  EXPECT_EQ(stage.chain, null_driver::Chain{kUnknown});
  EXPECT_NE(stage.words, shaders::prints_comp);
}

TEST_F(UnknownStructure, InFrontOfInlineCode) {
  Program program;
  Unknown unknown;
  PipelineMaker maker(program.device, Kind::compute, Code::inline_in_chain);
  maker.chain(reinterpret_cast<VkBaseInStructure*>(&unknown));
  ASSERT_EQ(maker.create(printing_stages(Kind::compute)), VK_SUCCESS);
  const null_driver::StageRecord stage = last_stages().at(0);
  EXPECT_EQ(std::count(stage.chain.begin(), stage.chain.end(), kUnknown), 1);
  EXPECT_EQ(stage.words, shaders::prints_comp);
  EXPECT_EQ(notes().size(), 1u);
}

TEST_F(UnknownStructure, BehindInlineCode) {
  Program program;
  Unknown unknown;
  VkShaderModuleCreateInfo code = module_info(shaders::prints_comp);
  code.pNext = &unknown;
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, VK_NULL_HANDLE);
  info.stage.pNext = &code;
  VkPipeline pipeline = VK_NULL_HANDLE;
  const Device& device = program.device;
  ASSERT_EQ(device.vk.vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
            VK_SUCCESS);
  const null_driver::StageRecord stage = last_stages().at(0);
  EXPECT_EQ(std::count(stage.chain.begin(), stage.chain.end(), kUnknown), 1);
  EXPECT_NE(stage.words, shaders::prints_comp);
  device.vk.vkDestroyPipeline(device.handle, pipeline, nullptr);
}

TEST_F(UnknownStructure, InAModule) {
  Program program;
  Unknown unknown;
  VkShaderModuleCreateInfo info = module_info(shaders::prints_comp);
  info.pNext = &unknown;
  VkShaderModule module = VK_NULL_HANDLE;
  const Device& device = program.device;
  ASSERT_EQ(device.vk.vkCreateShaderModule(device.handle, &info, nullptr, &module), VK_SUCCESS);
  EXPECT_EQ(driver().log().modules.at(0).chain, null_driver::Chain{kUnknown});
  device.vk.vkDestroyShaderModule(device.handle, module, nullptr);
}

TEST_F(UnknownStructure, InAnInstanceCreation) {
  Unknown unknown;
  Program program({VK_API_VERSION_1_3, true, {}, &unknown});
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_NE(last_stages().at(0).words, shaders::prints_comp);
}

}  // namespace
}  // namespace shaderqa::layer_tests
