// SPDX-License-Identifier: Apache-2.0
// The filter engine, after vkd3d-proton's synchronisation check: an access marks its 16-byte granules in a Bloom filter, which
// tells it whether an earlier access forbids it.
//   SQA_INT64   a bucket is one 64-bit atomic; without, its halves are two 32-bit ones (the tests on them are separate)
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_control_flow_attributes : require
#ifdef SQA_INT64
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#endif
#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_filter.h"
#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/abi_table.h"
// What reports give as dispatch and invocation id.
uint sqa_dispatch;    // dispatch id
uint sqa_invocation;  // invocation id
#define sqa_report_dispatch() sqa_dispatch
#define sqa_report_invocation() sqa_invocation
#include "instrument/runtime/report.glsl"

void sqa_begin_checks() {
  sqa_attempts = 0u;
  sqa_action = 0u;
  sqa_dispatch = 0u;
  sqa_invocation = 0u;
}
#include "instrument/runtime/accesses_state.glsl"

layout(buffer_reference, std430, buffer_reference_align = 8) buffer SqaFamily {
  uvec2 filter_address;
  uint bucket_mask;
  uint dispatch_id;
  uint invocation_counter;
};
#ifdef SQA_INT64
layout(buffer_reference, std430, buffer_reference_align = 8) buffer SqaFilter {
  uint64_t buckets[];
};
#endif
layout(buffer_reference, std430, buffer_reference_align = 8) buffer SqaHalves {
  uvec2 buckets[];
};

uvec2 sqa_filter;     // 0: nothing is checked
uint sqa_mask;        // buckets - 1
uint sqa_salt;        // mixed into the hash: queue and salt
uint sqa_flags;       // SQA_ACTION_FLAG_*
uint sqa_workgroup;   // identity of the workgroup for its locks

const uint hashes = 16u;
const uint lock_hashes = 8u;
// In sqa_flags, beside the action's flags: buffers that no shader can write share no memory with others.
const uint trust_read_only = 0x80000000u;
const uint max_granules = SQA_FILTER_MOST_GRANULES;


uint sqa_pick(const uint i, const uint a, const uint b, const uint c, const uint d) {
  return i < 2u ? (i < 1u ? a : b) : (i < 3u ? c : d);
}

// No indexed constant array, which would be a variable with an initialiser in memory. No vectors either: old SPIR-V selects
// vectors only by vectors.
uint sqa_prime(const uint i) {
  uint part = i & 3u;
  return sqa_pick(i >> 2u, sqa_pick(part, 1103515245u, 1103518333u, 1103539331u, 1103633207u),
                  sqa_pick(part, 10006121u, 4004951u, 5005159u, 6004811u), sqa_pick(part, 383u, 821u, 661u, 1091u),
                  sqa_pick(part, 1117u, 3947u, 4253u, 7691u));
}

// AddrHash of vkd3d-proton. The bits of the high dword that no address uses carry the salt.
uint sqa_bucket(const uvec2 granule, const uint i) {
  uvec2 prime = uvec2(sqa_prime(i));
  uvec2 v = granule;
  [[unroll]] for (int round = 0; round < 6; ++round) v = ((v >> 8u) ^ v.yx) * prime;
  return v.x & sqa_mask;
}

uvec2 sqa_or(const uint bucket, const uvec2 marks) {
#ifdef SQA_INT64
  return unpackUint2x32(atomicOr(SqaFilter(sqa_filter).buckets[bucket], packUint2x32(marks), gl_ScopeDevice, 0,
                                 gl_SemanticsRelaxed));
#else
  uint low = atomicOr(SqaHalves(sqa_filter).buckets[bucket].x, marks.x, gl_ScopeDevice, 0, gl_SemanticsRelaxed);
  uint high = atomicOr(SqaHalves(sqa_filter).buckets[bucket].y, marks.y, gl_ScopeDevice, 0, gl_SemanticsRelaxed);
  return uvec2(low, high);
#endif
}

