// SPDX-License-Identifier: Apache-2.0
// A compute shader of the layer's own (docs/internals/exact.md#reads-of-draws). Behind a render pass it checks the reads that the stages of
// its draws have logged, as these would have done, and empties the log. Like range_access.glsl, it has neither descriptors nor push
// constants, and finds its record by the base of the dispatch.
#include "instrument/runtime/engine_root.glsl"

layout(local_size_x = SQA_READ_GROUP_SIZE) in;
layout(constant_id = 2) const uint checked_kind = SQA_RANGES_WORDS;  // without images there is less code to compile

// A long read, such as that of a whole uniform buffer, is checked in parts of so many bytes, or in the greatest number of parts.
const uint bytes_of_part = 32u;
const uint most_parts = 0x10000u;

// In how many parts each of the entries is checked that the workgroup looks at.
shared uint parts_of_entry[SQA_READ_GROUP_SIZE];

// The bytes of the read; 0: it is of an image, or of one element of a texel buffer.
uint sqa_logged_bytes(const uint how, const uvec4 at) {
  uint bytes = 0u;
  if (how == SQA_READ_SET)
    bytes = at.y;
  else if (how == SQA_READ_ADDRESS || how == SQA_READ_ARGUMENTS)
    bytes = at.w;
  return bytes;
}

uint sqa_parts(const SqaQuads entry) {
  uint bytes = sqa_logged_bytes(entry.quads[SQA_READ_WHERE / 4].w, entry.quads[SQA_READ_AT / 4]);
  return clamp(bytes / bytes_of_part + uint(bytes % bytes_of_part != 0u), 1u, most_parts);
}

// Checks a part of what a read of a buffer touches. No two parts have bytes of one word.
void sqa_check_part(const uvec2 root, const SqaSite site, SqaFound found, const uint part, const uint parts) {
  uint before = found.address.x & 3u;  // bytes in its first word
  uint of_part = max(((before + found.bytes + parts - 1u) / parts + 3u) & ~3u, bytes_of_part);
  uint begin = part == 0u ? 0u : part * of_part - before;
  uint end = min((part + 1u) * of_part - before, found.bytes);
  if (begin < end) {
    sqa_whole_read = found.bytes;
    uvec2 address = unpackUint2x32(packUint2x32(found.address) + uint64_t(begin));
    uvec2 cells = found.cells;
    // Cells take twice the space of their words.
    if ((cells.x | cells.y) != 0u) cells = unpackUint2x32(packUint2x32(cells) + uint64_t(part * of_part) * 2ul);
    sqa_access_cells(root, site, address, end - begin, cells, found.alone);
  }
}

void sqa_check_logged(const uvec2 root, const SqaQuads entry, const uint part, const uint parts) {
  uvec4 site = entry.quads[SQA_READ_SITE / 4];
  uvec4 place = entry.quads[SQA_READ_DESCRIPTOR / 4];
  uvec4 where = entry.quads[SQA_READ_WHERE / 4];
  uvec4 at = entry.quads[SQA_READ_AT / 4];
  uvec4 moved = entry.quads[SQA_READ_MOVED / 4];
  sqa_record = entry.quads[0].xy;
  sqa_begin_sync((site.y >> 8u) & 0xffu, uvec3(0u), false, true, true);
  sqa_begin_images(false);
  sqa_owner = entry.quads[0].w;
  sqa_set_where(where.xyz);
  uint index = place.z;
  uvec4 descriptor = uvec4(place.xy, index + 1u, place.w);
  bool by_address = where.w == SQA_READ_ADDRESS || where.w == SQA_READ_ARGUMENTS;
  if (where.w == SQA_READ_ARGUMENTS) {
    // These are accesses of another column, and have numbers of their own.
    sqa_sequence += SQA_COLUMN_INDIRECT - sqa_column;
    sqa_column = SQA_COLUMN_INDIRECT;
    sqa_ordered_before = 0u;
  }
  if (by_address || where.w == SQA_READ_SET) {
    SqaFound found = SqaFound(unpackUint2x32(packUint2x32(at.xy) + uint64_t(at.z)), at.w, uvec2(0u), SQA_ALONE_NOT);
    if (!by_address) found = sqa_find_access(site.y, descriptor, index, at.x, at.y, true);
    if (sqa_watching()) sqa_check_part(root, SqaSite(site.zw, site.x, site.y), found, part, parts);
  } else if (checked_kind != SQA_RANGES_TEXELS) {
    return;
  } else if (where.w == SQA_READ_TEXEL) {
    sqa_access_image(root, site.zw, site.xy, descriptor, index, at, moved.w, true);
  } else if (where.w == SQA_READ_INPUT) {
    sqa_access_input(root, site.zw, site.xy, descriptor, index, at, true);
  } else {
    sqa_access_sampled(root, site.zw, site.xy, descriptor, index, uintBitsToFloat(at), moved.xyz, uintBitsToFloat(moved.w), where.w,
                       true);
  }
}

