// SPDX-License-Identifier: Apache-2.0
// Layouts of an abstract program's images, and the render passes whose attachments they are.
#include <algorithm>

#include "program.h"

namespace oracle {
namespace {

bool has_right_layouts(const Program& program, int number) {
  const Command& command = program.commands[static_cast<size_t>(number)];
  const auto is_in = [&](uint32_t image, std::initializer_list<Layout> allowed) {
    return std::ranges::find(allowed, layout_before(program, number, image)) != allowed.end();
  };
  if (command.runs_shader())
    return std::ranges::all_of(command.shader, [&](const Statement& statement) {
      if (!is_access(statement.what)) return true;
      const View& view = program.views[statement.view];
      return view.is_shared() || is_in(view.buffer, {view.read_only ? Layout::read_only : Layout::general});
    });
  if (command.what == Command::What::begin_pass)
    return is_in(command.buffer, {Layout::general, Layout::colour_attachment});
  const bool reads = command.what == Command::What::copy,
             writes = reads || command.what == Command::What::fill;
  if (reads && !is_in(command.from_buffer, {Layout::general, Layout::transfer_source})) return false;
  return !writes || is_in(command.buffer, {Layout::general, Layout::transfer_destination});
}

}  // namespace

Layout layout_before(const Program& program, int command, uint32_t image) {
  Layout layout = Layout::general;
  for (int i = 0; i < command; ++i) {
    const Command& one = program.commands[static_cast<size_t>(i)];
    if (one.what == Command::What::barrier && one.barrier.layout && one.barrier.buffer == image)
      layout = *one.barrier.layout;
  }
  return layout;
}

bool is_transition(const Program& program, int command) {
  const Command& one = program.commands[static_cast<size_t>(command)];
  if (!program.images || one.what != Command::What::barrier || !one.barrier.layout) return false;
  return one.barrier.discards || layout_before(program, command, one.barrier.buffer) != *one.barrier.layout;
}

int attached_pass_of(const Program& program, int command) {
  const Command& asked = program.commands[static_cast<size_t>(command)];
  const auto begins = [&](int pass) {
    return pass >= 0 && pass < static_cast<int>(program.commands.size()) &&
                   program.commands[static_cast<size_t>(pass)].what == Command::What::begin_pass
               ? pass
               : -1;
  };
  if (asked.edge == Command::Edge::enters) return begins(command + 1);
  if (asked.edge == Command::Edge::leaves) return command > 0 ? begins(pass_of(program, command - 1)) : -1;
  return begins(pass_of(program, command));
}

bool has_right_passes(const Program& program) {
  using What = Command::What;
  const auto at = [&](int i) {
    return i < 0 || i >= static_cast<int>(program.commands.size())
               ? What::submit
               : program.commands[static_cast<size_t>(i)].what;
  };
  int open = -1;
  for (int i = 0; i < static_cast<int>(program.commands.size()); ++i) {
    const Command& command = program.commands[static_cast<size_t>(i)];
    const bool is_plain_barrier = command.what == What::barrier && command.edge == Command::Edge::none;
    if (command.edge != Command::Edge::none && !program.pass_objects) return false;
    if (command.edge == Command::Edge::enters && at(i + 1) != What::begin_pass) return false;
    if (command.edge == Command::Edge::leaves && at(i - 1) != What::end_pass) return false;
    if (command.what == What::begin_pass) {
      if (open >= 0) return false;
      open = i;
    } else if (command.what == What::end_pass) {
      if (open < 0) return false;
      open = -1;
    } else if (open >= 0) {
      const uint32_t attachment = program.commands[static_cast<size_t>(open)].buffer;
      const bool uses_it = std::ranges::any_of(command.shader, [&](const Statement& statement) {
        const View* view = is_access(statement.what) ? &program.views[statement.view] : nullptr;
        return view != nullptr && !view->is_shared() && view->buffer == attachment;
      });
      const bool is_in_pass = command.is_draw() || (is_plain_barrier && program.pass_objects);
      if (!command.continues || !is_in_pass || uses_it) return false;
    } else if (command.continues && at(i - 1) == What::end_pass) {
      return false;
    }
  }
  return open < 0;
}

bool has_right_layouts(const Program& program) {
  for (int i = 0; program.images && i < static_cast<int>(program.commands.size()); ++i)
    if (!has_right_layouts(program, i)) return false;
  return true;
}

}  // namespace oracle
