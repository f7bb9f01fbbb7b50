// SPDX-License-Identifier: Apache-2.0
// What releases and acquires may have ordered (docs/internals/exact.md, "Releases and acquires"): marks in a table of bits, which are set
// and never cleared within an epoch. Two marks that share a bit count as one; then a race is missed. Only shaders with fences and
// atomics have this.

layout(buffer_reference, std430, buffer_reference_align = 4) buffer SqaMarks {
  uint marks[];
};

uint sqa_follow;     // follow_*
uint sqa_atomic_at;  // location of the next atomic; 0: not known
uint sqa_observed;   // location of the last atomic whose result is used; 0: its marks were looked up
uint sqa_published;  // phase up to which this invocation has released what its workgroup did

const uint follow_marks = 1u;   // its atomics release
const uint follow_traced = 2u;  // what it acquires is looked up
const uint follow_loose = 4u;   // its workgroup communicates by more than barriers
const uint follow_local = 8u;   // among others by atomics that are not looked up
const uint follow_fenced = 16u;  // a fence was passed: the next atomics release what this invocation did before
const uint follow_seen = 32u;    // it saw a value that a release may have stored

// Kinds of marks, in bits that neither a sequence number nor a phase uses.
const uint mark_location = 1u << 28;  // somebody released to it
const uint mark_owner = 2u << 28;     // it released
const uint mark_group = 3u << 28;     // somebody released what the workgroup did before this phase
const uint mark_anyone = 4u << 28;    // some invocation of the workgroup released
const uint mark_seen = 5u << 28;      // some invocation of the workgroup saw a release
const uint mark_phase = 15u;

uvec2 sqa_marks() { return SqaAddresses(sqa_record_address(SQA_ACTION_ENGINE)).addresses[SQA_EXACT_MARKS]; }

uint sqa_mark_bit(const uint a, const uint b) {
  uint bit = (a * 2654435761u) ^ (b * 2246822519u);
  bit = (bit ^ (bit >> 15u)) * 739982445u;
  return (bit ^ (bit >> 12u)) & (SQA_MARK_BITS - 1u);
}
bool sqa_marked(const uvec2 marks, const uint a, const uint b) {
  uint bit = sqa_mark_bit(a, b);
  return ((sqa_load(SqaMarks(marks).marks[bit >> 5u]) >> (bit & 31u)) & 1u) != 0u;
}
// Sets a mark. Returns whether it was missing.
bool sqa_mark(const uvec2 marks, const uint a, const uint b) {
  bool missing = !sqa_marked(marks, a, b);
  if (missing) {
    uint bit = sqa_mark_bit(a, b);
    atomicOr(SqaMarks(marks).marks[bit >> 5u], 1u << (bit & 31u), gl_ScopeDevice, 0, gl_SemanticsRelaxed);
  }
  return missing;
}

// Never 0.
uint sqa_location(const uvec2 address) { return ((address.x >> 3u) ^ (address.y << 16u)) | 0x80000000u; }
// The number of an owner's workgroup. Where owners have none, all count as one workgroup.
uint sqa_group(const uint owner) { return sqa_grouped != 0u ? owner >> SQA_LOCAL_BITS : 0u; }

// Notes that this invocation saw a release. The others of its workgroup find the mark after a barrier, or after whatever else
// they communicate by.
void sqa_saw(const uvec2 marks) {
  sqa_follow |= follow_seen;
  if (sqa_mark(marks, sqa_group(sqa_owner), mark_seen | sqa_sequence)) sqa_release();
}

// Looks up whether somebody may have released to the location of the last atomic whose result is used. Whoever released before
// that atomic has left the mark.
void sqa_look_up_observed() {
  if (sqa_observed != 0u) {
    if ((sqa_follow & follow_seen) == 0u) {
      uvec2 marks = sqa_marks();
      memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
      // Location 0 stands for atomics on unknown memory.
      if (sqa_marked(marks, sqa_observed, mark_location) || sqa_marked(marks, 0u, mark_location)) sqa_saw(marks);
    }
    sqa_observed = 0u;
  }
}

// Called after sqa_begin_sync.
void sqa_begin_order(const bool traced, const bool loose, const bool local) {
  sqa_follow = 0u;
  sqa_atomic_at = 0u;
  sqa_observed = 0u;
  sqa_published = 0u;
  if (sqa_sequence != 0u)
    sqa_follow = follow_marks | (traced ? follow_traced : 0u) | (loose ? follow_loose : 0u) | (local ? follow_local : 0u);
}

