// SPDX-License-Identifier: Apache-2.0
// Wrong layouts of images: every wrong twin is found, once, with the layouts, the command that names the
// wrong one, and the one that left the image in the other; the Khronos layer finds it, too. Every correct
// twin and every correct program stays silent.
#include <algorithm>
#include <sstream>

#include "sync_fixture.h"

namespace shaderqa::testing {
namespace {

using sync_cases::LayoutCase;

class Layouts : public Sync {
 protected:
  Layouts() {
    engine = "exact";
    environment["SHADERQA_SYNC_IMAGES"] = "1";
  }
  Outcome run_wrong(const LayoutCase& one) {
    Texts command{SHADERQA_BIN_DIR "/shaderqa", "run", "--sync=exact", "--report", report, "--"};
    const Texts program = sync_program({{&one.test, true}});
    command.insert(command.end(), program.begin(), program.end());
    // Not finish(): the Khronos layer has something to say.
    ProcessResult result = run(command, environment, directory.path());
    return {std::move(result), read_report(report)};
  }
};

int marked_line(const std::string& shader) {
  std::istringstream source(shader);
  std::string line;
  for (int number = 1; std::getline(source, line); ++number)
    if (line.find("//!") != std::string::npos) return number;
  return 0;
}

void expect_layout(const LayoutCase& one, const nlohmann::json& finding) {
  const auto layout = finding.value("layout", nlohmann::json::object());
  const auto image = finding.value("image", nlohmann::json::object());
  EXPECT_EQ(layout.value("named", ""), one.named);
  EXPECT_EQ(layout.value("is", ""), one.is);
  EXPECT_EQ(layout.value("changed_by", ""), one.changed_by);
  EXPECT_EQ(layout.value("as_old", false), one.as_old);
  EXPECT_EQ(layout.value("of_descriptor", false), one.of_descriptor);
  EXPECT_FALSE(layout.value("cure", nlohmann::json::array()).empty());
  const auto labels = layout.value("changed_in", nlohmann::json::array());
  EXPECT_EQ(labels.empty() ? "" : labels[0].get<std::string>(), one.changed_in);
  EXPECT_EQ(image.value("name", ""), std::string("racy ") + one.test.name + " image");
  EXPECT_EQ(image.value("mip", 99u), one.mip);
  EXPECT_EQ(finding.value("fingerprint", "").size(), 16u);
  if (!one.of_descriptor)
    EXPECT_EQ(finding.value("action", nlohmann::json::object()).value("command", ""), one.command);
  else
    EXPECT_EQ(finding.value("source", nlohmann::json::object()).value("line", 0),
              marked_line(one.test.shaders[0].source));
}

class WrongLayouts : public Layouts, public ::testing::WithParamInterface<const LayoutCase*> {};

TEST_P(WrongLayouts, AreFoundOnceAndTheTwinIsSilent) {
  const LayoutCase& one = *GetParam();
  const Outcome right = run_layered(sync_program({{&one.test, false}}));
  EXPECT_EQ(right.process.exit_code, 0) << right.process.err;
  for (const auto& finding : right.findings) EXPECT_FALSE(is_check(finding)) << finding.dump(2);
  expect_same_result(one.test, right);

  std::filesystem::remove(report);
  const Outcome outcome = run_wrong(one);
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  const auto found = outcome.of_kind("layout");
  ASSERT_EQ(found.size(), 1u) << all_of(outcome.findings) << outcome.process.err;
  expect_layout(one, found[0]);
  EXPECT_TRUE(outcome.of_kind("hazard").empty()) << all_of(outcome.findings);
  EXPECT_NE(outcome.process.err.find("wrong layout"), std::string::npos) << outcome.process.err;

  // Without us.
  if (!one.khronos) return;
  const ProcessResult plain = run(sync_program({{&one.test, true}}), environment, directory.path());
  const std::string said = plain.out + plain.err;
  EXPECT_NE(said.find("Validation Error"), std::string::npos) << "the Khronos layer finds nothing";
  EXPECT_NE(said.find(one.named), std::string::npos) << said;
}

class RightLayouts : public Layouts, public ::testing::WithParamInterface<const Case*> {};

TEST_P(RightLayouts, NothingIsReported) {
  const Case& test = *GetParam();
  // The Khronos layer says that of every descriptor that a shader could use.
  if (std::string(test.name).ends_with("not_used")) environment.erase("VK_INSTANCE_LAYERS");
  const Outcome outcome = run_layered(sync_program({{&test, false}}));
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  for (const auto& finding : outcome.findings) EXPECT_FALSE(is_check(finding)) << finding.dump(2);
  expect_same_result(test, outcome);
}

template <typename Some>
std::vector<const Some*> pointers(const std::vector<Some>& cases) {
  std::vector<const Some*> all;
  for (const Some& one : cases) all.push_back(&one);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Images, WrongLayouts,
                         ::testing::ValuesIn(pointers(sync_cases::wrong_layout_cases())),
                         [](const auto& one) { return std::string(one.param->test.name); });
INSTANTIATE_TEST_SUITE_P(Images, RightLayouts,
                         ::testing::ValuesIn(pointers(sync_cases::right_layout_patterns())),
                         [](const auto& one) { return std::string(one.param->name); });

}  // namespace
}  // namespace shaderqa::testing
