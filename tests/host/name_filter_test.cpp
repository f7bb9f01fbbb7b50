// SPDX-License-Identifier: Apache-2.0
#include "host/settings/name_filter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace shaderqa {
namespace {

bool allows(const char* only, const char* skip, const std::vector<std::string>& names) {
  return NameFilter(only, skip).allows(names);
}

TEST(NameFilter, WithoutPatternsAllowsEverything) {
  EXPECT_TRUE(NameFilter().empty());
  EXPECT_TRUE(NameFilter(" , ", "").empty());
  EXPECT_TRUE(NameFilter().allows({}));
}

TEST(NameFilter, OnlyWhatFits) {
  EXPECT_TRUE(allows("shadow*", "", {"main", "shadow map"}));
  EXPECT_FALSE(allows("shadow*", "", {"main", "the shadow map"}));
  EXPECT_FALSE(allows("shadow*", "", {}));
  EXPECT_TRUE(allows("blur, shadow*", "", {"shadows"}));
  EXPECT_TRUE(allows("blur\tshadow?.[cf]*", "", {"shadow2.frag"}));
  EXPECT_FALSE(allows("shadow?.[cf]*", "", {"shadow.frag"}));
}

TEST(NameFilter, SlashesAreCharacters) { EXPECT_TRUE(allows("*/lit.frag", "", {"/a/b/lit.frag"})); }

TEST(NameFilter, SkipWinsOverOnly) {
  EXPECT_FALSE(allows("", "*.tesc", {"a.tesc"}));
  EXPECT_TRUE(allows("", "*.tesc", {"a.tese"}));
  EXPECT_FALSE(allows("a*", "*.tesc", {"a.tesc"}));
}

}  // namespace
}  // namespace shaderqa
