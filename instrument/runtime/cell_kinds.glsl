// SPDX-License-Identifier: Apache-2.0
// Which kinds of accesses need an order. Compiled as GLSL by exact.glsl and as C++.

bool sqa_is_atomic(const uint kind) { return kind >= SQA_KIND_ATOMIC; }

// Whether accesses of these kinds need an order.
bool sqa_conflict(const uint a, const uint b) {
  return !(a == SQA_KIND_READ && b == SQA_KIND_READ) && !(sqa_is_atomic(a) && sqa_is_atomic(b));
}

// The same for an atomic load and an access of this kind.
bool sqa_conflict_atomic_read(const uint kind) { return kind == SQA_KIND_WRITE; }

// Whether an access of this kind needs an order with what came before the cell's access (SQA_BEFORE_*).
bool sqa_conflict_before(const uint before, const uint kind) {
  return before == SQA_BEFORE_WRITE || (before == SQA_BEFORE_READ && kind != SQA_KIND_READ) ||
         (before == SQA_BEFORE_ATOMIC && !sqa_is_atomic(kind));
}

// SQA_BEFORE_* of a cell whose access is replaced by one that is ordered after it: what had come before it, and its own kind.
uint sqa_before_with(const uint before, const uint kind) {
  uint now = kind == SQA_KIND_READ ? SQA_BEFORE_READ : (kind == SQA_KIND_WRITE ? SQA_BEFORE_WRITE : SQA_BEFORE_ATOMIC);
  return before > now ? before : now;
}
