// SPDX-License-Identifier: Apache-2.0
// Functions that passes write themselves, for RuntimeImport::add_function().
#ifndef SHADERQA_INSTRUMENT_PASSES_FUNCTION_WORDS_H
#define SHADERQA_INSTRUMENT_PASSES_FUNCTION_WORDS_H

#include <algorithm>
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

// Selects among values by a number.
class Chooser {
 public:
  Chooser(ModuleEditor& module, FunctionWords& function, uint32_t number)
      : module_(module), function_(function), number_(number) {}

  // values: by number, ids of vectors of uint with so many components; 0: the number does not occur.
  uint32_t choose(std::vector<uint32_t> values, uint32_t components) {
    const uint32_t type = module_.vector_type(module_.uint_type(), components);
    for (uint32_t bit = 0; values.size() > 1; ++bit) {
      std::vector<uint32_t> next;
      for (size_t i = 0; i < values.size(); i += 2) {
        const uint32_t even = values[i], odd = i + 1 < values.size() ? values[i + 1] : 0;
        const bool same = even == odd || even == 0 || odd == 0;
        next.push_back(same
                           ? std::max(even, odd)
                           : function_.result(spv::Op::OpSelect, type, {is_odd(bit, components), odd, even}));
      }
      values = std::move(next);
    }
    return values.front();
  }

 private:
  // Whether this bit of the number is set: bool, or a vector of it.
  uint32_t is_odd(uint32_t bit, uint32_t components) {
    uint32_t& known = bits_[{bit, components}];
    if (known != 0) return known;
    const uint32_t bool_type = module_.bool_type();
    if (components == 1) {
      const uint32_t masked = function_.result(spv::Op::OpBitwiseAnd, module_.uint_type(),
                                               {number_, module_.constant(1u << bit)});
      known = function_.result(spv::Op::OpINotEqual, bool_type, {masked, module_.constant(0)});
      return known;
    }
    const uint32_t id = module_.take_id();
    std::vector<uint32_t> operands{module_.vector_type(bool_type, components), id};
    operands.insert(operands.end(), components, is_odd(bit, 1));
    function_.add(spv::Op::OpCompositeConstruct, operands);
    return bits_[{bit, components}] = id;
  }

  ModuleEditor& module_;
  FunctionWords& function_;
  uint32_t number_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> bits_;  // by bit and components
};

}  // namespace shaderqa
#endif
