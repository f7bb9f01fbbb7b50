// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/workgroup_pass.h"

#include <algorithm>
#include <set>

#include "instrument/accesses/covered_reads.h"
#include "instrument/accesses/workgroup_phases.h"
#include "instrument/ir/workgroup_size.h"
#include "instrument/passes/check_copies.h"
#include "instrument/passes/entry_code.h"
#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/abi_shared.h"
#include "source/opcode.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

// A loop in the shader takes over from as many calls.
constexpr uint32_t most_calls = 4;
// With more copies of checks than that, loops with checks lose their hints to unroll. If there still are
// more, what they find is noted, and the code of a report stands at the end of the shader alone. With 60
// reports in line, a pipeline took 18 seconds on an H100; 1 to 3 with notes.
constexpr uint64_t most_reports = 16;
// With more copies than that, which are not called, a shader is left alone.
constexpr uint64_t most_copies = 64;
// The same where they would be called, were it not for checks of images beside them: 79 of FSR 2's
// downsampler take the pipeline from 10 to 20 seconds on an H200, and if they are called, to more than a
// minute.
constexpr uint64_t most_beside_images = 128;

// SplitBarrierINTEL, which not all headers have.
constexpr auto split_barriers = static_cast<spv::Capability>(6141);

uint32_t bits(auto value) { return static_cast<uint32_t>(value); }

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

uint32_t state_of(const WorkgroupAccess& access) {
  if (access.only_reads) return SQA_SHARED_PEEK_ONE;
  if (access.access == SQA_ACCESS_LOAD) return access.passed_on ? SQA_SHARED_PASSED_ONE : SQA_SHARED_READ_ONE;
  return access.access == SQA_ACCESS_STORE ? SQA_SHARED_WRITE_ONE : SQA_SHARED_ATOMIC_ONE;
}

}  // namespace

void WorkgroupPass::call_at(spvtools::opt::Instruction* before, std::string_view function,
                            std::vector<uint32_t> arguments) {
  SiteBuilder site(module_, before);
  checks_.call(site, function, std::move(arguments));
}

uint32_t WorkgroupPass::to_uint(SiteBuilder& site, uint32_t value) {
  const uint32_t uint_type = module_.uint_type();
  const uint32_t own_type = module_.view().type_of(value);
  if (own_type == uint_type) return value;
  const InstructionView type = module_.view().definition(own_type, spv::Op::OpTypeInt);
  if (type.word(2) == 32) return site.emit(spv::Op::OpBitcast, uint_type, {value});
  const bool extends_sign = type.word(2) < 32 && type.word(3) != 0;
  return site.emit(extends_sign ? spv::Op::OpSConvert : spv::Op::OpUConvert, uint_type, {value});
}

uint32_t WorkgroupPass::variable_of_parameter(uint32_t parameter) {
  uint32_t& variable = parameters_[parameter];
  if (variable == 0) {
    const uint32_t pointer = module_.pointer_type(spv::StorageClass::Private, module_.uint_type());
    variable = module_.add_variable(spv::StorageClass::Private, pointer);
  }
  return variable;
}

uint32_t WorkgroupPass::unit_of(const WorkgroupPlace& place) const {
  if (place.is_parameter) return 1;
  const CellRange* range = cells_.range_of(place.start);
  return range ? range->unit : 0;
}

uint32_t WorkgroupPass::divisor_of(const WorkgroupPlace& place) const { return std::max(unit_of(place), 1u); }

uint32_t WorkgroupPass::cell_of(SiteBuilder& site, const WorkgroupPlace& place, uint32_t offset) {
  const uint32_t type = module_.uint_type();
  const uint32_t unit = divisor_of(place);
  uint32_t first = (place.offset + offset) / unit;
  if (!place.is_parameter) first += cells_.range_of(place.start)->first;
  uint32_t cell = module_.constant(first);
  if (place.is_parameter) {
    const uint32_t start = site.emit(spv::Op::OpLoad, type, {variable_of_parameter(place.start)});
    cell = site.emit(spv::Op::OpIAdd, type, {start, cell});
  }
  for (const ScaledIndex& index : place.indices) {
    uint32_t part = to_uint(site, index.id);
    if (index.stride != unit) {
      const uint32_t stride = module_.constant(index.stride / unit);
      part = site.emit(spv::Op::OpIMul, type, {part, stride});
    }
    cell = site.emit(spv::Op::OpIAdd, type, {cell, part});
  }
  return cell;
}

