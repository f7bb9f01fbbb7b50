// SPDX-License-Identifier: Apache-2.0
// A compute shader of the layer's own (docs/internals/descriptor-buffers.md#resolved-descriptors). In front of actions it finds what the
// descriptors mean that they have in descriptor buffers, marks what the actions write, and says both in their records. A workgroup has
// one descriptor at a time. Like range_access.glsl, it has neither descriptors nor push constants.
#include "instrument/runtime/abi_resolve.h"
#include "instrument/runtime/engine_root.glsl"

layout(local_size_x = SQA_RESOLVE_GROUP_SIZE) in;

// By their places in the list: the entries of tables, with 1 in place of the last dword if it is known.
shared uvec4 sqa_resolved[SQA_MOST_RESOLVED];
shared uint sqa_seen;
// What is seen of the pages that a descriptor leads to:
const uint seen_written = 1u;    // something writes to one of them
const uint seen_new = 2u;        // which nothing did before
const uint seen_scattered = 4u;  // some have no cells, or cells elsewhere
const uint seen_cells = 8u;      // some have cells
const uint pages_at_once = 8u;  // of an invocation: their entries are loaded together

// Memory that can be read, whether there is an address or not. lavapipe of Mesa 26.2 loads from an address that is the same for
// all invocations before it looks at the condition around the load, or at the break in front of it, and then crashes. So what
// may be null is chosen before the loop, or at the end of its body.
uvec2 sqa_or_own(const bool there, const uvec2 address) { return there ? address : sqa_record; }

uvec4 sqa_listed(const uvec2 list, const uint place) { return SqaQuads(list).quads[place + 1u]; }

// What a descriptor of the action means whose record is at `record`. Nothing is read of sets that may be shorter than the layout says.
uvec4 sqa_resolve(const SqaDwords record, const uvec4 listed) {
  uint set = (listed.y >> SQA_RESOLVED_SET_SHIFT) & (SQA_MAX_SETS - 1u);
  uvec2 begin = uvec2(record.dwords[SQA_ACTION_TABLES + set * 2u], record.dwords[SQA_ACTION_TABLES + set * 2u + 1u]);
  uvec2 engine = sqa_engine_state();
  uvec2 directory = SqaAddresses(engine).addresses[SQA_EXACT_DESCRIPTORS];
  uvec4 entry = uvec4(0u);
  bool there = (begin.x | begin.y) != 0u && (directory.x | directory.y) != 0u &&
               ((record.dwords[SQA_ACTION_RESOLVE + 2] & SQA_RESOLVE_SETS) >> set & 1u) != 0u;
  uvec2 bytes = sqa_or_own(there, unpackUint2x32(packUint2x32(begin) + uint64_t(listed.x)));
  uvec4 kind = SqaQuads(sqa_or_own(there, directory)).quads[listed.y & (SQA_DESCRIPTOR_TABLES - 1u)];
  there = there && (kind.x | kind.y) != 0u;
  if (!there) kind = uvec4(sqa_record.x & ~uint(SQA_DESCRIPTOR_LOG2), sqa_record.y, 1u, 1u);
  bool known = sqa_find_bytes(kind, bytes, entry) && there;
  if (!known) entry = uvec4(0u);
  entry.w = uint(known);
  return entry;
}

// All descriptors of a list, into sqa_resolved. Called by the whole workgroup.
void sqa_resolve_all(const SqaDwords record, const uvec2 list, const uint count) {
  barrier();  // nobody needs those of before
  if (gl_LocalInvocationIndex < count) sqa_resolved[gl_LocalInvocationIndex] = sqa_resolve(record, sqa_listed(list, gl_LocalInvocationIndex));
  barrier();
}

// Where its words begin and end. Both are the same where it leads to no memory.
uint64_t sqa_begin_of(const uvec4 entry) { return packUint2x32(entry.xy) & ~3ul; }
uint64_t sqa_end_of(const uvec4 entry) {
  if ((entry.x | entry.y) == 0u || entry.z == 0u) return sqa_begin_of(entry);
  return (packUint2x32(entry.xy) + uint64_t(entry.z) + 3ul) & ~3ul;
}
bool sqa_meet(const uvec4 one, const uvec4 other) { return sqa_begin_of(one) < sqa_end_of(other) && sqa_begin_of(other) < sqa_end_of(one); }

