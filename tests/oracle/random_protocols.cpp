// SPDX-License-Identifier: Apache-2.0
// Random shaders whose invocations wait for others, ask whether others are done, or lock.
#include "random_shaders.h"

namespace oracle {
namespace {

using What = Statement::What;
using Form = Index::Form;

constexpr Condition kEntered{Condition::Form::entered, 0};

Statement fence_of(Scope scope) {
  Statement fence;
  fence.what = What::memory_barrier;
  fence.semantics = Semantics::acquire_release;
  fence.buffers = true;
  fence.scope = scope;
  return fence;
}

}  // namespace

ShaderMaker::Protocol ShaderMaker::any_protocol() {
  Protocol protocol;
  protocol.by_fence = one_in(2);
  protocol.spoilt_release = careless() && one_in(2);
  protocol.spoilt_acquire = careless() && one_in(3);
  if (careless() && one_in(3)) protocol.scope = Scope::workgroup;
  return protocol;
}

void ShaderMaker::ask(const Protocol& protocol, Statement question) {
  question.scope = protocol.by_fence ? Scope::device : protocol.scope;
  // What another workgroup stores need not be seen at a narrower scope: the loop might not end, and on an
  // H100 it does not.
  if (question.what == What::wait && question.scope != Scope::device) question.what = What::peek;
  if (!protocol.by_fence && !protocol.spoilt_acquire)
    question.semantics =
        question.what == What::try_lock && one_in(3) ? Semantics::acquire_release : Semantics::acquire;
  add(question);
  Statement fence = fence_of(protocol.scope);
  if (one_in(2)) fence.when = kEntered;
  if (protocol.by_fence && !protocol.spoilt_acquire) add(fence);
}

void ShaderMaker::answer(const Protocol& protocol, Statement last) {
  Statement fence = fence_of(protocol.scope);
  if (one_in(2)) fence.when = last.when;
  if (protocol.by_fence && !protocol.spoilt_release) add(fence);
  last.scope = protocol.by_fence ? Scope::device : protocol.scope;
  if (!protocol.by_fence && !protocol.spoilt_release) last.semantics = Semantics::release;
  add(last);
}

// One that no other dispatch uses, behind those that a lock for each workgroup takes.
Index ShaderMaker::protocol_word() {
  return {Form::constant, 16 + static_cast<uint32_t>(program_.commands.size()) * 4};
}

// The first invocation writes and signals; those of other workgroups wait, or look once, and read.
void ShaderMaker::make_message() {
  if (command_.groups < 2) return make_anything();
  const uint32_t flags = own_view(program_, program_.flags_memory), view = buffer_view();
  const Index data = pick<Index>({{Form::constant, 0}, {Form::constant, 7}, {Form::group, 0}});
  const Protocol protocol = any_protocol();
  Statement store =
      access(What::store, view, Type::u32, {Form::constant, data.form == Form::group ? 1 : data.k});
  store.when = {Condition::Form::own_is, 0};
  Statement signal = access(What::signal, flags, Type::u32, protocol_word()), question = signal;
  question.what = pick({What::wait, What::wait, What::peek});
  signal.when = store.when;
  question.when = {Condition::Form::group_is, 1 + below(command_.groups - 1)};
  add(store);
  answer(protocol, signal);
  if (careless() && one_in(3)) add(store);
  ask(protocol, question);
  Statement read = access(one_in(4) ? What::store : What::load, view, Type::u32, data);
  read.when = question.what == What::peek || one_in(3) ? kEntered : question.when;
  if (read.what == What::store && command_.local_size > 1) read.what = What::load;
  add(read);
}

// Workgroups in turn, each behind the one before it; their first invocations wait and signal.
void ShaderMaker::make_turns() {
  const uint32_t flags = own_view(program_, program_.flags_memory), view = buffer_view();
  const Protocol protocol = any_protocol();
  const Condition leader{Condition::Form::local_is, 0};
  Statement question = access(What::wait, flags, Type::u32, protocol_word()), signal = question;
  question.value = signal.value = Statement::Value::turn;
  if (one_in(4)) question.what = What::peek;
  question.when = leader;
  signal.what = What::signal;
  signal.when = kEntered;
  const bool together = one_in(3);  // all of the workgroup, between barriers
  const Index data = together ? Index{Form::local, 0} : Index{Form::constant, below(4)};
  Statement store = access(pick({What::store, What::store, What::load}), view, Type::u32, data), load = store;
  load.what = What::load;
  if (!together) store.when = load.when = kEntered;
  if (careless() && one_in(3)) add(store);
  ask(protocol, question);
  if (together) barrier_of_group(careless(), view);
  if (one_in(2)) add(load);
  add(store);
  if (together) barrier_of_group(careless(), view);
  answer(protocol, signal);
  if (careless() && one_in(3)) add(load);
}

// Who finds the lock free works on what it protects.
void ShaderMaker::make_lock() {
  const uint32_t flags = own_view(program_, program_.flags_memory), view = buffer_view();
  const uint32_t times = 1 + below(2);
  Index word = protocol_word();
  if (!setting_.words_by_group && one_in(careful() ? 4 : 3)) {
    setting_.words_by_group = true;
    word = {Form::group, 0};
  }
  const Index data = word.form == Form::group && (careful() || one_in(2)) ? Index{Form::group, 0}
                                                                          : Index{Form::constant, below(4)};
  Condition when{Condition::Form::local_is, 0};
  if (one_in(3)) when = any_condition();
  for (uint32_t i = 0; i < times; ++i) {
    const Protocol protocol = any_protocol();
    Statement question = access(What::try_lock, flags, Type::u32, word), unlock = question;
    question.when = when;
    unlock.what = What::unlock;
    unlock.when = kEntered;
    Statement load = access(What::load, view, Type::u32, data), store = load;
    store.what = What::store;
    load.when = store.when = kEntered;
    ask(protocol, question);
    if (one_in(2)) add(load);
    if (!one_in(4)) add(store);
    answer(protocol, unlock);
    if (careless() && one_in(3)) add(one_in(2) ? load : store);
  }
}

}  // namespace oracle
