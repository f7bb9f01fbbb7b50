// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/sync_pass.h"

#include <algorithm>

#include "instrument/accesses/buffered_descriptors.h"
#include "instrument/accesses/common_fences.h"
#include "instrument/accesses/merged_accesses.h"
#include "instrument/accesses/own_elements.h"
#include "instrument/passes/check_copies.h"
#include "instrument/passes/image_checks.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_filter.h"
#include "instrument/runtime/abi_report.h"
#include "source/opcode.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

using Root = ResolvedPointer::Root;

uint32_t bits(auto value) { return static_cast<uint32_t>(value); }

// Whether the type contains opaque objects (images, acceleration structures, tensors), which are not buffers.
bool reaches_other_memory(const ModuleView& view) {
  bool other = false;
  for_each_instruction(view.words(), header_words, [&](InstructionView i, uint32_t) {
    switch (i.op()) {
      case spv::Op::OpTypeImage:
        other = static_cast<spv::Dim>(i.word(3)) != spv::Dim::Buffer;
        break;
      case spv::Op::OpTypeVoid:
      case spv::Op::OpTypeBool:
      case spv::Op::OpTypeInt:
      case spv::Op::OpTypeFloat:
      case spv::Op::OpTypeVector:
      case spv::Op::OpTypeMatrix:
      case spv::Op::OpTypeArray:
      case spv::Op::OpTypeRuntimeArray:
      case spv::Op::OpTypeStruct:
      case spv::Op::OpTypePointer:
      case spv::Op::OpTypeForwardPointer:
      case spv::Op::OpTypeFunction:
        break;
      case spv::Op::OpFunction:
        return false;
      default:
        other = spvOpcodeGeneratesType(i.op()) != 0;
        break;
    }
    return !other;
  });
  return other;
}

bool is_ray_stage(Stage stage) { return stage >= Stage::ray_generation && stage <= Stage::callable; }

static_assert(SQA_STAGE_FRAGMENT == static_cast<int>(Stage::fragment));
static_assert(SQA_STAGE_COMPUTE == static_cast<int>(Stage::compute));
static_assert(SQA_STAGE_RAY_GENERATION == static_cast<int>(Stage::ray_generation));

// Whether what reports name is what tells invocations apart. Only a launch id makes the stages of one launch
// the same. A vertex may be executed more than once, and stores what it stored before.
bool is_named(Stage stage) {
  return is_ray_stage(stage) || stage == Stage::vertex || stage == Stage::tessellation_evaluation;
}

bool has_workgroup(Stage stage) {
  return stage == Stage::compute || stage == Stage::task || stage == Stage::mesh;
}

}  // namespace

void SyncPass::describe(const BufferAccess& access) {
  const ModuleView& view = module_.view();
  CheckSite& site = checks_.add_site(access.at, SQA_CHECK_HAZARD, {}, access.access);
  site.parts = (!access.runs.empty() || access.texel != 0) && !of_whole_words(access);
  std::string name = decorations_.name(access.place.variable);
  InstructionView type = view.definition(view.type_of(access.place.variable), spv::Op::OpTypePointer);
  if (type) {
    uint32_t block = type.word(3);
    for (type = view.definition(block);
         type && (type.op() == spv::Op::OpTypeArray || type.op() == spv::Op::OpTypeRuntimeArray);
         type = view.definition(block))
      block = type.word(2);
    site.variable = name.empty() ? decorations_.name(block) : name;
  }
  if (name.empty()) name = site.variable.empty() ? std::to_string(access.place.variable) : site.variable;
  site.text =
      std::string("Op") + spvOpcodeString(access.at.instruction->opcode()) + " %" + name + access.place.path;
  if (access.merged != 0) site.text += " and " + std::to_string(access.merged) + " more";
  if (access.place.root == Root::descriptor) {
    site.set = decorations_.find(access.place.variable, spv::Decoration::DescriptorSet).value_or(0);
    site.binding = decorations_.find(access.place.variable, spv::Decoration::Binding).value_or(0);
  }
}

// The arguments that runtime/lines.glsl takes.
uint32_t SyncPass::lines_of(SiteBuilder& site, PointerPlaces& places, const MatrixLines& lines) {
  const uint32_t uvec3 = module_.vector_type(module_.uint_type(), 3);
  const uint32_t count = places.to_uint(site, lines.count);
  const uint32_t bytes = places.product(site, places.to_uint(site, lines.length), lines.component_size);
  const uint32_t stride = places.product(site, places.to_uint(site, lines.stride), lines.stride_unit);
  return site.emit(spv::Op::OpCompositeConstruct, uvec3, {count, bytes, stride});
}

