// SPDX-License-Identifier: Apache-2.0
// How every record that shaders and host share lies in memory. Read by GLSL (instrument/runtime/*.glsl) and
// by C++, and the only place that says so: preprocessor constants for both, structs with static_asserts for
// C++.
//
// All words are little endian. "dword" is 4 bytes.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_H

// --- Root block: one for a VkDevice. Its device address is a constant in the instrumented SPIR-V.
// ---------------------
#define SQA_ROOT_SIZE 4096
#define SQA_ROOT_MAGIC 0x41515351  // "QSQA"

// Segments of the printf buffer form a ring; shaders write to the one that Root.printf_active names, and the
// one whose message does not fit any more makes the next one active. A power of two.
#define SQA_PRINTF_SEGMENTS 4

// Printing sites share counters by (id & (SQA_PRINTF_SITE_SLOTS - 1)).
#define SQA_PRINTF_SITE_SLOTS 4096

// --- Printf entries, as in seed 000
// ---------------------------------------------------------------------------------- Header dwords: low  =
// entrySize (dwords, header included) | formatStringId << 16
//                high = formatStringId >> 16
#define SQA_PRINTF_ENTRY_HEADER_DWORDS 2
#define SQA_PRINTF_MAX_ENTRY_DWORDS 65535
// Nothing beyond 2 GiB is ever written, whatever the offset says.
#define SQA_PRINTF_CLAMP_DWORDS 0x20000000
// An entry with this id fills the rest of a segment in which a message did not fit any more. It carries no
// message.
#define SQA_PRINTF_PAD_ID 0

// --- Reports of failed checks (assume, expect, breakpoint, nan, hazard)
// A failure hashes to a slot. Slot word in ReBAR: 0 free; a shader claims it by compare-and-swap, the host
// frees it again after it read the record: two parties never write the same word at once, so no report is
// lost to an acknowledgement.
#define SQA_REPORT_SLOTS 4096  // a power of two
#define SQA_REPORT_DWORDS 16
// Failing invocations are counted by (hash of the site & (SQA_REPORT_SLOTS - 1)), claimed slot or not.

#define SQA_CHECK_ASSUME 1      // OpAssumeTrueKHR with false
#define SQA_CHECK_EXPECT 2      // OpExpectKHR with another value
#define SQA_CHECK_BREAKPOINT 3  // NonSemantic.DebugBreak passed
#define SQA_CHECK_NAN 4         // NaN or infinity
#define SQA_CHECK_HAZARD 5      // unsynchronised access

#define SQA_ACCESS_LOAD 0  // in the order of seed 001
#define SQA_ACCESS_STORE 1
#define SQA_ACCESS_ATOMIC 2
#define SQA_ACCESS_INDIRECT 3
// In a record of the exact engine, beside one of these: value is the cell that was found, and occupancy how
// the accesses miss each other.
#define SQA_ACCESS_EXACT 4
#define SQA_MISSING_ORDER 1   // nothing orders them
#define SQA_MISSING_MEMORY 2  // a barrier lies between them, without buffer memory in its semantics

// A record's dword 7 and the `kind` argument of the runtime: check | stage << 8 | access << 16 | occupancy
// << 24. stage: shaderqa::Stage. occupancy: of 64 probed buckets of the filter, how many were marked.
#define SQA_OCCUPANCY_PROBES 64

