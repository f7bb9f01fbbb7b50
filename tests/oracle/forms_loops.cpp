// SPDX-License-Identifier: Apache-2.0
// What one turn of a loop accesses against what another one does, and what is left early.
#include "form_parts.h"
#include "loops.h"

namespace oracle {
namespace {

using namespace parts;

Command repeated(Loop::Form form, uint32_t turns, const Shader& body) {
  Command command = dispatch(body);
  add_loop(command, {form, 0, static_cast<uint32_t>(body.size()), turns});
  return command;
}
Statement moving(Statement statement, uint32_t step) {
  statement.index.step = step;
  return statement;
}

Statement leave(Statement::Leave what, Condition::Form form, uint32_t k) {
  Statement statement;
  statement.what = Statement::What::leave;
  statement.leave = what;
  return when(form, k, statement);
}

// `of_workgroup` has 32 invocations.
void add_forms_of_leaving(std::vector<ExpectedForm>& all) {
  using Leave = Statement::Leave;
  using When = Condition::Form;
  for (const bool shared : {true, false}) {
    const uint32_t view = shared ? kShared : 0;
    const auto add = [&](const char* name, Verdict verdict, const Command& command) {
      all.push_back(of_workgroup(std::string(shared ? "shared_" : "") + name, verdict, {command}));
    };
    const Statement neighbour = store(view, {Form::plus, 1}), alone = store(view, {Form::constant, 1});
    add("return_of_all_but_one", Verdict::none, dispatch({leave(Leave::shader, When::own_from, 1), alone}));
    add("return_of_all_but_two", Verdict::race, dispatch({leave(Leave::shader, When::own_from, 2), alone}));
    const auto strided = [&](uint32_t elements, const Shader& body) {
      Command command = dispatch(body);
      add_loop(command,
               {Loop::Form::strided, 0, static_cast<uint32_t>(body.size()), (elements + 31) / 32, elements});
      return command;
    };
    const Statement walked = store(view, {Form::walked, 0});
    add("strided_loop", Verdict::none, strided(3 * 32 + 5, {walked}));
    const Statement in_second = when(When::turn_is, 1, alone);
    add("strided_loop_whose_second_turn_one_has", Verdict::none, strided(33, {in_second}));
    add("strided_loop_whose_second_turn_two_have", Verdict::race, strided(34, {in_second}));
    add("strided_loop_that_is_left_before_others_stores", Verdict::none,
        strided(64, {walked, leave(Leave::loop, When::turn_is, 0), neighbour}));
    add("strided_loop_with_a_turn_of_others_stores", Verdict::race,
        strided(64, {walked, leave(Leave::turn, When::turn_is, 0), neighbour}));
    add("return_of_each_before_its_second_turn", Verdict::none,
        strided(64,
                {leave(Leave::shader, When::turn_beyond_group, 1), moving(store(view, {Form::plus, 0}), 1)}));
    add("second_turns_of_every_other_one", Verdict::none,
        strided(64, {leave(Leave::loop, When::turn_beyond_local, 2),
                     moving(store(view, {Form::strided, 2}), 1)}));
    add("second_turns_of_every_other_one_beside_the_first", Verdict::race,
        strided(64,
                {leave(Leave::loop, When::turn_beyond_local, 2), moving(store(view, {Form::plus, 0}), 1)}));
  }
}

}  // namespace

void add_loop_forms(std::vector<ExpectedForm>& all) {
  add_forms_of_leaving(all);
  for (const bool shared : {true, false}) {
    const uint32_t view = shared ? kShared : 0;
    Statement order = fence(Scope::workgroup), of_subgroup = subgroup_barrier();
    order.shared = of_subgroup.shared = shared;
    Command command =
        dispatch({store(view), execution_only(), order, load(view, {Form::rotated, 1}), of_subgroup});
    add_loop(command, {Loop::Form::called, 4, 1, 1});
    all.push_back(
        of_workgroup(std::string(shared ? "shared_" : "") + "fence_behind_the_barrier_and_one_in_a_function",
                     Verdict::race, {command}));
  }
  constexpr uint32_t kInvocations = 32, kTurns = 3;
  const std::pair<const char*, Loop::Form> kinds[] = {
      {"loop_", Loop::Form::counted}, {"bounded_loop_", Loop::Form::bounded}, {"calls_", Loop::Form::called}};
  for (const auto& [prefix, form] : kinds)
    for (const bool shared : {true, false}) {
      const std::string start = prefix + std::string(shared ? "shared_" : "");
      const auto add = [&, form = form](const char* name, Verdict verdict, const Shader& body) {
        all.push_back(of_workgroup(start + name, verdict, {repeated(form, kTurns, body)}));
      };
      const uint32_t view = shared ? kShared : 0;
      const Statement write = store(view), read = load(view, {Form::rotated, 1}),
                      all_wait = shared ? barrier() : full();
      add("of_exchanges", Verdict::none, {write, all_wait, read, all_wait});
      add("of_exchanges_without_the_second_barrier", Verdict::race, {write, all_wait, read});
      add("of_exchanges_without_the_first_barrier", Verdict::race, {write, read, all_wait});
      add("with_its_barrier_in_one_turn", Verdict::race,
          {write, when(Condition::Form::turn_is, 1, all_wait), read, all_wait});
      add("whose_stores_move_on", Verdict::none, {moving(store(view, {Form::plus, 0}), kInvocations)});
      add("whose_stores_move_to_others", Verdict::race, {moving(store(view, {Form::plus, 0}), 1)});
      add("whose_stores_move_to_others_behind_barriers", Verdict::none,
          {moving(store(view, {Form::rotated, 0}), 1), all_wait});
      add("that_reads_what_the_turn_before_wrote", Verdict::none,
          {moving(load(view, {Form::rotated, 0}), 1), all_wait, moving(store(view, {Form::rotated, 2}), 1),
           all_wait});
    }
}

}  // namespace oracle
