// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_TESTS_INSTRUMENT_OWN_STORES_H
#define SHADERQA_TESTS_INSTRUMENT_OWN_STORES_H

#include <cstddef>
#include <cstdint>

#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_report.h"
#include "support.h"

namespace shaderqa::test {

// The exact engine's stores to an invocation's own memory, by their flags: the sites' kinds are constants of
// the module.
inline size_t own_stores(const Module& words) {
  constexpr uint32_t op_constant = 43;
  size_t own = 0;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    const uint32_t* word = words.data() + at;
    if (word[0] != (4u << 16 | op_constant)) continue;
    if ((word[3] & 0xff) == SQA_CHECK_HAZARD && (word[3] >> 16 & 3) == SQA_ACCESS_STORE &&
        (word[3] & SQA_ACCESS_OWN))
      ++own;
  }
  return own;
}

}  // namespace shaderqa::test
#endif
