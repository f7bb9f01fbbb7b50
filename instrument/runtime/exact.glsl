// The sync check with exact cells (docs/exact.md): every access compares with the last one of its words, and takes its place.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#include "instrument/runtime/abi.h"
#include "instrument/runtime/report.glsl"
#include "instrument/runtime/accesses_state.glsl"

layout(buffer_reference, std430, buffer_reference_align = 8) buffer SqaExact {
  uvec2 tables;
  uvec2 sequences;
  uint invocation_counter;
  uint reserved;
  uvec2 record_blocks;
};
layout(buffer_reference, std430, buffer_reference_align = 8) buffer SqaAddresses {
  uvec2 addresses[];
};
layout(buffer_reference, std430, buffer_reference_align = 8) buffer SqaCells {
  uint64_t cells[];
};

uvec2 sqa_tables;      // of the page table; 0: nothing is checked
uvec2 sqa_sequences;   // of SequenceInfo
uvec2 sqa_submission;  // of SubmissionState
uint sqa_sequence;     // of this stage's accesses
uint sqa_first;        // sequence number of the command buffer
uint sqa_column;       // SQA_COLUMN_*
uint sqa_owner;        // of this invocation
uint sqa_grouped;      // not 0: owner >> SQA_LOCAL_BITS is its workgroup
uint sqa_since;        // phase from which on accesses are not ordered before this invocation's by a barrier's semantics

// Larger accesses are checked up to here: 4 KiB.
const uint max_words = 1024u;
// An invocation that cannot enter itself that often gives up: the word is contended, and others have seen each other.
const uint max_swaps = 8u;
#define SQA_OUT(T) out T
#include "instrument/runtime/cell_machine.glsl"

SqaCell sqa_unpack(const uvec2 cell) {
  return SqaCell(cell.x & 15u, (cell.x >> SQA_CELL_KIND) & 3u, (cell.x >> SQA_CELL_SPREAD) & 3u,
                 (cell.x >> SQA_CELL_BEFORE) & 3u, (cell.x >> SQA_CELL_TAG) & (SQA_TAGS - 1u),
                 (cell.x >> SQA_CELL_PHASE) & uint(SQA_MAX_PHASE),
                 (cell.x >> SQA_CELL_OWNER) | ((cell.y & 0x1ffffu) << 5u), cell.y >> 17u);
}

uvec2 sqa_pack(const SqaCell cell) {
  return uvec2(cell.mask | (cell.kind << SQA_CELL_KIND) | (cell.spread << SQA_CELL_SPREAD) | (cell.before << SQA_CELL_BEFORE) |
                   (cell.tag << SQA_CELL_TAG) | (cell.phase << SQA_CELL_PHASE) | (cell.owner << SQA_CELL_OWNER),
               (cell.owner >> 5u) | (cell.sequence << 17u));
}

// One floor of a region, as abi.h has it.
uint sqa_floor(const uint floor, const uint kind, const uint producer) {
  uint highest = sqa_first + floor - 1u;
  if ((floor & SQA_FLOOR_INHERITED) != 0u) {
    highest = 0u;
    // The second set of classes, only in visible floors, is of what was available.
    [[dont_unroll]] for (uint bit = 0u; bit < 2u * SQA_CLASSES; ++bit) {
      if (((floor >> bit) & 1u) != 0u) {
        uint from = bit < SQA_FLOOR_AVAILABLE_SHIFT ? kind : uint(SQA_FLOOR_AVAILABLE);
        uint consumer = bit < SQA_FLOOR_AVAILABLE_SHIFT ? bit : bit - SQA_FLOOR_AVAILABLE_SHIFT;
        uint inherited = SqaDwords(sqa_submission).dwords[20u + (from * SQA_CLASSES + producer) * SQA_CLASSES + consumer];
        highest = inherited > highest ? inherited : highest;
      }
    }
  }
  return highest;
}