// --- Action record: what only one draw, dispatch or trace knows. One for an action that needs it, bound as
// a (dynamic) uniform buffer, binding 0, in the reserved descriptor set. Dword indices:
#define SQA_ACTION_SELF 0    // u64: its own device address
#define SQA_ACTION_NUMBER 2  // u32, unique on the device, never 0
#define SQA_ACTION_FLAGS 3   // SQA_ACTION_FLAG_*
// With the exact engine: as many of its command buffer's first sequence numbers are ordered before it,
// whatever they are of; of the main column, and << 16 of the fragment column. Only where all of
// SubmissionState.ordered_before is.
#define SQA_ACTION_ORDERED_BEFORE 3
#define SQA_ACTION_ENGINE 4      // u64: address of FamilyState or ExactState; 0: nothing is checked
#define SQA_ACTION_SUBMISSION 6  // u64: address of SubmissionState
#define SQA_ACTION_INDIRECT 8    // u64: address of the command's arguments, 0: a direct command
#define SQA_ACTION_INDIRECT_BYTES 10
#define SQA_ACTION_SALT 11  // barriers inside the render pass since the last clear
// With the exact engine: number of the action in its command buffer, from 0, that its sequence numbers begin
// with.
#define SQA_ACTION_SEQUENCE 11
#define SQA_ACTION_INDIRECT_COUNT 12  // u64: address of the draw count of *IndirectCount, 0: none
#define SQA_ACTION_INDIRECT_DONE 14   // written by the shader: serial of the submission that checked them
#define SQA_ACTION_FLOORS 16          // u64: address of the action's floors (exact engine)
#define SQA_ACTION_TABLES 18          // u64[SQA_MAX_SETS]: addresses of descriptor tables; 0: no set bound
#define SQA_MAX_SETS 16
#define SQA_NOT_DYNAMIC 0xffffffff
// Exact engine: u32 a set. Bit i: loads through slot i of the set's table need cells; those of slots behind
// SQA_WATCHED_SLOTS do. 0 where the slot holds nothing; all 1 where nothing is known of the set.
#define SQA_ACTION_WATCHED 50
#define SQA_WATCHED_SLOTS 32
#define SQA_ACTION_PAGES 66  // u64: of the page table (exact engine)
// Exact engine: SQA_DIRECT_SLOTS entries, where memory and cells of some descriptors lie, so that nothing has
// to be looked up for them: {u64 address, u32 bytes, u32 SQA_DIRECT_* flags, u64 address of its first word's
// cell, 0, 0}. The cells of its words follow each other. Address of the cell 0: this descriptor is looked up.
#define SQA_ACTION_DIRECT 68
#define SQA_DIRECT_SLOTS 8
#define SQA_DIRECT_DWORDS 8
// No other descriptor that the action has bound leads to this memory, and the action is a row of workgroups:
// GlobalInvocationId.x tells its invocations apart.
#define SQA_DIRECT_ALONE 1
#define SQA_ACTION_DYNAMIC 132  // u32 each: dynamic offsets, flat, as vkCmdBindDescriptorSets counts them
#define SQA_ACTION_MAX_DYNAMIC 48
#define SQA_ACTION_MAX_DWORDS 180  // whole uvec4s
// In the runtime's descriptor argument, above the number of the set: 1 + the number of the entry; 0: none.
#define SQA_DIRECT_SHIFT 8
// The longest row whose invocations are told apart: indices times strides stay below 2^32 where workgroup
// size times stride is at most SQA_MOST_OWN_BYTES.
#define SQA_LONGEST_ROW 0x100000
#define SQA_MOST_OWN_BYTES 4096

// An execution dependency without a memory dependency was passed since the last clear: a write after a read
// is not a hazard.
#define SQA_ACTION_FLAG_READS_ORDERED 1

