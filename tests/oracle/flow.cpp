// SPDX-License-Identifier: Apache-2.0
#include "flow.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "loops.h"

namespace oracle {
namespace {

using What = Statement::What;

// Calls visit(statement) for each that the invocation executes.
template <typename Visit>
void walk(const Command& command, const Invocation& who, const Visit& visit) {
  for (uint32_t at = 0; at < command.shader.size();) {
    const uint32_t arrived = arrives_at(command, who, at);
    if (arrived != at) {
      at = arrived;
      continue;
    }
    const Statement& statement = command.shader[at];
    if (!statement.when.holds(who, true, statement.turn)) {
      ++at;
      continue;
    }
    visit(at);
    at = goes_on_at(command, at);
  }
}

bool orders(const Statement& statement) {
  return statement.what == What::control_barrier || statement.what == What::memory_barrier ||
         (is_atomic(statement.what) && statement.semantics != Semantics::relaxed);
}

}  // namespace

uint32_t arrives_at(const Command& command, const Invocation& who, uint32_t statement) {
  const Loop* loop = loop_of(command, statement);
  if (loop == nullptr || loop->form != Loop::Form::strided) return statement;
  return who.i + command.shader[statement].turn * command.grid().invocations() < loop->elements ? statement
                                                                                                : loop->end();
}

uint32_t goes_on_at(const Command& command, uint32_t statement) {
  const Statement& one = command.shader[statement];
  if (one.what != What::leave) return statement + 1;
  const Loop* loop = loop_of(command, statement);
  // A function returns to its next call.
  const bool is_turn =
      loop != nullptr && (loop->form == Loop::Form::called || one.leave == Statement::Leave::turn);
  if (is_turn) return loop->first + (one.turn + 1) * loop->length;
  if (loop != nullptr && one.leave == Statement::Leave::loop) return loop->end();
  return static_cast<uint32_t>(command.shader.size());
}

bool has_uniform_barriers(const Command& command, uint32_t subgroup_size) {
  // How many of a workgroup, or of a subgroup of it, execute the barrier.
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> executed;
  for (uint32_t i = 0; i < command.grid().invocations(); ++i) {
    const Invocation who = command.invocation(i);
    walk(command, who, [&](uint32_t at) {
      const Statement& one = command.shader[at];
      if (one.what != What::control_barrier) return;
      ++executed[{at, who.g, one.execution == Scope::subgroup ? who.l / subgroup_size : 0}];
    });
  }
  return std::ranges::all_of(executed, [&](const auto& one) {
    const auto& [at, group, subgroup] = one.first;
    if (command.shader[at].execution != Scope::subgroup) return one.second == command.local_size;
    return one.second == std::min(subgroup_size, command.local_size - subgroup * subgroup_size);
  });
}

bool has_barrier_in_uneven_loop(const Command& command) {
  return std::ranges::any_of(command.loops, [&](const Loop& loop) {
    const auto begin = command.shader.begin() + loop.first, end = begin + loop.length;
    const bool is_left = std::any_of(begin, end, [](const Statement& one) {
      return one.what == What::leave && one.leave != Statement::Leave::turn;
    });
    return (is_left || loop.form == Loop::Form::strided) && std::any_of(begin, end, orders);
  });
}

}  // namespace oracle
