// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/trace_pass.h"

#include <algorithm>
#include <bit>

#include "instrument/ir/block_start.h"
#include "instrument/ir/number_of.h"
#include "instrument/passes/printf_arguments.h"
#include "instrument/passes/trace_plan.h"
#include "instrument/passes/traced_groups.h"
#include "instrument/runtime/abi_trace.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

using spvtools::opt::Instruction;

constexpr uint32_t location_dwords = 8;
constexpr uint32_t dwords_per_call = 16;

}  // namespace

bool TracePass::append_input(SiteBuilder& site, spv::BuiltIn builtin, uint32_t count,
                             std::vector<uint32_t>& dwords) {
  const uint32_t uint_type = module_.uint_type();
  const uint32_t type = module_.vector_type(uint_type, count);
  const auto variable = builtins_.input(builtin, type);
  if (!variable) return false;
  uint32_t value = site.emit(spv::Op::OpLoad, variable->type, {variable->id});
  if (variable->type != type) value = site.emit(spv::Op::OpBitcast, type, {value});
  if (count == 1) dwords.push_back(value);
  for (uint32_t i = 0; count > 1 && i < count; ++i)
    dwords.push_back(site.emit(spv::Op::OpCompositeExtract, uint_type, {value}, {i}));
  return true;
}

std::vector<uint32_t> TracePass::location(SiteBuilder& site) {
  if (!builtins_.can_record_invocation()) return {};
  std::vector<uint32_t> dwords = builtins_.invocation(site);
  dwords.resize(3, module_.constant(0));
  if (builtins_.invocation_kind() == InvocationKind::global_id) {
    std::vector<uint32_t> local;
    if (!append_input(site, spv::BuiltIn::LocalInvocationIndex, 1, dwords) ||
        !append_input(site, spv::BuiltIn::WorkgroupId, 3, dwords) ||
        !append_input(site, spv::BuiltIn::LocalInvocationId, 3, local))
      return {};
    const uint32_t type = module_.uint_type();
    const uint32_t eleven = module_.constant(11), twentytwo = module_.constant(22);
    const uint32_t y = site.emit(spv::Op::OpShiftLeftLogical, type, {local[1], eleven});
    const uint32_t z = site.emit(spv::Op::OpShiftLeftLogical, type, {local[2], twentytwo});
    const uint32_t xy = site.emit(spv::Op::OpBitwiseOr, type, {local[0], y});
    dwords.push_back(site.emit(spv::Op::OpBitwiseOr, type, {xy, z}));
  }
  dwords.resize(location_dwords, module_.constant(0));
  return dwords;
}

uint32_t TracePass::root_address() {
  return module_.constant(static_cast<uint32_t>(options_.root_address),
                          static_cast<uint32_t>(options_.root_address >> 32));
}

uint32_t TracePass::stage_constant() { return module_.constant(static_cast<uint32_t>(entry_point_.stage)); }

bool TracePass::begin(const TracePlan& plan) {
  Instruction* start = start_of(*context(), entry_point_.function);
  if (!start) return false;
  const Instruction* before = start->PreviousNode();
  SiteBuilder site(module_, start);
  const std::vector<uint32_t> where = location(site);
  if (where.empty()) return false;
  const uint32_t live = builtins_.live(site);
  const uint32_t type = module_.vector_type(module_.uint_type(), 4);
  const uint32_t a = site.emit(spv::Op::OpCompositeConstruct, type, {where[0], where[1], where[2], where[3]});
  const uint32_t b = site.emit(spv::Op::OpCompositeConstruct, type, {where[4], where[5], where[6], where[7]});
  const uint32_t root = root_address();
  const uint32_t hash = module_.constant(static_cast<uint32_t>(record_.shader_hash),
                                         static_cast<uint32_t>(record_.shader_hash >> 32));
  const uint32_t stage = stage_constant();
  uint32_t largest = 0;
  for (const TracePiece& piece : plan.pieces) largest = std::max(largest, piece.dwords + 1);
  const uint32_t most = module_.constant(largest);
  const uint32_t function = runtime_.function("sqa_trace_begin");
  const uint32_t own = site.emit(spv::Op::OpFunctionCall, module_.bool_type(),
                                 {function, root, hash, stage, most, a, b, live});
  additions_.traced = group_is_traced(site, where, own);
  additions_.first = additions_.last = start->PreviousNode();
  while (additions_.first->PreviousNode() != before) additions_.first = additions_.first->PreviousNode();
  return true;
}

