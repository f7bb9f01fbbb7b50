// SPDX-License-Identifier: Apache-2.0
// Programs whose buffers are images.
#include "form_parts.h"

namespace oracle {

using namespace parts;

void add_image_forms(std::vector<ExpectedForm>& all) {
  const auto add = [&](const char* name, Verdict verdict, std::vector<Command> commands) {
    ExpectedForm form = of(name, verdict, std::move(commands));
    form.program.images = true;
    form.program.buffers.resize(2);
    form.program.views.resize(2);
    all.push_back(std::move(form));
  };
  const Statement others = load(0, {Form::group_flipped, 7});
  add("image_exchange_within_the_workgroup", Verdict::none, {dispatch({store(0), full(), others})});
  add("image_barrier_for_workgroup_memory", Verdict::race, {dispatch({store(0), barrier(), others})});
  add("image_fences_around_a_barrier", Verdict::none,
      {dispatch({store(0), fence(), execution_only(), fence(), others})});
  add("image_fence_behind_the_barrier_alone", Verdict::race,
      {dispatch({store(0), execution_only(), fence(), others})});
  add("image_stencil", Verdict::race, {dispatch({load(0, {Form::plus, 1}), store(0)})});
  add("image_atomics", Verdict::none, {dispatch({atomic(What::atomic_add, 0, {Form::constant, 0})})});
  const Index flag{Form::constant, 64};
  const auto message = [&](Semantics release) {
    return Shader{first(store(0, {Form::constant, 0})),
                  first(atomic(What::signal, 1, flag, Scope::device, release)),
                  group(1, atomic(What::wait, 1, flag, Scope::device, Semantics::acquire)),
                  group(1, load(0, {Form::constant, 0}))};
  };
  add("image_message", Verdict::none, {dispatch(2, 1, message(Semantics::release))});
  add("image_message_without_release", Verdict::race, {dispatch(2, 1, message(Semantics::relaxed))});

  const Command writer = dispatch({store(0)}), reader = dispatch({load(0)});
  const auto on_image = [](uint32_t image) { return api_on(image, kMemoryBytes); };
  Command clear = fill(0);
  clear.bytes = kMemoryBytes;
  add("image_no_barrier", Verdict::race, {writer, reader});
  add("image_right_barrier", Verdict::none, {writer, on_image(0), reader});
  add("image_barrier_of_another_image", Verdict::race, {writer, on_image(1), reader});
  add("image_copied_then_written", Verdict::race, {copy(0, 1), writer});
  add("image_copied_then_written_behind_execution", Verdict::none,
      {copy(0, 1), api(kCopy, 0, kCompute, 0), writer});
  add("image_cleared_then_read", Verdict::none,
      {clear, api(kClear, kTransferWrite, kCompute, kRead), reader});
  const auto transition = [&](Command barrier, Layout layout, bool discards = false) {
    barrier.barrier.ranged = true;
    barrier.barrier.buffer = 0;
    barrier.barrier.bytes = kMemoryBytes;
    barrier.barrier.layout = layout;
    barrier.barrier.discards = discards;
    return barrier;
  };
  constexpr VkPipelineStageFlags2 kNone = VK_PIPELINE_STAGE_2_NONE;
  const Command to_copy = transition(api(kCompute, kWrite, kCopy, kTransferRead), Layout::transfer_source),
                back = transition(api(kCopy, 0, kCompute, kRead | kWrite), Layout::general);
  add("image_changes_its_layout_and_back", Verdict::none, {writer, to_copy, copy(0, 1), back, writer});
  add("image_changes_its_layout_while_it_is_written", Verdict::race,
      {writer, transition(api(kNone, 0, kCopy, kTransferRead), Layout::transfer_source), copy(0, 1)});
  add("image_changes_its_layout_while_it_is_copied", Verdict::race,
      {to_copy, copy(0, 1), transition(api(kNone, 0, kCompute, kRead), Layout::general)});
  add("image_changes_its_layout_for_nobody", Verdict::race,
      {writer, to_copy, transition(api(kCopy, 0, kNone, 0), Layout::general), reader});
  const auto discarded_by = [&](VkPipelineStageFlags2 source) {
    return transition(api(source, 0, kCompute, kWrite), Layout::general, true);
  };
  add("image_is_discarded_behind_a_semaphore", Verdict::none,
      {reader, submit(Command::Submit::semaphore, kClear), discarded_by(kClear)});
  add("image_is_discarded_behind_a_semaphore_of_another_stage", Verdict::race,
      {reader, submit(Command::Submit::semaphore, kCopy), discarded_by(kClear)});
  add("image_is_discarded_behind_a_semaphore_and_a_chain", Verdict::none,
      {reader, submit(Command::Submit::semaphore, kCopy), api(kCopy, 0, kClear, 0), discarded_by(kCompute)});
  add("image_is_discarded_in_another_submission", Verdict::race,
      {reader, submit(Command::Submit::nothing), discarded_by(kClear)});
  add("image_is_discarded_in_another_submission_behind_its_reads", Verdict::none,
      {reader, submit(Command::Submit::nothing), discarded_by(kCompute)});
  add("image_is_discarded_when_the_host_has_waited", Verdict::none,
      {reader, submit(Command::Submit::fence), discarded_by(kCopy)});
  const auto two = [&](const Command& one, const Command& other) {
    Command of_other = one;
    of_other.barrier.buffer = 1;
    return std::vector<Command>{reader, of_other, other};
  };
  add("image_is_discarded_behind_a_transition_of_another_image", Verdict::none,
      two(discarded_by(kCompute), discarded_by(kClear)));
  add("image_is_discarded_beside_a_transition_of_another_image", Verdict::race,
      two(discarded_by(kCopy), discarded_by(kClear)));
  const auto written_behind_another = [&](const Command& other) {
    Command of_other = other;
    of_other.barrier.buffer = 1;
    return std::vector<Command>{transition(api(kNone, 0, kCopy, kTransferRead), Layout::general, true),
                                of_other, writer};
  };
  add("image_is_written_behind_a_later_transition_of_another_image", Verdict::none,
      written_behind_another(discarded_by(kClear)));
  add("image_is_written_behind_a_barrier_of_another_image", Verdict::race,
      written_behind_another(api(kClear, 0, kCompute, kWrite)));
  add("image_is_discarded_twice", Verdict::none, {discarded_by(kClear), discarded_by(kClear)});
  add("image_is_discarded_before_it_is_written", Verdict::none,
      {transition(api(kNone, 0, kCompute, kWrite), Layout::general, true), writer});
  add("image_is_discarded_while_it_is_read", Verdict::race,
      {reader, transition(api(kNone, 0, kCompute, kWrite), Layout::general, true), writer});
  add("image_is_discarded_behind_its_reads", Verdict::none,
      {reader, transition(api(kCompute, 0, kCompute, kWrite), Layout::general, true), writer});
  add("image_is_discarded_behind_its_unavailable_writes", Verdict::race,
      {writer, transition(api(kCompute, 0, kCompute, kWrite), Layout::general, true), writer});
  add("image_clear_is_not_copy", Verdict::race, {clear, api(kCopy, kTransferWrite, kCompute, kRead), reader});
}

}  // namespace oracle
