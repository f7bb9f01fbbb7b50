// SPDX-License-Identifier: Apache-2.0
#include "instrument/runtime/range_access.h"

#include "instrument/runtime_words/range_access.h"
#include "instrument/runtime_words/range_footprints.h"

namespace shaderqa {

std::span<const uint32_t> range_access_shader(bool footprints) {
  if (footprints) return range_footprints;
  return range_access;
}

}  // namespace shaderqa
