// SPDX-License-Identifier: Apache-2.0
#include "instrument/ir/variable_stores.h"

namespace shaderqa {
namespace {

class StoreFinder {
 public:
  explicit StoreFinder(const ModuleView& module) : module_(module) {}

  void enter(InstructionView i, uint32_t offset) {
    switch (i.op()) {
      case spv::Op::OpVariable:
        declare(i);
        break;
      case spv::Op::OpLoad:
      case spv::Op::OpLine:  // its numbers look like ids
        break;
      case spv::Op::OpStore:
        if (const auto variable = stores_.find(i.word(1)); variable != stores_.end())
          variable->second.push_back({i.word(2), offset});
        else
          forget(i.word(1));
        forget(i.word(2));
        break;
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
        if (stores_.contains(i.word(3)))
          parts_.emplace(i.word(2), i.word(3));
        else if (const auto part = parts_.find(i.word(3)); part != parts_.end())
          parts_.emplace(i.word(2), part->second);
        break;
      default:
        // Any other use. A literal that looks like the id does no harm.
        if (module_.is_non_semantic(i)) break;
        for (uint32_t k = 1; k < i.size(); ++k) forget(i.word(k));
    }
  }

  std::unordered_map<uint32_t, std::vector<VariableStore>> take() { return std::move(stores_); }

 private:
  void declare(InstructionView variable) {
    const auto storage = static_cast<spv::StorageClass>(variable.word(3));
    if (storage != spv::StorageClass::Function && storage != spv::StorageClass::Private) return;
    std::vector<VariableStore>& stores = stores_[variable.word(2)];
    if (variable.size() > 4) stores.push_back({variable.word(4), 0});
  }

  void forget(uint32_t id) {
    if (const auto part = parts_.find(id); part != parts_.end()) id = part->second;
    stores_.erase(id);
  }

  const ModuleView& module_;
  std::unordered_map<uint32_t, std::vector<VariableStore>> stores_;
  std::unordered_map<uint32_t, uint32_t> parts_;  // variables by their access chains
};

}  // namespace

std::unordered_map<uint32_t, std::vector<VariableStore>> find_variable_stores(const ModuleView& module) {
  StoreFinder finder(module);
  for_each_instruction(module.words(), header_words, [&](InstructionView i, uint32_t offset) {
    if (i.op() == spv::Op::OpVariable || offset >= module.functions_offset()) finder.enter(i, offset);
    return true;
  });
  return finder.take();
}

}  // namespace shaderqa
