// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/atomic_sizes.h"

#include <map>
#include <utility>

#include "instrument/runtime/abi_report.h"

namespace shaderqa {

bool may_mix_atomic_sizes(std::span<const BufferAccess> accesses, const Decorations& decorations) {
  // By descriptor and size: a variable.
  std::map<std::pair<uint32_t, uint32_t>, std::map<uint32_t, uint32_t>> found;
  for (const BufferAccess& access : accesses) {
    if (access.access != SQA_ACCESS_ATOMIC || access.place.root != ResolvedPointer::Root::descriptor ||
        access.runs.empty())
      continue;
    const uint32_t variable = access.place.variable;
    const auto set = decorations.find(variable, spv::Decoration::DescriptorSet);
    const auto binding = decorations.find(variable, spv::Decoration::Binding);
    auto& sizes = found[{set.value_or(0), binding.value_or(0)}];
    for (const auto& [size, other] : sizes)
      if (size != access.runs[0].size && other != variable) return true;
    sizes.emplace(access.runs[0].size, variable);
  }
  return false;
}

}  // namespace shaderqa
