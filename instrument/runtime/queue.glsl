// SPDX-License-Identifier: Apache-2.0
// Accesses that are noted where they are, and checked later by code that stands in the shader only a few times (docs/internals/exact.md,
// "Queued checks"). Nothing that the invocation does in between orders it with others. What of an access is constant is found by its
// number, in a function that instrument/passes/queue_function.cpp writes.

// The queue, for accesses without slots of their own (instrument/passes/noted_slots.h). Drivers that inline everything also fill these with
// zeros, one dword after the other, so only one is used: the shader passes how much room it needs. An access takes one slot or two:
//   buffers      {number, offset, index if it varies}, or the address in place of the last two
//   images       {number, x and y, z and sample and level}; with an index that varies {index} behind it
//   samples      {number, u, v}, {w or layer, level of detail, index; of cubes the layer}
uvec3 sqa_noted_few[SQA_QUEUE_FEW];
uvec3 sqa_noted_some[SQA_QUEUE_SOME];
uvec3 sqa_noted_many[SQA_QUEUE_MANY];
uint sqa_noted_slots;  // that are in use
uint sqa_noted_lost;   // accesses that had no room

void sqa_begin_queue() {
  sqa_noted_slots = 0u;
  sqa_noted_lost = 0u;
}

// Each dword that is stored is much code for such drivers.
void sqa_set_noted_pair(const uint room, const uint slot, const uvec2 value) {
  if (room == SQA_QUEUE_FEW)
    sqa_noted_few[slot].xy = value;
  else if (room == SQA_QUEUE_SOME)
    sqa_noted_some[slot].xy = value;
  else
    sqa_noted_many[slot].xy = value;
}
void sqa_set_noted(const uint room, const uint slot, const uvec3 value) {
  if (room == SQA_QUEUE_FEW)
    sqa_noted_few[slot] = value;
  else if (room == SQA_QUEUE_SOME)
    sqa_noted_some[slot] = value;
  else
    sqa_noted_many[slot] = value;
}
uvec3 sqa_noted(const uint room, const uint slot) {
  uvec3 value;
  if (room == SQA_QUEUE_FEW)
    value = sqa_noted_few[slot];
  else if (room == SQA_QUEUE_SOME)
    value = sqa_noted_some[slot];
  else
    value = sqa_noted_many[slot];
  return value;
}

// Where the next access is noted: behind all, or, if it has no room or is none of a live invocation, where it is forgotten: the last two
// slots are for that.
uint sqa_next_noted(const uint room, const uint slots, const bool live) {
  bool fits = sqa_noted_slots + slots <= room - 2u;
  uint at = fits ? sqa_noted_slots : room - 2u;
  if (live && fits) sqa_noted_slots += slots;
  if (live && !fits) ++sqa_noted_lost;
  return at;
}

void sqa_note_set(const uint room, const uint site, const uint offset, const bool live) {
  uint at = sqa_next_noted(room, 1u, live);
  sqa_set_noted_pair(room, at, uvec2(site, offset));
}
void sqa_note_set_of(const uint room, const uint site, const uint index, const uint offset, const bool live) {
  uint at = sqa_next_noted(room, 1u, live);
  sqa_set_noted(room, at, uvec3(site, offset, index));
}
// These functions give the dwords that are noted of an access, each of them for one kind of accesses; sqa_notes_address says whether an
// access through an address is noted.
uvec2 sqa_noted_address(const uvec2 address, const uint offset) { return unpackUint2x32(packUint2x32(address) + uint64_t(offset)); }
bool sqa_notes_address(const uvec2 address, const bool live) { return live && (address.x | address.y) != 0u; }
// Coordinates, samples and levels that no image has stay such.
uvec2 sqa_noted_texel(const uvec4 texel, const uint level) {
  uint x = texel.x < 0xffffu ? texel.x : 0xffffu, y = texel.y < 0xffffu ? texel.y : 0xffffu;
  uint z = texel.z < 0x1fffffu ? texel.z : 0x1fffffu;
  return uvec2(x | y << 16u, z | (texel.w < 63u ? texel.w : 63u) << 21u | (level < 31u ? level : 31u) << 27u);
}
uvec4 sqa_texel_of(const uvec2 noted) {
  return uvec4(noted.x & 0xffffu, noted.x >> 16u, noted.y & 0x1fffffu, noted.y >> 21u & 63u);
}
// texel: counts from the fragment.
uvec2 sqa_noted_input(const uvec4 texel) {
  uvec3 who = sqa_where;  // as a whole: the import may replace it by the program's own input
  return sqa_noted_texel(uvec4(texel.xy + who.xy, 0u, texel.w), 0u);
}
uvec2 sqa_noted_position(const vec4 position) { return floatBitsToUint(position.xy); }
uvec2 sqa_noted_detail(const vec4 position, const float lod, const uint how) {
  bool has_w = (how & (SQA_SAMPLE_SOLID | SQA_SAMPLE_CUBE)) != 0u;
  return floatBitsToUint(vec2(has_w ? position.z : position.w, lod));
}
uint sqa_noted_last(const vec4 position, const uint how, const uint index) {
  return (how & SQA_SAMPLE_CUBE) != 0u ? floatBitsToUint(position.w) : index;
}

