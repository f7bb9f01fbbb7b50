// SPDX-License-Identifier: Apache-2.0
// Stages of draws append their reads to the log of their queue (docs/internals/exact.md#reads-of-draws), since what checks a read is
// dozens of times as long. Included by exact.glsl.

// Whether a log that has so many entries takes this read. Each instruction of each action gets some entries in any case.
bool sqa_takes_read(const uvec2 log, const uint entries, const uint serial, const uint instruction) {
  uint steps = entries >> SQA_READ_LOG_STEP_LOG2;
  bool takes = steps == 0u;
  if (!takes && entries < SQA_READ_LOG_ENTRIES) {
    uint place = (sqa_sequence + instruction * 40503u) & (SQA_READ_COUNTERS - 1u);
    uint seen = sqa_load(SqaDwords(log).dwords[place]);
    uint taken = (seen ^ serial << 8u) < 256u ? seen & 0xffu : 0u;
    takes = taken < (SQA_READ_LOG_SHARE >> steps | 1u);
    if (takes) {
      // Two invocations may store the same number: then there is an entry more.
      sqa_store(SqaDwords(log).dwords[place], serial << 8u | (taken + 1u));
    } else {
      uint mixed = (instruction * 2654435761u ^ (sqa_owner + sqa_sequence) * 2246822519u) * 3266489917u;
      takes = (mixed >> 16u & ((1u << steps * 2u) - 1u)) == 0u;
    }
  }
  return takes;
}

uint sqa_mixed(const uint before, const uint value) {
  uint mixed = (before ^ value) * 2246822519u;
  return mixed ^ mixed >> 15u;
}

// By what and of what a read is: never 0. Another submission has other marks.
uint sqa_read_mark(const uint serial, const uint shader, const uvec2 site, const uvec4 descriptor, const uvec4 at, const uvec4 moved) {
  uint mark = sqa_mixed(sqa_mixed(serial * 2654435761u, sqa_sequence), shader ^ site.x);
  mark = sqa_mixed(mark, descriptor.x ^ (descriptor.y + descriptor.z) * 40503u);
  mark = sqa_mixed(sqa_mixed(sqa_mixed(sqa_mixed(mark, at.x), at.y), at.z), at.w);
  return sqa_mixed(mark, moved.w ^ (moved.x + moved.y * 64u + moved.z * 4096u)) | 1u;
}

// Where the log keeps it.
uint sqa_place_of_mark(const uint mark) { return SQA_READ_COUNTERS + (mark >> 1u & (SQA_READ_MARKS - 1u)); }

// What each read asks for is kept: a fragment may make hundreds of reads, and memory is slow.
bool sqa_logs;        // the invocation is one of those that log
uvec2 sqa_log;        // address; 0: there is none
uint sqa_log_serial;  // of the submission

// What is noted (queue.glsl) is looked up in the marks as a whole first: most invocations note what others have.
uint sqa_noted_reads;   // what identifies the reads of buffers since the last place; 0: there are none
bool sqa_has_left_out;  // a read that the log did not take

// Called after sqa_begin_sync.
void sqa_begin_log(const uint stage) {
  sqa_logs = sqa_watching();
  sqa_log = uvec2(0u);
  sqa_log_serial = 0u;
  sqa_noted_reads = 0u;
  sqa_has_left_out = false;
  if (sqa_logs) {
    SqaDwords state = SqaDwords(sqa_record_address(SQA_ACTION_SUBMISSION));
    uint queue = state.dwords[SQA_SUBMISSION_QUEUE];
    sqa_log_serial = state.dwords[SQA_SUBMISSION_SERIAL];
    if (queue < SQA_READ_QUEUES)
      sqa_log = SqaAddresses(sqa_record_address(SQA_ACTION_ENGINE)).addresses[SQA_EXACT_READ_LOGS + queue * 2u];
    if (stage == SQA_STAGE_FRAGMENT) sqa_logs = sqa_outside_of_tiles() == 0u;
  }
}

