// SPDX-License-Identifier: Apache-2.0
#include "tools/picture_image.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace shaderqa {
namespace {

constexpr uint64_t kMostPixels = uint64_t{1} << 28;
constexpr uint32_t kLongRow = 2048;  // grids of one row that are longer stand in rows of half as much

using Colour = std::array<uint8_t, 3>;
constexpr Colour kBroken = {255, 0, 255};

uint8_t shade(double share) { return static_cast<uint8_t>(std::lround(std::clamp(share, 0.0, 1.0) * 255)); }

// From dark blue over green and yellow to red: more steps can be told apart than in grey.
Colour heat(double share) {
  constexpr double stops[5][3] = {{20, 20, 80}, {0, 110, 190}, {40, 180, 70}, {250, 210, 40}, {220, 30, 30}};
  const double at = std::clamp(share, 0.0, 1.0) * 4;
  const size_t first = std::min<size_t>(static_cast<size_t>(at), 3);
  const double part = at - static_cast<double>(first);
  Colour colour{};
  for (size_t i = 0; i < 3; ++i)
    colour[i] = static_cast<uint8_t>(std::lround(stops[first][i] * (1 - part) + stops[first + 1][i] * part));
  return colour;
}

Colour colour_of(const std::vector<double>& numbers, PictureKind kind, double low, double high) {
  for (size_t i = 0; i < numbers.size() && i < 3; ++i)
    if (!std::isfinite(numbers[i])) return kBroken;
  const auto share = [&](double number) { return high == low ? 0.5 : (number - low) / (high - low); };
  if (kind != PictureKind::value) return heat(share(numbers[0]));
  if (numbers.size() == 1)
    return {shade(share(numbers[0])), shade(share(numbers[0])), shade(share(numbers[0]))};
  Colour colour{};
  for (size_t i = 0; i < numbers.size() && i < 3; ++i) colour[i] = shade(share(numbers[i]));
  return colour;
}

// Between what the picture has of colours: a fourth component is in the numbers alone.
std::pair<double, double> range_of(const PictureContents& picture) {
  if (picture.kind == PictureKind::divergence) return {0, std::max(picture.lanes, 1u)};
  double low = INFINITY, high = -INFINITY;
  for (const PictureCell& cell : picture.cells) {
    const std::vector<double> numbers = cell_numbers(picture, cell);
    for (size_t i = 0; i < numbers.size() && i < 3; ++i) {
      if (!std::isfinite(numbers[i])) continue;
      low = std::min(low, numbers[i]);
      high = std::max(high, numbers[i]);
    }
  }
  if (picture.kind == PictureKind::overdraw) low = 0;
  return low <= high ? std::pair(low, high) : std::pair(0.0, 1.0);
}

void append_big(std::string& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

const std::array<uint32_t, 256>& crc_table() {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> made{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t c = i;
      for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xedb88320u ^ c >> 1 : c >> 1;
      made[i] = c;
    }
    return made;
  }();
  return table;
}

void append_chunk(std::string& out, const std::string& kind, const std::string& data) {
  append_big(out, static_cast<uint32_t>(data.size()));
  uint32_t crc = 0xffffffffu;
  for (const std::string* part : {&kind, &data})
    for (const char c : *part) crc = crc_table()[(crc ^ static_cast<uint8_t>(c)) & 0xff] ^ crc >> 8;
  out += kind + data;
  append_big(out, ~crc);
}

// A zlib stream of blocks that are stored as they are.
std::string stored(const std::string& raw) {
  constexpr size_t kMost = 65535;
  std::string out("\x78\x01", 2);
  uint32_t a = 1, b = 0;
  for (const char c : raw) {
    a = (a + static_cast<uint8_t>(c)) % 65521;
    b = (b + a) % 65521;
  }
  for (size_t at = 0; at < raw.size(); at += kMost) {
    const size_t size = std::min(kMost, raw.size() - at);
    out += static_cast<char>(at + size == raw.size());
    for (const size_t word : {size, ~size}) {
      out += static_cast<char>(word & 0xff);
      out += static_cast<char>(word >> 8 & 0xff);
    }
    out.append(raw, at, size);
  }
  append_big(out, b << 16 | a);
  return out;
}

}  // namespace

std::vector<double> cell_numbers(const PictureContents& picture, const PictureCell& cell) {
  if (picture.kind == PictureKind::overdraw) return {static_cast<double>(cell.count)};
  return cell.values;
}

PictureNumbers numbers_of(const PictureContents& picture) {
  PictureNumbers result;
  result.cells = picture.cells.size();
  uint64_t finite = 0;
  double sum = 0;
  for (const PictureCell& cell : picture.cells)
    for (const double number : cell_numbers(picture, cell)) {
      if (std::isnan(number)) {
        ++result.nans;
      } else if (std::isinf(number)) {
        ++result.infinities;
      } else {
        result.least = finite == 0 ? number : std::min(result.least, number);
        result.most = finite == 0 ? number : std::max(result.most, number);
        sum += number;
        ++finite;
      }
    }
  result.mean = finite == 0 ? 0 : sum / static_cast<double>(finite);
  return result;
}

PictureImage picture_image(const PictureContents& picture, std::optional<std::pair<float, float>> scale) {
  PictureImage image;
  uint64_t width = picture.extent[0];
  uint64_t height = uint64_t{picture.extent[1]} * std::max(picture.extent[2], 1u);
  if (width == 0 || height == 0 || width > kMostPixels / height) return image;
  if (height == 1 && width > kLongRow) {
    height = (width + kLongRow / 2 - 1) / (kLongRow / 2);
    width = kLongRow / 2;
  }
  image.width = static_cast<uint32_t>(width);
  image.height = static_cast<uint32_t>(height);
  image.rgba.assign(size_t{4} * image.width * image.height, 0);
  const auto [low, high] = scale ? std::pair<double, double>(*scale) : range_of(picture);
  for (const PictureCell& cell : picture.cells) {
    if (cell.x >= picture.extent[0]) continue;
    const size_t at = (size_t{cell.z} * picture.extent[1] + cell.y) * picture.extent[0] + cell.x;
    if (at >= size_t{image.width} * image.height) continue;
    std::ranges::copy(colour_of(cell_numbers(picture, cell), picture.kind, low, high), &image.rgba[at * 4]);
    image.rgba[at * 4 + 3] = 255;
  }
  return image;
}

std::string png_of(const PictureImage& image) {
  std::string out("\x89PNG\r\n\x1a\n"), header, raw;
  append_big(header, image.width);
  append_big(header, image.height);
  header += std::string("\x08\x06\0\0\0", 5);  // 8 bits, red, green, blue, alpha
  append_chunk(out, "IHDR", header);
  const size_t row = size_t{image.width} * 4;
  for (uint32_t y = 0; y < image.height; ++y) {
    raw += '\0';  // no filter
    raw.append(reinterpret_cast<const char*>(image.rgba.data()) + y * row, row);
  }
  append_chunk(out, "IDAT", stored(raw));
  append_chunk(out, "IEND", "");
  return out;
}

}  // namespace shaderqa
