// SPDX-License-Identifier: Apache-2.0
#include "host/findings/hazard_class.h"

#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/cell_fields.h"

namespace shaderqa {
namespace {

// A granule is 16 bytes, 4 words. The words that these of its bytes lie in.
uint32_t words_of(uint32_t bytes) {
  uint32_t words = 0;
  for (uint32_t word = 0; word < 4; ++word) words |= ((bytes >> (4 * word)) & 15u) != 0 ? 1u << word : 0;
  return words;
}

uint32_t bytes_of(uint32_t words) {
  uint32_t bytes = 0;
  for (uint32_t word = 0; word < 4; ++word) bytes |= ((words >> word) & 1u) * (15u << (4 * word));
  return bytes;
}

EarlierAccess earlier_of(const Cell& cell) {
  switch (cell_access(cell)) {
    case SQA_ACCESS_LOAD:
      return EarlierAccess::load;
    case SQA_ACCESS_STORE:
      return EarlierAccess::store;
    default:
      return EarlierAccess::atomic;
  }
}

}  // namespace

// A load forbids writes and atomics (W, A); a store everything (R, W, A, I); an atomic all but atomics (R, W,
// I); an atomic load writes alone (W). So R without A is an atomic alone, R with A a store or an atomic
// beside a load, W without R a load, and W alone an atomic load.
Classified classify_hazard(Access access, uint32_t low, uint32_t high) {
  const uint32_t no_read = low & 0xffffu, no_write = low >> 16;
  const uint32_t no_atomic = high & 15u, no_indirect = (high >> 4) & 15u;
  switch (access) {
    case Access::load:
      if (no_read == 0) return {};
      if ((no_atomic & words_of(no_read)) == 0)
        return {HazardClass::atomic_against_plain, EarlierAccess::atomic};
      return {HazardClass::read_after_write, EarlierAccess::store_or_atomic};
    case Access::store:
      if (no_write == 0) return {};
      if ((no_read & no_write) == 0 && (no_atomic & words_of(no_write)) != 0)
        return {HazardClass::write_after_read, EarlierAccess::load};
      if ((no_atomic & words_of(no_read & no_write)) == 0)
        return {HazardClass::atomic_against_plain, EarlierAccess::atomic};
      return {HazardClass::write_after_write, EarlierAccess::store_or_atomic};
    case Access::atomic:
      if (no_atomic == 0) return {};
      return {HazardClass::atomic_against_plain,
              (no_read & bytes_of(no_atomic)) == 0 ? EarlierAccess::load : EarlierAccess::load_or_store};
    case Access::indirect:
      if (no_indirect == 0) return {};
      return {HazardClass::read_after_write,
              (no_atomic & no_indirect) == 0 ? EarlierAccess::atomic : EarlierAccess::store_or_atomic};
  }
  return {};
}

Classified classify_exact_hazard(Access access, const Cell& cell, Missing missing, bool same_action) {
  if (!precedes_cell(access, cell, same_action)) return classify_pair(access, earlier_of(cell), missing);
  EarlierAccess before = EarlierAccess::store;
  if (cell.before == SQA_BEFORE_READ) before = EarlierAccess::load;
  if (cell.before == SQA_BEFORE_ATOMIC) before = EarlierAccess::atomic;
  return classify_pair(access, before, missing);
}

bool precedes_cell(Access access, const Cell& cell, bool same_action) {
  if (cell.spread == SQA_SPREAD_SEVERAL || cell.before == 0) return false;
  const bool writes = access == Access::store || access == Access::atomic;
  if (cell.kind == SQA_KIND_READ) {
    // Only reads of the same action conflict with a write for certain. Behind another action, what
    // came before them lacks availability; then it is a write or an atomic.
    if (!writes) return true;  // nor does an atomic load conflict with a load
    return !same_action && cell.before >= (access == Access::atomic ? SQA_BEFORE_WRITE : SQA_BEFORE_ATOMIC);
  }
  // Atomics conflict with no atomics, unless their scope is too narrow.
  return access == Access::atomic && cell.kind == SQA_KIND_ATOMIC && cell.before != SQA_BEFORE_ATOMIC;
}

Classified classify_pair(Access access, EarlierAccess earlier, Missing missing) {
  const bool atomic = access == Access::atomic, was_atomic = earlier == EarlierAccess::atomic;
  if (missing == Missing::memory) return {HazardClass::execution_only, earlier};
  if (atomic && was_atomic) return {HazardClass::workgroup_atomics, earlier};
  if (atomic || was_atomic) return {HazardClass::atomic_against_plain, earlier};
  if (access != Access::store) return {HazardClass::read_after_write, earlier};
  return {earlier == EarlierAccess::load ? HazardClass::write_after_read : HazardClass::write_after_write,
          earlier};
}

}  // namespace shaderqa
