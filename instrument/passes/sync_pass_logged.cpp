// SPDX-License-Identifier: Apache-2.0
// The part of SyncPass that chooses which reads are logged, to be checked behind the render pass
// (runtime/abi_reads.h).
#include <algorithm>
#include <ranges>

#include "instrument/accesses/buffered_descriptors.h"
#include "instrument/passes/sync_pass.h"
#include "instrument/runtime/abi_report.h"

namespace shaderqa {
namespace {

bool may_log(Stage stage) { return stage != Stage::compute && stage < Stage::ray_generation; }

constexpr auto is_load = [](const auto& access) { return access.access == SQA_ACCESS_LOAD; };

}  // namespace

bool SyncPass::only_reads(const BufferAccesses& found) const {
  return may_log(checks_.entry_point().stage) && std::ranges::all_of(found.accesses, is_load) &&
         std::ranges::all_of(images_, is_load);
}

void SyncPass::find_logged(const BufferAccesses& found, const PointerPlaces& places) {
  for (const ImageAccess& access : images_) unwatched_.note(access, known_slots(places, access.place));
  for (const BufferAccess& access : found.accesses)
    unwatched_.note(access, known_slots(places, access.place));
  const SyncOptions& sync = checks_.options().sync;
  // Who has acquired anything may be ordered behind other actions, of which the log says nothing.
  if (!exact() || !sync.log_reads || sync.footprints || follows_) return;
  // Nor does it say which barriers an invocation has passed, behind which it may read what others stored.
  const bool meets_stores =
      !found.workgroup_barriers.empty() && !std::ranges::all_of(found.accesses, is_load);
  logs_loads_ = may_log(checks_.entry_point().stage) && found.interlock_begins.empty() && !meets_stores &&
                std::ranges::any_of(found.accesses, [&](const auto& one) { return can_log(one, places); });
  const auto stays = [&](const ImageAccess& access) {
    return !unwatched_.may_log(access, known_slots(places, access.place));
  };
  const auto logged = std::stable_partition(images_.begin(), images_.end(), stays);
  logged_.assign(logged, images_.end());
  images_.erase(logged, images_.end());
  record_.logs_reads = !logged_.empty() || logs_loads_;
}

bool SyncPass::can_log(const BufferAccess& access, const PointerPlaces& places) const {
  if (access.place.root == ResolvedPointer::Root::flow &&
      std::ranges::any_of(checks_.options().sync.descriptors, is_indirect))
    return false;
  return access.lines.count == 0 && unwatched_.may_log(access, known_slots(places, access.place));
}

}  // namespace shaderqa
