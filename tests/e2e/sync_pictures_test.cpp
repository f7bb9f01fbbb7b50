// SPDX-License-Identifier: Apache-2.0
// Pictures of hazards on images: exactly the texels that raced are marked, of the right level and layer, and
// a correct program has no picture.
#include <array>
#include <filesystem>
#include <fstream>

#include "png_reader.h"
#include "sync_fixture.h"

namespace shaderqa::testing {
namespace {

using sync_cases::PictureCase;
using sync_cases::Raced;
using Colour = std::array<int, 3>;

constexpr Colour kNone = {0, 0, 0}, kBetween = {255, 160, 0}, kWithin = {0, 140, 255},
                 kBoth = {255, 255, 255};

bool is_right(const Colour& colour, Raced raced) {
  if (raced == Raced::some) return colour == kBetween || colour == kWithin || colour == kBoth;
  return colour == (raced == Raced::no ? kNone : raced == Raced::between_actions ? kBetween : kWithin);
}

class Pictures : public Sync {
 protected:
  Pictures() {
    engine = "exact";
    environment["SHADERQA_SYNC_PICTURES"] = folder.string();
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    if (!std::filesystem::exists(folder)) return names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      names.push_back(entry.path().filename().string());
    return sorted(names);
  }
  void expect_picture(const std::string& file, const PictureCase& one) const {
    const ReadPng picture = read_png_file(folder / file);
    ASSERT_EQ(picture.width, one.width);
    ASSERT_EQ(picture.height, one.height);
    size_t wrong = 0;
    for (uint32_t y = 0; y < one.height; ++y)
      for (uint32_t x = 0; x < one.width; ++x)
        if (!is_right(picture.at(x, y), one.raced(x, y)) && wrong++ < 8) {
          const auto colour = picture.at(x, y);
          ADD_FAILURE() << file << " at " << x << "," << y << ": " << colour[0] << "," << colour[1] << ","
                        << colour[2];
        }
    EXPECT_EQ(wrong, 0u);
  }

  std::filesystem::path folder = directory.path() / "not there" / "pictures";
};

class RacyPictures : public Pictures, public ::testing::WithParamInterface<const PictureCase*> {};

TEST_P(RacyPictures, HaveTheTexelsThatRaced) {
  const PictureCase& one = *GetParam();
  const Outcome outcome = run_layered(sync_program({{&one.test, true}}));
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  std::vector<std::string> expected{one.file};
  if (!one.other_file.empty()) expected.push_back(one.other_file);
  ASSERT_EQ(files(), sorted(expected)) << all_of(outcome.findings);
  for (const std::string& file : expected) expect_picture(file, one);
  std::string others = one.other_file;
  for (const auto& hazard : outcome.of_kind("hazard")) {
    const std::string file = hazard.at("image").value("picture", "");
    if (!one.other_file.empty() && file == (folder / one.other_file).string()) {
      others = one.file;
    } else {
      EXPECT_EQ(file, (folder / one.file).string()) << hazard.dump(2);
    }
    EXPECT_THAT(hazard.at("image").value("picture_note", ""), HasSubstr(one.note));
    EXPECT_EQ(hazard.at("image").contains("picture_note"), !one.note.empty()) << hazard.dump(2);
    EXPECT_THAT(outcome.process.err, HasSubstr("\n  picture "));
  }
  EXPECT_FALSE(outcome.of_kind("hazard").empty()) << outcome.process.err;
  size_t notes = 0;
  for (const std::string& note : outcome.notes())
    if (note.find("their pictures are") != std::string::npos) {
      ++notes;
      EXPECT_THAT(note, HasSubstr((folder / others).string()));
    }
  EXPECT_EQ(notes, others.empty() ? 0u : 1u);
}

TEST_P(RacyPictures, AreNotThereOfACorrectProgram) {
  const Case& test = GetParam()->test;
  const Outcome outcome = run_layered(sync_program({{&test, false}}));
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  EXPECT_THAT(files(), IsEmpty());
  for (const auto& finding : outcome.findings) EXPECT_FALSE(is_check(finding)) << finding.dump(2);
  expect_same_result(test, outcome);
}

std::vector<const PictureCase*> pointers() {
  std::vector<const PictureCase*> all;
  for (const PictureCase& one : sync_cases::picture_cases()) all.push_back(&one);
  return all;
}

std::string name_of(const ::testing::TestParamInfo<const PictureCase*>& info) {
  return info.param->test.name;
}

INSTANTIATE_TEST_SUITE_P(Cases, RacyPictures, ::testing::ValuesIn(pointers()), name_of);

// The program ends without destroying the image, or anything else.
TEST_F(Pictures, AreThereWhenAProgramLeavesEverything) {
  const PictureCase& one = sync_cases::picture_cases().front();
  Texts program = sync_program({{&one.test, true}});
  program.insert(std::ranges::find(program, std::string(one.test.name) + ":racy"), "--leave");
  run_layered(program);
  ASSERT_EQ(files(), Texts{one.file});
  expect_picture(one.file, one);
}

TEST_F(Pictures, OfASecondRunHaveOtherNames) {
  const PictureCase& one = sync_cases::picture_cases().front();
  const Texts program = sync_program({{&one.test, true}});
  run_layered(program);
  const Outcome second = run_layered(program);
  const std::string other = one.file.substr(0, one.file.size() - 4) + "-2.png";
  EXPECT_EQ(files(), (Texts{other, one.file}));
  expect_picture(other, one);
  EXPECT_EQ(second.of_kind("hazard").back().at("image").at("picture"), (folder / other).string());
}

TEST_F(Pictures, AreNotThereWithoutTheSetting) {
  environment.erase("SHADERQA_SYNC_PICTURES");
  environment["SHADERQA_SYNC_IMAGES"] = "1";
  const PictureCase& one = sync_cases::picture_cases().front();
  const Outcome outcome = run_layered(sync_program({{&one.test, true}}));
  ASSERT_FALSE(outcome.of_kind("hazard").empty());
  for (const auto& hazard : outcome.of_kind("hazard"))
    EXPECT_FALSE(hazard.at("image").contains("picture")) << hazard.dump(2);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Pictures, ThatCannotBeWrittenAreSaid) {
  std::ofstream(directory.path() / "not there") << "a file";
  const PictureCase& one = sync_cases::picture_cases().front();
  const Outcome outcome = run_layered(sync_program({{&one.test, true}}));
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  ASSERT_FALSE(outcome.of_kind("hazard").empty());
  EXPECT_FALSE(outcome.of_kind("hazard")[0].at("image").contains("picture"));
  EXPECT_THAT(outcome.notes(), ::testing::Contains(HasSubstr("cannot create " + folder.string())));
}

}  // namespace
}  // namespace shaderqa::testing
