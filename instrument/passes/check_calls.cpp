// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/check_calls.h"

#include <cstdint>
#include <utility>

#include "instrument/ir/block_start.h"
#include "instrument/passes/call_limits.h"
#include "instrument/passes/check_copies.h"
#include "instrument/passes/entry_code.h"
#include "instrument/passes/invocation_ends.h"
#include "source/opcode.h"
#include "source/opt/instruction.h"

namespace shaderqa {

using spvtools::opt::Instruction;

uint32_t CheckCalls::root() {
  return module_.constant(static_cast<uint32_t>(options_.root_address),
                          static_cast<uint32_t>(options_.root_address >> 32));
}

uint32_t CheckCalls::hash() {
  return module_.constant(static_cast<uint32_t>(record_.shader_hash),
                          static_cast<uint32_t>(record_.shader_hash >> 32));
}

uint32_t CheckCalls::site_constant(const PlacedInstruction& at, uint32_t check, uint32_t access,
                                   uint32_t flags) {
  return module_.constant(at.offset + offset_shift_,
                          check | static_cast<uint32_t>(entry_point_.stage) << 8 | access << 16 | flags);
}

const Decorations& CheckCalls::decorations() {
  if (!decorations_) decorations_.emplace(module_.view());
  return *decorations_;
}

bool CheckCalls::wants_calls(uint64_t copies) const {
  const SyncCalls calls = options_.sync.calls;
  return calls == SyncCalls::always ||
         (calls == SyncCalls::automatic && (calls_beside_ || copies > large_shader_copies));
}

uint32_t CheckCalls::room() const {
  if (options_.max_sites == 0) return UINT32_MAX;
  const size_t used = record_.printf_sites.size() + record_.check_sites.size();
  return used < options_.max_sites ? options_.max_sites - static_cast<uint32_t>(used) : 0;
}

CheckSite& CheckCalls::add_site(const PlacedInstruction& at, uint32_t check, std::string text,
                                uint32_t access) {
  CheckSite& site = record_.check_sites.emplace_back();
  site.instruction = at.offset + offset_shift_;
  site.check = check;
  site.access = access;
  site.text = std::move(text);
  site.set = site.binding = 0xffffffff;
  if (builtins_.can_record_invocation()) site.invocation = builtins_.invocation_kind();
  site.source = positions_.at(at.line_offset);
  site.frames = frames_of(at);
  return site;
}

std::vector<SourceFrame> CheckCalls::frames_of(const PlacedInstruction& at) {
  std::vector<SourceFrame> frames = frames_.at(at.scope_offset);
  if (functions_.empty()) {
    const ModuleView& view = module_.view();
    for_each_instruction(view.words(), view.functions_offset(), [&](InstructionView i, uint32_t) {
      if (i.op() == spv::Op::OpFunction) functions_.push_back(i.word(2));
      return true;
    });
  }
  const bool of_entry_point =
      at.function < functions_.size() && functions_[at.function] == entry_point_.function;
  if (frames.size() == 1 && of_entry_point) frames.clear();
  if (frames.empty() && !of_entry_point && at.function < functions_.size()) {
    const std::string name = decorations().name(functions_[at.function]);
    if (!name.empty()) frames.push_back({name.substr(0, name.find('(')), {}, 0});
  }
  return frames;
}

void CheckCalls::call(SiteBuilder& site, std::string_view function, std::vector<uint32_t> arguments) {
  arguments.insert(arguments.begin(), runtime_.function(function));
  const uint32_t type = module_.void_type();
  site.emit_as(module_.take_id(), spv::Op::OpFunctionCall, type, arguments);
}

void CheckCalls::check(SiteBuilder& site, const PlacedInstruction& at, uint32_t check, uint32_t ok,
                       uint32_t value, uint32_t operands, std::vector<ValueOrigin> origins) {
  if (room() == 0) return leave_out(1);
  add_site(at, check, text_of(*at.instruction)).origins = std::move(origins);
  const uint32_t live = builtins_.live(site);
  const uint32_t root_id = root();
  const uint32_t hash_id = hash();
  const uint32_t site_id = site_constant(at, check);
  if (value == 0) value = module_.constant(0, 0);
  std::vector<uint32_t> arguments{root_id, hash_id, site_id, ok, live, value};
  if (operands != 0) arguments.push_back(operands);
  call(site, operands == 0 ? "sqa_check" : "sqa_check_operands", std::move(arguments));
  ++calls_;
  copies_.add(*site.last(), 1);
}

void CheckCalls::finish(bool inlined, bool called, const Instruction* begin) {
  if (calls_ == 0) return;
  const uint64_t copies = copies_.estimate(entry_point_.function);
  if (copies <= copies_in_line) return;
  if (copies > large_shader_copies) copies_.stop_unrolling();
  if (called || (!inlined && copies <= most_called_reports)) {
    // It runs for what is reported alone.
    if (has_safe_calls(entry_point_.stage)) runtime_.keep_out_of_line("sqa_report");
    return;
  }
  note_failures(begin);
}

void CheckCalls::note_failures(const Instruction* begin) {
  // Before anything else is inserted there.
  std::vector<Instruction*> places = ends_of_iterations(module_.context(), module_.view());
  for (Instruction* const end : join_ends(options_, module_, entry_point_, begin)) places.push_back(end);
  runtime_.substitute("sqa_report", "sqa_note_failure");
  for (Instruction* const place : places) {
    SiteBuilder site(module_, place);
    call(site, "sqa_report_failures", {root(), hash()});
  }
  if (Instruction* const start = start_of_entry_point()) {
    SiteBuilder site(module_, start);
    call(site, "sqa_begin_failures", {});
  }
}

void CheckCalls::tell_where(SiteBuilder& site) {
  const uint32_t type = module_.vector_type(module_.uint_type(), 3);
  uint32_t where = 0;
  if (builtins_.can_record_invocation()) {
    if (const auto variable = builtins_.invocation_vector(); variable && variable->type == type)
      return runtime_.replace_variable("sqa_where", variable->id);
    const auto dwords = builtins_.invocation(site);
    where = site.emit(spv::Op::OpCompositeConstruct, type, {dwords[0], dwords[1], dwords[2]});
  } else {
    const uint32_t zero = module_.constant(0);
    where = module_.global(spv::Op::OpConstantComposite, type, {zero, zero, zero});
  }
  call(site, "sqa_set_where", {where});
}

Instruction* CheckCalls::start_of_entry_point() { return start_of(module_.context(), entry_point_.function); }

void CheckCalls::begin() {
  begun_ = true;
  Instruction* start = start_of_entry_point();
  if (!start) return;
  SiteBuilder site(module_, start);
  tell_where(site);
  call(site, "sqa_begin_checks", {});
}

// "OpFMul %a %b", names as the module has them.
std::string CheckCalls::text_of(const Instruction& instruction) {
  std::string text = std::string("Op") + spvOpcodeString(instruction.opcode());
  if (instruction.opcode() == spv::Op::OpStore) {
    if (!names_) names_.emplace(module_.view(), decorations());
    const std::string memory = names_->of_pointer(instruction.GetSingleWordInOperand(0));
    if (!memory.empty()) return text + " %" + memory;
  }
  for (uint32_t i = 0; i < instruction.NumInOperands(); ++i) {
    const auto& operand = instruction.GetInOperand(i);
    if (operand.words.empty()) continue;
    if (!spvIsIdType(operand.type)) {
      text += " " + std::to_string(operand.words[0]);
      continue;
    }
    const std::string name = decorations().name(operand.words[0]);
    text += " %";
    text += name.empty() ? std::to_string(operand.words[0]) : name;
  }
  return text;
}

}  // namespace shaderqa