// Called before an atomic, after its check. used: something may depend on its result.
void sqa_before_atomic(const bool used) {
  uint at = sqa_atomic_at;
  sqa_atomic_at = 0u;
  bool traced = (sqa_follow & follow_traced) != 0u;
  if ((sqa_follow & follow_fenced) != 0u) {
    uvec2 marks = sqa_marks();
    uint group = sqa_group(sqa_owner);
    bool added = sqa_mark(marks, at, mark_location);
    // Only invocations of the same action need to know who released.
    if (traced) {
      added = sqa_mark(marks, group, mark_anyone | sqa_sequence) || added;
      if ((sqa_follow & follow_loose) == 0u) {
        added = sqa_mark(marks, sqa_owner, mark_owner | sqa_sequence) || added;
        [[dont_unroll]] for (; sqa_published < sqa_since; ++sqa_published)
          added = sqa_mark(marks, group, mark_group | (sqa_published << mark_phase) | sqa_sequence) || added;
      }
    }
    // The marks must be visible before the atomic's result is.
    if (added) sqa_release();
  }
  if (used && traced && (sqa_follow & follow_seen) == 0u) {
    // An invocation that waits for a value looks up once.
    if (sqa_observed != at) sqa_look_up_observed();
    sqa_observed = at;
    if (at == 0u) sqa_saw(sqa_marks());
  }
}

// Called before anything by which others of the workgroup may learn what this invocation got from an atomic.
void sqa_tell_workgroup() { sqa_look_up_observed(); }

void sqa_passed_fence() {
  if ((sqa_follow & (follow_marks | follow_fenced)) == follow_marks) {
    sqa_follow |= follow_fenced;
    if ((sqa_follow & follow_local) != 0u && sqa_mark(sqa_marks(), sqa_group(sqa_owner), mark_anyone | sqa_sequence))
      sqa_release();
  }
}

// Whether the access in the cell, one of this action, may have been released. Every chain of releases begins with a release by
// the invocation itself, or by one of its workgroup after a barrier.
bool sqa_may_be_released(const uvec2 marks, const uvec2 cell) {
  uint owner = sqa_cell_owner(cell.x, cell.y);
  uint group = sqa_group(owner);
  uint phase = sqa_cell_phase(cell.x);
  uint sequence = sqa_cell_sequence(cell.y);
  bool known = sqa_cell_spread(cell.x) == SQA_SPREAD_INVOCATION && sqa_cell_before(cell.x) == 0u && phase < SQA_MAX_PHASE &&
               (sqa_follow & follow_loose) == 0u;
  bool released = sqa_cell_spread(cell.x) >= SQA_SPREAD_SEVERAL;
  if (!released && known)
    released = sqa_marked(marks, owner, mark_owner | sequence) ||
               sqa_marked(marks, group, mark_group | (phase << mark_phase) | sequence);
  if (!released && !known) released = sqa_marked(marks, group, mark_anyone | sequence);
  return released;
}

// Whether a release and an acquire may have ordered the access in the cell before this invocation's. If the access is another
// action's, it is not known who released it: commands may have ordered it before the invocation that did.
bool sqa_may_be_acquired(const uvec2 cell) {
  bool ordered = false;
  if ((sqa_follow & (follow_traced | follow_local)) != 0u) {
    uvec2 marks = sqa_marks();
    uint group = sqa_group(sqa_owner);
    sqa_look_up_observed();
    // Without workgroups, invocations learn from others only through subgroups.
    bool told = sqa_grouped != 0u || (sqa_follow & follow_loose) != 0u;
    if (told && (sqa_follow & follow_seen) == 0u && sqa_marked(marks, group, mark_seen | sqa_sequence))
      sqa_follow |= follow_seen;
    bool same_action = sqa_cell_sequence(cell.y) == sqa_sequence;
    if ((sqa_follow & follow_seen) != 0u) ordered = !same_action || sqa_may_be_released(marks, cell);
    if (!ordered && (sqa_follow & follow_local) != 0u && same_action && sqa_cell_spread(cell.x) < SQA_SPREAD_SEVERAL &&
        sqa_group(sqa_cell_owner(cell.x, cell.y)) == group)
      ordered = sqa_marked(marks, group, mark_anyone | sqa_sequence);
  }
  return ordered;
}
