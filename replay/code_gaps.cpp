// SPDX-License-Identifier: Apache-2.0
#include "replay/code_gaps.h"

#include <algorithm>
#include <unordered_map>

namespace shaderqa {

CodeGaps::CodeGaps(const ModuleView& view, const TracePlan& plan) {
  any_ = std::ranges::any_of(plan.pieces, &TracePiece::outside);
  if (!any_) return;
  // Whether the first piece of a block or function is outside, by its id.
  std::unordered_map<uint32_t, bool> outside;
  for (const TracePiece& piece : plan.pieces) {
    outside.emplace(piece.block, piece.outside);
    if (piece.starts_function) outside.emplace(piece.function, piece.outside);
  }
  const auto leads_out = [&](uint32_t id) {
    const auto found = outside.find(id);
    return found != outside.end() && found->second;
  };
  after_.resize(plan.pieces.size());
  for (size_t number = 0; number < plan.pieces.size(); ++number) {
    const TracePiece& piece = plan.pieces[number];
    const InstructionView next = view.at(piece.end);
    const bool more = number + 1 < plan.pieces.size() && plan.pieces[number + 1].block == piece.block;
    if (more) {
      // Pieces of functions without records have none behind a call either.
      after_[number] = next.op() == spv::Op::OpFunctionCall && plan.pieces[number + 1].first == piece.end
                           ? leads_out(next.word(3))
                           : bool{plan.pieces[number + 1].outside};
      continue;
    }
    for_each_instruction(view.words(), piece.anchor, [&](InstructionView i, uint32_t offset) {
      if (offset >= piece.end) return false;
      if (i.op() == spv::Op::OpBranch) after_[number] = leads_out(i.word(1));
      if (i.op() == spv::Op::OpBranchConditional)
        after_[number] = leads_out(i.word(2)) || leads_out(i.word(3));
      // Literals among the targets are no ids of blocks, or of blocks that may only add a gap.
      if (i.op() == spv::Op::OpSwitch)
        for (uint32_t word = 2; word < i.size(); ++word)
          after_[number] = after_[number] || leads_out(i.word(word));
      return true;
    });
  }
}

}  // namespace shaderqa