void sqa_note_address(const uint room, const uint site, const uvec2 address, const uint offset, const bool live) {
  uint at = sqa_next_noted(room, 1u, sqa_notes_address(address, live));
  sqa_set_noted(room, at, uvec3(site, sqa_noted_address(address, offset)));
}
void sqa_note_image(const uint room, const uint site, const uvec4 texel, const uint level, const bool live) {
  uint at = sqa_next_noted(room, 1u, live);
  sqa_set_noted(room, at, uvec3(site, sqa_noted_texel(texel, level)));
}
void sqa_note_image_of(const uint room, const uint site, const uint index, const uvec4 texel, const uint level, const bool live) {
  uint at = sqa_next_noted(room, 2u, live);
  sqa_set_noted(room, at, uvec3(site, sqa_noted_texel(texel, level)));
  sqa_set_noted_pair(room, at + 1u, uvec2(index, 0u));
}
void sqa_note_input(const uint room, const uint site, const uint index, const uvec4 texel, const bool live) {
  uint at = sqa_next_noted(room, 2u, live);
  sqa_set_noted(room, at, uvec3(site, sqa_noted_input(texel)));
  sqa_set_noted_pair(room, at + 1u, uvec2(index, 0u));
}
void sqa_note_sample(const uint room, const uint site, const uint index, const vec4 position, const float lod, const uint how,
                     const bool live) {
  uint at = sqa_next_noted(room, 2u, live);
  sqa_set_noted(room, at, uvec3(site, sqa_noted_position(position)));
  sqa_set_noted(room, at + 1u, uvec3(sqa_noted_detail(position, lod, how), sqa_noted_last(position, how, index)));
}

// How many slots are to be checked now: all, once so many are in use.
uint sqa_queue_length(const uint least) { return sqa_noted_slots < least ? 0u : sqa_noted_slots; }

// Behind these. What had no room is counted, for a note.
void sqa_end_queue(const uvec2 root, const uint least) {
  if (sqa_noted_lost != 0u) {
    uvec2 control = SqaCheckRoot(root).control;
    if ((control.x | control.y) != 0u) sqa_add(SqaControl(control).unqueued, sqa_noted_lost);
  }
  sqa_noted_lost = 0u;
  if (sqa_noted_slots >= least) sqa_noted_slots = 0u;
}

