// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/loop_variables.h"

#include <algorithm>
#include <vector>

namespace shaderqa {

uint32_t LoopVariables::turns_of(InstructionView load, uint32_t variable) {
  const auto stored = stores_.by_variable.find(variable);
  const uint32_t at = module_.offset_of(load.word(2)), block = flow_.block_of(at);
  if (stored == stores_.by_variable.end() || block == 0) return 0;
  const bool is_elsewhere = std::ranges::any_of(stored->second, [&](const VariableStore& store) {
    const uint32_t from = store.offset == 0 ? block : flow_.block_of(store.offset);
    return from == 0 || flow_.block(from).function != flow_.block(block).function;
  });
  if (is_elsewhere) return 0;
  const uint32_t header = changing_loop(stored->second, block);
  if (header == 0) return 0;
  const bool is_stored_before = std::ranges::any_of(stored->second, [&](const VariableStore& store) {
    return store.offset != 0 && store.offset < at && flow_.block_of(store.offset) == block;
  });
  const Turns& of_loop = turns({variable, header}, stored->second);
  return is_stored_before || of_loop.behind_stores.contains(block) ? 0 : of_loop.number;
}

uint32_t LoopVariables::changing_loop(const std::vector<VariableStore>& stored, uint32_t block) const {
  uint32_t header = flow_.loop_of(block);
  const auto changes = [&](const VariableStore& store) {
    return store.offset != 0 && flow_.is_in_loop(flow_.block_of(store.offset), header);
  };
  while (header != 0 && std::ranges::none_of(stored, changes)) {
    const uint32_t around = flow_.block(header).dominator;
    header = around == 0 ? 0 : flow_.loop_of(around);
  }
  return header;
}

const LoopVariables::Turns& LoopVariables::turns(Loop loop, const std::vector<VariableStore>& stored) {
  const auto [known, is_new] = known_.try_emplace(loop);
  Turns& found = known->second;
  if (!is_new) return found;
  found.number = UINT32_MAX - static_cast<uint32_t>(known_.size());
  const uint32_t header = loop.second;
  std::vector<uint32_t> next;
  const auto go_on = [&](uint32_t block) {
    for (const uint32_t successor : flow_.block(block).successors)
      if (successor != header && found.behind_stores.insert(successor).second) next.push_back(successor);
  };
  for (const VariableStore& store : stored) {
    const uint32_t block = store.offset == 0 ? 0 : flow_.block_of(store.offset);
    if (block != 0 && flow_.is_in_loop(block, header)) go_on(block);
  }
  while (!next.empty()) {
    const uint32_t block = next.back();
    next.pop_back();
    go_on(block);
  }
  return found;
}

bool LoopVariables::is_of_same_turn(InstructionView load, const VariableStore& store) const {
  const uint32_t to = flow_.block_of(module_.offset_of(load.word(2)));
  const uint32_t from = store.offset == 0 ? 0 : flow_.block_of(store.offset);
  if (from == 0 || to == 0 || from == to || flow_.block(from).function != flow_.block(to).function ||
      !flow_.dominates(from, to))
    return false;
  const uint32_t header = flow_.loop_of(from);
  return header == 0 || flow_.is_in_loop(to, header);
}

}  // namespace shaderqa