// --- The exact engine (docs/exact.md). A cell a 4-byte word; bit positions in its low and high dword.
#define SQA_CELL_KIND 4       // 2 bits, SQA_KIND_*; the byte mask is in the 4 bits below
#define SQA_CELL_SPREAD 6     // 2 bits, SQA_SPREAD_*
#define SQA_CELL_BEFORE 8     // 2 bits
#define SQA_CELL_TAG 10       // 10 bits
#define SQA_CELL_PHASE 20     // 7 bits
#define SQA_CELL_OWNER 27     // 22 bits: 5 in the low dword, 17 in the high one
#define SQA_CELL_SEQUENCE 49  // 15 bits
#define SQA_STAGE_FRAGMENT 4  // shaderqa::Stage
#define SQA_STAGE_COMPUTE 5
#define SQA_STAGE_RAY_GENERATION 8
#define SQA_STAGE_UNKNOWN 14
#define SQA_CELL_OWNER_HIGH 0x1ffff  // of the owner, in the high dword
#define SQA_KIND_READ 0
#define SQA_KIND_WRITE 1
#define SQA_KIND_ATOMIC 2
#define SQA_KIND_ATOMIC_WORKGROUP 3
#define SQA_SPREAD_INVOCATION 0
#define SQA_SPREAD_WORKGROUP 1
#define SQA_SPREAD_SEVERAL 2
#define SQA_SPREAD_REPORTED 3
#define SQA_BEFORE_READ 1  // 0: nothing
#define SQA_BEFORE_ATOMIC 2
#define SQA_BEFORE_MIXED 3  // a write, or several of these
#define SQA_MAX_PHASE 127
#define SQA_OWNER_BITS 22
#define SQA_LOCAL_BITS 10  // of the owner: the local invocation index
#define SQA_TAGS 1024
#define SQA_TAG_COMMAND 0     // no shader's: what a command does by itself
#define SQA_EPOCH_BIT 0x4000  // of a sequence number
// Bits of an access beside SQA_ACCESS_* in the kind argument of exact sites: the tag << 20, and
#define SQA_ACCESS_WORKGROUP_SCOPE 0x80000  // an atomic of workgroup scope
#define SQA_ACCESS_WORDS 0x40000000         // address and size are multiples of 4
// A store to words that no other invocation of its action touches, where the descriptor is SQA_DIRECT_ALONE.
#define SQA_ACCESS_OWN 0x80000000

// The table of what follows where an access meets a cell of its own action (runtime/cell_case.glsl): a case's
// low bits are the cell's kind, spread and before.
#define SQA_CASE_OWN_KIND 6     // 2 bits
#define SQA_CASE_OVERLAP 0x100  // the masks have bytes in common
#define SQA_CASE_COVERED 0x200  // the cell has all bytes of the access
#define SQA_CASE_OTHER_MASK 0x400
#define SQA_CASE_GROUP 0x800   // the cell is of the same workgroup
#define SQA_CASE_OWNER 0x1000  // of the same invocation; or, of several, each has some of the bytes
#define SQA_CASE_OTHER_PHASE 0x2000
#define SQA_CASE_BEHIND 0x4000  // a barrier of the workgroup orders it before the access
#define SQA_CASE_LAST_PHASE 0x8000
#define SQA_CASES 0x10000
// An outcome's low bits are the new cell's kind, spread and before. The rest is that of the access, or, with
// SQA_OUTCOME_FOUND, of the cell, but for what the other bits say.
#define SQA_OUTCOME_FOUND 0x40
#define SQA_OUTCOME_BOTH_MASKS 0x80
#define SQA_OUTCOME_HAZARD 8           // 2 bits, SQA_MISSING_*
#define SQA_OUTCOME_NEW_PHASE 0x400    // 0,
#define SQA_OUTCOME_OWN_PHASE 0x800    // or the access'
#define SQA_OUTCOME_NEW_OWNER 0x1000   // nobody,
#define SQA_OUTCOME_OWN_GROUP 0x2000   // or the access' workgroup,
#define SQA_OUTCOME_SOME_BYTES 0x4000  // of whose invocations each has some of the bytes

// Dwords of SubmissionState and uvec2s of ExactState, as the structures below have them.
#define SQA_SUBMISSION_ORDERED_BEFORE 4
#define SQA_SUBMISSION_QUEUE_FLOORS 16
#define SQA_SUBMISSION_INHERITED 32
#define SQA_EXACT_PAGES 0
#define SQA_EXACT_SEQUENCES 1
#define SQA_EXACT_RECORD_BLOCKS 3
#define SQA_EXACT_COUNTER 4  // a dword
#define SQA_EXACT_MARKS 4
#define SQA_EXACT_FOOTPRINTS 5
#define SQA_EXACT_OUTCOMES 6

