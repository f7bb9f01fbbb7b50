// SPDX-License-Identifier: Apache-2.0
// Rewritten shaders that a later run finds again, on a device whose addresses are the same in every run.
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "tests/layer/layer_test.h"
#include "tests/layer/pipelines.h"

namespace shaderqa::layer_tests {
namespace {

namespace fs = std::filesystem;

class ShaderCaches : public LayerTest {
 protected:
  ShaderCaches() {
    set("SHADERQA_CACHE_DIR", cache());
    null_driver::Config config;
    config.device_type = VK_PHYSICAL_DEVICE_TYPE_CPU;
    config.missing_features = {"bufferDeviceAddressCaptureReplay"};  // as lavapipe
    driver().reset(config);
  }
  fs::path cache() const { return directory() / "cache"; }
  // A file that is written again is another one.
  std::map<fs::path, ino_t> files() const {
    std::map<fs::path, ino_t> found;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(cache(), none)) {
      struct stat status {};
      stat(entry.path().c_str(), &status);
      found[entry.path()] = status.st_ino;
    }
    return found;
  }
  // One run of a program that prints; the words that reached the driver.
  Words run(uint32_t number) {
    Program program;
    const VkPipeline pipeline = create_compute(program.device, shaders::prints_comp);
    const Words words = last_stages().at(0).words;
    print(site_id(shaders::prints_comp), number);
    program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
    return words;
  }
};

TEST_F(ShaderCaches, TheSecondRunUsesWhatTheFirstMade) {
  const Words first = run(1);
  const auto made = files();
  EXPECT_EQ(made.size(), 1u);
  EXPECT_NE(first, shaders::prints_comp);
  const Words second = run(2);
  EXPECT_EQ(first, second);
  EXPECT_EQ(files(), made);
  // What decodes messages came from the file too.
  const std::vector<std::string> expected = {"compute 1", "compute 2"};
  EXPECT_EQ(messages(), expected);
  EXPECT_EQ(notes(), std::vector<std::string>());
}

TEST_F(ShaderCaches, OtherSettingsMakeOtherShaders) {
  run(1);
  set("SHADERQA_PRINTF_VERBOSE", "1");
  run(2);
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(ShaderCaches, EveryStageIsKeptAndFoundInAnyOrder) {
  const auto run_kinds = [&](std::vector<Kind> kinds) {
    Program program({}, {nullptr, nullptr, pipeline_extensions()});
    std::set<Words> words;
    for (const Kind kind : kinds) {
      PipelineMaker maker(program.device, kind, Code::module);
      EXPECT_EQ(maker.create(printing_stages(kind)), VK_SUCCESS);
      for (const auto& stage : last_stages()) words.insert(stage.words);
    }
    return words;
  };
  const auto first = run_kinds({Kind::compute, Kind::graphics, Kind::ray_tracing});
  const auto made = files();
  EXPECT_EQ(made.size(), 5u);
  EXPECT_EQ(first, run_kinds({Kind::ray_tracing, Kind::graphics, Kind::compute}));
  EXPECT_EQ(files(), made);
  // And what another process would have made from nothing is the same.
  fs::remove_all(cache());
  EXPECT_EQ(first, run_kinds({Kind::graphics, Kind::compute, Kind::ray_tracing}));
}

TEST_F(ShaderCaches, ADamagedFileIsMadeAnewWithOneNote) {
  const Words first = run(1);
  const auto made = files();
  fs::resize_file(made.begin()->first, 100);
  EXPECT_EQ(run(2), first);
  EXPECT_EQ(notes().size(), 1u);
  EXPECT_NE(files(), made);
  EXPECT_EQ(run(3), first);
  EXPECT_EQ(notes().size(), 1u);
  EXPECT_EQ(messages().size(), 3u);
}

TEST_F(ShaderCaches, ADirectoryThatCannotBeWrittenIsOneNote) {
  set("SHADERQA_CACHE_DIR", "/proc/shaderqa");
  run(1);
  EXPECT_EQ(notes().size(), 1u);
  EXPECT_EQ(messages().size(), 1u);
}

TEST_F(ShaderCaches, WithoutStableAddressesNothingIsKept) {
  set("SHADERQA_STABLE_ADDRESSES", "0");
  run(1);
  EXPECT_EQ(files().size(), 0u);
  EXPECT_EQ(notes().size(), 1u);
}

TEST_F(ShaderCaches, ThirtyDevicesAtOnceAreServed) {
  Instance instance;
  std::vector<std::unique_ptr<Device>> devices;
  std::set<Words> words;
  for (int i = 0; i < 30; ++i) {
    devices.push_back(std::make_unique<Device>(instance));
    create_and_destroy_compute(*devices.back(), shaders::prints_comp);
    words.insert(last_stages().at(0).words);
  }
  EXPECT_EQ(words.size(), 30u) << "each has its own root block";
  EXPECT_EQ(files().size(), 30u);
  devices.clear();
  run(1);
  EXPECT_EQ(files().size(), 30u);
}

}  // namespace
}  // namespace shaderqa::layer_tests