uint32_t WorkgroupPass::range_of(const WorkgroupPlace& place) {
  if (place.is_parameter) return module_.constant(0, cells_.cells());
  const CellRange* range = cells_.range_of(place.start);
  return module_.constant(range->first, range->count);
}

void WorkgroupPass::describe(const WorkgroupAccess& access, uint32_t check) {
  const std::string name = checks_.decorations().name(access.place.start);
  const std::string variable = name.empty() ? std::to_string(access.place.start) : name;
  const std::string operation = spvOpcodeString(access.at.instruction->opcode());
  const uint32_t kind = check == SQA_CHECK_WORKGROUP ? access.access : uint32_t{SQA_ACCESS_LOAD};
  checks_.add_site(access.at, check, "Op" + operation + " %" + variable, kind).tag = access.tag;
}

uint32_t WorkgroupPass::cells_of(const WorkgroupAccess& access, const MemoryRun& run) const {
  return std::max(run.size / divisor_of(access.place), 1u);
}

uint32_t WorkgroupPass::checks_of(const WorkgroupAccess& access) const {
  uint32_t checks = 0;
  for (const MemoryRun& run : access.runs) {
    const uint32_t cells = cells_of(access, run);
    checks += cells > most_calls ? 1 : cells;
  }
  return std::max(checks, 1u);
}

void WorkgroupPass::check_races(SiteBuilder& site, const WorkgroupAccess& access, uint32_t first,
                                uint32_t count) {
  std::vector<uint32_t> arguments;
  if (!notes_) arguments = {checks_.root(), checks_.hash()};
  const uint32_t kind = checks_.site_constant(access.at, SQA_CHECK_WORKGROUP, access.access);
  const uint32_t shape = module_.constant(shape_.argument(access.follows_exchange ? exchange_width_ : 0));
  for (const uint32_t each : {kind, shape, range_of(access.place)}) arguments.push_back(each);
  const uint32_t mark = module_.constant(shape_.mark(state_of(access), access.tag));
  const uint32_t bytes = module_.constant(access.bytes);
  const uint32_t releases = module_.constant(follows_ ? cells_.release_word() : 0);
  if (count > most_calls) {
    for (const uint32_t each : {first, module_.constant(count), mark, bytes, releases})
      arguments.push_back(each);
    checks_.call(site, notes_ ? "sqa_shared_accesses_noted" : "sqa_shared_accesses", arguments);
    return;
  }
  for (uint32_t n = 0; n < count; ++n) {
    uint32_t cell = first;
    if (n != 0) {
      const uint32_t further = module_.constant(n);
      cell = site.emit(spv::Op::OpIAdd, module_.uint_type(), {cell, further});
    }
    std::vector<uint32_t> one = arguments;
    for (const uint32_t each : {cell, mark, bytes, releases}) one.push_back(each);
    checks_.call(site, notes_ ? "sqa_shared_access_noted" : "sqa_shared_access", std::move(one));
  }
}

void WorkgroupPass::instrument(const WorkgroupAccess& access) {
  SiteBuilder site(module_, access.at.instruction);
  const uint32_t root = checks_.root(), hash = checks_.hash();
  const uint32_t range = range_of(access.place);
  const uint32_t bytes = module_.constant(access.bytes);
  const bool writes = access.access != SQA_ACCESS_LOAD && !access.only_reads;
  const bool reads = access.access != SQA_ACCESS_STORE;
  const bool initialised = cells_.is_initialised(access.place.start);
  const uint32_t written = module_.constant(cells_.first_written_word());
  const bool races = options_.races && !access.needs_no_check;
  if (races) describe(access, SQA_CHECK_WORKGROUP);
  if (uninitialised_ && reads && !initialised) describe(access, SQA_CHECK_UNINITIALISED);
  for (const MemoryRun& run : access.runs) {
    const uint32_t cell = cell_of(site, access.place, run.offset);
    const uint32_t count = cells_of(access, run);
    const uint32_t count_id = module_.constant(count);
    if (races) check_races(site, access, cell, count);
    if (!uninitialised_ || initialised) continue;
    if (reads) {
      const uint32_t kind = checks_.site_constant(access.at, SQA_CHECK_UNINITIALISED, SQA_ACCESS_LOAD);
      checks_.call(site, "sqa_shared_read", {root, hash, kind, range, cell, count_id, written, bytes});
    }
    if (writes) checks_.call(site, "sqa_shared_written", {range, cell, count_id, written});
  }
}

