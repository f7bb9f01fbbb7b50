// SPDX-License-Identifier: Apache-2.0
// The samples are right with and without the layer, and print what their shaders say.
#include "e2e_test.h"

namespace shaderqa::testing {
namespace {

class SamplesTest : public EndToEnd {
 protected:
  Outcome sample(const std::string& name, bool layered) const {
    return run_sample(name, {}, layered ? Texts{"--printf"} : Texts{});
  }
};

TEST_F(SamplesTest, Compute) {
  const Outcome plain = sample("sample_compute", false), layered = sample("sample_compute", true);
  EXPECT_EQ(plain.process.out, layered.process.out);
  EXPECT_THAT(plain.findings, IsEmpty());
  const auto printed = layered.printed();
  EXPECT_EQ(printed.size(), 5u + 1u + 4u);
  EXPECT_THAT(printed, ::testing::Contains("values[200020] = 65537 is not below 65536: left out"));
  EXPECT_THAT(printed, ::testing::Contains("1048571 values in 256 bins, 4095.98 a bin on average"));
}

TEST_F(SamplesTest, Graphics) {
  const Outcome plain = sample("sample_graphics", false), layered = sample("sample_graphics", true);
  EXPECT_EQ(plain.process.out, layered.process.out);  // with the picture's checksum in it
  EXPECT_THAT(layered.printed(), ::testing::Contains(HasSubstr("box 16: centre ")));
}

}  // namespace
}  // namespace shaderqa::testing