// Whether what action `sequence` did, in this epoch, lies before this invocation's action.
bool sqa_ordered_action(const uint sequence, const uint floor_kind, const uint column, const uvec2 address) {
  uint info = SqaDwords(sqa_sequences).dwords[sequence];
  uint producer = info & 0xffu;
  uint queue = info >> 8u;
  bool ordered = true;
  if (queue != SqaDwords(sqa_submission).dwords[0]) {
    ordered = queue >= SQA_MAX_QUEUES || sequence <= SqaDwords(sqa_submission).dwords[4u + queue];
  } else if (producer < SQA_CLASSES) {
    SqaDwords record = SqaDwords(sqa_record);
    SqaDwords floors = SqaDwords(uvec2(record.dwords[SQA_ACTION_FLOORS], record.dwords[SQA_ACTION_FLOORS + 1]));
    uint regions = floors.dwords[0];
    uint at = (column * SQA_FLOOR_KINDS + floor_kind) * SQA_CLASSES + producer + 4u;
    uint base = SQA_FLOOR_HEADER_DWORDS;
    ordered = false;
    [[dont_unroll]] for (uint region = 0u; region < regions && region < SQA_MAX_REGIONS && !ordered; ++region) {
      bool inside = region == 0u;
      if (!inside) {
        uint begin_high = floors.dwords[base + 1u];
        uint end_high = floors.dwords[base + 3u];
        inside = (address.y > begin_high || (address.y == begin_high && address.x >= floors.dwords[base])) &&
                 (address.y < end_high || (address.y == end_high && address.x < floors.dwords[base + 2u]));
      }
      if (inside) ordered = sequence <= sqa_floor(floors.dwords[base + at], floor_kind, producer);
      base += SQA_REGION_DWORDS;
    }
  }
  return ordered;
}

// Between actions. Nothing is known of accesses of another epoch, or of a later number, which no order lets come before.
bool sqa_hazard_between(const SqaCell old, const SqaCell mine, const uint born, const uint column, const uvec2 address) {
  bool hazard = false;
  bool conflict = sqa_conflict(old.kind, mine.kind) || (old.before != 0u && sqa_conflict_before(old.before, mine.kind));
  uint epoch = mine.sequence & SQA_EPOCH_BIT;
  bool known = old.sequence != 0u && (old.sequence & SQA_EPOCH_BIT) == epoch && old.sequence < mine.sequence &&
               ((born & SQA_EPOCH_BIT) != epoch || old.sequence > born);
  if (conflict && known && (old.mask & mine.mask) != 0u) {
    uint floor_kind = mine.kind == SQA_KIND_READ ? SQA_FLOOR_VISIBLE : SQA_FLOOR_AVAILABLE;
    if (old.kind == SQA_KIND_READ && old.before < 2u) floor_kind = SQA_FLOOR_OVER;
    hazard = !sqa_ordered_action(old.sequence, floor_kind, column, address);
  }
  return hazard;
}

// What `mine` is against the cell that was found, and what the cell becomes.
uint sqa_verdict(const SqaCell found, const SqaCell mine, const uint born, const uint column, const uvec2 address,
                 out SqaCell next) {
  next = mine;
  uint hazard = 0u;
  if (found.sequence == mine.sequence)
    hazard = sqa_hazard_within(found, mine, sqa_grouped != 0u, sqa_since, next);
  else if (sqa_hazard_between(found, mine, born, column, address))
    hazard = SQA_MISSING_ORDER;
  if (sqa_ordered != 0u && hazard != 0u) {
    hazard = 0u;
    next = mine;
  }
  return hazard;
}

// Checks one word and enters the access. Returns as sqa_hazard_within; `earlier` is the cell that it found. A write enters
// itself at once, since most words are written once in an action: others see it alone until what it found is added. Other
// accesses look first: most find what they would have entered.
uint sqa_word(const uvec2 cells, const uint word, const SqaCell mine, const uint born, const uint column, const uvec2 address,
              out uvec2 earlier) {
  bool at_once = mine.kind == SQA_KIND_WRITE;
  uint64_t own = packUint2x32(sqa_pack(mine));
  uint64_t old = 0ul;
  if (at_once)
    old = atomicExchange(SqaCells(cells).cells[word], own, gl_ScopeDevice, 0, gl_SemanticsRelaxed);
  else
    old = atomicLoad(SqaCells(cells).cells[word], gl_ScopeDevice, 0, gl_SemanticsRelaxed);
  uint hazard = 0u;
  bool looking = true;
  [[dont_unroll]] for (uint swaps = 0u; swaps < max_swaps && looking; ++swaps) {
    SqaCell next;
    earlier = unpackUint2x32(old);
    hazard = sqa_verdict(sqa_unpack(earlier), mine, born, column, address, next);
    uint64_t wanted = packUint2x32(sqa_pack(next));
    uint64_t there = at_once ? own : old;
    looking = wanted != there;
    if (looking) {
      uint64_t seen = atomicCompSwap(SqaCells(cells).cells[word], there, wanted, gl_ScopeDevice, 0, gl_SemanticsRelaxed, 0,
                                     gl_SemanticsRelaxed);
      // Who came after a write that was entered at once has seen it.
      looking = seen != there && !at_once;
      old = seen;
    }
  }
  return looking ? 0u : hazard;
}

