// SPDX-License-Identifier: Apache-2.0
// Text for a terminal that is narrower than its lines.
#ifndef SHADERQA_HOST_TEXT_WRAP_H
#define SHADERQA_HOST_TEXT_WRAP_H

#include <cstddef>
#include <string>
#include <string_view>

namespace shaderqa {

// Columns of text beside an indent; narrower terminals wrap by themselves.
inline constexpr size_t kLeastColumns = 40;

// The text with a line break and `indent` spaces in place of a space wherever it is longer than the `width`
// columns of a terminal. It begins in column `indent`. Words that are longer stay whole, and all of it does
// if width is 0 (no terminal), or leaves less than kLeastColumns.
std::string wrapped(std::string_view text, size_t indent, size_t width);

// The same for each of several lines, whose first `indent` columns are text.
std::string wrapped_lines(std::string_view text, size_t indent, size_t width);

}  // namespace shaderqa
#endif
