// SPDX-License-Identifier: Apache-2.0
// The last accesses to some texels of images (docs/internals/images.md#last-accesses): words beside the texels' own, for the last store and
// for the last reads by classes of stages. A texel's own cell names the newest access alone. Included by exact.glsl.

// Which of a texel's words reads by this class are kept in.
uint sqa_last_reads_of(const uint class_of_read) {
  uint word = SQA_LAST_OTHER_READ;
  if (class_of_read == SQA_CLASS_COMPUTE || class_of_read == SQA_CLASS_RAY_TRACING) word = SQA_LAST_COMPUTE_READ;
  if (class_of_read == SQA_CLASS_FRAGMENT || class_of_read == SQA_CLASS_PRE_RASTERIZATION) word = SQA_LAST_GRAPHICS_READ;
  return word;
}

// Checks an access with one of these words: a read is compared with the last store, and a store with the last reads, which are then
// forgotten. An access is stored in its own word, without a comparison. Accesses of one action are left to the texel's own cell.
void sqa_last_access(const uvec2 root, const SqaSite site, const uvec2 address) {
#ifndef SQA_FOOTPRINTS
  uint kind = sqa_access_kind(site.kind);
  bool reads = kind == SQA_KIND_READ;
  // An input of a subpass: as a read of a uniform buffer, it is not made visible as other reads are.
  bool input_read = ((site.kind >> 16u) & 3u) == SQA_ACCESS_LOAD && (site.kind & SQA_ACCESS_UNIFORM) != 0u;
  uvec2 page = sqa_page(address);
  // Reads of memory that nothing writes need no cell.
  if ((page.x | page.y) == 0u || (reads && (page.x & SQA_PAGE_WRITTEN) == 0u)) return;
  uint word = (address.x >> 2u) & (SQA_LAST_WORDS - 1u);
  uvec2 cells = uvec2(sqa_page_cells(page.x), page.y);
  uint at = sqa_page_word(address.x);
  uvec2 found = unpackUint2x32(SqaCells(cells).cells[at]);
  uint mask = (site.kind & SQA_ACCESS_ONLY_READS) != 0u && reads ? 0u : SQA_CELL_MASK_ONES;
  uvec2 own = uvec2(sqa_cell_low(kind, (site.kind >> SQA_ACCESS_TAG_SHIFT) & (SQA_TAGS - 1u), 0u, 0u) | mask,
                    sqa_cell_high(0u, sqa_sequence));
  if (reads == (word != SQA_LAST_STORE)) {
    bool kept = word == SQA_LAST_STORE || word == sqa_last_reads_of(sqa_sequence_info(sqa_sequence) & 0xffu);
    if (kept && found != own) SqaCells(cells).cells[at] = packUint2x32(own);
  } else {
    uint earlier = sqa_cell_sequence(found.y);
    // The reads can be forgotten: an access that is ordered behind this store is ordered behind them, too, and any other is compared with
    // this store.
    if (!reads && found.y != 0u && earlier < sqa_sequence) SqaCells(cells).cells[at] = 0ul;
    uint column = sqa_column | (input_read ? SQA_COLUMN_UNIFORM : 0u);
    if (earlier != sqa_sequence && earlier > (input_read ? 0u : sqa_ordered_before) && sqa_actions_conflict(found.x, own.x) &&
        sqa_is_pending(found, own.x, sqa_sequence, column, address) && !sqa_is_ordered(found))
      sqa_report_hazard(root, site, SQA_MISSING_ORDER, address, 4u, found);
  }
#endif
}
