// SPDX-License-Identifier: Apache-2.0
// Loops of random shaders.
#include <algorithm>

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
void ShaderMaker::vary_by_turn(Statement& statement, uint32_t turns) {
  const uint32_t invocations = command_.groups * command_.local_size;
  if (statement.when.form == Condition::Form::always && one_in(6))
    statement.when = {Condition::Form::turn_is, below(turns)};
  if (!is_access(statement.what) || !one_in(3)) return;
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
  loop.form = pick({Loop::Form::counted, Loop::Form::bounded, Loop::Form::bounded, Loop::Form::called});
  if (command_.is_draw() && loop.form == Loop::Form::bounded) loop.form = Loop::Form::counted;
  loop.first = below(size);
  loop.turns = 2 + below(kMaxTurns - 1);
  const auto begin = command_.shader.begin() + loop.first;
  const auto longest = std::find_if_not(begin, command_.shader.end(), may_be_repeated) - begin;
  const bool is_taken = std::any_of(command_.loops.begin(), command_.loops.end(),
                                    [&](const Loop& other) { return other.end() > loop.first; });
  if (longest == 0 || is_taken) return;
  loop.length = 1 + below(static_cast<uint32_t>(longest));
  std::for_each(begin, begin + loop.length, [&](Statement& one) { vary_by_turn(one, loop.turns); });
  add_loop(command_, loop);
}

}  // namespace oracle
