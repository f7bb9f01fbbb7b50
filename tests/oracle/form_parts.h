// SPDX-License-Identifier: Apache-2.0
// Short names for the parts of programs that are written by hand (forms.cpp).
#ifndef SHADERQA_TESTS_ORACLE_FORM_PARTS_H
#define SHADERQA_TESTS_ORACLE_FORM_PARTS_H

#include <string>
#include <utility>
#include <vector>

#include "forms.h"

namespace oracle {

// Add the forms of forms_workgroup.cpp, forms_loops.cpp, forms_draws.cpp, forms_images.cpp and
// forms_passes.cpp.
void add_workgroup_forms(std::vector<ExpectedForm>& all);
void add_loop_forms(std::vector<ExpectedForm>& all);
void add_draw_forms(std::vector<ExpectedForm>& all);
void add_image_forms(std::vector<ExpectedForm>& all);
void add_pass_forms(std::vector<ExpectedForm>& all);

namespace parts {

using What = Statement::What;
using Form = Index::Form;
using Shader = std::vector<Statement>;

constexpr Index kOwn{};
constexpr VkPipelineStageFlags2 kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                                kCopy = VK_PIPELINE_STAGE_2_COPY_BIT, kClear = VK_PIPELINE_STAGE_2_CLEAR_BIT,
                                kIndirect = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
                                kVertex = VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT,
                                kFragment = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                                kInput = VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT;
constexpr VkAccessFlags2 kRead = VK_ACCESS_2_SHADER_READ_BIT, kWrite = VK_ACCESS_2_SHADER_WRITE_BIT,
                         kTransferRead = VK_ACCESS_2_TRANSFER_READ_BIT,
                         kTransferWrite = VK_ACCESS_2_TRANSFER_WRITE_BIT;

inline Statement access(What what, uint32_t view, Index index = kOwn, Type type = Type::u32) {
  Statement statement;
  statement.what = what;
  statement.view = view;
  statement.index = index;
  statement.type = type;
  return statement;
}
inline Statement load(uint32_t view, Index index = kOwn, Type type = Type::u32) {
  return access(What::load, view, index, type);
}
inline Statement store(uint32_t view, Index index = kOwn, Type type = Type::u32) {
  return access(What::store, view, index, type);
}
inline Statement atomic(What what, uint32_t view, Index index = kOwn, Scope scope = Scope::device,
                        Semantics semantics = Semantics::relaxed) {
  Statement statement = access(what, view, index);
  statement.scope = scope;
  statement.semantics = semantics;
  return statement;
}
inline Statement when(Condition::Form form, uint32_t k, Statement statement) {
  statement.when = {form, k};
  return statement;
}
inline Statement first(Statement statement) { return when(Condition::Form::own_is, 0, statement); }
inline Statement group(uint32_t number, Statement statement) {
  return when(Condition::Form::group_is, number, statement);
}
inline Statement leader(Statement statement) { return when(Condition::Form::local_is, 0, statement); }

inline Statement control(Scope execution, Scope scope, bool buffers,
                         Semantics semantics = Semantics::acquire_release) {
  Statement statement;
  statement.what = What::control_barrier;
  statement.execution = execution;
  statement.scope = scope;
  statement.buffers = buffers;
  statement.shared = !buffers && semantics != Semantics::relaxed;
  statement.semantics = semantics;
  return statement;
}
inline Statement full() { return control(Scope::workgroup, Scope::workgroup, true); }
inline Statement barrier() { return control(Scope::workgroup, Scope::workgroup, false); }
inline Statement execution_only() {
  return control(Scope::workgroup, Scope::workgroup, false, Semantics::relaxed);
}
inline Statement subgroup_barrier() { return control(Scope::subgroup, Scope::subgroup, true); }
inline Statement fence(Scope scope = Scope::device, Semantics semantics = Semantics::acquire_release) {
  Statement statement;
  statement.what = What::memory_barrier;
  statement.scope = scope;
  statement.buffers = true;
  statement.semantics = semantics;
  return statement;
}

inline Command dispatch(uint32_t groups, uint32_t local_size, Shader shader) {
  Command command;
  command.groups = groups;
  command.local_size = local_size;
  command.shader = std::move(shader);
  return command;
}
inline Command dispatch(Shader shader) { return dispatch(4, 8, std::move(shader)); }
inline Command draw(Command::Stage stage, Shader shader) {
  Command command = dispatch(32, 1, std::move(shader));
  command.what = Command::What::draw;
  command.stage = stage;
  return command;
}
inline Command copy(uint32_t from, uint32_t to) {
  Command command;
  command.what = Command::What::copy;
  command.from_buffer = from;
  command.buffer = to;
  command.bytes = 128;
  return command;
}
inline Command fill(uint32_t buffer) {
  Command command;
  command.what = Command::What::fill;
  command.buffer = buffer;
  command.bytes = 128;
  return command;
}
inline Command with(Command::What what, const Barrier& barrier) {
  Command command;
  command.what = what;
  command.barrier = barrier;
  return command;
}
inline Command api(VkPipelineStageFlags2 from, VkAccessFlags2 written, VkPipelineStageFlags2 to,
                   VkAccessFlags2 read) {
  return with(Command::What::barrier, {from, written, to, read});
}
inline Command api_on(uint32_t buffer, uint32_t bytes) {
  return with(Command::What::barrier, {kCompute, kWrite, kCompute, kRead | kWrite, true, buffer, 0, bytes});
}
inline Command submit(Command::Submit how, VkPipelineStageFlags2 stages = 0, uint32_t queue = 0) {
  Command command = with(Command::What::submit, {0, 0, stages, 0});
  command.submit = how;
  command.queue = queue;
  return command;
}

// Views 0 and 1 are of buffers of their own, 2 is bound to the memory of 0, 3 leads to buffer 0 by address.
inline ExpectedForm of(std::string name, Verdict verdict, std::vector<Command> commands) {
  Program program;
  program.memories = 2;
  program.buffers = {{0, 0, kMemoryBytes}, {1, 0, kMemoryBytes}, {0, 0, kMemoryBytes}};
  program.views = {{0, 0, View::Reach::binding, true},
                   {1, 0, View::Reach::binding, true},
                   {2, 0, View::Reach::binding, true},
                   {0, 0, View::Reach::address, true}};
  program.commands = std::move(commands);
  return {std::move(name), verdict, std::move(program)};
}

// View 4 is in workgroup memory.
constexpr uint32_t kShared = 4;
inline ExpectedForm of_workgroup(const std::string& name, Verdict verdict, std::vector<Command> commands) {
  ExpectedForm form = of(name, verdict, std::move(commands));
  View view;
  view.reach = View::Reach::shared;
  form.program.views.push_back(view);
  return form;
}

}  // namespace parts
}  // namespace oracle
#endif
