// SPDX-License-Identifier: Apache-2.0
#include "known.h"

#include <algorithm>
#include <set>
#include <span>

namespace oracle {
namespace {

using What = Statement::What;

const std::vector<Statement>& shader_of(const WordRace& race) {
  return race.program.commands[static_cast<size_t>(race.pair.second.command)].shader;
}
bool in_workgroup_memory(const WordRace& race) {
  const Site& site = race.pair.first;
  if (site.statement < 0) return false;
  const Command& command = race.program.commands[static_cast<size_t>(site.command)];
  return race.program.views[command.shader[static_cast<size_t>(site.statement)].view].is_shared();
}
bool within_command(const WordRace& race) { return race.pair.first.command == race.pair.second.command; }

// Accesses to the race's word from its first command to its second one.
template <typename Condition>
bool any_access(const WordRace& race, const Condition& condition) {
  return std::ranges::any_of(race.truth.accesses, [&](const Access& access) {
    return access.memory == race.word.first && access.begin < race.word.second * 4 + 4 &&
           access.begin + access.size > race.word.second * 4 &&
           access.site.command >= race.pair.first.command &&
           access.site.command <= race.pair.second.command && condition(access);
  });
}

// Commands and descriptors are followed by bytes.
bool has_part_of_word(const WordRace& race) {
  return any_access(race, [&](const Access& access) {
    if (access.size >= 4 || access.site.statement < 0) return false;
    const Command& command = race.program.commands[static_cast<size_t>(access.site.command)];
    const uint32_t view = command.shader[static_cast<size_t>(access.site.statement)].view;
    return race.program.views[view].reach == View::Reach::address;
  });
}

bool has_scopes_or_sizes(const WordRace& race) {
  if (in_workgroup_memory(race)) return false;
  std::set<uint32_t> sizes;
  return any_access(race, [&](const Access& access) {
    if (!is_atomic(access.kind)) return false;
    sizes.insert(access.size);
    return access.scope != Scope::device || sizes.size() > 1;
  });
}

bool is_private(const WordRace& race) {
  return any_access(race, [](const Access& access) { return !access.non_private; });
}

bool orders_buffers(const Statement& statement) {
  return !is_access(statement.what) && statement.buffers && statement.semantics != Semantics::relaxed;
}

// It is none if whoever learns of a release has acquired it.
bool has_no_acquire(const WordRace& race) { return !race.acquired.races.contains(race.pair); }

bool releases_and_acquires(const WordRace& race) {
  const std::vector<Statement>& shader = shader_of(race);
  return std::ranges::any_of(shader, [](const Statement& statement) { return is_atomic(statement.what); }) &&
         std::ranges::any_of(shader, [](const Statement& statement) {
           return orders_buffers(statement) ||
                  (is_atomic(statement.what) && statement.semantics != Semantics::relaxed);
         });
}

// Both sides are of one command, and all who access the word there are of one workgroup.
bool within_workgroup(const WordRace& race) {
  std::set<uint32_t> groups;
  any_access(race, [&](const Access& access) {
    if (access.site == race.pair.first || access.site == race.pair.second) groups.insert(access.group);
    return false;
  });
  return within_command(race) && groups.size() == 1;
}

bool has_release_or_acquire(const WordRace& race) {
  return !in_workgroup_memory(race) && releases_and_acquires(race);
}
bool has_release_in_workgroup_memory(const WordRace& race) {
  return in_workgroup_memory(race) && releases_and_acquires(race);
}

// A memory barrier that not all pass.
bool has_order_on_one_side(const WordRace& race) {
  return within_workgroup(race) && std::ranges::any_of(shader_of(race), [](const Statement& statement) {
           return statement.what == What::memory_barrier && statement.when.form != Condition::Form::always;
         });
}

// Several invocations access the word, and the shader has a barrier of subgroups.
bool has_subgroup_barrier(const WordRace& race) {
  if (!within_workgroup(race) || std::ranges::none_of(shader_of(race), [](const Statement& statement) {
        return statement.what == What::control_barrier && statement.execution == Scope::subgroup;
      }))
    return false;
  std::set<uint32_t> agents;
  any_access(race, [&](const Access& access) {
    if (access.site.command == race.pair.first.command) agents.insert(access.agent);
    return false;
  });
  return agents.size() > 2;
}

// Beside an atomic load others read or use atomics.
bool has_atomic_load_in_workgroup_memory(const WordRace& race) {
  return in_workgroup_memory(race) &&
         any_access(race, [](const Access& access) { return access.kind == Kind::atomic_read; });
}

// Another access by another statement or command, or one side's access by an invocation that is the other
// side, too.
bool has_third_access(const WordRace& race) {
  if (in_workgroup_memory(race)) return false;
  std::set<uint32_t> first_agents, second_agents;
  const bool third = any_access(race, [&](const Access& access) {
    if (access.site == race.pair.first) first_agents.insert(access.agent);
    if (access.site == race.pair.second) second_agents.insert(access.agent);
    return access.site != race.pair.first && access.site != race.pair.second;
  });
  if (third) return true;
  return within_command(race) && race.pair.first != race.pair.second &&
         std::ranges::any_of(first_agents, [&](uint32_t agent) { return second_agents.contains(agent); });
}

bool on_two_queues(const WordRace& race) {
  return queue_of(race.program, race.pair.first.command) != queue_of(race.program, race.pair.second.command);
}

bool has_range_and_submission(const WordRace& race) {
  const auto begin = race.program.commands.begin();
  const std::span between(begin + race.pair.first.command, begin + race.pair.second.command);
  return std::ranges::any_of(between, [](const Command& command) { return command.barrier.ranged; }) &&
         std::ranges::any_of(between,
                             [](const Command& command) { return command.what == Command::What::submit; });
}

// The cell names the first of several readers within a command, also to that reader itself.
bool names_another_reader(const Program&, const Truth& truth, Problem problem, const Finding& finding) {
  if (problem != Problem::wrong_sides || finding.earlier_access != "load") return false;
  const bool within = std::ranges::any_of(
      finding.earlier, [&](const Site& site) { return site.command == finding.later.command; });
  return within && std::ranges::any_of(truth.races, [&](const auto& race) {
           return race.first.first == finding.later || race.first.second == finding.later;
         });
}

}  // namespace

const std::vector<KnownClass>& known_classes() {
  static const std::vector<KnownClass> all = {
      {"parts of words",
       "only what descriptors lead to has a cell for each byte (docs/internals/exact.md, Parts of words)",
       has_part_of_word},
      {"atomics of other scopes and sizes", "a cell does not keep every scope, and no size",
       has_scopes_or_sizes},
      {"private access", "accesses without NonPrivatePointer are taken for non-private ones", is_private},
      {"fence of the acquire",
       "an acquire is taken for granted, behind an atomic's result and behind a control barrier "
       "(docs/internals/exact.md, Releases and acquires)",
       has_no_acquire},
      {"release and acquire",
       "releases of one place, and chains, are not told apart "
       "(docs/internals/exact.md, Releases and acquires)",
       has_release_or_acquire},
      {"release in workgroup memory",
       "whoever has acquired has acquired all of the phase (docs/internals/workgroup-memory.md)",
       has_release_in_workgroup_memory},
      {"atomic load in workgroup memory", "a cell does not keep one (docs/internals/workgroup-memory.md)",
       has_atomic_load_in_workgroup_memory},
      {"subgroup barrier",
       "what several invocations did has no subgroup (docs/internals/exact.md, Releases and acquires)",
       has_subgroup_barrier},
      {"order on one side",
       "a memory barrier behind a control barrier counts for those that not all pass in front of it "
       "(docs/internals/exact.md, Memory barriers beside control barriers)",
       has_order_on_one_side},
      {"one access a cell",
       "a later access, harmless itself, replaces the one that races (docs/internals/exact.md, The cell)",
       has_third_access},
      {"two queues",
       "only the action with the later number looks for the other one, and semaphores order more than their "
       "stages (docs/internals/exact.md, Order between actions)",
       on_two_queues},
      {"range and submission",
       "at the end of a command buffer the floors of ranges count for all memory "
       "(docs/internals/exact.md, Order between actions)",
       has_range_and_submission},
      {"another reader",
       "of several readers the cell names the first one, which may be the writer itself "
       "(docs/internals/exact.md, Which site a cell names)",
       nullptr, names_another_reader},
  };
  return all;
}

std::string known_class(const Program& program, const Truth& truth, Problem problem, const Finding* finding) {
  if (finding != nullptr) {
    for (const KnownClass& known : known_classes())
      if (known.misleads != nullptr && known.misleads(program, truth, problem, *finding)) return known.name;
    return "";
  }
  if (problem != Problem::missed) return "";
  const Truth acquired = truth_of(program, truth.subgroup_size, truth.answers, Acquires::taken_for_granted);
  std::string name;
  for (const auto& race : truth.races)
    for (const auto& word : race.second) {
      const WordRace one{program, truth, acquired, race.first, word};
      const auto known = std::ranges::find_if(known_classes(), [&](const KnownClass& candidate) {
        return candidate.hides != nullptr && candidate.hides(one);
      });
      if (known == known_classes().end()) return "";
      if (name.empty()) name = known->name;
    }
  return name;
}

}  // namespace oracle
