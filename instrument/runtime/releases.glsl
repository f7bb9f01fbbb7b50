// SPDX-License-Identifier: Apache-2.0
// What releases and acquires may have ordered (docs/internals/exact.md, "Releases and acquires"): marks in a table of bits, which are set
// and never cleared within an epoch. Two marks that share a bit count as one; then a race is missed. Only shaders with fences and
// atomics, or with barriers of a subgroup, have this.

layout(buffer_reference, std430, buffer_reference_align = 4) buffer SqaMarks {
  uint marks[];
};

uint sqa_follow;     // follow_*
uint sqa_atomic_at;  // location of the next atomic; 0: not known
uint sqa_observed;   // location of the last atomic whose result is used; 0: its marks were looked up
uint sqa_acquired;   // the only location that it acquired from; 0: none
uint sqa_heard;      // follow_strict: the only location of releases that it read without acquiring yet; 0: none
uint sqa_published;  // phase up to which this invocation has released what its workgroup did
uint sqa_covered;    // phase up to which its last fence covers its own accesses
uint sqa_part;       // what stands for its subgroup in marks; 0 too where subgroups have no numbers
uint sqa_parted;     // phase up to which marks say that it passed a barrier of its subgroup

const uint follow_marks = 1u;   // its atomics release
const uint follow_traced = 2u;  // what it acquires is looked up
const uint follow_loose = 4u;   // its workgroup communicates by more than barriers
const uint follow_local = 8u;   // among others by atomics that are not looked up
const uint follow_fenced = 16u;  // a fence was passed: the next atomics release what this invocation did before
const uint follow_seen = 32u;    // what it acquired may come from any location
const uint follow_device = 64u;    // a fence that reaches other workgroups was passed
const uint follow_accessed = 128u;  // it accessed something after the last fence
const uint follow_part = 256u;      // it passed a barrier of a part of the workgroup that orders memory
const uint follow_strict = 512u;    // what was read is acquired by a fence, or by the atomic itself, alone
const uint follow_takes = 1024u;    // of sqa_observed: it is acquired
const uint follow_heard = 2048u;    // as follow_seen, of what it has not acquired yet

// Kinds of marks, in bits that neither a sequence number nor a phase uses.
const uint mark_location = 2u << 28;   // somebody released to it
const uint mark_owner = 1u << 28;      // it released what it did in this phase
const uint mark_group = 3u << 28;      // somebody released what the workgroup did before this phase
const uint mark_anyone = 4u << 28;     // some invocation of the workgroup released
const uint mark_seen = 5u << 28;       // some invocation of the workgroup acquired, before it told the others
const uint mark_near = 6u << 28;       // some invocation of the workgroup released to this location,
const uint mark_far = 7u << 28;        // so that other workgroups may acquire it
const uint mark_passed_on = 8u << 28;  // what was acquired elsewhere was released to this location, too
const uint mark_part = 9u << 28;       // it passed a barrier of a part of its workgroup behind what it did in this phase
const uint mark_local = 10u << 28;     // some invocation released what was done up to this phase by an atomic on workgroup memory
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
uint sqa_location(const uvec2 address) { return ((address.x >> 2u) ^ (address.y << 16u)) | 0x80000000u; }
// The number of an owner's workgroup. Where owners have none, all count as one workgroup.
uint sqa_group(const uint owner) { return sqa_grouped != 0u ? owner >> SQA_LOCAL_BITS : 0u; }
// Stands for a workgroup and a location.
uint sqa_group_at(const uint group, const uint at) { return at + group * 0x9e3779b9u; }

// Looks up whether somebody may have released to the location of the last atomic whose result is used. Whoever released before
// that atomic has left the mark.
void sqa_look_up_observed() {
  if (sqa_observed != 0u) {
    bool takes = (sqa_follow & (follow_strict | follow_takes)) != follow_strict;
    uint anywhere = takes ? follow_seen : follow_heard;
    if ((sqa_follow & anywhere) == 0u) {
      uvec2 marks = sqa_marks();
      memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
      // Location 0 stands for atomics on unknown memory.
      if (sqa_marked(marks, 0u, mark_location)) {
        sqa_follow |= anywhere;
      } else if (sqa_marked(marks, sqa_observed, mark_location)) {
        uint known = takes ? sqa_acquired : sqa_heard;
        bool another = known != 0u && known != sqa_observed;
        if (another || sqa_marked(marks, sqa_observed, mark_passed_on)) sqa_follow |= anywhere;
        if (takes) sqa_acquired = sqa_observed; else sqa_heard = sqa_observed;
      }
    }
    sqa_observed = 0u;
    sqa_follow &= ~follow_takes;
  }
}

