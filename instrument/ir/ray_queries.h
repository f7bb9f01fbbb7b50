// SPDX-License-Identifier: Apache-2.0
// Whether a module queries rays, and so reads acceleration structures.
#ifndef SHADERQA_INSTRUMENT_IR_RAY_QUERIES_H
#define SHADERQA_INSTRUMENT_IR_RAY_QUERIES_H

#include <cstdint>
#include <span>

namespace shaderqa {

bool queries_rays(std::span<const uint32_t> words);

}  // namespace shaderqa
#endif
