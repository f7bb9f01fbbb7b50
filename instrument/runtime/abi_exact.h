// SPDX-License-Identifier: Apache-2.0
// The exact engine (docs/internals/exact.md): its part of the action record and of the submission's state,
// its own state, and its table of pages. Cells are in cell_fields.h, the order between actions in
// abi_order.h. Read by GLSL and by C++. All words are little endian.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_EXACT_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_EXACT_H

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_order.h"
#include "instrument/runtime/abi_reads.h"

// --- Its dwords of the action record.
#define SQA_ACTION_FLOORS (SQA_ACTION_EXACT_PART + 0)  // u64: address of the action's floors
// In the lowest bits the number of the action in its command buffer, from 0: its sequence numbers begin with
// it. Above them, for draws, how many numbers the draw has from there on, and the highest number of those
// draws of its render pass that no barrier orders behind it: the numbers between are unordered with it. That
// is 0 where nothing is known, and becomes known behind the draw.
#define SQA_ACTION_SEQUENCE (SQA_ACTION_EXACT_PART + 2)
#define SQA_SEQUENCE_BITS 14
#define SQA_SEQUENCE_OWN_SHIFT 14
#define SQA_SEQUENCE_LAST_SHIFT 18
#define sqa_sequence_number(dword) ((dword) & ((1u << SQA_SEQUENCE_BITS) - 1u))
#define sqa_sequence_own(dword) (((dword) >> SQA_SEQUENCE_OWN_SHIFT) & 15u)
#define sqa_sequence_last(dword) ((dword) >> SQA_SEQUENCE_LAST_SHIFT)
#define sqa_sequence_dword(number, own, last) \
  ((number) | (own) << SQA_SEQUENCE_OWN_SHIFT | (last) << SQA_SEQUENCE_LAST_SHIFT)
// How many of the first sequence numbers of its command buffer are ordered before it, whatever they
// accessed: in the low half for the main column, in the high half for the fragment column. Counts only where
// the whole of ExactSubmission.ordered_before does.
#define SQA_ACTION_ORDERED_BEFORE (SQA_ACTION_EXACT_PART + 3)
// A record of range accesses (abi_ranges.h) is the same up to here.
#define SQA_ACTION_EXACT_SHARED_END (SQA_ACTION_EXACT_PART + 4)
#define SQA_ACTION_PAGES (SQA_ACTION_EXACT_PART + 4)     // u64: address of the page table
#define SQA_ACTION_OUTCOMES (SQA_ACTION_EXACT_PART + 6)  // u64: ExactState.outcomes_address
// u32 for each set. Bit i: loads through slot i of the set's table need cells. Loads through slots from
// SQA_WATCHED_SLOTS on always do. Bits of empty slots are 0; all bits are 1 where nothing is known of the
// set.
#define SQA_ACTION_WATCHED (SQA_ACTION_EXACT_PART + 8)
#define SQA_WATCHED_SLOTS 32
// SQA_DIRECT_SLOTS entries that say where the memory and the cells of some descriptors lie: {u64 address, u32
// bytes, u32 of who reaches the memory (SQA_REACH_*), u64 of its first word's cell, which those of its words
// follow, u32 dwords from the first region of floors to the one that holds for all of it, u32 0}. If the
// cell's address is 0, words are looked up by page. That of a storage image has the address of
// its view's record (abi_image.h), and who reaches it.
#define SQA_ACTION_DIRECT SQA_ACTION_DIRECT_PART
#define SQA_DIRECT_SLOTS 8
#define SQA_DIRECT_DWORDS 8
// Who reaches a direct descriptor's memory, which decides whether elements are an invocation's own
// (SQA_ACCESS_OWN): through which descriptors, and how many workgroups. Bit i of the lowest 8: entry i at
// SQA_ACTION_DIRECT leads to the same memory, and begins at the same address; its own bit is always set. From
// SQA_REACH_X on, bits for numbers of workgroups (abi_reach.h) along x, y and z: there are more. All of these
// are set where that is not known, or where other memory of another descriptor overlaps.
//   An access to own elements has, in place of the descriptor's array length, those of these bits that must
// not be set for them to be its own. It is never 0. For loads:
// - SQA_REACH_STORED_LATER: they are if entry (3 bits from SQA_REACH_STORED on) leads to the same memory. The
//   invocation stores to the same words through that one later, so the cell will say enough.
// - SQA_REACH_ONLY_READ beside it: also if no other entry leads there, since the shader does not store to
//   words of this one.
#define SQA_DIRECT_REACH 3  // dword of the entry
#define SQA_REACH_SLOTS 0xff
#define SQA_REACH_X 8
#define SQA_REACH_Y 17
#define SQA_REACH_Z 23
#define SQA_REACH_STORED 27
#define SQA_REACH_STORED_LATER 0x40000000
#define SQA_REACH_ONLY_READ 0x80000000
#define SQA_REACH_UNKNOWN 0x7ffff00
// In an entry without memory, of a descriptor buffer: nothing is known of the descriptor's bytes.
#define SQA_DIRECT_UNKNOWN 0x8000000
// The access to a texel of the invocation's own, at x and y.
#define SQA_REACH_TEXEL (1 << (SQA_REACH_Y - 1) | 1 << (SQA_REACH_Z - 1) | 1 << SQA_REACH_Z)