// The page's entry, 0: it is not watched.
uvec2 sqa_page(const uvec2 address) {
  uvec2 entry = uvec2(0u);
  if (address.y < 0x10000u) {
    uvec2 pages = SqaAddresses(sqa_tables).addresses[address.y];
    if ((pages.x | pages.y) != 0u) entry = SqaAddresses(pages).addresses[address.x >> SQA_PAGE_LOG2];
  }
  return entry;
}

void sqa_mark_page(const uvec2 address, const uvec2 page) {
  SqaAddresses pages = SqaAddresses(SqaAddresses(sqa_tables).addresses[address.y]);
  sqa_store(pages.addresses[address.x >> SQA_PAGE_LOG2].x, page.x);
}

void sqa_access(const uvec2 root, const SqaSite site, const uvec2 address, const uint size) {
  uint type = (site.kind >> 16u) & 3u;
  bool indirect = type == SQA_ACCESS_INDIRECT;
  uint column = indirect ? SQA_COLUMN_INDIRECT : sqa_column;
  SqaCell mine;
  mine.kind = SQA_KIND_READ;
  if (type == SQA_ACCESS_STORE) mine.kind = SQA_KIND_WRITE;
  if (type == SQA_ACCESS_ATOMIC)
    mine.kind = (site.kind & SQA_ACCESS_WORKGROUP_SCOPE) != 0u ? SQA_KIND_ATOMIC_WORKGROUP : SQA_KIND_ATOMIC;
  mine.spread = SQA_SPREAD_INVOCATION;
  mine.before = 0u;
  mine.tag = site.kind >> 20u;
  mine.phase = sqa_phase;
  mine.owner = sqa_owner;
  mine.sequence = sqa_sequence + (indirect ? SQA_COLUMN_INDIRECT - sqa_column : 0u);

  uvec2 at = uvec2(address.x & ~3u, address.y);
  uint begin = address.x & 3u;
  uint end = begin + size;
  uvec2 page = sqa_page(at);
  uint worst = 0u;
  uvec2 where = uvec2(0u);
  uvec2 why = uvec2(0u);
  // To the end, hazard or not: what is not entered is not found by others.
  [[dont_unroll]] for (uint n = 0u; n < max_words && n * 4u < end; ++n) {
    if (n != 0u && (at.x & 0xffffu) == 0u) page = sqa_page(at);
    // Reads of what nothing writes need no cell.
    bool watched = (page.x & SQA_PAGE_WRITTEN) != 0u || (mine.kind != SQA_KIND_READ && (page.x | page.y) != 0u);
    if (watched) {
      // The layer knows what shaders write before they run, but for descriptors that come later.
      if ((page.x & SQA_PAGE_WRITTEN) == 0u) {
        page.x |= SQA_PAGE_WRITTEN;
        sqa_mark_page(at, page);
      }
      uint low = n == 0u ? begin : 0u;
      uint high = end - n * 4u;
      mine.mask = (15u << low) & (high < 4u ? (1u << high) - 1u : 15u);
      uvec2 earlier;
      uint hazard = sqa_word(uvec2(page.x & ~0x1ffffu, page.y), (at.x >> 2u) & 0x3fffu, mine, page.x & SQA_PAGE_BORN, column, at,
                             earlier);
      if (hazard != 0u && worst == 0u) {
        worst = hazard;
        where = uvec2(at.x + low, at.y);
        why = earlier;
      }
    }
    at.x += 4u;
    at.y += uint(at.x == 0u);
  }
  if (worst != 0u) {
    uvec2 control = SqaCheckRoot(root).control;
    SqaSite plain = SqaSite(site.hash, site.instruction, (site.kind & 0x3ffffu) | (SQA_ACCESS_EXACT << 16u));
    uint slot = SQA_REPORT_SLOTS;
    if ((control.x | control.y) != 0u) slot = sqa_claim(control, plain);
    if (slot < SQA_REPORT_SLOTS) sqa_publish(root, slot, plain, worst, where, size, why);
  }
}

#define sqa_watching() ((sqa_tables.x | sqa_tables.y) != 0u)
// Pages say what is written, copies included.
#define sqa_skips_read_only() false
#include "instrument/runtime/accesses.glsl"

