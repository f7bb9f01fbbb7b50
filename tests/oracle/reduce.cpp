// SPDX-License-Identifier: Apache-2.0
// Steps that make an abstract program smaller.
#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "flow.h"
#include "forms.h"
#include "generator.h"
#include "loops.h"

namespace oracle {
namespace {

using What = Statement::What;

// Nobody waits for what nobody signals, or unlocks what it has not locked.
bool protocols_are_complete(const std::vector<Statement>& shader) {
  return std::ranges::all_of(shader, [&](const Statement& part) {
    if (part.what != What::wait && part.what != What::unlock) return true;
    const What needed = part.what == What::wait ? What::signal : What::try_lock;
    return std::ranges::any_of(shader, [&](const Statement& other) {
      return other.what == needed && other.view == part.view && other.index.k == part.index.k;
    });
  });
}

bool is_valid(const Program& program, uint32_t subgroup_size) {
  const auto is_set = [&](size_t wait) {
    return std::any_of(
        program.commands.begin(), program.commands.begin() + static_cast<int>(wait), [&](const Command& set) {
          return set.what == Command::What::set_event && set.event == program.commands[wait].event;
        });
  };
  for (size_t i = 0; i < program.commands.size(); ++i) {
    const Command& command = program.commands[i];
    if (command.what == Command::What::wait_event && !is_set(i)) return false;
    if (!command.runs_shader()) continue;
    if (!protocols_are_complete(command.shader) || !has_uniform_barriers(command, subgroup_size) ||
        has_barrier_in_uneven_loop(command))
      return false;
  }
  return has_right_layouts(program) && has_right_passes(program) &&
         std::ranges::any_of(program.commands, [](const Command& command) { return command.is_action(); });
}

class Steps {
 public:
  Steps(const Program& program, uint32_t subgroup_size) : program_(program), subgroup_size_(subgroup_size) {}

  std::vector<Program> all() {
    for (size_t i = program_.commands.size(); i-- > 0;)
      change(
          [&](Program& smaller) { smaller.commands.erase(smaller.commands.begin() + static_cast<int>(i)); });
    for (size_t i = program_.commands.size(); i-- > 0;)
      if (program_.commands[i].what == Command::What::begin_pass) drop_pass(i);
    for (size_t i = 0; i < program_.commands.size(); ++i) change_command(i);
    for (size_t i = 0; i < program_.views.size(); ++i) change_view(i);
    return std::move(found_);
  }

 private:
  template <typename Change>
  void change(const Change& apply) {
    Program smaller = program_;
    apply(smaller);
    if (is_valid(smaller, subgroup_size_)) found_.push_back(std::move(smaller));
  }

  // With its edges.
  void drop_pass(size_t begin) {
    const auto edge = [&](size_t at, Command::Edge of) {
      return at < program_.commands.size() && program_.commands[at].edge == of;
    };
    size_t end = begin;
    while (end < program_.commands.size() && program_.commands[end].what != Command::What::end_pass) ++end;
    const size_t first = begin > 0 && edge(begin - 1, Command::Edge::enters) ? begin - 1 : begin,
                 last = edge(end + 1, Command::Edge::leaves) ? end + 2 : end + 1;
    change([&](Program& smaller) {
      smaller.commands.erase(smaller.commands.begin() + static_cast<int>(first),
                             smaller.commands.begin() + static_cast<int>(last));
    });
  }