// Appends a read whose mark is new.
void sqa_append_read(const uvec2 hash, const uvec2 site, const uvec4 descriptor, const uint how, const uvec4 at, const uvec4 moved,
                     const uint mark, const uint marked) {
  SqaDwords engine = SqaDwords(sqa_record_address(SQA_ACTION_ENGINE));
  uint queue = SqaDwords(sqa_record_address(SQA_ACTION_SUBMISSION)).dwords[SQA_SUBMISSION_QUEUE];
  uint count = (SQA_EXACT_READ_LOGS + queue * 2u) * 2u + 2u;
  bool takes = sqa_takes_read(sqa_log, sqa_load(engine.dwords[count]), sqa_log_serial, site.x);
  sqa_has_left_out = sqa_has_left_out || !takes;
  // One of the invocations that come here at once logs it.
  if (takes && sqa_swap(SqaDwords(sqa_log).dwords[marked], mark) != mark) {
    uint number = sqa_add(engine.dwords[count], 1u);
    if (number < SQA_READ_LOG_ENTRIES) {
      SqaQuads entry = SqaQuads(sqa_log_entry(sqa_log, number));
      entry.quads[0] = uvec4(sqa_record_address(SQA_ACTION_SELF), sqa_log_serial, sqa_owner);
      entry.quads[SQA_READ_SITE / 4] = uvec4(site, hash);
      entry.quads[SQA_READ_DESCRIPTOR / 4] = descriptor;
      entry.quads[SQA_READ_WHERE / 4] = uvec4(sqa_where, how);
      entry.quads[SQA_READ_AT / 4] = at;
      entry.quads[SQA_READ_MOVED / 4] = moved;
    }
  }
}

// how: SQA_READ_*, or SQA_SAMPLE_*. descriptor: its first two dwords, the index in the array, and the fourth dword.
void sqa_log_read(const uvec2 hash, const uvec2 site, const uvec4 descriptor, const uint how, const uvec4 at, const uvec4 moved) {
  if ((sqa_log.x | sqa_log.y) != 0u) {
    uint mark = sqa_read_mark(sqa_log_serial, hash.x, site, descriptor, at, moved);
    uint marked = sqa_place_of_mark(mark);
    if (sqa_load(SqaDwords(sqa_log).dwords[marked]) != mark)
      sqa_append_read(hash, site, descriptor, how, at, moved, mark, marked);
  }
}

// The record says nothing of the layouts of descriptors in buffers.
bool sqa_has_wrong_layout(const uvec4 descriptor, const uint index) {
  uint set = descriptor.x & ((1u << SQA_DIRECT_SHIFT) - 1u);
  return (descriptor.y & SQA_IN_BUFFER) == 0u &&
         (sqa_record_dword(SQA_ACTION_LAYOUTS) >> sqa_layout_bit(set, descriptor.y + index) & 1u) != 0u;
}

void sqa_log_image(const uvec2 hash, const uvec2 site, const uvec4 descriptor, const uint index, const uint how, const uvec4 at,
                   const uvec4 moved, const bool live) {
  uint set = descriptor.x & ((1u << SQA_DIRECT_SHIFT) - 1u);
  uint slot = descriptor.y + index;
  if (live && sqa_watching() && index < descriptor.z) {
    if (sqa_has_wrong_layout(descriptor, index) || (sqa_logs && !sqa_skips(set, slot, site.y)))
      sqa_log_read(hash, site, uvec4(descriptor.xy, index, descriptor.w), how, at, moved);
  }
}

