// SPDX-License-Identifier: Apache-2.0
// What follows when an access meets a cell of its own action (docs/internals/exact.md): whether the two race, and what the cell
// becomes. Compiled as GLSL by exact.glsl and as C++ by its tests, so it keeps to what both have: SQA_OUT(T) is an out parameter.

// Whether accesses of these kinds need an order. Both are dwords of cells that stand for accesses to the same bytes. others: they
// are neither of one invocation nor of one workgroup.
bool sqa_cells_conflict(const uint found_low, const uint own_low, const bool others) {
  uint a = sqa_cell_kind(found_low);
  uint b = sqa_cell_kind(own_low);
  bool conflict = a == SQA_KIND_WRITE || b == SQA_KIND_WRITE;
  if (!conflict && (a | b) != SQA_KIND_READ) {
    // Atomics of too narrow a scope, and of different sizes, do not order each other.
    bool narrow = others && (a == SQA_KIND_ATOMIC_WORKGROUP || b == SQA_KIND_ATOMIC_WORKGROUP);
    bool atomic_read = (a == SQA_KIND_READ && sqa_cell_atomic_read(found_low)) || (b == SQA_KIND_READ && sqa_cell_atomic_read(own_low));
    if (atomic_read)
      conflict = narrow;
    else
      conflict = a == SQA_KIND_READ || b == SQA_KIND_READ || narrow || sqa_cell_mask(found_low ^ own_low) != 0u;
  }
  return conflict;
}

bool sqa_cells_overlap(const uint found_low, const uint own_low) {
  return (sqa_cell_bytes(found_low) & sqa_cell_bytes(own_low)) != 0u;
}

// Who an access is made by, and what is ordered before it.
struct SqaSelf {
  bool grouped;        // owners have workgroups
  uint since;          // from this phase on, no barrier of the workgroup orders accesses before this one,
  uint since_part;     // nor, from this one on, a barrier of its subgroup
  uint subgroup_size;  // 0: owners do not tell their subgroups
};

bool sqa_cell_same_group(const uint found_low, const uint found_high, const uint own_high, const SqaSelf self) {
  return self.grouped && sqa_cell_spread(found_low) < SQA_SPREAD_SEVERAL &&
         (sqa_cell_owner_high(found_high ^ own_high) & ~uint(SQA_CELL_LOCAL_HIGH)) == 0u;
}
bool sqa_cell_same_owner(const uint found_low, const uint found_high, const uint own_low, const uint own_high) {
  return sqa_cell_spread(found_low) == SQA_SPREAD_INVOCATION && sqa_cell_owner_high(found_high ^ own_high) == 0u &&
         sqa_cell_owner_low(found_low ^ own_low) == 0u;
}

// Whether barriers order what the cell stands for, which is of the same workgroup, before the access.
bool sqa_cell_behind(const uint found_low, const uint found_high, const uint own_low, const uint own_high, const SqaSelf self) {
  uint phase = sqa_cell_phase(found_low);
  bool behind = phase < self.since;
  if (!behind && self.since_part > self.since && phase < self.since_part) {
    uint differs = sqa_cell_owner(found_low, found_high) ^ sqa_cell_owner(own_low, own_high);
    // Of several invocations it is not known to which subgroups they belong.
    behind = sqa_cell_spread(found_low) != SQA_SPREAD_INVOCATION || self.subgroup_size == 0u ||
             (differs & SQA_ONES(SQA_LOCAL_BITS)) < self.subgroup_size;
  }
  return behind;
}

// Whether the access conflicts with what the workgroup of the cell did earlier.
bool sqa_cell_conflicts_before(const uint found_low, const uint own_low) {
  return (sqa_cell_before(found_low) & SQA_BEFORE_EARLIER) != 0u &&
         (sqa_cell_kind(found_low) | sqa_cell_kind(own_low)) != SQA_KIND_READ;
}

// own: what the access stores into an empty cell. Returns 0 (no hazard) or SQA_MISSING_*.
uint sqa_cell_hazard(const uint found_low, const uint found_high, const uint own_low, const uint own_high, const SqaSelf self) {
  uint spread = sqa_cell_spread(found_low);
  uint before = sqa_cell_before(found_low);
  bool same_owner = sqa_cell_same_owner(found_low, found_high, own_low, own_high);
  bool same_group = sqa_cell_same_group(found_low, found_high, own_high, self);
  bool others = !same_owner && !same_group;
  // Each of several invocations has other bytes, and it is not known which. Whoever accesses all of them meets others.
  bool mixed = spread != SQA_SPREAD_INVOCATION && sqa_cell_some_bytes(found_low) != 0u &&
               ((sqa_cell_bytes(found_low) & ~sqa_cell_bytes(own_low)) != 0u || (before & SQA_BEFORE_OTHERS) != 0u);
  uint hazard = 0u;
  if (spread != SQA_SPREAD_REPORTED && !sqa_cell_two_actions(found_low) && sqa_cells_overlap(found_low, own_low) &&
      (sqa_cells_conflict(found_low, own_low, others) || (others && sqa_cell_conflicts_before(found_low, own_low)))) {
    if (others) {
      if (!mixed || spread == SQA_SPREAD_WORKGROUP) hazard = SQA_MISSING_ORDER;
    } else if (!mixed && (!same_owner || (before & SQA_BEFORE_OTHERS) != 0u) && sqa_cell_phase(found_low) != uint(SQA_MAX_PHASE) &&
               !sqa_cell_behind(found_low, found_high, own_low, own_high, self)) {
      hazard = same_owner || sqa_cell_phase(found_low ^ own_low) != 0u ? SQA_MISSING_MEMORY : SQA_MISSING_ORDER;
    }
  }
  return hazard;
}

