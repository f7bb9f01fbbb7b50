// SPDX-License-Identifier: Apache-2.0
#include "host/pictures/picture_scale.h"

#include <charconv>
#include <cmath>

namespace shaderqa {

std::optional<std::pair<float, float>> parse_picture_scale(std::string_view text) {
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view part, float& value) {
    const auto [end, problem] = std::from_chars(part.data(), part.data() + part.size(), value);
    return problem == std::errc() && end == part.data() + part.size() && std::isfinite(value);
  };
  std::pair<float, float> scale;
  if (!number(text.substr(0, dots), scale.first) || !number(text.substr(dots + 2), scale.second) ||
      !std::isfinite(1.0F / (scale.second - scale.first)))
    return std::nullopt;
  return scale;
}

}  // namespace shaderqa