uint32_t SyncPass::team_of(SiteBuilder& site, bool workgroup) {
  const uint32_t uint_type = module_.uint_type();
  Builtins& builtins = checks_.builtins();
  uint32_t lane = builtins.subgroup(site, spv::BuiltIn::SubgroupLocalInvocationId);
  uint32_t lanes = builtins.subgroup(site, spv::BuiltIn::SubgroupSize);
  const uint32_t subgroup = builtins.subgroup(site, spv::BuiltIn::SubgroupId);
  const uint32_t one = module_.constant(1);
  uint32_t number = module_.constant(0);
  if (workgroup) {
    const uint32_t subgroups = builtins.subgroup(site, spv::BuiltIn::NumSubgroups);
    const uint32_t first = site.emit(spv::Op::OpIMul, uint_type, {subgroup, lanes});
    lane = site.emit(spv::Op::OpIAdd, uint_type, {first, lane});
    lanes = site.emit(spv::Op::OpIMul, uint_type, {subgroups, lanes});
  } else {
    number = site.emit(spv::Op::OpIAdd, uint_type, {subgroup, one});
  }
  const uint32_t uvec3 = module_.vector_type(uint_type, 3);
  return site.emit(spv::Op::OpCompositeConstruct, uvec3, {lane, lanes, number});
}

bool SyncPass::only_reads(const BufferAccess& access) const {
  return module_.view().at(access.at.offset).op() == spv::Op::OpAtomicLoad;
}

bool SyncPass::is_uniform_load(const BufferAccess& access) const {
  const InstructionView type =
      module_.view().definition(module_.view().type_of(access.pointer), spv::Op::OpTypePointer);
  if (access.access != SQA_ACCESS_LOAD || !type ||
      static_cast<spv::StorageClass>(type.word(2)) != spv::StorageClass::Uniform)
    return false;
  return access.place.root != Root::descriptor ||
         is_uniform_block(module_.view(), decorations_, access.place.variable);
}

void SyncPass::instrument(PointerPlaces& places, const BufferAccess& access) {
  SiteBuilder site(module_, access.at.instruction);
  uint32_t flags = 0;
  if (exact()) {
    flags = site_tag(record_.shader_hash, sites_) << SQA_ACCESS_TAG_SHIFT;
    if (is_workgroup_atomic(module_.view(), module_.view().at(access.at.offset)))
      flags |= SQA_ACCESS_WORKGROUP_SCOPE;
    if (only_reads(access)) flags |= SQA_ACCESS_ONLY_READS;
    if (is_uniform_load(access)) flags |= SQA_ACCESS_UNIFORM;
    if (of_whole_words(access)) flags |= SQA_ACCESS_WORDS;
  }
  const uint32_t kind = !exact() && only_reads(access) ? SQA_FILTER_ATOMIC_LOAD : access.access;
  ++sites_;
  AccessCheck check;
  check.access = &access;
  check.logged = logs_loads_ && can_log(access, places);
  const bool own = access.reach != 0 && !check.logged && of_whole_words(access);
  if (own) flags |= SQA_ACCESS_OWN;
  check.function = check.logged ? "sqa_log_set" : "sqa_access_set";
  check.site = checks_.site_constant(access.at, SQA_CHECK_HAZARD, kind, flags);
  const uint32_t live = checks_.builtins().live(site);
  std::vector<uint32_t>& arguments = check.arguments;
  PointerTarget place;
  if (access.place.root == Root::physical) {
    check.function = check.logged ? "sqa_log_address" : "sqa_access_address";
    const uint32_t uvec2 = module_.vector_type(module_.uint_type(), 2);
    uint32_t address = access.pointer;
    if (checks_.options().int64_atomics) {
      const uint32_t uint64 = module_.global(spv::Op::OpTypeInt, 0, {64, 0});
      address = site.emit(spv::Op::OpConvertPtrToU, uint64, {address});
    }
    arguments.push_back(site.emit(spv::Op::OpBitcast, uvec2, {address}));
  } else {
    place = places.emit(site, access.place);
    if (own) place.descriptor = places.descriptor_of_own(access);
    arguments = {place.descriptor, place.index};
  }
  check.slots = known_slots(places, access.place);
  if (!check.logged) check.words_function = words_function(access, check);
  check.direct = checks_.options().sync.direct && check.words_function == "sqa_words_set" &&
                 std::ranges::count(parted_, check.slots->direct) == 0;
  check.shares = exact() && access.access != SQA_ACCESS_ATOMIC && access.lines.count == 0;
  // Where nothing orders accesses by atomics, they are accesses as others are.
  check.waits = check.shares || (exact() && !follows_ && access.lines.count == 0);
  const auto add = [&](uint32_t offset, uint32_t size) {
    AccessCheck& added = runs_.add(check);
    added.arguments.insert(added.arguments.end(), {offset, size, live});
  };
  if (access.lines.count != 0) {
    const uint32_t offset = places.sum(site, place.offset, place.constant);
    const uint32_t lines = lines_of(site, places, access.lines);
    arguments.insert(arguments.end(), {offset, lines, team_of(site, access.lines.of_workgroup), live});
    check.function = access.place.root == Root::physical ? "sqa_lines_address" : "sqa_lines_set";
    runs_.add(check);
  } else if (access.texel != 0) {
    add(places.to_uint(site, access.texel), module_.constant(0));
  } else if (access.size != 0) {
    const uint32_t offset = places.sum(site, place.offset, place.constant);
    add(offset, places.to_uint(site, access.size));
  } else {
    for (const MemoryRun& run : access.runs) {
      if (run.size > most_bytes() && !check.logged) ++long_accesses_;
      const uint32_t offset = places.sum(site, place.offset, place.constant + run.offset);
      add(offset, module_.constant(run.size));
    }
  }
}

