// SPDX-License-Identifier: Apache-2.0
#include "generator.h"

#include <algorithm>

#include "chance.h"
#include "random_barriers.h"
#include "truth.h"

namespace oracle {
namespace {

using What = Statement::What;
using Form = Index::Form;

class Generator {
 public:
  Generator(uint64_t seed, bool careful) : chance_(seed), careful_(careful) {}

  Program candidate() {
    program_ = {};
    program_.vulkan_model = one_in(8);
    make_memory();
    make_views();
    const uint32_t actions = pick({1, 1, 1, 2, 2, 2, 2, 3, 3, 4});
    for (uint32_t i = 0; i < actions; ++i) {
      if (i > 0) synchronise();
      make_action();
    }
    return std::move(program_);
  }

 private:
  uint32_t below(uint32_t limit) { return chance_.below(limit); }
  bool one_in(uint32_t n) { return chance_.one_in(n); }
  template <typename T>
  T pick(std::initializer_list<T> list) {
    return chance_.pick(list);
  }
  bool careless() { return !careful_ && one_in(3); }

  void make_memory() {
    program_.memories = 2;
    program_.buffers = {{0, 0, kMemoryBytes}, {1, 0, kMemoryBytes}};
    if (one_in(3)) {
      const uint32_t offset = pick({0u, 256u, 1024u});
      program_.buffers.push_back({below(2), offset, kMemoryBytes - offset});
    }
    data_buffers_ = static_cast<uint32_t>(program_.buffers.size());
  }

  void make_views() {
    const uint32_t count = 2 + below(3);
    for (uint32_t i = 0; i < count; ++i) {
      View view;
      view.buffer = i < 2 ? i : below(data_buffers_);
      view.offset = one_in(3) ? pick({256u, 512u, 1024u}) : 0;
      view.reach = pick({View::Reach::binding, View::Reach::binding, View::Reach::binding, View::Reach::array,
                         View::Reach::address});
      view.coherent = !program_.vulkan_model || !one_in(4);
      program_.views.push_back(view);
    }
    data_views_ = count;
  }

  // Arguments of indirect dispatches, or words for signals: a buffer and a view of their own.
  uint32_t own_memory(int& memory) {
    if (memory < 0) {
      memory = static_cast<int>(program_.memories++);
      program_.buffers.push_back({static_cast<uint32_t>(memory), 0, kMemoryBytes});
      program_.views.push_back(
          {static_cast<uint32_t>(program_.buffers.size() - 1), 0, View::Reach::binding, true});
    }
    for (uint32_t i = 0; i < program_.views.size(); ++i)
      if (static_cast<int>(program_.buffers[program_.views[i].buffer].memory) == memory) return i;
    return 0;
  }

  void make_action() {
    Command command;
    const uint32_t dice = below(100);
    if (dice < 10) {
      command.what = Command::What::fill;
      make_range(command);
    } else if (dice < 22) {
      command.what = Command::What::copy;
      make_range(command);
      const uint32_t memory = program_.buffers[command.buffer].memory;
      command.from_buffer = memory == 0 ? 1 : 0;
      command.from_offset = pick({0u, 256u, 1024u});
    } else {
      make_dispatch(command, dice > 92);
    }
    program_.commands.push_back(std::move(command));
  }

  void make_range(Command& command) {
    command.buffer = below(data_buffers_);
    command.offset = pick({0u, 0u, 4u, 256u, 1024u});
    command.bytes = pick({4u, 16u, 64u, 128u, 512u, 1024u});
  }

