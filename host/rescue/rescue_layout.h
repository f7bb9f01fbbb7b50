// SPDX-License-Identifier: Apache-2.0
// The layout of a rescue file, for the process that writes it and the one that reads it afterwards.
#ifndef SHADERQA_HOST_RESCUE_RESCUE_LAYOUT_H
#define SHADERQA_HOST_RESCUE_RESCUE_LAYOUT_H

#include <cstdint>

namespace shaderqa {

inline constexpr uint64_t kRescueMagic = 0x3165756373514153;        // "SAQscue1"
inline constexpr uint64_t kRescueChecksMagic = 0x3163757343514153;  // "SAQCsuc1"
inline constexpr uint32_t kRescuePage = 4096;
inline constexpr uint32_t kRescueMaxSegments = 64;

struct RescueHeader {
  uint64_t magic;       // of the content
  uint64_t created_ns;  // CLOCK_REALTIME: the order in which files are read
  uint64_t segment_bytes;
  uint32_t segments;
  uint32_t oldest;                       // the segment to read first; the others follow as in a ring
  uint64_t cursors[kRescueMaxSegments];  // dwords of each segment that are already delivered
};
static_assert(sizeof(RescueHeader) <= kRescuePage);

// Follows the records in a rescue file of checks: which buffer an address belongs to.
struct RescueBufferSlot {
  uint64_t change;  // rises; the lowest bit: it lives; 0: the slot is empty, or half written
  uint64_t handle;
  uint64_t address;
  uint64_t size;
  char name[96];  // as the application gave it, cut where it is longer
};
static_assert(sizeof(RescueBufferSlot) == 128);
inline constexpr uint32_t kRescueBufferSlots = 8192;

}  // namespace shaderqa
#endif