// At the start of the entry point. record: address of the action record, 0: there is none. workgroup: its number and the local
// invocation index in the stages that have them, then grouped is true. ray: the stages of one launch share `where` and so the
// owner. live: not a helper.
void sqa_begin_sync(const uvec2 root, const uvec2 hash, const uint stage, const uvec2 record, const uvec3 where,
                    const uvec3 workgroup, const bool grouped, const bool ray, const bool live) {
  sqa_where = where;
  sqa_attempts = 0u;
  sqa_record = record;
  sqa_phase = 0u;
  sqa_since = 0u;
  sqa_ordered = 0u;
  sqa_action = 0u;
  sqa_dispatch = 0u;
  sqa_invocation = 0u;
  sqa_tables = uvec2(0u);
  sqa_sequences = uvec2(0u);
  sqa_submission = uvec2(0u);
  sqa_sequence = 0u;
  sqa_first = 0u;
  sqa_column = stage == SQA_STAGE_FRAGMENT ? SQA_COLUMN_FRAGMENT : SQA_COLUMN_MAIN;
  sqa_owner = 0u;
  sqa_grouped = uint(grouped);
  if ((record.x | record.y) != 0u) {
    SqaDwords action = SqaDwords(record);
    sqa_action = action.dwords[SQA_ACTION_NUMBER];
    uvec2 engine = uvec2(action.dwords[SQA_ACTION_FAMILY], action.dwords[SQA_ACTION_FAMILY + 1]);
    sqa_submission = uvec2(action.dwords[SQA_ACTION_SUBMISSION], action.dwords[SQA_ACTION_SUBMISSION + 1]);
    if (live && (engine.x | engine.y) != 0u && (sqa_submission.x | sqa_submission.y) != 0u) {
      sqa_first = SqaDwords(sqa_submission).dwords[2];
      if (sqa_first != 0u) {
        sqa_tables = SqaExact(engine).tables;
        sqa_sequences = SqaExact(engine).sequences;
        sqa_sequence = sqa_first + action.dwords[SQA_ACTION_SEQUENCE] + sqa_column;
        sqa_dispatch = sqa_sequence;
        if (grouped)
          sqa_owner = (workgroup.x << SQA_LOCAL_BITS) | (workgroup.y & ((1u << SQA_LOCAL_BITS) - 1u));
        else if (ray)
          sqa_owner = (where.x ^ (where.y * 2654435761u) ^ (where.z * 2246822519u)) * 1103633207u;
        else
          sqa_owner = sqa_add(SqaExact(engine).invocation_counter, 1u);
        sqa_owner &= (1u << SQA_OWNER_BITS) - 1u;
        sqa_invocation = sqa_owner;
        if (sqa_watching()) sqa_indirect(root, hash, stage);
      }
    }
  }
}

// A team's cells are those of its first invocation.
uint sqa_join(const uvec3 team) {
  uint alone = sqa_owner;
  uint first = team.z == 0u ? 0u : (team.z - 1u) * team.y;
  uint local = (1u << SQA_LOCAL_BITS) - 1u;
  sqa_owner = (sqa_owner & ~local) | (first & local);
  return alone;
}
void sqa_leave(const uint alone) { sqa_owner = alone; }
#include "instrument/runtime/lines.glsl"

// A barrier of the workgroup; memory: it orders buffer memory.
void sqa_passed_barrier_exact(const bool memory) {
  sqa_phase += uint(sqa_phase < SQA_MAX_PHASE);
  if (memory) sqa_since = sqa_phase;
}

#ifdef SQA_RANGES
#include "instrument/runtime/range_access.glsl"
#else
// Never runs: what it calls is what the build's dead code elimination keeps.
void main() {
  uvec2 h = uvec2(0u);
  sqa_begin_checks(uvec3(0u));
  sqa_begin_sync(h, h, 0u, h, uvec3(0u), uvec3(0u), false, false, true);
  sqa_passed_barrier_exact(true);
  sqa_set_ordered(true);
  sqa_access_address(h, h, h, h, 0u, 0u, true);
  sqa_access_set(h, h, h, uvec4(0u), 0u, 0u, 0u, true);
  sqa_lines_address(h, h, h, h, 0u, uvec3(0u), uvec3(0u), true);
  sqa_lines_set(h, h, h, uvec4(0u), 0u, 0u, uvec3(0u), uvec3(0u), true);
  sqa_check(h, h, h, true, true, h);
}
#endif
