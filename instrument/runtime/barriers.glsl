// SPDX-License-Identifier: Apache-2.0
// What barriers order within a workgroup (docs/internals/exact.md, "Memory barriers beside control barriers").

// A memory barrier of subgroup scope lies before a barrier: it orders for the subgroup alone, as a barrier of a part does. passed: a bit
// that says so.
void sqa_passed_narrow(const uint passed) {
#ifdef SQA_RELEASES
  if ((sqa_grouped & passed) != 0u) sqa_follow |= follow_part;
#endif
}

// The phases before this one are released by a barrier of the workgroup that begins the next phase, or were by earlier ones. passed: its bits.
uint sqa_released(const uint passed, const bool releases) {
  uint released = passed >> released_shift;
  uint phase = sqa_phase & ~SQA_PHASE_TIMES;
  if ((passed & passed_early_barrier) != 0u && released < phase) released = phase;
  if (releases || (passed & passed_memory_barrier) != 0u) released = sqa_next_phase();
  return released;
}

// What the workgroup did before the phase `since` is ordered before what follows, and what it did since then is not.
void sqa_order_partly(const uint since) {
  if (sqa_grouped != 0u && since > sqa_since) sqa_grouped |= ordered_partly;
  sqa_since = since;
}

// Called after a barrier of the workgroup. memory: its own semantics order buffer memory. A barrier without them does so for an
// invocation that has passed a memory barrier since the barrier before it.
void sqa_passed_barrier_exact(const bool memory) {
  uint before = sqa_phase & ~SQA_PHASE_TIMES;
  sqa_phase = sqa_next_phase();
  if (memory || (sqa_grouped & passed_memory_barrier) != 0u)
    sqa_since = sqa_phase;
  else if ((sqa_grouped & passed_early_barrier) != 0u)
    sqa_order_partly(before);
  sqa_passed_narrow(passed_narrow_barrier);
  sqa_grouped &= 1u | ordered_partly;
}

// The same, where a memory barrier is asked for behind the control barrier, too (strict). releases, acquires: its own semantics do so
// for buffer memory. What was released, and not acquired yet, is kept in the upper bits of sqa_grouped: the phases before that one.
void sqa_passed_barrier_strict(const bool releases, const bool acquires) {
  uint released = sqa_released(sqa_grouped, releases);
  sqa_phase = sqa_next_phase();
  if (sqa_grouped != 0u) {
    uint partly = sqa_grouped & ordered_partly;
    if (acquires && released > sqa_since) {
      sqa_since = released;
      if (released < sqa_phase) partly = ordered_partly;
    }
    // What a subgroup has released is acquired by this barrier, or by the next one that does, or a memory barrier.
    uint part = sqa_grouped & passed_part;
    if ((sqa_grouped & passed_narrow_barrier) != 0u) part = passed_part;
    if (acquires) sqa_passed_narrow(passed_narrow_barrier | passed_part);
    sqa_grouped = 1u | partly | part | released << released_shift;
  }
}

#ifdef SQA_RELEASES
// Called after a barrier of a part of the workgroup. Others need not pass it, so no phase begins: the marks say what is ordered.
void sqa_passed_part_exact(const bool memory) {
  if (memory || sqa_passed_any()) sqa_follow |= follow_part;
  if (sqa_grouped != 0u) sqa_grouped |= passed_part;
}
#endif

void sqa_note_memory_barrier(const bool wide, const bool early) {
  sqa_passed_narrow(passed_part);
  uint passed = passed_narrow_barrier;
  if (wide) passed = early ? passed_early_barrier : passed_memory_barrier;
  if (sqa_grouped != 0u) sqa_grouped |= passed;
}

// Called after a memory barrier for buffers, in shaders whose barriers do not all order them. wide: its scope is not only the subgroup.
// acquires: others may have released before a barrier that this invocation has passed, though it did not itself; that they did is
// taken for granted. early: nothing of this phase lies before it.
void sqa_passed_memory_barrier_exact(const bool wide, const bool acquires, const bool early) {
  if (acquires) sqa_order_partly(sqa_phase & ~SQA_PHASE_TIMES);
  sqa_note_memory_barrier(wide, early);
}
// The same behind sqa_passed_barrier_strict. What a barrier of subgroup scope acquires is not told apart.
void sqa_passed_memory_barrier_strict(const bool wide, const bool acquires, const bool early) {
  if (acquires) sqa_order_partly(sqa_phase & ~SQA_PHASE_TIMES);
  uint released = sqa_grouped >> released_shift;
  if (released > sqa_since) sqa_order_partly(released);
  sqa_note_memory_barrier(wide, early);
}
