// SPDX-License-Identifier: Apache-2.0
// What the check for NaN and infinity does with a shader: chosen by host/, done by instrument/.
#ifndef SHADERQA_INSTRUMENT_NAN_CHECK_H
#define SHADERQA_INSTRUMENT_NAN_CHECK_H

#include <cstdint>

namespace shaderqa {

enum class NanCheck : uint8_t {
  none,
  writes,  // NaN or infinity in what leaves the shader: memory, outputs, images (vkd3d's "allow")
  full,    // in every floating-point scalar and vector that is computed
  flush    // NaN results become 0, nothing is reported (vkd3d's "flush-nan")
};

}  // namespace shaderqa
#endif
