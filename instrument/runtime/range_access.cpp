// SPDX-License-Identifier: Apache-2.0
#include "instrument/runtime/range_access.h"

#include "instrument/runtime_words/logged_reads.h"
#include "instrument/runtime_words/logged_reads_buffered.h"
#include "instrument/runtime_words/range_access.h"
#include "instrument/runtime_words/range_footprints.h"
#include "instrument/runtime_words/resolve_descriptors.h"

namespace shaderqa {

std::span<const uint32_t> range_access_shader(bool footprints) {
  if (footprints) return range_footprints;
  return range_access;
}

std::span<const uint32_t> logged_reads_shader(bool buffered) {
  if (buffered) return logged_reads_buffered;
  return logged_reads;
}

std::span<const uint32_t> resolve_shader() { return resolve_descriptors; }

}  // namespace shaderqa