// What such an access does with its cells: it compares itself with them as all others do, replaces them
// without comparing itself, or leaves them as they are.
#define SQA_ALONE_NOT 0
#define SQA_ALONE_REPLACES 1
#define SQA_ALONE_LEAVES 2

// Slots of the queue in which an invocation notes accesses before they are checked (queue.glsl), in three
// sizes, and what accesses are through: a descriptor of a buffer, an address, a descriptor of an image, an
// input of a subpass, a sampler.
#define SQA_QUEUE_FEW 64
#define SQA_QUEUE_SOME 128
#define SQA_QUEUE_MANY 256
#define SQA_NOTED_SET 0
#define SQA_NOTED_ADDRESS 1
#define SQA_NOTED_IMAGE 2
#define SQA_NOTED_INPUT 3
#define SQA_NOTED_SAMPLE 4
#define SQA_NOTED_LOGGED 8           // beside one of these: the read is logged, not checked (abi_reads.h)
#define SQA_NOTED_VARIES 0xffffffff  // the index in an array of descriptors is noted

// --- The kind argument of the exact engine's sites: SQA_ACCESS_* << 16, the tag from this bit on, and flags.
#define SQA_ACCESS_TAG_SHIFT 20
#define SQA_ACCESS_ONLY_READS 0x40000       // an atomic that changes nothing: an atomic load
#define SQA_ACCESS_WORKGROUP_SCOPE 0x80000  // an atomic of workgroup scope
#define SQA_ACCESS_UNIFORM 0x80000          // a load: of a uniform buffer, or of a subpass's input
#define SQA_ACCESS_WORDS 0x40000000         // address and size are multiples of 4
// To words that no other invocation of its action touches, where the memory is reached as SQA_REACH_* allow.
#define SQA_ACCESS_OWN 0x80000000

// What of the kind argument goes into a report: check, stage, SQA_ACCESS_* and SQA_ACCESS_NARROW.
#define SQA_ACCESS_REPORTED 0xbffffu

// --- Pages of 64 KiB. PageTable.tables[address >> 32 & 0xffff] is the address of uint64_t pages[65536], by
// address >> 16 & 0xffff, or 0. A page: address of its cells (128 KiB aligned) | flags.
#define SQA_PAGE_LOG2 16
#define SQA_PAGE_WORDS 0x4000u
#define SQA_PAGE_CELL_BYTES 0x20000u  // of the cells of a page
#define SQA_PAGE_BORN 0x7fff     // cells with a sequence number up to this, in the same epoch, hold nothing
#define SQA_PAGE_WRITTEN 0x8000  // something may write to it: reads of other pages need no cell
#define SQA_PAGE_PARTS 0x10000   // each of its bytes has a cell, where PartsTable says
// PartsTable.tables[address >> 32 & 0xffff] is the address of uint64_t pages[65536], or 0; a page: address of
// the cells of its bytes (128 KiB aligned), or 0. What is there once stays. Only pages with SQA_PAGE_WRITTEN
// have such cells.
#define SQA_PAGE_PART_BYTES (SQA_PAGE_CELL_BYTES * 4)  // of the cells of a page's bytes