void WorkgroupPass::pass_arguments() {
  // What is passed on may come from another parameter, whose cells are then needed as well.
  std::vector<bool> passed(found_.arguments.size());
  for (size_t n = 0; n < found_.arguments.size(); ++n) {
    const WorkgroupAccesses::Argument& argument = found_.arguments[n];
    if (passed[n] || !parameters_.contains(argument.parameter)) continue;
    passed[n] = true;
    const size_t needed = parameters_.size();
    SiteBuilder site(module_, argument.call.instruction);
    const WorkgroupPlace& place = argument.place;
    const bool known = place.start != 0 && !place.in_bytes;
    if (!known) ++unfollowed_;
    // No variable has the cell beside it.
    const uint32_t cell =
        known && unit_of(place) != 0 ? cell_of(site, place, 0) : module_.constant(UINT32_MAX / 2);
    const uint32_t operands[] = {variable_of_parameter(argument.parameter), cell};
    site.emit_as(0, spv::Op::OpStore, 0, operands);
    if (parameters_.size() != needed) n = SIZE_MAX;
  }
}

// The cells. Blocks may only stand beside blocks, and all of them are aliased: there the cells lie behind
// them.
void WorkgroupPass::add_variable() {
  const uint32_t length = module_.constant(cells_.words());
  const uint32_t uint_type = module_.uint_type();
  const uint32_t array_operands[] = {uint_type, length};
  uint32_t type = module_.add_global(spv::Op::OpTypeArray, 0, array_operands);
  if (cells_.blocks()) {
    const uint32_t stride[] = {type, bits(spv::Decoration::ArrayStride), 4};
    module_.add_annotation(spv::Op::OpDecorate, stride);
    const uint32_t members[] = {type};
    type = module_.add_global(spv::Op::OpTypeStruct, 0, members);
    const uint32_t block[] = {type, bits(spv::Decoration::Block)};
    module_.add_annotation(spv::Op::OpDecorate, block);
    const uint32_t offset[] = {type, 0, bits(spv::Decoration::Offset), cells_.block_bytes()};
    module_.add_annotation(spv::Op::OpMemberDecorate, offset);
  }
  const uint32_t pointer = module_.pointer_type(spv::StorageClass::Workgroup, type);
  const uint32_t variable = module_.add_variable(spv::StorageClass::Workgroup, pointer);
  module_.add_name(variable, "sqa_shared_cells");
  checks_.runtime().replace_variable("sqa_shared_cells", variable);
  if (!cells_.blocks()) return;
  const auto alias = [&](uint32_t id) {
    if (checks_.decorations().find(id, spv::Decoration::Aliased)) return;
    const uint32_t aliased[] = {id, bits(spv::Decoration::Aliased)};
    module_.add_annotation(spv::Op::OpDecorate, aliased);
  };
  alias(variable);
  for (const WorkgroupMemory::Variable& each : cells_.variables()) alias(each.id);
}