// Checks an access to these words, as sqa_access_cells does, or to a texel, as sqa_access_words_of_texel does: one loop for both, so that
// the code stands once. last: the first word of the texel's last accesses.
void sqa_check_words_noted(const uvec2 root, const SqaSite site, const uvec2 address, const uvec2 last, const uint bytes,
                           const bool texel) {
  uint kind = sqa_access_kind(site.kind);
  bool uniform_read = ((site.kind >> 16u) & 3u) == SQA_ACCESS_LOAD && (site.kind & SQA_ACCESS_UNIFORM) != 0u;
  uint ordered_before = uniform_read ? 0u : sqa_ordered_before;
  uint column = sqa_column | (uniform_read ? SQA_COLUMN_UNIFORM : 0u);
  uint sequence = sqa_sequence;
#ifdef SQA_RELEASES
  sqa_follow |= follow_accessed;
#endif
  // The invocation's accesses to images are ordered by other barriers than those to buffers.
  uint since = sqa_since;
  if (texel) sqa_since = sqa_since_of_images();
  bool whole = texel || (site.kind & SQA_ACCESS_WORDS) != 0u;
  uvec2 at = address;  // its lowest two bits: the first byte of the word that is accessed
  uint end = (whole ? 0u : address.x & 3u) + bytes;
  uvec2 page = uvec2(0u);
  uint worst = 0u;
  uvec2 where = uvec2(0u);
  uvec2 why = uvec2(0u);
  uint n = 0u;  // the word; of a texel 0 is its own, the others are 1 + SQA_LAST_*
  uint limit = max_words;
  if (texel) limit = (last.x | last.y) != 0u ? 1u + SQA_LAST_WORDS : 1u;
  // Goes on after a hazard: others would not find an access that is not stored.
  [[dont_unroll]] while (n < limit && (texel || n * 4u + (at.x & 3u) < end)) {
    page = sqa_page_with_parts(at);
    bool parts = (page.x & SQA_PAGE_PARTS) != 0u;
    bool of_last = texel && n != 0u;
    // Reads of memory that nothing writes need no cell.
    if ((page.x & SQA_PAGE_WRITTEN) != 0u || (kind != SQA_KIND_READ && (page.x | page.y) != 0u)) {
      // The layer marks pages that shaders write before they run, except those of descriptors that are written later.
      if ((page.x & SQA_PAGE_WRITTEN) == 0u) {
        page.x |= SQA_PAGE_WRITTEN;
        sqa_mark_page(at, page);
      }
      uint high = end - n * 4u;
      uint mask = SQA_CELL_MASK_ONES;
      if (!whole && !parts) mask = (SQA_CELL_MASK_ONES << (at.x & 3u)) & (high < 4u ? SQA_ONES(high) : SQA_CELL_MASK_ONES);
      if ((site.kind & SQA_ACCESS_ONLY_READS) != 0u) mask = 0u;
      uint owner = of_last ? 0u : sqa_owner;
      SqaUpdate update;
      update.own = uvec2(sqa_cell_low(kind, (site.kind >> SQA_ACCESS_TAG_SHIFT) & (SQA_TAGS - 1u), of_last ? 0u : sqa_phase, owner) | mask,
                         sqa_cell_high(owner, sequence));
      update.cells = uvec2(sqa_page_cells(page.x), page.y);
      update.word = sqa_page_cell(page.x, at.x);
      update.stored = !of_last && kind == SQA_KIND_WRITE && mask == SQA_CELL_MASK_ONES;
      sqa_take_cell(update)
      uvec2 earlier = unpackUint2x32(update.found);
      uint hazard = 0u;
      bool compared = false;
      if (of_last) {
        compared = sqa_last_access(update, n - 1u, kind == SQA_KIND_READ, sequence, ordered_before);
      } else {
        uvec2 found = earlier;
        uvec2 next = update.own;
        uint path =
            sqa_fast_path(found.x, found.y, update.own.x, update.own.y, ordered_before, sqa_grouped != 0u, sqa_since, next.x);
        bool looking = path == SQA_PATH_SLOW;
        if (update.stored ? next.x != update.own.x : path == SQA_PATH_REPLACE) looking = looking || sqa_replace(update, next);
        if (looking) compared = sqa_store_access(update, sequence, hazard, earlier);
      }
      if (compared) hazard = sqa_compare_actions(update, sequence, column, at, !of_last, earlier);
      if (hazard != 0u && worst == 0u) {
        worst = hazard;
        where = at;
        why = earlier;
      }
    }
    if (texel) {
      at = n == 0u ? last : unpackUint2x32(packUint2x32(at) + 4ul);
      ++n;
    } else {
      at.x = parts ? at.x + 1u : (at.x & ~3u) + 4u;
      at.y += uint(at.x == 0u);
      n += uint((at.x & 3u) == 0u);
    }
  }
  sqa_since = since;
  if (worst != 0u) sqa_report_hazard(root, site, worst, where, bytes, why);
}