uint32_t TracePass::group_is_traced(SiteBuilder& site, const std::vector<uint32_t>& where, uint32_t own) {
  constexpr uint32_t spirv_1_3 = 0x00010300;
  const TracedTogether together = traced_together(module_.view(), entry_point_);
  if (together == TracedTogether::nothing) return own;
  if (together == TracedTogether::workgroup) return workgroup_is_traced(site, where);
  if (together == TracedTogether::all || !options_.subgroup_ballot || module_.version() < spirv_1_3) return 0;
  module_.add_capability(spv::Capability::GroupNonUniform);
  module_.add_capability(spv::Capability::GroupNonUniformBallot);
  const uint32_t four = module_.vector_type(module_.uint_type(), 4);
  const uint32_t bools = module_.vector_type(module_.bool_type(), 4);
  const uint32_t scope = module_.constant(static_cast<uint32_t>(spv::Scope::Subgroup));
  const uint32_t zero = module_.constant(0);
  const uint32_t none = module_.global(spv::Op::OpConstantComposite, four, {zero, zero, zero, zero});
  const uint32_t ballot = site.emit(spv::Op::OpGroupNonUniformBallot, four, {scope, own});
  const uint32_t traced = site.emit(spv::Op::OpINotEqual, bools, {ballot, none});
  return site.emit(spv::Op::OpAny, module_.bool_type(), {traced});
}

// Selectors are compared once more, for all that could be in the workgroup.
uint32_t TracePass::workgroup_is_traced(SiteBuilder& site, const std::vector<uint32_t>& where) {
  const auto size = workgroup_size_ids(module_, entry_point_);
  if (!size || builtins_.invocation_kind() != InvocationKind::global_id) return 0;
  const uint32_t uint_type = module_.uint_type(), three = module_.vector_type(uint_type, 3);
  std::vector<uint32_t> local, first, sizes;
  if (!append_input(site, spv::BuiltIn::LocalInvocationId, 3, local)) return 0;
  for (uint32_t i = 0; i < 3; ++i) {
    first.push_back(site.emit(spv::Op::OpISub, uint_type, {where[i], local[i]}));
    const bool is_uint = module_.view().type_of((*size)[i]) == uint_type;
    sizes.push_back(is_uint ? (*size)[i] : site.emit(spv::Op::OpBitcast, uint_type, {(*size)[i]}));
  }
  const uint32_t from = site.emit(spv::Op::OpCompositeConstruct, three, {first[0], first[1], first[2]});
  const uint32_t extent = site.emit(spv::Op::OpCompositeConstruct, three, {sizes[0], sizes[1], sizes[2]});
  const uint32_t group = site.emit(spv::Op::OpCompositeConstruct, three, {where[4], where[5], where[6]});
  const uint32_t function = runtime_.function("sqa_trace_group");
  return site.emit(spv::Op::OpFunctionCall, module_.bool_type(),
                   {function, root_address(), stage_constant(), from, extent, group});
}

