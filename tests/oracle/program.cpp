// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <algorithm>

namespace oracle {
namespace {

std::string number(uint32_t value) { return std::to_string(value) + "u"; }

std::string hex(uint64_t value) {
  const char* const digits = "0123456789abcdef";
  std::string text;
  do text.insert(text.begin(), digits[value & 15]);
  while ((value >>= 4) != 0);
  return "0x" + text;
}

// Upper bound of what the form gives, without the modulo.
std::string number_from(Source source, uint32_t value) {
  if (source == Source::columns) return "W";
  return source == Source::literal ? number(value) : "number[" + std::to_string(value) + "].x";
}

uint32_t limit_of(const Index& index, const Grid& grid) {
  const uint32_t invocations = grid.invocations();
  const uint32_t moved = index.step * (kMaxTurns - 1), k = index.k + moved;
  switch (index.form) {
    case Index::Form::plus:
      return invocations + k;
    case Index::Form::flip:
    case Index::Form::group_flipped:
      return 2 * std::max(invocations, k + 1);
    case Index::Form::constant:
      return k + 1;
    case Index::Form::strided:
      return invocations * std::max(k, 1u);
    case Index::Form::walked:
      return invocations * kMaxTurns;
    case Index::Form::rows:
    case Index::Form::row_neighbour:
      return (grid.rows - 1) * index.k + grid.columns + 1 + moved;
    case Index::Form::columns:
      return (grid.columns - 1) * index.k + grid.rows + moved;
    default:
      return invocations;
  }
}

std::string describe(const Barrier& barrier) {
  std::string text = hex(barrier.src_stages) + "/" + hex(barrier.src_access) + " -> " +
                     hex(barrier.dst_stages) + "/" + hex(barrier.dst_access);
  if (barrier.ranged)
    text += " buffer " + std::to_string(barrier.buffer) + " [" + std::to_string(barrier.offset) + ", +" +
            std::to_string(barrier.bytes) + ")";
  const char* const layouts[] = {"general", "transfer source", "transfer destination", "colour attachment",
                                 "read only"};
  if (barrier.layout)
    text += std::string(barrier.discards ? ", discarded" : "") + ", to layout " +
            layouts[static_cast<int>(*barrier.layout)];
  return text;
}

std::string range(uint32_t buffer, uint32_t offset) {
  return "buffer " + std::to_string(buffer) + " + " + std::to_string(offset);
}

std::string describe_draw(const Command& draw) {
  std::string text = std::string(draw.continues ? "in the same pass " : "") + "draw of " +
                     std::to_string(draw.groups) +
                     (draw.stage == Command::Stage::vertex ? " vertices" : " fragments");
  if (draw.input_stride != 0)
    text += ", a vertex each " + std::to_string(draw.input_stride) + " bytes of " +
            range(draw.input_buffer, draw.input_offset);
  if (draw.is_indirect()) text += ", indirect, from " + range(draw.buffer, draw.offset);
  return text;
}

std::string describe(const Command& command) {
  std::string shape = std::to_string(command.groups) + " workgroups of " + std::to_string(command.local_size);
  if (command.group_rows * command.local_rows != 1)
    shape += ", in " + std::to_string(command.group_rows) + " rows of workgroups with " +
             std::to_string(command.local_rows) + " rows of invocations";
  switch (command.what) {
    case Command::What::draw:
    case Command::What::draw_indirect:
      return describe_draw(command);
    case Command::What::dispatch:
      return "dispatch " + shape;
    case Command::What::dispatch_indirect:
      return "dispatch_indirect " + shape + " from " + range(command.buffer, command.offset);
    case Command::What::copy:
      return "copy " + std::to_string(command.bytes) + " bytes, " +
             range(command.from_buffer, command.from_offset) + " to " + range(command.buffer, command.offset);
    case Command::What::fill:
      return "fill " + std::to_string(command.bytes) + " bytes, " + range(command.buffer, command.offset);
    case Command::What::barrier:
      return (command.continues                       ? "in the same pass barrier "
              : command.edge == Command::Edge::enters ? "dependency of the next pass "
              : command.edge == Command::Edge::leaves ? "dependency of the last pass "
                                                      : "barrier ") +
             describe(command.barrier);
    case Command::What::begin_pass: {
      const char* const loads[] = {"kept", "cleared", "discarded"};
      return "begin pass on buffer " + std::to_string(command.buffer) + ", " + std::to_string(command.bytes) +
             " bytes, " + loads[static_cast<int>(command.load)] + (command.stores ? "" : ", not stored");
    }
    case Command::What::end_pass:
      return "end pass";
    case Command::What::set_event:
      return "set_event " + std::to_string(command.event) + " " + describe(command.barrier);
    case Command::What::wait_event:
      return "wait_event " + std::to_string(command.event) + " " + describe(command.barrier);
    case Command::What::submit: {
      const std::string next = "; next on queue " + std::to_string(command.queue);
      if (command.submit == Command::Submit::semaphore)
        return "submit" + next + ", waiting for a semaphore at " + hex(command.barrier.dst_stages);
      return "submit" + next +
             (command.submit == Command::Submit::fence ? ", when the host has waited for a fence" : "");
    }
  }
  return "";
}

}  // namespace

uint32_t size_of(Type type) {
  switch (type) {
    case Type::u8:
      return 1;
    case Type::u16:
      return 2;
    case Type::u32:
      return 4;
    case Type::u64:
    case Type::vec2:
      return 8;
    case Type::vec4:
      return 16;
  }
  return 0;
}

uint32_t Index::of(const Invocation& who, uint32_t elements, uint32_t turn) const {
  const uint32_t at = k + step * turn;
  const auto form_value = [&]() -> uint32_t {
    switch (form) {
      case Form::own:
        return who.i;
      case Form::plus:
        return who.i + at;
      case Form::flip:
        return who.i ^ at;
      case Form::modulo:
        return who.i % at;
      case Form::local:
        return who.l;
      case Form::group:
        return who.g;
      case Form::constant:
        return at;
      case Form::reversed:
        return who.groups * who.local_size - 1 - who.i;
      case Form::rotated:
        return who.g * who.local_size + (who.l + at) % who.local_size;
      case Form::group_flipped:
        return who.g * who.local_size + (who.l ^ at);
      case Form::divided:
        return who.i / at;
      case Form::strided:
        return who.i * at;
      case Form::rows:
        return who.y * k + who.x + step * turn;
      case Form::row_neighbour:
        return who.y * k + who.x + 1 + step * turn;
      case Form::columns:
        return who.x * k + who.y + step * turn;
      case Form::walked:
        return who.i + turn * who.groups * who.local_size;
    }
    return 0;
  };
  return form_value() % elements;
}

std::string Index::glsl(uint32_t elements, const Grid& grid, const std::string& turn,
                        const std::string& walked) const {
  const uint32_t invocations = grid.invocations();
  const std::string moved = step == 0 ? "" : " + " + turn + " * " + number(step);
  std::string at = step == 0 ? number(k) : "(" + number(k) + " + " + turn + " * " + number(step) + ")";
  const auto text = [&]() -> std::string {
    switch (form) {
      case Form::own:
        return "i";
      case Form::plus:
        return "i + " + at;
      case Form::flip:
        return "i ^ " + at;
      case Form::modulo:
        return "i % " + at;
      case Form::local:
        return "l";
      case Form::group:
        return "g";
      case Form::constant:
        return at;
      case Form::reversed:
        return number(invocations - 1) + " - i";
      case Form::rotated:
        return "g * L + (l + " + at + ") % L";
      case Form::group_flipped:
        return "g * L + (l ^ " + at + ")";
      case Form::divided:
        return "i / " + at;
      case Form::strided:
        return "i * " + at;
      case Form::rows:
        return "y * " + number_from(width, k) + " + x" + moved;
      case Form::row_neighbour:
        return "y * " + number_from(width, k) + " + x + 1u" + moved;
      case Form::columns:
        return "x * " + number_from(width, k) + " + y" + moved;
      case Form::walked:
        return walked.empty() ? "i + " + turn + " * " + number(invocations) : walked;
    }
    return "";
  };
  return limit_of(*this, grid) > elements ? "(" + text() + ") % " + number(elements) : text();
}

bool Condition::holds(const Invocation& who, bool entered, uint32_t turn) const {
  switch (form) {
    case Form::always:
      return true;
    case Form::local_is:
      return who.l == k;
    case Form::local_below:
      return who.l < k;
    case Form::group_is:
      return who.g == k;
    case Form::group_below:
      return who.g < k;
    case Form::own_is:
      return who.i == k;
    case Form::own_from:
      return who.i >= k;
    case Form::x_from:
      return who.x >= k;
    case Form::y_from:
      return who.y >= k;
    case Form::turn_is:
      return turn == k;
    case Form::turn_beyond_local:
      return turn > who.l % k;
    case Form::turn_beyond_group:
      return turn > who.g % k;
    case Form::entered:
      return entered;
  }
  return false;
}

std::string Condition::glsl(const std::string& turn) const {
  switch (form) {
    case Form::always:
      return "";
    case Form::local_is:
      return "l == " + number(k);
    case Form::local_below:
      return "l < " + number(k);
    case Form::group_is:
      return "g == " + number(k);
    case Form::group_below:
      return "g < " + number(k);
    case Form::own_is:
      return "i == " + number(k);
    case Form::own_from:
      return "i >= " + number(k);
    case Form::x_from:
      return "x >= " + number_from(limit, k);
    case Form::y_from:
      return "y >= " + number_from(limit, k);
    case Form::turn_is:
      return turn + " == " + number(k);
    case Form::turn_beyond_local:
      return turn + " > l % " + number(k);
    case Form::turn_beyond_group:
      return turn + " > g % " + number(k);
    case Form::entered:
      return "entered";
  }
  return "";
}

Grid Command::grid() const {
  if (stage == Stage::fragment) return {fragments_in_row(), groups / fragments_in_row()};
  return {groups / group_rows * (local_size / local_rows), group_rows * local_rows};
}

Invocation Command::invocation(uint32_t i) const {
  Invocation who{i, i % local_size, i / local_size, local_size, groups};
  const uint32_t in_row = stage == Stage::fragment ? fragments_in_row() : groups / group_rows;
  who.x = who.g % in_row * (local_size / local_rows) + who.l % (local_size / local_rows);
  who.y = who.g / in_row * local_rows + who.l / (local_size / local_rows);
  return who;
}

bool is_access(Statement::What what) {
  return what != Statement::What::control_barrier && what != Statement::What::memory_barrier &&
         what != Statement::What::leave;
}

bool is_atomic(Statement::What what) {
  return is_access(what) && what != Statement::What::load && what != Statement::What::store;
}

uint32_t queue_of(const Program& program, int command) {
  uint32_t queue = 0;
  for (int i = 0; i < command; ++i)
    if (program.commands[static_cast<size_t>(i)].what == Command::What::submit)
      queue = program.commands[static_cast<size_t>(i)].queue;
  return queue;
}

uint32_t queues_of(const Program& program) {
  uint32_t queues = 1;
  for (const Command& command : program.commands) queues = std::max(queues, command.queue + 1);
  return queues;
}

bool is_question(Statement::What what) {
  return what == Statement::What::wait || what == Statement::What::peek || what == Statement::What::try_lock;
}

bool is_protocol(Statement::What what) {
  return is_question(what) || what == Statement::What::signal || what == Statement::What::unlock;
}

uint32_t question_number(const Program& program, uint32_t command, uint32_t statement) {
  uint32_t number = 0;
  for (uint32_t i = 0; i <= command; ++i) {
    const std::vector<Statement>& shader = program.commands[i].shader;
    const size_t end = i == command ? statement : shader.size();
    for (size_t s = 0; s < end; ++s) number += is_question(shader[s].what) ? 1 : 0;
  }
  return number;
}

uint32_t question_count(const Program& program) {
  if (program.commands.empty()) return 0;
  const auto last = static_cast<uint32_t>(program.commands.size() - 1);
  return question_number(program, last, static_cast<uint32_t>(program.commands[last].shader.size()));
}

std::string describe(const Program& program) {
  std::string text = program.vulkan_model ? "Vulkan memory model\n" : "GLSL450 memory model\n";
  if (program.images) text += "all buffers are images\n";
  if (program.descriptor_buffers) text += "all descriptors are in a descriptor buffer\n";
  if (program.specialised) text += "the size of workgroups is a specialisation constant\n";
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const Buffer& buffer = program.buffers[i];
    text += "buffer " + std::to_string(i) + ": memory " + std::to_string(buffer.memory) + " + " +
            std::to_string(buffer.offset) + ", " + std::to_string(buffer.size) + " bytes\n";
  }
  for (size_t i = 0; i < program.views.size(); ++i) {
    const View& view = program.views[i];
    if (view.is_shared()) {
      text += "view " + std::to_string(i) + ": workgroup memory, elements of " +
              std::to_string(size_of(view.type)) + " bytes\n";
      continue;
    }
    const char* const reach[] = {"binding", "array element", "address", "",
                                 view.read_only ? "sampled where it is read only" : "sampled"};
    text += "view " + std::to_string(i) + ": " + reach[static_cast<int>(view.reach)] + ", buffer " +
            std::to_string(view.buffer) + " + " + std::to_string(view.offset) +
            (view.coherent ? "\n" : ", private\n");
  }
  for (size_t i = 0; i < program.commands.size(); ++i) {
    const Command& command = program.commands[i];
    text += "[" + std::to_string(i) + "] " + describe(command) + "\n";
    for (size_t s = 0; command.runs_shader() && s < command.shader.size(); ++s)
      text += "      " + describe_site(program, static_cast<int>(i), static_cast<int>(s)) + "\n";
  }
  for (size_t i = 0; i < program.commands.size(); ++i)
    if (program.commands[i].runs_shader())
      text += "--- shader of [" + std::to_string(i) + "]\n" + glsl_of(program, static_cast<uint32_t>(i), 0);
  return text;
}

}  // namespace oracle