// Tells the host, whose list it is, that a buffer is written.
void sqa_tell_written(const uvec2 address) {
  uvec2 list = SqaAddresses(sqa_engine_state()).addresses[SQA_EXACT_WRITTEN];
  if ((list.x | list.y) == 0u) return;
  uint number = sqa_add(SqaDwords(list).dwords[0], 1u) & (SQA_WRITTEN_PLACES - 1u);
  SqaCells(list).cells[SQA_WRITTEN_FIRST / 2 + number] = packUint2x32(address);
}

// That an action is not checked as it should be.
void sqa_tell_apart() {
  uvec2 list = SqaAddresses(sqa_engine_state()).addresses[SQA_EXACT_WRITTEN];
  if ((list.x | list.y) != 0u) sqa_store(SqaDwords(list).dwords[SQA_WRITTEN_APART], 1u);
}

// Looks at `count` pages, whose entries begin at the address `entries`. Returns seen_* bits. cells: address of the first page's cells.
uint sqa_see_entries(const uvec2 entries, const uint count, const uint64_t cells, const bool writes) {
  uint seen = 0u;
  [[dont_unroll]] for (uint n = gl_LocalInvocationIndex; n < count; n += pages_at_once * SQA_RESOLVE_GROUP_SIZE) {
    // The last one takes the place of those behind it.
    uvec2 pages[pages_at_once];
    [[unroll]] for (uint k = 0u; k < pages_at_once; ++k)
      pages[k] = SqaAddresses(entries).addresses[min(n + k * SQA_RESOLVE_GROUP_SIZE, count - 1u)];
    [[unroll]] for (uint k = 0u; k < pages_at_once; ++k) {
      uint number = min(n + k * SQA_RESOLVE_GROUP_SIZE, count - 1u);
      uvec2 page = pages[k];
      bool there = (page.x | page.y) != 0u;
      bool follows = packUint2x32(uvec2(sqa_page_cells(page.x), page.y)) == cells + uint64_t(number) * uint64_t(SQA_PAGE_CELL_BYTES);
      if (there) seen |= seen_cells;
      if (!there || (page.x & SQA_PAGE_PARTS) != 0u || !follows) seen |= seen_scattered;
      if ((page.x & SQA_PAGE_WRITTEN) != 0u) {
        seen |= seen_written;
      } else if (writes && there) {
        seen |= seen_written | seen_new;
        // The host may be writing the entry.
        atomicOr(SqaAddresses(entries).addresses[number].x, uint(SQA_PAGE_WRITTEN), gl_ScopeDevice, 0, gl_SemanticsRelaxed);
      }
    }
  }
  return seen;
}

// Called by the whole workgroup: what is seen of the pages of this memory. writes: marks them as written.
uint sqa_see_pages(const uvec4 entry, const bool writes) {
  if (gl_LocalInvocationIndex == 0u) sqa_seen = 0u;
  barrier();
  uint seen = 0u;
  if (sqa_begin_of(entry) != sqa_end_of(entry)) {
    uint64_t page = packUint2x32(entry.xy) >> SQA_PAGE_LOG2;
    uint64_t behind = ((packUint2x32(entry.xy) + uint64_t(entry.z) - 1ul) >> SQA_PAGE_LOG2) + 1ul;
    uvec2 first = sqa_page(entry.xy);
    uint64_t cells = packUint2x32(uvec2(sqa_page_cells(first.x), first.y));
    [[dont_unroll]] while (page < behind) {
      uint64_t stop = (page | 0xfffful) + 1ul;
      if (stop > behind) stop = behind;
      uint count = uint(stop - page);
      uint high = uint(page >> 16);
      uvec2 table = uvec2(0u);
      if (high < 0x10000u) table = SqaAddresses(sqa_pages()).addresses[high];
      if ((table.x | table.y) == 0u)
        seen |= seen_scattered;
      else
        seen |= sqa_see_entries(unpackUint2x32(packUint2x32(table) + (page & 0xfffful) * 8ul), count, cells, writes);
      cells += uint64_t(count) * uint64_t(SQA_PAGE_CELL_BYTES);
      page = stop;
    }
  }
  if (seen != 0u) atomicOr(sqa_seen, seen);
  // The barrier alone orders the atomics. NVIDIA's driver 580 read 0 all the same, until a memory barrier stood beside it.
  memoryBarrierShared();
  barrier();
  seen = atomicOr(sqa_seen, 0u);
  barrier();  // until all have read it
  if (gl_LocalInvocationIndex == 0u && (seen & seen_new) != 0u) sqa_tell_written(entry.xy);
  return seen;
}