uint sqa_lock_mask(const uint id, const uint i) {
  uint base = i < 4u ? 9u * i : 8u * (i & 3u) + 1u;
  uint last = i < 4u ? 23u : 22u;
  base = base < last ? base : last;
  uint bits = id >> base;
  return (256u << (bits & 7u)) | (65536u << ((bits >> 3u) & 7u)) | (16777216u << ((bits >> 6u) & 7u));
}

// What an access of this type forbids to later accesses of others, for these bytes and words of the granule.
uvec2 sqa_forbid(const uint type, const uint bytes, const uint words) {
  uvec2 marks = uvec2(bytes | (bytes << 16u), words | (words << 4u));
  if (type == SQA_ACCESS_ATOMIC) marks.y &= 0xf0u;
  if (type == SQA_ACCESS_LOAD || type == SQA_ACCESS_INDIRECT) marks &= uvec2(0xffff0000u, 0x0fu);
  if (type == SQA_FILTER_ATOMIC_LOAD) marks &= uvec2(0xffff0000u, 0u);
  return marks;
}

// The filter's byte bits without those of accesses that come before a write in order. Writes and atomics forbid reads and writes;
// where only writes are forbidden, there was a read.
uint sqa_unordered(const uint low) {
  if ((sqa_flags & SQA_ACTION_FLAG_WRITES_AVAILABLE) != 0u) return low & 0xffffu;
  return (sqa_flags & SQA_ACTION_FLAG_READS_ORDERED) == 0u ? low : low & ((low << 16u) | 0xffffu);
}

// Whether earlier accesses forbid this one.
bool sqa_forbidden(const uvec2 earlier, const uint type, const uint bytes, const uint words) {
  uint low = sqa_unordered(earlier.x);
  uint hit = type == SQA_ACCESS_LOAD ? low & bytes : 0u;
  if (type == SQA_ACCESS_STORE) hit = (low >> 16u) & bytes;
  // A store leaves the same bits as a read and an atomic together, so with ordered reads nothing is known.
  if (type == SQA_ACCESS_ATOMIC) hit = (sqa_flags & SQA_ACTION_FLAG_READS_ORDERED) == 0u ? earlier.y & words : 0u;
  if (type == SQA_ACCESS_INDIRECT) hit = (earlier.y >> 4u) & words;
  return hit != 0u;
}

// Checks and marks the part of an access that lies in one granule. Returns whether it is a hazard; `earlier` is what the filter
// held.
bool sqa_granule(const uvec2 address, const uint size, const uint type, out uvec2 earlier) {
  uint bytes = (((1u << size) - 1u) << (address.x & 15u)) & 0xffffu;
  uint words = (((1u << (((address.x & 3u) + size + 3u) >> 2u)) - 1u) << ((address.x >> 2u) & 3u)) & 15u;
  uvec2 granule = uvec2(address.x >> 4u, (address.y & 0xffffu) | (sqa_salt << 16u));
  uvec2 marks = sqa_forbid(type, bytes, words);
  earlier = uvec2(0xffffffffu);
  [[dont_unroll]] for (uint i = 0u; i < hashes; ++i) earlier &= sqa_or(sqa_bucket(granule, i), marks);

  // Every access forbids writes, so nobody had touched these bytes. A write after ordered reads counts as the first access,
  // since it would not recognise itself later otherwise.
  uint touched = type == SQA_ACCESS_STORE || type == SQA_ACCESS_ATOMIC ? sqa_unordered(earlier.x) : earlier.x;
  bool exclusive = ((touched >> 16u) & bytes) == 0u;
  bool hazard = sqa_forbidden(earlier, type, bytes, words);
  if (exclusive || hazard) {
    // The first writer of some of the bytes takes the locks, too, even if others have read the bytes: its later accesses conflict
    // with none of those reads.
    bool holds = exclusive || ((type == SQA_ACCESS_STORE || type == SQA_ACCESS_ATOMIC) && (~earlier.x & bytes) != 0u);
    bool mine = true;
    bool of_workgroup = sqa_phase != 0u && sqa_workgroup != 0u;
    [[dont_unroll]] for (uint i = 0u; i < lock_hashes; ++i) {
      uint own = sqa_lock_mask(sqa_invocation, i);
      uint shared_lock = sqa_lock_mask(sqa_workgroup, i);
      uint locks = atomicOr(SqaHalves(sqa_filter).buckets[sqa_bucket(granule, i)].y,
                            holds ? own | (sqa_workgroup != 0u ? shared_lock : 0u) : 0u, gl_ScopeDevice, 0,
                            gl_SemanticsRelaxed);
      mine = mine && (locks & own) == own;
      of_workgroup = of_workgroup && (locks & shared_lock) == shared_lock;
    }
    hazard = hazard && !mine && !of_workgroup;
  }
  earlier.x &= bytes | (bytes << 16u);
  earlier.y &= words | (words << 4u);
  return hazard;
}