// Called before a fence that acquires, where what atomics have read is not acquired without one (follow_strict).
void sqa_passed_acquire() {
  if ((sqa_follow & follow_traced) != 0u) {
    if (sqa_observed != 0u) sqa_follow |= follow_takes;
    if (sqa_heard != 0u) {
      if (sqa_acquired != 0u && sqa_acquired != sqa_heard) sqa_follow |= follow_seen;
      sqa_acquired = sqa_heard;
      sqa_heard = 0u;
    }
    if ((sqa_follow & follow_heard) != 0u) sqa_follow |= follow_seen;
  }
}

// Called after sqa_begin_sync.
void sqa_begin_order(const bool traced, const bool loose, const bool local, const uint part) {
  sqa_follow = 0u;
  sqa_atomic_at = 0u;
  sqa_observed = 0u;
  sqa_acquired = 0u;
  sqa_heard = 0u;
  sqa_published = 0u;
  sqa_covered = 0u;
  sqa_part = part * 0x9e3779b9u;
  sqa_parted = 0u;
  if (sqa_sequence != 0u)
    sqa_follow = follow_marks | (traced ? follow_traced : 0u) | (loose ? follow_loose : 0u) | (local ? follow_local : 0u);
}

// Called after sqa_begin_order.
void sqa_begin_strict() { sqa_follow |= follow_strict; }

// What this invocation has accessed is covered by a fence, and what it will access is not.
void sqa_begin_time() {
  if ((sqa_follow & follow_accessed) != 0u) {
    sqa_covered = sqa_phase + 1u;
    sqa_phase |= SQA_PHASE_TIMES;
    sqa_follow &= ~follow_accessed;
  }
}

// Marks that an atomic at this location releases. far: to other workgroups, too. Returns whether a mark was missing.
bool sqa_mark_release(const uvec2 marks, const uint at, const bool far) {
  uint group = sqa_group(sqa_owner);
  bool traced = (sqa_follow & follow_traced) != 0u;
  bool added = sqa_mark(marks, at, mark_location);
  bool passes_on = !traced || (sqa_follow & follow_seen) != 0u || (sqa_acquired != 0u && sqa_acquired != at) ||
                   sqa_marked(marks, group, mark_seen | sqa_sequence);
  if (passes_on) added = sqa_mark(marks, at, mark_passed_on) || added;
  // Only invocations of the same action need to know who released.
  if (traced) {
    added = sqa_mark(marks, sqa_group_at(group, at), mark_near | sqa_sequence) || added;
    if (far) {
      added = sqa_mark(marks, sqa_group_at(group, at), mark_far | sqa_sequence) || added;
      added = sqa_mark(marks, sqa_group_at(group, 0u), mark_far | sqa_sequence) || added;  // and somewhere
    }
    added = sqa_mark(marks, group, mark_anyone | sqa_sequence) || added;
    if ((sqa_follow & follow_loose) == 0u) {
      [[dont_unroll]] for (uint phase = sqa_since; phase < sqa_covered; ++phase)
        added = sqa_mark(marks, sqa_owner, mark_owner | (phase << mark_phase) | sqa_sequence) || added;
      [[dont_unroll]] for (; sqa_published < sqa_since; ++sqa_published)
        added = sqa_mark(marks, group, mark_group | (sqa_published << mark_phase) | sqa_sequence) || added;
    }
  }
  return added;
}

// Called before an atomic, after its check. how: SQA_ATOMIC_*.
void sqa_before_atomic(const uint how) {
  uint at = sqa_atomic_at;
  sqa_atomic_at = 0u;
  bool traced = (sqa_follow & follow_traced) != 0u;
  bool releases = (sqa_follow & follow_fenced) != 0u;
  // An invocation that waits for a value looks up once.
  if (traced && (releases || (how & SQA_ATOMIC_USED) != 0u) && sqa_observed != at) sqa_look_up_observed();
  // The marks must be visible before the atomic's result is.
  if (releases && sqa_mark_release(sqa_marks(), at, (sqa_follow & follow_device) != 0u && (how & SQA_ATOMIC_DEVICE) != 0u))
    sqa_release();
  if (traced && (how & SQA_ATOMIC_USED) != 0u) {
    if (sqa_observed != at) sqa_follow &= ~follow_takes;
    sqa_observed = at;
    if ((how & SQA_ATOMIC_ACQUIRES) != 0u) sqa_follow |= follow_takes;
    if (at == 0u) sqa_follow |= (sqa_follow & (follow_strict | follow_takes)) != follow_strict ? follow_seen : follow_heard;
  }
}