uvec2 sqa_address_in(const SqaDwords record, const uint at) { return uvec2(record.dwords[at], record.dwords[at + 1u]); }

// How many descriptors are to be resolved for an action; list: where they are.
uint sqa_list_of(const SqaDwords record, out uvec2 list) {
  list = sqa_address_in(record, SQA_ACTION_RESOLVE);
  bool there = (list.x | list.y) != 0u;
  list = sqa_or_own(there, list);
  uint count = min(SqaQuads(list).quads[0].x, uint(SQA_MOST_RESOLVED));
  return there ? count : 0u;
}

// How many dwords behind the first region of the action's floors the one lies that holds for all of this memory, or ~0 if there is none.
uint sqa_region_of(const SqaDwords record, const uvec4 entry) {
  uvec2 floors = sqa_address_in(record, SQA_ACTION_FLOORS);
  bool there = (floors.x | floors.y) != 0u;
  floors = sqa_or_own(there, floors);
  uint regions = min(SqaDwords(floors).dwords[0], uint(SQA_MAX_REGIONS));
  if (!there) regions = 0u;
  uint found = 0u;
  [[dont_unroll]] for (uint region = 1u; region < regions; ++region) {
    uint at = (SQA_FLOOR_HEADER_DWORDS + region * SQA_REGION_DWORDS) / 2u;
    uint64_t begin = packUint2x32(SqaAddresses(floors).addresses[at]);
    uint64_t end = packUint2x32(SqaAddresses(floors).addresses[at + 1u]);
    if (sqa_begin_of(entry) < end && begin < sqa_end_of(entry)) {
      bool holds = found == 0u && sqa_begin_of(entry) >= begin && sqa_end_of(entry) <= end;
      found = holds ? region * SQA_REGION_DWORDS : ~0u;
    }
  }
  return found;
}

// Says in the record what one descriptor means.
void sqa_say(const SqaDwords record, const uvec2 list, const uint count, const uint place, const uint seen) {
  uint flags = record.dwords[SQA_ACTION_RESOLVE + 2];
  uvec4 listed = sqa_listed(list, place);
  uvec4 entry = sqa_resolved[place];
  bool known = entry.w != 0u;
  bool watched = !known || (seen & seen_written) != 0u;
  uint reach = (flags & SQA_RESOLVE_ALL) != 0u ? record.dwords[SQA_ACTION_RESOLVE + 3] : uint(SQA_REACH_UNKNOWN);
  [[dont_unroll]] for (uint i = 0u; i < count; ++i) {
    uvec4 other = sqa_resolved[i];
    if (other.w == 0u) reach |= uint(SQA_REACH_UNKNOWN);
    if (i != place && sqa_meet(entry, other)) {
      uint slot = (sqa_listed(list, i).y >> SQA_RESOLVED_NUMBER_SHIFT) - 1u;
      if (slot < SQA_DIRECT_SLOTS && all(equal(entry.xy, other.xy)))
        reach |= 1u << slot;
      else
        reach |= uint(SQA_REACH_UNKNOWN);
      // Another workgroup is marking these pages.
      if ((sqa_listed(list, i).z & 1u) != 0u) watched = true;
    }
  }
  uint set = (listed.y >> SQA_RESOLVED_SET_SHIFT) & (SQA_MAX_SETS - 1u);
  uint number = (listed.y >> SQA_RESOLVED_NUMBER_SHIFT) - 1u;
  if (watched)
    atomicOr(record.dwords[SQA_ACTION_WATCHED + set], 1u << number);
  else
    atomicAnd(record.dwords[SQA_ACTION_WATCHED + set], ~(1u << number));
  if (number < SQA_DIRECT_SLOTS) {
    uint at = SQA_ACTION_DIRECT + number * SQA_DIRECT_DWORDS;
    uvec4 memory = uvec4(0u);
    uvec2 cells = uvec2(0u);
    uint region = 0u;
    if (sqa_begin_of(entry) != sqa_end_of(entry) && (entry.x & 3u) == 0u) {
      memory.xyz = entry.xyz;
      uvec2 page = sqa_page(entry.xy);
      if ((seen & seen_scattered) == 0u)
        cells = unpackUint2x32(packUint2x32(uvec2(sqa_page_cells(page.x), page.y)) + uint64_t(sqa_page_word(entry.x) * 8u));
      region = sqa_region_of(record, entry);
      bool apart = (seen & seen_scattered) != 0u || region == ~0u;
      if ((flags & SQA_RESOLVE_DIRECT) != 0u && apart && (seen & seen_cells) != 0u) {
        cells = uvec2(0u);
        sqa_tell_apart();
      }
    }
    record.dwords[at] = memory.x;
    record.dwords[at + 1u] = memory.y;
    record.dwords[at + 2u] = memory.z;
    record.dwords[at + SQA_DIRECT_REACH] = reach | 1u << number | (known ? 0u : uint(SQA_DIRECT_UNKNOWN));
    record.dwords[at + 4u] = cells.x;
    record.dwords[at + 5u] = cells.y;
    record.dwords[at + 6u] = region;
  }
}

