// SPDX-License-Identifier: Apache-2.0
// The file of a picture, read whatever its bytes are, and the image that is made of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <random>

#include "environment.h"
#include "host/pictures/picture_file.h"
#include "host/pictures/picture_scale.h"
#include "host/text/file_text.h"
#include "png_reader.h"
#include "tools/picture_image.h"

namespace shaderqa {
namespace {

using ::testing::ElementsAre;

class PictureFiles : public ::testing::Test {
 protected:
  PictureFiles() {
    record.shader_hash = 0x1234;
    record.stage = Stage::fragment;
    record.entry_point = "main";
    record.picture.kind = PictureKind::value;
    record.picture.components = 2;
  }
  std::unique_ptr<PictureFile> create() {
    record.picture.scalar = {ScalarKind::floating, 32};
    auto file = PictureFile::create(directory.path(), record, "name", "uv", 8, 4, error);
    EXPECT_TRUE(file) << error;
    return file;
  }
  static void set(PictureFile& file, uint32_t x, uint32_t y, float a, float b) {
    auto* const words = reinterpret_cast<uint32_t*>(file.memory());
    uint32_t* const cell = words + SQA_PICTURE_FIRST_CELL + (y * 8 + x) * 3;
    cell[0] += 1;
    cell[1] = std::bit_cast<uint32_t>(a);
    cell[2] = std::bit_cast<uint32_t>(b);
    words[SQA_PICTURE_EXTENT] = std::max(words[SQA_PICTURE_EXTENT], x + 1);
    words[SQA_PICTURE_EXTENT + 1] = std::max(words[SQA_PICTURE_EXTENT + 1], y + 1);
  }

  testing::TemporaryDirectory directory;
  ShaderRecord record;
  std::string error;
};

TEST_F(PictureFiles, HoldWhatShadersWrite) {
  const auto file = create();
  set(*file, 1, 0, 0.5F, -2);
  set(*file, 3, 2, 1, NAN);
  set(*file, 3, 2, 1, NAN);
  PictureContents picture;
  ASSERT_TRUE(read_picture_file(file->path(), picture, error)) << error;
  EXPECT_EQ(picture.text, "uv");
  EXPECT_EQ(picture.name, "name");
  EXPECT_THAT(picture.extent, ElementsAre(4, 3, 1));
  ASSERT_EQ(picture.cells.size(), 2u);
  EXPECT_THAT(picture.cells[0].texts, ElementsAre("0.5", "-2"));
  EXPECT_EQ(picture.cells[1].count, 2u);
  EXPECT_EQ(picture.several, 1u);
  const PictureNumbers numbers = numbers_of(picture);
  EXPECT_EQ(numbers.nans, 1u);
  EXPECT_EQ(numbers.least, -2);
  EXPECT_EQ(numbers.most, 1);
  const PictureImage image = picture_image(picture, std::pair(-2.0F, 3.0F));
  ASSERT_EQ(image.width, 4u);
  ASSERT_EQ(image.height, 3u);
  const auto pixel = [&](size_t x, size_t y) {
    const auto* const at = &image.rgba[(y * 4 + x) * 4];
    return std::vector<int>(at, at + 4);
  };
  EXPECT_THAT(pixel(0, 0), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(pixel(1, 0), ElementsAre(128, 0, 0, 255));
  EXPECT_THAT(pixel(3, 2), ElementsAre(255, 0, 255, 255));
}

TEST(PictureImage, ALongRowIsCut) {
  PictureContents picture;
  picture.kind = PictureKind::overdraw;
  picture.extent[0] = 5000;
  picture.extent[1] = picture.extent[2] = 1;
  picture.cells.push_back({1024 * 3 + 7, 0, 0, 1, {}, {}});
  const PictureImage image = picture_image(picture, std::nullopt);
  EXPECT_EQ(image.width, 1024u);
  EXPECT_EQ(image.height, 5u);
  EXPECT_EQ(image.rgba[(1024 * 3 + 7) * 4 + 3], 255);
}

TEST(PictureImage, OfFourColoursIsReadBack) {
  // The second one has more bytes than fit into one block of the file.
  for (const auto& [width, height] : {std::pair{7u, 3u}, {1024u, 300u}}) {
    FourColours image(width, height, {{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 255}}});
    const auto number_at = [](uint32_t x, uint32_t y) { return (x * 3 + y * 7 + x / 5) % 4; };
    for (uint32_t y = 0; y < height; ++y)
      for (uint32_t x = 0; x < width; ++x) image.add(x, y, number_at(x, y));
    const testing::ReadPng read = testing::read_png(png_of(image, "what it is"));
    EXPECT_EQ(read.width, width);
    EXPECT_EQ(read.height, height);
    EXPECT_EQ(read.description, "what it is");
    size_t wrong = 0;
    for (uint32_t y = 0; y < height; ++y)
      for (uint32_t x = 0; x < width; ++x) {
        const Colour& colour = image.colours()[number_at(x, y)];
        if (read.at(x, y) != std::array<int, 3>{colour[0], colour[1], colour[2]}) ++wrong;
        if (image.at(x, y) != number_at(x, y)) ++wrong;
      }
    EXPECT_EQ(wrong, 0u);
  }
}

TEST_F(PictureFiles, OfOneShaderHaveDifferentNames) {
  const auto first = create(), second = create();
  EXPECT_NE(first->path(), second->path());
}

TEST_F(PictureFiles, AreReadWhateverTheirBytesAre) {
  std::string whole;
  {
    const auto file = create();
    set(*file, 7, 3, 1, 2);
    whole = read_file_text(file->path(), error).value();
  }
  const std::string path = directory.file("damaged");
  std::mt19937 random(1);
  int good = 0;
  for (int i = 0; i < 400; ++i) {
    std::string bytes = whole;
    // What decides about the rest lies in the first words of both pages.
    for (int n = 0; n < 3; ++n)
      bytes[random() % 64 + (random() % 2 != 0 ? kPicturePage : 0)] = static_cast<char>(random());
    if (i % 4 == 0) bytes.resize(random() % bytes.size());
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    PictureContents picture;
    error.clear();
    if (read_picture_file(path, picture, error)) {
      ++good;
      picture_image(picture, std::nullopt);
    } else {
      EXPECT_NE(error, "");
    }
  }
  EXPECT_GT(good, 0);
  EXPECT_LT(good, 400);
}

TEST(PictureScale, IsTwoDifferentNumbers) {
  EXPECT_EQ(parse_picture_scale("0..10"), std::pair(0.0F, 10.0F));
  EXPECT_EQ(parse_picture_scale("1.5..-2"), std::pair(1.5F, -2.0F));
  for (const char* wrong : {"", "1", "1..", "..1", "1..1", "1..nan", "0..inf", "a..b", "1...2x"})
    EXPECT_FALSE(parse_picture_scale(wrong)) << wrong;
}

}  // namespace
}  // namespace shaderqa