// Called before anything by which others of the workgroup may learn what this invocation got from an atomic.
void sqa_tell_workgroup() {
  sqa_look_up_observed();
  bool acquired = sqa_acquired != 0u || (sqa_follow & follow_seen) != 0u;
  if (acquired && sqa_mark(sqa_marks(), sqa_group(sqa_owner), mark_seen | sqa_sequence)) sqa_release();
}

// Called before a fence that releases. device: it reaches other workgroups.
void sqa_passed_fence(const bool device) {
  if ((sqa_follow & follow_marks) != 0u) {
    if ((sqa_follow & follow_traced) != 0u) sqa_begin_time();
    sqa_follow |= device ? follow_fenced | follow_device : follow_fenced;
  }
}

// Called before an atomic on workgroup memory. others: invocations of the workgroup may learn from each other in more ways than by
// such atomics, by atomics on buffers and by barriers of the workgroup; then a fence covers what any of them did.
void sqa_before_local_atomic(const bool others) {
  if ((sqa_follow & follow_fenced) != 0u) {
    uint covered = sqa_phase & ~SQA_PHASE_TIMES;
    if (sqa_covered > covered) covered = sqa_covered;
    if (others || (sqa_follow & follow_traced) == 0u) covered = (sqa_phase | SQA_PHASE_TIMES) + 1u;
    if (covered != 0u && sqa_mark(sqa_marks(), sqa_group(sqa_owner), mark_local | ((covered - 1u) << mark_phase) | sqa_sequence))
      sqa_release();
  }
}

// Whether a memory barrier was passed since the last barrier of the workgroup. Invocations without workgroups do not know it.
bool sqa_passed_any() { return sqa_grouped == 0u || (sqa_grouped & passed_any) != 0u; }

// Called before a barrier that may order for a part of the workgroup: whoever passes it, too, finds what this invocation did before it.
// memory: its own semantics release; otherwise a memory barrier must have done so.
void sqa_reach_part(const bool memory) {
  if ((sqa_follow & follow_marks) != 0u && (memory || sqa_passed_any())) {
    sqa_begin_time();
    uvec2 marks = sqa_marks();
    bool added = false;
    if (sqa_parted < sqa_since) sqa_parted = sqa_since;
    [[dont_unroll]] for (; sqa_parted < sqa_covered; ++sqa_parted)
      added = sqa_mark(marks, sqa_owner + sqa_part, mark_part | (sqa_parted << mark_phase) | sqa_sequence) || added;
    if (added) sqa_release();
  }
}

// Whether the cell names an invocation, not this one, whose access conflicts with this one, and says when it made it. What came before is
// ordered before the newest access, so whoever is ordered behind that one is behind both.
bool sqa_names_another(const uvec2 cell, const uvec2 own) {
  uint spread = sqa_cell_spread(cell.x);
  bool one = spread == SQA_SPREAD_INVOCATION ||
             (spread == SQA_SPREAD_WORKGROUP && sqa_cell_kind(cell.x) == SQA_KIND_READ && sqa_cell_some_bytes(cell.x) == 0u &&
              ((sqa_named(cell) ^ sqa_owner) & ~unnamed_bit) != 0u);
  return one && sqa_cell_phase(cell.x) < SQA_MAX_PHASE && (sqa_cell_before(cell.x) == 0u || sqa_newest_conflicts(cell.x, own.x));
}
// The same, and whether a release can be told to lie behind the access: those of atomics, which release themselves, cannot.
bool sqa_has_time(const uvec2 cell, const uvec2 own) { return sqa_names_another(cell, own) && !sqa_is_atomic(sqa_cell_kind(cell.x)); }