  void change_command(size_t i) {
    const Command& command = program_.commands[i];
    for (size_t s = command.shader.size(); s-- > 0;)
      if (is_said(command, s))
        change([&](Program& smaller) { erase_said(smaller.commands[i], static_cast<uint32_t>(s)); });
    if ((command.what == Command::What::dispatch || command.is_draw()) && command.groups > 1 &&
        (command.what != Command::What::draw_indirect || command.stage == Command::Stage::fragment))
      change([&](Program& smaller) {
        Command& halved = smaller.commands[i];
        halved.groups /= 2;
        halved.group_rows = std::min(halved.group_rows, halved.groups);
      });
    if (command.runs_shader() && command.local_size > 1)
      change([&](Program& smaller) {
        Command& halved = smaller.commands[i];
        halved.local_size /= 2;
        halved.local_rows = std::min(halved.local_rows, halved.local_size);
      });
    if (command.group_rows * command.local_rows != 1)
      change([&](Program& smaller) { smaller.commands[i].group_rows = smaller.commands[i].local_rows = 1; });
    if (command.what == Command::What::dispatch_indirect)
      change([&](Program& smaller) { smaller.commands[i].what = Command::What::dispatch; });
    if (command.is_draw()) change_draw(i);
    if (command.what == Command::What::begin_pass && command.load != Command::Load::clear)
      change([&](Program& smaller) { smaller.commands[i].load = Command::Load::clear; });
    if (command.what == Command::What::barrier && command.continues)
      change([&](Program& smaller) { smaller.commands[i].continues = false; });
    if (command.barrier.layout)
      change([&](Program& smaller) {
        smaller.commands[i].barrier.layout.reset();
        smaller.commands[i].barrier.discards = false;
      });
    else if (command.barrier.ranged)
      change([&](Program& smaller) { smaller.commands[i].barrier.ranged = false; });
    for (size_t s = 0; s < command.shader.size(); ++s)
      if (is_said(command, s)) change_statement(i, s);
    for (size_t loop = 0; loop < command.loops.size(); ++loop) change_loop(i, loop);
  }

  static bool is_said(const Command& command, size_t statement) {
    return said_at(command, static_cast<uint32_t>(statement)) == statement;
  }

  void change_loop(size_t i, size_t number) {
    const Loop& loop = program_.commands[i].loops[number];
    change([&](Program& smaller) {
      auto& loops = smaller.commands[i].loops;
      loops.erase(loops.begin() + static_cast<int>(number));
    });
    if (loop.turns > 1) change([&](Program& smaller) { drop_turn(smaller.commands[i], number); });
    if (loop.form == Loop::Form::called || loop.form == Loop::Form::bounded)
      change([&](Program& smaller) { smaller.commands[i].loops[number].form = Loop::Form::counted; });
  }

  void change_draw(size_t i) {
    const Command& draw = program_.commands[i];
    if (draw.what == Command::What::draw_indirect)
      change([&](Program& smaller) { smaller.commands[i].what = Command::What::draw; });
    if (draw.input_stride != 0) change([&](Program& smaller) { smaller.commands[i].input_stride = 0; });
    if (draw.continues) change([&](Program& smaller) { smaller.commands[i].continues = false; });
    if (program_.pass_objects) change([](Program& smaller) { smaller.pass_objects = false; });
  }

  void change_statement(size_t i, size_t s) {
    const Statement& statement = program_.commands[i].shader[s];
    const auto simplify = [&](const auto& apply) {
      change([&](Program& smaller) {
        Command& command = smaller.commands[i];
        for (size_t other = 0; other < command.shader.size(); ++other)
          if (said_at(command, static_cast<uint32_t>(other)) == s) apply(command.shader[other]);
      });
    };
    if (statement.when.form != Condition::Form::always && !is_protocol(statement.what))
      simplify([](Statement& simpler) { simpler.when = {}; });
    if (!is_access(statement.what) || is_protocol(statement.what)) return;
    if (statement.index.form != Index::Form::own) simplify([](Statement& simpler) { simpler.index = {}; });
    if (statement.index.width != Source::literal)
      simplify([](Statement& simpler) { simpler.index.width = Source::literal; });
    if (statement.type != Type::u32 && !program_.views[statement.view].is_shared())
      simplify([](Statement& simpler) { simpler.type = Type::u32; });
    if (is_atomic(statement.what) && statement.semantics != Semantics::relaxed)
      simplify([](Statement& simpler) { simpler.semantics = Semantics::relaxed; });
    if (is_atomic(statement.what) && statement.scope != Scope::device)
      simplify([](Statement& simpler) { simpler.scope = Scope::device; });
  }

