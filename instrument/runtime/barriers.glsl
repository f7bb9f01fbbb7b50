// SPDX-License-Identifier: Apache-2.0
// What barriers order within a workgroup (docs/internals/exact.md, "Memory barriers beside control barriers").

// Called after a barrier of the workgroup. memory: its own semantics order buffer memory. A barrier without them does so for an
// invocation that has passed a memory barrier since the barrier before it.
void sqa_passed_barrier_exact(const bool memory) {
  uint before = sqa_phase & ~SQA_PHASE_TIMES;
  sqa_phase = sqa_next_phase();
  if ((sqa_grouped & passed_early_barrier) != 0u) sqa_since = before;
  if (memory || (sqa_grouped & passed_memory_barrier) != 0u) sqa_since = sqa_phase;
  sqa_grouped &= 1u;
}

#ifdef SQA_RELEASES
// Called after a barrier of a part of the workgroup. Others need not pass it, so no phase begins: the marks say what is ordered.
void sqa_passed_part_exact(const bool memory) {
  if (memory || (sqa_grouped & (passed_memory_barrier | passed_narrow_barrier | passed_early_barrier)) != 0u) sqa_follow |= follow_part;
  if (sqa_grouped != 0u) sqa_grouped |= passed_part;
}
#endif

// Called after a memory barrier for buffers, in shaders whose barriers do not all order them. wide: its scope is not only the subgroup.
// acquires: others may have released before a barrier that this invocation has passed, though it did not itself; that they did is
// taken for granted. early: nothing of this phase lies before it.
void sqa_passed_memory_barrier_exact(const bool wide, const bool acquires, const bool early) {
  if (acquires) sqa_since = sqa_phase & ~SQA_PHASE_TIMES;
#ifdef SQA_RELEASES
  if ((sqa_grouped & passed_part) != 0u) sqa_follow |= follow_part;
#endif
  uint passed = passed_narrow_barrier;
  if (wide) passed = early ? passed_early_barrier : passed_memory_barrier;
  if (sqa_grouped != 0u) sqa_grouped |= passed;
}
