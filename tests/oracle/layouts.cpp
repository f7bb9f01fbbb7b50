// SPDX-License-Identifier: Apache-2.0
// Layouts of an abstract program's images.
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

bool has_right_layouts(const Program& program) {
  for (int i = 0; program.images && i < static_cast<int>(program.commands.size()); ++i)
    if (!has_right_layouts(program, i)) return false;
  return true;
}

}  // namespace oracle
