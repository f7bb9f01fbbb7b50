// SPDX-License-Identifier: Apache-2.0
// Footprints (docs/internals/redundant.md): which words each action accessed, and how. Read by GLSL and by
// C++. All words are little endian.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_FOOTPRINTS_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_FOOTPRINTS_H

// Slots are claimed by key: part of an address (of 4 KiB) | how << 45 | sequence number << 49. A slot then
// holds one bit for each word.
#define SQA_FOOTPRINT_LOG2 12
#define SQA_FOOTPRINT_WORDS 32       // dwords of bits
#define SQA_FOOTPRINT_SLOTS 0x20000  // a power of two
#define SQA_FOOTPRINT_READ 0
#define SQA_FOOTPRINT_WRITE 1
#define SQA_FOOTPRINT_ATOMIC 2
#define SQA_FOOTPRINT_PART 3  // a write, maybe of some bytes of a word; with SQA_FOOTPRINT_NOWHERE: anything
// High dword of a key: the upper part of the part's number below, then `how`, then the sequence number.
#define sqa_footprint_key_high(part_high, how, sequence) \
  (((part_high)&SQA_FOOTPRINT_NOWHERE_HIGH) | ((how) << 13) | ((sequence) << 17))
// Instead of the part of an address: an access that cannot be followed.
#define SQA_FOOTPRINT_NOWHERE_LOW 0xffffffff
#define SQA_FOOTPRINT_NOWHERE_HIGH 0x1fff

#ifdef __cplusplus
#include <cstdint>

namespace shaderqa::abi {

// Written by shaders alone; the host reads it and zeroes it while none runs.
struct Footprints {
  uint32_t count;  // of slots in use
  uint32_t lost;   // not 0: there was no slot for some
  uint32_t reserved[2];
  uint64_t keys[SQA_FOOTPRINT_SLOTS];  // 0: free
  uint32_t used[SQA_FOOTPRINT_SLOTS];  // the slots in use, the first `count`
  uint32_t words[SQA_FOOTPRINT_SLOTS][SQA_FOOTPRINT_WORDS];
};

}  // namespace shaderqa::abi
#endif
#endif
