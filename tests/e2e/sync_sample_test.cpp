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

// The commands around an access are actions and barriers, in the order of recording.
TEST_F(SyncSample, CommandsAround) {
  const Outcome outcome = run_sample("sample_sync", {"--bug=barrier"}, {"--sync", "--breadcrumbs"});
  const auto hazards = outcome.of_kind("hazard");
  ASSERT_FALSE(hazards.empty());
  const Texts commands = hazards[0].at("commands");
  const auto starts = [](const char* text) { return ::testing::StartsWith(text); };
  const std::string barrier =
      "vkCmdPipelineBarrier: COMPUTE_SHADER, SHADER_WRITE -> COMPUTE_SHADER, SHADER_READ";
  // No barrier lies between 4 and 5, which are the two sides.
  EXPECT_THAT(
      commands,
      ElementsAre(starts("1: vkCmdFillBuffer"), starts("vkCmdPipelineBarrier: "), starts("2: vkCmdDispatch("),
                  starts(barrier.c_str()), starts("3: vkCmdDispatch("), starts(barrier.c_str()),
                  starts("4: vkCmdDispatch("), starts("5: vkCmdDispatch("), starts("vkCmdPipelineBarrier: "),
                  starts("6: vkCmdFillBuffer"), starts("vkCmdPipelineBarrier: "), starts("7: "),
                  starts(barrier.c_str()), starts("8: ")));
  EXPECT_EQ(hazards[0].at("action").at("number"), 5);
  EXPECT_EQ(hazards[0].at("device").at("name").get<std::string>().substr(0, 8), "llvmpipe");
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
