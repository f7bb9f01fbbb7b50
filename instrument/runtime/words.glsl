// SPDX-License-Identifier: Apache-2.0
// The check of accesses to whole words of a compute shader: the same verdicts and the same cells as sqa_access_cells in exact.glsl, in a
// third of the code. Drivers inline it at each access, and the time that they take grows with its length. Accesses of parts of words,
// atomic loads and indirect arguments are left to sqa_access_cells. Included by exact.glsl.
#include "instrument/runtime/whole_words.glsl"

#define SQA_BY_PAGE
#include "instrument/runtime/words_check.glsl"
#undef SQA_BY_PAGE
#include "instrument/runtime/words_check.glsl"

// As sqa_access_set, for a descriptor with an entry at SQA_ACTION_DIRECT.
void sqa_words_set(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec4 descriptor, const uint index,
                   const uint offset, const uint size, const bool live) {
  uint set = descriptor.x & ((1u << SQA_DIRECT_SHIFT) - 1u);
  if (live && sqa_watching() && !sqa_skips(set, sqa_watched_slot(descriptor, descriptor.y), site.y)) {
    uint at = SQA_ACTION_DIRECT + ((descriptor.x >> SQA_DIRECT_SHIFT) - 1u) * SQA_DIRECT_DWORDS;
    uvec4 entry = sqa_record_quad(at);
    if (size <= entry.z && offset <= entry.z - size) {
      uvec2 cells = sqa_record_address(at + 4u);
      // Cells take twice the space of their words.
      if ((cells.x | cells.y) != 0u) cells = unpackUint2x32(packUint2x32(cells) + uint64_t(offset) * 2ul);
      sqa_words(root, hash, site, unpackUint2x32(packUint2x32(entry.xy) + uint64_t(offset)), size, cells,
                (cells.x | cells.y) != 0u ? sqa_alone(descriptor.z, entry.w) : uint(SQA_ALONE_NOT));
    }
#ifdef SQA_DESCRIPTOR_BUFFERS
    if ((entry.w & SQA_DIRECT_UNKNOWN) != 0u) sqa_say_unknown(sqa_descriptor_directory());
#endif
  }
}

// As sqa_words_set, where the record says all that there is to know (SyncOptions::direct): the cells, and the region of floors.
void sqa_direct_set(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec4 descriptor, const uint index,
                    const uint offset, const uint size, const bool live) {
  uint set = descriptor.x & ((1u << SQA_DIRECT_SHIFT) - 1u);
  if (live && sqa_watching() && !sqa_skips(set, sqa_watched_slot(descriptor, descriptor.y), site.y)) {
    uint at = SQA_ACTION_DIRECT + ((descriptor.x >> SQA_DIRECT_SHIFT) - 1u) * SQA_DIRECT_DWORDS;
    uvec4 entry = sqa_record_quad(at);
    uvec4 found = sqa_record_quad(at + 4u);
    if ((found.x | found.y) != 0u && size <= entry.z && offset <= entry.z - size)
      sqa_words_direct(root, hash, site, unpackUint2x32(packUint2x32(entry.xy) + uint64_t(offset)), size,
                       unpackUint2x32(packUint2x32(found.xy) + uint64_t(offset) * 2ul), sqa_alone(descriptor.z, entry.w), found.z);
#ifdef SQA_DESCRIPTOR_BUFFERS
    if ((entry.w & SQA_DIRECT_UNKNOWN) != 0u) sqa_say_unknown(sqa_descriptor_directory());
#endif
  }
}

// As sqa_access_address.
void sqa_words_address(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec2 address, const uint offset,
                       const uint size, const bool live) {
  if (live && sqa_watching() && (address.x | address.y) != 0u)
    sqa_words(root, hash, site, unpackUint2x32(packUint2x32(address) + uint64_t(offset)), size, uvec2(0u), SQA_ALONE_NOT);
}
