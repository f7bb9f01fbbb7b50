// SPDX-License-Identifier: Apache-2.0
// Programs that draw.
#include "form_parts.h"

namespace oracle {
namespace {

using namespace parts;

Command vertices(Shader shader) { return draw(Command::Stage::vertex, std::move(shader)); }
Command fragments(Shader shader) { return draw(Command::Stage::fragment, std::move(shader)); }
Command in_its_pass(Command draw) {
  draw.continues = true;
  return draw;
}
Command reading_input(uint32_t buffer, uint32_t stride, uint32_t offset = 0) {
  Command draw = vertices({});
  draw.input_buffer = buffer;
  draw.input_stride = stride;
  draw.input_offset = offset;
  return draw;
}

// A dispatch writes what an indirect draw reads.
ExpectedForm indirect(const char* name, Verdict verdict, const Command& between) {
  Command executed = vertices({load(1)});
  executed.what = Command::What::draw_indirect;
  executed.buffer = 3;
  executed.offset = kArgumentsBytes / 2;
  ExpectedForm form = of(name, verdict, {dispatch(1, 8, {store(4)}), between, executed});
  form.program.arguments_memory = 2;
  form.program.argument_vertices = executed.vertices();
  form.program.memories = 3;
  form.program.buffers.push_back({2, 0, kMemoryBytes});
  form.program.views.push_back({3, 0, View::Reach::binding, true});
  return form;
}

}  // namespace

void add_draw_forms(std::vector<ExpectedForm>& all) {
  const auto race = [&](const char* name, std::vector<Command> commands) {
    all.push_back(of(name, Verdict::race, std::move(commands)));
  };
  const auto none = [&](const char* name, std::vector<Command> commands) {
    all.push_back(of(name, Verdict::none, std::move(commands)));
  };
  constexpr VkPipelineStageFlags2 kGraphics = VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT;
  constexpr VkAccessFlags2 kAttribute = VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT,
                           kArguments = VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT;
  const Command written = vertices({store(0)}), read = fragments({load(0)});
  none("vertices_store_their_own", {vertices({load(0), store(0)})});
  none("fragments_store_their_own", {fragments({load(0), store(0)})});
  race("vertices_store_to_one_word", {vertices({store(0, {Form::constant, 0})})});
  race("fragments_read_their_neighbours", {fragments({load(0, {Form::plus, 1}), store(0)})});
  none("fragments_count", {fragments({atomic(What::atomic_add, 0, {Form::constant, 0})})});

  race("draws_without_barrier", {written, read});
  race("draws_of_one_pass", {written, in_its_pass(read)});
  none("draws_of_one_pass_that_read", {read, in_its_pass(read)});
  race("draw_read_then_stored", {read, in_its_pass(written)});
  none("draws_barrier", {written, api(kVertex, kWrite, kFragment, kRead), read});
  none("draws_barrier_of_all_graphics", {written, api(kGraphics, kWrite, kGraphics, kRead), read});
  // The fragment shader's stage comes later, but nothing is visible to it.
  race("draws_visible_to_vertices", {written, api(kVertex, kWrite, kVertex, kRead), read});
  // The vertex shader's stage comes earlier, but nothing is available from it.
  race("draws_available_from_fragments", {written, api(kFragment, kWrite, kFragment, kRead), read});
  none("draws_executed_from_fragments",
       {vertices({load(0)}), api(kFragment, 0, kVertex, 0), fragments({store(0)})});
  race("draws_executed_from_vertices", {fragments({load(0)}), api(kVertex, 0, kVertex, 0), written});

  const auto in_pass_of_vertices = [](VkPipelineStageFlags2 to) {
    return in_its_pass(api(kVertex, kWrite, to, kRead));
  };
  const auto with_pass_objects = [&] { all.back().program.pass_objects = true; };
  none("draws_barrier_in_their_pass", {written, in_pass_of_vertices(kFragment), in_its_pass(read)});
  with_pass_objects();
  race("draws_barrier_in_their_pass_for_vertices",
       {written, in_pass_of_vertices(kVertex), in_its_pass(read)});
  with_pass_objects();
  race("draw_read_then_stored_behind_a_barrier_in_their_pass",
       {read, in_pass_of_vertices(kVertex), in_its_pass(written)});
  with_pass_objects();

  const Command dispatched = dispatch({store(0)});
  none("dispatched_then_drawn", {dispatched, api(kCompute, kWrite, kFragment, kRead), read});
  race("dispatched_then_drawn_as_compute", {dispatched, api(kCompute, kWrite, kCompute, kRead), read});
  none("drawn_then_dispatched", {read, api(kFragment, 0, kCompute, 0), dispatched});
  race("drawn_then_dispatched_behind_vertices", {read, api(kVertex, 0, kCompute, 0), dispatched});
  const Command filled_for_input = api(kClear, kTransferWrite, kInput, kAttribute);
  none("filled_then_input", {fill(0), filled_for_input, reading_input(0, 4)});
  race("filled_then_input_as_shader",
       {fill(0), api(kClear, kTransferWrite, kVertex, kRead), reading_input(0, 4)});
  race("input_then_filled",
       {fill(0), filled_for_input, reading_input(0, 4), api(kCompute, 0, kClear, 0), fill(0)});
  race("input_then_filled_for_the_first_time", {reading_input(0, 4), api(kCompute, 0, kClear, 0), fill(0)});
  race("input_then_stored_in_its_pass",
       {fill(0), filled_for_input, reading_input(0, 4), in_its_pass(fragments({store(0)}))});
  race("fragments_beside_vertices", {fragments({store(0)}), in_its_pass(vertices({store(0)}))});
  race("vertices_beside_fragments", {vertices({store(0)}), in_its_pass(fragments({load(0)}))});
  none("input_then_filled_behind_vertices", {reading_input(0, 4), api(kVertex, 0, kClear, 0), fill(0)});
  none("input_between_what_is_stored", {dispatch({store(0, {Form::strided, 2})}), reading_input(0, 8, 4)});

  all.push_back(indirect("draw_arguments", Verdict::none, api(kCompute, kWrite, kIndirect, kArguments)));
  all.push_back(
      indirect("draw_arguments_as_input", Verdict::race, api(kCompute, kWrite, kInput, kAttribute)));
}

}  // namespace oracle
