// SPDX-License-Identifier: Apache-2.0
// The base of these tests: an environment in which the loader finds the null driver, this build's layer and
// nothing else.
#ifndef SHADERQA_TESTS_LAYER_LAYER_TEST_H
#define SHADERQA_TESTS_LAYER_LAYER_TEST_H

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "environment.h"
#include "tests/layer/fake_gpu.h"
#include "tests/layer/program.h"

namespace shaderqa::layer_tests {

class LayerTest : public ::testing::Test {
 protected:
  LayerTest();
  // Whatever a test does, the driver must have found nothing wrong, and nothing may be left.
  void TearDown() override;

  void set(const std::string& variable, const std::string& value);
  void unset(const std::string& variable);

  // Texts that the layer reported so far.
  std::vector<std::string> reported(const std::string& kind) const;
  std::vector<std::string> messages() const { return reported("printf"); }
  std::vector<std::string> notes() const { return reported("note"); }

  const std::filesystem::path& directory() const { return directory_.path(); }
  const testing::Environment& environment() const { return environment_; }

 private:
  testing::TemporaryDirectory directory_;
  testing::Environment environment_;
};

// Words of the stages of the driver's latest pipeline or shader object.
std::vector<null_driver::StageRecord> last_stages();

}  // namespace shaderqa::layer_tests
#endif
