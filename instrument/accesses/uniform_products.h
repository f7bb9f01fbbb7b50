// SPDX-License-Identifier: Apache-2.0
// Products of values that all invocations of a dispatch share, and that are not known before it.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_UNIFORM_PRODUCTS_H
#define SHADERQA_INSTRUMENT_ACCESSES_UNIFORM_PRODUCTS_H

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace shaderqa {

// Values that are the same for a whole dispatch and not known before it, and products of them, by numbers
// from 1 on.
class UniformProducts {
 public:
  // That of a component of gl_NumWorkGroups.
  uint32_t of_workgroup_count(uint32_t axis) { return number_of({{0, axis}}); }
  // That of an integer in a push constant or a uniform block. path: indices from the variable on.
  uint32_t of_memory(uint32_t variable, std::vector<uint32_t> path);
  // That of what an operation makes of shared values. operands: what tells them apart.
  uint32_t of_operation(uint32_t opcode, std::vector<uint32_t> operands);
  // 0: it has too many factors. One of the two may be 0, which is 1.
  uint32_t times(uint32_t a, uint32_t b);
  // Its factors, each of which is a value's number. None: it is 1.
  std::vector<uint32_t> factors_of(uint32_t product) const;
  // The axis whose number of workgroups it is.
  std::optional<uint32_t> counted_axis(uint32_t product) const;

 private:
  // A variable and a path; 0 and an axis; or 0, an opcode and what its operands are.
  using Value = std::vector<uint32_t>;
  uint32_t number_of(std::vector<Value> factors);

  std::map<std::vector<Value>, uint32_t> numbers_;  // factors are sorted
  std::vector<std::vector<Value>> products_;
};

}  // namespace shaderqa
#endif
