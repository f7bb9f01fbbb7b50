// SPDX-License-Identifier: Apache-2.0
// Conditions on a race by the barriers between its sides, for the classes of known.cpp.
#ifndef SHADERQA_TESTS_ORACLE_KNOWN_BARRIERS_H
#define SHADERQA_TESTS_ORACLE_KNOWN_BARRIERS_H

#include <vector>

#include "known.h"

namespace oracle {

const Statement& statement_of(const Occurrence& race, const Access& access);
bool within_command(const Occurrence& race);
bool within_workgroup(const Occurrence& race);
bool in_workgroup_memory(const Occurrence& race);
const std::vector<Statement>& shader_of(const Occurrence& race);

// A memory barrier that releases or acquires only lies between the two; or both are of one subgroup, a
// barrier of which lies between them, and the order that it gives is not complete: it has no semantics for
// the memory, or something there releases or acquires only.
bool is_behind_half_a_barrier(const Occurrence& race);
// A barrier that releases or acquires only lies before the access, where order is strict.
bool is_half_ordered(const Occurrence& race, const Access& access);
// A memory barrier lies before the first of the two, with no control barrier between them. The control
// barrier behind the access, which orders nothing by itself, counts as one behind that memory barrier.
bool is_behind_a_fence(const Occurrence& race);
// One side is behind a second fence or barrier of its subgroup, or behind one that only acquires or releases;
// or both are of one subgroup, and any fence lies between them.
bool is_behind_narrow_fences(const Occurrence& race);
// A memory barrier that not all pass lies between the two, and a control barrier.
bool has_order_on_one_side(const Occurrence& race);
// One side is a read of a draw, the other one is in a later draw of its render pass, and a barrier lies
// between the draws.
bool is_behind_barrier_in_its_pass(const Occurrence& race);
// A memory barrier of subgroup scope and a barrier of the workgroup lie between the two.
bool is_behind_narrow_fence(const Occurrence& race);

}  // namespace oracle
#endif
