// SPDX-License-Identifier: Apache-2.0
// Workgroup memory, subgroups, and what workgroups do in turn.
#include "form_parts.h"

namespace oracle {
namespace {

using namespace parts;

Statement shared_fence(Scope scope = Scope::workgroup) {
  Statement statement = fence(scope);
  statement.buffers = false;
  statement.shared = true;
  return statement;
}
Statement entered(Statement statement) { return when(Condition::Form::entered, 0, statement); }

// An invocation's own access behind a barrier does not make newer what lies before the barrier, its own or
// another one's: something behind it may order the one and not the other.
void add_forms_of_own_accesses(std::vector<ExpectedForm>& all) {
  for (const bool shared : {true, false}) {
    const uint32_t view = shared ? kShared : 0;
    const std::string prefix = shared ? "shared_" : "";
    const auto add = [&](const char* name, Verdict verdict, Shader shader) {
      all.push_back(of_workgroup(prefix + name, verdict, {dispatch(std::move(shader))}));
    };
    const auto none = [&](const char* name, Shader shader) { add(name, Verdict::none, std::move(shader)); };
    const auto half = [&](Semantics semantics) {
      return control(Scope::workgroup, Scope::workgroup, !shared, semantics);
    };
    const Index other{Form::rotated, 1};
    const Statement write = store(view), read = load(view, other), own = load(view),
                    order = shared ? shared_fence() : fence(), wait = execution_only(),
                    add_one = atomic(What::atomic_add, view, kOwn, Scope::workgroup),
                    add_to_other = atomic(What::atomic_add, view, other, Scope::workgroup);
    const auto only = [](uint32_t l, const Statement& statement) {
      return when(Condition::Form::local_is, l, statement);
    };
    none("fences_behind_barriers_and_own_reads", {write, wait, order, own, wait, order, read});
    none("own_read_behind_half_a_barrier", {write, half(Semantics::release), only(5, own), order, read});
    none("own_read_beside_one_of_an_earlier_phase", {read, order, wait, own, order, write});
    none("own_read_beside_one_before_the_last_barrier", {read, wait, order, own, wait, order, write});
    none("own_read_between_two_halves",
         {read, half(Semantics::release), own, half(Semantics::acquire), write});
    none("own_write_and_read_between_two_halves",
         {write, half(Semantics::release), own, half(Semantics::acquire), read});
    none("own_read_beside_one_that_one_has_released",
         {read, only(5, order), wait, own, order, only(6, write)});
    none("own_atomic_beside_one_of_an_earlier_phase", {add_to_other, order, wait, add_one, order, write});
    none("own_atomic_behind_a_write_of_an_earlier_phase", {write, order, wait, add_one, order, add_to_other});
    none("own_read_behind_an_atomic_of_an_earlier_phase", {add_one, order, wait, own, order, read});
    // What is not ordered is still found.
    add("fence_behind_the_barrier_and_one_behind_a_branch", Verdict::race,
        {only(1, own), order, half(Semantics::acquire_release), write, wait, order, read});
    add("read_beside_ones_own_behind_a_part_of_the_order", Verdict::race,
        {read, order, wait, read, wait, own, wait, order, write});
    Statement narrow = order;
    narrow.scope = Scope::subgroup;
    add("read_beside_ones_own_behind_a_narrow_fence", Verdict::race,
        {half(Semantics::release), own, narrow, read, write});
    add("own_read_beside_one_that_nothing_orders", Verdict::race, {read, wait, own, wait, write});
    add("read_beside_one_that_is_not_released", Verdict::race, {own, wait, order, read, add_to_other});
    add("own_read_behind_a_write_that_is_not_acquired", Verdict::race, {write, order, wait, own, read});
    add("own_read_behind_a_write_that_is_not_released", Verdict::race, {write, wait, own, order, read});
  }
}

void add_shared_forms(std::vector<ExpectedForm>& all) {
  const auto race = [&](const char* name, std::vector<Command> commands) {
    all.push_back(of_workgroup(name, Verdict::race, std::move(commands)));
  };
  const auto none = [&](const char* name, std::vector<Command> commands) {
    all.push_back(of_workgroup(name, Verdict::none, std::move(commands)));
  };
  const Statement write = store(kShared), read = load(kShared, {Form::group_flipped, 7}),
                  add_one = atomic(What::atomic_add, kShared, {Form::constant, 0}, Scope::workgroup);
  none("shared_exchange", {dispatch({write, barrier(), read})});
  none("shared_own_elements", {dispatch({write, load(kShared)})});
  none("shared_of_others", {dispatch({leader(store(kShared, {Form::constant, 0}))})});
  none("shared_of_two_dispatches", {dispatch({write, barrier(), read}), dispatch({write, barrier(), read})});
  none("shared_atomics", {dispatch({add_one, barrier(), load(kShared, {Form::constant, 0})})});
  none("shared_fences", {dispatch({write, shared_fence(), execution_only(), shared_fence(), read})});
  race("shared_stencil", {dispatch({write, read})});
  race("shared_all_write_one", {dispatch({store(kShared, {Form::constant, 0})})});
  race("shared_barrier_for_buffers", {dispatch({write, full(), read})});
  // Found under strict alone: others release, but nobody acquires.
  const auto half = [](bool buffers) {
    return control(Scope::workgroup, Scope::workgroup, buffers, Semantics::release);
  };
  race("shared_read_then_a_barrier_that_only_releases", {dispatch({read, half(false), write})});
  race("read_then_a_barrier_that_only_releases",
       {dispatch({load(0, {Form::rotated, 1}), half(true), store(0)})});
  race("shared_without_second_barrier", {dispatch({write, barrier(), read, write})});
  race("shared_atomic_then_read", {dispatch({add_one, load(kShared, {Form::constant, 0})})});
  race("shared_read_and_atomic_then_an_atomic_of_others",
       {dispatch(1, 64,
                 {load(kShared), atomic(What::atomic_add, kShared, {Form::modulo, 8}, Scope::workgroup)})});
  race("shared_fence_behind_the_barrier_alone", {dispatch({write, execution_only(), shared_fence(), read})});
  race("shared_fence_behind_the_barrier_then_a_read",
       {dispatch({write, shared_fence(), execution_only(), shared_fence(), read, execution_only(),
                  shared_fence(), write})});
  none("shared_fences_behind_barriers",
       {dispatch({write, execution_only(), shared_fence(), execution_only(), shared_fence(), read})});
  Statement own_release = atomic(What::atomic_exchange, 1, kOwn, Scope::device, Semantics::acquire_release);
  own_release.buffers = own_release.shared = true;
  race("shared_acquire_from_oneself", {dispatch({own_release, store(kShared, {Form::divided, 2})})});
  // Who writes last is behind the first read, and not behind the second one.
  const Index near{Form::rotated, 1}, nearer{Form::rotated, 2};
  race("shared_read_in_two_phases", {dispatch(1, 8,
                                              {load(kShared, near), shared_fence(), execution_only(),
                                               load(kShared, nearer), shared_fence(), write})});
  const auto only = [](uint32_t i, Statement statement) {
    return when(Condition::Form::local_is, i, statement);
  };
  const Index same{Form::constant, 0};
  race("atomic_on_workgroup_memory_then_a_barrier_of_device_scope",
       {dispatch(1, 64,
                 {atomic(What::atomic_add, kShared), control(Scope::workgroup, Scope::device, true),
                  store(0, same)})});
  const auto local_message = [&](Shader acquire) {
    Shader shader{only(0, store(0, same)), only(0, fence(Scope::workgroup)),
                  only(0, atomic(What::signal, kShared, same, Scope::workgroup))};
    shader.insert(shader.end(), acquire.begin(), acquire.end());
    shader.push_back(only(1, load(0, same)));
    return dispatch(1, 8, shader);
  };
  const Statement wait = only(1, atomic(What::wait, kShared, same, Scope::workgroup));
  none("message_by_workgroup_memory", {local_message({wait, only(1, fence(Scope::workgroup))})});
  race("message_by_workgroup_memory_to_others",
       {local_message({only(2, atomic(What::wait, kShared, same, Scope::workgroup)),
                       only(2, fence(Scope::workgroup))})});
  race("message_by_workgroup_memory_before_its_data",
       {dispatch(1, 8,
                 {only(0, store(1)), only(0, fence(Scope::workgroup)),
                  only(0, atomic(What::signal, kShared, same, Scope::workgroup)), only(0, store(0, same)),
                  wait, only(1, fence(Scope::workgroup)), only(1, load(0, same))})});
  const auto message = [&](Semantics acquire, std::vector<Statement> between) {
    const auto flag = [&](What what, Semantics semantics) {
      Statement one = atomic(what, 1, {Form::constant, 0}, Scope::device, semantics);
      one.shared = semantics != Semantics::relaxed;
      return one;
    };
    Shader shader{only(0, store(kShared, {Form::constant, 0})),
                  only(0, flag(What::signal, Semantics::release)), only(1, flag(What::wait, acquire))};
    shader.insert(shader.end(), between.begin(), between.end());
    shader.push_back(only(1, load(kShared, {Form::constant, 0})));
    return dispatch(1, 8, shader);
  };
  none("shared_message", {message(Semantics::acquire, {})});
  none("shared_message_then_a_barrier", {message(Semantics::acquire, {execution_only()})});
  race("shared_message_without_acquire", {message(Semantics::relaxed, {})});
  none("shared_message_acquired_by_a_fence", {message(Semantics::relaxed, {shared_fence()})});
  none("shared_message_acquired_behind_a_barrier",
       {message(Semantics::relaxed, {execution_only(), shared_fence()})});
  none("shared_message_acquired_by_a_barrier", {message(Semantics::relaxed, {barrier()})});
  Statement barrier_of_subgroup = control(Scope::subgroup, Scope::subgroup, false);
  race("shared_atomic_before_a_read_of_its_subgroup",
       {dispatch(1, 64,
                 {only(0, add_one), barrier_of_subgroup, only(1, load(kShared, {Form::constant, 0})),
                  only(63, load(kShared, {Form::constant, 0}))})});
  none("shared_narrow_fences_around_a_barrier_of_one_subgroup",
       {dispatch(
           1, 8,
           {write, shared_fence(Scope::subgroup), execution_only(), shared_fence(Scope::subgroup), read})});
  const Statement neighbour = load(kShared, {Form::group_flipped, 3});
  none("shared_subgroup_scope_of_a_barrier_within_one_subgroup",
       {dispatch(1, 8, {write, control(Scope::workgroup, Scope::subgroup, false), neighbour})});
  none("shared_barrier_of_the_subgroup_then_one_of_all",
       {dispatch(1, 8, {write, barrier_of_subgroup, execution_only(), neighbour})});
  race("shared_fence_too_narrow",
       {dispatch(1, 64,
                 {write, shared_fence(Scope::subgroup), execution_only(), shared_fence(Scope::subgroup),
                  load(kShared, {Form::group_flipped, 63})})});
}

void add_subgroup_forms(std::vector<ExpectedForm>& all) {
  const auto add = [&](const char* name, Verdict verdict, Command command) {
    all.push_back(of(name, verdict, {std::move(command)}));
  };
  const Statement near = load(0, {Form::group_flipped, 7}), far = load(0, {Form::group_flipped, 63});
  const Statement narrow = fence(Scope::subgroup);
  const Statement execution = control(Scope::subgroup, Scope::subgroup, false, Semantics::relaxed);
  add("subgroup_exchange", Verdict::none, dispatch(1, 64, {store(0), subgroup_barrier(), near}));
  add("subgroup_fences_of_one_subgroup", Verdict::none,
      dispatch(1, 64, {store(0), narrow, execution, narrow, near}));
  add("subgroup_fences_of_two_subgroups", Verdict::race,
      dispatch(1, 64, {store(0), narrow, execution, narrow, far}));
  add("writes_of_two_subgroups", Verdict::race,
      dispatch(1, 64, {store(0), subgroup_barrier(), store(0, {Form::group_flipped, 63})}));
  add("earlier_phase_of_one_subgroup", Verdict::none,
      dispatch(1, 64, {store(0), barrier(), subgroup_barrier(), near}));
  add("earlier_phase_of_two_subgroups", Verdict::race,
      dispatch(1, 64, {store(0), barrier(), subgroup_barrier(), far}));
  add("atomic_of_two_subgroups", Verdict::race,
      dispatch(1, 64, {atomic(What::atomic_add, 0), subgroup_barrier(), far}));
  add("atomic_of_one_subgroup", Verdict::none,
      dispatch(1, 64, {atomic(What::atomic_add, 0), subgroup_barrier(), near}));
  add("reads_of_two_subgroups", Verdict::race,
      dispatch(1, 64,
               {load(0, {Form::constant, 0}), subgroup_barrier(),
                when(Condition::Form::local_is, 63, store(0, {Form::constant, 0}))}));
  add("subgroup_barrier_that_only_acquires", Verdict::race,
      dispatch(1, 64, {store(0), control(Scope::subgroup, Scope::subgroup, true, Semantics::acquire), near}));
  // The cell names one of several readers.
  const auto only = [](uint32_t i, Statement statement) {
    return when(Condition::Form::local_is, i, statement);
  };
  const Index same{Form::constant, 0};
  add("reads_of_its_subgroup_and_another_one", Verdict::race,
      dispatch(1, 64,
               {only(0, load(0, same)), execution_only(), only(63, load(0, same)), subgroup_barrier(),
                only(62, store(0, same))}));
  add("reads_of_one_subgroup_behind_its_fence", Verdict::race,
      dispatch(1, 4,
               {store(0), full(), load(0, {Form::group_flipped, 3}), narrow, barrier(),
                load(0, {Form::group_flipped, 2}), fence(), store(0)}));
  // The cell names the newest access, and says that there was a store.
  add("reads_of_two_subgroups_behind_a_store", Verdict::race,
      dispatch(1, 64, {store(0), full(), near, subgroup_barrier(), store(0, {Form::group_flipped, 63})}));
  const Shader read_by_its_subgroup{store(0), subgroup_barrier(), near};
  all.push_back(of("read_by_its_subgroup_then_by_another_dispatch", Verdict::race,
                   {dispatch(1, 64, read_by_its_subgroup), dispatch(1, 64, {load(0)})}));
  add("second_fence_of_the_subgroup", Verdict::race,
      dispatch(
          1, 8,
          {fence(Scope::subgroup), barrier(), when(Condition::Form::own_is, 3, store(0, {Form::constant, 4})),
           fence(Scope::subgroup), barrier(), load(0, {Form::constant, 4})}));
  add("half_a_barrier_behind_narrow_fences", Verdict::race,
      dispatch(1, 8,
               {fence(Scope::subgroup), control(Scope::subgroup, Scope::workgroup, false),
                load(0, {Form::rotated, 1}),
                control(Scope::workgroup, Scope::workgroup, true, Semantics::release), store(0)}));
  add("read_by_its_subgroup_then_by_others", Verdict::race,
      dispatch(4, 8,
               {when(Condition::Form::own_is, 3, store(0, {Form::constant, 4})), fence(Scope::subgroup),
                barrier(), load(0, {Form::constant, 4})}));
  add("fence_of_one_behind_the_barrier", Verdict::race,
      dispatch({leader(store(0, {Form::group, 0})), barrier(), when(Condition::Form::local_is, 1, fence()),
                barrier(), fence(), load(0, {Form::group, 0})}));
  add("subgroup_scope_of_a_barrier_of_all", Verdict::race,
      dispatch(1, 64, {store(0), control(Scope::workgroup, Scope::subgroup, true), far}));
  add("subgroup_scope_of_a_barrier_within_one_subgroup", Verdict::none,
      dispatch(1, 64, {store(0), control(Scope::workgroup, Scope::subgroup, true), near}));
  // The second workgroup acquires what all of a subgroup did before one of them released.
  const Index turn{Form::constant, 100}, own{Form::local, 0};
  add("message_behind_narrow_fences", Verdict::none,
      dispatch(
          2, 4,
          {group(0, store(0)), narrow, barrier(), narrow,
           first(atomic(What::signal, 1, turn, Scope::device, Semantics::release)),
           when(Condition::Form::own_is, 4, atomic(What::wait, 1, turn, Scope::device, Semantics::acquire)),
           full(), group(1, store(0, own))}));
  add("barrier_that_only_acquires", Verdict::race,
      dispatch({store(0), control(Scope::workgroup, Scope::workgroup, true, Semantics::acquire), near}));
}

struct Locking {
  Semantics lock = Semantics::acquire, unlock = Semantics::release;
  Index word = {Form::constant, 16};
};

// Each workgroup of one tries once.
Shader locked(const Locking& how, Shader section) {
  Statement question = atomic(What::try_lock, 1, how.word, Scope::device, how.lock);
  Statement end = entered(atomic(What::unlock, 1, how.word, Scope::device, how.unlock));
  section.insert(section.begin(), question);
  section.push_back(end);
  return section;
}

void add_turn_forms(std::vector<ExpectedForm>& all) {
  const auto add = [&](const char* name, Verdict verdict, Shader shader) {
    all.push_back(of(name, verdict, {dispatch(8, 1, std::move(shader))}));
  };
  const Index data{Form::constant, 100}, flag{Form::constant, 16};
  const Shader update{entered(load(0, data)), entered(store(0, data))};
  add("lock", Verdict::none, locked({}, update));
  add("lock_that_releases_nothing", Verdict::race,
      locked({Semantics::acquire, Semantics::relaxed, flag}, update));
  add("lock_of_each_workgroup", Verdict::race,
      locked({Semantics::acquire, Semantics::release, {Form::group, 0}}, update));
  all.push_back(
      of("locks_side_by_side", Verdict::race,
         {dispatch(2, 1, locked({Semantics::acquire, Semantics::release, {Form::group, 0}}, update))}));
  Shader behind = locked({}, update);
  behind.push_back(entered(store(0, data)));
  add("store_behind_the_lock", Verdict::race, behind);
  const auto turns = [&](Semantics release, Statement::What how) {
    Statement wait = atomic(how, 1, flag, Scope::device, Semantics::acquire);
    Statement signal = entered(atomic(What::signal, 1, flag, Scope::device, release));
    wait.value = signal.value = Statement::Value::turn;
    return Shader{wait, update[0], update[1], signal};
  };
  add("turns", Verdict::none, turns(Semantics::release, What::wait));
  Statement wait_for_turn = leader(atomic(What::wait, 1, flag, Scope::device, Semantics::acquire));
  Statement next_turn = entered(atomic(What::signal, 1, flag));
  wait_for_turn.value = next_turn.value = Statement::Value::turn;
  const Statement around = fence(Scope::workgroup);
  all.push_back(of(
      "turns_of_all_released_to_the_workgroup", Verdict::race,
      {dispatch(2, 8,
                {wait_for_turn, full(), store(0, {Form::local, 0}), around, barrier(), around, next_turn})}));
  add("turns_that_release_nothing", Verdict::race, turns(Semantics::relaxed, What::wait));
  const auto look = [&](Semantics release) {
    return Shader{first(store(0, data)), first(atomic(What::signal, 1, flag, Scope::device, release)),
                  group(7, atomic(What::peek, 1, flag, Scope::device, Semantics::acquire)),
                  entered(load(0, data))};
  };
  all.push_back(
      of("acquire_from_oneself_within_the_workgroup", Verdict::race,
         {dispatch({atomic(What::atomic_exchange, 1, kOwn, Scope::device, Semantics::acquire_release),
                    store(1, {Form::rotated, 3})})}));
  // Nobody of this dispatch is behind the other one.
  all.push_back(of("message_behind_another_dispatch", Verdict::race,
                   {dispatch(8, 1, {first(store(0, data))}),
                    dispatch(8, 1,
                             {first(atomic(What::signal, 1, flag, Scope::device, Semantics::release)),
                              group(1, atomic(What::wait, 1, flag, Scope::device, Semantics::acquire)),
                              group(1, load(0, data))})}));
  add("look_at_a_flag", Verdict::none, look(Semantics::release));
  add("look_at_a_flag_that_releases_nothing", Verdict::race, look(Semantics::relaxed));
}

}  // namespace

void add_workgroup_forms(std::vector<ExpectedForm>& all) {
  add_shared_forms(all);
  add_forms_of_own_accesses(all);
  add_subgroup_forms(all);
  add_turn_forms(all);
}

}  // namespace oracle
