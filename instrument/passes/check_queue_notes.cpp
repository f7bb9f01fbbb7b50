// SPDX-License-Identifier: Apache-2.0
// The part of CheckQueue that writes what notes an access.
#include <algorithm>
#include <string>
#include <utility>

#include "instrument/ir/block_start.h"
#include "instrument/passes/check_queue.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_image.h"
#include "source/opcode.h"
#include "source/opt/module.h"

namespace shaderqa {
namespace {

using spvtools::opt::Instruction;

// The type or constant with this id; null: it is neither.
const Instruction* global_of(spvtools::opt::IRContext& context, uint32_t id) {
  const auto values = context.module()->types_values();
  const auto found =
      std::find_if(values.begin(), values.end(), [&](const Instruction& i) { return i.result_id() == id; });
  return found == values.end() ? nullptr : &*found;
}

}  // namespace

// As runtime/accesses.glsl and runtime/image.glsl have them.
const std::vector<CheckQueue::Kind>& CheckQueue::kinds() {
  static const std::vector<Kind> all = {
      {"sqa_access_set", "sqa_note_set", "sqa_log_set", {4, 0, 0, 1}},
      {"sqa_access_address", "sqa_note_address", "sqa_log_address", {0, 0, 1}},
      {"sqa_access_image", "sqa_note_image", "sqa_log_texel", {4, 0, 0, 0}},
      {"sqa_access_input", "sqa_note_input", {}, {4, 0, 0}},
      {"sqa_access_sampled", "sqa_note_sample", "sqa_log_sample", {4, 0, 0, 3, 0, 1}}};
  return all;
}

std::optional<uint32_t> CheckQueue::form_of(std::string_view function) {
  for (uint32_t form = 0; form < kinds().size(); ++form) {
    if (kinds()[form].check == function) return form;
    if (kinds()[form].log == function) return form | SQA_NOTED_LOGGED;
  }
  return std::nullopt;
}

bool CheckQueue::is_constant(uint32_t id, uint32_t components) const {
  const Instruction* const value = global_of(module_.context(), id);
  if (!value || spvOpcodeIsConstant(value->opcode()) == 0) return false;
  return components != 3 || value->opcode() == spv::Op::OpConstantComposite;
}

bool CheckQueue::can_note(std::string_view function, const std::vector<uint32_t>& arguments) const {
  const auto form = form_of(function);
  if (!form) return false;
  const std::vector<uint32_t>& constants = kinds()[through_of(*form)].constants;
  for (size_t i = 0; i < constants.size(); ++i)
    if (constants[i] != 0 && !is_constant(arguments[i], constants[i])) return false;
  // The layer of a cube is noted in the index's place.
  return through_of(*form) != SQA_NOTED_SAMPLE || is_constant(arguments[1], 1) || !is_cube(arguments);
}

bool CheckQueue::is_cube(const std::vector<uint32_t>& arguments) const {
  const Instruction* const how = global_of(module_.context(), arguments[5]);
  return how->opcode() != spv::Op::OpConstant || (how->GetSingleWordInOperand(0) & SQA_SAMPLE_CUBE) != 0;
}

uint32_t CheckQueue::slots_of(std::string_view function, const std::vector<uint32_t>& arguments) const {
  switch (through_of(form_of(function).value())) {
    case SQA_NOTED_SET:
    case SQA_NOTED_ADDRESS:
      return 1;
    case SQA_NOTED_IMAGE:
      return is_constant(arguments[1], 1) ? 1 : 2;
    case SQA_NOTED_INPUT:
      return 2;
    default:
      return is_constant(arguments[1], 1) && !is_cube(arguments) ? 2 : NotedSlots::most_of_access;
  }
}

bool CheckQueue::can_note(const Instruction& access, std::string_view function,
                          const std::vector<uint32_t>& arguments) const {
  const auto slots = accesses_.find(&access);
  return slots != accesses_.end() && can_note(function, arguments) &&
         slots_of(function, arguments) <= slots->second;
}

NotedCommon CheckQueue::common_of(uint32_t form, const std::vector<uint32_t>& arguments) const {
  const uint32_t zero = module_.constant(0);
  NotedCommon common{zero, zero, zero, zero, zero, zero};
  if (form == SQA_NOTED_ADDRESS) {
    common[0] = module_.global(spv::Op::OpConstantComposite, module_.vector_type(module_.uint_type(), 4),
                               {zero, zero, zero, zero});
    common[2] = arguments[2];
    return common;
  }
  common[0] = arguments[0];
  const bool varies = form == SQA_NOTED_INPUT || !is_constant(arguments[1], 1);
  common[1] = varies ? module_.constant(SQA_NOTED_VARIES) : arguments[1];
  if (form == SQA_NOTED_SET) common[2] = arguments[3];
  if (form != SQA_NOTED_SAMPLE) return common;
  const Instruction* const offsets = global_of(module_.context(), arguments[3]);
  for (uint32_t n = 0; n < 3; ++n) common[2 + n] = offsets->GetSingleWordInOperand(n);
  common[5] = arguments[5];
  return common;
}

uint32_t CheckQueue::call(SiteBuilder& site, uint32_t type, std::string_view function,
                          std::vector<uint32_t> arguments) {
  arguments.insert(arguments.begin(), checks_.runtime().function(function));
  const uint32_t result = module_.take_id();
  site.emit_as(result, spv::Op::OpFunctionCall, type, arguments);
  return result;
}

void CheckQueue::begin(SiteBuilder& site) {
  slots_.begin(site);
  if (table_.room != 0) checks_.call(site, "sqa_begin_queue", {});
}

void CheckQueue::note(SiteBuilder& site, const Instruction& access, std::string_view function,
                      uint32_t constant, const std::vector<uint32_t>& arguments) {
  NotedEntry entry{constant, form_of(function).value(), 0};
  table_.forms |= 1u << entry.form;
  const NotedCommon common = common_of(through_of(entry.form), arguments);
  auto known = std::ranges::find(table_.common, common);
  if (known == table_.common.end()) known = table_.common.insert(known, common);
  entry.common = static_cast<uint32_t>(known - table_.common.begin());
  if (slots_.has(access))
    note_in_slots(site, access, entry, arguments);
  else
    note_in_queue(site, entry, arguments);
}

// What the runtime's functions for the queue note behind the number (runtime/queue.glsl).
void CheckQueue::note_in_slots(SiteBuilder& site, const Instruction& access, const NotedEntry& entry,
                               const std::vector<uint32_t>& arguments) {
  const uint32_t uint_type = module_.uint_type(), pair = module_.vector_type(uint_type, 2);
  const uint32_t form = through_of(entry.form);
  const bool has_index = form != SQA_NOTED_ADDRESS && !is_constant(arguments[1], 1);
  uint32_t live = arguments.back();
  std::vector<NotedSlots::Value> values;
  switch (form) {
    case SQA_NOTED_SET:
      if (has_index)
        values = {{site.emit(spv::Op::OpCompositeConstruct, pair, {arguments[2], arguments[1]})}};
      else
        values = {{arguments[2], 1}};
      break;
    case SQA_NOTED_ADDRESS:
      values = {{call(site, pair, "sqa_noted_address", {arguments[0], arguments[1]})}};
      live = call(site, module_.bool_type(), "sqa_notes_address", {arguments[0], live});
      break;
    case SQA_NOTED_IMAGE:
      values = {{call(site, pair, "sqa_noted_texel", {arguments[2], arguments[3]})}};
      if (has_index) values.push_back({arguments[1], 1});
      break;
    case SQA_NOTED_INPUT:
      values = {{call(site, pair, "sqa_noted_input", {arguments[2]})}, {arguments[1], 1}};
      break;
    default:
      values = {{call(site, pair, "sqa_noted_position", {arguments[2]})},
                {call(site, pair, "sqa_noted_detail", {arguments[2], arguments[4], arguments[5]})}};
      if (has_index || is_cube(arguments))
        values.push_back(
            {call(site, uint_type, "sqa_noted_last", {arguments[2], arguments[5], arguments[1]}), 1});
  }
  const auto slots = slots_.note(site, access, values, live);
  for (const uint32_t slot : slots) table_.entries[slot] = entry;
  // Where the driver inlines everything it is a tenth of what that compiles, and saves nothing.
  if (!is_read_of_buffer(entry.form) || checks_.options().sync.calls != SyncCalls::automatic) return;
  table_.marks_reads = true;
  uint32_t value = values.front().id;
  if (values.front().dwords == 1)
    value = site.emit(spv::Op::OpCompositeConstruct, pair, {value, module_.constant(0)});
  call(site, module_.void_type(), "sqa_add_noted_read", {module_.constant(slots.front()), value, live});
}

void CheckQueue::note_in_queue(SiteBuilder& site, const NotedEntry& entry,
                               const std::vector<uint32_t>& arguments) {
  const uint32_t form = entry.form;
  const bool may_omit_index = form == SQA_NOTED_SET || form == SQA_NOTED_IMAGE;
  const bool has_index = !may_omit_index || !is_constant(arguments[1], 1);
  std::string noting(kinds()[form].noting);
  if (may_omit_index && has_index) noting += "_of";
  std::vector<uint32_t> passed{module_.constant(table_.room),
                               module_.constant(static_cast<uint32_t>(table_.entries.size()))};
  table_.entries.push_back(entry);
  const std::vector<uint32_t>& constants = kinds()[form].constants;
  for (size_t i = 0; i < constants.size(); ++i) {
    const bool is_index = form != SQA_NOTED_ADDRESS && i == 1;
    const bool is_how = form == SQA_NOTED_SAMPLE && i == 5;
    if ((constants[i] == 0 && (!is_index || has_index)) || is_how) passed.push_back(arguments[i]);
  }
  passed.push_back(arguments.back());
  call(site, module_.void_type(), noting, std::move(passed));
}

void CheckQueue::finish() { QueueFunction(checks_, slots_, table_).write(function_); }

}  // namespace shaderqa
