// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/traced_groups.h"

#include <algorithm>
#include <vector>

#include "instrument/ir/function_scan.h"
#include "instrument/ir/subgroup_exchange.h"

namespace shaderqa {
namespace {

// Also implicit derivatives, which are those of the subgroup's quads.
bool is_of_subgroup(spv::Op op) {
  switch (op) {
    case spv::Op::OpImageSampleImplicitLod:
    case spv::Op::OpImageSampleDrefImplicitLod:
    case spv::Op::OpImageSampleProjImplicitLod:
    case spv::Op::OpImageSampleProjDrefImplicitLod:
    case spv::Op::OpImageSparseSampleImplicitLod:
    case spv::Op::OpImageSparseSampleDrefImplicitLod:
    case spv::Op::OpImageSparseSampleProjImplicitLod:
    case spv::Op::OpImageSparseSampleProjDrefImplicitLod:
    case spv::Op::OpImageQueryLod:
    case spv::Op::OpGroupNonUniformElect:
      return true;
    default:
      return is_subgroup_exchange(op) || (op >= spv::Op::OpDPdx && op <= spv::Op::OpFwidthCoarse);
  }
}

TracedTogether of_instruction(const ModuleView& module, InstructionView i) {
  switch (i.op()) {
    case spv::Op::OpControlBarrier: {
      const bool subgroup = module.constant(i.word(1)) == static_cast<uint32_t>(spv::Scope::Subgroup);
      return subgroup ? TracedTogether::subgroup : TracedTogether::workgroup;
    }
    case spv::Op::OpSetMeshOutputsEXT:
      return TracedTogether::workgroup;
    // Only allowed in the function of the entry point.
    case spv::Op::OpBeginInvocationInterlockEXT:
    case spv::Op::OpEndInvocationInterlockEXT:
    case spv::Op::OpEmitMeshTasksEXT:
      return TracedTogether::all;
    default:
      return is_of_subgroup(i.op()) ? TracedTogether::subgroup : TracedTogether::nothing;
  }
}

// All instructions count that use matrices which a subgroup or a workgroup holds together.
bool has_cooperative_types(const ModuleView& module) {
  return module.has_capability(spv::Capability::CooperativeMatrixKHR) ||
         module.has_capability(spv::Capability::CooperativeMatrixNV);
}

}  // namespace

TracedTogether traced_together(const ModuleView& module, const EntryPoint& entry_point) {
  const std::vector<bool> reachable = reachable_functions(module, entry_point.function);
  auto together = has_cooperative_types(module) ? TracedTogether::workgroup : TracedTogether::nothing;
  size_t functions = 0;
  bool inside = false;
  for_each_instruction(module.words(), module.functions_offset(), [&](InstructionView i, uint32_t) {
    if (i.op() == spv::Op::OpFunction) {
      inside = functions < reachable.size() && reachable[functions];
      ++functions;
    } else if (inside) {
      together = std::max(together, of_instruction(module, i));
    }
    return true;
  });
  return together;
}

std::optional<std::array<uint32_t, 3>> workgroup_size_ids(ModuleEditor& module,
                                                          const EntryPoint& entry_point) {
  std::vector<uint32_t> variables;  // decorated as WorkgroupSize
  std::vector<uint32_t> literals, ids, overriding;
  for_each_instruction(module.view().words(), header_words, [&](InstructionView i, uint32_t) {
    const auto from = [&](uint32_t first) {
      return std::vector<uint32_t>(i.words.begin() + std::min(first, i.size()), i.words.end());
    };
    if (i.op() == spv::Op::OpFunction) return false;
    if (i.op() == spv::Op::OpExecutionMode && i.word(1) == entry_point.function &&
        static_cast<spv::ExecutionMode>(i.word(2)) == spv::ExecutionMode::LocalSize)
      literals = from(3);
    if (i.op() == spv::Op::OpExecutionModeId && i.word(1) == entry_point.function &&
        static_cast<spv::ExecutionMode>(i.word(2)) == spv::ExecutionMode::LocalSizeId)
      ids = from(3);
    if (i.op() == spv::Op::OpDecorate && i.word(2) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
        static_cast<spv::BuiltIn>(i.word(3)) == spv::BuiltIn::WorkgroupSize)
      variables.push_back(i.word(1));
    const bool composite =
        i.op() == spv::Op::OpSpecConstantComposite || i.op() == spv::Op::OpConstantComposite;
    if (composite && std::ranges::find(variables, i.word(2)) != variables.end()) overriding = from(3);
    return true;
  });
  if (!overriding.empty()) ids = overriding;
  if (ids.size() == 3) return std::array{ids[0], ids[1], ids[2]};
  if (literals.size() != 3) return std::nullopt;
  return std::array{module.constant(literals[0]), module.constant(literals[1]), module.constant(literals[2])};
}

}  // namespace shaderqa
