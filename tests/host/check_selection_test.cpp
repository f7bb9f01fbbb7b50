// SPDX-License-Identifier: Apache-2.0
#include "host/settings/check_selection.h"

#include <gtest/gtest.h>

namespace shaderqa {
namespace {

CheckSelection selected(const Settings& settings, uint32_t modes, Stage stage = Stage::compute) {
  return select_checks(settings, modes, stage);
}

Settings everything() {
  Settings settings;
  settings.printf = settings.assume = settings.expect = true;
  settings.nan = "full";
  settings.sync = "bloom";
  return settings;
}

TEST(CheckSelection, AllowIsWhatIsSwitchedOn) {
  EXPECT_EQ(selected(Settings{}, kHashAllow), (CheckSelection{.printf = true}));
  EXPECT_EQ(selected(everything(), kHashAllow),
            (CheckSelection{true, true, true, NanCheck::full, false, true, true}));
  Settings settings;
  settings.printf = false;
  EXPECT_FALSE(selected(settings, kHashAllow).any());
  settings.nan = "flush-nan";
  EXPECT_EQ(selected(settings, kHashAllow).nan, NanCheck::flush);
  settings.nan = "writes";
  EXPECT_EQ(selected(settings, kHashAllow).nan, NanCheck::writes);
}

TEST(CheckSelection, DisallowWinsAndNoMatchIsNothing) {
  for (uint32_t modes = 0; modes < 256; ++modes) {
    if ((modes & kHashDisallow) != 0) {
      EXPECT_FALSE(selected(everything(), modes).any()) << modes;
    }
  }
  EXPECT_FALSE(selected(everything(), 0).any());
}

TEST(CheckSelection, KeywordsSwitchOnWhatIsOff) {
  Settings off;
  off.printf = false;
  EXPECT_EQ(selected(off, kHashFull), (CheckSelection{.nan = NanCheck::full}));
  EXPECT_EQ(selected(off, kHashFlushNan), (CheckSelection{.nan = NanCheck::flush}));
  EXPECT_EQ(selected(off, kHashExpectAssume), (CheckSelection{.assume = true}));
  EXPECT_EQ(selected(off, kHashSync), (CheckSelection{.sync = true, .sync_shared = true}));
  EXPECT_EQ(selected(off, kHashSyncCompute), (CheckSelection{.sync = true, .sync_shared = true}));
  EXPECT_EQ(selected(off, kHashPrintf), (CheckSelection{.printf = true}));
  EXPECT_FALSE(selected(off, kHashSyncCompute, Stage::fragment).any());
  EXPECT_TRUE(selected(off, kHashSync, Stage::fragment).sync);
}

TEST(CheckSelection, AKeywordsShadersGetNothingElse) {
  EXPECT_EQ(selected(everything(), kHashFull), (CheckSelection{.nan = NanCheck::full}));
  EXPECT_EQ(selected(everything(), kHashPrintf), (CheckSelection{.printf = true}));
  EXPECT_FALSE(selected(everything(), kHashSyncCompute, Stage::vertex).any());
  EXPECT_EQ(selected(everything(), kHashExpectAssume), (CheckSelection{.assume = true, .expect = true}));
}

// Every union of modes is what its strongest one says, and printf where a range asks for it.
TEST(CheckSelection, HasVkd3dsPrecedence) {
  constexpr HashModes order[] = {kHashFull, kHashFlushNan,    kHashExpectAssume,
                                 kHashSync, kHashSyncCompute, kHashAllow};
  const Settings settings = everything();
  for (uint32_t modes = 0; modes < 256; ++modes) {
    if ((modes & kHashDisallow) != 0) continue;
    for (const Stage stage : {Stage::compute, Stage::fragment}) {
      CheckSelection expected;
      for (const HashModes mode : order) {
        if ((modes & mode) == 0) continue;
        expected = selected(settings, mode, stage);
        break;
      }
      expected.printf = (modes & (kHashPrintf | kHashAllow)) != 0;
      EXPECT_EQ(selected(settings, modes, stage), expected) << modes;
    }
  }
}

TEST(CheckSelection, Vkd3dsSwitchAloneChecksWrites) {
  Settings settings;
  settings.instruction_qa_checks = true;
  EXPECT_EQ(selected(settings, kHashAllow), (CheckSelection{.printf = true, .nan = NanCheck::writes}));
  EXPECT_EQ(selected(settings, kHashSync).nan, NanCheck::none);
  settings.nan = "full";
  EXPECT_EQ(selected(settings, kHashAllow).nan, NanCheck::full);
}

TEST(CheckSelection, PossibleChecksAreThoseOfAnyShader) {
  const auto filter = [](const char* text) {
    std::vector<std::string> problems;
    HashFilter parsed = HashFilter::parse(text, "hashes", problems);
    EXPECT_TRUE(problems.empty());
    return parsed;
  };
  Settings settings;
  EXPECT_EQ(possible_checks(settings, {}), (PossibleChecks{.printf = true}));
  EXPECT_EQ(possible_checks(settings, filter("1 sync-compute\n2 allow")),
            (PossibleChecks{.printf = true, .sync = true}));
  EXPECT_EQ(possible_checks(settings, filter("1 flush-nan")), (PossibleChecks{.values = true}));
  EXPECT_EQ(possible_checks(everything(), {}), (PossibleChecks{true, true, true}));
  EXPECT_EQ(possible_checks(everything(), filter("1 disallow\n2 printf")), (PossibleChecks{.printf = true}));
  settings.instruction_qa_checks = true;
  EXPECT_TRUE(possible_checks(settings, {}).values);
  // A file that cannot be read selects nothing.
  std::vector<std::string> problems;
  EXPECT_EQ(possible_checks(everything(), HashFilter::load("/nonexistent", problems)), PossibleChecks{});
}

}  // namespace
}  // namespace shaderqa
