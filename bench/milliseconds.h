// SPDX-License-Identifier: Apache-2.0
// Time on the host.
#ifndef SHADERQA_BENCH_MILLISECONDS_H
#define SHADERQA_BENCH_MILLISECONDS_H

#include <chrono>

namespace bench {

inline double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace bench
#endif