// Low dword of the address of a page's cells, and the number of the word in its page.
#define sqa_page_cells(page_low) ((page_low) & ~(SQA_PAGE_CELL_BYTES - 1u))
#define sqa_page_word(address_low) (((address_low) >> 2u) & (SQA_PAGE_WORDS - 1u))

// --- Dwords of SubmissionState, as ExactSubmission has them.
#define SQA_SUBMISSION_FIRST_SEQUENCE (SQA_SUBMISSION_EXACT_PART + 0)
#define SQA_SUBMISSION_ORDERED_BEFORE (SQA_SUBMISSION_EXACT_PART + 1)
#define SQA_SUBMISSION_IN_ORDER (SQA_SUBMISSION_EXACT_PART + 15)
#define SQA_SUBMISSION_QUEUE_FLOORS (SQA_SUBMISSION_EXACT_PART + 16)
#define SQA_SUBMISSION_FLOORS (SQA_SUBMISSION_EXACT_PART + 32)

// Words of one access that are checked: a uniform buffer may have so many.
#define SQA_EXACT_MOST_WORDS 0x4000u

// --- uvec2s of ExactState.
#define SQA_EXACT_PAGES 0
#define SQA_EXACT_SEQUENCES 1
#define SQA_EXACT_RECORD_BLOCKS 3
#define SQA_EXACT_COUNTER 4  // a dword
#define SQA_EXACT_MARKS 4
#define SQA_EXACT_FOOTPRINTS 5
#define SQA_EXACT_OUTCOMES 6
#define SQA_EXACT_PARTS 7
#define SQA_EXACT_IMAGE_VIEWS 8
#define SQA_EXACT_DESCRIPTORS 9
#define SQA_EXACT_RACE_MAP 10
#define SQA_EXACT_WRITTEN 11
#define SQA_EXACT_READ_LOGS 12  // two for each queue: address; entries, finished

#define SQA_RECORD_BLOCKS 4096
// Bits of what releases and acquires have marked (runtime/releases.glsl).
#define SQA_MARK_BITS 0x800000
// What it is told of an atomic.
#define SQA_ATOMIC_USED 1u      // something may depend on its result
#define SQA_ATOMIC_DEVICE 2u    // its scope is wider than the workgroup
#define SQA_ATOMIC_ACQUIRES 4u  // by its own semantics

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>

