// SPDX-License-Identifier: Apache-2.0
// Races on images: every case's racy twin is found, with image, texel, access and place; every correct twin
// and every correct program stays silent, with the results that it has without the layer.
#include <algorithm>
#include <set>
#include <sstream>

#include "sync_fixture.h"

namespace shaderqa::testing {
namespace {

class Images : public Sync {
 protected:
  Images() {
    engine = "exact";
    environment["SHADERQA_SYNC_IMAGES"] = "1";
  }
};

std::string name_of(const ::testing::TestParamInfo<const Case*>& info) { return info.param->name; }

std::vector<const Case*> pointers(const std::vector<Case>& cases) {
  std::vector<const Case*> all;
  for (const Case& test : cases) all.push_back(&test);
  return all;
}

std::set<int> marked_lines(const std::string& shader) {
  std::set<int> lines;
  std::istringstream source(shader);
  std::string line;
  for (int number = 1; std::getline(source, line); ++number)
    if (line.find("//!") != std::string::npos) lines.insert(number);
  return lines;
}

// What is wrong with the finding; empty: it fits.
std::string mismatch(const Case& test, const nlohmann::json& finding) {
  const sync_cases::Expected& expected = test.expected;
  const auto hazard = finding.value("hazard", nlohmann::json::object());
  const auto image = finding.value("image", nlohmann::json::object());
  const auto differs = [](const std::string& wanted, const std::string& got) {
    return !wanted.empty() && wanted != got;
  };
  if (differs(expected.hazard_class, hazard.value("class", ""))) return "class " + hazard.value("class", "");
  if (differs(expected.access, hazard.value("access", ""))) return "access " + hazard.value("access", "");
  if (image.value("name", "") != std::string("racy ") + test.name + " " + expected.buffer)
    return "image " + image.dump();
  if (finding.contains("buffer")) return "a buffer";
  const auto action = finding.value("action", nlohmann::json::object()).value("command", "");
  if (!action.starts_with(expected.command)) return "command " + action;
  if (hazard.value("scope", "").find(expected.earlier_command) == std::string::npos)
    return "other access " + hazard.value("scope", "");
  if (*expected.command != 0) return "";
  const int line = finding.value("source", nlohmann::json::object()).value("line", 0);
  for (const sync_cases::Shader& shader : test.shaders)
    if (marked_lines(shader.source).contains(line)) return "";
  return "line " + std::to_string(line);
}

class RacyImages : public Images, public ::testing::WithParamInterface<const Case*> {};

TEST_P(RacyImages, RaceIsFoundAndTwinIsSilent) {
  const Case& test = *GetParam();
  const Outcome outcome = run_layered(sync_program({{&test, false}, {&test, true}}));
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  if (left_out(test, outcome)) GTEST_SKIP() << "the device lacks what it needs";
  size_t hazards = 0;
  std::string why;
  for (const auto& finding : outcome.findings) {
    if (!is_check(finding)) continue;
    ++hazards;
    why += mismatch(test, finding);
  }
  EXPECT_GT(hazards, 0u) << all_of(outcome.findings) << outcome.process.err;
  EXPECT_EQ(why, "") << all_of(outcome.findings);
  expect_same_result(test, outcome);
}

class CorrectImages : public Images, public ::testing::WithParamInterface<const Case*> {};

TEST_P(CorrectImages, NothingIsReported) {
  const Case& test = *GetParam();
  const Outcome outcome = run_layered(sync_program({{&test, false}}));
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  if (left_out(test, outcome)) GTEST_SKIP() << "the device lacks what it needs";
  for (const auto& finding : outcome.findings) EXPECT_FALSE(is_check(finding)) << finding.dump(2);
  expect_same_result(test, outcome);
}

class MatrixOfImages : public Images, public ::testing::WithParamInterface<const std::vector<Case>*> {};

// All of a row in one program, each on a device of its own.
TEST_P(MatrixOfImages, EveryBarrierThatIsLeftOutIsFoundAndTheOthersAreSilent) {
  std::vector<std::pair<const Case*, bool>> correct, all;
  for (const Case& test : *GetParam()) {
    correct.emplace_back(&test, false);
    all.insert(all.end(), {{&test, false}, {&test, true}});
  }
  const Outcome outcome = run_layered(sync_program(all));
  const Outcome plain = finish(run(sync_program(correct), environment, directory.path()));
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  for (const Case& test : *GetParam()) {
    const std::string name = test.name;
    size_t found = 0;
    for (const auto& finding : outcome.findings) {
      const auto image = finding.value("image", nlohmann::json::object()).value("name", "");
      if (!is_check(finding) || image.find(" " + name + " ") == std::string::npos) continue;
      ++found;
      EXPECT_EQ(mismatch(test, finding), "") << name << finding.dump(2);
    }
    EXPECT_GT(found, 0u) << name;
    EXPECT_NE(plain.value(name + ":correct"), "") << plain.process.out << plain.process.err;
    EXPECT_EQ(plain.value(name + ":correct"), outcome.value(name + ":correct")) << name;
  }
}

class MutantsOfImages : public Images {
 protected:
  // Those in which nothing is found of an image that the barrier is for.
  std::set<std::string> missed(const std::vector<Case>& mutants);
};

std::set<std::string> MutantsOfImages::missed(const std::vector<Case>& mutants) {
  // They have the same shaders.
  const std::vector<std::string> files = compiled_case(directory.path(), mutants.front(), false);
  const auto program_of = [&](const std::vector<std::string>& twins) {
    Texts program{SHADERQA_BIN_DIR "/e2e_sync_runner"};
    for (const std::string& twin : twins) {
      program.push_back(twin);
      program.insert(program.end(), files.begin(), files.end());
    }
    return with_test_loader(program);
  };
  const std::string correct = std::string(mutants.front().name) + ":correct";
  std::vector<std::string> twins{correct};
  std::set<std::string> unfound;
  for (const Case& test : mutants) {
    twins.push_back(std::string(test.name) + ":racy");
    unfound.insert(test.name);
  }
  const Outcome outcome = run_layered(program_of(twins));
  const Outcome plain = finish(run(program_of({correct}), environment, directory.path()));
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  EXPECT_NE(plain.value(correct), "") << plain.process.out << plain.process.err;
  EXPECT_EQ(plain.value(correct), outcome.value(correct));
  for (const auto& finding : outcome.findings) {
    if (!is_check(finding)) continue;
    std::istringstream words(finding.value("image", nlohmann::json::object()).value("name", ""));
    std::string twin, name, image;
    words >> twin >> name >> image;
    EXPECT_EQ(twin, "racy") << finding.dump(2);
    const auto mutant =
        std::ranges::find(mutants, name, [](const Case& test) { return std::string(test.name); });
    if (mutant == mutants.end()) {
      ADD_FAILURE() << finding.dump(2);
      continue;
    }
    // Other images may rest on the same barrier, too.
    if (("|" + std::string(mutant->expected.buffer) + "|").find("|" + image + "|") != std::string::npos)
      unfound.erase(name);
  }
  return unfound;
}

TEST_F(MutantsOfImages, OfADeferredRenderer) {
  const std::vector<Case>& mutants = sync_cases::image_renderer_mutants();
  EXPECT_EQ(mutants.size(), 65u);
  // These are correct: a barrier without source access makes visible what the one for the compute shader that
  // has read the image before made available.
  const std::set<std::string> correct = {"renderer_lit_for_copy_not_available",
                                         "renderer_lit_for_pixels_not_available"};
  EXPECT_EQ(missed(mutants), correct);
}

TEST_F(MutantsOfImages, OfAChainOfComputePasses) {
  const std::vector<Case>& mutants = sync_cases::image_chain_mutants();
  EXPECT_EQ(mutants.size(), 25u);
  EXPECT_EQ(missed(mutants), std::set<std::string>());
}

// Without the setting nothing of images is checked, as before.
TEST_F(Sync, ImagesAreCheckedOnlyIfTheSettingSaysSo) {
  engine = "exact";
  const Case& test = sync_cases::image_cases().front();
  const Outcome outcome = run_layered(sync_program({{&test, true}}));
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  for (const auto& finding : outcome.findings) EXPECT_FALSE(is_check(finding)) << finding.dump(2);
}

INSTANTIATE_TEST_SUITE_P(Cases, RacyImages, ::testing::ValuesIn(pointers(sync_cases::image_cases())),
                         name_of);
std::vector<const std::vector<Case>*> rows() {
  std::vector<const std::vector<Case>*> all;
  for (const std::vector<Case>& row : sync_cases::image_matrix()) all.push_back(&row);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Rows, MatrixOfImages, ::testing::ValuesIn(rows()),
                         [](const auto& row) { return std::string(row.param->front().name); });
INSTANTIATE_TEST_SUITE_P(Patterns, CorrectImages, ::testing::ValuesIn(pointers(sync_cases::image_patterns())),
                         name_of);

}  // namespace
}  // namespace shaderqa::testing
