// SPDX-License-Identifier: Apache-2.0
#include "host/text/count_text.h"

namespace shaderqa {

std::string with_commas(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string counted(uint64_t number, const std::string& one, const std::string& several) {
  return with_commas(number) + " " + (number == 1 ? one : several);
}

}  // namespace shaderqa
