// SPDX-License-Identifier: Apache-2.0
// A real program that makes its shaders itself, and large ones where it is asked for many points: right and
// silent under the sync check.
#include "e2e_test.h"

namespace shaderqa::testing {
namespace {

class FftTest : public EndToEnd {};

// In place, where a barrier too few would be a race and not only a wrong result. The program compares its
// results with the definition of a Fourier transform, and fails if they differ.
TEST_F(FftTest, IsRightAndSilent) {
  const std::string times = directory.file("times");
  const Outcome outcome =
      run_sample("fft_bench", {times, "--log2=12", "--log2-points=4", "--in-place"}, {"--sync=exact"});
  EXPECT_THAT(outcome.findings, IsEmpty());
}

}  // namespace
}  // namespace shaderqa::testing
