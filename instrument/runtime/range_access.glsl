// SPDX-License-Identifier: Apache-2.0
// A compute shader of the layer's own. It records what a command (a copy, a fill, ...) reads and writes, as instrumented shaders
// do with their accesses. It has no descriptors and no push constants, so that it disturbs nothing that the application has bound.
#include "instrument/runtime/engine_root.glsl"

layout(local_size_x = SQA_RANGE_GROUP_SIZE) in;
layout(constant_id = 2) const uint checked_kind = SQA_RANGES_WORDS;

// The row that the n-th index names, with the offset added; a number behind all rows if it names none.
uint sqa_named_row(const SqaDwords record, const uint at, const uint n, const uint offset) {
  uint bytes = record.dwords[at + SQA_RANGE_INDEX_BYTES];
  uint64_t address =
      packUint2x32(uvec2(record.dwords[at + SQA_RANGE_INDICES], record.dwords[at + SQA_RANGE_INDICES + 1])) + uint64_t(n) * bytes;
  uint index = SqaDwords(unpackUint2x32(address & ~3ul)).dwords[0];
  uint highest = 0xffffffffu >> (32u - bytes * 8u);
  index = (index >> ((uint(address) & 3u) * 8u)) & highest;
  // A negative sum wraps to a very large number.
  return index == highest ? 0xffffffffu : index + offset;
}

// What the arguments of a draw say about a range: the first row (or index), how many, and what is added to indices. The arguments
// may hold anything; the caller ignores rows outside the range. made: draws.
uvec3 sqa_drawn_rows(const SqaDwords record, const uint at, const uvec2 arguments, const uint made) {
  uint fields = record.dwords[at + SQA_RANGE_FIELDS];
  SqaDwords drawn = SqaDwords(arguments);
  uint count = drawn.dwords[fields & 0xffu];
  if (drawn.dwords[(fields >> 8u) & 0xffu] == 0u) count = 0u;
  if (made <= record.dwords[at + SQA_RANGE_DRAW]) count = 0u;
  uint divisor = record.dwords[at + SQA_RANGE_DIVISOR];
  if (count != 0u) count = divisor == 0u ? 1u : (count - 1u) / (divisor | uint(divisor == 0u)) + 1u;
  return uvec3(drawn.dwords[(fields >> 16u) & 0xffu], count, drawn.dwords[fields >> 24u]);
}

// Whether a read by the host conflicts with what the cell says, and is not ordered behind it. Accesses that the host has not waited
// for are not judged. mask: the bytes of the word that are read.
bool sqa_host_hazard(const SqaDwords floors, const uvec2 found, const uint page, const uint mask) {
  uint earlier = sqa_cell_sequence(found.y);
  uint born = page & SQA_PAGE_BORN;
  uint epoch = sqa_sequence & SQA_EPOCH_BIT;
  bool counts = earlier != 0u && (earlier & SQA_EPOCH_BIT) == epoch && ((born & SQA_EPOCH_BIT) != epoch || earlier > born) &&
                sqa_actions_conflict(found.x, sqa_cell_with_mask(sqa_cell_low(SQA_KIND_READ, 0u, 0u, 0u), mask));
  if (!counts) return false;
  uint info = sqa_sequence_info(earlier);
  uint producer = info & 0xffu;
  uint queue = info >> 8u;
  if (producer >= SQA_CLASSES || queue >= SQA_MAX_QUEUES) return false;
  uint at = SQA_FLOOR_HEADER_DWORDS + queue * SQA_HOST_DWORDS;
  return earlier > floors.dwords[at + SQA_HOST_SEEN] && earlier <= floors.dwords[at + SQA_HOST_DONE] &&
         earlier > floors.dwords[at + SQA_HOST_VISIBLE + producer];
}

