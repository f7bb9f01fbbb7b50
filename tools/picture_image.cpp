// SPDX-License-Identifier: Apache-2.0
#include "tools/picture_image.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace shaderqa {
namespace {

constexpr uint64_t kMostPixels = uint64_t{1} << 28;
constexpr uint32_t kLongRow = 2048;  // grids of one row that are longer stand in rows of half as much

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

}  // namespace shaderqa