// What the cell becomes, where there is no hazard.
void sqa_cell_joined(const uint found_low, const uint found_high, const uint own_low, const uint own_high, const SqaSelf self,
                     SQA_OUT(uint) next_low, SQA_OUT(uint) next_high) {
  uint spread = sqa_cell_spread(found_low);
  uint before = sqa_cell_before(found_low);
  uint kind = sqa_cell_kind(own_low);
  uint found_kind = sqa_cell_kind(found_low);
  uint mask = sqa_cell_mask(own_low);
  uint found_mask = sqa_cell_mask(found_low);
  bool same_owner = sqa_cell_same_owner(found_low, found_high, own_low, own_high);
  bool same_group = sqa_cell_same_group(found_low, found_high, own_high, self);
  bool behind = same_group && sqa_cell_behind(found_low, found_high, own_low, own_high, self);
  bool both_atomic = kind >= SQA_KIND_ATOMIC && found_kind >= SQA_KIND_ATOMIC;
  // Reads and atomic loads, or atomics and a write.
  bool alike = both_atomic ? mask == found_mask : kind == found_kind && (mask == 0u) == (found_mask == 0u);
  bool covered = (sqa_cell_bytes(own_low) & ~sqa_cell_bytes(found_low)) == 0u;
  // The cell's access conflicts with more: a write before atomics, a read before atomic loads.
  bool other_size = both_atomic && mask != found_mask && sqa_cells_overlap(found_low, own_low);
  bool weaker = (kind >= SQA_KIND_ATOMIC && found_kind == SQA_KIND_WRITE) || (kind == SQA_KIND_READ && mask == 0u && found_mask != 0u);
  bool strongest = kind == SQA_KIND_WRITE || (kind == SQA_KIND_READ && mask != 0u);  // of those that join the cell
  uint earlier = same_group && covered && !strongest ? before & SQA_BEFORE_EARLIER : 0u;
  bool keeps = false;  // the cell stays
  bool merges = false;
  bool was_mixed = spread != SQA_SPREAD_INVOCATION && sqa_cell_some_bytes(found_low) != 0u;
  next_low = own_low;
  next_high = own_high;
  if (sqa_cell_two_actions(found_low) || spread == SQA_SPREAD_REPORTED) {
    keeps = true;
  } else if (behind) {
    if ((weaker || other_size) && covered) earlier = SQA_BEFORE_EARLIER;
    next_low |= sqa_cell_before_field(earlier);
  } else if (same_owner) {
    if (alike) {
      keeps = sqa_cell_phase(found_low ^ own_low) == 0u && (mask | found_mask) == found_mask && kind <= found_kind;
      next_low |= found_mask | sqa_cell_before_field(earlier | (before & SQA_BEFORE_OTHERS));
    } else if (other_size) {
      next_low = sqa_cell_with_mask(own_low, uint(SQA_MASK_OF_SIZES)) | sqa_cell_before_field(earlier | (before & SQA_BEFORE_OTHERS));
    } else if (weaker) {
      // The stronger one, as late as the weaker one.
      next_low = (found_low & ~SQA_CELL_PHASE_FIELD) | (own_low & SQA_CELL_PHASE_FIELD);
      next_high = found_high;
    }
  } else if (!alike) {
    // Ordered by something else, or of other bytes, or beside what conflicts with less.
    keeps = weaker || (found_kind != SQA_KIND_READ && kind != SQA_KIND_WRITE) ||
            (found_kind != SQA_KIND_READ && !sqa_cells_overlap(found_low, own_low));
  } else {
    // A write that is ordered after the cell's takes its place.
    merges = kind != SQA_KIND_WRITE || was_mixed || !sqa_cells_overlap(found_low, own_low);
  }
  if (merges) {
    bool mixed = mask != found_mask || was_mixed;
    bool later = sqa_cell_phase(found_low) < sqa_cell_phase(own_low);
    next_low |= found_mask;
    if (same_group && !mixed && later) {
      next_low |= sqa_cell_before_field(earlier | SQA_BEFORE_OTHERS);
    } else {
      if (same_group && mixed) earlier |= later ? uint(SQA_BEFORE_OTHERS) : before & SQA_BEFORE_OTHERS;
      // Of several readers the cell names the first.
      uint phase = same_group ? (later ? own_low : found_low) & SQA_CELL_PHASE_FIELD : 0u;
      next_low = (found_low & (SQA_CELL_TAG_FIELD | SQA_CELL_KIND_FIELD)) | sqa_cell_mask(next_low) | phase |
                 sqa_cell_spread_field(same_group ? SQA_SPREAD_WORKGROUP : SQA_SPREAD_SEVERAL) | sqa_cell_before_field(earlier);
      if (mixed) next_low |= SQA_CELL_SOME_BYTES_FIELD;
      next_high = (found_high & ~SQA_CELL_OWNER_HIGH) |
                  (same_group ? sqa_cell_owner_high(own_high) & ~uint(SQA_CELL_LOCAL_HIGH) : 0u);
    }
  }
  // Of atomics, the narrower scope.
  if (both_atomic && (same_owner || same_group || merges)) next_low |= (found_low | own_low) & SQA_CELL_KIND_FIELD;
  if (keeps) {
    next_low = found_low;
    next_high = found_high;
  }
}

