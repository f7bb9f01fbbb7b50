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
      case spv::Op::OpLine:  // its numbers look like ids
        break;
      case spv::Op::OpLoad:
        if (const auto last = last_.find(i.word(3)); last != last_.end())
          found_.loaded.emplace(i.word(2), last->second);
        break;
      case spv::Op::OpStore:
        store(i, offset);
        break;
      case spv::Op::OpLabel:
        last_.clear();
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
        if (i.op() == spv::Op::OpFunctionCall) last_.clear();
        for (uint32_t k = 1; k < i.size(); ++k) forget(i.word(k));
    }
  }

  VariableStores take() {
    std::erase_if(found_.loaded, [&](const auto& each) {
      return !stores_.contains(module_.definition(each.first).word(3));
    });
    found_.by_variable = std::move(stores_);
    return std::move(found_);
  }

 private:
  void store(InstructionView i, uint32_t offset) {
    if (const auto variable = stores_.find(i.word(1)); variable != stores_.end()) {
      variable->second.push_back({i.word(2), offset});
      last_[i.word(1)] = i.word(2);
    } else {
      forget(i.word(1));
    }
    forget(i.word(2));
  }

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
  std::unordered_map<uint32_t, uint32_t> last_;   // by variable: what was stored last in this block
  VariableStores found_;
};

}  // namespace

VariableStores find_variable_stores(const ModuleView& module) {
  StoreFinder finder(module);
  for_each_instruction(module.words(), header_words, [&](InstructionView i, uint32_t offset) {
    if (i.op() == spv::Op::OpVariable || offset >= module.functions_offset()) finder.enter(i, offset);
    return true;
  });
  return finder.take();
}

}  // namespace shaderqa
