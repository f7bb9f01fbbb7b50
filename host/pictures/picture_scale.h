// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_HOST_PICTURES_PICTURE_SCALE_H
#define SHADERQA_HOST_PICTURES_PICTURE_SCALE_H

#include <optional>
#include <string_view>
#include <utility>

namespace shaderqa {

// "LOW..HIGH": what becomes black, and what white. Nothing: they are no two different finite numbers.
std::optional<std::pair<float, float>> parse_picture_scale(std::string_view text);

}  // namespace shaderqa
#endif