bool SyncPass::exact() const { return checks_.options().sync.engine == SyncEngine::exact; }

uint32_t SyncPass::most_bytes() const {
  return exact() ? SQA_EXACT_MOST_WORDS * 4 : SQA_FILTER_MOST_GRANULES * 16;
}

void SyncPass::begin(const BufferAccesses& found, CheckForm form) {
  spvtools::opt::Instruction* start = checks_.start_of_entry_point();
  if (!start) return;
  const uint32_t uvec3 = module_.vector_type(module_.uint_type(), 3);
  const Stage stage = checks_.entry_point().stage;
  SiteBuilder site(module_, start);
  const uint32_t zero = module_.constant(0);
  checks_.tell_where(site);
  uint32_t group = has_workgroup(stage) ? workgroup(site) : meets_in_patches(found) ? patch(site) : 0;
  const bool has_group = group != 0;
  if (stage == Stage::tessellation_evaluation) group = tessellation_coordinate(site);
  if (group == 0) group = module_.global(spv::Op::OpConstantComposite, uvec3, {zero, zero, zero});
  const uint32_t grouped = module_.bool_constant(has_group);
  const bool has_name = (is_named(stage) || only_reads(found)) && checks_.builtins().can_record_invocation();
  const uint32_t named = module_.bool_constant(has_name);
  const uint32_t live = checks_.builtins().live(site);
  const uint32_t stage_constant = module_.constant(bits(stage));
  checks_.call(site, "sqa_begin_sync", {stage_constant, group, grouped, named, live});
  // Its invocations count from zero, but for those of dispatches with a base.
  if (checks_.builtins().invocation_vector())
    checks_.call(site, "sqa_tell_begun", {checks_.root(), checks_.hash()});
  if (record_.logs_reads) checks_.call(site, "sqa_begin_log", {stage_constant});
  if (checks_.options().sync.indirect)
    checks_.call(site, logs_loads_ ? "sqa_log_indirect" : "sqa_indirect",
                 {checks_.root(), checks_.hash(), stage_constant});
  if (follows(found)) {
    // With parts, a release may lie behind what others of the subgroup did.
    const bool loose =
        !found.exchanges.empty() || follows_parts(found) || (stage == Stage::compute && !has_group);
    checks_.call(site, "sqa_begin_order",
                 {module_.bool_constant(traces(found)), module_.bool_constant(loose),
                  module_.bool_constant(found.acquires_in_workgroup), part(site, found)});
    if (checks_.options().sync.strict) checks_.call(site, "sqa_begin_strict", {});
  }
  if (!images_.empty()) checks_.call(site, "sqa_begin_images", {module_.bool_constant(found.joined)});
  if (form == CheckForm::queued) queue_.begin(site);
  if (notes_findings_) checks_.call(site, "sqa_begin_findings", {});
  const bool placed = has_group || stage == Stage::fragment;
  unwatched_.begin_skipping(site, placed);
  // A second version would double the code of a large shader, and, where the driver inlines everything, of
  // any.
  if (form != CheckForm::called && !unwatched_.has_one_version())
    unwatched_.set_begin(start->PreviousNode(), placed);
  checks_.set_begun();
}