// --- Range accesses: memory that one command reads and writes by itself. Its record begins as an action
// record, up to SQA_ACTION_FLOORS; SQA_RANGES_GROUPS workgroups work on each range. It is found by the base
// of the dispatch: 16 bytes times y behind the address that ExactState.record_blocks_address has for z. A
// range is rows of bytes, and slices of rows.
#define SQA_RANGES_GROUPS 10
#define SQA_RANGES_FIRST 18
#define SQA_RANGE_ADDRESS 0  // u64
#define SQA_RANGE_BYTES 2    // of a row
#define SQA_RANGE_ROWS 3     // of a slice
#define SQA_RANGE_SLICES 4
#define SQA_RANGE_ACCESS 5       // SQA_ACCESS_LOAD or SQA_ACCESS_STORE
#define SQA_RANGE_PITCH 6        // u64: from row to row
#define SQA_RANGE_SLICE_PITCH 8  // u64
// Where indices name the rows, each row's number is an index plus a signed offset, and those behind the last
// row of the buffer are left out.
#define SQA_RANGE_INDICES 10      // u64: address of the first index; 0: rows follow each other
#define SQA_RANGE_INDEX_BYTES 12  // 1, 2 or 4; the highest index restarts a primitive
#define SQA_RANGE_ROW_OFFSET 13
#define SQA_RANGE_LAST_ROW 14
// Where a draw's arguments in memory say which rows of the range (or which indices) are read: SQA_RANGE_ROWS
// is how many there are at most, and of the one slice.
#define SQA_RANGE_ARGUMENTS 15  // u64: address of the draw's arguments; 0: all rows
// Numbers of dwords of the arguments, in bytes from the lowest one on: how many elements are drawn; what must
// not be 0, either; the first one; with indices, what is added to each.
#define SQA_RANGE_FIELDS 17
#define SQA_RANGE_DIVISOR 18  // elements that share a row; 0: all do
#define SQA_RANGE_DRAWS 19    // u64: address of the number of draws; 0: the draw is made
#define SQA_RANGE_DRAW 21     // its number: it is made where there are more draws
#define SQA_RANGE_DWORDS 22
#define SQA_RANGE_GROUP_SIZE 64
#define SQA_MAX_RANGE_WORDS \
  0x20000000  // of one range, words that are touched in part by two rows counted twice
#define SQA_RECORD_BLOCKS 4096
// In the place of a shader's hash, in reports of such accesses; the instruction is the SQA_ACCESS_*.
#define SQA_COMMAND_HASH_LOW 0x616d6d6f
#define SQA_COMMAND_HASH_HIGH 0x636e6473

// Bits of what releases and acquires have marked (runtime/releases.glsl).
#define SQA_MARK_BITS 0x800000

// --- Footprints (docs/redundant.md): which words each action accessed, and how. Slots are claimed by key:
// part of an address (of 4 KiB) | how << 45 | sequence number << 49. What a slot holds then: a bit a word.
#define SQA_FOOTPRINT_LOG2 12
#define SQA_FOOTPRINT_WORDS 32       // dwords of bits
#define SQA_FOOTPRINT_SLOTS 0x20000  // a power of two
#define SQA_FOOTPRINT_READ 0
#define SQA_FOOTPRINT_WRITE 1
#define SQA_FOOTPRINT_ATOMIC 2
#define SQA_FOOTPRINT_PART 3  // a write, maybe of some bytes of a word; of SQA_FOOTPRINT_NOWHERE: anything
// In the place of the part of an address: an access that cannot be followed.
#define SQA_FOOTPRINT_NOWHERE_LOW 0xffffffff
#define SQA_FOOTPRINT_NOWHERE_HIGH 0x1fff

// Pages of 64 KiB. PageTable.tables[address >> 32 & 0xffff] is the address of uint64_t pages[65536], by
// address >> 16 & 0xffff, or 0. A page: address of its cells (128 KiB aligned) | flags.
#define SQA_PAGE_LOG2 16
#define SQA_PAGE_BORN 0x7fff     // cells with a sequence number up to this, in the same epoch, hold nothing
#define SQA_PAGE_WRITTEN 0x8000  // something may write to it: reads of other pages need no cell

