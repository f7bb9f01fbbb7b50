// SPDX-License-Identifier: Apache-2.0
// Fragment shaders append their reads of images to the log of their queue (docs/internals/images.md#reads-of-fragment-shaders), since
// what checks a read is hundreds of times as long. Included by exact.glsl.

// Where the invocation may write an entry; 0: it is not to.
uvec2 sqa_take_log_entry(const uint instruction) {
  uvec2 entry = uvec2(0u);
  uvec2 engine = sqa_record_address(SQA_ACTION_ENGINE);
  uint queue = SqaDwords(sqa_record_address(SQA_ACTION_SUBMISSION)).dwords[SQA_SUBMISSION_QUEUE];
  uint at = SQA_EXACT_READ_LOGS + queue * 2u;
  uvec2 log = uvec2(0u);
  if (queue < SQA_READ_QUEUES) log = SqaAddresses(engine).addresses[at];
  if ((log.x | log.y) != 0u) {
    uint steps = sqa_load(SqaDwords(engine).dwords[at * 2u + 2u]) >> SQA_READ_LOG_STEP_LOG2;
    uint mask = (1u << (steps < 8u ? steps * 2u : 16u)) - 1u;
    uint mixed = (instruction * 2654435761u ^ (sqa_owner + sqa_sequence) * 2246822519u) * 3266489917u;
    if ((mixed >> 16u & mask) == 0u) {
      uint ticket = sqa_add(SqaDwords(engine).dwords[at * 2u + 2u], 1u);
      if (ticket < SQA_READ_LOG_ENTRIES)
        entry = unpackUint2x32(packUint2x32(log) + uint64_t(ticket) * uint64_t(SQA_READ_DWORDS * 4));
    }
  }
  return entry;
}

void sqa_log_read(const uvec2 hash, const uvec2 site, const uvec4 descriptor, const uint index, const uint how, const uvec4 at,
                  const uvec4 moved, const bool live) {
  uint set = descriptor.x & ((1u << SQA_DIRECT_SHIFT) - 1u);
  uint slot = descriptor.y + index;
  if (live && sqa_watching() && index < descriptor.z) {
    bool wrong = (sqa_record_dword(SQA_ACTION_LAYOUTS) >> sqa_layout_bit(set, slot) & 1u) != 0u;
    if (wrong || (!sqa_skips(set, slot, site.y) && sqa_outside_of_tiles() == 0u)) {
      uvec2 entry = sqa_take_log_entry(site.x);
      if ((entry.x | entry.y) != 0u) {
        SqaQuads log = SqaQuads(entry);
        uint serial = SqaDwords(sqa_record_address(SQA_ACTION_SUBMISSION)).dwords[SQA_SUBMISSION_SERIAL];
        log.quads[0] = uvec4(sqa_record_address(SQA_ACTION_SELF), serial, sqa_owner);
        log.quads[SQA_READ_SITE / 4] = uvec4(site, hash);
        log.quads[SQA_READ_DESCRIPTOR / 4] = uvec4(descriptor.xyz, index);
        log.quads[SQA_READ_WHERE / 4] = uvec4(sqa_where, how);
        log.quads[SQA_READ_AT / 4] = at;
        log.quads[SQA_READ_MOVED / 4] = moved;
      }
    }
  }
}

// In the place of sqa_access_image and sqa_access_sampled.
void sqa_log_texel(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec4 descriptor, const uint index, const uvec4 texel,
                   const uint level, const bool live) {
  sqa_log_read(hash, site, descriptor, index, SQA_READ_TEXEL, texel, uvec4(0u, 0u, 0u, level), live);
}
void sqa_log_sample(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec4 descriptor, const uint index, const vec4 position,
                    const uvec3 offset, const float lod, const uint how, const bool live) {
  sqa_log_read(hash, site, descriptor, index, how, floatBitsToUint(position), uvec4(offset, floatBitsToUint(lod)), live);
}

// Whether this tile of fragments logs none of its reads through these slots (a bit each). The answer is the same for all of one.
bool sqa_tile_logs_nothing(const uint set, const uint slots) {
  return (sqa_record_dword(SQA_ACTION_LAYOUTS) & sqa_layout_bits(set, slots)) == 0u && sqa_outside_of_tiles() != 0u;
}