// How full the filter is: how many of SQA_OCCUPANCY_PROBES buckets that are unrelated to the address forbid an access of this
// type to some byte. Measured at the moment of the failure, since the filter is cleared later.
uint sqa_occupancy(const uvec2 address, const uint type) {
  uint marked = 0u;
  [[dont_unroll]] for (uint i = 0u; i < SQA_OCCUPANCY_PROBES; ++i) {
    uvec2 decoy = uvec2((address.x >> 4u) + i * 2654435761u, address.y ^ 0x5a5a5a5au);
    uint bucket = sqa_bucket(decoy, i & 15u);
    uvec2 bits = uvec2(sqa_load(SqaHalves(sqa_filter).buckets[bucket].x), sqa_load(SqaHalves(sqa_filter).buckets[bucket].y));
    // One byte of the sixteen, as one is enough for a hazard.
    uint byte = address.x & 15u;
    marked += uint(sqa_forbidden(bits, type, 1u << byte, 1u << (byte >> 2u)));
  }
  return marked;
}

void sqa_access(const uvec2 root, const SqaSite site, const uvec2 address, const uint size) {
  uint type = (site.kind >> 16u) & 0xffu;
  uint done = 0u;
  bool hazard = false;
  uvec2 where = uvec2(0u);
  uvec2 why = uvec2(0u);
  // Goes on after a hazard: others would not find an access that is not marked.
  [[dont_unroll]] for (uint n = 0u; n < max_granules && done < size; ++n) {
    uint carry;
    uvec2 at = uvec2(uaddCarry(address.x, done, carry), 0u);
    at.y = address.y + carry;
    uint left = 16u - (at.x & 15u);
    uint part = left < size - done ? left : size - done;
    uvec2 earlier;
    bool failed = sqa_granule(at, part, type, earlier);
    if (failed && !hazard) {
      where = at;
      why = earlier;
    }
    hazard = hazard || failed;
    done += part;
  }
  if (hazard && sqa_ordered == 0u) {
    uvec2 control = SqaCheckRoot(root).control;
    uint slot = SQA_REPORT_SLOTS;
    if ((control.x | control.y) != 0u) slot = sqa_claim(control, site, true);
    if (slot < SQA_REPORT_SLOTS) sqa_publish(root, slot, site, sqa_occupancy(where, type), where, size, why);
  }
}

#define sqa_watching() ((sqa_filter.x | sqa_filter.y) != 0u)
#define sqa_skips_read_only() ((sqa_flags & trust_read_only) != 0u)
#define sqa_skips(set, slot, kind) false
#include "instrument/runtime/accesses.glsl"

