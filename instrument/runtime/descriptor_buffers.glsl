// SPDX-License-Identifier: Apache-2.0
// From a descriptor in a descriptor buffer to what it means (docs/internals/descriptor-buffers.md).

// Their bits at SQA_ACTION_WATCHED are those of resolved descriptors (abi_resolve.h). Others have none.
#define sqa_watched_slot(descriptor, slot) \
  (((descriptor).y & SQA_IN_BUFFER) != 0u ? ((descriptor).x >> SQA_DIRECT_SHIFT) - 1u : (slot))

// Whether these are the bytes in a place of a table.
bool sqa_same_bytes(const uvec2 table, const uint place, const uvec2 bytes, const uint size) {
  uint same = 0u;
  [[dont_unroll]] while (same < size && SqaDwords(bytes).dwords[same] == SqaDwords(table).dwords[(place + 1u) * 4u + same]) ++same;
  return same == size;
}

// The place of a kind's table that has these bytes: its first quad, with no tag; false: there is none. kind: the kind's quad in
// the directory. Most descriptors have at most four dwords, which are read once.
bool sqa_find_bytes(const uvec4 kind, const uvec2 bytes, out uvec4 entry) {
  entry = uvec4(0u);
  uint size = kind.w;
  uint mask = (1u << (kind.x & SQA_DESCRIPTOR_LOG2)) - 1u;
  uvec2 table = uvec2(kind.x & ~uint(SQA_DESCRIPTOR_LOG2), kind.y);
  uvec4 key = uvec4(0u);
  uint hash = 0u;
  if (size <= 4u) {
    key.x = SqaDwords(bytes).dwords[0];
    if (size > 1u) key.y = SqaDwords(bytes).dwords[1];
    if (size > 2u) {
      key.z = SqaDwords(bytes).dwords[2];
      if (size > 3u) key.w = SqaDwords(bytes).dwords[3];
    }
    hash = SQA_DESCRIPTOR_HASH(hash, key.x);
    hash = SQA_DESCRIPTOR_HASH(hash, key.y);
    hash = SQA_DESCRIPTOR_HASH(hash, key.z);
    hash = SQA_DESCRIPTOR_HASH(hash, key.w);
  } else {
    [[dont_unroll]] for (uint i = 0u; i < size; ++i) {
      uint dword = SqaDwords(bytes).dwords[i];
      hash = SQA_DESCRIPTOR_HASH(hash, dword);
    }
  }
  uint tag = hash & SQA_DESCRIPTOR_TAG;
  if (tag == 0u) tag = 0x400u;
  bool looking = true;
  bool found = false;
  [[dont_unroll]] for (uint i = 0u; looking && i <= mask; ++i) {
    uint at = ((hash + i) & mask) * kind.z;
    entry = SqaQuads(table).quads[at];
    looking = entry.w != 0u;
    if ((entry.w & SQA_DESCRIPTOR_TAG) == tag) {
      if (size <= 4u)
        found = SqaQuads(table).quads[at + 1u] == key;
      else
        found = sqa_same_bytes(table, at, bytes, size);
      looking = !found;
    }
  }
  entry.w &= ~SQA_DESCRIPTOR_TAG;
  return found;
}

#define sqa_descriptor_directory() SqaAddresses(sqa_record_address(SQA_ACTION_ENGINE)).addresses[SQA_EXACT_DESCRIPTORS]

// The host will say that nothing is known of a descriptor. directory: 0 where there is none.
void sqa_say_unknown(const uvec2 directory) {
  if ((directory.x | directory.y) != 0u && sqa_load(SqaDwords(directory).dwords[SQA_DESCRIPTORS_UNKNOWN]) == 0u)
    sqa_store(SqaDwords(directory).dwords[SQA_DESCRIPTORS_UNKNOWN], 1u);
}

// An entry as in a descriptor table. False: nothing is known of the descriptor, which the host will say.
bool sqa_find_descriptor(const uint set, const uvec4 descriptor, const uint index, out uvec4 entry) {
  entry = uvec4(0u);
  uvec2 begin = sqa_record_address(SQA_ACTION_TABLES + set * 2u);
  uvec2 directory = sqa_descriptor_directory();
  bool known = false;
  if ((directory.x | directory.y) != 0u) {
    uint number = descriptor.w & ((1u << SQA_DESCRIPTOR_STRIDE_SHIFT) - 1u);
    uvec4 kind = uvec4(0u);
    if (number < SQA_DESCRIPTOR_TABLES) kind = SqaQuads(directory).quads[number];
    uint stride = descriptor.w >> SQA_DESCRIPTOR_STRIDE_SHIFT;
    uint64_t offset = uint64_t(descriptor.y & ~uint(SQA_IN_BUFFER | SQA_IN_HEAP | SQA_INDIRECT));
    uint64_t element = uint64_t(index) * uint64_t(stride);
    bool there = (begin.x | begin.y) != 0u;
    if (there && (descriptor.y & SQA_IN_HEAP) != 0u) {
      uint limit = sqa_record_dword(SQA_ACTION_DYNAMIC + set);
      if ((descriptor.y & SQA_INDIRECT) != 0u) {
        uint at = 0u;
        if ((limit & SQA_INDEX_EACH) != 0u) {
          at = (stride >> 2u) + index;
          element = 0ul;
        }
        uint in_heap = SqaDwords(begin).dwords[at];
        if ((limit & SQA_INDEX_COMBINED) != 0u) in_heap &= SQA_INDEX_OF_COMBINED;
        offset += uint64_t(in_heap) * uint64_t(limit & SQA_INDEX_STRIDE);
        begin = sqa_record_address(SQA_ACTION_HEAP);
        limit = sqa_record_dword(SQA_ACTION_HEAP + 2);
      }
      // Behind the end of a heap there is no descriptor, whatever the shader's index says.
      there = (begin.x | begin.y) != 0u && offset + element + uint64_t(kind.w * 4u) <= uint64_t(limit);
    }
    offset += element;
    if (there && (descriptor.y & (SQA_INDIRECT | SQA_IN_HEAP)) == SQA_INDIRECT) {
      entry = uvec4(SqaDwords(begin).dwords[0], SqaDwords(begin).dwords[1], 0xffffffffu, 0u);
      known = true;
    } else if ((kind.x | kind.y) != 0u && there) {
      known = sqa_find_bytes(kind, unpackUint2x32(packUint2x32(begin) + offset), entry);
    }
    if (!known) sqa_say_unknown(directory);
  }
  return known;
}
