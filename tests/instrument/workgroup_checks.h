// SPDX-License-Identifier: Apache-2.0
// Which accesses to workgroup memory of a compute shader have to be checked.
#ifndef SHADERQA_TESTS_INSTRUMENT_WORKGROUP_CHECKS_H
#define SHADERQA_TESTS_INSTRUMENT_WORKGROUP_CHECKS_H

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "instrument/accesses/workgroup_phases.h"
#include "instrument/ir/module_loader.h"
#include "instrument/ir/workgroup_size.h"
#include "instrument/passes/workgroup_cells.h"
#include "support.h"

namespace shaderqa::test {

// By shared variable that is accessed, in the order of their ids: whether any access has to be.
inline std::vector<bool> checked_variables(const Module& words) {
  const LoadedModule loaded = load_module(words);
  const WorkgroupOptions options;
  const Decorations decorations(loaded.view);
  const PipelineConstants constants(loaded.view, decorations, options);
  const WorkgroupMemory memory(loaded.view, decorations, constants);
  const uint32_t entry = loaded.view.entry_points().at(0).function;
  const auto placed = place_instructions(*loaded.context, loaded.view, entry);
  const WorkgroupAccesses found =
      WorkgroupAccessFinder(loaded.view, *loaded.context, decorations, memory, *placed).find();
  const auto size =
      workgroup_size(loaded.view, decorations, entry, [&](uint32_t id) { return constants.value(id); });
  const WorkgroupElements elements(loaded.view, decorations, constants, found, size, entry, false);
  const std::vector<bool> free =
      WorkgroupPhases(loaded.view, found, entry, false).without_conflicts(elements);
  std::map<uint32_t, bool> checked;
  for (size_t n = 0; n < free.size(); ++n) {
    bool& any = checked[found.accesses[n].place.start];
    any = any || !free[n];
  }
  std::vector<bool> result;
  for (const auto& [variable, any] : checked) result.push_back(any);
  return result;
}

}  // namespace shaderqa::test
#endif
