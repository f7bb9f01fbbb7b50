// SPDX-License-Identifier: Apache-2.0
// Images as PNG files. Nothing is compressed.
#ifndef SHADERQA_HOST_PICTURES_PNG_H
#define SHADERQA_HOST_PICTURES_PNG_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace shaderqa {

// 8 bits a channel.
struct PictureImage {
  uint32_t width = 0, height = 0;
  std::vector<uint8_t> rgba;
};

using Colour = std::array<uint8_t, 3>;

// An image of four colours, with two bits a pixel.
class FourColours {
 public:
  // All of it has colour 0.
  FourColours(uint32_t width, uint32_t height, const std::array<Colour, 4>& colours)
      : width_(width), height_(height), colours_(colours), pixels_(pitch() * height) {}
  uint32_t width() const { return width_; }
  uint32_t height() const { return height_; }
  const std::array<Colour, 4>& colours() const { return colours_; }
  // Bytes of a row.
  size_t pitch() const { return (size_t{width_} + 3) / 4; }
  const std::vector<uint8_t>& pixels() const { return pixels_; }

  // Adds the bits of this colour's number to those of a pixel within the image.
  void add(uint32_t x, uint32_t y, uint32_t colour) {
    pixels_[y * pitch() + x / 4] |= static_cast<uint8_t>(colour << shift(x));
  }
  uint32_t at(uint32_t x, uint32_t y) const { return pixels_[y * pitch() + x / 4] >> shift(x) & 3; }

 private:
  static uint32_t shift(uint32_t x) { return 6 - x % 4 * 2; }

  uint32_t width_, height_;
  std::array<Colour, 4> colours_;
  std::vector<uint8_t> pixels_;  // the leftmost of a byte in its highest bits
};

std::string png_of(const PictureImage& image);
// description: UTF-8, which the file has as its text.
std::string png_of(const FourColours& image, const std::string& description);

}  // namespace shaderqa
#endif
