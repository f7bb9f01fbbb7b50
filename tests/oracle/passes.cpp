// SPDX-License-Identifier: Apache-2.0
// Render passes of an abstract program.
#include <algorithm>

#include "program.h"

namespace oracle {
namespace {

using What = Command::What;
using Edge = Command::Edge;

// There is none in front of the first command, nor behind the last one.
const Command* command_at(const Program& program, int number) {
  const bool is_there = number >= 0 && number < static_cast<int>(program.commands.size());
  return is_there ? &program.commands[static_cast<size_t>(number)] : nullptr;
}
bool is(const Command* command, What what) { return command != nullptr && command->what == what; }

bool is_plain_barrier(const Command& command) {
  return command.what == What::barrier && command.edge == Edge::none;
}

bool uses_image(const Program& program, const Command& command, uint32_t image) {
  return std::ranges::any_of(command.shader, [&](const Statement& statement) {
    if (!is_access(statement.what)) return false;
    const View& view = program.views[statement.view];
    return !view.is_shared() && view.buffer == image;
  });
}

// Whether it may lie between the two ends of the pass.
bool may_be_within(const Program& program, const Command& command, const Command& begin) {
  const bool is_allowed = command.is_draw() || (program.pass_objects && is_plain_barrier(command));
  return is_allowed && command.continues && !uses_image(program, command, begin.buffer);
}

bool has_right_edge(const Program& program, int number) {
  const Edge edge = program.commands[static_cast<size_t>(number)].edge;
  if (edge == Edge::none) return true;
  return program.pass_objects && (edge == Edge::enters ? is(command_at(program, number + 1), What::begin_pass)
                                                       : is(command_at(program, number - 1), What::end_pass));
}

}  // namespace

int pass_of(const Program& program, int command) {
  const Command& asked = program.commands[static_cast<size_t>(command)];
  if (asked.what == What::begin_pass) return command;
  const bool stays =
      asked.is_draw() || asked.what == What::end_pass || (program.pass_objects && is_plain_barrier(asked));
  const int before = stays && asked.continues && command > 0 ? pass_of(program, command - 1) : -1;
  return before < 0 && asked.is_draw() ? command : before;
}

int attached_pass_of(const Program& program, int command) {
  const Edge edge = program.commands[static_cast<size_t>(command)].edge;
  int pass = -1;
  if (edge == Edge::none) pass = pass_of(program, command);
  if (edge == Edge::enters) pass = command + 1;
  if (edge == Edge::leaves && command > 0) pass = pass_of(program, command - 1);
  return is(command_at(program, pass), What::begin_pass) ? pass : -1;
}

bool has_right_passes(const Program& program) {
  const Command* open = nullptr;
  for (int i = 0; i < static_cast<int>(program.commands.size()); ++i) {
    const Command& command = program.commands[static_cast<size_t>(i)];
    if (!has_right_edge(program, i)) return false;
    if (command.what == What::end_pass) {
      if (open == nullptr) return false;
      open = nullptr;
    } else if (open != nullptr) {
      if (!may_be_within(program, command, *open)) return false;
    } else if (command.what == What::begin_pass) {
      open = &command;
    } else if (command.continues && is(command_at(program, i - 1), What::end_pass)) {
      return false;
    }
  }
  return open == nullptr;
}

}  // namespace oracle