// Compares a read of a word, or of a part of it, by the host with the word's cells, and stores nothing.
void sqa_check_host_read(const uvec2 root, const SqaDwords floors, const SqaSite site, const uint range, const uvec2 address, const uint size) {
  uvec2 page = sqa_page_with_parts(address);
  if ((page.x | page.y) == 0u) return;
  bool parts = (page.x & SQA_PAGE_PARTS) != 0u;
  uvec2 cells = uvec2(sqa_page_cells(page.x), page.y);
  uint cell = sqa_page_cell(page.x, address.x);
  uint mask = parts ? SQA_CELL_MASK_ONES : SQA_ONES(size) << (address.x & 3u);
  uvec2 found;
  bool hazard = false;
  [[dont_unroll]] for (uint n = 0u; n < (parts ? size : 1u) && !hazard; ++n) {
    found = unpackUint2x32(SqaCells(cells).cells[cell + n]);
    hazard = sqa_host_hazard(floors, found, page.x, mask);
  }
  if (!hazard) return;
  uvec2 control = SqaCheckRoot(root).control;
  if ((control.x | control.y) == 0u) return;
  uint kind = (site.kind & SQA_ACCESS_REPORTED) | (SQA_ACCESS_EXACT << 16u);
  // One report for each range, since they lie in different buffers.
  uint slot = sqa_claim(control, SqaSite(site.hash, site.instruction, kind ^ ((range + 1u) << 20u)), false);
  if (slot < SQA_REPORT_SLOTS)
    sqa_publish(root, slot, SqaSite(site.hash, site.instruction, kind), SQA_MISSING_ORDER, address, size, found);
}

SqaSite sqa_site_of_command(const uint access) {
  return SqaSite(uvec2(SQA_COMMAND_HASH_LOW, SQA_COMMAND_HASH_HIGH), access,
                 SQA_CHECK_HAZARD | (SQA_STAGE_UNKNOWN << 8u) | (access << 16u) | (SQA_TAG_COMMAND << SQA_ACCESS_TAG_SHIFT));
}

// The read of a texel, or of a part of its word, by a command that stores to it next. Reports it where the store is ordered behind what
// the cell says and the read alone is not: what was written is available, but not visible. Stores nothing: the command's store does.
void sqa_check_load(const uvec2 root, const uvec2 address, const uint size) {
  uvec2 page = sqa_page(address);
  if ((page.x & SQA_PAGE_WRITTEN) == 0u) return;
  uvec2 found = sqa_other_action(unpackUint2x32(SqaCells(uvec2(sqa_page_cells(page.x), page.y)).cells[sqa_page_word(address.x)]), sqa_sequence);
  uint mask = SQA_ONES(size) << (address.x & 3u);
  uint earlier = sqa_cell_sequence(found.y);
  bool hazard = earlier > sqa_ordered_before && earlier != sqa_sequence &&
                sqa_actions_conflict(found.x, sqa_cell_with_mask(sqa_cell_low(SQA_KIND_READ, 0u, 0u, 0u), mask));
  [[dont_unroll]] for (uint n = 0u; n < 2u && hazard; ++n) {
    uint kind = n == 0u ? SQA_KIND_READ : SQA_KIND_WRITE;
    uint own = sqa_cell_with_mask(sqa_cell_low(kind, 0u, 0u, 0u), mask);
    hazard = sqa_is_pending(found, own, sqa_sequence, sqa_column, address) == (n == 0u);
  }
  if (hazard) sqa_report_hazard(root, sqa_site_of_command(SQA_ACCESS_LOAD), SQA_MISSING_ORDER, address, size, found);
}

