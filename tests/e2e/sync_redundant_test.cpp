// SPDX-License-Identifier: Apache-2.0
// The list of redundant barriers (docs/internals/redundant.md): what is too much is on it, and never what is
// needed.
#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "sync_fixture.h"

namespace shaderqa::testing {
namespace {

class Redundant : public Sync {
 protected:
  Redundant() {
    engine = "exact";
    environment["SHADERQA_SYNC_REDUNDANT"] = "1";
  }

  // The correct twins, one after the other; nothing else is found.
  Outcome run_correct(const std::vector<const Case*>& cases) {
    std::vector<std::pair<const Case*, bool>> twins;
    for (const Case* test : cases) twins.emplace_back(test, false);
    const Outcome outcome = run_layered(sync_program(twins));
    EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
    for (const auto& finding : outcome.findings) EXPECT_FALSE(is_check(finding)) << finding.dump(2);
    const Outcome plain = finish(run(sync_program(twins), environment, directory.path()));
    EXPECT_NE(plain.process.out, "");
    EXPECT_EQ(plain.process.out, outcome.process.out);
    return outcome;
  }
};

TEST_F(Redundant, ListsWhatIsTooMuch) {
  std::vector<const Case*> cases;
  Texts expected;
  for (const sync_cases::RedundantCase& one : sync_cases::redundant_cases()) {
    cases.push_back(&one.test);
    expected.insert(expected.end(), one.listed.begin(), one.listed.end());
  }
  const Outcome outcome = run_correct(cases);
  const Texts found = texts_of(outcome.findings, "redundant");
  ASSERT_EQ(found.size(), expected.size()) << all_of(outcome.findings);
  for (size_t i = 0; i < found.size(); ++i) EXPECT_THAT(found[i], HasSubstr(expected[i]));
  EXPECT_THAT(outcome.notes(), ::testing::Contains(HasSubstr("not judged: ")));
}

TEST_F(Redundant, ListsWhenTheProgramLeavesItsDevice) {
  const sync_cases::RedundantCase& one = sync_cases::redundant_cases().front();
  Texts program = sync_program({{&one.test, false}});
  const auto runner =
      std::ranges::find_if(program, [](const auto& word) { return word.ends_with("_runner"); });
  program.insert(runner + 1, "--leave");
  const Outcome outcome = run_layered(program);
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  const Texts found = texts_of(outcome.findings, "redundant");
  ASSERT_EQ(found.size(), one.listed.size()) << all_of(outcome.findings);
  for (size_t i = 0; i < found.size(); ++i) EXPECT_THAT(found[i], HasSubstr(one.listed[i]));
}

// The racy twin of each of these programs lacks a barrier, so each barrier is needed. All of the groups run
// with SHADERQA_ALL_CASES=1: a case takes a second on a CPU driver.
TEST_F(Redundant, NeverListsWhatIsNeeded) {
  const Texts some = {"global_barrier", "event", "all_in_one_secondary_command_buffer",
                      "command_buffer_submitted_again", "dispatch_arguments"};
  const Texts groups = {"synchronisation", "dispatch", "indirect", "graphics", "transfer"};
  const bool all = std::getenv("SHADERQA_ALL_CASES");
  std::vector<const Case*> cases;
  for (const Case& test : sync_cases::cases_with_a_race()) {
    const Texts& names = all ? groups : some;
    if (std::ranges::find(names, all ? test.group : test.name) != names.end()) cases.push_back(&test);
  }
  EXPECT_GE(cases.size(), some.size());
  const Outcome outcome = run_correct(cases);
  EXPECT_THAT(texts_of(outcome.findings, "redundant"), IsEmpty());
  EXPECT_THAT(outcome.notes(), ::testing::Contains(HasSubstr("0 of 1 barriers that were judged")));
}

}  // namespace
}  // namespace shaderqa::testing
