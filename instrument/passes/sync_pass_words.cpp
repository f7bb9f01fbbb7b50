// SPDX-License-Identifier: Apache-2.0
// Which accesses have the checks of whole words (runtime/words.glsl).
#include <algorithm>

#include "instrument/passes/sync_pass.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_report.h"

namespace shaderqa {

namespace {
using Root = ResolvedPointer::Root;
}

// Scalars of 32 bits and more lie at multiples of 4.
bool SyncPass::of_whole_words(const BufferAccess& access) const {
  if (access.runs.empty()) return false;
  const ModuleView& view = module_.view();
  const InstructionView type = view.definition(view.type_of(access.pointer), spv::Op::OpTypePointer);
  const MemoryLayout layout(view, decorations_);
  return type && layout.has_whole_words(type.word(3)) &&
         std::ranges::all_of(access.runs, [&](const MemoryRun& run) {
           return (access.place.offset + run.offset) % 4 == 0 && run.size % 4 == 0;
         });
}

// The record says where the memory of direct slots is, whatever is bound.
std::string_view SyncPass::words_function(const BufferAccess& access, const AccessCheck& check) const {
  if (!exact() || checks_.options().sync.footprints || checks_.entry_point().stage != Stage::compute ||
      access.lines.count != 0 || only_reads(access) || !of_whole_words(access))
    return {};
  if (access.place.root == Root::physical) return "sqa_words_address";
  const bool direct = check.slots && check.slots->direct != 0 && check.slots->direct <= SQA_DIRECT_SLOTS;
  return direct ? "sqa_words_set" : std::string_view();
}

void SyncPass::find_parted(const PointerPlaces& places, const BufferAccesses& found) {
  for (const BufferAccess& access : found.accesses) {
    if (access.access == SQA_ACCESS_LOAD || access.place.root != Root::descriptor || access.runs.empty() ||
        of_whole_words(access))
      continue;
    if (const DescriptorSlots* const slots = places.slots_of(access.place); slots && slots->direct != 0)
      parted_.push_back(slots->direct);
  }
}

}  // namespace shaderqa