// The number of the subgroup, where barriers of one are followed and it has a number.
uint32_t SyncPass::part(SiteBuilder& site, const BufferAccesses& found) {
  if (!follows_parts(found) || !checks_.builtins().can_number_subgroups()) return module_.constant(0);
  return checks_.builtins().subgroup(site, spv::BuiltIn::SubgroupId);
}

bool SyncPass::follows(const BufferAccesses& found) const {
  return exact() && (!found.atomics.empty() || !found.fences.empty() || !found.workgroup_fences.empty() ||
                     follows_parts(found));
}

// Whether barriers of a subgroup order memory, by themselves or together with memory barriers.
bool SyncPass::follows_parts(const BufferAccesses& found) {
  const bool fenced = !found.buffer_barriers.all.empty() || !found.image_barriers.all.empty();
  return std::ranges::any_of(found.workgroup_barriers, [&](const BufferAccesses::Barrier& barrier) {
    if (barrier.whole) return is_of_parts(found, barrier);
    return fenced || barrier.buffers.releases || barrier.images.releases;
  });
}

// Memory barriers of subgroup scope may let a barrier of the workgroup order memory for each subgroup.
bool SyncPass::is_of_parts(const BufferAccesses& found, const BufferAccesses::Barrier& barrier) {
  const auto completed = [](const BufferAccesses::Semantics& own,
                            const BufferAccesses::MemoryBarriers& beside) {
    return own.narrow || (!(own.releases && own.acquires) &&
                          !std::ranges::all_of(beside.all, &BufferAccesses::MemoryBarrier::wide));
  };
  return !barrier.whole || completed(barrier.buffers, found.buffer_barriers) ||
         completed(barrier.images, found.image_barriers);
}

// Only compute: in other stages several shaders may make up one action, and workgroups do not tell their
// invocations apart.
bool SyncPass::traces(const BufferAccesses& found) const {
  const Stage stage = checks_.entry_point().stage;
  return (stage == Stage::compute || stage == Stage::fragment) &&
         (found.acquires || found.acquires_in_workgroup);
}

// Inserts the calls for what atomics release and, where that can be traced, for what others acquire.
void SyncPass::follow(const BufferAccesses& found) {
  const auto call_before = [&](const PlacedInstruction& at, std::string_view function,
                               std::vector<uint32_t> arguments = {}) {
    SiteBuilder site(module_, at.instruction);
    checks_.call(site, function, std::move(arguments));
  };
  // This comes first: an atomic may be a fence itself.
  for (const BufferAccesses::Release& release : found.releases)
    call_before(release.at, "sqa_passed_fence", {module_.bool_constant(release.device)});
  for (const BufferAccesses::Atomic& atomic : found.atomics)
    call_before(
        atomic.at, "sqa_before_atomic",
        {module_.constant((atomic.used ? SQA_ATOMIC_USED : 0u) | (atomic.device ? SQA_ATOMIC_DEVICE : 0u) |
                          (atomic.acquires && checks_.options().sync.strict ? SQA_ATOMIC_ACQUIRES : 0u))});
  const bool others = found.exchanges.size() > found.workgroup_atomics.size();
  for (const PlacedInstruction& at : found.workgroup_atomics)
    call_before(at, "sqa_before_local_atomic", {module_.bool_constant(others)});
  if (follows_parts(found))
    for (const BufferAccesses::Barrier& barrier : found.workgroup_barriers)
      if (is_of_parts(found, barrier))
        call_before(barrier.at, "sqa_reach_part",
                    {module_.bool_constant(barrier.buffers.releases || barrier.buffers.narrow)});
  if (!traces(found)) return;
  // What passes on an invocation's knowledge without order counts as if it had acquired it.
  if (checks_.options().sync.strict)
    for (const auto* list : {&found.acquiring, &found.exchanges})
      for (const PlacedInstruction& at : *list) call_before(at, "sqa_passed_acquire");
  for (const auto& barrier : found.workgroup_barriers) call_before(barrier.at, "sqa_tell_workgroup");
  for (const PlacedInstruction& at : found.exchanges) call_before(at, "sqa_tell_workgroup");
}

