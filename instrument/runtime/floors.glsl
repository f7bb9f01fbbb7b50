// SPDX-License-Identifier: Apache-2.0
// The exact engine's order between actions: floors (docs/internals/exact.md). Drivers inline this at each check, and the time that
// they take grows faster than its length and with the depth of its loops. Included by exact.glsl.

// The floor that orders what a cell says of another action before an access that is to store `own`. Both are low dwords.
uint sqa_floor_kind(const uint found, const uint own, const bool uniform_read) {
  uint kind = SQA_FLOOR_AVAILABLE;
  if (sqa_cell_kind(own) == SQA_KIND_READ) kind = uniform_read ? SQA_FLOOR_VISIBLE_UNIFORM : SQA_FLOOR_VISIBLE;
  if (sqa_only_reads_conflict(found, own)) kind = SQA_FLOOR_EXECUTED;
  return kind;
}

// The highest sequence number that is ordered before this action's accesses to the address. floor: of the column and kind, within a
// region, for the producer.
uint sqa_ordered_up_to(const uvec2 submission, const uint floor, const uvec2 address) {
  SqaDwords state = SqaDwords(submission);
  uvec2 floors = sqa_record_address(SQA_ACTION_FLOORS);
  uint64_t at = packUint2x32(address);
  uint regions = SqaDwords(floors).dwords[0];
  uint highest = 0u;
  uint base = SQA_FLOOR_HEADER_DWORDS;
  [[dont_unroll]] for (uint region = 0u; region < regions && region < SQA_MAX_REGIONS; ++region) {
    SqaAddresses range = SqaAddresses(floors);
    if (at >= packUint2x32(range.addresses[base >> 1u]) && at < packUint2x32(range.addresses[(base >> 1u) + 1u])) {
      uint number = SqaDwords(floors).dwords[base + 4u + floor];
      if ((number & SQA_FLOOR_INHERITED) != 0u)
        number = state.dwords[SQA_SUBMISSION_FLOORS + (number & ~SQA_FLOOR_INHERITED)];
      else
        number += state.dwords[SQA_SUBMISSION_FIRST_SEQUENCE] - 1u;
      highest = number > highest ? number : highest;
    }
    base += SQA_REGION_DWORDS;
  }
  return highest;
}

// Whether what the cell says of another action is not ordered before this access. Nothing is known about accesses of another epoch, nor
// about what the memory was before its cells were made. A later number on this queue says nothing (but see beside.glsl). One on another
// queue does, where nothing waits for what is submitted later (SQA_SUBMISSION_IN_ORDER): if that action waited for this one, it would not
// have run yet.
// own: low dword of what the access stores. column: with SQA_COLUMN_UNIFORM.
bool sqa_is_pending(const uvec2 found, const uint own, const uint sequence, const uint column, const uvec2 address) {
  uint earlier = sqa_cell_sequence(found.y);
  bool pending = earlier != 0u && ((earlier ^ sequence) & SQA_EPOCH_BIT) == 0u;
  if (pending) {
    uint born = sqa_page(address).x & SQA_PAGE_BORN;
    uint info = sqa_sequence_info(earlier);
    uvec2 submission = sqa_record_address(SQA_ACTION_SUBMISSION);
    uint kind = sqa_floor_kind(found.x, own, (column & SQA_COLUMN_UNIFORM) != 0u);
    // 0 for its own queue.
    uint ordered = SqaDwords(submission).dwords[SQA_SUBMISSION_QUEUE_FLOORS + (info >> 8u)];
    bool own_queue = (info >> 8u) == SqaDwords(submission).dwords[SQA_SUBMISSION_QUEUE];
    if (own_queue)
      ordered = sqa_ordered_up_to(submission, ((column & ~SQA_COLUMN_UNIFORM) * SQA_FLOOR_KINDS + kind) * SQA_CLASSES + (info & 0xffu), address);
    bool counts = earlier < sequence || (!own_queue && SqaDwords(submission).dwords[SQA_SUBMISSION_IN_ORDER] != 0u);
    pending = earlier > ordered && counts && (earlier > born || ((earlier ^ born) & SQA_EPOCH_BIT) != 0u);
  }
  return pending;
}

// The same for memory with cells that lies wholly in one region of the action's floors: `region` is where it begins, behind the first
// one. There are neither loops nor branches, which drivers take long to compile.
bool sqa_is_pending_in(const uvec2 found, const uint own, const uint sequence, const uint column, const uvec2 address, const uint region) {
  uint earlier = sqa_cell_sequence(found.y);
  uint info = sqa_sequence_info(earlier);
  uint kind = sqa_floor_kind(found.x, own, (column & SQA_COLUMN_UNIFORM) != 0u);
  uint floor = ((column & ~SQA_COLUMN_UNIFORM) * SQA_FLOOR_KINDS + kind) * SQA_CLASSES + (info & 0xffu);
  SqaDwords state = SqaDwords(sqa_record_address(SQA_ACTION_SUBMISSION));
  uint number = SqaDwords(sqa_record_address(SQA_ACTION_FLOORS)).dwords[SQA_FLOOR_HEADER_DWORDS + 4u + region + floor];
  bool inherited = (number & SQA_FLOOR_INHERITED) != 0u;
  uint absolute = state.dwords[SQA_SUBMISSION_FLOORS + (inherited ? number & ~SQA_FLOOR_INHERITED : 0u)];
  uint ordered = inherited ? absolute : number + state.dwords[SQA_SUBMISSION_FIRST_SEQUENCE] - 1u;
  uint of_queue = state.dwords[SQA_SUBMISSION_QUEUE_FLOORS + (info >> 8u)];
  bool own_queue = (info >> 8u) == state.dwords[SQA_SUBMISSION_QUEUE];
  ordered = own_queue ? ordered : of_queue;
  uint born = SqaAddresses(SqaAddresses(sqa_pages()).addresses[address.y]).addresses[address.x >> SQA_PAGE_LOG2].x & SQA_PAGE_BORN;
  bool counts = earlier < sequence || (!own_queue && state.dwords[SQA_SUBMISSION_IN_ORDER] != 0u);
  return earlier != 0u && ((earlier ^ sequence) & SQA_EPOCH_BIT) == 0u && earlier > ordered && counts &&
         (earlier > born || ((earlier ^ born) & SQA_EPOCH_BIT) != 0u);
}
