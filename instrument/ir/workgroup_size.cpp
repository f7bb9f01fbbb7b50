// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/workgroup_size.h"

#include <algorithm>

namespace shaderqa {
namespace {

constexpr uint64_t most_invocations = 65536;

}  // namespace

std::array<uint32_t, 3> workgroup_size(const ModuleView& module, const Decorations& decorations,
                                       uint32_t entry_function,
                                       const std::function<std::optional<uint32_t>(uint32_t id)>& constant) {
  std::array<uint32_t, 3> size{};
  const auto set = [&](Words sides, bool ids) {
    for (size_t n = 0; n < 3 && n < sides.size(); ++n)
      size[n] = ids ? constant(sides[n]).value_or(0) : sides[n];
  };
  // The constant counts where there is one.
  bool by_constant = false;
  for_each_instruction(module.words(), header_words, [&](InstructionView i, uint32_t) {
    if (i.op() == spv::Op::OpFunction) return false;
    const bool mode = i.word(1) == entry_function && !by_constant && i.size() == 6;
    const auto kind = static_cast<spv::ExecutionMode>(i.word(2));
    if (i.op() == spv::Op::OpExecutionMode && mode && kind == spv::ExecutionMode::LocalSize)
      set(i.words.subspan(3), false);
    if (i.op() == spv::Op::OpExecutionModeId && mode && kind == spv::ExecutionMode::LocalSizeId)
      set(i.words.subspan(3), true);
    const bool composite =
        i.op() == spv::Op::OpSpecConstantComposite || i.op() == spv::Op::OpConstantComposite;
    const auto builtin = composite ? decorations.find(i.word(2), spv::Decoration::BuiltIn) : std::nullopt;
    if (builtin && static_cast<spv::BuiltIn>(*builtin) == spv::BuiltIn::WorkgroupSize && i.size() == 6) {
      by_constant = true;
      set(i.words.subspan(3), true);
    }
    return true;
  });
  uint64_t invocations = 1;
  for (const uint32_t side : size) invocations = std::min<uint64_t>(invocations * side, UINT32_MAX);
  return invocations <= most_invocations && invocations != 0 ? size : std::array<uint32_t, 3>{};
}

}  // namespace shaderqa
