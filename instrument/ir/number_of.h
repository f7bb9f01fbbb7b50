// SPDX-License-Identifier: Apache-2.0
// Numbers in sentences for the user.
#ifndef SHADERQA_INSTRUMENT_IR_NUMBER_OF_H
#define SHADERQA_INSTRUMENT_IR_NUMBER_OF_H

#include <cstdint>
#include <string>

namespace shaderqa {

// "1 access", "3 accesses".
inline std::string number_of(uint64_t number, const char* one, const char* several) {
  return std::to_string(number) + " " + (number == 1 ? one : several);
}

}  // namespace shaderqa
#endif
