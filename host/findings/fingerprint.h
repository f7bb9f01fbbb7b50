// SPDX-License-Identifier: Apache-2.0
// What makes two findings the same bug, in one run and from run to run: no address, no handle, no count.
#ifndef SHADERQA_HOST_FINDINGS_FINGERPRINT_H
#define SHADERQA_HOST_FINDINGS_FINGERPRINT_H

#include <cstdint>
#include <string>

namespace shaderqa {

struct Finding;

// 0: messages and notes have none. Which of two unordered accesses came first is chance, so the two sides of
// a hazard count in either order. A side is named by its source line where that is known (file name and
// line), else by shader and instruction.
uint64_t fingerprint_of(const Finding& finding);
// What fingerprint_of() hashes.
std::string fingerprint_text(const Finding& finding);

}  // namespace shaderqa
#endif
