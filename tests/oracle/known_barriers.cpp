// SPDX-License-Identifier: Apache-2.0
#include "known_barriers.h"

#include <algorithm>
#include <span>

namespace oracle {
namespace {

using What = Statement::What;

// From the first of two accesses of one command to the second one.
std::span<const Statement> between_sides(const Occurrence& race) {
  const auto [first, last] = std::minmax(race.x.site.statement, race.y.site.statement);
  return {shader_of(race).begin() + first, shader_of(race).begin() + last};
}

// A barrier of a subgroup, or one whose memory scope is the subgroup.
bool is_narrow(const Statement& one) {
  return !is_access(one.what) && (one.scope == Scope::subgroup ||
                                  (one.what == What::control_barrier && one.execution == Scope::subgroup));
}

bool is_half(const Statement& one) {
  return !is_access(one.what) && (one.semantics == Semantics::acquire || one.semantics == Semantics::release);
}

}  // namespace

const Statement& statement_of(const Occurrence& race, const Access& access) {
  return race.program.commands[static_cast<size_t>(access.site.command)]
      .shader[static_cast<size_t>(access.site.statement)];
}
bool within_command(const Occurrence& race) { return race.x.site.command == race.y.site.command; }
bool within_workgroup(const Occurrence& race) { return within_command(race) && race.x.group == race.y.group; }
bool in_workgroup_memory(const Occurrence& race) {
  return race.x.site.statement >= 0 && race.program.views[statement_of(race, race.x).view].is_shared();
}

const std::vector<Statement>& shader_of(const Occurrence& race) {
  return race.program.commands[static_cast<size_t>(race.x.site.command)].shader;
}

namespace {

// Statements [first, last) between two accesses, of one subgroup or not.
bool has_half_a_barrier(const Occurrence& race, int first, int last) {
  const std::span between(shader_of(race).begin() + first, shader_of(race).begin() + last);
  const bool half_fence = std::ranges::any_of(
      between, [](const Statement& one) { return one.what == What::memory_barrier && is_half(one); });
  if (half_fence) return true;
  return race.x.subgroup == race.y.subgroup && std::ranges::any_of(between, is_narrow) &&
         std::ranges::any_of(between, [&](const Statement& one) {
           const bool memory = in_workgroup_memory(race) ? one.shared : one.buffers;
           return is_half(one) ||
                  (one.what == What::control_barrier && one.execution == Scope::subgroup && !memory);
         });
}

// The statement of the first access of the invocation to the word that stores, or `access`'s own.
int first_store(const Occurrence& race, const Access& access) {
  int first = access.site.statement;
  for (const Access* own : race.word)
    if (own->site.command == access.site.command && own->agent == access.agent && own->kind == Kind::write)
      first = std::min(first, own->site.statement);
  return first;
}

}  // namespace

// What an invocation reads behind its own store is not kept: the store stands for it.
bool is_behind_half_a_barrier(const Occurrence& race) {
  if (!within_workgroup(race)) return false;
  const auto [first, last] = std::minmax(race.x.site.statement, race.y.site.statement);
  const Access& earlier = race.x.site.statement == first ? race.x : race.y;
  return has_half_a_barrier(race, writes(earlier.kind) ? first : first_store(race, earlier), last);
}

bool is_half_ordered(const Occurrence& race, const Access& access) {
  const std::span before(shader_of(race).begin(), shader_of(race).begin() + access.site.statement);
  return !race.lenient && std::ranges::any_of(before, is_half);
}

bool is_behind_a_fence(const Occurrence& race) {
  if (!within_workgroup(race)) return false;
  // A control barrier that does not release what the workgroup did.
  const bool plain = std::ranges::any_of(between_sides(race), [&](const Statement& one) {
    return one.what == What::control_barrier && one.execution == Scope::workgroup &&
           (!(in_workgroup_memory(race) ? one.shared : one.buffers) || one.scope == Scope::subgroup ||
            !releases(one.semantics));
  });
  const std::vector<Statement>& shader = shader_of(race);
  for (int at = std::min(race.x.site.statement, race.y.site.statement); plain && at-- > 0;) {
    const What what = shader[static_cast<size_t>(at)].what;
    if (what == What::control_barrier) return false;
    if (what == What::memory_barrier) return true;
  }
  return false;
}

bool is_behind_narrow_fences(const Occurrence& race) {
  if (in_workgroup_memory(race) || !within_workgroup(race)) return false;
  const int first = std::min(race.x.site.statement, race.y.site.statement);
  const std::span before(shader_of(race).begin(), shader_of(race).begin() + first);
  return std::ranges::any_of(before, is_narrow) &&
         std::ranges::any_of(between_sides(race), [&](const Statement& one) {
           return is_narrow(one) || is_half(one) ||
                  (race.x.subgroup == race.y.subgroup && one.what == What::memory_barrier);
         });
}

bool has_order_on_one_side(const Occurrence& race) {
  if (!within_workgroup(race)) return false;
  const std::span between = between_sides(race);
  return std::ranges::any_of(between,
                             [](const Statement& one) {
                               return one.what == What::memory_barrier &&
                                      one.when.form != Condition::Form::always;
                             }) &&
         std::ranges::any_of(between, [](const Statement& one) {
           return one.what == What::control_barrier && one.execution == Scope::workgroup;
         });
}

bool is_behind_barrier_in_its_pass(const Occurrence& race) {
  const auto& commands = race.program.commands;
  const auto [first, last] = std::minmax(race.x.site.command, race.y.site.command);
  const Access& earlier = race.x.site.command == first ? race.x : race.y;
  const int pass = pass_of(race.program, first);
  return first != last && pass >= 0 && pass == pass_of(race.program, last) && earlier.kind == Kind::read &&
         commands[static_cast<size_t>(first)].is_draw() &&
         std::any_of(commands.begin() + first, commands.begin() + last,
                     [](const Command& one) { return one.what == Command::What::barrier; });
}

bool is_behind_narrow_fence(const Occurrence& race) {
  if (!in_workgroup_memory(race)) return false;
  const std::span between = between_sides(race);
  return std::ranges::any_of(between,
                             [](const Statement& one) {
                               return one.what == What::memory_barrier && one.shared &&
                                      one.scope == Scope::subgroup;
                             }) &&
         std::ranges::any_of(between, [](const Statement& one) {
           return one.what == What::control_barrier && one.execution == Scope::workgroup;
         });
}

}  // namespace oracle
