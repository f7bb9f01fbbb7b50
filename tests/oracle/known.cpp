// SPDX-License-Identifier: Apache-2.0
#include "known.h"

#include <algorithm>
#include <set>
#include <span>
#include <tuple>

#include "known_barriers.h"

namespace oracle {
namespace {

using What = Statement::What;

bool same(const Access& a, const Access& b) { return a.site == b.site && a.agent == b.agent; }
bool conflict(const Access& a, const Access& b) {
  return (writes(a.kind) || writes(b.kind)) && !(is_atomic(a.kind) && is_atomic(b.kind));
}
// To the engine, which takes all accesses for non-private ones.
bool are_ordered(const Occurrence& race, Access a, Access b) {
  a.non_private = b.non_private = true;
  const bool swapped = b.site.command < a.site.command;
  return between(race.program, swapped ? b : a, swapped ? a : b, std::max(a.begin, b.begin)) == Verdict::none;
}

// Other accesses to the word that race with neither side.
template <typename Condition>
size_t count_between(const Occurrence& race, const Condition& condition) {
  return static_cast<size_t>(std::ranges::count_if(race.word, [&](const Access* other) {
    return !same(*other, race.x) && !same(*other, race.y) && other->site.command >= race.x.site.command &&
           other->site.command <= race.y.site.command && condition(*other) &&
           are_ordered(race, race.x, *other) && are_ordered(race, *other, race.y);
  }));
}
template <typename Condition>
bool any_between(const Occurrence& race, const Condition& condition) {
  return count_between(race, condition) != 0;
}

// Condition of one side and the other, in either order.
template <typename Condition>
bool either_way(const Occurrence& race, const Condition& condition) {
  return condition(race.x, race.y) || condition(race.y, race.x);
}

bool is_by_address(const Occurrence& race, const Access& access) {
  return race.program.views[statement_of(race, access).view].reach == View::Reach::address;
}
// Whether a shader stores parts of words of the memory by this access, through a descriptor: then all of its
// bytes have cells. What descriptors in descriptor buffers lead to is not known in time.
bool stores_part_of(const Occurrence& race, uint32_t memory, const Access& access) {
  return !race.program.descriptor_buffers && access.memory == memory && access.size < 4 &&
         access.site.statement >= 0 && access.kind == Kind::write && !is_by_address(race, access);
}

// Whether the access is to a part of a word whose bytes have no cells of their own.
bool is_part_of_one_cell(const Occurrence& race, const Access& access) {
  if (access.size >= 4 || access.site.statement < 0) return false;
  return is_by_address(race, access) || std::ranges::none_of(race.truth.accesses, [&](const Access& one) {
           return stores_part_of(race, access.memory, one);
         });
}

bool has_parts_of_one_cell(const Occurrence& race) {
  const auto bytes = [&](const Access& access) {
    return std::pair(access.begin, access.begin + access.size);
  };
  return !in_workgroup_memory(race) &&
         std::ranges::any_of(race.word, [&](const Access* one) { return is_part_of_one_cell(race, *one); }) &&
         std::ranges::any_of(race.word,
                             [&](const Access* one) { return bytes(*one) != bytes(*race.word.front()); });
}

bool is_of_two_sizes(const Occurrence& race) {
  return !in_workgroup_memory(race) && is_atomic(race.x.kind) && is_atomic(race.y.kind) &&
         (race.x.size != race.y.size || race.x.begin != race.y.begin);
}

// A cell keeps one scope, the workgroup's for smaller ones, and of an atomic load none.
bool has_forgotten_scope(const Occurrence& race) {
  if (in_workgroup_memory(race) || !is_atomic(race.x.kind) || !is_atomic(race.y.kind)) return false;
  if (within_workgroup(race) && (race.x.scope == Scope::subgroup || race.y.scope == Scope::subgroup))
    return true;
  const auto narrow = [](const Access& access) { return access.scope != Scope::device; };
  return either_way(race, [&](const Access& a, const Access&) {
    return narrow(a) && (a.kind == Kind::atomic_read || any_between(race, [&](const Access& other) {
                           return other.site.command == a.site.command && other.group == a.group;
                         }));
  });
}

bool do_race(const Occurrence& race, const Access& x, const Access& y) {
  return between(race.program, x, y, std::max(x.begin, y.begin)) == Verdict::race;
}

// It is none if both are non-private.
bool is_private(const Occurrence& race) {
  if (!within_command(race) || (race.x.non_private && race.y.non_private)) return false;
  Access x = race.lenient ? race.acquired_x : race.x, y = race.lenient ? race.acquired_y : race.y;
  x.non_private = y.non_private = true;
  return !do_race(race, x, y);
}

bool has_no_acquire(const Occurrence& race) {
  return race.lenient && !do_race(race, race.acquired_x, race.acquired_y);
}

// Nothing else of its workgroup accesses the word, but for other stores by the same invocation.
bool is_alone(const Occurrence& race, const Access& a) {
  const auto stores = [](const Access& one) {
    return std::tuple(one.kind == Kind::write, one.agent, one.begin, one.size);
  };
  return std::ranges::none_of(race.word, [&](const Access* other) {
    return other->site.command == a.site.command && !same(*other, a) && other->group == a.group &&
           (a.kind != Kind::write || stores(*other) != stores(a));
  });
}

// Other workgroups have made such an access, too. A cell then names none of them.
bool is_of_several_groups(const Occurrence& race, const Access& a) {
  return !writes(a.kind) && std::ranges::any_of(race.word, [&](const Access* other) {
    return other->site.command == a.site.command && other->group != a.group && !writes(other->kind);
  });
}

bool is_handed_on(const Occurrence& race) {
  if (in_workgroup_memory(race)) return false;
  if (!within_command(race)) return race.y.site.statement >= 0 && race.handovers.has_acquired(race.y);
  return either_way(race, [&](const Access& a, const Access& b) {
    return race.handovers.may_order(a, b, is_alone(race, a)) ||
           (is_of_several_groups(race, a) && race.handovers.has_acquired(b));
  });
}

bool is_handed_on_in_workgroup(const Occurrence& race) {
  return in_workgroup_memory(race) && either_way(race, [&](const Access& a, const Access& b) {
           return race.handovers.may_order_in_workgroup(a, b);
         });
}

bool has_atomic_load_in_workgroup(const Occurrence& race) {
  return in_workgroup_memory(race) && either_way(race, [&](const Access& a, const Access&) {
           return a.kind == Kind::atomic_read &&
                  any_between(race, [](const Access& other) { return other.kind != Kind::write; });
         });
}

// Several of the workgroup access the word, and one side is behind a barrier of its subgroup.
bool is_behind_subgroup_barrier(const Occurrence& race) {
  if (!within_workgroup(race)) return false;
  const auto [first, last] = std::minmax(race.x.site.statement, race.y.site.statement);
  const std::span before(shader_of(race).begin(), shader_of(race).begin() + last);
  const bool behind = std::ranges::any_of(before, [](const Statement& one) {
    return one.what == What::control_barrier && one.execution == Scope::subgroup;
  });
  const auto of_group = [&](const Access& other) {
    return other.site.command == race.x.site.command && other.group == race.x.group;
  };
  // To the engine half of a barrier may order one of these.
  const auto in_between = [&, first = first, last = last](const Access* other) {
    return of_group(*other) && other->site.statement > first && other->site.statement < last &&
           (other->subgroup == race.x.subgroup || other->subgroup == race.y.subgroup);
  };
  return behind && (any_between(race, of_group) || std::ranges::any_of(race.word, in_between));
}

// Another access is ordered behind one side, has taken its place in the cell, and does not race with the
// other side.
bool is_replaced(const Occurrence& race) {
  if (in_workgroup_memory(race)) return false;
  return any_between(race, [&](const Access& other) {
    return other.site.command != race.x.site.command && conflict(other, race.x);
  });
}
bool is_replaced_by_acquire(const Occurrence& race) {
  if (in_workgroup_memory(race)) return false;
  // Or the engine takes it for ordered (is_handed_on).
  const bool handed_on = std::ranges::any_of(race.word, [&](const Access* other) {
    return other->site.command == race.x.site.command && other->group != race.x.group &&
           conflict(*other, race.x) && race.handovers.may_order(race.x, *other, is_alone(race, race.x)) &&
           are_ordered(race, *other, race.y);
  });
  if (handed_on && !within_command(race)) return true;
  return either_way(race, [&](const Access& a, const Access&) {
    return any_between(race, [&](const Access& other) {
      return other.site.command == a.site.command && other.group != a.group && conflict(other, a);
    });
  });
}

// A cell holds two actions of those that do not conflict.
bool is_of_three_actions(const Occurrence& race) {
  if (in_workgroup_memory(race) || within_command(race)) return false;
  std::set<int> actions;
  for (const Access* other : race.word)
    if (other->site.command != race.x.site.command && other->site.command < race.y.site.command &&
        !conflict(*other, race.x) && are_ordered(race, race.x, *other) && are_ordered(race, *other, race.y))
      actions.insert(other->site.command);
  return actions.size() > 1;
}

// A cell has one kind, and one of what came before.
bool has_forgotten_kind(const Occurrence& race) {
  if (in_workgroup_memory(race)) return false;
  return either_way(race, [&](const Access& a, const Access& b) {
    const auto count = [&](bool own, const auto& condition) {
      return count_between(race, [&](const Access& other) {
        return other.site.command == a.site.command && other.group == a.group &&
               (!own || other.agent == a.agent) && condition(other);
      });
    };
    const auto modifies = [](const Access& other) { return is_atomic(other.kind) && writes(other.kind); };
    if (a.kind == Kind::atomic_read &&
        any_between(race, [](const Access& other) { return other.kind != Kind::write; }))
      return true;
    if (a.kind == Kind::read && any_between(race, [&](const Access& other) {
          return other.kind == Kind::atomic_read && other.site.command != a.site.command;
        }))
      return true;
    return a.kind == Kind::read && is_atomic(b.kind) &&
           (count(true, modifies) > 0 || count(false, modifies) > 1);
  });
}

// It reads as well, and is asked for availability alone.
bool is_atomic_without_visibility(const Occurrence& race) {
  if (within_command(race) || !is_atomic(race.y.kind) || !writes(race.x.kind)) return false;
  Access only_writes = race.y;
  only_writes.kind = Kind::atomic_write;
  return between(race.program, race.x, only_writes, std::max(race.x.begin, race.y.begin)) != Verdict::race;
}

// Others of its workgroup acquire by an atomic on workgroup memory what another one released so, and the
// engine knows neither who has acquired nor where.
bool is_handed_on_locally(const Occurrence& race) {
  return within_workgroup(race) && !in_workgroup_memory(race) &&
         either_way(race, [&](const Access& a, const Access& b) {
           return race.handovers.may_order_locally(a, b, is_alone(race, a));
         });
}

// A semaphore lies between them, which orders all stages.
bool on_two_queues(const Occurrence& race) {
  const auto begin = race.program.commands.begin();
  return queue_of(race.program, race.x.site.command) != queue_of(race.program, race.y.site.command) &&
         std::any_of(begin + race.x.site.command, begin + race.y.site.command,
                     [](const Command& command) { return command.submit == Command::Submit::semaphore; });
}

bool has_range_and_submission(const Occurrence& race) {
  const auto begin = race.program.commands.begin();
  const std::span between(begin + race.x.site.command, begin + race.y.site.command);
  return std::ranges::any_of(between, [](const Command& command) { return command.barrier.ranged; }) &&
         std::ranges::any_of(between,
                             [](const Command& command) { return command.what == Command::What::submit; });
}

// The command that ends the submission of the earlier side.
int end_of_submission(const Occurrence& race) {
  const auto& commands = race.program.commands;
  const auto submitted =
      std::find_if(commands.begin() + race.x.site.command, commands.end(),
                   [](const Command& command) { return command.what == Command::What::submit; });
  return static_cast<int>(submitted - commands.begin());
}

// Nothing that was recorded before the read was submitted writes its memory; or, if a draw reads its input,
// nothing that was recorded before the draw.
bool is_written_later(const Occurrence& race) {
  if (in_workgroup_memory(race) || writes(race.x.kind) || within_command(race)) return false;
  const auto is_written_before = [&](int command) {
    return std::ranges::any_of(race.truth.accesses, [&](const Access& other) {
      return other.memory == race.x.memory && writes(other.kind) && other.site.command < command;
    });
  };
  const int end = end_of_submission(race), read = race.x.site.command;
  if (race.x.site.statement < 0 && race.program.commands[static_cast<size_t>(read)].is_draw())
    return !is_written_before(read);
  return race.y.site.command > end && !is_written_before(end);
}

// Its bytes get cells when the first action is recorded that stores parts of words: then what the word's cell
// held is forgotten.
bool gets_cells_later(const Occurrence& race) {
  if (in_workgroup_memory(race) || within_command(race)) return false;
  const int end = end_of_submission(race);
  const auto stores_part = [&](const Access& one) { return stores_part_of(race, race.x.memory, one); };
  return race.y.site.command > end && std::ranges::any_of(race.truth.accesses, stores_part) &&
         std::ranges::none_of(race.truth.accesses,
                              [&](const Access& one) { return stores_part(one) && one.site.command < end; });
}

// What a draw reads is checked behind its render pass. Where a later draw of the pass has changed the word,
// it is compared with that one alone, and not kept.
bool is_overtaken(const Occurrence& race) {
  return either_way(race, [&](const Access& a, const Access& b) {
    return race.program.commands[static_cast<size_t>(a.site.command)].is_draw() && a.kind == Kind::read &&
           std::ranges::any_of(race.word, [&](const Access* other) {
             return other->kind != Kind::read && !same(*other, b) && other->site.command > a.site.command &&
                    pass_of(race.program, other->site.command) == pass_of(race.program, a.site.command);
           });
  });
}

// One side's own access of the same class takes the other side's phase, or, under strict, the other side
// joins it in the cell, and then a part of the phases is ordered: it is not known whether the other one is
// among these.
bool is_beside_its_own(const Occurrence& race) {
  return within_workgroup(race) && either_way(race, [&](const Access& a, const Access& b) {
           const auto acquires_part = [](const Statement& one) {
             return one.what == What::memory_barrier ||
                    (one.what == What::control_barrier && acquires(one.semantics));
           };
           return a.kind != Kind::write && std::ranges::any_of(race.word, [&](const Access* own) {
                    const auto& shader = shader_of(race);
                    return own->site.command == b.site.command && own->agent == b.agent &&
                           own->kind != Kind::write && own->site.statement < b.site.statement &&
                           (own->site.statement > a.site.statement || is_half_ordered(race, b)) &&
                           std::any_of(shader.begin() + own->site.statement,
                                       shader.begin() + b.site.statement, acquires_part);
                  });
         });
}

// The layout transition at the end of a render pass is a part of what the pass writes of its attachment.
bool is_at_the_end_of_a_pass(const Occurrence& race) {
  return either_way(race, [&](const Access& a, const Access&) {
    return race.program.commands[static_cast<size_t>(a.site.command)].edge == Command::Edge::leaves;
  });
}

// The name of the first class that a race is in.
std::string class_of(const Occurrence& race) {
  const auto known = std::ranges::find_if(known_classes(),
                                          [&](const KnownClass& candidate) { return candidate.hides(race); });
  return known == known_classes().end() ? "" : known->name;
}

}  // namespace

const std::vector<KnownClass>& known_classes() {
  static const std::vector<KnownClass> all = {
      {"parts of words",
       "a byte has a cell of its own only where shaders store parts of words through descriptors "
       "(docs/internals/exact.md, Parts of words)",
       has_parts_of_one_cell},
      {"atomics of two sizes", "a cell does not keep the size of an atomic", is_of_two_sizes},
      {"atomics of several scopes", "a cell keeps one scope, and of an atomic load none",
       has_forgotten_scope},
      {"private access", "accesses without NonPrivatePointer are taken for non-private ones", is_private},
      {"fence of the acquire",
       "without sync_strict an acquire is taken for granted, behind an atomic's result and behind a control "
       "barrier (docs/internals/exact.md, Releases and acquires)",
       has_no_acquire},
      {"release and acquire",
       "releases of one place, and chains, are not told apart "
       "(docs/internals/exact.md, Releases and acquires)",
       is_handed_on},
      {"release by an atomic on workgroup memory",
       "neither who has acquired is known, nor where (docs/internals/exact.md, Releases and acquires)",
       is_handed_on_locally},
      {"atomic without visibility",
       "an atomic is asked for availability alone (docs/internals/exact.md, Order between actions)",
       is_atomic_without_visibility},
      {"release in workgroup memory",
       "whoever has acquired has acquired all of the phase (docs/internals/workgroup-memory.md)",
       is_handed_on_in_workgroup},
      {"atomic load in workgroup memory", "a cell does not keep one (docs/internals/workgroup-memory.md)",
       has_atomic_load_in_workgroup},
      {"subgroup barrier",
       "what several invocations did has no subgroup (docs/internals/exact.md, Releases and acquires)",
       is_behind_subgroup_barrier},
      {"half a barrier",
       "memory barriers, and barriers of a subgroup, that only acquire or only release count as both; so do "
       "memory barriers on one side of the latter (docs/internals/exact.md, Releases and acquires)",
       is_behind_half_a_barrier},
      {"access behind a fence",
       "a control barrier behind the access counts as one behind the memory barrier before it "
       "(docs/internals/exact.md, Memory barriers beside control barriers)",
       is_behind_a_fence},
      {"bytes that get cells later",
       "what the word's cell held is forgotten (docs/internals/exact.md, Parts of words)", gets_cells_later},
      {"fences of a subgroup",
       "acquires by fences of subgroup scope have no time (docs/internals/exact.md, Releases and acquires)",
       is_behind_narrow_fences},
      {"narrow fence in workgroup memory",
       "a fence of subgroup scope orders for all beside a barrier of the workgroup "
       "(docs/internals/workgroup-memory.md)",
       is_behind_narrow_fence},
      {"order on one side",
       "a memory barrier behind a control barrier counts for those that not all pass in front of it "
       "(docs/internals/exact.md, Memory barriers beside control barriers)",
       has_order_on_one_side},
      {"one access a cell",
       "a later access, ordered behind the one that races, takes its place (docs/internals/exact.md, The "
       "cell)",
       is_replaced},
      {"own access beside it",
       "where only a part of the phases has been ordered, the cell's phase may be that of an invocation's "
       "own "
       "access (docs/internals/exact.md, Memory barriers beside control barriers)",
       is_beside_its_own},
      {"one access behind an acquire", "the same, where an acquire orders it", is_replaced_by_acquire},
      {"two actions a cell", "of three that are not ordered one is lost", is_of_three_actions},
      {"one kind a cell", "beside an atomic a read, and an atomic load, are lost", has_forgotten_kind},
      {"semaphores of two queues",
       "semaphores order more than their stages (docs/internals/exact.md, Order between actions)",
       on_two_queues},
      {"written later",
       "reads are entered only if something that was recorded before their submission writes the memory, "
       "what "
       "draws read of their input only if something that was recorded before them does "
       "(docs/internals/exact.md, The path of an access)",
       is_written_later},
      {"overtaken in its pass",
       "reads of draws are checked behind the render pass (docs/internals/exact.md, Reads of draws)",
       is_overtaken},
      {"barrier within its pass",
       "reads of draws are checked behind the render pass (docs/internals/exact.md, Draws of one render "
       "pass)",
       is_behind_barrier_in_its_pass},
      {"transition at the end of a pass",
       "it counts as a part of what the pass writes of its attachment (docs/internals/images.md, Order)",
       is_at_the_end_of_a_pass},
      {"range and submission",
       "at the end of a command buffer the floors of ranges count for all memory "
       "(docs/internals/exact.md, Order between actions)",
       has_range_and_submission},
  };
  return all;
}

std::map<std::string, size_t> classes_of_races(const Program& program, const Truth& truth, bool lenient) {
  const Truth acquired = truth_of(program, truth.subgroup_size, truth.answers, Acquires::taken_for_granted);
  const Handovers handovers(program, truth, !lenient);
  std::set<std::pair<uint32_t, uint32_t>> racing;
  for (const auto& race : truth.races) racing.insert(race.second.begin(), race.second.end());
  std::map<std::string, size_t> classes;
  for (const auto& [memory, number] : racing) {
    std::vector<const Access*> word;
    for (const Access& access : truth.accesses)
      if (access.memory == memory && access.begin < number * 4 + 4 && access.begin + access.size > number * 4)
        word.push_back(&access);
    std::string name;
    bool known = true;
    for (size_t i = 0; i < word.size() && known; ++i)
      for (size_t j = i + 1; j < word.size() && known; ++j) {
        const uint32_t byte = std::max({word[i]->begin, word[j]->begin, number * 4});
        if (byte >= word[i]->begin + word[i]->size || byte >= word[j]->begin + word[j]->size ||
            between(program, *word[i], *word[j], byte) != Verdict::race)
          continue;
        const auto same_of = [&](const Access* access) -> const Access& {
          return acquired.accesses[static_cast<size_t>(access - truth.accesses.data())];
        };
        const std::string found = class_of({program, truth, word, handovers, lenient, *word[i], *word[j],
                                            same_of(word[i]), same_of(word[j])});
        known = !found.empty();
        if (name.empty()) name = found;
      }
    ++classes[known ? name : ""];
  }
  return classes;
}

std::string known_class(const Program& program, const Truth& truth, bool lenient) {
  const auto classes = classes_of_races(program, truth, lenient);
  return classes.empty() ? "" : classes.begin()->first;
}

}  // namespace oracle
