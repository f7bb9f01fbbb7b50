// SPDX-License-Identifier: Apache-2.0
// Misspelt words.
#ifndef SHADERQA_HOST_TEXT_EDIT_DISTANCE_H
#define SHADERQA_HOST_TEXT_EDIT_DISTANCE_H

#include <cstddef>
#include <string_view>

namespace shaderqa {

// Number of single-character edits between two words.
size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace shaderqa
#endif
