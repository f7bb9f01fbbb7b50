// SPDX-License-Identifier: Apache-2.0
// Executes the shaders of an abstract program, each invocation statement by statement, and notes with every
// access what happened before it within the dispatch: inter-thread-happens-before for the class of its
// memory, by vector clocks. Release barriers keep the clock that they release, by scope; atomics and control
// barriers hand it on; acquire barriers join what was handed on before them.
#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "flow.h"
#include "truth.h"

namespace oracle {
namespace {

using What = Statement::What;

constexpr uint32_t kDistances = 3;  // same subgroup, same workgroup, same device
constexpr uint32_t kClasses = 2;    // of memory: buffers, workgroup memory

bool reaches(Scope scope, uint32_t distance) { return static_cast<uint32_t>(scope) >= distance + 1; }

void join(Clock& clock, const Clock& other) {
  if (other.size() > clock.size()) clock.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

// What an atomic hands on to readers, by class of memory and by their distance.
using Released = std::array<std::array<Clock, kDistances>, kClasses>;
using Location = std::tuple<uint32_t, uint32_t, uint32_t>;  // memory, begin, size
// By location and invocation that released there.
using Published = std::map<Location, std::map<uint32_t, Released>>;

// The accesses to one class of memory that are ordered before an invocation.
struct Order {
  Clock clock;
  std::array<Clock, 4> released;          // by scope of the release barrier
  std::array<Clock, kDistances> pending;  // handed on, not yet acquired
};

struct Runner {
  Invocation who;
  uint32_t subgroup = 0;
  size_t at = 0;
  bool arrived = false;  // at a control barrier
  bool entered = false;
  bool gives_up = false;  // its question would never be answered
  std::array<Order, kClasses> orders;
};

// What one invocation stored, for who reads just that.
struct Store {
  uint32_t agent = 0;
  Released released;
};
struct Lock {
  bool held = false;
  uint32_t tenures = 0;
  std::optional<Store> unlocked;
};

Kind kind_of(What what) {
  switch (what) {
    case What::load:
      return Kind::read;
    case What::store:
      return Kind::write;
    case What::atomic_load:
    case What::wait:
    case What::peek:
      return Kind::atomic_read;
    case What::atomic_store:
    case What::signal:
    case What::unlock:
      return Kind::atomic_write;
    default:
      return Kind::atomic_update;
  }
}

uint32_t value_of(const Statement& statement, const Invocation& who) {
  if (statement.value == Statement::Value::one) return 1;
  return statement.what == What::signal ? who.g + 1 : who.g;
}

// A dispatch's workgroups have arrays of their own.
uint32_t shared_memory(int command, uint32_t group, uint32_t view) {
  return 1 << 20 | static_cast<uint32_t>(command) << 14 | group << 6 | view;
}

class Dispatch {
 public:
  // perhaps: every acquire reads what every release at its location wrote, unless what it read is known.
  Dispatch(const Program& program, int command, uint32_t subgroup_size, const Answers& answers,
           Acquires acquires, bool perhaps, Published before)
      : program_(program),
        number_(command),
        command_(program.commands[static_cast<size_t>(command)]),
        answers_(answers),
        always_acquires_(acquires == Acquires::taken_for_granted),
        perhaps_(perhaps),
        before_(std::move(before)) {
    for (uint32_t i = 0; i < command_.groups * command_.local_size; ++i) {
      Runner runner;
      runner.who = command_.invocation(i);
      runner.subgroup = runner.who.l / subgroup_size;
      for (Order& order : runner.orders) order.clock.resize(command_.groups * command_.local_size);
      runners_.push_back(std::move(runner));
    }
  }

  void run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (Runner& runner : runners_) moved |= advance(runner);
      moved |= open_barriers();
      if (!moved) moved = give_up();
    }
    for (const Runner& runner : runners_)
      if (runner.at != command_.shader.size()) throw std::logic_error("an abstract program does not end");
  }

  std::vector<Access> accesses;
  std::vector<std::shared_ptr<const Clock>> clocks;
  Published published;

 private:
  uint32_t distance(const Runner& a, const Runner& b) const {
    if (a.who.g != b.who.g) return 2;
    return a.subgroup == b.subgroup ? 0 : 1;
  }
  uint32_t class_of(const Statement& statement) const {
    return program_.views[statement.view].is_shared() ? 1 : 0;
  }
  // Whether its semantics are for this class of memory.
  bool is_for(const Statement& statement, uint32_t memory_class) const {
    if (is_access(statement.what) && class_of(statement) == memory_class) return true;
    return memory_class == 0 ? statement.buffers : statement.shared;
  }