  void change_view(size_t i) {
    if (program_.views[i].offset != 0) change([&](Program& smaller) { smaller.views[i].offset = 0; });
    if (program_.views[i].is_shared()) {
      if (program_.views[i].type != Type::u32) change([&](Program& smaller) { retype(smaller, i); });
      return;
    }
    if (program_.views[i].reach != View::Reach::binding && program_.views[i].reach != View::Reach::sampled)
      change([&](Program& smaller) { smaller.views[i].reach = View::Reach::binding; });
    if (program_.descriptor_buffers && i == 0)
      change([](Program& smaller) { smaller.descriptor_buffers = false; });
    if (program_.specialised && i == 0) change([](Program& smaller) { smaller.specialised = false; });
    if (program_.vulkan_model && i == 0)
      change([](Program& smaller) {
        smaller.vulkan_model = false;
        for (View& view : smaller.views) view.coherent = true;
      });
  }

  static void retype(Program& program, size_t view) {
    program.views[view].type = Type::u32;
    for (Command& command : program.commands)
      for (Statement& statement : command.shader)
        if (is_access(statement.what) && statement.view == view) statement.type = Type::u32;
  }

  const Program& program_;
  const uint32_t subgroup_size_;
  std::vector<Program> found_;
};

bool has_letter(const std::string& spec, char letter) {
  return spec.substr(0, spec.find_first_of("0123456789@")).find(letter) != std::string::npos;
}

// name: letters, and a seed or SEED@SUBGROUP_SIZE,QUEUES.
Machine machine_named(const std::string& name, Machine machine) {
  if (name.starts_with('@')) return machine;
  machine.draws = has_letter(name, kDrawsLetter);
  machine.images = has_letter(name, kImagesLetter);
  machine.descriptor_buffers = has_letter(name, kDescriptorBuffersLetter);
  machine.mixed_barriers = has_letter(name, kMixedBarriersLetter);
  machine.loops = has_letter(name, kLoopsLetter);
  machine.grids = has_letter(name, kGridsLetter);
  machine.passes = has_letter(name, kPassesLetter);
  machine.images |= machine.passes;
  machine.draws |= machine.passes;
  if (const size_t of = name.find('@'); of != std::string::npos) {
    std::istringstream numbers(name.substr(of + 1));
    char comma = 0;
    if (!(numbers >> machine.subgroup_size >> comma >> machine.queues) || comma != ',')
      throw std::invalid_argument(name + ": a machine is SUBGROUP_SIZE,QUEUES");
  }
  return machine;
}

std::string start_of(const std::string& spec) { return spec.substr(0, spec.find(':')); }

}  // namespace

std::vector<Program> smaller_programs(const Program& program, uint32_t subgroup_size) {
  return Steps(program, subgroup_size).all();
}

bool has_images(const std::string& spec) {
  if (spec.starts_with('@')) return form(spec.substr(1)).program.images;
  return has_letter(spec, kImagesLetter) || has_letter(spec, kPassesLetter);
}

bool has_descriptor_buffers(const std::string& spec) {
  return !spec.starts_with('@') && has_letter(spec, kDescriptorBuffersLetter);
}

Program program_of(const std::string& spec, const Machine& machine) {
  const std::string name = start_of(spec);
  const Machine named = machine_named(name, machine);
  Program program = name.starts_with('@')
                        ? form(name.substr(1)).program
                        : generate(std::stoull(name.substr(name.find_first_of("0123456789"))), named);
  for (size_t at = spec.find(':'); at != std::string::npos; at = spec.find('.', at + 1)) {
    const std::vector<Program> steps = smaller_programs(program, named.subgroup_size);
    const size_t step = std::stoull(spec.substr(at + 1));
    if (step >= steps.size()) throw std::invalid_argument(spec + ": there is no such step");
    program = steps[step];
  }
  return program;
}

std::vector<Program> smaller_programs_of(const std::string& spec, const Machine& machine) {
  return smaller_programs(program_of(spec, machine), machine_named(start_of(spec), machine).subgroup_size);
}

}  // namespace oracle
