// SPDX-License-Identifier: Apache-2.0
// The exact engine against the patterns of races that the literature knows: each of a hundred runs finds
// every word of the racy ones, with both sides, and no run of the correct ones says anything.
#include <map>
#include <set>
#include <sstream>

#include "sync_fixture.h"

namespace shaderqa::testing {
namespace {

using sync_cases::RacyPattern;
using sync_cases::SidePair;

class Runs : public Sync {
 protected:
  Runs() { engine = "exact"; }
};

// The letters after `//!`, by line.
std::map<int, char> marks_of(const Case& test) {
  std::map<int, char> marks;
  std::istringstream source(test.shaders[0].source);
  std::string line;
  for (int number = 1; std::getline(source, line); ++number) {
    const size_t mark = line.find("//!");
    if (mark != std::string::npos) marks[number] = line.at(mark + 3);
  }
  return marks;
}

using Seen = std::pair<char, std::string>;  // Side

// Both sides of a finding; ' ' where the line has no mark.
std::pair<Seen, Seen> sides_of(const nlohmann::json& finding, const Case& test) {
  const auto marks = marks_of(test);
  const auto mark = [&](int line) { return marks.contains(line) ? marks.at(line) : ' '; };
  const auto other = finding.value("other", nlohmann::json::object());
  const auto places = other.value("places", Texts{});
  std::string place = places.size() == 1 ? places[0] : ":0";
  const int line = std::stoi(place.substr(place.rfind(':') + 1));
  return {{mark(finding["source"].value("line", 0)), finding["hazard"].value("access", "")},
          {mark(line), other.value("access", "")}};
}

bool is_legal(const std::pair<Seen, Seen>& sides, const std::vector<SidePair>& pairs) {
  return std::ranges::any_of(pairs, [&](const SidePair& pair) {
    const Seen one{pair.one.line, pair.one.access}, two{pair.two.line, pair.two.access};
    return sides == std::pair{one, two} || sides == std::pair{two, one};
  });
}

// Counts failures. A site is reported once; a note at the end says how often it failed if that was more.
uint64_t failures(const Outcome& outcome) {
  std::map<std::pair<std::string, int>, uint64_t> counts;
  for (const auto& finding : outcome.findings) {
    if (!finding.contains("instruction")) continue;
    uint64_t& count = counts[{finding.value("shader", ""), finding["instruction"].value("word", 0)}];
    count = std::max(count, finding.value("count", uint64_t{1}));
  }
  uint64_t sum = 0;
  for (const auto& [site, count] : counts) sum += count;
  return sum;
}

// Word by word: of stores that are checked as one, the first word that was raced for is reported.
class RacyRuns : public Runs, public ::testing::WithParamInterface<RacyPattern> {
 protected:
  RacyRuns() { environment["SHADERQA_SYNC_MERGE"] = "false"; }
};

TEST_P(RacyRuns, EachFindsEveryWordAndBothSides) {
  const RacyPattern& pattern = GetParam();
  const Outcome outcome = run_layered(sync_program({{&pattern.test, true}}));
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  EXPECT_EQ(failures(outcome), uint64_t{sync_cases::kPatternRuns} * pattern.words)
      << all_of(outcome.findings);
  std::set<std::pair<Seen, Seen>> seen;
  for (const auto& finding : outcome.of_kind("hazard")) {
    const auto sides = sides_of(finding, pattern.test);
    EXPECT_TRUE(is_legal(sides, pattern.pairs) || is_legal(sides, pattern.rarely)) << finding.dump(2);
    EXPECT_EQ(buffer_of(finding), std::string("racy ") + pattern.test.name + " data") << finding.dump(2);
    EXPECT_EQ(finding.value("stage", ""), "compute");
    EXPECT_EQ(finding.value("size", 0), 4);
    EXPECT_TRUE(finding.contains("invocation")) << finding.dump(2);
    EXPECT_TRUE(finding["other"].value("same_action", false)) << finding.dump(2);
    EXPECT_THAT(finding["other"].value("who", ""), HasSubstr("workgroup")) << finding.dump(2);
    seen.insert(sides);
  }
  // Every pair in one order at least.
  for (const SidePair& pair : pattern.pairs) {
    EXPECT_TRUE(std::ranges::any_of(seen, [&](const auto& sides) { return is_legal(sides, {pair}); }))
        << pair.one.line << " and " << pair.two.line << ":\n"
        << all_of(outcome.findings);
  }
}

INSTANTIATE_TEST_SUITE_P(Exact, RacyRuns, ::testing::ValuesIn(sync_cases::racy_patterns()),
                         [](const auto& of) { return std::string(of.param.test.name); });

class CorrectRuns : public Runs, public ::testing::WithParamInterface<Case> {};

TEST_P(CorrectRuns, AreSilent) {
  const Outcome outcome = run_layered(sync_program({{&GetParam(), false}}));
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  for (const auto& finding : outcome.findings) EXPECT_FALSE(is_check(finding)) << finding.dump(2);
  expect_same_result(GetParam(), outcome);
}

INSTANTIATE_TEST_SUITE_P(Exact, CorrectRuns, ::testing::ValuesIn(sync_cases::correct_run_patterns()),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace shaderqa::testing
