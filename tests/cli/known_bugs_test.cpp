// SPDX-License-Identifier: Apache-2.0
// Findings that are known: --suppress and --baseline.
#include <utility>

#include "cli_test.h"

namespace shaderqa::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class KnownBugs : public CliTest {
 protected:
  static constexpr const char* kPretend = SHADERQA_BIN_DIR "/cli_pretend";

  // A program with races in these lines of race.comp.
  ProcessResult gate(std::vector<std::string> options, const std::vector<std::string>& lines) {
    options.insert(options.begin(), "run");
    options.insert(options.end(), {"--sync", "--fail-on", "hazard", "--", kPretend, "checks=sync",
                                   "device=", "shader=checked", "actions=1"});
    for (const std::string& line : lines) options.push_back("hazard=" + line);
    options.emplace_back("exit=0");
    return shaderqa(options);
  }
  ProcessResult suppressed(const std::string& rules, const std::vector<std::string>& lines) {
    write_file(file("rules"), rules);
    return gate({"--suppress", "rules"}, lines);
  }
};

TEST_F(KnownBugs, RulesOfEachKey) {
  for (const char* rule :
       {"kind=hazard # x", "kind=haz* # x", "source=race.comp # x", "source=race.comp:12 # x",
        "source=folder/race.comp:12 # x", "source=*/race.comp:7 # the other side", "shader=main # x",
        "shader=0000000000001234 # x", "kind=hazard source=\"race.comp\" shader=ma?n # a \"reason\" # too"}) {
    const ProcessResult result = suppressed(std::string("# all of them\n\n") + rule + "\n", {"12"});
    EXPECT_EQ(result.exit_code, 0) << rule << result.err;
    EXPECT_THAT(result.err, HasSubstr("known and not counted: 1 bug suppressed"));
    EXPECT_THAT(result.err, HasSubstr("verdict: no new bug found"));
  }
}

TEST_F(KnownBugs, WhatNoRuleMatchesStillFails) {
  for (const char* rule :
       {"kind=nan # x", "source=race.comp:1 # x", "source=ace.comp # x", "buffer=* # it has no name",
        "label=* # x", "kind=hazard source=other.comp # both have to match", "shader=1234 # x"}) {
    const ProcessResult result = suppressed(std::string(rule) + "\n", {"12"});
    EXPECT_EQ(result.exit_code, 99) << rule;
    EXPECT_THAT(result.err, HasSubstr("this suppression matched nothing: rules:1: "));
  }
  const ProcessResult one = suppressed("source=race.comp:12 # known\n", {"12", "13"});
  EXPECT_EQ(one.exit_code, 99);
  EXPECT_THAT(one.err, HasSubstr("verdict: 1 bug (1 hazard)"));
  EXPECT_THAT(one.err, Not(HasSubstr("matched nothing")));
}

TEST_F(KnownBugs, BadRulesAreRefused) {
  for (const auto& [rule, message] : {std::pair{"kind=hazard", "the reason is missing"},
                                      {"kind=hazard #  ", "the reason is missing"},
                                      {"knd=hazard # x", "there is no key \"knd\""},
                                      {"kind=hazzard # x", "there is no kind \"hazzard\""},
                                      {"hazard # x", "KEY=PATTERN"},
                                      {"kind=\"hazard # x", "the reason is missing"},
                                      {"source= # x", "is empty"},
                                      {"kind=hazard x # y", "KEY=PATTERN"}}) {
    const ProcessResult result = suppressed(std::string("\n") + rule + "\n", {"12"});
    EXPECT_EQ(result.exit_code, 2) << rule;
    EXPECT_THAT(result.err, HasSubstr("rules:2: "));
    EXPECT_THAT(result.err, HasSubstr(message));
  }
  EXPECT_EQ(gate({"--suppress", "missing"}, {}).exit_code, 2);
  EXPECT_EQ(gate({"--suppress", "."}, {}).exit_code, 2);
}

TEST_F(KnownBugs, ABaselineHidesOnlyItsOwn) {
  const std::string old = R"({"kind":"hazard","text":"x","fingerprint":"FP","check":"hazard"})"
                          "\n"
                          R"({"kind":"printf","text":"a message"})"
                          "\n";
  // The fingerprint is read off a first run.
  const std::string shown = gate({"--details"}, {"12"}).err;
  const size_t at = shown.find("  bug     ");
  ASSERT_NE(at, std::string::npos) << shown;
  std::string text = old;
  text.replace(text.find("FP"), 2, shown.substr(at + 10, 16));
  write_file(file("old.jsonl"), text);
  const ProcessResult known = gate({"--baseline", "old.jsonl"}, {"12"});
  EXPECT_EQ(known.exit_code, 0) << known.err;
  EXPECT_THAT(known.err, HasSubstr("1 bug of the baseline"));
  EXPECT_EQ(gate({"--baseline", "old.jsonl"}, {"12", "13"}).exit_code, 99);
  EXPECT_EQ(gate({"--baseline", "old.jsonl"}, {"13"}).exit_code, 99);
}

TEST_F(KnownBugs, BadBaselinesAreRefused) {
  EXPECT_EQ(gate({"--baseline", "missing"}, {}).exit_code, 2);
  write_file(file("cut.jsonl"), "{\"kind\":\"haz");
  const ProcessResult cut = gate({"--baseline", "cut.jsonl"}, {});
  EXPECT_EQ(cut.exit_code, 2);
  EXPECT_THAT(cut.err, HasSubstr("cut.jsonl:1: this is no line of a report"));
  write_file(file("old.jsonl"), "{\"kind\":\"hazard\",\"text\":\"x\"}\n");
  EXPECT_THAT(gate({"--baseline", "old.jsonl"}, {}).err, HasSubstr("older version"));
  write_file(file("empty.jsonl"), "");  // a clean run
  EXPECT_EQ(gate({"--baseline", "empty.jsonl"}, {}).exit_code, 0);
}

}  // namespace
}  // namespace shaderqa::testing
