// SPDX-License-Identifier: Apache-2.0
#include "handovers.h"

#include <algorithm>

namespace oracle {
namespace {

using What = Statement::What;

bool is_barrier(const Statement& statement, Scope execution) {
  return statement.what == What::control_barrier && statement.execution == execution;
}
bool is_for(const Statement& statement, bool buffers) {
  return buffers ? statement.buffers : statement.shared;
}

}  // namespace

Handovers::Handovers(const Program& program, const Truth& truth, bool strict)
    : program_(program), strict_(strict) {
  for (const Access& access : truth.accesses)
    if (is_atomic(access.kind) && access.site.statement >= 0)
      atomics_[{access.site.command, access.agent}].push_back(
          {access.site.statement,
           {access.memory, access.begin / 4},
           reads(access.kind),
           !program.views[statement(access.site.command, access.site.statement).view].is_shared()});
}

const std::vector<Handovers::Atomic>& Handovers::atomics_of(int command, uint32_t agent) const {
  static const std::vector<Atomic> none;
  const auto found = atomics_.find({command, agent});
  return found == atomics_.end() ? none : found->second;
}

// Which of the conditional ones are executed behind a question is not looked at.
bool Handovers::may_execute(int of, int number, uint32_t agent) const {
  const Invocation who = command(of).invocation(agent);
  const Statement& one = statement(of, number);
  return one.when.holds(who, true, one.turn) || one.when.holds(who, false, one.turn);
}

bool Handovers::has_subgroup_barrier(int of) const {
  return std::ranges::any_of(command(of).shader,
                             [](const Statement& one) { return is_barrier(one, Scope::subgroup); });
}

// Its workgroups communicate by more than barriers and atomics on buffers.
bool Handovers::is_loose(int of) const {
  return std::ranges::any_of(command(of).shader, [&](const Statement& one) {
    return is_barrier(one, Scope::subgroup) || (is_atomic(one.what) && program_.views[one.view].is_shared());
  });
}

bool Handovers::acquires_within(int of, uint32_t agent, int from, int to, bool buffers) const {
  for (int i = from; i < to; ++i) {
    const Statement& one = statement(of, i);
    if (!is_access(one.what) && may_execute(of, i, agent) && acquires(one.semantics) && is_for(one, buffers))
      return true;
  }
  return false;
}

// Control barriers whose scope is the workgroup are no releases to the engine.
bool Handovers::releases_within(int of, uint32_t agent, int from, int to, bool buffers, bool far) const {
  for (int i = from; i < to; ++i) {
    const Statement& one = statement(of, i);
    const bool wide = one.scope == Scope::device;
    if (!may_execute(of, i, agent) || !releases(one.semantics) || (far && !wide)) continue;
    const bool is_atomic_one = is_atomic(one.what);
    const bool own = is_atomic_one && program_.views[one.view].is_shared() != buffers;
    const bool barrier = one.what == What::memory_barrier || (one.what == What::control_barrier && wide);
    if (own || ((barrier || is_atomic_one) && is_for(one, buffers))) return true;
  }
  return false;
}

bool Handovers::is_acquired(int of, uint32_t agent, const Atomic& atomic, int before, bool buffers) const {
  if (!strict_) return true;
  const Statement& one = statement(of, atomic.statement);
  const bool by_itself = acquires(one.semantics) && (atomic.of_buffer == buffers || is_for(one, buffers));
  return by_itself || is_loose(of) || acquires_within(of, agent, atomic.statement + 1, before, buffers);
}

// Whether somebody releases to the word who may have acquired elsewhere.
bool Handovers::passes_on(int of, const Word& word) const {
  const uint32_t size = command(of).local_size;
  for (uint32_t group = 0; group < command(of).groups; ++group) {
    bool here = false, elsewhere = false;
    for (uint32_t agent = group * size; agent < (group + 1) * size; ++agent)
      for (const Atomic& atomic : atomics_of(of, agent)) {
        here |= atomic.of_buffer && atomic.word == word;
        elsewhere |= atomic.of_buffer && atomic.reads && atomic.word != word;
      }
    if (here && elsewhere) return true;
  }
  return false;
}

// By itself, or told by its workgroup.
Handovers::Acquired Handovers::acquired_by(const Access& y) const {
  Acquired acquired;
  const int of = y.site.command;
  const uint32_t size = command(of).local_size;
  const int end = static_cast<int>(command(of).shader.size());
  for (uint32_t agent = y.group * size; agent < (y.group + 1) * size; ++agent)
    for (const Atomic& atomic : atomics_of(of, agent)) {
      const bool own = agent == y.agent;
      if (!atomic.of_buffer || !atomic.reads || (own && atomic.statement >= y.site.statement)) continue;
      if (!is_acquired(of, agent, atomic, own ? y.site.statement : end, true)) continue;
      bool told = false;
      for (int i = atomic.statement + 1; !own && i < end; ++i)
        told |= statement(of, i).what == What::control_barrier;
      if (own || told) acquired.words.insert(atomic.word);
      acquired.anywhere |= told;
    }
  acquired.anywhere |= acquired.words.size() > 1;
  for (const Word& word : acquired.words) acquired.anywhere |= passes_on(of, word);
  return acquired;
}

bool Handovers::has_acquired(const Access& y) const { return !acquired_by(y).words.empty(); }

// Whether somebody of the workgroup releases, to one of these words.
bool Handovers::releases_at(int of, uint32_t group, const std::set<Word>* words, bool far) const {
  const uint32_t size = command(of).local_size;
  for (uint32_t agent = group * size; agent < (group + 1) * size; ++agent)
    for (const Atomic& atomic : atomics_of(of, agent)) {
      if (!atomic.of_buffer || (words != nullptr && !words->contains(atomic.word))) continue;
      if (far && statement(of, atomic.statement).scope != Scope::device) continue;
      if (releases_within(of, agent, 0, atomic.statement + 1, true, far)) return true;
    }
  return false;
}

// alone: then its time counts, and else a release of its workgroup is enough.
bool Handovers::is_released(const Access& x, bool far, bool alone) const {
  const int of = x.site.command;
  if (!alone || is_atomic(x.kind) || is_loose(of)) return releases_at(of, x.group, nullptr, false);
  const auto releases_behind = [&](uint32_t agent, int begin) {
    return std::ranges::any_of(atomics_of(of, agent), [&](const Atomic& atomic) {
      return atomic.of_buffer && releases_within(of, agent, begin, atomic.statement + 1, true, far);
    });
  };
  if (releases_behind(x.agent, x.site.statement + 1)) return true;
  // What lies behind the second release of a phase has the time of what lies behind the first one.
  int fences = 0, barrier = -1;
  for (int i = 0; i < x.site.statement; ++i) {
    if (is_barrier(statement(of, i), Scope::workgroup)) fences = 0;
    if (releases_within(of, x.agent, i, i + 1, true, false)) ++fences;
  }
  if (fences > 1 && releases_behind(x.agent, 0)) return true;
  const int end = static_cast<int>(command(of).shader.size());
  for (int i = x.site.statement + 1; barrier < 0 && i < end; ++i)
    if (is_barrier(statement(of, i), Scope::workgroup)) barrier = i;
  if (barrier < 0) return false;
  // Behind a barrier, whoever has passed any release has released what lies in front of it.
  const uint32_t size = command(of).local_size;
  for (uint32_t agent = x.group * size; agent < (x.group + 1) * size; ++agent)
    for (const Atomic& atomic : atomics_of(of, agent))
      if (atomic.of_buffer && atomic.statement > barrier &&
          releases_within(of, agent, 0, atomic.statement + 1, true, far))
        return true;
  return false;
}

bool Handovers::may_order(const Access& x, const Access& y, bool alone) const {
  const Acquired acquired = acquired_by(y);
  const bool far = x.group != y.group;
  if (acquired.words.empty() || !is_released(x, far, alone)) return false;
  return acquired.anywhere || releases_at(x.site.command, x.group, &acquired.words, far);
}

// What barriers order before y is no matter of releases, and nobody is further ahead than the next barrier
// behind both.
bool Handovers::may_order_locally(const Access& x, const Access& y, bool alone) const {
  const int of = y.site.command;
  const auto [first, last] = std::minmax(x.site.statement, y.site.statement);
  int begin = 0, end = last + 1;
  for (int i = 0; i < first; ++i) {
    const Statement& one = statement(of, i);
    if (is_barrier(one, Scope::workgroup) && one.buffers && one.scope >= Scope::workgroup &&
        one.semantics == Semantics::acquire_release)
      begin = i + 1;
  }
  while (end < static_cast<int>(command(of).shader.size()) &&
         !is_barrier(statement(of, end), Scope::workgroup))
    ++end;
  const uint32_t size = command(of).local_size;
  for (uint32_t agent = x.group * size; agent < (x.group + 1) * size; ++agent)
    for (const Atomic& atomic : atomics_of(of, agent)) {
      if (atomic.of_buffer || atomic.statement >= end) continue;
      const bool own_time = alone && agent == x.agent && !is_atomic(x.kind) && !has_subgroup_barrier(of);
      const int from = own_time ? std::max(begin, x.site.statement + 1) : begin;
      if (releases_within(of, agent, from, atomic.statement + 1, true, false)) return true;
    }
  return false;
}

bool Handovers::may_order_in_workgroup(const Access& x, const Access& y) const {
  const int of = y.site.command;
  const uint32_t size = command(of).local_size;
  const auto orders_within = [&](int from) {
    for (int i = from; i < y.site.statement; ++i)
      if (is_barrier(statement(of, i), Scope::workgroup) && statement(of, i).shared &&
          releases(statement(of, i).semantics))
        return true;
    return false;
  };
  bool acquired = false, released = false;
  for (int i = 0; i < y.site.statement; ++i)
    acquired |= is_barrier(statement(of, i), Scope::subgroup) && !orders_within(i);
  for (const Atomic& atomic : atomics_of(of, y.agent))
    acquired |= atomic.reads && atomic.statement < y.site.statement && !orders_within(atomic.statement) &&
                is_acquired(of, y.agent, atomic, y.site.statement, false);
  for (uint32_t agent = x.group * size; agent < (x.group + 1) * size; ++agent)
    for (const Atomic& atomic : atomics_of(of, agent))
      released |= releases_within(of, agent, 0, atomic.statement + 1, false, false);
  return acquired && released;
}

}  // namespace oracle