// Whether the invocation that the cell names has left this mark for its access; or, if group_mark is not 0, its workgroup that one. part:
// added to the invocation. Among several readers the time may be another one's.
bool sqa_named_has_marked(const uvec2 marks, const uvec2 cell, const uint part, const uint mark, const uint group_mark) {
  uint owner = sqa_named(cell);
  uint phase = sqa_cell_phase(cell.x);
  uint tries = sqa_cell_spread(cell.x) == SQA_SPREAD_INVOCATION ? 1u : 4u;
  bool marked = false;
  [[dont_unroll]] for (uint n = 0u; n < tries && !marked; ++n) {
    uint when = ((phase ^ (n & SQA_PHASE_TIMES)) << mark_phase) | sqa_sequence;
    marked = sqa_marked(marks, (owner ^ ((n >> 1u) * unnamed_bit)) + part, mark | when) ||
             (group_mark != 0u && sqa_marked(marks, sqa_group(owner), group_mark | when));
  }
  return marked;
}

// Whether the access in the cell, one of this action, may have been released to where this invocation acquired. Every chain of releases
// begins with a release by the invocation that made the access, or by one of its workgroup behind a barrier.
bool sqa_may_be_released(const uvec2 marks, const uvec2 cell, const uvec2 own) {
  uint group = sqa_group(sqa_cell_owner(cell.x, cell.y));
  bool released = sqa_cell_spread(cell.x) >= SQA_SPREAD_SEVERAL;
  if (!released) {
    if (sqa_has_time(cell, own) && (sqa_follow & follow_loose) == 0u)
      released = sqa_named_has_marked(marks, cell, 0u, mark_owner, mark_group);
    else
      released = sqa_marked(marks, group, mark_anyone | sqa_sequence);
    bool near = group == sqa_group(sqa_owner);
    bool seen = (sqa_follow & follow_seen) != 0u;
    // What may come from anywhere has left its workgroup somewhere.
    if (released && !(near && seen))
      released = sqa_marked(marks, sqa_group_at(group, seen ? 0u : sqa_acquired), (near ? mark_near : mark_far) | sqa_sequence);
  }
  return released;
}

// Whether the access in the cell, one of this action and of this workgroup, may have been released by an atomic on workgroup memory.
bool sqa_may_be_released_locally(const uvec2 marks, const uvec2 cell, const uvec2 own) {
  uint group = sqa_group(sqa_owner);
  bool released = false;
  [[dont_unroll]] for (uint phase = sqa_has_time(cell, own) ? sqa_cell_phase(cell.x) : sqa_since;
                       phase <= (sqa_phase | SQA_PHASE_TIMES) && !released; ++phase)
    released = sqa_marked(marks, group, mark_local | (phase << mark_phase) | sqa_sequence);
  return released;
}

// Whether the access in the cell, one of this action and of this workgroup, may lie before a barrier of the subgroup that both passed.
bool sqa_may_be_of_part(const uvec2 marks, const uvec2 cell, const uvec2 own) {
  return !sqa_names_another(cell, own) || sqa_named_has_marked(marks, cell, sqa_part, mark_part, 0u);
}

// Whether a release and an acquire, or a barrier of a part, may have ordered the access in the cell before this invocation's. If the
// access is another action's, it is not known who released it: commands may have ordered it before the invocation that did.
bool sqa_may_be_acquired(const uvec2 cell, const uvec2 own) {
  bool ordered = false;
  if ((sqa_follow & (follow_traced | follow_local | follow_part)) != 0u) {
    uvec2 marks = sqa_marks();
    uint group = sqa_group(sqa_owner);
    sqa_look_up_observed();
    // Without workgroups, invocations learn from others only through subgroups.
    bool told = sqa_grouped != 0u || (sqa_follow & follow_loose) != 0u;
    if (told && (sqa_follow & follow_seen) == 0u && sqa_marked(marks, group, mark_seen | sqa_sequence))
      sqa_follow |= follow_seen;
    bool same_action = sqa_cell_sequence(cell.y) == sqa_sequence;
    bool same_group = same_action && sqa_cell_spread(cell.x) < SQA_SPREAD_SEVERAL && sqa_group(sqa_cell_owner(cell.x, cell.y)) == group;
    if ((sqa_follow & follow_seen) != 0u || sqa_acquired != 0u) ordered = !same_action || sqa_may_be_released(marks, cell, own);
    if (!ordered && same_group && (sqa_follow & follow_local) != 0u) ordered = sqa_may_be_released_locally(marks, cell, own);
    if (!ordered && same_group && (sqa_follow & follow_part) != 0u) ordered = sqa_may_be_of_part(marks, cell, own);
  }
  return ordered;
}
