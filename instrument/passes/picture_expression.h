// SPDX-License-Identifier: Apache-2.0
// What a picture shows, as the user writes it: depth, light.colour, m[1].x * 2.0 - offset. Names are looked
// up elsewhere (picture_names.h).
#ifndef SHADERQA_INSTRUMENT_PASSES_PICTURE_EXPRESSION_H
#define SHADERQA_INSTRUMENT_PASSES_PICTURE_EXPRESSION_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shaderqa {

// A part of a variable: a member or components by name, or an element by number.
struct PicturePart {
  std::string name;  // empty: by number
  uint32_t index = 0;
  bool operator==(const PicturePart&) const = default;
};

enum class PictureOperator : uint8_t {
  name,
  integer,
  floating,
  negate,
  logical_not,
  multiply,
  divide,
  remainder,
  add,
  subtract,
  less,
  at_most,
  greater,
  at_least,
  equal,
  differs,
  logical_and,
  logical_or
};

// One node of the expression; operands stand before the operations that use them.
struct PictureNode {
  PictureOperator op = PictureOperator::name;
  std::string name;
  std::vector<PicturePart> parts;
  uint32_t integer = 0;
  float floating = 0;
  size_t left = 0, right = 0;  // numbers of nodes; a unary operation has `left` alone
};

// The last node is the whole.
using PictureExpression = std::vector<PictureNode>;

// Nothing: `error` says what is wrong, with a caret under the place.
std::optional<PictureExpression> parse_picture_expression(std::string_view text, std::string& error);

}  // namespace shaderqa
#endif
