// SPDX-License-Identifier: Apache-2.0
// The part of SyncPass that chooses which reads are logged, to be checked behind the render pass
// (runtime/abi_reads.h).
#include <algorithm>
#include <ranges>

#include "instrument/passes/sync_pass.h"
#include "instrument/runtime/abi_descriptors.h"
#include "instrument/runtime/abi_report.h"

namespace shaderqa {
namespace {

// Barriers order the invocations of the other ones: the log does not say which of them an invocation has
// passed.
bool may_log(Stage stage) {
  return stage == Stage::vertex || stage == Stage::tessellation_evaluation || stage == Stage::geometry ||
         stage == Stage::fragment;
}

constexpr auto is_load = [](const auto& access) { return access.access == SQA_ACCESS_LOAD; };

}  // namespace

bool SyncPass::only_reads(const BufferAccesses& found) const {
  return may_log(checks_.entry_point().stage) && std::ranges::all_of(found.accesses, is_load) &&
         std::ranges::all_of(images_, is_load);
}

void SyncPass::find_logged(const BufferAccesses& found, const PointerPlaces& places) {
  for (const ImageAccess& access : images_) unwatched_.note(access, image_slots(places, access));
  const SyncOptions& sync = checks_.options().sync;
  // Who has acquired anything may be ordered behind other actions, of which the log says nothing.
  if (!exact() || !sync.log_reads || sync.footprints || follows_) return;
  logs_loads_ = may_log(checks_.entry_point().stage) && found.interlock_begins.empty() &&
                std::ranges::all_of(found.accesses, is_load);
  const auto stays = [&](const ImageAccess& access) {
    return !unwatched_.may_log(access, image_slots(places, access));
  };
  const auto logged = std::ranges::stable_partition(images_, stays);
  logged_.assign(logged.begin(), logged.end());
  images_.erase(logged.begin(), logged.end());
  record_.logs_reads = !logged_.empty() || (logs_loads_ && sync.indirect);
}

bool SyncPass::is_logged(const BufferAccess& access, const PointerPlaces& places) const {
  return logs_loads_ && access.lines.count == 0 &&
         (access.place.root != ResolvedPointer::Root::descriptor ||
          (places.slots_of(access.place)->slot & SQA_IN_BUFFER) == 0);
}

}  // namespace shaderqa