void WorkgroupPass::begin() {
  SiteBuilder site(module_, checks_.start_of_entry_point());
  checks_.tell_where(site);
  const uint32_t type = module_.uint_type();
  const uint32_t uvec2 = module_.vector_type(type, 2);
  const InputVariable index = *checks_.builtins().input(spv::BuiltIn::LocalInvocationIndex, type);
  uint32_t local = site.emit(spv::Op::OpLoad, index.type, {index.id});
  if (index.type != type) local = site.emit(spv::Op::OpBitcast, type, {local});
  uint32_t owner = local;
  uint32_t lanes = module_.constant(0);
  if (subgroups_ != CellSubgroups::not_held) {
    lanes = checks_.builtins().subgroup(site, spv::BuiltIn::SubgroupSize);
    const uint32_t number = checks_.builtins().subgroup(site, spv::BuiltIn::SubgroupId);
    const uint32_t lane = checks_.builtins().subgroup(site, spv::BuiltIn::SubgroupLocalInvocationId);
    const uint32_t first = site.emit(spv::Op::OpIMul, type, {number, lanes});
    owner = site.emit(spv::Op::OpIAdd, type, {first, lane});
  }
  const uint32_t where = site.emit(spv::Op::OpCompositeConstruct, uvec2, {owner, lanes});
  const uint32_t count = module_.constant(invocations_);
  const uint32_t team = site.emit(spv::Op::OpCompositeConstruct, uvec2, {local, count});
  const uint32_t layout = module_.constant(record_.workgroup.id);
  const uint32_t shape = module_.constant(shape_.argument());
  const uint32_t words = module_.constant(cells_.words());
  checks_.call(site, "sqa_begin_shared", {layout, shape, where, words, team});
  checks_.set_begun();
}

void WorkgroupPass::order() {
  const uint32_t shape = module_.constant(shape_.argument());
  // None of these ends a block: there always is a next instruction.
  for (const WorkgroupAccesses::Barrier& barrier : found_.barriers)
    if (options_.strict)
      call_at(barrier.at.instruction->NextNode(), "sqa_passed_shared_barrier_strict",
              {shape, module_.bool_constant(barrier.ordering), module_.bool_constant(barrier.acquires)});
    else
      call_at(barrier.at.instruction->NextNode(), "sqa_passed_shared_barrier",
              {shape, module_.bool_constant(barrier.ordering)});
  for (const PlacedInstruction& at : found_.subgroup_barriers)
    call_at(at.instruction->NextNode(), "sqa_passed_shared_subgroup_barrier",
            {shape, module_.bool_constant(follows_)});
  if (follows_ || !found_.all_barriers_order(options_.strict))
    for (const auto& [at, wide, early] : found_.fences)
      call_at(at.instruction->NextNode(),
              options_.strict ? "sqa_passed_shared_fence_strict" : "sqa_passed_shared_fence",
              {shape, module_.bool_constant(wide), module_.bool_constant(wide && !found_.common_fences),
               module_.bool_constant(early)});
  for (const WorkgroupAccesses::Atomic& atomic : found_.atomics) {
    const uint32_t word = module_.constant(cells_.release_word());
    call_at(atomic.at.instruction, "sqa_before_shared_atomic",
            {shape, word, module_.bool_constant(atomic.releases)});
    if (atomic.used)
      call_at(atomic.at.instruction->NextNode(),
              atomic.acquires || !options_.strict ? "sqa_after_shared_atomic" : "sqa_after_shared_read", {});
  }
}

std::string WorkgroupPass::find_obstacle() const {
  if (!checks_.builtins().input(spv::BuiltIn::LocalInvocationIndex, module_.uint_type()))
    return "the number of the invocation is not known";
  if (invocations_ == 0) return "the size of its workgroups is not known";
  if (subgroups_ != CellSubgroups::not_held && !checks_.builtins().can_number_subgroups())
    return "it has barriers or operations of subgroups, which this version of SPIR-V does not number";
  if (module_.view().has_capability(spv::Capability::MeshShadingNV))
    return "VK_NV_mesh_shader has other limits";
  if (module_.view().has_capability(split_barriers)) return "it has split barriers";
  return {};
}

bool WorkgroupPass::knows_all_writes() const {
  const bool arguments =
      std::ranges::all_of(found_.arguments, [](const WorkgroupAccesses::Argument& argument) {
        return argument.place.start != 0 && !argument.place.in_bytes;
      });
  return arguments && found_.unknown_place == 0 && found_.unknown_layout == 0;
}