  void make_dispatch(Command& command, bool indirect) {
    command.local_size = pick({1u, 4u, 8u, 8u, 16u, 16u, 32u, 64u});
    command.groups = std::min(pick({1u, 2u, 2u, 4u, 4u, 8u}), kMaxInvocations / command.local_size);
    if (indirect) {
      const uint32_t view = own_memory(program_.arguments_memory);
      if (indirect_groups_ == 0) indirect_groups_ = command.groups;
      program_.argument_groups = command.groups =
          std::min(indirect_groups_, kMaxInvocations / command.local_size);
      // All indirect dispatches of a program have the same arguments.
      if (command.groups == indirect_groups_) {
        command.what = Command::What::dispatch_indirect;
        command.buffer = program_.views[view].buffer;
        command.offset = pick({0u, 16u});
      }
      program_.argument_groups = indirect_groups_;
    }
    shape_ = &command;
    if (program_.arguments_memory >= 0 && command.what == Command::What::dispatch && one_in(2)) {
      Statement statement =
          access(What::store, own_memory(program_.arguments_memory), Type::u32, {Form::own, 0});
      statement.when = {Condition::Form::local_below, 4};
      add(statement);
    }
    switch (below(8)) {
      case 0:
        make_own();
        break;
      case 1:
      case 2:
        make_phases();
        break;
      case 3:
        make_broadcast();
        break;
      case 4:
        make_atomics();
        break;
      case 5:
        make_message();
        break;
      case 6:
        make_release();
        break;
      default:
        make_anything();
        break;
    }
    if (careless()) spoil();
  }

  void add(const Statement& statement) { shape_->shader.push_back(statement); }
  static Statement access(What what, uint32_t view, Type type, Index index) {
    Statement statement;
    statement.what = what;
    statement.view = view;
    statement.type = type;
    statement.index = index;
    return statement;
  }
  uint32_t data_view() { return below(data_views_); }
  Type any_type() {
    return pick({Type::u8, Type::u16, Type::u32, Type::u32, Type::u32, Type::u64, Type::vec2, Type::vec4});
  }
  Index own_index() {
    return pick<Index>(
        {{Form::own, 0}, {Form::own, 0}, {Form::plus, 3}, {Form::reversed, 0}, {Form::strided, 2}});
  }
  Index group_index() {
    const uint32_t l = shape_->local_size;
    return pick<Index>(
        {{Form::rotated, 1 + below(l)}, {Form::group_flipped, l - 1}, {Form::group_flipped, l / 2}});
  }
  Index any_index() {
    switch (below(6)) {
      case 0:
        return own_index();
      case 1:
        return group_index();
      case 2:
        return {Form::modulo, 1 + below(16)};
      case 3:
        return {Form::constant, below(8)};
      case 4:
        return pick<Index>({{Form::local, 0}, {Form::group, 0}, {Form::divided, 2}});
      default:
        return pick<Index>({{Form::plus, 1 + below(8)}, {Form::flip, 1u << below(4)}, {Form::own, 0}});
    }
  }
  Condition any_condition() {
    switch (below(10)) {
      case 0:
        return {Condition::Form::local_is, below(shape_->local_size)};
      case 1:
        return {Condition::Form::local_below, 1 + below(shape_->local_size)};
      case 2:
        return {Condition::Form::group_is, below(shape_->groups)};
      case 3:
        return {Condition::Form::own_is, 0};
      default:
        return {};
    }
  }

  // A barrier that orders buffers within the workgroup, in one of its forms; spoilt: in one that does not.
  void barrier_of_group(bool spoilt) {
    Statement control;
    control.what = What::control_barrier;
    control.scope = Scope::workgroup;
    control.semantics = Semantics::acquire_release;
    control.buffers = true;
    Statement memory = control;
    memory.what = What::memory_barrier;
    memory.scope = pick({Scope::workgroup, Scope::device});
    Statement plain = control;
    plain.buffers = false;
    plain.shared = true;
    if (spoilt) {
      switch (below(6)) {
        case 0:
          return add(plain);
        case 1:
          plain.semantics = Semantics::relaxed;
          return add(plain);
        case 2:
          return add(memory);
        case 3:  // in the wrong order
          add(plain);
          return add(memory);
        case 4:
          control.execution = control.scope = Scope::subgroup;
          return add(control);
        default:
          memory.scope = Scope::subgroup;
          add(memory);
          return add(plain);
      }
    }
    switch (below(3)) {
      case 0:
        return add(control);
      case 1:
        control.shared = true;
        control.scope = pick({Scope::workgroup, Scope::device});
        return add(control);
      default:
        add(memory);
        add(plain);
        return add(memory);
    }
  }

