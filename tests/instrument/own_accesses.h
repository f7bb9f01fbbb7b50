// SPDX-License-Identifier: Apache-2.0
// Which accesses of a compute shader are to elements of the invocation's own.
#ifndef SHADERQA_TESTS_INSTRUMENT_OWN_ACCESSES_H
#define SHADERQA_TESTS_INSTRUMENT_OWN_ACCESSES_H

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "instrument/accesses/own_elements.h"
#include "instrument/accesses/pipeline_constants.h"
#include "instrument/ir/module_loader.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_reach.h"
#include "instrument/runtime/abi_report.h"
#include "support.h"

namespace shaderqa::test {

struct OwnAccess {
  uint32_t binding = 0;
  bool stores = false;
  uint32_t reach = 0;  // 0: it is not

  uint32_t slots() const { return ~reach & SQA_REACH_SLOTS; }
  // Through which entry the words are stored to later; itself: it is not said that they are.
  uint32_t stored() const { return stored_later() ? reach >> SQA_REACH_STORED & 7 : binding; }
  bool stored_later() const { return (reach & SQA_REACH_STORED_LATER) != 0; }
  bool only_read() const { return (reach & SQA_REACH_ONLY_READ) != 0 || (!stores && !stored_later()); }
  // log2 of the most workgroups along an axis.
  uint32_t log2(uint32_t axis) const {
    const reach::Axis& of = reach::axes[axis];
    for (size_t n = 0; n < of.levels.size(); ++n)
      if (reach >> (of.first + n) & 1) return of.levels[n];
    ADD_FAILURE() << "any number along axis " << axis;
    return 0;
  }
};

// All accesses to buffers, in the order of the code. options: what is known of constants. Each binding has a
// direct entry of its number.
inline std::vector<OwnAccess> own_accesses(const Module& words, const WorkgroupOptions& options = {}) {
  const LoadedModule loaded = load_module(words);
  const Decorations decorations(loaded.view);
  const EntryPoint entry = loaded.view.entry_points().at(0);
  const auto placed = place_instructions(*loaded.context, loaded.view, entry.function);
  BufferAccesses found = AccessFinder(loaded.view, *loaded.context, decorations, *placed).find();
  const auto binding_of = [&](const BufferAccess& access) {
    return decorations.find(access.place.variable, spv::Decoration::Binding).value_or(0);
  };
  const PipelineConstants constants(loaded.view, decorations, options);
  find_own_elements(
      found, loaded.view, decorations, entry, [&](uint32_t id) { return constants.value(id); },
      [&](const BufferAccess& access) { return binding_of(access) + 1; });
  std::vector<OwnAccess> all;
  for (const BufferAccess& access : found.accesses)
    all.push_back({binding_of(access), access.access == SQA_ACCESS_STORE, access.reach});
  return all;
}

}  // namespace shaderqa::test
#endif