void main() {
  uvec2 root = sqa_root();
  uvec2 engine = sqa_engine_state();
  uvec2 block = SqaAddresses(SqaAddresses(engine).addresses[SQA_EXACT_RECORD_BLOCKS]).addresses[gl_WorkGroupID.z];
  uint carry;
  sqa_record.x = uaddCarry(block.x, gl_WorkGroupID.y * 16u, carry);
  sqa_record.y = block.y + carry;
  SqaDwords state = SqaDwords(sqa_record_address(SQA_ACTION_SUBMISSION));
  uint queue = state.dwords[SQA_SUBMISSION_QUEUE];
  uint serial = state.dwords[SQA_SUBMISSION_SERIAL];
  uint at = SQA_EXACT_READ_LOGS + queue * 2u;
  uvec2 log = uvec2(0u);
  uint count = 0u;
  // Where this submission is not checked, another one may use the log at the same time.
  if (state.dwords[SQA_SUBMISSION_FIRST_SEQUENCE] != 0u && queue < SQA_READ_QUEUES) {
    log = SqaAddresses(engine).addresses[at];
    count = SqaDwords(engine).dwords[at * 2u + 2u];
  }
  bool there = (log.x | log.y) != 0u;
  uint most = count < SQA_READ_LOG_ENTRIES ? count : SQA_READ_LOG_ENTRIES;
  if (!there) most = 0u;
  // Few entries are spread over all workgroups, since each of them may have many parts.
  uint own = gl_LocalInvocationIndex;
  uint groups = gl_NumWorkGroups.x;
  uint together = clamp((most + groups - 1u) / groups, 1u, uint(SQA_READ_GROUP_SIZE));
  [[dont_unroll]] for (uint first = gl_WorkGroupID.x * together; first < most; first += groups * together) {
    uint entries = min(together, most - first);
    if (own < entries) {
      SqaQuads entry = SqaQuads(sqa_log_entry(log, first + own));
      // What another submission has left was not checked behind its render pass: its record may be gone.
      parts_of_entry[own] = entry.quads[0].z == serial ? sqa_parts(entry) : 0u;
    }
    barrier();
    uint i = 0u, before = 0u;  // parts of the entries before i
    [[dont_unroll]] for (uint part = own; i < entries; part += SQA_READ_GROUP_SIZE) {
      [[dont_unroll]] while (i < entries && part - before >= parts_of_entry[i]) before += parts_of_entry[i++];
      if (i < entries) sqa_check_logged(root, SqaQuads(sqa_log_entry(log, first + i)), part - before, parts_of_entry[i]);
    }
    barrier();
  }
  // The last workgroup empties the log: all others have read how much is in it.
  barrier();
  if (gl_LocalInvocationIndex == 0u && there) {
    uint finished = atomicAdd(SqaDwords(engine).dwords[at * 2u + 3u], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                              gl_SemanticsAcquireRelease);
    if (finished == groups - 1u) {
      sqa_store(SqaDwords(engine).dwords[at * 2u + 3u], 0u);
      sqa_store(SqaDwords(engine).dwords[at * 2u + 2u], 0u);
    }
  }
}