// In calls of 16 dwords and one of the rest, which keeps the record.
void TracePass::write_record(SiteBuilder& site, uint32_t number, const TracePiece& piece) {
  const uint32_t void_type = module_.void_type();
  std::vector<uint32_t> dwords;
  for (const TraceValue& value : piece.values) {
    if (value.kind == TraceValue::Kind::result) flatten_argument(site, value.id, dwords);
    if (value.kind == TraceValue::Kind::before) load_before_store(value.id, dwords);
    if (value.kind == TraceValue::Kind::sequence)
      dwords.push_back(site.emit(spv::Op::OpFunctionCall, module_.uint_type(),
                                 {runtime_.function("sqa_trace_sequence"), root_address()}));
  }
  const auto call = [&](std::vector<uint32_t> arguments, size_t first, size_t count) {
    arguments.insert(arguments.end(), dwords.begin() + static_cast<std::ptrdiff_t>(first),
                     dwords.begin() + static_cast<std::ptrdiff_t>(first + count));
    site.emit_as(module_.take_id(), spv::Op::OpFunctionCall, void_type, arguments);
  };
  size_t done = 0;
  for (; dwords.size() - done > dwords_per_call; done += dwords_per_call) {
    const uint32_t part = runtime_.function("sqa_trace_part");
    call({part, module_.constant(static_cast<uint32_t>(done))}, done, dwords_per_call);
  }
  const size_t rest = dwords.size() - done;
  const uint32_t record = runtime_.function("sqa_trace_record_" + std::to_string(rest));
  const uint32_t header = module_.constant(SQA_TRACE_RECORD | number);
  const uint32_t size = module_.constant(piece.dwords + 1);
  call({record, header, size, module_.constant(static_cast<uint32_t>(done))}, done, rest);
}

spvtools::opt::Pass::Status TracePass::Process() {
  const PlanKind kind = options_.debug == DebugStops::none ? PlanKind::trace
                        : options_.debug_accesses          ? PlanKind::stops_and_accesses
                                                           : PlanKind::stops;
  additions_.first_id = module_.take_id();
  std::string unused;  // the layer has read it before
  const CodeWindow window = CodeWindow::parse(options_.trace_code, unused).value_or(CodeWindow());
  const TracePlan plan = plan_trace(module_.view(), entry_point_.function, kind, window);
  if (std::ranges::all_of(plan.pieces, &TracePiece::outside)) return Status::SuccessWithoutChange;
  if (plan.pieces.size() > SQA_TRACE_PIECE_MASK || !begin(plan)) {
    record_.notes.push_back(
        {"It cannot be traced: a block holds the input that says which invocation it is.", Concern::nothing});
    return Status::SuccessWithoutChange;
  }
  for (const PlacedInstruction& at : placed_) instructions_.emplace(at.offset, at.instruction);
  for (uint32_t number = 0; number < plan.pieces.size(); ++number) {
    const TracePiece& piece = plan.pieces[number];
    if (piece.outside) continue;
    if (const auto stop = instructions_.find(piece.stop); piece.stop != 0 && stop != instructions_.end()) {
      SiteBuilder site(module_, stop->second);
      for (const CheckedAccess& access : piece.accesses) write_check(site, access);
      write_stop(site, number);
      for (uint32_t i = 0; i < plan.variables.size(); ++i)
        if (plan.variables[i].function == 0 || plan.variables[i].function == piece.function)
          write_change(site, i + 1, plan.variables[i]);
    }
    const auto found = instructions_.find(piece.anchor);
    if (found == instructions_.end()) return Status::Failure;
    SiteBuilder site(module_, found->second);
    write_record(site, number, piece);
  }
  additions_.end_id = module_.take_id();
  if (plan.too_many_changes)
    record_.notes.push_back(
        {"Its variables cannot be changed by the debugger: they would make too much code.",
         Concern::nothing});
  if (plan.unchecked != 0)
    record_.notes.push_back(
        {"The debugger does not check " +
             number_of(plan.unchecked, "access to a buffer", "accesses to buffers") +
             ": it stops only where an access leaves a runtime array, or memory by an address.",
         Concern::nothing});
  if (plan.left_out != 0)
    record_.notes.push_back({"Its trace leaves out " +
                                 number_of(plan.left_out, "value that is", "values that are") +
                                 " larger than 256 bytes, or pointers beside 8- or 16-bit types.",
                             Concern::nothing});
  return module_.exhausted() ? Status::Failure : Status::SuccessWithChange;
}

}  // namespace shaderqa