// What most accesses find, decided from the packed dwords alone; the functions above decide the same.
// Whether what the cell stands for is ordered before the access, whatever it is: it is of an action up to ordered_before, or of the
// same workgroup before a barrier.
bool sqa_cell_is_past(const uint found_low, const uint found_high, const uint own_high, const uint ordered_before, const bool grouped,
                      const uint since) {
  uint sequence = sqa_cell_sequence(found_high);
  bool past = sequence <= ordered_before;
  if (sequence == sqa_cell_sequence(own_high))
    past = grouped && sqa_cell_spread(found_low) < SQA_SPREAD_SEVERAL &&
           (sqa_cell_owner_high(found_high ^ own_high) & ~uint(SQA_CELL_LOCAL_HIGH)) == 0u && sqa_cell_phase(found_low) < since;
  return past;
}
// Whether the cell stays as it is when a read or an atomic joins it, and the access need not meet the other cell: it is one more of
// those that the cell stands for, of which the last one has met it.
bool sqa_cell_stays(const uint found_low, const uint found_high, const uint own_low, const uint own_high) {
  uint differs = (found_low ^ own_low) & ~SQA_CELL_TAG_FIELD;
  uint spread = sqa_cell_spread(found_low);
  uint differs_high = found_high ^ own_high;
  if (spread == SQA_SPREAD_WORKGROUP) {
    differs = (differs ^ sqa_cell_spread_field(uint(SQA_SPREAD_WORKGROUP))) & ~(SQA_CELL_BEFORE_FIELD | ~SQA_CELL_BELOW_OWNER);
    differs |= sqa_cell_some_bytes(found_low);
    differs_high &= ~uint(SQA_CELL_LOCAL_HIGH);
  } else if (spread == SQA_SPREAD_SEVERAL) {
    differs = (differs ^ sqa_cell_spread_field(uint(SQA_SPREAD_SEVERAL))) & SQA_ONES(SQA_CELL_PHASE);
    differs |= found_low >> SQA_CELL_PHASE;
    differs_high = (differs_high & ~SQA_CELL_OWNER_HIGH) | sqa_cell_owner_high(found_high);
  }
  return (differs | differs_high) == 0u;
}

// The cell of two actions whose accesses are not ordered: that of the newer one, in which the older one takes the place of the owner.
void sqa_cell_with_older(const uint low, const uint high, const uint older_low, const uint older_high, SQA_OUT(uint) next_low,
                         SQA_OUT(uint) next_high) {
  uint older = sqa_cell_older_field(older_low, older_high);
  next_low = (low & (SQA_CELL_MASK_ONES | SQA_CELL_KIND_FIELD | SQA_CELL_TAG_FIELD)) | sqa_cell_spread_field(uint(SQA_SPREAD_SEVERAL)) |
             sqa_cell_before_field(uint(SQA_BEFORE_OLDER)) | sqa_cell_older_in_low(older);
  next_high = (high & ~SQA_CELL_OWNER_HIGH) | sqa_cell_older_in_high(older);
}

// The older one of the two actions in a cell, as a cell of its own.
void sqa_cell_older(const uint low, const uint high, SQA_OUT(uint) older_low, SQA_OUT(uint) older_high) {
  uint older = sqa_cell_older_of(low, high);
  older_low = (low & SQA_CELL_KIND_FIELD) | sqa_cell_spread_field(uint(SQA_SPREAD_SEVERAL)) | sqa_cell_older_low(older);
  older_high = sqa_cell_older_high(older);
}
