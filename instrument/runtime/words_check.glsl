// SPDX-License-Identifier: Apache-2.0
// The check of an access to whole words, as two functions. words.glsl includes this twice:
//   sqa_words         with SQA_BY_PAGE: finds cells that lie anywhere, by page
//   sqa_words_direct  the cells of all words follow each other, and one region of floors holds for them
// bytes: a multiple of 4. cells: as sqa_access_cells' direct; here not 0 without SQA_BY_PAGE. region: as in a direct entry.

#ifdef SQA_BY_PAGE
void sqa_words(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec2 address, const uint bytes, const uvec2 cells,
               const uint alone) {
#else
void sqa_words_direct(const uvec2 root, const uvec2 hash, const uvec2 site, const uvec2 address, const uint bytes, const uvec2 cells,
                      const uint alone, const uint region) {
#endif
  // SQA_KIND_*: loads, stores, atomics, and those of workgroup scope, which have a bit of their own.
  uint type = (site.y >> 16u) & 3u;
  uint kind = type == SQA_ACCESS_INDIRECT ? uint(SQA_KIND_READ) : type + ((site.y >> 19u) & (type >> 1u));
  uvec2 own = uvec2(sqa_cell_low(kind, (site.y >> SQA_ACCESS_TAG_SHIFT) & (SQA_TAGS - 1u), sqa_phase, sqa_owner) | SQA_CELL_MASK_ONES,
                    sqa_cell_high(sqa_owner, sqa_sequence));
#ifdef SQA_RELEASES
  if (kind >= SQA_KIND_ATOMIC) sqa_atomic_at = sqa_location(address);
  sqa_follow |= follow_accessed;
#endif
  bool write = kind == SQA_KIND_WRITE;
  bool uniform_read = kind == SQA_KIND_READ && (site.y & SQA_ACCESS_UNIFORM) != 0u;
  uint ordered_before = uniform_read ? 0u : sqa_ordered_before;
  bool blind = alone != SQA_ALONE_NOT && (site.y & SQA_ACCESS_OWN) != 0u && sqa_ordered_before + 1u == sqa_sequence;
  uint step = 4u;  // bytes that a cell stands for
  uint64_t cell = packUint2x32(cells);
  uint64_t at = packUint2x32(address);
  uint left = bytes < max_words * 4u ? bytes : max_words * 4u;
#ifdef SQA_BY_PAGE
  bool by_page = (cells.x | cells.y) == 0u;
  bool fresh = by_page;  // the page is not known
  bool watched = true;
#else
  const bool watched = true;
#endif
  uint worst = 0u;
  uvec2 where = uvec2(0u);
  uvec2 why = uvec2(0u);
  [[dont_unroll]] while (left != 0u) {
    uvec2 here = unpackUint2x32(at);
#ifdef SQA_BY_PAGE
    if (fresh) {
      uvec2 page = sqa_page_with_parts(here);
      // Reads of memory that nothing writes need no cell.
      watched = (page.x & SQA_PAGE_WRITTEN) != 0u || (kind != SQA_KIND_READ && (page.x | page.y) != 0u);
      if (watched && (page.x & SQA_PAGE_WRITTEN) == 0u) {
        page.x |= SQA_PAGE_WRITTEN;
        sqa_mark_page(here, page);
      }
      step = (page.x & SQA_PAGE_PARTS) != 0u ? 1u : 4u;
      cell = packUint2x32(uvec2(sqa_page_cells(page.x), page.y)) + uint64_t(sqa_page_cell(page.x, here.x) * 8u);
    }
#endif
    SqaCells there = SqaCells(unpackUint2x32(cell));
    if (blind) {
      if (write || alone == SQA_ALONE_REPLACES) there.cells[0] = packUint2x32(own);
    } else if (watched) {
      uvec2 found = unpackUint2x32(write ? atomicExchange(there.cells[0], packUint2x32(own), gl_ScopeDevice, 0, gl_SemanticsRelaxed)
                                         : there.cells[0]);
      uint hazard = 0u;
      bool across = false;  // it is compared with another action
      bool looking = true;
      // What a write has found is looked at once, since others have seen the write.
      [[dont_unroll]] for (uint swaps = 0u; looking && swaps < max_swaps; ++swaps) {
        uvec2 next = own;
        hazard = 0u;
        across = sqa_cell_sequence(found.y) != sqa_sequence;
        if (across) {
          across = sqa_cell_sequence(found.y) > ordered_before;
        } else if (sqa_cell_two_actions(found.x)) {
          across = sqa_conflict(sqa_cell_kind(found.x), kind);
          if (!across) next = found;
        } else if (((found.x ^ own.x) & ~SQA_CELL_TAG_FIELD) == 0u && found.y == own.y) {
          next = found;
        } else {
          uint place = sqa_cell_case_whole(found.x, found.y, own.x, own.y, sqa_grouped != 0u, sqa_since);
          uint outcomes = SqaDwords(sqa_record_address(SQA_ACTION_OUTCOMES)).dwords[place >> 1u];
          hazard = sqa_cell_next(outcomes >> ((place & 1u) * 16u), found.x, found.y, own.x, own.y, next.x, next.y);
          if (hazard != 0u && sqa_is_ordered(found, own)) {
            hazard = 0u;
            next = sqa_cell_behind(found, own, place);
          }
        }
        uvec2 expected = found;
        if (write) expected = own;
        looking = next != expected;
        if (looking) {
          uvec2 seen = unpackUint2x32(atomicCompSwap(there.cells[0], packUint2x32(expected), packUint2x32(next), gl_ScopeDevice, 0,
                                                     gl_SemanticsRelaxed, 0, gl_SemanticsRelaxed));
          looking = !write && seen != expected;
          if (looking) found = seen;
        }
      }
      if (looking) hazard = 0u;
      if (across && !looking) {
        if (sqa_cell_two_actions(found.x)) found = sqa_other_action(found, sqa_sequence);
        bool conflict = sqa_actions_conflict_whole(found.x, kind);
        bool pending = conflict || !sqa_cell_atomic_read(found.x);
        uint column = sqa_column | (uniform_read ? SQA_COLUMN_UNIFORM : 0u);
#ifdef SQA_BY_PAGE
        if (pending) pending = sqa_is_pending(found, own.x, sqa_sequence, column, here);
#else
        if (pending) pending = sqa_is_pending_in(found, own.x, sqa_sequence, column, here, region);
#endif
        if (pending) {
          if (conflict) {
            if (!sqa_is_ordered(found, own)) hazard = SQA_MISSING_ORDER;
          } else {
            // What is ordered behind this access need not be ordered behind the other one.
            uvec2 both;
            sqa_cell_with_older(own.x, own.y, found.x, found.y, both.x, both.y);
            atomicCompSwap(there.cells[0], packUint2x32(own), packUint2x32(both), gl_ScopeDevice, 0, gl_SemanticsRelaxed, 0,
                           gl_SemanticsRelaxed);
          }
        }
      }
      if (hazard != 0u && worst == 0u) {
        worst = hazard;
        where = here;
        why = found;
      }
    }
    at += uint64_t(step);
    cell += 8ul;
    left -= step;
#ifdef SQA_BY_PAGE
    fresh = by_page && (uint(at) & 0xffffu) == 0u;
#endif
  }
  if (worst != 0u) sqa_report_hazard(root, SqaSite(hash, site.x, site.y), worst, where, bytes, why);
}
