// SPDX-License-Identifier: Apache-2.0
// How one printf entry lies in memory: shared by the live stream and by dumps.
#ifndef SHADERQA_HOST_PRINTF_PRINTF_ENTRY_H
#define SHADERQA_HOST_PRINTF_PRINTF_ENTRY_H

#include <cstdint>

namespace shaderqa {

inline uint32_t entry_size(uint32_t low) { return low & 0xffff; }
inline uint64_t entry_id(uint32_t low, uint32_t high) { return (low >> 16) | uint64_t{high} << 16; }

}  // namespace shaderqa
#endif
