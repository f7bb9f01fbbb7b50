// SPDX-License-Identifier: Apache-2.0
// What the synchronisation check says that it leaves unchecked.
#include "instrument/accesses/atomic_sizes.h"
#include "instrument/ir/number_of.h"
#include "instrument/ir/push_constants.h"
#include "instrument/passes/sync_pass.h"

namespace shaderqa {

void SyncPass::add_notes(const BufferAccesses& found, uint32_t unfollowed) {
  if (found.unknown_place != 0)
    record_.notes.push_back(
        {number_of(found.unknown_place, "access through a pointer that cannot be followed is",
                   "accesses through pointers that cannot be followed are") +
             " not checked for synchronisation.",
         Concern::sync});
  if (found.unknown_layout != 0)
    record_.notes.push_back(
        {number_of(found.unknown_layout,
                   "access to a value whose bytes are not known, or lie in too many pieces, is",
                   "accesses to values whose bytes are not known, or lie in too many pieces, are") +
             " not checked for synchronisation.",
         Concern::sync});
  if (unfollowed != 0)
    record_.notes.push_back(
        {"Accesses through some pointers that are selected, stored or handed on are not checked for "
         "synchronisation: where those lead cannot be followed.",
         Concern::sync});
  if (exact() && may_mix_atomic_sizes(found.accesses, decorations_))
    record_.notes.push_back(
        {"Atomics of different sizes on the same bytes are not compared with each other.", Concern::sync});
  if (hides_behind_fences(found))
    record_.notes.push_back(
        {"Accesses after a device-scope fence are marked but not reported, because the filter cannot see "
         "what "
         "it orders.",
         Concern::sync});
}

bool SyncPass::has_record() {
  const SyncOptions& sync = checks_.options().sync;
  if (sync.record_constant == SyncOptions::no_constant) return true;
  const std::string obstacle =
      obstacle_to_push_constant(module_, checks_.entry_point().function, sync.record_constant);
  if (!obstacle.empty())
    checks_.note(
        "Its accesses are not checked for synchronisation, because it cannot be told where its "
        "action's record is: " +
            obstacle + ".",
        Concern::sync);
  return obstacle.empty();
}

}  // namespace shaderqa
