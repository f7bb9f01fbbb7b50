// SPDX-License-Identifier: Apache-2.0
// Kinds of accesses that need an order. Compiled as GLSL by exact.glsl and as C++.

bool sqa_is_atomic(const uint kind) { return kind >= SQA_KIND_ATOMIC; }

// Whether accesses of these kinds need an order.
bool sqa_conflict(const uint a, const uint b) {
  return !(a == SQA_KIND_READ && b == SQA_KIND_READ) && !(sqa_is_atomic(a) && sqa_is_atomic(b));
}

// The same of `before` of a cell (SQA_BEFORE_*).
bool sqa_conflict_before(const uint before, const uint kind) {
  return before == SQA_BEFORE_MIXED || (before == SQA_BEFORE_READ && kind != SQA_KIND_READ) ||
         (before == SQA_BEFORE_ATOMIC && !sqa_is_atomic(kind));
}