// Called at the start of the entry point, after sqa_set_where. workgroup: WorkgroupId in stages that have one; then grouped is
// true. named: as for the exact engine. live: not a helper invocation.
void sqa_begin_sync(const uint stage, const uvec3 workgroup, const bool grouped, const bool named, const bool live) {
  sqa_attempts = 0u;
  sqa_phase = 0u;
  sqa_ordered = 0u;
  sqa_action = 0u;
  sqa_flags = 0u;
  sqa_salt = 0u;
  sqa_filter = uvec2(0u);
  sqa_mask = 0u;
  sqa_dispatch = 0u;
  sqa_workgroup = 0u;
  sqa_invocation = 0u;
  if (sqa_record_dword(SQA_ACTION_NUMBER) != 0u) {
    sqa_action = sqa_record_dword(SQA_ACTION_NUMBER);
    sqa_flags = sqa_record_dword(SQA_ACTION_FLAGS);
    uvec2 family = sqa_record_address(SQA_ACTION_ENGINE);
    uvec2 submitted = sqa_record_address(SQA_ACTION_SUBMISSION);
    uint serial = 0u;
    sqa_salt = sqa_record_dword(SQA_ACTION_SALT) & 0xfffu;
    if ((submitted.x | submitted.y) != 0u) {
      SqaDwords submission = SqaDwords(submitted);
      serial = submission.dwords[SQA_SUBMISSION_SERIAL];
      sqa_salt |= (submission.dwords[SQA_SUBMISSION_QUEUE] & 0xfu) << 12u;
      if (submission.dwords[SQA_SUBMISSION_ALIASED] == 0u) sqa_flags |= trust_read_only;
    }
    uint mix = (sqa_action * 3266489917u) ^ (serial * 668265263u);
    if (grouped) {
      // Workgroups of the task shader and of the mesh shader are different ones.
      uint group_mix = mix ^ (stage * 374761393u);
      sqa_workgroup = (workgroup.x ^ (workgroup.y * 2654435761u) ^ (workgroup.z * 2246822519u) ^ group_mix) * 1103633207u;
      sqa_workgroup |= uint(sqa_workgroup == 0u);
    }
    if (live && (family.x | family.y) != 0u) {
      sqa_filter = SqaFamily(family).filter_address;
      sqa_mask = SqaFamily(family).bucket_mask;
      sqa_dispatch = sqa_load(SqaFamily(family).dispatch_id);
      if (named)
        sqa_invocation = sqa_named_number(mix, workgroup);
      else
        sqa_invocation = sqa_add(SqaFamily(family).invocation_counter, 1103633207u);
    }
  }
}

// Called after a barrier of the workgroup that orders buffer memory.
void sqa_passed_barrier() { ++sqa_phase; }

// A team has locks of its own.
uint sqa_join(const uvec3 team) {
  uint alone = sqa_invocation;
  sqa_invocation = (sqa_workgroup ^ (team.z * 2654435761u)) * 1103633207u;
  return alone;
}
void sqa_leave(const uint alone) { sqa_invocation = alone; }
#include "instrument/runtime/lines.glsl"

// Never runs: the build's dead code elimination keeps what it calls.
void main() {
  uvec2 h = uvec2(0u);
  sqa_set_where(uvec3(0u));
  sqa_begin_checks();
  sqa_begin_sync(0u, uvec3(0u), false, false, true);
  sqa_tell_begun(h, h);
  sqa_indirect(h, h, 0u);
  sqa_passed_barrier();
  sqa_set_ordered(true);
  sqa_access_address(h, h, h, h, 0u, 0u, true);
  sqa_access_set(h, h, h, uvec4(0u), 0u, 0u, 0u, true);
  sqa_lines_address(h, h, h, h, 0u, uvec3(0u), uvec3(0u), true);
  sqa_lines_set(h, h, h, uvec4(0u), 0u, 0u, uvec3(0u), uvec3(0u), true);
  sqa_check(h, h, h, true, true, h);
  sqa_check_operands(h, h, h, true, true, h, uvec3(0u));
  sqa_begin_failures();
  sqa_note_failure(h, SqaSite(h, 0u, 0u), h, uvec3(0u));
  sqa_report_failures(h, h);
}