namespace shaderqa::abi {

// The engine's part of SubmissionState. Absolute floors are sequence numbers with their epoch bit; those of
// another epoch are 0.
struct ExactSubmission {
  uint32_t first_sequence;  // of this command buffer; 0: nothing is checked
  // By consumer: everything up to here is ordered before this command buffer.
  uint32_t ordered_before[SQA_CLASSES];
  // 0: something may wait for what is submitted later. Then later numbers of other queues say nothing.
  uint32_t in_order;
  uint32_t queue_floors[SQA_MAX_QUEUES];  // of the other queues
  // When the command buffer begins: those that its blocks of floors name, by number. Absolute.
  uint32_t floors[SQA_INHERITED_FLOORS];
};
static_assert(offsetof(ExactSubmission, ordered_before) ==
              (SQA_SUBMISSION_ORDERED_BEFORE - SQA_SUBMISSION_EXACT_PART) * 4);
static_assert(offsetof(ExactSubmission, in_order) ==
              (SQA_SUBMISSION_IN_ORDER - SQA_SUBMISSION_EXACT_PART) * 4);
static_assert(offsetof(ExactSubmission, queue_floors) ==
              (SQA_SUBMISSION_QUEUE_FLOORS - SQA_SUBMISSION_EXACT_PART) * 4);
static_assert(offsetof(ExactSubmission, floors) == (SQA_SUBMISSION_FLOORS - SQA_SUBMISSION_EXACT_PART) * 4);

// One for each device.
struct ExactState {
  uint64_t pages_address;      // of uint64_t tables[65536]; 0: nothing is checked
  uint64_t sequences_address;  // of uint32_t[32768]: SequenceInfo by sequence number
  uint32_t invocation_counter;
  uint32_t reserved0;
  uint64_t record_blocks_address;  // of uint64_t[SQA_RECORD_BLOCKS]: where the blocks of records lie
  uint64_t marks_address;          // of uint32_t[SQA_MARK_BITS / 32], zeroed when an epoch begins
  uint64_t footprints_address;     // of Footprints (abi_footprints.h), where shaders note what they access
  uint64_t outcomes_address;       // of uint16_t[SQA_CASES]
  uint64_t parts_address;          // of PartsTable; 0: there is none yet
  uint64_t image_views_address;    // of the blocks of views (abi_image.h); 0: no image is checked
  uint64_t descriptors_address;  // of the tables of descriptors' bytes (abi_descriptors.h); 0: there are none
  uint64_t race_map_address;     // of its blocks (abi_image.h); 0: there are no pictures of hazards
  uint64_t written_address;      // of the list of what is written (abi_resolve.h); 0: there is none
  ReadLog read_logs[SQA_READ_QUEUES];
};
static_assert(sizeof(ExactState) == 96 + SQA_READ_QUEUES * 16);
static_assert(offsetof(ExactState, read_logs) == SQA_EXACT_READ_LOGS * 8);
static_assert(offsetof(ExactState, written_address) == SQA_EXACT_WRITTEN * 8);
static_assert(offsetof(ExactState, race_map_address) == SQA_EXACT_RACE_MAP * 8);
static_assert(offsetof(ExactState, descriptors_address) == SQA_EXACT_DESCRIPTORS * 8);
static_assert(offsetof(ExactState, outcomes_address) == SQA_EXACT_OUTCOMES * 8);
static_assert(offsetof(ExactState, parts_address) == SQA_EXACT_PARTS * 8);
static_assert(offsetof(ExactState, image_views_address) == SQA_EXACT_IMAGE_VIEWS * 8);
static_assert(offsetof(ExactState, marks_address) == SQA_EXACT_MARKS * 8);
static_assert(offsetof(ExactState, record_blocks_address) == SQA_EXACT_RECORD_BLOCKS * 8);
static_assert(offsetof(ExactState, footprints_address) == SQA_EXACT_FOOTPRINTS * 8);
static_assert(offsetof(ExactState, sequences_address) == SQA_EXACT_SEQUENCES * 8);
static_assert(offsetof(ExactState, invocation_counter) == SQA_EXACT_COUNTER * 4);

// The parts of the action record end where the next ones begin.
static_assert(SQA_ACTION_WATCHED == SQA_ACTION_OUTCOMES + 2);
static_assert(SQA_ACTION_TABLES == SQA_ACTION_WATCHED + SQA_MAX_SETS);
static_assert(SQA_ACTION_DYNAMIC == SQA_ACTION_TABLES + 2 * SQA_MAX_SETS);
static_assert(SQA_ACTION_DIRECT == SQA_ACTION_DYNAMIC + SQA_ACTION_MAX_DYNAMIC && SQA_ACTION_DIRECT % 4 == 0);
static_assert(SQA_ACTION_MAX_DWORDS == SQA_ACTION_DIRECT + SQA_DIRECT_SLOTS * SQA_DIRECT_DWORDS &&
              SQA_ACTION_MAX_DWORDS % 4 == 0);

}  // namespace shaderqa::abi
#endif
#endif
