// SPDX-License-Identifier: Apache-2.0
// Executes the shaders of an abstract program, each invocation statement by statement, and notes with every
// access what happened before it within the dispatch: inter-thread-happens-before for buffer memory, by
// vector clocks. Release barriers keep the clock that they release, by scope; atomics and control barriers
// hand it on; acquire barriers join what was handed on before them.
#include <array>
#include <stdexcept>

#include "truth.h"

namespace oracle {
namespace {

constexpr uint32_t kDistances = 3;  // same subgroup, same workgroup, same device

bool reaches(Scope scope, uint32_t distance) { return static_cast<uint32_t>(scope) >= distance + 1; }

void join(Clock& clock, const Clock& other) {
  if (other.size() > clock.size()) clock.resize(other.size());
  for (size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

// What an atomic hands on to readers, by their distance.
using Released = std::array<Clock, kDistances>;
using Location = std::tuple<uint32_t, uint32_t, uint32_t>;  // memory, begin, size
// By location and invocation that released there.
using Published = std::map<Location, std::map<uint32_t, Released>>;

struct Runner {
  Invocation who;
  uint32_t subgroup = 0;
  size_t at = 0;
  bool arrived = false;  // at a control barrier
  Clock clock;
  std::array<Clock, 4> released;  // by scope of the release barrier
  Released pending;               // handed on, not yet acquired
};

class Dispatch {
 public:
  // perhaps: every acquire reads what every release at its location wrote; else only waits read signals.
  Dispatch(const Program& program, int command, uint32_t subgroup_size, bool perhaps, Published before)
      : program_(program),
        number_(command),
        command_(program.commands[static_cast<size_t>(command)]),
        perhaps_(perhaps),
        before_(std::move(before)) {
    for (uint32_t i = 0; i < command_.groups * command_.local_size; ++i) {
      Runner runner;
      runner.who = {i, i % command_.local_size, i / command_.local_size, command_.local_size,
                    command_.groups};
      runner.subgroup = runner.who.l / subgroup_size;
      runner.clock.resize(command_.groups * command_.local_size);
      runners_.push_back(std::move(runner));
    }
  }

  void run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (Runner& runner : runners_) moved |= advance(runner);
      moved |= open_barriers();
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

  bool advance(Runner& runner) {
    bool moved = false;
    while (runner.at < command_.shader.size() && !runner.arrived) {
      const Statement& statement = command_.shader[runner.at];
      runner.clock[runner.who.i] = static_cast<uint16_t>(runner.at);
      if (statement.what == Statement::What::control_barrier) {
        runner.arrived = true;
        return true;
      }
      if (statement.when.holds(runner.who) && !step(runner, statement)) return moved;
      ++runner.at;
      moved = true;
    }
    return moved;
  }

  // False: it has to wait.
  bool step(Runner& runner, const Statement& statement) {
    if (statement.what == Statement::What::memory_barrier) {
      release(runner, statement);
      acquire(runner, statement);
      return true;
    }
    const View& view = program_.views[statement.view];
    const Buffer& buffer = program_.buffers[view.buffer];
    const uint32_t size = size_of(statement.type);
    const Location location{
        buffer.memory,
        buffer.offset + view.offset + size * statement.index.of(runner.who, view.elements(statement.type)),
        size};
    if (statement.what == Statement::What::wait && !published[location].contains(signaller(location)))
      return false;
    note(runner, statement, view, location);
    if (is_atomic(statement.what)) hand_on(runner, statement, location);
    return true;
  }

  void note(const Runner& runner, const Statement& statement, const View& view, const Location& location) {
    Access access;
    access.site = {number_, static_cast<int>(runner.at)};
    access.agent = runner.who.i;
    access.group = runner.who.g;
    access.subgroup = runner.subgroup;
    std::tie(access.memory, access.begin, access.size) = location;
    access.buffer = view.buffer;
    access.reference = view.reach == View::Reach::address ? 1000 + view.buffer : statement.view;
    access.kind = kind_of(statement.what);
    access.non_private = is_atomic(statement.what) || !program_.vulkan_model || view.coherent;
    access.scope = is_atomic(statement.what) ? statement.scope : Scope::device;
    accesses.push_back(access);
    clocks.push_back(std::make_shared<const Clock>(runner.clock));
  }

  static Kind kind_of(Statement::What what) {
    switch (what) {
      case Statement::What::load:
        return Kind::read;
      case Statement::What::store:
        return Kind::write;
      case Statement::What::atomic_load:
      case Statement::What::wait:
        return Kind::atomic_read;
      case Statement::What::atomic_store:
      case Statement::What::signal:
        return Kind::atomic_write;
      default:
        return Kind::atomic_update;
    }
  }

  void hand_on(Runner& runner, const Statement& statement, const Location& location) {
    const Kind kind = kind_of(statement.what);
    const bool sure = statement.what == Statement::What::wait || statement.what == Statement::What::signal;
    if (!perhaps_ && !sure) return;
    if (oracle::reads(kind)) {
      const Published& source = perhaps_ ? before_ : published;
      if (const auto found = source.find(location); found != source.end())
        for (const auto& [agent, released] : found->second) receive(runner, statement, agent, released);
    }
    if (!oracle::writes(kind)) return;
    Released& at_location = published[location][runner.who.i];
    for (uint32_t d = 0; d < kDistances; ++d) {
      if (!reaches(statement.scope, d)) continue;
      join_released(at_location[d], runner, d);
      if (releases(statement.semantics)) join(at_location[d], runner.clock);
    }
  }

  void receive(Runner& runner, const Statement& statement, uint32_t agent, const Released& released) {
    if (agent == runner.who.i) return;
    const uint32_t d = distance(runner, runners_[agent]);
    if (!reaches(statement.scope, d)) return;
    join(runner.pending[d], released[d]);
    if (acquires(statement.semantics)) join_foreign(runner, released[d]);
  }

  void join_foreign(Runner& runner, const Clock& other) {
    const uint16_t own = runner.clock[runner.who.i];
    join(runner.clock, other);
    runner.clock[runner.who.i] = own;
  }

  static void join_released(Clock& into, const Runner& runner, uint32_t distance) {
    for (const Scope scope : {Scope::subgroup, Scope::workgroup, Scope::device})
      if (reaches(scope, distance)) join(into, runner.released[static_cast<size_t>(scope)]);
  }

  void release(Runner& runner, const Statement& barrier) {
    if (barrier.buffers && releases(barrier.semantics))
      join(runner.released[static_cast<size_t>(barrier.scope)], runner.clock);
  }
  void acquire(Runner& runner, const Statement& barrier) {
    if (!barrier.buffers || !acquires(barrier.semantics)) return;
    for (uint32_t d = 0; d < kDistances; ++d)
      if (reaches(barrier.scope, d)) join_foreign(runner, runner.pending[d]);
  }

  uint32_t signaller(const Location& location) const {
    for (const Access& access : accesses)
      if (access.kind == Kind::atomic_write && location == Location{access.memory, access.begin, access.size})
        return access.agent;
    return ~0u;
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
    for (Runner* runner : all) release(*runner, barrier);
    for (Runner* to : all)
      for (const Runner* from : all)
        if (from != to) join_released(to->pending[distance(*from, *to)], *from, distance(*from, *to));
    for (Runner* runner : all) {
      acquire(*runner, barrier);
      runner->arrived = false;
      ++runner->at;
    }
  }

  const Program& program_;
  const int number_;
  const Command& command_;
  const bool perhaps_;
  const Published before_;
  std::vector<Runner> runners_;
};

void add_dispatch(const Program& program, int command, uint32_t subgroup_size, std::vector<Access>& all) {
  Dispatch surely(program, command, subgroup_size, false, {});
  surely.run();
  Published published;
  for (;;) {
    Dispatch perhaps(program, command, subgroup_size, true, published);
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

std::vector<Access> accesses_of(const Program& program, uint32_t subgroup_size) {
  std::vector<Access> all;
  for (int i = 0; i < static_cast<int>(program.commands.size()); ++i) {
    const Command& command = program.commands[static_cast<size_t>(i)];
    if (command.what == Command::What::dispatch_indirect)
      add_range(program, i, Kind::read, command.buffer, command.offset, 12, all);
    if (command.what == Command::What::copy)
      add_range(program, i, Kind::read, command.from_buffer, command.from_offset, command.bytes, all);
    if (command.what == Command::What::copy || command.what == Command::What::fill)
      add_range(program, i, Kind::write, command.buffer, command.offset, command.bytes, all);
    if (command.runs_shader()) add_dispatch(program, i, subgroup_size, all);
  }
  return all;
}

}  // namespace oracle