void SyncPass::order(const BufferAccesses& found) {
  const auto set_ordered = [&](spvtools::opt::Instruction* before, bool ordered) {
    SiteBuilder site(module_, before);
    checks_.call(site, "sqa_set_ordered", {module_.bool_constant(ordered)});
  };
  if (follows(found)) follow(found);
  // None of these ends a block: there always is a next instruction.
  const bool strict = checks_.options().sync.strict && exact();
  for (const auto& [at, buffers, images, whole] : found.workgroup_barriers) {
    SiteBuilder site(module_, at.instruction->NextNode());
    if (exact() && buffers.narrow) checks_.call(site, "sqa_passed_part_exact", {module_.bool_constant(true)});
    if (strict && whole)
      checks_.call(site, "sqa_passed_barrier_strict",
                   {module_.bool_constant(buffers.releases), module_.bool_constant(buffers.acquires)});
    else if (exact() && (whole || follows_parts(found)))
      checks_.call(site, whole ? "sqa_passed_barrier_exact" : "sqa_passed_part_exact",
                   {module_.bool_constant(buffers.releases)});
    else if (!exact() && (buffers.releases || buffers.narrow || !found.buffer_barriers.all.empty()))
      checks_.call(site, "sqa_passed_barrier", {});
  }
  const auto by_itself = [&](const BufferAccesses::Barrier& barrier) {
    return barrier.buffers.releases && (barrier.buffers.acquires || !strict);
  };
  if (exact() && !std::ranges::all_of(found.workgroup_barriers, by_itself))
    for (const auto& [at, wide, early] : found.buffer_barriers.all) {
      SiteBuilder site(module_, at.instruction->NextNode());
      checks_.call(site, strict ? "sqa_passed_memory_barrier_strict" : "sqa_passed_memory_barrier_exact",
                   {module_.bool_constant(wide), module_.bool_constant(wide && !found.buffer_barriers.common),
                    module_.bool_constant(early)});
    }
  if (!images_.empty() && !found.joined) order_images(found);
  if (hides_behind_fences(found)) {
    for (const PlacedInstruction& at : found.fences) set_ordered(at.instruction->NextNode(), true);
    for (spvtools::opt::Instruction* barrier : barriers_that_pass_on(found))
      set_ordered(barrier->NextNode(), true);
  }
  // The filter does not follow which atomic tells whom: all of the workgroup count as told.
  if (!exact())
    for (const PlacedInstruction& at : found.workgroup_fences) {
      SiteBuilder site(module_, at.instruction->NextNode());
      if (has_workgroup(checks_.entry_point().stage))
        checks_.call(site, "sqa_passed_barrier", {});
      else
        checks_.call(site, "sqa_set_ordered", {module_.bool_constant(true)});
    }
  for (const PlacedInstruction& at : found.interlock_begins) set_ordered(at.instruction->NextNode(), true);
  for (const PlacedInstruction& at : found.interlock_ends) set_ordered(at.instruction, false);
}

// Whether accesses after a fence are stored but not reported, since a release may have ordered them.
bool SyncPass::hides_behind_fences(const BufferAccesses& found) const {
  if (!exact()) return !found.fences.empty();
  return !found.fences.empty() && !traces(found) && (found.acquires || found.acquires_in_workgroup);
}

// The barriers behind which an invocation may know what another one has acquired by a fence.
std::vector<spvtools::opt::Instruction*> SyncPass::barriers_that_pass_on(const BufferAccesses& found) const {
  std::vector<spvtools::opt::Instruction*> fences, barriers;
  for (const PlacedInstruction& at : found.fences) fences.push_back(at.instruction);
  for (const BufferAccesses::Barrier& barrier : found.workgroup_barriers)
    if (barrier.buffers.releases || barrier.buffers.narrow || !found.buffer_barriers.all.empty())
      barriers.push_back(barrier.at.instruction);
  return barriers_behind(*context(), fences, barriers);
}