// Classes of producers and consumers.
#define SQA_CLASS_COMPUTE 0
#define SQA_CLASS_PRE_RASTERIZATION 1
#define SQA_CLASS_FRAGMENT 2
#define SQA_CLASS_RAY_TRACING 3
#define SQA_CLASS_INDIRECT 4
#define SQA_CLASS_VERTEX_INPUT 5
#define SQA_CLASS_TRANSFER 6
#define SQA_CLASS_BUILD 7
#define SQA_CLASS_HOST 8
#define SQA_CLASSES 9

// Floors of an action, for its consumers: columns in the order of SQA_COLUMN_*. A header {u32 regions, u32
// class of the main column, 0, 0}, then regions {u64 begin, u64 end, u32
// floors[SQA_FLOOR_COLUMNS][SQA_FLOOR_KINDS][SQA_CLASSES]} (by producer), the first for all memory. An
// address has the highest floor of the regions that it lies in.
#define SQA_COLUMN_MAIN 0  // compute, pre-rasterization, ray tracing
#define SQA_COLUMN_FRAGMENT 1
#define SQA_COLUMN_INDIRECT 2
#define SQA_COLUMN_VERTEX_INPUT 3
#define SQA_FLOOR_COLUMNS 4
// Sequence number of an access: SubmissionState.first_sequence + record's SQA_ACTION_SEQUENCE + its column. A
// direct dispatch or trace takes one sequence number, an indirect one three, a draw four.
#define SQA_FLOOR_HEADER_DWORDS 4
#define SQA_FLOOR_EXECUTED 0
#define SQA_FLOOR_AVAILABLE 1
#define SQA_FLOOR_VISIBLE 2
#define SQA_FLOOR_KINDS 3
#define SQA_REGION_DWORDS (4 + SQA_FLOOR_COLUMNS * SQA_FLOOR_KINDS * SQA_CLASSES)
#define SQA_MAX_REGIONS 17
// A floor: the sequence numbers of this command buffer, counted from 0, that lie below it; or, with this bit,
// the set of classes (bit mask) whose floors at the command buffer's begin it is the highest of, 0: nothing
// is ordered.
#define SQA_FLOOR_INHERITED 0x80000000
// With SQA_FLOOR_INHERITED, in floors of SQA_FLOOR_VISIBLE: bits from this one on are a second set of
// classes, whose SQA_FLOOR_AVAILABLE floors at the begin count, too (what was available, a barrier has made
// visible).
#define SQA_FLOOR_AVAILABLE_SHIFT 9
#define SQA_MAX_QUEUES 16
// Floors of a record whose main column is SQA_CLASS_HOST: what the host reads once it has waited. Instead of
// regions, behind the header and by queue: what it looked at before, what it knows to be done, and up to
// which sequence number writes are visible to it, by producer.
#define SQA_HOST_SEEN 0
#define SQA_HOST_DONE 1
#define SQA_HOST_VISIBLE 2  // [SQA_CLASSES]
#define SQA_HOST_DWORDS (2 + SQA_CLASSES)
// SequenceInfo: class | queue << 8.

// --- Descriptor table: the shadow of one VkDescriptorSet. Entry 0 is the header {number of slots, 0, 0, 0};
// slot i is entry i + 1: {address low, address high, range, meta}. Range: bytes, clamped to 4 GiB - 1.
#define SQA_TABLE_ENTRY_DWORDS 4
// meta: texel bytes in the low 8 bits (0: not a texel buffer), then flags.
#define SQA_TABLE_DYNAMIC 0x100    // add the dynamic offset of the bind
#define SQA_TABLE_READ_ONLY 0x200  // of a buffer that shaders cannot write, unless SubmissionState.aliased
// Address 0: null descriptor, never written, or nothing whose accesses are checked.

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>

