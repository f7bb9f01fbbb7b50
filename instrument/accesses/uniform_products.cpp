// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/uniform_products.h"

#include <algorithm>
#include <utility>

namespace shaderqa {
namespace {

constexpr size_t most_factors = 3;

}  // namespace

uint32_t UniformProducts::number_of(std::vector<Value> factors) {
  std::ranges::sort(factors);
  const auto [known, is_new] = numbers_.try_emplace(factors, static_cast<uint32_t>(products_.size() + 1));
  if (is_new) products_.push_back(std::move(factors));
  return known->second;
}

uint32_t UniformProducts::of_memory(uint32_t variable, std::vector<uint32_t> path) {
  path.insert(path.begin(), variable);
  return number_of({std::move(path)});
}

uint32_t UniformProducts::of_operation(uint32_t opcode, std::vector<uint32_t> operands) {
  operands.insert(operands.begin(), {0, opcode});
  return number_of({std::move(operands)});
}

uint32_t UniformProducts::times(uint32_t a, uint32_t b) {
  if (a == 0 || b == 0) return a + b;
  std::vector<Value> factors = products_[a - 1];
  factors.insert(factors.end(), products_[b - 1].begin(), products_[b - 1].end());
  return factors.size() > most_factors ? 0 : number_of(std::move(factors));
}

std::vector<uint32_t> UniformProducts::factors_of(uint32_t product) const {
  std::vector<uint32_t> numbers;
  if (product != 0)
    for (const Value& value : products_[product - 1]) numbers.push_back(numbers_.at({value}));
  return numbers;
}

std::optional<uint32_t> UniformProducts::counted_axis(uint32_t product) const {
  if (product == 0 || products_[product - 1].size() != 1) return std::nullopt;
  const Value& value = products_[product - 1][0];
  return value[0] == 0 && value.size() == 2 ? std::optional(value[1]) : std::nullopt;
}

}  // namespace shaderqa