// In the place of sqa_access_image, sqa_access_input, sqa_access_sampled, sqa_access_set and sqa_access_address.
void sqa_log_texel(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec4 descriptor, const uint index, const uvec4 texel,
                   const uint level, const bool live) {
  sqa_log_image(hash, site, descriptor, index, SQA_READ_TEXEL, texel, uvec4(0u, 0u, 0u, level), live);
}
void sqa_log_input(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec4 descriptor, const uint index, const uvec4 texel,
                   const bool live) {
  sqa_log_image(hash, site, descriptor, index, SQA_READ_INPUT, texel, uvec4(0u), live);
}
void sqa_log_sample(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec4 descriptor, const uint index, const vec4 position,
                    const uvec3 offset, const float lod, const uint how, const bool live) {
  sqa_log_image(hash, site, descriptor, index, how, floatBitsToUint(position), uvec4(offset, floatBitsToUint(lod)), live);
}
void sqa_log_set(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec4 descriptor, const uint index, const uint offset,
                 const uint size, const bool live) {
  uint set = descriptor.x & ((1u << SQA_DIRECT_SHIFT) - 1u);
  if (live && sqa_logs && index < descriptor.z && !sqa_skips(set, sqa_watched_slot(descriptor, descriptor.y + index), site.y))
    sqa_log_read(hash, site, uvec4(descriptor.xy, index, descriptor.w), SQA_READ_SET, uvec4(offset, size, 0u, 0u), uvec4(0u));
}
void sqa_log_address(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec2 address, const uint offset, const uint size,
                     const bool live) {
  if (live && sqa_logs && (address.x | address.y) != 0u && size != 0u) {
    uvec2 first = unpackUint2x32(packUint2x32(address) + uint64_t(offset));
    uvec2 last = unpackUint2x32(packUint2x32(address) + uint64_t(offset) + uint64_t(size - 1u));
    // Reads of memory that nothing writes need no cell.
    if (((sqa_page(first).x | sqa_page(last).x) & SQA_PAGE_WRITTEN) != 0u)
      sqa_log_read(hash, site, uvec4(0u), SQA_READ_ADDRESS, uvec4(address, offset, size), uvec4(0u));
  }
}

// Logs a noted read. As sqa_check_access_noted (queue.glsl), with SQA_NOTED_LOGGED in forms and form. It has a slot of its own.
void sqa_log_access_noted(const uvec2 root, const uvec2 hash, const uvec3 noted, const uvec3 more, const uint forms, const uint form,
                          const uvec2 site, const uvec4 descriptor, const uint index, const uvec4 rest) {
  uint kind = form & (SQA_NOTED_LOGGED - 1u), kinds = forms / (1u << SQA_NOTED_LOGGED);
  uint element = index == SQA_NOTED_VARIES ? noted.z : index;
  uint how = SQA_READ_SET;
  uvec4 at = uvec4(noted.y, rest.x, 0u, 0u), moved = uvec4(0u);
  bool takes = sqa_watching(), wrong = false;
  if ((kinds & (1u << SQA_NOTED_ADDRESS)) != 0u && kind == SQA_NOTED_ADDRESS) {
    how = SQA_READ_ADDRESS;
    at = uvec4(noted.yz, 0u, rest.x);
    uvec2 last = unpackUint2x32(packUint2x32(noted.yz) + uint64_t(rest.x - 1u));
    takes = takes && ((sqa_page(noted.yz).x | sqa_page(last).x) & SQA_PAGE_WRITTEN) != 0u;
  } else {
    if ((kinds >> SQA_NOTED_IMAGE) != 0u && kind >= SQA_NOTED_IMAGE) {
      bool sampled = (kinds & (1u << SQA_NOTED_SAMPLE)) != 0u && kind == SQA_NOTED_SAMPLE;
      if (index == SQA_NOTED_VARIES) element = sampled ? more.z : more.x;
      how = sampled ? rest.w : SQA_READ_TEXEL;
      at = sampled ? uvec4(noted.yz, more.x, (rest.w & SQA_SAMPLE_CUBE) != 0u ? more.z : more.x) : sqa_texel_of(noted.yz);
      moved = sampled ? uvec4(rest.xyz, more.y) : uvec4(0u, 0u, 0u, noted.z >> 27u);
      wrong = sqa_has_wrong_layout(descriptor, element);
    }
    uint set = descriptor.x & ((1u << SQA_DIRECT_SHIFT) - 1u);
    uint slot = descriptor.y + element;
    if (how == SQA_READ_SET) slot = sqa_watched_slot(descriptor, slot);
    takes = takes && element < descriptor.z && (wrong || !sqa_skips(set, slot, site.y));
  }
  if (takes && (wrong || sqa_logs)) sqa_log_read(hash, site, uvec4(descriptor.xy, element, descriptor.w), how, at, moved);
}