  bool advance(Runner& runner) {
    bool moved = false;
    while (runner.at < command_.shader.size() && !runner.arrived) {
      const auto at = static_cast<uint32_t>(runner.at);
      if (const uint32_t arrived = arrives_at(command_, runner.who, at); arrived != at) {
        runner.at = arrived;
        moved = true;
        continue;
      }
      const Statement& statement = command_.shader[at];
      for (Order& order : runner.orders) order.clock[runner.who.i] = static_cast<uint16_t>(runner.at);
      const bool executed = statement.when.holds(runner.who, runner.entered, statement.turn);
      if (executed && statement.what == What::control_barrier) {
        runner.arrived = true;
        return true;
      }
      if (executed && statement.what != What::leave && !step(runner, statement)) return moved;
      runner.at = executed ? goes_on_at(command_, at) : at + 1;
      moved = true;
    }
    return moved;
  }

  // Somebody asks for what will never be so. With answers, all questions are answered.
  bool give_up() {
    for (Runner& runner : runners_)
      if (answers_.empty() && runner.at < command_.shader.size() && !runner.arrived && !runner.gives_up &&
          command_.shader[runner.at].what == What::peek)
        return runner.gives_up = true;
    return false;
  }

  Location location_of(const Runner& runner, const Statement& statement) const {
    const View& view = program_.views[statement.view];
    const uint32_t size = size_of(statement.type);
    const uint32_t at = size * statement.index.of(runner.who, view.elements(statement.type), statement.turn);
    if (view.is_shared()) return {shared_memory(number_, runner.who.g, statement.view), at, size};
    const Buffer& buffer = program_.buffers[view.buffer];
    return {buffer.memory, buffer.offset + view.offset + at, size};
  }

  // False: it has to wait.
  bool step(Runner& runner, const Statement& statement) {
    if (statement.what == What::memory_barrier) {
      pass_fence(runner, statement);
      return true;
    }
    const Location location = location_of(runner, statement);
    if (is_question(statement.what)) return ask(runner, statement, location);
    note(runner, statement, location);
    if (is_atomic(statement.what)) hand_on(runner, statement, location);
    return true;
  }

  // The answer that a run gave: 0 for no. Nothing if the program has not run.
  std::optional<uint32_t> answer_of(const Runner& runner) const {
    if (answers_.empty()) return std::nullopt;
    const uint32_t question =
        question_number(program_, static_cast<uint32_t>(number_), static_cast<uint32_t>(runner.at));
    return answers_.at(question * kMaxInvocations + runner.who.i);
  }

  bool ask(Runner& runner, const Statement& statement, const Location& location) {
    const std::optional<uint32_t> answer = answer_of(runner);
    bool yes = !runner.gives_up && answer.value_or(1) != 0;
    std::optional<Store> source;  // of what was read
    if (statement.what == What::try_lock) {
      Lock& lock = locks_[location];
      if (!answer) yes = !lock.held;
      if (yes && answer && (lock.held || lock.tenures + 1 != *answer)) return false;
      if (yes) {
        lock.held = true;
        ++lock.tenures;
        source = lock.unlocked;
      }
    } else if (yes) {
      const uint32_t value = value_of(statement, runner.who);
      const auto found = signals_[location].find(value);
      // All words begin as 0.
      if (found == signals_[location].end() && value != 0) return false;
      if (found != signals_[location].end()) source = found->second;
    }
    note(runner, statement, location);
    runner.entered = yes;
    runner.gives_up = false;
    if (source) receive(runner, statement, source->agent, source->released);
    if (!yes) hear_all(runner, statement, location);
    if (statement.what == What::try_lock) publish(runner, statement, location);
    return true;
  }

