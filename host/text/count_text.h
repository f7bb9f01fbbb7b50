// SPDX-License-Identifier: Apache-2.0
// Numbers of things, for people.
#ifndef SHADERQA_HOST_TEXT_COUNT_TEXT_H
#define SHADERQA_HOST_TEXT_COUNT_TEXT_H

#include <cstdint>
#include <string>

namespace shaderqa {

std::string with_commas(uint64_t number);  // 16,380
// "1 bug", "2,000 bugs"
std::string counted(uint64_t number, const std::string& one, const std::string& several);

}  // namespace shaderqa
#endif