  void make_own() {
    const Type type = any_type();
    const Index index = own_index();
    const uint32_t from = data_view(), to = data_view();
    const bool update = one_in(3);
    add(access(What::load, update ? to : from, type, careful_ && !one_in(4) ? index : own_index()));
    add(access(What::store, to, type, index));
    if (one_in(3)) add(access(What::load, to, type, index));
    if (one_in(4)) add(access(What::load, data_view(), any_type(), any_index()));
  }

  void make_phases() {
    const Type type = any_type();
    const uint32_t view = data_view();
    const uint32_t phases = 1 + below(3);
    add(access(What::store, view, type, {Form::own, 0}));
    for (uint32_t i = 0; i < phases; ++i) {
      barrier_of_group(careless());
      const bool store = one_in(3);
      add(access(store ? What::store : What::load, view, type, one_in(4) ? any_index() : group_index()));
      if (!store && one_in(2)) {
        barrier_of_group(careless());
        add(access(What::store, view, type, {Form::own, 0}));
      }
    }
  }

  void make_broadcast() {
    const Type type = any_type();
    const uint32_t view = data_view();
    Statement store = access(What::store, view, type, {Form::group, 0});
    store.when = {Condition::Form::local_is, below(shape_->local_size)};
    add(store);
    barrier_of_group(careless());
    add(access(What::load, view, type, {Form::group, 0}));
    if (one_in(2)) {
      barrier_of_group(careless());
      add(store);
    }
  }

  void make_atomics() {
    const Type type = pick({Type::u32, Type::u32, Type::u32, Type::u64});
    const uint32_t view = data_view(), count = 1 + below(3);
    const Scope scope = pick({Scope::device, Scope::device, Scope::device, Scope::workgroup});
    for (uint32_t i = 0; i < count; ++i) {
      Statement atomic = access(
          pick({What::atomic_add, What::atomic_add, What::atomic_exchange, What::atomic_load,
                What::atomic_store}),
          view, one_in(8) ? Type::u64 : type,
          careful_ ? pick<Index>({{Form::constant, 0}, {Form::local, 0}, {Form::modulo, 5}}) : any_index());
      atomic.scope = one_in(8) ? Scope::workgroup : scope;
      atomic.when = any_condition();
      add(atomic);
      if (one_in(3)) barrier_of_group(careless());
    }
    if (one_in(3)) {
      if (careful_) barrier_of_group(false);
      Statement plain = access(pick({What::load, What::store}), view, type, {Form::constant, 0});
      plain.when = any_condition();
      add(plain);
    }
  }

  // The first invocation writes and signals; those of other workgroups wait and read.
  void make_message() {
    if (shape_->groups < 2) return make_anything();
    const uint32_t flags = own_memory(program_.flags_memory), view = data_view();
    const Index flag{Form::constant, static_cast<uint32_t>(program_.commands.size()) * 4};
    const Index data = pick<Index>({{Form::constant, 0}, {Form::constant, 7}, {Form::group, 0}});
    const bool by_fence = one_in(2), spoilt_release = careless(), spoilt_acquire = careless();
    Statement store =
        access(What::store, view, Type::u32, {Form::constant, data.form == Form::group ? 1 : data.k});
    store.when = {Condition::Form::own_is, 0};
    Statement fence;
    fence.what = What::memory_barrier;
    fence.semantics = Semantics::acquire_release;
    fence.buffers = true;
    Statement signal = access(What::signal, flags, Type::u32, flag), wait = signal;
    wait.what = What::wait;
    signal.when = store.when;
    if (!by_fence && !spoilt_release) signal.semantics = Semantics::release;
    if (!by_fence && !spoilt_acquire) wait.semantics = Semantics::acquire;
    wait.when = {Condition::Form::group_is, 1 + below(shape_->groups - 1)};
    if (spoilt_release && by_fence && one_in(2)) fence.scope = Scope::workgroup;
    add(store);
    if (by_fence && !spoilt_release) add(fence);
    add(signal);
    add(wait);
    if (by_fence && !spoilt_acquire) add(fence);
    Statement read = access(one_in(4) ? What::store : What::load, view, Type::u32, data);
    read.when = wait.when;
    if (read.what == What::store && shape_->local_size > 1) read.what = What::load;
    add(read);
  }