  void note(const Runner& runner, const Statement& statement, const Location& location) {
    const View& view = program_.views[statement.view];
    Access access;
    access.site = {number_, static_cast<int>(runner.at)};
    access.agent = runner.who.i;
    access.group = runner.who.g;
    access.subgroup = runner.subgroup;
    std::tie(access.memory, access.begin, access.size) = location;
    access.buffer = view.buffer;
    access.reference = view.reach == View::Reach::address ? 1000 + view.buffer : statement.view;
    access.kind = kind_of(statement.what);
    access.sampled = view.reach == View::Reach::sampled;
    // In workgroup memory GLSL's variables are coherent within the workgroup, in both memory models.
    access.non_private = is_atomic(statement.what) || view.is_shared() ||
                         (!access.sampled && (!program_.vulkan_model || view.coherent));
    access.scope = is_atomic(statement.what) ? statement.scope
                   : view.is_shared()        ? Scope::workgroup
                                             : Scope::device;
    accesses.push_back(access);
    clocks.push_back(std::make_shared<const Clock>(runner.orders[class_of(statement)].clock));
  }

  void hand_on(Runner& runner, const Statement& statement, const Location& location) {
    const Kind kind = kind_of(statement.what);
    if (oracle::reads(kind)) hear_all(runner, statement, location);
    if (!oracle::writes(kind)) return;
    publish(runner, statement, location);
    const Store store{runner.who.i, released_by(runner, statement)};
    if (statement.what == What::signal) signals_[location].emplace(value_of(statement, runner.who), store);
    if (statement.what == What::unlock) {
      locks_[location].held = false;
      locks_[location].unlocked = store;
    }
  }

  // What may have been read.
  void hear_all(Runner& runner, const Statement& statement, const Location& location) {
    if (!perhaps_) return;
    if (const auto found = before_.find(location); found != before_.end())
      for (const auto& [agent, released] : found->second) receive(runner, statement, agent, released);
  }

  void publish(const Runner& runner, const Statement& statement, const Location& location) {
    if (!perhaps_) return;
    const Released released = released_by(runner, statement);
    Released& at_location = published[location][runner.who.i];
    for (uint32_t c = 0; c < kClasses; ++c)
      for (uint32_t d = 0; d < kDistances; ++d) join(at_location[c][d], released[c][d]);
  }

  Released released_by(const Runner& runner, const Statement& statement) const {
    Released released;
    for (uint32_t c = 0; c < kClasses; ++c)
      for (uint32_t d = 0; d < kDistances; ++d) {
        if (!reaches(statement.scope, d)) continue;
        join_released(released[c][d], runner.orders[c], d);
        if (releases(statement.semantics) && is_for(statement, c))
          join(released[c][d], runner.orders[c].clock);
      }
    return released;
  }

  void receive(Runner& runner, const Statement& statement, uint32_t agent, const Released& released) {
    if (agent == runner.who.i) return;
    const uint32_t d = distance(runner, runners_[agent]);
    if (!reaches(statement.scope, d)) return;
    for (uint32_t c = 0; c < kClasses; ++c) {
      join(runner.orders[c].pending[d], released[c][d]);
      if (always_acquires_ || (acquires(statement.semantics) && is_for(statement, c)))
        join_foreign(runner.who, runner.orders[c], released[c][d]);
    }
  }

  static void join_foreign(const Invocation& who, Order& order, const Clock& other) {
    const uint16_t own = order.clock[who.i];
    join(order.clock, other);
    order.clock[who.i] = own;
  }

  static void join_released(Clock& into, const Order& order, uint32_t distance) {
    for (const Scope scope : {Scope::subgroup, Scope::workgroup, Scope::device})
      if (reaches(scope, distance)) join(into, order.released[static_cast<size_t>(scope)]);
  }

  void release(Runner& runner, const Statement& barrier) {
    for (uint32_t c = 0; c < kClasses; ++c)
      if (is_for(barrier, c) && releases(barrier.semantics))
        join(runner.orders[c].released[static_cast<size_t>(barrier.scope)], runner.orders[c].clock);
  }
  void acquire(Runner& runner, const Statement& barrier) {
    for (uint32_t c = 0; c < kClasses; ++c) {
      if (!is_for(barrier, c) || !acquires(barrier.semantics)) continue;
      for (uint32_t d = 0; d < kDistances; ++d)
        if (reaches(barrier.scope, d))
          join_foreign(runner.who, runner.orders[c], runner.orders[c].pending[d]);
    }
  }
  // A barrier is one operation: what happens before it as an acquire happens before it as a release, too.
  void pass_fence(Runner& runner, const Statement& barrier) {
    acquire(runner, barrier);
    release(runner, barrier);
  }

