// SPDX-License-Identifier: Apache-2.0
// What one turn of a loop accesses against what another one does.
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

}  // namespace

void add_loop_forms(std::vector<ExpectedForm>& all) {
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