// Marks what an action writes that comes later in the command buffer.
void sqa_mark_ahead(const uvec2 place) {
  SqaDwords record = SqaDwords(place);
  uvec2 list;
  uint count = sqa_list_of(record, list);
  sqa_resolve_all(record, list, count);
  [[dont_unroll]] for (uint i = 0u; i < count; ++i) {
    if ((sqa_listed(list, i).z & 1u) != 0u) sqa_see_pages(sqa_resolved[i], true);
  }
}

uvec2 sqa_record_ahead(const uvec2 list, const uint number, const bool there) {
  uvec4 two = SqaQuads(list).quads[there ? 1u + number / 2u : 0u];
  return sqa_or_own(there, (number & 1u) == 0u ? two.xy : two.zw);
}

void sqa_mark_all_ahead(const uvec2 first) {
  bool more = (first.x | first.y) != 0u;
  uvec2 list = sqa_or_own(more, first);
  [[dont_unroll]] while (more) {
    uvec4 part = SqaQuads(list).quads[0];
    uint records = min(part.z, uint(SQA_AHEAD_RECORDS));
    uint i = gl_WorkGroupID.x;
    uvec2 record = sqa_record_ahead(list, i, i < records);
    [[dont_unroll]] while (i < records) {
      sqa_mark_ahead(record);
      i += gl_NumWorkGroups.x;
      record = sqa_record_ahead(list, i, i < records);
    }
    more = (part.x | part.y) != 0u;
    list = sqa_or_own(more, part.xy);
  }
}

// one: {address of an action's record, place in its list}.
void sqa_resolve_one(const uvec4 one) {
  SqaDwords record = SqaDwords(one.xy);
  uvec2 list;
  uint count = sqa_list_of(record, list);
  sqa_resolve_all(record, list, count);
  if (one.z < count) {
    uint seen = sqa_see_pages(sqa_resolved[one.z], (sqa_listed(list, one.z).z & 1u) != 0u);
    if (gl_LocalInvocationIndex == 0u) sqa_say(record, list, count, one.z, seen);
  }
}

void main() {
  uvec2 block = SqaAddresses(SqaAddresses(sqa_engine_state()).addresses[SQA_EXACT_RECORD_BLOCKS]).addresses[gl_WorkGroupID.z];
  sqa_record = unpackUint2x32(packUint2x32(block) + uint64_t(gl_WorkGroupID.y) * 16ul);
  // The same for all invocations. Where nothing is checked, another queue may read the record.
  bool checked = SqaDwords(sqa_record_address(SQA_ACTION_SUBMISSION)).dwords[SQA_SUBMISSION_FIRST_SEQUENCE] != 0u;
  uvec2 list = sqa_record_address(SQA_ACTION_RESOLVE);
  bool any = checked && (list.x | list.y) != 0u;
  list = sqa_or_own(any, list);
  bool ahead = any && (SqaDwords(sqa_record).dwords[SQA_ACTION_RESOLVE + 2] & SQA_RESOLVE_AHEAD) != 0u;
  if (ahead) sqa_mark_all_ahead(list);
  uint i = gl_WorkGroupID.x;
  bool more = any && !ahead;
  uvec4 one = SqaQuads(list).quads[more ? i : 0u];
  more = more && (one.x | one.y) != 0u;
  one.xy = sqa_or_own(more, one.xy);
  [[dont_unroll]] while (more) {
    sqa_resolve_one(one);
    i += gl_NumWorkGroups.x;
    more = i < uint(SQA_RESOLVED_TOGETHER);
    one = SqaQuads(list).quads[more ? i : 0u];
    more = more && (one.x | one.y) != 0u;
    one.xy = sqa_or_own(more, one.xy);
  }
}
