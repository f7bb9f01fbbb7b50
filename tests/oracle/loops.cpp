// SPDX-License-Identifier: Apache-2.0
#include "loops.h"

#include <algorithm>

namespace oracle {
namespace {

void move_loops_behind(Command& command, uint32_t statement, int by) {
  for (Loop& loop : command.loops)
    if (loop.first > statement) loop.first = static_cast<uint32_t>(static_cast<int>(loop.first) + by);
}

}  // namespace

const Loop* loop_of(const Command& command, uint32_t statement) {
  const auto found = std::ranges::find_if(
      command.loops, [&](const Loop& loop) { return statement >= loop.first && statement < loop.end(); });
  return found == command.loops.end() ? nullptr : &*found;
}

uint32_t said_at(const Command& command, uint32_t statement) {
  const Loop* loop = loop_of(command, statement);
  return loop == nullptr ? statement : loop->first + (statement - loop->first) % loop->length;
}

void insert_said(Command& command, uint32_t number, Statement statement) {
  const Loop* found = loop_of(command, number);
  const Loop loop = found == nullptr ? Loop{.first = number, .turns = 1} : *found;
  for (uint32_t turn = loop.turns; turn-- > 0;) {
    statement.turn = turn;
    command.shader.insert(command.shader.begin() + number + turn * loop.length, statement);
  }
  for (Loop& one : command.loops)
    if (found != nullptr && one.first == loop.first)
      ++one.length;
    else if (one.first >= number)
      one.first += loop.turns;
}

void erase_said(Command& command, uint32_t statement) {
  const Loop* found = loop_of(command, statement);
  const Loop loop = found == nullptr ? Loop{.first = statement, .turns = 1} : *found;
  for (uint32_t turn = loop.turns; turn-- > 0;)
    command.shader.erase(command.shader.begin() + statement + turn * loop.length);
  for (Loop& one : command.loops)
    if (found != nullptr && one.first == loop.first) --one.length;
  move_loops_behind(command, statement, -static_cast<int>(loop.turns));
  std::erase_if(command.loops, [](const Loop& one) { return one.length == 0; });
}

void drop_turn(Command& command, size_t number) {
  Loop& loop = command.loops[number];
  const uint32_t end = loop.end();
  command.shader.erase(command.shader.begin() + end - loop.length, command.shader.begin() + end);
  --loop.turns;
  move_loops_behind(command, end - 1, -static_cast<int>(loop.length));
}

void add_loop(Command& command, const Loop& loop) {
  const std::vector<Statement> body(command.shader.begin() + loop.first,
                                    command.shader.begin() + loop.first + loop.length);
  for (uint32_t turn = loop.turns; --turn > 0;) {
    std::vector<Statement> copies = body;
    for (Statement& copy : copies) copy.turn = turn;
    command.shader.insert(command.shader.begin() + loop.first + loop.length, copies.begin(), copies.end());
  }
  move_loops_behind(command, loop.first, static_cast<int>(loop.length * (loop.turns - 1)));
  const auto behind =
      std::ranges::find_if(command.loops, [&](const Loop& other) { return other.first > loop.first; });
  command.loops.insert(behind, loop);
}

}  // namespace oracle
