// SPDX-License-Identifier: Apache-2.0
// The particle sample: silent and right without a mistake, and each mistake found where it is.
#include "e2e_test.h"

namespace shaderqa::testing {
namespace {

class SyncSample : public EndToEnd {
 protected:
  Outcome sample(const Texts& arguments, bool layered = true) const {
    return run_sample("sample_sync", arguments, layered ? Texts{"--sync", "--assume"} : Texts{});
  }

  // Files (without their folder) and buffers of the hazards.
  Texts places(const Outcome& outcome) {
    Texts result;
    for (const auto& finding : outcome.findings) {
      if (finding.at("kind") != "hazard") continue;
      const std::string file = finding["source"].value("file", "");
      result.push_back(file.substr(file.rfind('/') + 1) + " " + finding["buffer"].value("name", ""));
    }
    return result;
  }
};

TEST_F(SyncSample, WithoutAMistakeIsRightAndSilent) {
  const Outcome plain = sample({}, false), layered = sample({});
  EXPECT_EQ(plain.process.out, layered.process.out);
  EXPECT_THAT(plain.process.out, HasSubstr(": right"));
  EXPECT_THAT(layered.findings, IsEmpty());
}

TEST_F(SyncSample, MissingBarrier) {
  const Texts found = places(sample({"--bug=barrier"}));
  EXPECT_THAT(found, ::testing::Contains("move.comp sorted"));
  EXPECT_THAT(found, ::testing::Contains("move.comp ends"));
  EXPECT_THAT(found, ::testing::Each(::testing::StartsWith("move.comp ")));
}

TEST_F(SyncSample, ScanWithoutBarriers) {
  const Texts found = places(sample({"--bug=scan"}));
  EXPECT_THAT(found, ::testing::Contains("scan.comp ends"));
  // Wrong sums send several particles to one place.
  EXPECT_THAT(found, ::testing::Each(::testing::AnyOf("scan.comp ends", "scatter.comp sorted")));
}

TEST_F(SyncSample, NeighbourThatMoves) {
  const Texts found = places(sample({"--bug=neighbour"}));
  EXPECT_THAT(found, ::testing::Contains("move.comp particles"));
  EXPECT_THAT(found, ::testing::Each("move.comp particles"));
}

}  // namespace
}  // namespace shaderqa::testing