// A read of a buffer is noted in this slot. value: what stands there.
void sqa_add_noted_read(const uint slot, const uvec2 value, const bool live) {
  // A shader has hundreds of these, so each is few instructions.
  uint mixed = sqa_noted_reads * 2654435761u + value.x;
  mixed = (mixed ^ mixed >> 15u) * 2246822519u + value.y + (slot + 1u) * 3266489917u;
  if (live) sqa_noted_reads = mixed;
}

// The mark of those that were noted since the last place; 0: another invocation of this action logs them, or has done so.
uint sqa_unlogged_reads(const uvec2 hash) {
  uint mark = 0u;
  if (sqa_logs && sqa_noted_reads != 0u && (sqa_log.x | sqa_log.y) != 0u) {
    mark = sqa_mixed(sqa_mixed(sqa_log_serial * 2246822519u, sqa_sequence), hash.x ^ sqa_noted_reads) | 1u;
    uint marked = sqa_place_of_mark(mark);
    // Thousands of invocations come here at once, so the first one takes the mark before it logs anything.
    if (sqa_load(SqaDwords(sqa_log).dwords[marked]) == mark || sqa_swap(SqaDwords(sqa_log).dwords[marked], mark) == mark) mark = 0u;
  }
  sqa_noted_reads = 0u;
  return mark;
}
// Behind them. Those that the log did not take are for the next invocation.
void sqa_end_reads(const uint mark) {
  if (mark != 0u && sqa_has_left_out) sqa_store(SqaDwords(sqa_log).dwords[sqa_place_of_mark(mark)], 0u);
  sqa_has_left_out = false;
}

// In the place of sqa_indirect.
void sqa_log_indirect(const uvec2 root, const uvec2 hash, const uint stage) {
  if (sqa_is_first_of_indirect()) {
    SqaSite site = sqa_site_of_indirect(hash, stage);
    uvec4 at = uvec4(sqa_record_address(SQA_ACTION_INDIRECT), 0u, sqa_record_dword(SQA_ACTION_INDIRECT_BYTES));
    [[dont_unroll]] for (uint i = 0u; i < 2u && (at.x | at.y) != 0u; ++i) {
      sqa_log_read(hash, uvec2(site.instruction, site.kind), uvec4(0u), SQA_READ_ARGUMENTS, at, uvec4(0u));
      at = uvec4(sqa_record_address(SQA_ACTION_INDIRECT_COUNT), 0u, 4u);
    }
  }
}

// Whether this tile of fragments logs none of its reads through these slots (a bit each). The answer is the same for all of one.
bool sqa_tile_logs_nothing(const uint set, const uint slots) {
  return (sqa_record_dword(SQA_ACTION_LAYOUTS) & sqa_layout_bits(set, slots)) == 0u && sqa_outside_of_tiles() != 0u;
}

// For main(), which keeps all functions.
void sqa_use_log(const uvec2 h) {
  sqa_begin_log(0u);
  sqa_log_texel(h, h, h, uvec4(0u), 0u, uvec4(0u), 0u, true);
  sqa_log_input(h, h, h, uvec4(0u), 0u, uvec4(0u), true);
  sqa_log_sample(h, h, h, uvec4(0u), 0u, vec4(0.0), uvec3(0u), 0.0, 0u, true);
  sqa_log_set(h, h, h, uvec4(0u), 0u, 0u, 0u, true);
  sqa_log_address(h, h, h, h, 0u, 0u, true);
  sqa_log_indirect(h, h, 0u);
  sqa_add_noted_read(0u, h, true);
  sqa_end_reads(sqa_unlogged_reads(h));
  sqa_log_access_noted(h, h, uvec3(0u), uvec3(0u), h.x, h.x, h, uvec4(0u), 0u, uvec4(0u));
}
