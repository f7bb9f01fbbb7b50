// SPDX-License-Identifier: Apache-2.0
#include "random_shaders.h"

#include <algorithm>

namespace oracle {
namespace {

using What = Statement::What;
using Form = Index::Form;

}  // namespace

uint32_t own_view(Program& program, int& memory) {
  if (memory < 0) {
    memory = static_cast<int>(program.memories++);
    program.buffers.push_back({static_cast<uint32_t>(memory), 0, kMemoryBytes});
    program.views.push_back(
        {static_cast<uint32_t>(program.buffers.size() - 1), 0, View::Reach::binding, true});
  }
  for (uint32_t i = 0; i < program.views.size(); ++i)
    if (!program.views[i].is_shared() &&
        static_cast<int>(program.buffers[program.views[i].buffer].memory) == memory)
      return i;
  return 0;
}

void ShaderMaker::add_stores_of_arguments() {
  Statement statement =
      access(What::store, own_view(program_, program_.arguments_memory), Type::u32, {Form::own, 0});
  statement.when = {Condition::Form::local_below, 4};
  add(statement);
}

void ShaderMaker::make() {
  if (setting_.grids && one_in(2)) {
    make_rows();
    if (careless()) spoil();
    return;
  }
  if (command_.is_draw()) return make_of_draw();
  switch (below(13)) {
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
    case 7:
      make_lock();
      break;
    case 8:
      make_turns();
      break;
    case 9:
    case 10:
      make_mixed_barriers();
      break;
    default:
      make_anything();
      break;
  }
  if (careless()) spoil();
}

// Invocations of draws have no workgroup, so neither barriers nor memory of their own, nor narrower scopes.
void ShaderMaker::make_of_draw() {
  switch (below(5)) {
    case 0:
      make_atomics();
      break;
    case 1:
    case 2:
      make_anything();
      break;
    default:
      make_own();
      break;
  }
  if (careless()) spoil();
}

bool ShaderMaker::may_access(const Statement& statement) const {
  const View& view = program_.views[statement.view];
  if (!program_.images || view.is_shared()) return true;
  const auto image = static_cast<int>(view.buffer);
  if (image == setting_.attachment || view.read_only != (image == setting_.read_only)) return false;
  return view.reach != View::Reach::sampled || statement.what == What::load;
}

// In workgroup memory the view says which type; not all types have atomics.
void ShaderMaker::add(Statement statement) {
  if (is_access(statement.what) && program_.images) statement.type = Type::u32;
  if (is_access(statement.what) && program_.views[statement.view].is_shared()) {
    const Type type = program_.views[statement.view].type;
    if (is_atomic(statement.what) && type != Type::u32 && type != Type::u64) {
      statement.view = buffer_view();
    } else {
      statement.type = type;
    }
  }
  for (uint32_t tries = 0; is_access(statement.what) && !may_access(statement); ++tries) {
    if (tries == setting_.buffer_views) return;
    statement.view = (statement.view + 1) % setting_.buffer_views;
  }
  if (command_.is_draw()) statement.scope = Scope::device;
  command_.shader.push_back(statement);
}

Statement ShaderMaker::access(What what, uint32_t view, Type type, Index index) {
  Statement statement;
  statement.what = what;
  statement.view = view;
  statement.type = type;
  statement.index = index;
  return statement;
}

uint32_t ShaderMaker::data_view() {
  const uint32_t shared = command_.is_draw() ? 0 : setting_.data_views - setting_.buffer_views;
  return shared != 0 && one_in(2) ? setting_.buffer_views + below(shared) : buffer_view();
}

Type ShaderMaker::any_type() {
  return pick({Type::u8, Type::u16, Type::u32, Type::u32, Type::u32, Type::u64, Type::vec2, Type::vec4});
}
Index ShaderMaker::own_index() {
  return pick<Index>(
      {{Form::own, 0}, {Form::own, 0}, {Form::plus, 3}, {Form::reversed, 0}, {Form::strided, 2}});
}
Index ShaderMaker::group_index() {
  const uint32_t l = command_.local_size;
  return pick<Index>(
      {{Form::rotated, 1 + below(l)}, {Form::group_flipped, l - 1}, {Form::group_flipped, l / 2}});
}
Index ShaderMaker::any_index() {
  if (setting_.grids && one_in(3))
    return row_index(pick({Form::rows, Form::rows, Form::row_neighbour, Form::columns}),
                     std::max(1u, command_.grid().columns + below(4) - below(2)));
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
Condition ShaderMaker::any_condition() {
  switch (below(10)) {
    case 0:
      return {Condition::Form::local_is, below(command_.local_size)};
    case 1:
      return {Condition::Form::local_below, 1 + below(command_.local_size)};
    case 2:
      return {Condition::Form::group_is, below(command_.groups)};
    case 3:
      return {Condition::Form::own_is, 0};
    default:
      return {};
  }
}

// A barrier that orders the memory of the view within the workgroup, in one of its forms; spoilt: in one that
// does not.
void ShaderMaker::barrier_of_group(bool spoilt, uint32_t view) {
  if (command_.is_draw()) return;
  const bool of_shared = program_.views[view].is_shared();
  Statement control;
  control.what = What::control_barrier;
  control.scope = Scope::workgroup;
  control.semantics = Semantics::acquire_release;
  control.buffers = !of_shared;
  control.shared = of_shared;
  Statement memory = control;
  memory.what = What::memory_barrier;
  memory.scope = pick({Scope::workgroup, Scope::device});
  Statement plain = control;
  plain.buffers = of_shared;
  plain.shared = !of_shared;
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
      control.buffers = control.shared = true;
      control.scope = pick({Scope::workgroup, Scope::device});
      return add(control);
    default:
      add(memory);
      add(plain);
      return add(memory);
  }
}

void ShaderMaker::make_own() {
  const Type type = any_type();
  const Index index = own_index();
  const uint32_t from = data_view(), to = data_view();
  const bool update = one_in(3);
  add(access(What::load, update ? to : from, type, careful() && !one_in(4) ? index : own_index()));
  add(access(What::store, to, type, index));
  if (one_in(3)) add(access(What::load, to, type, index));
  if (one_in(4)) add(access(What::load, data_view(), any_type(), any_index()));
}

void ShaderMaker::make_phases() {
  const Type type = any_type();
  const uint32_t view = data_view();
  const uint32_t phases = 1 + below(3);
  add(access(What::store, view, type, {Form::own, 0}));
  for (uint32_t i = 0; i < phases; ++i) {
    barrier_of_group(careless(), view);
    const bool store = one_in(3);
    add(access(store ? What::store : What::load, view, type, one_in(4) ? any_index() : group_index()));
    if (!store && one_in(2)) {
      barrier_of_group(careless(), view);
      add(access(What::store, view, type, {Form::own, 0}));
    }
  }
}

Statement ShaderMaker::any_barrier() {
  Statement barrier;
  barrier.what = one_in(2) ? What::control_barrier : What::memory_barrier;
  barrier.execution = one_in(3) ? Scope::subgroup : Scope::workgroup;
  barrier.scope = pick({Scope::subgroup, Scope::workgroup, Scope::workgroup, Scope::device});
  barrier.semantics = pick({Semantics::acquire_release, Semantics::acquire_release,
                            Semantics::acquire_release, Semantics::acquire, Semantics::release});
  if (barrier.what == What::control_barrier && one_in(3)) {
    barrier.semantics = Semantics::relaxed;
    return barrier;
  }
  barrier.buffers = !one_in(3);
  barrier.shared = !barrier.buffers || one_in(2);
  return barrier;
}

// Some barriers order together, some for a subgroup alone.
void ShaderMaker::make_mixed_barriers() {
  const Type type = any_type();
  const uint32_t view = data_view(), phases = 1 + below(3);
  Statement first = access(What::store, view, type, {Form::own, 0});
  first.when = any_condition();
  add(first);
  for (uint32_t i = 0; i < phases; ++i) {
    const uint32_t barriers = 1 + below(3);
    for (uint32_t n = 0; n < barriers; ++n) add(any_barrier());
    Statement next =
        access(one_in(3) ? What::store : What::load, view, type,
               one_in(3) ? group_index()
                         : pick<Index>({{Form::own, 0}, {Form::group_flipped, 1}, {Form::group_flipped, 3}}));
    next.when = any_condition();
    add(next);
  }
}

void ShaderMaker::make_among_barriers() {
  const uint32_t view = data_view(), accesses = 3 + below(4);
  const Index own{Form::own, 0};
  for (uint32_t i = 0; i < accesses; ++i) {
    for (uint32_t barriers = i == 0 ? 0 : below(3); barriers > 0; --barriers) {
      Statement barrier = any_barrier();
      if (one_in(2)) barrier.scope = barrier.execution = Scope::workgroup;
      if (barrier.semantics != Semantics::relaxed && one_in(2))
        barrier.semantics = Semantics::acquire_release;
      if (barrier.semantics != Semantics::relaxed && one_in(2)) {
        const bool shared = program_.views[view].is_shared(),
                   matters = barrier.what == What::memory_barrier || one_in(3);
        barrier.shared = shared == matters;
        barrier.buffers = shared != matters;
      }
      add(barrier);
    }
    Statement next =
        access(pick({What::load, What::load, What::load, What::store, What::store, What::atomic_add}), view,
               Type::u32, pick<Index>({own, own, own, {Form::rotated, 1}, {Form::group_flipped, 1}}));
    next.scope = Scope::workgroup;
    if (one_in(3)) next.when = any_condition();
    add(next);
  }
}

void ShaderMaker::make_broadcast() {
  const Type type = any_type();
  const uint32_t view = data_view();
  Statement store = access(What::store, view, type, {Form::group, 0});
  store.when = {Condition::Form::local_is, below(command_.local_size)};
  add(store);
  barrier_of_group(careless(), view);
  add(access(What::load, view, type, {Form::group, 0}));
  if (one_in(2)) {
    barrier_of_group(careless(), view);
    add(store);
  }
}

void ShaderMaker::make_atomics() {
  const Type type = pick({Type::u32, Type::u32, Type::u32, Type::u64});
  const uint32_t view = data_view(), count = 1 + below(3);
  const Scope scope = pick({Scope::device, Scope::device, Scope::device, Scope::workgroup});
  for (uint32_t i = 0; i < count; ++i) {
    Statement atomic = access(
        pick({What::atomic_add, What::atomic_add, What::atomic_exchange, What::atomic_load,
              What::atomic_store}),
        view, one_in(8) ? Type::u64 : type,
        careful() ? pick<Index>({{Form::constant, 0}, {Form::local, 0}, {Form::modulo, 5}}) : any_index());
    atomic.scope = one_in(8) ? Scope::workgroup : scope;
    atomic.when = any_condition();
    add(atomic);
    if (one_in(3)) barrier_of_group(careless(), view);
  }
  if (one_in(3)) {
    if (careful()) barrier_of_group(false, view);
    Statement plain = access(pick({What::load, What::store}), view, type, {Form::constant, 0});
    plain.when = any_condition();
    add(plain);
  }
}

// Atomics with semantics whose results nobody waits for, and data beside them.
void ShaderMaker::make_release() {
  const uint32_t view = data_view(), data = data_view();
  Statement atomic = access(pick({What::atomic_add, What::atomic_exchange}), view, Type::u32,
                            pick<Index>({{Form::constant, 0}, {Form::group, 0}, {Form::own, 0}}));
  atomic.semantics = Semantics::acquire_release;
  atomic.buffers = atomic.shared = one_in(3);
  atomic.scope = pick({Scope::device, Scope::device, Scope::workgroup});
  Statement store =
      access(What::store, data, Type::u32,
             careful() ? Index{Form::plus, 256}
                       : pick<Index>({{Form::constant, 300}, {Form::plus, 300}, {Form::divided, 2}}));
  if (careful() || one_in(2)) store.index.k = std::max(store.index.k, 256u);
  if (one_in(2)) add(store);
  add(atomic);
  add(store);
  if (one_in(2)) add(access(What::load, data, Type::u32, store.index));
}

void ShaderMaker::make_anything() {
  const uint32_t count = 1 + below(4);
  for (uint32_t i = 0; i < count; ++i) {
    if (one_in(4)) barrier_of_group(one_in(2), data_view());
    Statement statement = access(pick({What::load, What::load, What::store, What::store, What::atomic_add}),
                                 data_view(), any_type(), any_index());
    if (is_atomic(statement.what) && statement.type != Type::u64) statement.type = Type::u32;
    statement.when = any_condition();
    add(statement);
  }
}

Index ShaderMaker::row_index(Form form, uint32_t width) {
  // Texels lie in rows of their own.
  if (program_.images && one_in(2) && form == Form::rows) width = kRowTexels;
  Index index{form, width};
  index.width = pick({Source::literal, Source::uniform_buffer, Source::uniform_buffer});
  if (width == command_.grid().columns && one_in(2)) index.width = Source::columns;
  return index;
}

// A picture, each of whose elements is an invocation's own: those beyond its edges leave, as shaders say that
// are dispatched in whole workgroups.
void ShaderMaker::make_rows() {
  const Grid grid = command_.grid();
  const bool is_transposed = one_in(4);
  const uint32_t across = is_transposed ? grid.rows : grid.columns;
  const uint32_t width = one_in(3) ? across : std::max(1u, across + below(4) - below(across));
  const Index own = row_index(is_transposed ? Form::columns : Form::rows, width);
  Statement leave;
  leave.what = What::leave;
  leave.when = {is_transposed ? Condition::Form::y_from : Condition::Form::x_from, width,
                own.width == Source::literal || one_in(3) ? Source::literal : Source::uniform_buffer};
  const bool is_guarded = own.k < across || one_in(3);
  if (is_guarded && (careful() || !one_in(4))) add(leave);
  if (is_guarded && one_in(2)) {
    leave.when = {is_transposed ? Condition::Form::x_from : Condition::Form::y_from,
                  1 + below(is_transposed ? grid.columns : grid.rows), leave.when.limit};
    add(leave);
  }
  const uint32_t view = data_view(), other = data_view(), count = 1 + below(4);
  const Type type = any_type();
  for (uint32_t i = 0; i < count; ++i) {
    if (!is_guarded && one_in(3)) barrier_of_group(one_in(2), view);
    const bool is_own = careful() || !one_in(4);
    Index index = own;
    if (!is_own && own.form == Form::rows) index.form = Form::row_neighbour;
    add(access(pick({What::load, What::store, What::store}), view, type, index));
    if (one_in(3)) add(access(What::load, other, type, any_index()));
  }
}

// Leaves out a statement, or changes an index.
void ShaderMaker::spoil() {
  std::vector<Statement>& shader = command_.shader;
  const uint32_t victim = below(static_cast<uint32_t>(shader.size()));
  Statement& statement = shader[victim];
  if (is_protocol(statement.what)) return;
  if (is_access(statement.what) && one_in(2)) {
    const View& view = program_.views[statement.view];
    const bool arguments = !view.is_shared() && static_cast<int>(program_.buffers[view.buffer].memory) ==
                                                    program_.arguments_memory;
    if (!arguments) statement.index = any_index();
  } else if (shader.size() > 1) {
    shader.erase(shader.begin() + victim);
  }
}

}  // namespace oracle
