// SPDX-License-Identifier: Apache-2.0
#include "forms.h"

#include <stdexcept>

#include "form_parts.h"

namespace oracle {
namespace {

using namespace parts;

void add_dispatch_forms(std::vector<ExpectedForm>& all) {
  const auto race = [&](const char* name, std::vector<Command> commands) {
    all.push_back(of(name, Verdict::race, std::move(commands)));
  };
  const auto none = [&](const char* name, std::vector<Command> commands) {
    all.push_back(of(name, Verdict::none, std::move(commands)));
  };
  const Statement load_all = atomic(What::atomic_load, 0, {Form::constant, 0}, Scope::workgroup);
  none("atomic_load_then_load", {dispatch({atomic(What::atomic_load, 0)}), dispatch({load(0)})});
  none("atomic_loads_of_workgroup_scope", {dispatch({load_all})});
  // Its own value, which nothing but the store has changed.
  race("store_behind_others_reads_then_own_read",
       {dispatch({load(0, {Form::rotated, 1}), store(0), load(0)})});
  none("atomic_load_barrier_store", {dispatch({atomic(What::atomic_load, 0), execution_only(), store(0)})});
  // An execution barrier by itself orders no memory accesses, not even a write behind a read.
  race("atomic_load_of_others_barrier_store",
       {dispatch({atomic(What::atomic_load, 0, {Form::rotated, 1}), execution_only(), store(0)})});
  race("store_then_atomic_load_after_visibility_to_another_stage",
       {dispatch({store(0)}), api(kCompute, kWrite, kCopy, kTransferRead),
        dispatch({atomic(What::atomic_load, 0)})});
  race("update_in_place_after_a_read", {dispatch({load(0), store(1)}), dispatch({load(0), store(0)})});
  race("update_in_place_after_a_copy", {copy(0, 1), dispatch({load(0), store(0)})});
  race("broadcast_by_barrier_alone",
       {dispatch(4, 64, {leader(store(0, {Form::group, 0})), barrier(), load(0, {Form::group, 0})})});
  // The first of the readers is the one that writes.
  race("own_read_first_of_several", {dispatch({store(0), full(), load(0, {Form::group_flipped, 3}), load(0),
                                               fence(), store(0, {Form::group_flipped, 3})})});
  race("fence_elsewhere",
       {dispatch({store(0), barrier(), load(0, {Form::group_flipped, 7}), fence(), barrier()})});
  race("subgroup_barrier_then_all", {dispatch(1, 32, {subgroup_barrier(), store(0, {Form::modulo, 4})})});
  race("barriers_of_two_subgroups",
       {dispatch(1, 64, {store(0), subgroup_barrier(), load(0, {Form::group_flipped, 63})})});
  none("barriers_of_one_subgroup",
       {dispatch(1, 8,
                 {store(0), subgroup_barrier(), load(0, {Form::group_flipped, 1}), subgroup_barrier(),
                  store(0, {Form::group_flipped, 1}), execution_only(), load(0, {Form::group_flipped, 1})})});
  race("bytes_of_two_dispatches",
       {dispatch({store(0, kOwn, Type::u8)}), dispatch({store(0, kOwn, Type::u8)})});
  race("stencil_of_bytes", {dispatch({load(0, {Form::plus, 1}, Type::u8), store(0, kOwn, Type::u8)})});
  none("bytes_of_one_dispatch", {dispatch({store(0, kOwn, Type::u8)})});
  race("atomics_of_two_sizes", {dispatch({access(What::atomic_add, 0, {Form::constant, 0}, Type::u64),
                                          atomic(What::atomic_add, 0, {Form::constant, 1})})});
  race("atomics_of_workgroup_scope",
       {dispatch({atomic(What::atomic_add, 0, {Form::constant, 0}, Scope::workgroup)})});
  race("workgroup_scope_then_device_scope",
       {dispatch({group(0, atomic(What::atomic_add, 0, {Form::constant, 0}, Scope::workgroup)), full(),
                  atomic(What::atomic_add, 0, {Form::constant, 0})})});
  none("atomics_of_device_scope", {dispatch({atomic(What::atomic_add, 0, {Form::constant, 0})}),
                                   dispatch({atomic(What::atomic_add, 0, {Form::constant, 0})})});
  none("exchange_within_the_workgroup", {dispatch({store(0), full(), load(0, {Form::group_flipped, 7})})});
  race("exchange_between_workgroups", {dispatch({store(0), full(), load(0, {Form::flip, 8})})});
  none("fences_around_a_barrier",
       {dispatch({store(0), fence(), barrier(), fence(), load(0, {Form::group_flipped, 7})})});
  race("no_fence_behind_the_barrier",
       {dispatch({store(0), fence(), execution_only(), load(0, {Form::group_flipped, 7})})});
  race("fence_behind_the_barrier_alone",
       {dispatch({store(0), barrier(), fence(), load(0, {Form::group_flipped, 7})})});
  race("fence_before_the_access_and_behind_the_barrier",
       {dispatch({fence(), store(0), barrier(), fence(), load(0, {Form::group_flipped, 7})})});
  const Statement others = load(0, {Form::group_flipped, 7});
  race("fence_behind_the_barrier_then_a_read",
       {dispatch({store(0), fence(), barrier(), fence(), others, barrier(), fence(), store(0)})});
  none("fences_behind_barriers", {dispatch({store(0), barrier(), fence(), barrier(), fence(), others})});
  race("read_barrier_alone_write", {dispatch({load(0, {Form::group_flipped, 7}), barrier(), store(0)})});
  race("fence_too_narrow", {dispatch(1, 64,
                                     {store(0), fence(Scope::subgroup), execution_only(),
                                      fence(Scope::subgroup), load(0, {Form::group_flipped, 63})})});
  const Index same{Form::constant, 0};
  const auto only = [](uint32_t i, Statement statement) {
    return when(Condition::Form::own_is, i, statement);
  };
  race("read_then_two_atomics_beside_another_workgroup",
       {dispatch({only(1, load(0, same)), full(), only(2, atomic(What::atomic_add, 0, same)), full(),
                  only(3, atomic(What::atomic_add, 0, same)), only(8, atomic(What::atomic_add, 0, same))})});
  // The cell of an invocation's read and atomic is that of the atomic.
  race("read_and_atomic_of_one_beside_an_atomic",
       {dispatch({only(1, load(0, same)), only(1, atomic(What::atomic_add, 0, same)),
                  only(8, atomic(What::atomic_add, 0, same))})});
  race("atomic_load_of_workgroup_scope_beside_an_atomic",
       {dispatch({group(0, atomic(What::atomic_load, 0, same, Scope::workgroup)),
                  group(1, atomic(What::atomic_add, 0, same))})});
  race("bytes_read_then_an_atomic_on_their_word",
       {dispatch(2, 8, {group(0, load(0, kOwn, Type::u8)), group(1, atomic(What::atomic_add, 0, same))})});
  // By address a word has one cell.
  none("bytes_by_address", {dispatch({store(3, kOwn, Type::u8)})});
  race("bytes_by_address_of_two_dispatches",
       {dispatch({store(3, kOwn, Type::u8)}), dispatch({store(3, kOwn, Type::u8)})});
  race("one_byte_by_address", {dispatch({store(3, {Form::constant, 0}, Type::u8)})});
  race("stencil_of_bytes_by_address",
       {dispatch({store(3, kOwn, Type::u8), store(3, {Form::plus, 1}, Type::u8)})});
  // Workgroups of other dispatches are others.
  const Shader of_one_group{atomic(What::atomic_add, 0, same, Scope::workgroup)};
  none("workgroup_scope_in_one_workgroup", {dispatch(1, 8, of_one_group)});
  race("workgroup_scope_in_two_dispatches", {dispatch(1, 8, of_one_group), dispatch(1, 8, of_one_group)});
  race("subgroup_scope_across_subgroups",
       {dispatch(1, 64, {atomic(What::atomic_add, 0, same, Scope::subgroup)})});
  // Who writes last is behind the first read, and not behind the second one.
  race("read_in_two_phases",
       {dispatch(1, 8,
                 {load(0, {Form::rotated, 1}), fence(Scope::workgroup), execution_only(),
                  load(0, {Form::rotated, 2}), fence(Scope::workgroup), store(0)})});
  race("narrow_fence_before_a_barrier_of_one_subgroup",
       {dispatch(1, 8, {store(0), fence(Scope::subgroup), execution_only(), others})});
  none(
      "narrow_fences_around_a_barrier_of_one_subgroup",
      {dispatch(1, 8, {store(0), fence(Scope::subgroup), execution_only(), fence(Scope::subgroup), others})});
  race("stencil", {dispatch({load(0, {Form::plus, 1}), store(0)})});
  race("own_read_beside_one_through_another_binding",
       {dispatch({load(0), load(2, {Form::plus, 1}), store(0)})});
  race("all_write_one", {dispatch({store(0, {Form::constant, 0})})});
}

void add_release_forms(std::vector<ExpectedForm>& all) {
  const auto add = [&](const char* name, Verdict verdict, Shader shader) {
    all.push_back(of(name, verdict, {dispatch(8, 1, std::move(shader))}));
  };
  const Index at0{Form::constant, 0}, data{Form::constant, 100};
  const auto update = [&](Index index) {
    return atomic(What::atomic_add, 1, index, Scope::device, Semantics::acquire_release);
  };
  add("acquire_from_oneself", Verdict::race, {update(kOwn), store(0, at0)});
  add("store_behind_the_release", Verdict::race, {update(at0), store(0, at0)});
  add("store_behind_the_release_read_by_others", Verdict::race,
      {update(at0), store(0), load(0, {Form::flip, 1})});
  const auto message = [&](Semantics release, Semantics acquire) {
    return Shader{first(store(0, data)), first(atomic(What::signal, 1, at0, Scope::device, release)),
                  group(1, atomic(What::wait, 1, at0, Scope::device, acquire)), group(1, load(0, data))};
  };
  add("message", Verdict::none, message(Semantics::release, Semantics::acquire));
  add("message_without_release", Verdict::race, message(Semantics::relaxed, Semantics::acquire));
  add("message_without_acquire", Verdict::race, message(Semantics::release, Semantics::relaxed));
  add("message_by_fences", Verdict::none,
      {first(store(0, data)), first(fence()), first(atomic(What::signal, 1, at0)),
       group(1, atomic(What::wait, 1, at0)), group(1, fence()), group(1, load(0, data))});
  add("message_by_fences_of_the_workgroup", Verdict::race,
      {first(store(0, data)), first(fence(Scope::workgroup)), first(atomic(What::signal, 1, at0)),
       group(1, atomic(What::wait, 1, at0)), group(1, fence(Scope::workgroup)), group(1, load(0, data))});
  add("message_fence_behind_the_flag", Verdict::race,
      {first(store(0, data)), first(atomic(What::signal, 1, at0)), first(fence()),
       group(1, atomic(What::wait, 1, at0)), group(1, fence()), group(1, load(0, data))});
  // From the first to the second to the third workgroup.
  const Index at1{Form::constant, 2};
  const auto acquire = [&](Index flag) {
    return atomic(What::wait, 1, flag, Scope::device, Semantics::acquire);
  };
  const auto release = [&](Index flag) {
    return atomic(What::signal, 1, flag, Scope::device, Semantics::release);
  };
  add("message_passed_on", Verdict::none,
      {first(store(0, data)), first(release(at0)), group(1, acquire(at0)), group(1, release(at1)),
       group(2, acquire(at1)), group(2, load(0, data))});
  add("store_behind_the_message", Verdict::race,
      {first(release(at0)), first(store(0, data)), group(1, acquire(at0)), group(1, load(0, data))});
  add("store_again_behind_the_message", Verdict::race,
      {first(store(0, data)), first(release(at0)), first(store(0, data)), group(1, acquire(at0)),
       group(1, load(0, data))});
  add("read_by_several_then_written_behind_an_acquire", Verdict::race,
      {update(kOwn), load(0, data), group(7, store(0, data))});
  // A barrier that acquires and releases passes on what it acquires.
  const auto of_all = [&](const char* name, Shader shader) {
    all.push_back(of(name, Verdict::none, {dispatch(2, 8, std::move(shader))}));
  };
  const Statement everywhere = control(Scope::workgroup, Scope::device, true),
                  signalled = first(atomic(What::signal, 1, at0)),
                  waited = group(1, atomic(What::wait, 1, at0)), read = group(1, load(0, {Form::local, 0}));
  of_all("message_of_a_workgroup_by_fences", {group(0, store(0)), fence(), execution_only(), fence(),
                                              signalled, waited, group(1, fence()), read});
  of_all("message_of_a_workgroup_by_a_barrier",
         {group(0, store(0)), everywhere, signalled, waited, group(1, fence()), read});
  of_all("message_to_a_workgroup",
         {group(0, store(0)), everywhere, signalled,
          when(Condition::Form::own_is, 8, atomic(What::wait, 1, at0)), everywhere, read});
  of_all("message_to_the_leader_of_a_workgroup",
         {group(0, store(0)), everywhere, first(release(at0)), when(Condition::Form::own_is, 8, acquire(at0)),
          full(), read});
  // A fence in front of a barrier covers what lies in front of the fence alone.
  all.push_back(of(
      "store_between_fence_and_barrier", Verdict::race,
      {dispatch(2, 8, {fence(), group(0, store(0)), full(), signalled, waited, group(1, fence()), read})}));
  // Nobody waits for a workgroup that may not have begun.
  const Index at2{Form::constant, 4};
  add("message_to_others", Verdict::race,
      {first(store(0, data)), first(release(at0)), group(1, release(at1)), group(2, acquire(at1)),
       group(2, load(0, data))});
  add("store_between_two_releases", Verdict::race,
      {first(release(at0)), first(store(0, data)), first(release(at1)), group(1, acquire(at0)),
       group(1, load(0, data))});
  add("acquired_from_two_locations", Verdict::race,
      {first(store(0, data)), first(release(at2)), group(1, release(at0)), group(2, release(at1)),
       group(3, acquire(at0)), group(3, acquire(at1)), group(3, load(0, data))});
  // Who has read it behind the message hides it from those who read it without.
  add("read_without_the_message", Verdict::race,
      {first(store(0, data)), first(release(at0)), group(1, acquire(at0)), group(1, load(0, data)),
       group(2, load(0, data))});
  // One fence acquires what was read at two places.
  add("two_messages_and_one_fence", Verdict::none,
      {first(store(0, data)), first(release(at0)), group(1, store(0, at0)), group(1, release(at1)),
       group(2, atomic(What::wait, 1, at0)), group(2, atomic(What::wait, 1, at1)), group(2, fence()),
       group(2, load(0, data)), group(2, load(0, at0))});
  // Whether what was read is what was released depends on who came first.
  add("release_that_may_be_read", Verdict::unsure,
      {first(store(0, data)), first(update(at0)), group(1, update(at0)), group(1, load(0, data))});
  add("written_through_an_alias", Verdict::unsure,
      {first(store(0, data)), first(release(at0)), group(1, acquire(at0)), group(1, load(2, data))});
  ExpectedForm own_private =
      of("private_access", Verdict::race, {dispatch({store(0), full(), load(0, {Form::group_flipped, 7})})});
  own_private.program.vulkan_model = true;
  own_private.program.views[0].coherent = false;
  all.push_back(own_private);
  ExpectedForm hidden = own_private;
  hidden.name = "write_behind_a_private_read";
  hidden.program.commands = {dispatch(8, 1, message(Semantics::release, Semantics::acquire)),
                             api(kCompute, 0, kCompute, 0), dispatch(8, 1, {first(store(0, data))})};
  all.push_back(hidden);
  ExpectedForm coherent = own_private;
  coherent.name = "coherent_access_of_the_vulkan_model";
  coherent.verdict = Verdict::none;
  coherent.program.views[0].coherent = true;
  all.push_back(coherent);
}

void add_command_forms(std::vector<ExpectedForm>& all) {
  const auto add = [&](const char* name, Verdict verdict, std::vector<Command> commands) {
    all.push_back(of(name, verdict, std::move(commands)));
  };
  const Command writer = dispatch({store(0)}), reader = dispatch({load(0)});
  add("no_barrier", Verdict::race, {writer, reader});
  add("right_barrier", Verdict::none, {writer, api(kCompute, kWrite, kCompute, kRead), reader});
  add("no_visibility", Verdict::race, {writer, api(kCompute, kWrite, kCompute, kWrite), reader});
  add("atomic_without_visibility", Verdict::race,
      {writer, api(kCompute, kWrite, kCompute, kWrite), dispatch({atomic(What::atomic_add, 0)})});
  add("atomic_store_without_visibility", Verdict::none,
      {writer, api(kCompute, kWrite, kCompute, kWrite), dispatch({atomic(What::atomic_store, 0)})});
  add("no_availability", Verdict::race, {writer, api(kCompute, 0, kCompute, kRead), reader});
  add("execution_only_after_a_read", Verdict::none, {reader, api(kCompute, 0, kCompute, 0), writer});
  add("execution_only_after_a_write", Verdict::race, {writer, api(kCompute, 0, kCompute, 0), writer});
  add("write_after_write", Verdict::none, {writer, api(kCompute, kWrite, kCompute, 0), writer});
  add("wrong_source_stage", Verdict::race, {writer, api(kCopy, kTransferWrite, kCompute, kRead), reader});
  add("chain", Verdict::none,
      {writer, api(kCompute, kWrite, kCopy, 0), api(kCopy, 0, kCompute, kRead), reader});
  add("broken_chain", Verdict::race,
      {writer, api(kCompute, kWrite, kCopy, 0), api(kClear, 0, kCompute, kRead), reader});
  // Stages without accesses to buffers hand on, too.
  constexpr VkPipelineStageFlags2 blits = VK_PIPELINE_STAGE_2_BLIT_BIT,
                                  colour = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
  add("chain_through_blits", Verdict::none,
      {writer, api(kCompute, kWrite, blits, 0), api(blits, 0, kCompute, kRead), reader});
  add("chain_through_colour_output", Verdict::none,
      {writer, api(kCompute, kWrite, colour, 0), api(colour, 0, kCompute, kRead), reader});
  add("broken_chain_through_blits", Verdict::race,
      {writer, api(kCompute, kWrite, blits, 0), api(colour, 0, kCompute, kRead), reader});
  add("copy_is_not_clear", Verdict::race, {fill(0), api(kCopy, kTransferWrite, kCompute, kRead), reader});
  add("fill_cleared", Verdict::none, {fill(0), api(kClear, kTransferWrite, kCompute, kRead), reader});
  add("on_its_buffer", Verdict::none, {writer, api_on(0, 128), reader});
  add("on_a_part", Verdict::race, {writer, api_on(0, 64), reader});
  add("on_the_wrong_buffer", Verdict::race, {writer, api_on(1, 128), reader});
  add("on_an_alias", Verdict::unsure, {writer, api_on(2, 128), reader});
  add("alias", Verdict::race, {writer, dispatch({load(2)})});
  add("address", Verdict::race, {writer, dispatch({load(3)})});
  add("another_submission", Verdict::race, {writer, submit(Command::Submit::nothing), reader});
  add("written_later", Verdict::race, {reader, submit(Command::Submit::nothing), writer});
  add("semaphore", Verdict::none, {writer, submit(Command::Submit::semaphore, kCompute), reader});
  add("semaphore_of_another_stage", Verdict::race,
      {writer, submit(Command::Submit::semaphore, kCopy), reader});
  add("semaphore_and_chain", Verdict::none,
      {writer, submit(Command::Submit::semaphore, kCopy), api(kCopy, 0, kCompute, 0), reader});
  add("semaphore_and_chain_with_access", Verdict::none,
      {writer, submit(Command::Submit::semaphore, kCopy), api(kCopy, 0, kCompute, kRead), reader});
  add("fence", Verdict::none, {writer, submit(Command::Submit::fence), reader});
  const Barrier event{kCompute, kWrite, kCompute, kRead};
  add("event", Verdict::none,
      {writer, with(Command::What::set_event, event), with(Command::What::wait_event, event), reader});
  add("event_set_before", Verdict::race,
      {with(Command::What::set_event, event), writer, with(Command::What::wait_event, event), reader});
  add("copy_reads_then_update_behind_a_barrier_for_compute", Verdict::race,
      {copy(0, 1), reader, api(kCompute, kWrite, kCompute, kRead | kWrite), writer});
  add("copy_among_readers", Verdict::race,
      {reader, copy(0, 1), reader, api(kCompute, kWrite, kCompute, kRead | kWrite), writer});
  add("barrier_to_copy_is_none_to_compute", Verdict::race,
      {writer, api(kCompute, kWrite, kCopy, kTransferRead), copy(0, 1), reader});
  // Within the first dispatch all is in order, and others read last: reads are ordered by execution alone.
  const Statement read_by_others = load(0, {Form::group_flipped, 7}), add_one = atomic(What::atomic_add, 0);
  const Command execution = api(kCompute, 0, kCompute, 0);
  add("write_then_read_by_others_then_write_behind_execution", Verdict::race,
      {dispatch({store(0), full(), read_by_others}), execution, writer});
  add("write_then_read_by_others_then_atomic_behind_execution", Verdict::race,
      {dispatch({store(0), full(), read_by_others}), execution, dispatch({add_one})});
  add("atomic_then_read_by_others_then_write_behind_execution", Verdict::race,
      {dispatch({add_one, full(), read_by_others}), execution, writer});
  add("atomic_then_read_by_others_then_atomic_behind_execution", Verdict::none,
      {dispatch({add_one, full(), read_by_others}), execution, dispatch({add_one})});
  add("read_then_atomic_then_read_by_others_then_atomic_behind_execution", Verdict::none,
      {dispatch({read_by_others, full(), add_one, full(), read_by_others}), execution, dispatch({add_one})});
  add("indirect_stage_orders_compute_to_execute", Verdict::none,
      {reader, api(kCompute, 0, kIndirect, 0), writer});
}

void add_queue_forms(std::vector<ExpectedForm>& all) {
  const auto add = [&](const char* name, Verdict verdict, std::vector<Command> commands) {
    all.push_back(of(name, verdict, std::move(commands)));
  };
  constexpr auto nothing = Command::Submit::nothing, semaphore = Command::Submit::semaphore;
  const Command writer = dispatch({store(0)}), reader = dispatch({load(0)}), other = dispatch({load(1)});
  add("queues", Verdict::race, {writer, submit(nothing, 0, 1), reader});
  add("queues_and_a_barrier", Verdict::race,
      {writer, submit(nothing, 0, 1), api(kCompute, kWrite, kCompute, kRead), reader});
  add("queues_and_a_semaphore", Verdict::none, {writer, submit(semaphore, kCompute, 1), reader});
  add("queues_and_a_semaphore_of_another_stage", Verdict::race,
      {writer, submit(semaphore, kCopy, 1), reader});
  add("queues_and_a_semaphore_and_chain", Verdict::none,
      {writer, submit(semaphore, kCopy, 1), api(kCopy, 0, kCompute, 0), reader});
  add("queues_and_a_fence", Verdict::none, {writer, submit(Command::Submit::fence, 0, 1), reader});
  add("queues_there_and_back", Verdict::none,
      {writer, submit(semaphore, kCompute, 1), other, submit(semaphore, kCompute, 0), reader});
  // The semaphore is behind the other queue's commands alone.
  add("queues_and_a_semaphore_of_the_other", Verdict::race,
      {writer, submit(nothing, 0, 1), other, submit(semaphore, kCompute, 0), reader});
}

// A dispatch writes what an indirect one reads.
ExpectedForm indirect(const char* name, Verdict verdict, const Command& between) {
  Command executed = dispatch({load(1)});
  executed.what = Command::What::dispatch_indirect;
  executed.buffer = 3;
  ExpectedForm form = of(
      name, verdict, {dispatch(1, 8, {when(Condition::Form::local_below, 4, store(4))}), between, executed});
  form.program.arguments_memory = 2;
  form.program.argument_groups = executed.groups;
  form.program.memories = 3;
  form.program.buffers.push_back({2, 0, kMemoryBytes});
  form.program.views.push_back({3, 0, View::Reach::binding, true});
  return form;
}

void add_indirect_forms(std::vector<ExpectedForm>& all) {
  constexpr VkAccessFlags2 kArguments = VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT;
  all.push_back(indirect("arguments", Verdict::none, api(kCompute, kWrite, kIndirect, kArguments)));
  all.push_back(indirect("arguments_without_visibility", Verdict::race, api(kCompute, kWrite, kIndirect, 0)));
  all.push_back(
      indirect("arguments_visible_to_shaders", Verdict::race, api(kCompute, kWrite, kCompute, kRead)));
}

}  // namespace

const std::vector<ExpectedForm>& forms() {
  static const std::vector<ExpectedForm> all = [] {
    std::vector<ExpectedForm> made;
    add_dispatch_forms(made);
    add_release_forms(made);
    add_command_forms(made);
    add_indirect_forms(made);
    add_queue_forms(made);
    add_workgroup_forms(made);
    add_loop_forms(made);
    add_draw_forms(made);
    add_image_forms(made);
    add_pass_forms(made);
    return made;
  }();
  return all;
}

const ExpectedForm& form(const std::string& name) {
  for (const ExpectedForm& candidate : forms())
    if (candidate.name == name) return candidate;
  throw std::invalid_argument("no form is called " + name);
}

}  // namespace oracle