void sqa_record_range(const uvec2 root, const SqaDwords record, const uint range, const uint part, const uint parts) {
  uint at = SQA_RANGES_FIRST + range * SQA_RANGE_DWORDS;
  uint64_t address = packUint2x32(uvec2(record.dwords[at + SQA_RANGE_ADDRESS], record.dwords[at + SQA_RANGE_ADDRESS + 1]));
  uint64_t pitch = packUint2x32(uvec2(record.dwords[at + SQA_RANGE_PITCH], record.dwords[at + SQA_RANGE_PITCH + 1]));
  uint64_t slice_pitch =
      packUint2x32(uvec2(record.dwords[at + SQA_RANGE_SLICE_PITCH], record.dwords[at + SQA_RANGE_SLICE_PITCH + 1]));
  uint bytes = record.dwords[at + SQA_RANGE_BYTES];
  uint rows = record.dwords[at + SQA_RANGE_ROWS];
  uint flags = checked_kind == SQA_RANGES_TEXELS ? record.dwords[at + SQA_RANGE_ACCESS] & SQA_RANGE_FLAGS : 0u;
  uint access = record.dwords[at + SQA_RANGE_ACCESS] & ~SQA_RANGE_FLAGS;
  bool named = (record.dwords[at + SQA_RANGE_INDICES] | record.dwords[at + SQA_RANGE_INDICES + 1]) != 0u;
  uint offset = record.dwords[at + SQA_RANGE_ROW_OFFSET];
  uint from = 0u;  // the first row, or index
  uvec2 arguments = uvec2(record.dwords[at + SQA_RANGE_ARGUMENTS], record.dwords[at + SQA_RANGE_ARGUMENTS + 1]);
  uvec2 draws = uvec2(record.dwords[at + SQA_RANGE_DRAWS], record.dwords[at + SQA_RANGE_DRAWS + 1]);
  // Read in front of the branches that need it, from memory that is there: the lavapipe of Mesa 26.2 moves such loads out of branches
  // that are not taken.
  bool counted = (draws.x | draws.y) != 0u;
  uint made = SqaDwords(counted ? draws : sqa_record).dwords[0];
  if (!counted) made = 0xffffffffu;
  if ((arguments.x | arguments.y) != 0u) {
    uvec3 drawn = sqa_drawn_rows(record, at, arguments, made);
    from = drawn.x;
    offset = drawn.z;
    uint left = from < rows ? rows - from : 0u;
    rows = drawn.y < left ? drawn.y : left;
    // Rows that touch or overlap count as one. The pitch is a stride, so its high dword is 0.
    uint stride = uint(pitch);
    if (!named && stride <= bytes && rows != 0u) {
      uint most = SQA_MAX_RANGE_WORDS / (stride | uint(stride == 0u));
      uint more = rows - 1u < most ? rows - 1u : most;
      address += uint64_t(from) * pitch;
      bytes += more * stride;
      rows = 1u;
      from = 0u;
    }
  } else {
    rows = made < rows ? made : rows;
  }
  // The most words that a row can touch, wherever it begins.
  uint first = uint(address) & 3u;
  if (((uint(pitch) | uint(slice_pitch)) & 3u) != 0u) first = 3u;
  uint words = (first + bytes + 3u) / 4u;
  if (rows > SQA_MAX_RANGE_WORDS / words) rows = SQA_MAX_RANGE_WORDS / words;  // only arguments can ask for as many
  uint total = words * rows * record.dwords[at + SQA_RANGE_SLICES];
  SqaSite site = sqa_site_of_command(access);
  // The command's only class is that of arguments: its sequence number is theirs.
  if (access == SQA_ACCESS_INDIRECT) {
    sqa_column = SQA_COLUMN_INDIRECT;
    sqa_ordered_before = 0u;
  }
  SqaDwords floors = SqaDwords(sqa_record_address(SQA_ACTION_FLOORS));
  uint last_row = record.dwords[at + SQA_RANGE_LAST_ROW];
  uint step = parts * SQA_RANGE_GROUP_SIZE;
  [[dont_unroll]] for (uint i = part * SQA_RANGE_GROUP_SIZE + gl_LocalInvocationIndex; i < total; i += step) {
    uint line = i / words;
    uint number = from + line % rows;
    if (named) {
      number = sqa_named_row(record, at, number, offset);
      if (number > last_row) continue;
    }
    uint64_t row = address + uint64_t(line / rows) * slice_pitch + uint64_t(number) * pitch;
    uint64_t word = (row & ~3ul) + uint64_t(i % words) * 4ul;
    uint64_t begin = word > row ? word : row;
    uint64_t end = word + 4ul < row + uint64_t(bytes) ? word + 4ul : row + uint64_t(bytes);
    if (begin >= end) continue;
    if ((flags & SQA_RANGE_LOADS) != 0u) sqa_check_load(root, unpackUint2x32(begin), uint(end - begin));
    if (checked_kind == SQA_RANGES_HOST)
      sqa_check_host_read(root, floors, site, range, unpackUint2x32(begin), uint(end - begin));
    else if ((flags & SQA_RANGE_LAST) != 0u)
      sqa_access_last(root, site, unpackUint2x32(begin));
    else
      sqa_access(root, site, unpackUint2x32(begin), uint(end - begin));
  }
}

void main() {
  uvec2 root = sqa_root();
  uvec2 block = SqaAddresses(SqaAddresses(sqa_engine_state()).addresses[SQA_EXACT_RECORD_BLOCKS]).addresses[gl_WorkGroupID.z];
  uint carry;
  sqa_record.x = uaddCarry(block.x, gl_WorkGroupID.y * 16u, carry);
  sqa_record.y = block.y + carry;
  uint parts = sqa_record_dword(SQA_RANGES_GROUPS);
  // The command is one owner: its own accesses are in order, or need none.
  sqa_set_where(uvec3(0u));
  sqa_begin_sync(SQA_STAGE_UNKNOWN, uvec3(0u), true, false, true);
  sqa_grouped = 0u;
  if (sqa_watching() && parts != 0u)
    sqa_record_range(root, SqaDwords(sqa_record), gl_WorkGroupID.x / parts, gl_WorkGroupID.x % parts, parts);
}
