// SPDX-License-Identifier: Apache-2.0
#include "instrument/accesses/row_major.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "instrument/accesses/index_overlap.h"

namespace shaderqa {
namespace {

// What sides of a comparison may add.
constexpr int32_t most_apart = 1 << 24;

// The part of an index that is times one product: what places invocations in a row, or rows in a plane.
struct Level {
  std::vector<uint32_t> factors;  // of the product
  InvocationIndex digits;         // without the product
  uint32_t divisor = 0;           // the greatest common one of the digits' factors
};

// From the columns on; empty: the products do not have one factor more each.
std::vector<Level> levels_of(const InvocationIndex& index, const UniformProducts& products) {
  std::map<uint32_t, Level> by_product;
  for (const auto& [digit, factor] : index.factors) {
    if (digit.axis == InvocationIds::none) continue;
    Level& level = by_product[digit.product];
    level.digits.factors[{digit.axis, digit.divisor, digit.modulus}] = factor;
    level.divisor = std::gcd(level.divisor, factor);
  }
  std::vector<Level> levels;
  for (auto& [product, level] : by_product) {
    level.factors = products.factors_of(product);
    levels.push_back(std::move(level));
  }
  std::ranges::sort(levels, {}, [](const Level& level) { return level.factors.size(); });
  for (size_t n = 0; n < levels.size(); ++n)
    if (levels[n].factors.size() != n) return {};
  return levels;
}

// The factor of a product that another one has not; 0: they do not differ by one.
uint32_t added_factor(const std::vector<uint32_t>& less, std::vector<uint32_t> more) {
  for (const uint32_t factor : less) {
    const auto found = std::ranges::find(more, factor);
    if (found == more.end()) return 0;
    more.erase(found);
  }
  return more.size() == 1 ? more[0] : 0;
}

class Rows {
 public:
  Rows(const InvocationIds& ids, const UniformProducts& products, std::span<const Guard> guards,
       const std::function<InvocationIndex(uint32_t, uint32_t)>& value_of)
      : ids_(ids), products_(products), guards_(guards), value_of_(value_of) {}

  // Whether the digits of a level are below what a step of the next one is.
  bool are_within(const Level& level, const Level& next) const {
    const uint32_t width = added_factor(level.factors, next.factors);
    return width != 0 && (are_counted(level, next, width) || are_guarded(level, next, width));
  }

  // Whether the digits determine the level's part of the index, for numbers of workgroups that are noted.
  bool are_apart(const Level& level, std::array<uint32_t, 3>& log2) const {
    std::vector<std::pair<uint32_t, IdDigit>> parts;
    for (const auto& [digit, factor] : level.digits.factors) parts.emplace_back(factor, digit);
    std::ranges::sort(parts);
    uint64_t end = 1;
    for (size_t n = 0; n < parts.size(); ++n) {
      const auto& [factor, digit] = parts[n];
      const bool is_last = n + 1 == parts.size();
      if (factor < end || factor > INT32_MAX || (digit.axis == InvocationIds::turns && !is_last))
        return false;
      uint64_t count = ids_.size_of(digit);
      if (is_workgroup(digit)) {
        if (digit.divisor != 1 || digit.modulus != 0 || count == 0) return false;
        if (!is_last) count = std::min<uint64_t>(count, parts[n + 1].first / factor);
        const auto most = static_cast<uint32_t>(std::bit_width(count)) - 1;
        log2[digit.axis - InvocationIds::workgroups] = most;
        count = uint64_t{1} << most;
      }
      end = factor * count;
    }
    return true;
  }

 private:
  // By `if (x < width)`, or less than that: `x + 1 < width`, `x < width - 1`.
  bool are_guarded(const Level& level, const Level& next, uint32_t width) const {
    const IdDigit unknown_turn{InvocationIds::turns, 0, 0};
    if (next.divisor % level.divisor != 0 || level.digits.factors.contains(unknown_turn)) return false;
    return std::ranges::any_of(guards_, [&](const Guard& guard) {
      const InvocationIndex left = value_of_(guard.left, guard.component);
      return left.is_exact() && is_below(guard, static_cast<int32_t>(left.constant), width) &&
             with_split_digits(scaled(left, level.divisor)).factors == level.digits.factors;
    });
  }

  // Whether what is `by` less than the left side is less than the product. width - 1 may come round to a
  // large number if the width is 0, but not as a signed one.
  bool is_below(const Guard& guard, int32_t by, uint32_t product) const {
    if (guard.relation == Guard::Relation::equal) return false;
    const InvocationIndex right = value_of_(guard.right, guard.component);
    const std::map<IdDigit, uint32_t> itself{{{InvocationIds::none, 1, 0, product}, 1}};
    if (!right.is_exact() || right.factors != itself) return false;
    const auto bound = static_cast<int32_t>(right.constant);
    if (by < 0 || by > most_apart || bound > 0 || bound < -most_apart || (bound < 0 && !guard.is_signed))
      return false;
    return guard.relation == Guard::Relation::less || by > 0 || bound < 0;
  }

  // By the number of workgroups: the largest digit is that of the workgroup, and no loop goes beyond it.
  bool are_counted(const Level& level, const Level& next, uint32_t width) const {
    const auto axis = products_.counted_axis(width);
    const bool moves = std::ranges::any_of(
        level.digits.factors, [](const auto& each) { return each.first.axis == InvocationIds::turns; });
    if (moves) return false;
    const auto last =
        std::ranges::max_element(level.digits.factors, {}, [](const auto& each) { return each.second; });
    return axis && last->first == IdDigit{InvocationIds::workgroups + *axis, 1, 0} &&
           next.divisor % last->second == 0;
  }

  static bool is_workgroup(const IdDigit& digit) {
    return digit.axis >= InvocationIds::workgroups && digit.axis < InvocationIds::axes;
  }

  const InvocationIds& ids_;
  const UniformProducts& products_;
  const std::span<const Guard> guards_;
  const std::function<InvocationIndex(uint32_t, uint32_t)>& value_of_;
};

}  // namespace

bool is_in_rows(const InvocationIndex& index) {
  return std::ranges::any_of(index.factors, [](const auto& each) {
    return each.first.product != 0 && each.first.axis != InvocationIds::none;
  });
}

std::optional<RowMajor> row_major(const InvocationIndex& index, const InvocationIds& ids,
                                  const UniformProducts& products, std::span<const Guard> guards,
                                  const std::function<InvocationIndex(uint32_t, uint32_t)>& value_of) {
  const std::vector<Level> levels = levels_of(index, products);
  if (levels.empty()) return std::nullopt;
  const Rows rows(ids, products, guards, value_of);
  RowMajor found;
  InvocationIndex all;
  for (size_t n = 0; n < levels.size(); ++n) {
    if (!rows.are_apart(levels[n], found.log2)) return std::nullopt;
    if (n + 1 < levels.size() && !rows.are_within(levels[n], levels[n + 1])) return std::nullopt;
    found.step = std::gcd(found.step, levels[n].divisor);
    // What has the same digit in two levels is no place in a row.
    for (const auto& [digit, factor] : levels[n].digits.factors)
      if (digit.axis != InvocationIds::turns && !all.factors.emplace(digit, 1).second) return std::nullopt;
  }
  InvocationIds counted = ids;
  for (uint32_t axis = 0; axis < 3; ++axis) counted.workgroup_count[axis] = 1U << found.log2[axis];
  return tells_apart(all, counted) ? std::optional(found) : std::nullopt;
}

}  // namespace shaderqa