namespace shaderqa::abi {

// Seed 000. Device-visible; the shader reserves by a 64-bit atomic add on buffer_offset.
struct PrintfBufferHeader {
  uint64_t
      buffer_offset;  // dwords, this header excluded; may exceed the capacity: what exceeds it was dropped
  uint32_t reserved0;
  uint32_t reserved1;
};
static_assert(sizeof(PrintfBufferHeader) == 16);

// Where one segment is. Normally entries_address == header_address + 16 (a buffer of seed 000); where atomics
// on the memory that holds the entries are slow or not shown to a running shader, the header lies in the root
// block instead.
struct PrintfSegment {
  uint64_t header_address;   // of a PrintfBufferHeader, 8-byte aligned
  uint64_t entries_address;  // 4-byte aligned
  uint32_t capacity;         // dwords of entries, <= SQA_PRINTF_CLAMP_DWORDS
  uint32_t reserved;
};
static_assert(sizeof(PrintfSegment) == 24);

// Zeroed by the host before the first submission.
struct Root {
  uint32_t magic;          // SQA_ROOT_MAGIC once the printf members are valid
  uint32_t printf_active;  // index into printf_segments; relaxed atomics, taken modulo SQA_PRINTF_SEGMENTS
  uint64_t printf_sites_address;  // of PrintfSiteCounters
  PrintfSegment printf_segments[SQA_PRINTF_SEGMENTS];
  PrintfBufferHeader
      printf_headers[SQA_PRINTF_SEGMENTS];  // used where the headers are not with their entries
  uint64_t report_control_address;          // of ReportControl; 0: no check reports
  uint64_t report_records_address;          // of Report[SQA_REPORT_SLOTS]
  uint8_t reserved[SQA_ROOT_SIZE - 32 - (24 + 16) * SQA_PRINTF_SEGMENTS];
};
static_assert(sizeof(Root) == SQA_ROOT_SIZE);
static_assert(offsetof(Root, printf_segments) == 16 && offsetof(Root, printf_headers) == 112);
static_assert(offsetof(Root, report_control_address) == 176);

// In ReBAR memory, zeroed at first.
struct ReportControl {
  uint32_t published;  // reports ever made valid; all that the host peeks at while nothing fails
  uint32_t unclaimed;  // failures that found no free slot
  uint32_t reserved[14];
  uint32_t slots[SQA_REPORT_SLOTS];     // 0 free; else the mark of the failure that claimed it,
                                        // until the host has read the record
  uint32_t failures[SQA_REPORT_SLOTS];  // failing invocations by hash of the site, wrapping
};

// Where the host reads fast. Seed 001's payload, and what it leaves out.
struct Report {
  uint32_t shader_hash[2];  // low, high
  uint32_t instruction;     // word offset of the instruction in the application's module
  uint32_t dispatch_id;     // of the last clear of the filter; 0 without sync
  uint32_t invocation[3];   // as InvocationKind of the stage says
  uint32_t kind;            // check | stage << 8 | access << 16 | occupancy << 24
  uint32_t address[2];      // of the first failing byte's 16-byte granule part; 0: the check has none
  uint32_t size;            // bytes of the whole access
  uint32_t action;          // 0: not known
  // Of a hazard: the filter's bits for these bytes, as seed 001 lays them out (see SQA_ACCESS_*): what
  // earlier accesses forbid. Of nan: the bits of the first bad component as a 32-bit float (16 and 64 bit
  // ones are converted), and its number from 1, or 0 for a scalar. Of expect: the first component that is not
  // as expected, zero-extended, low and high. Else 0.
  uint32_t value[2];
  uint32_t invocation_id;
  uint32_t ticket;  // written last, never 0: the record is valid
};
static_assert(sizeof(Report) == SQA_REPORT_DWORDS * 4);

// One a queue family: command buffers know no more when they are recorded.
struct FamilyState {
  uint64_t filter_address;      // of uint64_t[buckets]; 0: this family is not checked
  uint32_t bucket_mask;         // buckets - 1
  uint32_t dispatch_id;         // written by the clear
  uint32_t invocation_counter;  // of AllocateInvocationID
  uint32_t reserved[11];
};
static_assert(sizeof(FamilyState) == 64);

// One a command buffer, written by the host before each submission.
struct SubmissionState {
  uint32_t queue;   // number of the VkQueue on its device: mixed into the hash, so that queues that share a
                    // filter do not see each other's marks
  uint32_t serial;  // of the submission
  // The exact engine's.
  uint32_t first_sequence;  // of this command buffer; 0: nothing is checked
  // Not 0: a buffer that shaders can write has shared memory with one that they cannot.
  uint32_t aliased;
  // Absolute floors are sequence numbers with their epoch bit; those of another epoch are 0.
  uint32_t ordered_before[SQA_CLASSES];  // by consumer: everything up to here is ordered before this command
                                         // buffer
  uint32_t reserved[3];
  uint32_t queue_floors[SQA_MAX_QUEUES];  // of the other queues
  // When the command buffer begins: floors[kind][producer][consumer], absolute.
  uint32_t inherited[SQA_FLOOR_KINDS][SQA_CLASSES][SQA_CLASSES];
};
static_assert(offsetof(SubmissionState, ordered_before) == SQA_SUBMISSION_ORDERED_BEFORE * 4);
static_assert(offsetof(SubmissionState, queue_floors) == SQA_SUBMISSION_QUEUE_FLOORS * 4);
static_assert(offsetof(SubmissionState, inherited) == SQA_SUBMISSION_INHERITED * 4);

// One a device.
struct ExactState {
  uint64_t pages_address;      // of uint64_t tables[65536]; 0: nothing is checked
  uint64_t sequences_address;  // of uint32_t[32768]: SequenceInfo by sequence number
  uint32_t invocation_counter;
  uint32_t reserved0;
  uint64_t record_blocks_address;  // of uint64_t[SQA_RECORD_BLOCKS]: where the blocks of records lie
  uint64_t marks_address;          // of uint32_t[SQA_MARK_BITS / 32], zeroed when an epoch begins
  uint64_t footprints_address;     // of Footprints; where the shaders note them
  uint64_t outcomes_address;       // of uint16_t[SQA_CASES]
  uint32_t reserved[2];
};
static_assert(sizeof(ExactState) == 64);
static_assert(offsetof(ExactState, outcomes_address) == SQA_EXACT_OUTCOMES * 8);
static_assert(offsetof(ExactState, marks_address) == SQA_EXACT_MARKS * 8);
static_assert(offsetof(ExactState, record_blocks_address) == SQA_EXACT_RECORD_BLOCKS * 8);
static_assert(offsetof(ExactState, footprints_address) == SQA_EXACT_FOOTPRINTS * 8);
static_assert(offsetof(ExactState, sequences_address) == SQA_EXACT_SEQUENCES * 8);
static_assert(offsetof(ExactState, invocation_counter) == SQA_EXACT_COUNTER * 4);

// Written by shaders alone; the host reads it and zeroes it while none runs.
struct Footprints {
  uint32_t count;  // of slots in use
  uint32_t lost;   // not 0: there was no slot for some
  uint32_t reserved[2];
  uint64_t keys[SQA_FOOTPRINT_SLOTS];  // 0: free
  uint32_t used[SQA_FOOTPRINT_SLOTS];  // the slots in use, the first `count`
  uint32_t words[SQA_FOOTPRINT_SLOTS][SQA_FOOTPRINT_WORDS];
};

// 32-bit counters, wrapping, atomically incremented by the number of messages.
struct PrintfSiteCounters {
  uint32_t dropped[SQA_PRINTF_SITE_SLOTS];  // did not fit into the active segment
  uint32_t issued[SQA_PRINTF_SITE_SLOTS];   // counted only for sites with a budget; includes suppressed ones
};

}  // namespace shaderqa::abi
#endif
#endif
