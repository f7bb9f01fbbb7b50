// SPDX-License-Identifier: Apache-2.0
// Functions that passes write themselves, for RuntimeImport::add_function().
#ifndef SHADERQA_INSTRUMENT_PASSES_FUNCTION_WORDS_H
#define SHADERQA_INSTRUMENT_PASSES_FUNCTION_WORDS_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <utility>
#include <vector>

#include "instrument/ir/module_editor.h"

namespace shaderqa {

// Writes the words of a function, which need not be in the IR.
class FunctionWords {
 public:
  explicit FunctionWords(ModuleEditor& module) : module_(module) {}

  void add(spv::Op op, const std::vector<uint32_t>& operands) {
    words_.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | static_cast<uint32_t>(op));
    words_.insert(words_.end(), operands.begin(), operands.end());
  }
  uint32_t result(spv::Op op, uint32_t type, std::initializer_list<uint32_t> operands) {
    std::vector<uint32_t> all{type, module_.take_id()};
    all.insert(all.end(), operands);
    add(op, all);
    return all[1];
  }
  void label(uint32_t id) { add(spv::Op::OpLabel, {id}); }
  void append(const std::vector<uint32_t>& words) { words_.insert(words_.end(), words.begin(), words.end()); }
  std::vector<uint32_t> take() { return std::move(words_); }

 private:
  ModuleEditor& module_;
  std::vector<uint32_t> words_;
};

// Selects among values by a number from 1 on: the first value is none of them.
class Chooser {
 public:
  Chooser(ModuleEditor& module, FunctionWords& function, uint32_t number, size_t count)
      : module_(module), function_(function) {
    for (size_t i = 1; i + 1 < count; ++i) {
      const uint32_t other = module_.constant(static_cast<uint32_t>(i));
      is_.push_back(function_.result(spv::Op::OpIEqual, module_.bool_type(), {number, other}));
    }
  }

  // values: of a vector of uint with so many components.
  uint32_t choose(const std::vector<uint32_t>& values, uint32_t components) {
    const uint32_t type = module_.vector_type(module_.uint_type(), components);
    uint32_t chosen = values.back();
    for (size_t i = values.size() - 1; i-- > 1;) {
      if (values[i] == values.back() && chosen == values.back()) continue;
      chosen = function_.result(spv::Op::OpSelect, type, {condition(i - 1, components), values[i], chosen});
    }
    return chosen;
  }

 private:
  uint32_t condition(size_t i, uint32_t components) {
    if (components == 1) return is_[i];
    std::vector<uint32_t>& known = vectors_[components];
    known.resize(is_.size());
    if (known[i] == 0) {
      std::vector<uint32_t> operands{module_.vector_type(module_.bool_type(), components), module_.take_id()};
      operands.insert(operands.end(), components, is_[i]);
      function_.add(spv::Op::OpCompositeConstruct, operands);
      known[i] = operands[1];
    }
    return known[i];
  }

  ModuleEditor& module_;
  FunctionWords& function_;
  std::vector<uint32_t> is_;                           // conditions, by number
  std::map<uint32_t, std::vector<uint32_t>> vectors_;  // the same as vectors, by components
};

}  // namespace shaderqa
#endif
