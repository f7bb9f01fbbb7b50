// SPDX-License-Identifier: Apache-2.0
// From a descriptor in a descriptor buffer to what it means (docs/internals/descriptor-buffers.md).

// The place of a table that has these bytes: its first quad, with no tag; false: there is none.
bool sqa_find_bytes(const uvec2 table, const uvec2 bytes, out uvec4 entry) {
  entry = uvec4(0u);
  uvec4 header = SqaQuads(table).quads[0];
  uint hash = 0u;
  // What another dispatch or the host wrote need not be visible to other loads than a descriptor's.
  [[dont_unroll]] for (uint i = 0u; i < header.z; ++i) {
    uint dword = sqa_load(SqaDwords(bytes).dwords[i]);
    hash = SQA_DESCRIPTOR_HASH(hash, dword);
  }
  uint tag = hash & SQA_DESCRIPTOR_TAG;
  if (tag == 0u) tag = 0x400u;
  bool looking = true;
  bool found = false;
  [[dont_unroll]] for (uint i = 0u; looking && i <= header.x; ++i) {
    uint at = SQA_DESCRIPTOR_FIRST_PLACE + ((hash + i) & header.x) * header.y;
    entry = SqaQuads(table).quads[at];
    looking = entry.w != 0u;
    if ((entry.w & SQA_DESCRIPTOR_TAG) == tag) {
      uint same = 0u;
      [[dont_unroll]] while (same < header.z &&
                             sqa_load(SqaDwords(bytes).dwords[same]) == SqaDwords(table).dwords[(at + 1u) * 4u + same])
        ++same;
      found = same == header.z;
      looking = !found;
    }
  }
  entry.w &= ~SQA_DESCRIPTOR_TAG;
  return found;
}

// An entry as in a descriptor table. False: nothing is known of the descriptor, which the host will say.
bool sqa_find_descriptor(const uint set, const uvec4 descriptor, const uint index, out uvec4 entry) {
  entry = uvec4(0u);
  uvec2 begin = sqa_record_address(SQA_ACTION_TABLES + set * 2u);
  uvec2 tables = SqaAddresses(sqa_record_address(SQA_ACTION_ENGINE)).addresses[SQA_EXACT_DESCRIPTORS];
  bool known = false;
  if ((tables.x | tables.y) != 0u) {
    uint kind = descriptor.w & ((1u << SQA_DESCRIPTOR_STRIDE_SHIFT) - 1u);
    uvec2 table = uvec2(0u);
    if (kind < SQA_DESCRIPTOR_KINDS) table = SqaAddresses(tables).addresses[kind];
    if ((table.x | table.y) != 0u && (begin.x | begin.y) != 0u) {
      uint64_t offset = uint64_t(descriptor.y & ~uint(SQA_IN_BUFFER)) +
                        uint64_t(index) * uint64_t(descriptor.w >> SQA_DESCRIPTOR_STRIDE_SHIFT);
      known = sqa_find_bytes(table, unpackUint2x32(packUint2x32(begin) + offset), entry);
    }
    if (!known && sqa_load(SqaDwords(tables).dwords[SQA_DESCRIPTORS_UNKNOWN]) == 0u)
      sqa_store(SqaDwords(tables).dwords[SQA_DESCRIPTORS_UNKNOWN], 1u);
  }
  return known;
}
