// SPDX-License-Identifier: Apache-2.0
// Settings that change what reaches the driver.
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/layer/layer_test.h"

namespace shaderqa::layer_tests {
namespace {

using LayerSettings = LayerTest;

// As `shaderqa run` sets it: the printf buffer is a file, imported as host memory.
TEST_F(LayerSettings, ARescueDirectoryMakesTheBufferImportedMemory) {
  const shaderqa::testing::TemporaryDirectory memory(true);
  set("SHADERQA_RESCUE_DIR", memory.path());
  {
    Program program;
    const VkPipeline pipeline = create_compute(program.device, shaders::prints_comp);
    print(site_id(shaders::prints_comp), 1);
    EXPECT_EQ(program.device.vk.vkQueueWaitIdle(program.device.queue), VK_SUCCESS);
    program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
  }
  const null_driver::Log log = driver().log();
  const auto& extensions = log.devices.at(0).extensions;
  EXPECT_EQ(std::count(extensions.begin(), extensions.end(), "VK_EXT_external_memory_host"), 1);
  uint32_t imported = 0;
  for (const auto& allocation : log.allocations) imported += allocation.imported;
  EXPECT_EQ(imported, 1u);
  EXPECT_EQ(messages(), std::vector<std::string>{"compute 1"});
}

// After an import that fails, as it does there, a driver may refuse all memory from then on.
TEST_F(LayerSettings, ARescueDirectoryOnDiskIsNotImported) {
  // The build lies on disk wherever temporary files are.
  const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe");
  const std::filesystem::path folder = executable.parent_path() / ("rescue_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  set("SHADERQA_RESCUE_DIR", folder);
  {
    Program program;
    const VkPipeline pipeline = create_compute(program.device, shaders::prints_comp);
    print(site_id(shaders::prints_comp), 1);
    EXPECT_EQ(program.device.vk.vkQueueWaitIdle(program.device.queue), VK_SUCCESS);
    program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
  }
  for (const auto& allocation : driver().log().allocations) EXPECT_FALSE(allocation.imported);
  EXPECT_EQ(messages(), std::vector<std::string>{"compute 1"});
  std::filesystem::remove_all(folder);
}

TEST_F(LayerSettings, WithoutImportARescueDirectoryStillPrints) {
  const shaderqa::testing::TemporaryDirectory memory(true);
  set("SHADERQA_RESCUE_DIR", memory.path());
  null_driver::Config config;
  config.missing_extensions = {"VK_EXT_external_memory_host"};
  driver().reset(config);
  Program program;
  const VkPipeline pipeline = create_compute(program.device, shaders::prints_comp);
  print(site_id(shaders::prints_comp), 1);
  EXPECT_EQ(program.device.vk.vkQueueWaitIdle(program.device.queue), VK_SUCCESS);
  program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
  EXPECT_EQ(messages(), std::vector<std::string>{"compute 1"});
}

TEST_F(LayerSettings, OfTheApplicationSwitchPrintfOff) {
  const VkBool32 off = VK_FALSE;
  VkLayerSettingEXT setting{};
  setting.pLayerName = "VK_LAYER_SHADERQA_instrument";
  setting.pSettingName = "printf";
  setting.type = VK_LAYER_SETTING_TYPE_BOOL32_EXT;
  setting.valueCount = 1;
  setting.pValues = &off;
  VkLayerSettingsCreateInfoEXT settings{};
  settings.sType = VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT;
  settings.settingCount = 1;
  settings.pSettings = &setting;
  Program program({VK_API_VERSION_1_3, true, {}, &settings});
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_EQ(last_stages().at(0).words, shaders::prints_comp);
}

TEST_F(LayerSettings, ASelectionLeavesOtherShadersAlone) {
  testing::write_file(directory() / "hashes", "0123456789abcdef\n");
  set("SHADERQA_HASHES", directory() / "hashes");
  Program program;
  create_and_destroy_compute(program.device, shaders::prints_comp);
  EXPECT_EQ(last_stages().at(0).words, shaders::prints_comp);
}

TEST_F(LayerSettings, ABufferSizeIsThatOfTheAllocation) {
  set("SHADERQA_PRINTF_BUFFER_SIZE", "1048576");
  Program program;
  create_and_destroy_compute(program.device, shaders::prints_comp);
  uint64_t largest = 0;
  for (const auto& allocation : driver().log().allocations) largest = std::max(largest, allocation.size);
  EXPECT_EQ(largest, 1048576u);
}

}  // namespace
}  // namespace shaderqa::layer_tests
