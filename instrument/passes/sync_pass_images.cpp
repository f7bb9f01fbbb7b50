// SPDX-License-Identifier: Apache-2.0
// The part of SyncPass for accesses to images.
#include <algorithm>
#include <string>
#include <utility>

#include "instrument/accesses/own_texels.h"
#include "instrument/passes/check_copies.h"
#include "instrument/passes/image_checks.h"
#include "instrument/passes/sync_pass.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_report.h"
#include "source/opcode.h"
#include "source/opt/instruction.h"

namespace shaderqa {
namespace {

uint32_t bits(auto value) { return static_cast<uint32_t>(value); }

}  // namespace

std::vector<ImageAccess> SyncPass::find_images(const BufferAccesses& found, PointerPlaces& places,
                                               PointerRoots& roots) {
  if (!exact() || !checks_.options().sync.images) return {};
  ImageAccesses images = find_image_accesses(module_.view(), placed_, roots);
  if (checks_.options().sync.own_elements)
    find_own_texels(images, module_.view(), decorations_, checks_.entry_point(), known_constants());
  const ImageChecks checks(checks_, places);
  std::erase_if(images.accesses, [&](const ImageAccess& access) {
    return access.place.root == ResolvedPointer::Root::descriptor && !places.slots_of(access.place);
  });
  images.unfollowed += bits(
      std::erase_if(images.accesses, [&](const ImageAccess& access) { return !checks.is_followed(access); }));
  if (const uint32_t left = images.unfollowed + images.unknown_place; left != 0)
    record_.notes.push_back({std::to_string(left) +
                                 (left == 1 ? " access to an image is" : " accesses to images are") +
                                 " not checked for synchronisation: gathers with four offsets, and images "
                                 "that cannot be followed.",
                             Concern::sync});
  const uint32_t room = checks_.room() - bits(found.accesses.size());
  if (images.accesses.size() > room) {
    checks_.leave_out(bits(images.accesses.size()) - room);
    images.accesses.erase(images.accesses.begin() + room, images.accesses.end());
  }
  return std::move(images.accesses);
}

void SyncPass::count_images(CheckCopies& copies) const {
  for (const ImageAccess& access : images_) copies.add(*access.at.instruction, 1);
}

CheckCopies SyncPass::count_copies(bool loops, CheckCopies::Unrolling unrolling) {
  CheckCopies copies(*context()->module(), module_.view(), unrolling);
  runs_.count(copies, loops);
  count_images(copies);
  return copies;
}

bool SyncPass::can_note(const ImageAccess& access) const {
  return spvOpcodeIsAtomicOp(module_.view().at(access.at.offset).op()) == 0;
}

void SyncPass::instrument_images(PointerPlaces& places, CheckForm form) {
  ImageChecks checks(checks_, places);
  const ModuleView& view = module_.view();
  for (const ImageAccess& access : images_) {
    uint32_t flags = site_tag(record_.shader_hash, sites_++) << SQA_ACCESS_TAG_SHIFT;
    const InstructionView instruction = view.at(access.at.offset);
    if (is_workgroup_atomic(view, instruction)) flags |= SQA_ACCESS_WORKGROUP_SCOPE;
    if (instruction.op() == spv::Op::OpAtomicLoad) flags |= SQA_ACCESS_ONLY_READS;
    if (access.input) flags |= SQA_ACCESS_UNIFORM;
    if (access.own) flags |= SQA_ACCESS_OWN;
    const DescriptorSlots* const slots = known_slots(places, access.place);
    const bool noted = form == CheckForm::queued && can_note(access);
    const bool skipped = noted && unwatched_.skip(access, slots);
    const uint32_t call =
        checks.instrument(access, flags, noted ? &queue_ : nullptr, skipped ? &unwatched_ : nullptr);
    if (form != CheckForm::queued) unwatched_.leave_out(call, access, slots);
  }
  const bool one_version = unwatched_.has_one_version();
  for (const ImageAccess& access : logged_) {
    uint32_t flags = site_tag(record_.shader_hash, sites_++) << SQA_ACCESS_TAG_SHIFT;
    if (access.input) flags |= SQA_ACCESS_UNIFORM;
    const uint32_t call = checks.log(access, flags, form == CheckForm::queued ? &queue_ : nullptr,
                                     one_version ? &unwatched_ : nullptr);
    unwatched_.log(call, access, known_slots(places, access.place));
  }
}

// What is inserted last comes first: these calls come before those that begin the next phase. Barriers of
// parts order nothing here: where they do, barriers for images and for buffers are joined.
void SyncPass::order_images(const BufferAccesses& found) {
  const bool strict = checks_.options().sync.strict;
  bool by_themselves = true;
  for (const auto& [at, buffers, images, whole] : found.workgroup_barriers) {
    if (!whole) continue;
    by_themselves = by_themselves && images.releases && (images.acquires || !strict);
    SiteBuilder site(module_, at.instruction->NextNode());
    std::vector<uint32_t> arguments{module_.bool_constant(images.releases)};
    if (strict) arguments.push_back(module_.bool_constant(images.acquires));
    checks_.call(site, strict ? "sqa_passed_barrier_images_strict" : "sqa_passed_barrier_images",
                 std::move(arguments));
  }
  if (by_themselves) return;
  for (const auto& [at, wide, early] : found.image_barriers.all) {
    SiteBuilder site(module_, at.instruction->NextNode());
    checks_.call(site,
                 strict ? "sqa_passed_memory_barrier_images_strict" : "sqa_passed_memory_barrier_images",
                 {module_.bool_constant(!found.image_barriers.common), module_.bool_constant(early)});
  }
}

}  // namespace shaderqa