void WorkgroupPass::drop_needless_checks() {
  const uint32_t entry = checks_.entry_point().function;
  const auto size = workgroup_size(module_.view(), checks_.decorations(), entry,
                                   [&](uint32_t id) { return constants_.value(id); });
  invocations_ = size[0] * size[1] * size[2];
  // Nothing is told apart in a workgroup of unknown size.
  const WorkgroupElements elements(module_.view(), checks_.decorations(), constants_, found_,
                                   options_.own_elements ? size : decltype(size){}, entry, options_.strict);
  const WorkgroupPhases phases(module_.view(), found_, entry, options_.strict);
  const std::vector<bool> ordered = phases.without_conflicts(elements);
  const std::vector<bool> covered =
      find_covered_reads(found_, placed_, module_.view(), checks_.decorations());
  for (size_t n = 0; n < ordered.size(); ++n) found_.accesses[n].needs_no_check = ordered[n] || covered[n];
  if (!options_.uninitialised) std::erase_if(found_.accesses, &WorkgroupAccess::needs_no_check);
}

void WorkgroupPass::find_subgroups() {
  std::set<uint32_t> passed_on;
  const auto start_of = [&](const WorkgroupAccess& access) {
    // Parameters lead to any variable, and blocks lie over each other.
    return access.place.is_parameter || access.place.in_bytes ? 0 : access.place.start;
  };
  for (const WorkgroupAccess& access : found_.accesses)
    if (access.passed_on && !access.needs_no_check) passed_on.insert(start_of(access));
  const bool ordered = std::ranges::any_of(found_.accesses, [&](const WorkgroupAccess& access) {
    if (!access.follows_exchange || passed_on.empty()) return false;
    return start_of(access) == 0 || passed_on.contains(0) || passed_on.contains(start_of(access));
  });
  if (ordered) {
    exchange_width_ = found_.exchange_width;
    subgroups_ = CellSubgroups::told_apart;
  } else {
    for (WorkgroupAccess& access : found_.accesses) access.passed_on = false;
  }
  if (!found_.subgroup_barriers.empty()) subgroups_ = CellSubgroups::with_subphases;
}

void WorkgroupPass::drop_accesses() {
  found_.unknown_layout += static_cast<uint32_t>(std::erase_if(found_.accesses, [&](const auto& access) {
    return unit_of(access.place) == 0 &&
           std::ranges::none_of(cells_.variables(), [&](const WorkgroupMemory::Variable& variable) {
             return variable.id == access.place.start && variable.size;
           });
  }));
  std::erase_if(found_.accesses, [&](const auto& access) { return unit_of(access.place) == 0; });
}

bool WorkgroupPass::drop_beyond_limit() {
  const size_t sites = options_.races && options_.uninitialised ? 2 : 1;
  const size_t room = checks_.room() / sites;
  if (found_.accesses.size() <= room) return false;
  checks_.leave_out(static_cast<uint32_t>(found_.accesses.size() - room));
  found_.accesses.erase(found_.accesses.begin() + static_cast<ptrdiff_t>(room), found_.accesses.end());
  return true;
}

void WorkgroupPass::leave_out(std::string text) {
  const bool races = options_.races, values = options_.uninitialised;
  record_.notes.push_back({std::move(text), races && values ? Concern::everything
                                            : races         ? Concern::sync
                                                            : Concern::values});
}

void WorkgroupPass::note_unknown_writes() {
  record_.notes.push_back(
      {"Reads of workgroup memory that nobody has written are not reported, since not all that is written "
       "there is "
       "known.",
       Concern::values});
}

void WorkgroupPass::add_notes() {
  const auto note = [&](uint32_t count, const std::string& why) {
    if (count != 0)
      leave_out(std::to_string(count) + (count == 1 ? " access" : " accesses") + " to workgroup memory " +
                (count == 1 ? "is" : "are") + " not checked: " + why);
  };
  note(found_.unknown_place + unfollowed_, "where the pointer leads cannot be followed.");
  note(found_.unknown_layout, "what it touches is not known.");
  if (!cells_.left_out().empty())
    leave_out(
        "Accesses to workgroup memory are not checked, because the device has no room for "
        "what must be kept about them: " +
        joined(cells_.left_out()) + ".");
}

