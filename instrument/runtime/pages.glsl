// SPDX-License-Identifier: Apache-2.0
// From an address to the entry of its page (docs/internals/exact.md). Included by exact.glsl.

#ifdef SQA_RANGES
#define sqa_pages() SqaAddresses(sqa_record_address(SQA_ACTION_ENGINE)).addresses[SQA_EXACT_PAGES]
#else
#define sqa_pages() sqa_record_address(SQA_ACTION_PAGES)
#endif

// The entry of the address's page; 0: the page is not watched.
uvec2 sqa_page(const uvec2 address) {
  uvec2 entry = uvec2(0u);
  if (address.y < 0x10000u) {
    uvec2 pages = SqaAddresses(sqa_pages()).addresses[address.y];
#ifdef SQA_RANGES
    // Drivers may move the load out of a branch that is not taken (range_access.glsl).
    bool there = (pages.x | pages.y) != 0u;
    entry = SqaAddresses(there ? pages : sqa_pages()).addresses[there ? address.x >> SQA_PAGE_LOG2 : 0u];
    if (!there) entry = uvec2(0u);
#else
    if ((pages.x | pages.y) != 0u) entry = SqaAddresses(pages).addresses[address.x >> SQA_PAGE_LOG2];
#endif
  }
  return entry;
}

// The entry of the address's page, with the address of the cells of its bytes in place of those of its words, where there are such:
// then it has SQA_PAGE_PARTS.
uvec2 sqa_page_with_parts(const uvec2 address) {
  uvec2 page = sqa_page(address);
  if ((page.x & SQA_PAGE_PARTS) != 0u) {
    uvec2 tables = SqaAddresses(sqa_record_address(SQA_ACTION_ENGINE)).addresses[SQA_EXACT_PARTS];
    if ((tables.x | tables.y) != 0u) tables = SqaAddresses(tables).addresses[address.y];
    if ((tables.x | tables.y) != 0u) tables = SqaAddresses(tables).addresses[address.x >> SQA_PAGE_LOG2];
    if ((tables.x | tables.y) != 0u)
      page = uvec2(tables.x | (page.x & (SQA_PAGE_CELL_BYTES - 1u)), tables.y);
    else
      page.x &= ~SQA_PAGE_PARTS;
  }
  return page;
}
// The number of the address's cell among those of its page.
#define sqa_page_cell(page_low, address_low) \
  (((page_low) & SQA_PAGE_PARTS) != 0u ? (address_low) & 0xffffu : sqa_page_word(address_low))

void sqa_mark_page(const uvec2 address, const uvec2 page) {
  SqaAddresses pages = SqaAddresses(SqaAddresses(sqa_pages()).addresses[address.y]);
  sqa_store(pages.addresses[address.x >> SQA_PAGE_LOG2].x, page.x);
}
