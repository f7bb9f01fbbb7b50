// SPDX-License-Identifier: Apache-2.0
// What the synchronisation check says that it leaves unchecked.
#include <algorithm>

#include "instrument/accesses/atomic_sizes.h"
#include "instrument/ir/atomics.h"
#include "instrument/ir/number_of.h"
#include "instrument/ir/push_constants.h"
#include "instrument/passes/sync_pass.h"
#include "instrument/runtime/abi_report.h"

namespace shaderqa {
namespace {

using Root = ResolvedPointer::Root;

constexpr uint32_t kNonPrivate = static_cast<uint32_t>(spv::MemoryAccessMask::NonPrivatePointer);

// In modules with the Vulkan memory model. Atomics never are.
bool is_private(InstructionView access) {
  switch (access.op()) {
    case spv::Op::OpLoad:
    case spv::Op::OpCopyMemorySized:
      return (access.word(4) & kNonPrivate) == 0;
    case spv::Op::OpStore:
    case spv::Op::OpCopyMemory:
      return (access.word(3) & kNonPrivate) == 0;
    default:
      return false;
  }
}

bool has_subgroup_scope(const ModuleView& module, const BufferAccess& access) {
  const InstructionView i = module.at(access.at.offset);
  if (access.access != SQA_ACCESS_ATOMIC) return false;
  const auto scope = module.constant(i.word(atomic_has_result(i.op()) ? 4 : 2));
  return scope && (static_cast<spv::Scope>(*scope) == spv::Scope::Subgroup ||
                   static_cast<spv::Scope>(*scope) == spv::Scope::Invocation);
}

}  // namespace

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
  if (found.unknown_lines != 0)
    record_.notes.push_back(
        {number_of(found.unknown_lines, "load or store of a cooperative matrix or vector is",
                   "loads and stores of cooperative matrices or vectors are") +
             " not checked for synchronisation: through tensor layouts, with a layout or a scope that is no "
             "constant, or in stages without numbers of subgroups.",
         Concern::sync});
  if (const std::string most = std::to_string(most_bytes() / 1024); long_accesses_ != 0)
    record_.notes.push_back({number_of(long_accesses_, "access", "accesses") + " of more than " + most +
                                 " KiB each: only the first " + most +
                                 " KiB are checked for synchronisation.",
                             Concern::sync});
  if (unfollowed != 0)
    record_.notes.push_back(
        {"Accesses through some pointers that are selected, stored or handed on are not checked for "
         "synchronisation: where those lead cannot be followed.",
         Concern::sync});
  if (exact()) add_exact_notes(found);
  if (hides_behind_fences(found))
    record_.notes.push_back(
        {"Accesses after a device-scope fence are marked but not reported, because the filter cannot see "
         "what "
         "it orders.",
         Concern::sync});
}

// Says what cells do not tell apart (docs/internals/exact.md, "What it does not see").
void SyncPass::add_exact_notes(const BufferAccesses& found) {
  const auto add = [&](const char* text) { record_.notes.push_back({text, Concern::sync}); };
  const auto any = [&](const auto& condition) { return std::ranges::any_of(found.accesses, condition); };
  if (may_mix_atomic_sizes(found.accesses, decorations_))
    add("Atomics of different sizes on the same bytes are not compared with each other.");
  if (any([&](const BufferAccess& access) { return has_subgroup_scope(module_.view(), access); }))
    add("Atomics of subgroup scope count as if their scope were the workgroup.");
  if (small_loads_ != 0) add("Atomic loads of less than 4 bytes are not checked for synchronisation.");
  if (any([&](const BufferAccess& access) {
        return access.place.root == Root::physical && access.access != SQA_ACCESS_LOAD &&
               !access.runs.empty() && !of_whole_words(access);
      }))
    add("It stores parts of words through addresses: if several invocations do so in one word, races on that "
        "word may be missed.");
  const bool ordered = !found.workgroup_barriers.empty() || !found.buffer_barriers.all.empty() ||
                       !found.fences.empty() || !found.workgroup_fences.empty();
  if (checks_.options().sync.strict && ordered && module_.view().vulkan_memory_model() &&
      any([&](const BufferAccess& access) { return is_private(module_.view().at(access.at.offset)); }))
    add("Accesses without NonPrivatePointer count as if they had it: that its barriers order nothing for "
        "them "
        "is not checked.");
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