  bool open_barriers() {
    bool opened = false;
    for (Runner& first : runners_) {
      if (!first.arrived) continue;
      const Statement& barrier = command_.shader[first.at];
      std::vector<Runner*> all;
      bool complete = true;
      for (Runner& other : runners_) {
        const bool takes_part =
            distance(first, other) == 0 ? true : reaches(barrier.execution, distance(first, other));
        if (!takes_part) continue;
        complete &= other.arrived && other.at == first.at;
        all.push_back(&other);
      }
      if (!complete) continue;
      pass_barrier(barrier, all);
      opened = true;
    }
    return opened;
  }

  void pass_barrier(const Statement& barrier, const std::vector<Runner*>& all) {
    for (Runner* runner : all) pass_fence(*runner, barrier);
    for (Runner* to : all)
      for (const Runner* from : all) {
        const uint32_t d = distance(*from, *to);
        for (uint32_t c = 0; c < kClasses && from != to; ++c)
          join_released(to->orders[c].pending[d], from->orders[c], d);
      }
    for (Runner* runner : all) {
      pass_fence(*runner, barrier);
      for (uint32_t c = 0; c < kClasses && always_acquires_; ++c)
        for (const Clock& clock : runner->orders[c].pending)
          join_foreign(runner->who, runner->orders[c], clock);
      runner->arrived = false;
      ++runner->at;
    }
  }

  const Program& program_;
  const int number_;
  const Command& command_;
  const Answers& answers_;
  const bool always_acquires_;
  const bool perhaps_;
  const Published before_;
  std::vector<Runner> runners_;
  std::map<Location, std::map<uint32_t, Store>> signals_;  // by value
  std::map<Location, Lock> locks_;
};

void add_dispatch(const Program& program, int command, uint32_t subgroup_size, const Answers& answers,
                  Acquires acquires, std::vector<Access>& all) {
  Dispatch surely(program, command, subgroup_size, answers, acquires, false, {});
  surely.run();
  Published published;
  for (;;) {
    Dispatch perhaps(program, command, subgroup_size, answers, acquires, true, published);
    perhaps.run();
    if (perhaps.published != published) {
      published = std::move(perhaps.published);
      continue;
    }
    // Both run the same way, so the accesses are in the same order.
    for (size_t i = 0; i < surely.accesses.size(); ++i) {
      surely.accesses[i].surely = surely.clocks[i];
      surely.accesses[i].perhaps = perhaps.clocks[i];
    }
    break;
  }
  all.insert(all.end(), surely.accesses.begin(), surely.accesses.end());
}

void add_range(const Program& program, int command, Kind kind, uint32_t buffer, uint32_t offset,
               uint32_t bytes, std::vector<Access>& all) {
  Access access;
  access.site = {command, -1};
  access.from_copy = !writes(kind);
  access.memory = program.buffers[buffer].memory;
  access.begin = program.buffers[buffer].offset + offset;
  access.size = bytes;
  access.kind = kind;
  access.buffer = buffer;
  access.reference = 2000 + buffer;
  all.push_back(access);
}

}  // namespace

std::vector<Access> accesses_of(const Program& program, uint32_t subgroup_size, const Answers& answers,
                                Acquires acquires) {
  std::vector<Access> all;
  for (int i = 0; i < static_cast<int>(program.commands.size()); ++i) {
    const Command& command = program.commands[static_cast<size_t>(i)];
    if (command.is_indirect())
      add_range(program, i, Kind::read, command.buffer, command.offset, command.is_draw() ? 16 : 12, all);
    for (uint32_t vertex = 0; command.input_stride != 0 && vertex < command.vertices(); ++vertex)
      add_range(program, i, Kind::read, command.input_buffer,
                command.input_offset + vertex * command.input_stride, 4, all);
    if (command.what == Command::What::copy)
      add_range(program, i, Kind::read, command.from_buffer, command.from_offset, command.bytes, all);
    if (command.what == Command::What::copy || command.what == Command::What::fill)
      add_range(program, i, Kind::write, command.buffer, command.offset, command.bytes, all);
    if (command.what == Command::What::begin_pass) {
      // Whatever it does not keep or store it writes, too.
      if (command.load == Command::Load::keep)
        add_range(program, i, Kind::read, command.buffer, 0, command.bytes, all);
      add_range(program, i, Kind::write, command.buffer, 0, command.bytes, all);
    }
    if (is_transition(program, i))
      add_range(program, i, Kind::write, command.barrier.buffer, 0, kMemoryBytes, all);
    if (command.runs_shader()) add_dispatch(program, i, subgroup_size, answers, acquires, all);
  }
  return all;
}

}  // namespace oracle
