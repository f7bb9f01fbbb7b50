// SPDX-License-Identifier: Apache-2.0
// A picture's cells as colours.
#ifndef SHADERQA_TOOLS_PICTURE_IMAGE_H
#define SHADERQA_TOOLS_PICTURE_IMAGE_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/pictures/picture_file.h"
#include "host/pictures/png.h"

namespace shaderqa {

// What cells hold, as numbers. NaN and infinity count apart.
struct PictureNumbers {
  uint64_t cells = 0, nans = 0, infinities = 0;
  double least = 0, most = 0, mean = 0;  // of the finite numbers; 0 if there are none
};
PictureNumbers numbers_of(const PictureContents& picture);

// The numbers of a cell: the value's components, fragments, or invocations that ran together.
std::vector<double> cell_numbers(const PictureContents& picture, const PictureCell& cell);

// Slices of a grid stand below one another, and a long row is cut into rows of 1,024. Cells that nothing came
// to are transparent, NaN and infinity magenta. Without a scale, the least number is black and the greatest
// white.
PictureImage picture_image(const PictureContents& picture, std::optional<std::pair<float, float>> scale);

}  // namespace shaderqa
#endif
