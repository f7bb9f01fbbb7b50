// SPDX-License-Identifier: Apache-2.0
// The check of an access to a texel of an image: with the word of the texel, whose cell names the newest access alone, and, at some
// texels, with those of the last accesses (docs/internals/images.md#last-accesses), for the last store and for the last reads by
// classes of stages. One loop has all words, so that the code of the order between actions stands once. Included by exact.glsl.

// Which of a texel's words reads by this class are kept in.
uint sqa_last_reads_of(const uint class_of_read) {
  uint word = SQA_LAST_OTHER_READ;
  if (class_of_read == SQA_CLASS_COMPUTE || class_of_read == SQA_CLASS_RAY_TRACING) word = SQA_LAST_COMPUTE_READ;
  if (class_of_read == SQA_CLASS_FRAGMENT || class_of_read == SQA_CLASS_PRE_RASTERIZATION) word = SQA_LAST_GRAPHICS_READ;
  return word;
}

// Stores an access in the word of the last accesses of its kind, without a comparison. Returns whether it is to be compared with what
// another word holds: a read with the last store, a store with the last reads, which are then forgotten. Accesses of one action are
// left to the texel's own word. ordered_before: as sqa_ordered_before.
bool sqa_last_access(const SqaUpdate update, const uint word, const bool reads, const uint sequence, const uint ordered_before) {
  uvec2 found = unpackUint2x32(update.found);
  bool compared = false;
  uint64_t next = update.found;
  if (reads == (word != SQA_LAST_STORE)) {
    if (word == SQA_LAST_STORE || word == sqa_last_reads_of(sqa_sequence_info(sequence) & 0xffu)) next = packUint2x32(update.own);
  } else {
    uint earlier = sqa_cell_sequence(found.y);
    // The reads can be forgotten: an access that is ordered behind this store is ordered behind them, too, and any other is compared with
    // this store.
    if (!reads && found.y != 0u && earlier < sequence) next = 0ul;
    compared = earlier != sequence && earlier > ordered_before;
  }
  if (next != update.found) SqaCells(update.cells).cells[update.word] = next;
  return compared;
}

// Checks an access with one word of a texel: 0 is its own, the others are 1 + SQA_LAST_*. alone: as of sqa_view_record.
void sqa_access_word_of_texel(const uvec2 root, const SqaSite site, const uvec2 address, const uint word, const bool alone) {
  uint kind = sqa_access_kind(site.kind);
  uvec2 page = sqa_page(address);
  // Reads of memory that nothing writes need no cell.
  if ((page.x & SQA_PAGE_WRITTEN) != 0u || (kind != SQA_KIND_READ && (page.x | page.y) != 0u)) {
    // The layer marks pages that shaders write before they run, except those of descriptors that are written later.
    if ((page.x & SQA_PAGE_WRITTEN) == 0u) sqa_mark_page(address, page | uvec2(SQA_PAGE_WRITTEN, 0u));
    bool uniform_read = ((site.kind >> 16u) & 3u) == SQA_ACCESS_LOAD && (site.kind & SQA_ACCESS_UNIFORM) != 0u;
    uint ordered_before = uniform_read ? 0u : sqa_ordered_before;
    uint sequence = sqa_sequence;
    uint owner = word == 0u ? sqa_owner : 0u;
    uint mask = (site.kind & SQA_ACCESS_ONLY_READS) != 0u ? 0u : SQA_CELL_MASK_ONES;
    SqaUpdate update;
    update.own = uvec2(sqa_cell_low(kind, (site.kind >> SQA_ACCESS_TAG_SHIFT) & (SQA_TAGS - 1u), word == 0u ? sqa_phase : 0u, owner) | mask,
                       sqa_cell_high(owner, sequence));
    update.cells = uvec2(sqa_page_cells(page.x), page.y);
    update.word = sqa_page_word(address.x);
    update.stored = word == 0u && kind == SQA_KIND_WRITE;
    uvec2 earlier = uvec2(0u);
    uint hazard = 0u;
    bool compared = false;
    if (word != 0u) {
      update.found = SqaCells(update.cells).cells[update.word];
      earlier = unpackUint2x32(update.found);
      if (!sqa_is_overtaken(earlier.y, update.own.x, update.own.y))
        compared = sqa_last_access(update, word - 1u, kind == SQA_KIND_READ, sequence, ordered_before);
    } else if (alone && (site.kind & SQA_ACCESS_OWN) != 0u && ordered_before + 1u == sequence) {
      // No other invocation touches this texel, and the accesses of other actions are ordered before: there is nothing to compare.
      SqaCells(update.cells).cells[update.word] = packUint2x32(update.own);
    } else {
      sqa_take_cell(update)
      uvec2 found = unpackUint2x32(update.found);
      uvec2 next = update.own;
      uint path = sqa_fast_path(found.x, found.y, update.own.x, update.own.y, ordered_before, sqa_grouped != 0u, sqa_since, next.x);
      bool looking = path == SQA_PATH_SLOW;
      if (update.stored ? next.x != update.own.x : path == SQA_PATH_REPLACE) looking = looking || sqa_replace(update, next);
      if (looking) compared = sqa_store_access(update, sequence, hazard, earlier);
    }
    uint column = sqa_column | (uniform_read ? SQA_COLUMN_UNIFORM : 0u);
    if (compared) hazard = sqa_compare_actions(update, sequence, column, address, word == 0u, earlier);
    if (hazard != 0u) sqa_report_hazard(root, site, hazard, address, 4u, earlier);
  }
}

#ifdef SQA_COMMANDS
// Checks an access of a command with a word of last accesses.
void sqa_access_last(const uvec2 root, const SqaSite site, const uvec2 address) {
#ifndef SQA_FOOTPRINTS
  sqa_access_word_of_texel(root, site, address, 1u + ((address.x >> 2u) & (SQA_LAST_WORDS - 1u)), false);
#endif
}
#else
// Checks an access to a texel. last: address of the first word of its last accesses; 0: it has none.
void sqa_access_words_of_texel(const uvec2 root, const SqaSite site, const uvec2 address, const uvec2 last, const bool alone) {
#ifdef SQA_FOOTPRINTS
  sqa_note_footprint(sqa_sequence, sqa_access_kind(site.kind), address, 4u);
  sqa_access_word_of_texel(root, site, address, 0u, alone);
#else
#ifdef SQA_RELEASES
  if (((site.kind >> 16u) & 3u) == SQA_ACCESS_ATOMIC) sqa_atomic_at = sqa_location(address);
  sqa_follow |= follow_accessed;
#endif
  uvec2 at = address;
  [[dont_unroll]] for (uint word = 0u; word <= SQA_LAST_WORDS && (at.x | at.y) != 0u; ++word) {
    sqa_access_word_of_texel(root, site, at, word, alone);
    at = word == 0u ? last : unpackUint2x32(packUint2x32(at) + 4ul);
  }
#endif
}
#endif