spvtools::opt::Pass::Status SyncPass::Process() {
  if (!has_record()) return Status::SuccessWithoutChange;
  AccessFinder finder(module_.view(), *context(), decorations_, placed_, checks_.options().sync.images);
  BufferAccesses found = finder.find();
  PointerPlaces places(checks_.options().sync, module_, decorations_, finder.roots(), placed_);
  // The layer knows no address of a descriptor that it did not list.
  const auto unlisted = std::erase_if(found.accesses, [&](const BufferAccess& access) {
    return access.place.root == Root::descriptor && !places.slots_of(access.place);
  });
  // Then nothing is known of patches, and their barriers order as those of subgroups do, which are followed
  // by marks.
  if (checks_.entry_point().stage == Stage::tessellation_control && !meets_in_patches(found))
    for (BufferAccesses::Barrier& barrier : found.workgroup_barriers) barrier.whole = false;
  // A pointer to a storage-only type must not be cast to anything but a 64-bit integer.
  const MemoryLayout layout(module_.view(), decorations_);
  const auto no_cast = [&](const BufferAccess& access) {
    if (access.place.root != Root::physical || checks_.options().int64_atomics) return false;
    const ModuleView& view = module_.view();
    const InstructionView type = view.definition(view.type_of(access.pointer), spv::Op::OpTypePointer);
    return layout.has_storage_only_scalars(type.word(3));
  };
  found.unknown_place += static_cast<uint32_t>(std::erase_if(found.accesses, no_cast));
  // The invocations of a subgroup share the lines.
  const auto no_team = [&](const BufferAccess& access) {
    return access.lines.count != 0 && !checks_.builtins().can_number_subgroups();
  };
  found.unknown_lines += static_cast<uint32_t>(std::erase_if(found.accesses, no_team));
  // A cell has no room for an atomic load of a part of its word.
  if (exact())
    small_loads_ = std::erase_if(found.accesses, [&](const BufferAccess& access) {
      return only_reads(access) && access.texel == 0 && !of_whole_words(access);
    });
  if (checks_.options().sync.merge) merge_accesses(found.accesses, placed_, module_.view(), decorations_);
  if (exact() && checks_.options().sync.own_elements)
    find_own_elements(found, module_.view(), decorations_, checks_.entry_point(), known_constants(),
                      [&](const BufferAccess& access) { return places.slots_of(access.place)->direct; });
  // An access that is neither stored nor checked hides races, but invents none.
  const bool too_many = found.accesses.size() > checks_.room();
  if (const uint32_t room = checks_.room(); too_many) {
    checks_.leave_out(static_cast<uint32_t>(found.accesses.size()) - room);
    found.accesses.erase(found.accesses.begin() + room, found.accesses.end());
  }
  images_ = find_images(found, places, finder.roots());
  if (images_.empty()) forget_images(found);
  if (follows(found)) join_barriers(found);
  if (found.accesses.empty() && images_.empty()) {
    add_notes(found, 0);
    return Status::SuccessWithoutChange;
  }
  if (follows(found) && !checks_.options().sync.footprints)
    checks_.runtime().use(
        RuntimeModule::exact_with_releases(has_buffered_descriptors(checks_.options().sync)));
  find_parted(places, found);
  follows_ = follows(found);
  find_logged(found, places);
  for (const BufferAccess& access : found.accesses) {
    describe(access);
    instrument(places, access);
  }
  const CheckForm form = choose_form();
  checks_.set_form(form);
  if (form == CheckForm::queued) {
    count_copies(checks_.options().sync.loops).stop_unrolling();
    queue_.emit_checks();
    runs_.emit_noting(queue_);
  } else {
    record_.direct = runs_.prefer_words(form == CheckForm::called);
    runs_.emit(form == CheckForm::loops);
  }
  instrument_images(places, form);
  if (form == CheckForm::queued) queue_.finish();
  places.finish();
  record_.footprints_complete = checks_.options().sync.footprints && unlisted == 0 && !too_many &&
                                found.unknown_place == 0 && found.unknown_layout == 0 &&
                                found.unknown_lines == 0 && places.unfollowed() == 0 &&
                                !reaches_other_memory(module_.view());
  add_notes(found, places.unfollowed());
  note_findings(form);
  order(found);
  begin(found, form);
  return module_.exhausted() ? Status::Failure : Status::SuccessWithChange;
}

}  // namespace shaderqa
