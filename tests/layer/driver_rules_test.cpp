// SPDX-License-Identifier: Apache-2.0
// What the layer knows of drivers, by their id and what they say of their version: shaders are rewritten in
// other ways for them.
#include <algorithm>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <string_view>

#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

struct Rules {
  bool varying_addresses = false;  // instrument/passes/varying_zero.h
  bool memory_barriers = true;
};

struct Driver {
  const char* name;
  VkDriverId id;
  const char* info;
  Rules rules;
};

bool has_instruction(const std::vector<uint32_t>& words, spv::Op op) {
  for (size_t i = 5; i < words.size(); i += std::max(1u, words[i] >> 16))
    if ((words[i] & 0xffff) == static_cast<uint32_t>(op)) return true;
  return false;
}

bool has_text(const std::vector<uint32_t>& words, std::string_view text) {
  return std::string_view(reinterpret_cast<const char*>(words.data()), words.size() * 4).find(text) !=
         std::string_view::npos;
}

null_driver::Config config_of(const Driver& driver) {
  null_driver::Config config;
  config.driver_id = driver.id;
  config.driver_info = driver.info;
  return config;
}

class DriverRules : public CommandTest, public ::testing::WithParamInterface<Driver> {
 protected:
  DriverRules() : CommandTest({}, config_of(GetParam()), "exact") {}
};

TEST_P(DriverRules, DecideHowShadersAreRewritten) {
  const std::vector<uint32_t> words = record_of(pipeline_).stages.at(0).words;
  EXPECT_GT(words.size(), 2 * shaders::accesses_comp.size()) << "it is not checked";
  EXPECT_EQ(has_text(words, "sqa_varying_zero"), GetParam().rules.varying_addresses);
  EXPECT_EQ(has_instruction(words, spv::Op::OpMemoryBarrier), GetParam().rules.memory_barriers);
}

constexpr Driver kDrivers[] = {
    {"lavapipe_24_3", VK_DRIVER_ID_MESA_LLVMPIPE, "Mesa 24.3.4 (LLVM 15.0.6)", {false, false}},
    {"lavapipe_25_0", VK_DRIVER_ID_MESA_LLVMPIPE, "Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6)", {false, true}},
    {"lavapipe_25_1", VK_DRIVER_ID_MESA_LLVMPIPE, "Mesa 25.1.0-devel (git-0123456789)", {true, true}},
    {"lavapipe_26_2", VK_DRIVER_ID_MESA_LLVMPIPE, "Mesa 26.2.0-1 (LLVM 22.1.2)", {true, true}},
    {"another_of_mesa", VK_DRIVER_ID_MESA_RADV, "Mesa 26.2.0-1", {false, true}},
    {"without_id", VkDriverId{}, "", {false, true}}};

INSTANTIATE_TEST_SUITE_P(Drivers, DriverRules, ::testing::ValuesIn(kDrivers),
                         [](const auto& driver) { return std::string(driver.param.name); });

}  // namespace
}  // namespace shaderqa::layer_tests