void WorkgroupPass::choose_form() {
  called_ = buffers_ ? buffers_ == CheckForm::called : checks_.wants_calls(copies_);
  // With the code of a report, a called check took the pipeline of a matrix product from 2 to 10 seconds.
  // A driver that inlines everything takes tenths of a second for each report.
  const bool queued = buffers_ == CheckForm::queued || checks_.options().sync.calls == SyncCalls::queued;
  notes_ = called_ || copies_ > (queued ? 1 : most_reports);
  if (!called_) return;
  checks_in_->stop_unrolling();
  for (const char* function :
       {"sqa_shared_access", "sqa_shared_accesses", "sqa_shared_access_noted", "sqa_shared_accesses_noted",
        "sqa_shared_read", "sqa_shared_written", "sqa_passed_shared_barrier",
        "sqa_passed_shared_barrier_strict", "sqa_passed_shared_subgroup_barrier", "sqa_passed_shared_fence",
        "sqa_passed_shared_fence_strict", "sqa_before_shared_atomic", "sqa_after_shared_atomic",
        "sqa_after_shared_read"})
    checks_.runtime().keep_out_of_line(function);
}

void WorkgroupPass::report_notes() {
  for (auto* const end : join_ends(checks_.options(), module_, checks_.entry_point(), buffers_begin_))
    call_at(end, "sqa_report_shared_notes",
            {checks_.root(), checks_.hash(), module_.constant(shape_.argument())});
}

void WorkgroupPass::find() {
  spvtools::opt::IRContext& context = module_.context();
  WorkgroupAccessFinder finder(module_.view(), context, checks_.decorations(), memory_, placed_);
  found_ = finder.find();
  // Most of what happens there is then not seen; and NVIDIA's driver 580 was seen to hang where matrices
  // belong to a workgroup and its memory is checked.
  if (found_.matrices) {
    leave_out(
        "Accesses to workgroup memory are not checked: what cooperative matrices load and store there is not "
        "followed.");
    return;
  }
  drop_needless_checks();
  const uint32_t tags = found_.accesses.empty() ? 0 : found_.accesses.back().tag;
  cells_.place(found_);
  drop_accesses();
  if (found_.accesses.empty()) {
    add_notes();
    return;
  }
  uninitialised_ = options_.uninitialised && knows_all_writes();
  if (uninitialised_ != options_.uninitialised) note_unknown_writes();
  if (!uninitialised_ && !options_.races) {
    add_notes();
    return;
  }
  find_subgroups();
  if (const std::string obstacle = find_obstacle(); !obstacle.empty()) {
    leave_out("Accesses to workgroup memory are not checked: " + obstacle + ".");
    return;
  }
  follows_ = !found_.atomics.empty();
  shape_ = cell_shape(invocations_, tags, subgroups_);
  shape_.partly_ordered = found_.are_ordered_partly(options_.strict);
  checks_in_.emplace(*context.module(), module_.view());
  for (const WorkgroupAccess& access : found_.accesses)
    checks_in_->add(*access.at.instruction, checks_of(access));
  copies_ = checks_in_->estimate(checks_.entry_point().function);
  if (copies_ <= most_reports) return;
  checks_in_->stop_unrolling();
  copies_ = checks_in_->estimate(checks_.entry_point().function);
}

spvtools::opt::Pass::Status WorkgroupPass::Process() {
  if (!checks_in_) return Status::SuccessWithoutChange;
  if (drop_beyond_limit() && uninitialised_) {
    uninitialised_ = false;
    note_unknown_writes();
  }
  if ((!uninitialised_ && !options_.races) || found_.accesses.empty()) {
    add_notes();
    return Status::SuccessWithoutChange;
  }
  choose_form();
  const uint64_t most = checks_.wants_calls(copies_) ? most_beside_images : most_copies;
  if (!called_ && copies_ > most && !options_.large) {
    leave_out(
        "Accesses to workgroup memory are not checked, because the driver would take long to compile as many "
        "checks; "
        "sync_shared_large=true checks them.");
    return Status::SuccessWithoutChange;
  }
  checks_.runtime().use(RuntimeModule::workgroup(cells_.blocks()));
  record_.workgroup = cells_.layout();
  add_variable();
  for (const WorkgroupAccess& access : found_.accesses) instrument(access);
  pass_arguments();
  if (options_.races) order();
  if (options_.races && notes_) report_notes();
  add_notes();
  begin();
  return module_.exhausted() ? Status::Failure : Status::SuccessWithChange;
}

}  // namespace shaderqa