// Checks a noted access. noted, more: its slots of the queue. forms: a bit for each of SQA_NOTED_* that the shader has; form: this one's.
// index: in the array of descriptors, or SQA_NOTED_VARIES. rest: size, or offsets in texels and SQA_SAMPLE_*. Returns how many slots it has
// in the queue.
uint sqa_check_access_noted(const uvec2 root, const uvec2 hash, const uvec3 noted, const uvec3 more, const uint forms, const uint form,
                            const uvec2 site, const uvec4 descriptor, const uint index, const uvec4 rest) {
  SqaSite at = SqaSite(hash, site.x, site.y);
  uvec2 address = uvec2(0u), last = uvec2(0u);
  uint bytes = 0u, slots = 1u;
  bool texel = false;
  if ((forms & (1u << SQA_NOTED_SET)) != 0u && form == SQA_NOTED_SET) {
    SqaFound found = sqa_find_access(site.y, descriptor, index == SQA_NOTED_VARIES ? noted.z : index, noted.y, rest.x, true);
    address = found.address;
    bytes = found.bytes;
  }
  if ((forms & (1u << SQA_NOTED_ADDRESS)) != 0u && form == SQA_NOTED_ADDRESS && sqa_watching()) {
    address = noted.yz;
    bytes = rest.x;
  }
  if ((forms >> SQA_NOTED_IMAGE) != 0u && form >= SQA_NOTED_IMAGE) {
    bool sampled = (forms & (1u << SQA_NOTED_SAMPLE)) != 0u && form == SQA_NOTED_SAMPLE;
    bool is_input = (forms & (1u << SQA_NOTED_INPUT)) != 0u && form == SQA_NOTED_INPUT;
    uvec4 place = sqa_texel_of(noted.yz);
    uint level = noted.z >> 27u;
    if (sampled || index == SQA_NOTED_VARIES) slots = 2u;
    uint element = index == SQA_NOTED_VARIES ? (sampled ? more.z : more.x) : index;
    texel = true;
    uint bits = sampled ? sqa_sparse_bits_of_sample(site.y) : sqa_sparse_bits_of(site.y, place.xy);
    bool alone;
    uvec2 record = sqa_checked_view(root, at, descriptor, element, bits, true, alone);
    bool known = (record.x | record.y) != 0u;
    if (known && is_input) known = sqa_can_be_input(descriptor, record);
    if (known && sampled) {
      vec4 position = vec4(uintBitsToFloat(noted.yz), uintBitsToFloat(more.x), uintBitsToFloat(more.x));
      if ((rest.w & SQA_SAMPLE_CUBE) != 0u) position.w = uintBitsToFloat(more.z);
      known = sqa_find_sample(record, position, rest.xyz, uintBitsToFloat(more.y), rest.w, place, level);
    }
    if (known && sqa_find_texel(record, place, level, address, last)) bytes = 4u;
  }
  if (bytes != 0u) sqa_check_words_noted(root, at, address, last, bytes, texel);
  return slots;
}

// For main(), which keeps all functions.
void sqa_use_queue(const uvec2 h) {
  sqa_begin_queue();
  sqa_note_set(h.x, 0u, 0u, true);
  sqa_note_set_of(h.x, 0u, 0u, 0u, true);
  sqa_note_address(h.x, 0u, h, 0u, true);
  sqa_note_image(h.x, 0u, uvec4(0u), 0u, true);
  sqa_note_image_of(h.x, 0u, 0u, uvec4(0u), 0u, true);
  sqa_note_input(h.x, 0u, 0u, uvec4(0u), true);
  sqa_note_sample(h.x, 0u, 0u, vec4(0.0), 0.0, 0u, true);
  if (sqa_noted(h.x, sqa_queue_length(1u)).x == 0u) sqa_begin_queue();
  uint v = sqa_noted_last(vec4(0.0), sqa_noted_detail(vec4(0.0), 0.0, 0u).x, sqa_noted_position(vec4(0.0)).x);
  v += sqa_noted_address(h, sqa_notes_address(h, true) ? 1u : 0u).x + sqa_noted_texel(uvec4(0u), 0u).x + sqa_noted_input(uvec4(0u)).x;
  sqa_check_access_noted(h, h, uvec3(v), uvec3(0u), 31u, h.x, h, uvec4(0u), 0u, uvec4(0u));
  sqa_end_queue(h, 1u);
}
