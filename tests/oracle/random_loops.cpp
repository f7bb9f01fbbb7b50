// SPDX-License-Identifier: Apache-2.0
// Loops of random shaders, and where invocations leave them.
#include <algorithm>

#include "flow.h"
#include "loops.h"
#include "random_shaders.h"

namespace oracle {
namespace {

// What a protocol asks and answers is counted by statement, and each signal is given once.
bool may_be_repeated(const Statement& statement) {
  return !is_protocol(statement.what) && statement.when.form != Condition::Form::entered;
}

}  // namespace

// Some accesses move on with each turn, and some are of one turn alone.
void ShaderMaker::vary_by_turn(Statement& statement, const Loop& loop) {
  const uint32_t invocations = command_.groups * command_.local_size;
  if (statement.when.form == Condition::Form::always && one_in(6))
    statement.when = {Condition::Form::turn_is, below(loop.turns)};
  if (!is_access(statement.what)) return;
  const bool is_own = statement.index.form == Index::Form::own;
  if (loop.form == Loop::Form::strided && (is_own || one_in(4))) statement.index = {Index::Form::walked, 0};
  if (!one_in(3)) return;
  if (statement.index.form == Index::Form::own) statement.index = {Index::Form::plus, 0};
  switch (statement.index.form) {
    case Index::Form::plus:
    case Index::Form::constant:
      statement.index.step = pick({1u, command_.local_size, invocations});
      break;
    case Index::Form::rotated:
    case Index::Form::group_flipped:
      statement.index.step = 1;
      break;
    default:
      break;
  }
}

void ShaderMaker::skip_barriers() {
  for (Statement& statement : command_.shader)
    if (statement.what == Statement::What::control_barrier && one_in(10))
      statement.when = {Condition::Form::group_is, below(command_.groups)};
}

void ShaderMaker::repeat_a_part() {
  const auto size = static_cast<uint32_t>(command_.shader.size());
  if (size == 0) return;
  Loop loop;
  loop.form = pick({Loop::Form::counted, Loop::Form::bounded, Loop::Form::bounded, Loop::Form::called,
                    Loop::Form::strided, Loop::Form::strided});
  if (command_.is_draw() && loop.form == Loop::Form::bounded) loop.form = Loop::Form::counted;
  loop.first = below(size);
  loop.turns = 2 + below(kMaxTurns - 1);
  const uint32_t invocations = command_.groups * command_.local_size;
  loop.elements = (loop.turns - 1) * invocations + 1 + below(invocations);
  const auto begin = command_.shader.begin() + loop.first;
  const auto longest = std::find_if_not(begin, command_.shader.end(), may_be_repeated) - begin;
  const bool is_taken = std::any_of(command_.loops.begin(), command_.loops.end(),
                                    [&](const Loop& other) { return other.end() > loop.first; });
  if (longest == 0 || is_taken) return;
  loop.length = 1 + below(static_cast<uint32_t>(longest));
  try_change([&] {
    const auto first = command_.shader.begin() + loop.first;
    std::for_each(first, first + loop.length, [&](Statement& one) { vary_by_turn(one, loop); });
    add_loop(command_, loop);
  });
}

template <typename Change>
void ShaderMaker::try_change(const Change& change) {
  const Command before = command_;
  change();
  if (!has_uniform_barriers(command_, setting_.subgroup_size) || has_barrier_in_uneven_loop(command_))
    command_ = before;
}

Condition ShaderMaker::condition_to_leave(const Loop* loop) {
  const uint32_t invocations = command_.groups * command_.local_size;
  if (loop == nullptr)
    return one_in(2) ? Condition{Condition::Form::own_from, 1 + below(invocations)} : any_condition();
  switch (below(4)) {
    case 0:
      return {Condition::Form::turn_beyond_group, 2};
    case 1:
      return {Condition::Form::turn_is, 1 + below(loop->turns)};
    case 2:
      return any_condition();
    default:
      return {Condition::Form::turn_beyond_local, pick({2u, 3u, 4u})};
  }
}

// Who waits for a signal or a lock would wait in vain for who has left the shader.
void ShaderMaker::leave_somewhere() {
  const auto size = static_cast<uint32_t>(command_.shader.size());
  if (size == 0) return;
  const uint32_t number = said_at(command_, below(size));
  const Loop* loop = loop_of(command_, number);
  const bool is_protocol_here =
      std::ranges::any_of(command_.shader, [](const Statement& one) { return is_protocol(one.what); });
  Statement leave;
  leave.what = Statement::What::leave;
  if (loop != nullptr)
    leave.leave = loop->form == Loop::Form::called
                      ? Statement::Leave::turn
                      : pick({Statement::Leave::turn, Statement::Leave::loop, Statement::Leave::shader});
  if (leave.leave == Statement::Leave::shader && is_protocol_here) return;
  leave.when = condition_to_leave(loop);
  if (leave.when.form == Condition::Form::always) return;
  try_change([&] { insert_said(command_, number, leave); });
}

}  // namespace oracle