  // Atomics with semantics whose results nobody waits for, and data beside them.
  void make_release() {
    const uint32_t view = data_view(), data = data_view();
    Statement atomic = access(pick({What::atomic_add, What::atomic_exchange}), view, Type::u32,
                              pick<Index>({{Form::constant, 0}, {Form::group, 0}, {Form::own, 0}}));
    atomic.semantics = Semantics::acquire_release;
    atomic.scope = pick({Scope::device, Scope::device, Scope::workgroup});
    Statement store =
        access(What::store, data, Type::u32,
               careful_ ? Index{Form::plus, 256}
                        : pick<Index>({{Form::constant, 300}, {Form::plus, 300}, {Form::divided, 2}}));
    if (careful_ || one_in(2)) store.index.k = std::max(store.index.k, 256u);
    if (one_in(2)) add(store);
    add(atomic);
    add(store);
    if (one_in(2)) add(access(What::load, data, Type::u32, store.index));
  }

  void make_anything() {
    const uint32_t count = 1 + below(4);
    for (uint32_t i = 0; i < count; ++i) {
      if (one_in(4)) barrier_of_group(one_in(2));
      Statement statement = access(pick({What::load, What::load, What::store, What::store, What::atomic_add}),
                                   data_view(), any_type(), any_index());
      if (is_atomic(statement.what) && statement.type != Type::u64) statement.type = Type::u32;
      statement.when = any_condition();
      add(statement);
    }
  }

  // Leaves out a statement, or changes an index.
  void spoil() {
    std::vector<Statement>& shader = shape_->shader;
    const uint32_t victim = below(static_cast<uint32_t>(shader.size()));
    Statement& statement = shader[victim];
    if (statement.what == What::signal || statement.what == What::wait) return;
    if (is_access(statement.what) && one_in(2)) {
      const bool arguments =
          static_cast<int>(program_.buffers[program_.views[statement.view].buffer].memory) ==
          program_.arguments_memory;
      if (!arguments) statement.index = any_index();
    } else if (shader.size() > 1) {
      shader.erase(shader.begin() + victim);
    }
  }

  void add_command(Command::What what, const Barrier& barrier, uint32_t event = 0) {
    Command command;
    command.what = what;
    command.barrier = barrier;
    command.event = event;
    program_.commands.push_back(command);
  }

  void synchronise() {
    if (!careful_ && one_in(4)) return;
    const uint32_t dice = below(20);
    if (dice < 3) {
      const Barrier barrier =
          careful_ ? right_barrier(chance_) : any_barrier(chance_, program_, data_buffers_);
      const uint32_t event = events_++;
      add_command(Command::What::set_event, barrier, event);
      if (!careful_ && one_in(3)) make_action();  // between the two
      add_command(Command::What::wait_event, barrier, event);
    } else if (dice < 7) {
      Barrier wait;
      wait.dst_stages = careful_ ? VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT : any_stages(chance_);
      add_command(Command::What::submit, wait);
      program_.commands.back().submit = careful_ ? pick({Command::Submit::semaphore, Command::Submit::fence})
                                                 : pick({Command::Submit::nothing, Command::Submit::semaphore,
                                                         Command::Submit::semaphore, Command::Submit::fence});
    } else if (dice < 10 && !careful_) {
      add_command(Command::What::barrier, any_barrier(chance_, program_, data_buffers_));
      add_command(Command::What::barrier, any_barrier(chance_, program_, data_buffers_));
    } else {
      add_command(Command::What::barrier, careful_ && !one_in(4)
                                              ? right_barrier(chance_)
                                              : any_barrier(chance_, program_, data_buffers_));
    }
  }

  Chance chance_;
  const bool careful_;
  Program program_;
  Command* shape_ = nullptr;
  uint32_t data_buffers_ = 0, data_views_ = 0, events_ = 0, indirect_groups_ = 0;
};

}  // namespace

Program generate(uint64_t seed, uint32_t subgroup_size) {
  const Verdict wanted = seed % 2 == 0 ? Verdict::none : Verdict::race;
  for (uint64_t attempt = 0;; ++attempt) {
    const bool careful = wanted == Verdict::none && attempt % 3 != 0;
    Program program = Generator(seed * 1000003 + attempt, careful).candidate();
    if (truth_of(program, subgroup_size).verdict == wanted) return program;
  }
}

}  // namespace oracle
