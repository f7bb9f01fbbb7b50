// SPDX-License-Identifier: Apache-2.0
// Random indices and conditions: what is said to need no check is computed for every pair of invocations.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "environment.h"
#include "shader_compiler.h"
#include "support.h"
#include "workgroup_checks.h"

namespace shaderqa::test {
namespace {

constexpr uint32_t kElements = 512;  // of each array
constexpr uint32_t kArrays = 16;     // in a shader: one pair of accesses each

struct Invocation {
  uint32_t index = 0, x = 0, y = 0;
  uint32_t unknown = 0;  // a value from a buffer
};

template <typename T>
struct Expression {
  std::string text;
  std::function<T(const Invocation&)> value;
};
using Number = Expression<uint32_t>;
using Condition = Expression<bool>;

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  uint32_t below(uint32_t end) { return static_cast<uint32_t>(random_() % end); }

  Number number(uint32_t depth) {
    if (depth == 0 || below(6) == 0) return leaf();
    switch (below(9)) {
      case 0:
      case 1:
        return both(number(depth - 1), number(depth - 1), "+", [](uint32_t a, uint32_t b) { return a + b; });
      case 2:
        return both(number(depth - 1), number(depth - 1), "-", [](uint32_t a, uint32_t b) { return a - b; });
      case 3:
      case 4:
        return both(number(depth - 1), constant(1 + below(20)), "*",
                    [](uint32_t a, uint32_t b) { return a * b; });
      case 5:
        return both(number(depth - 1), constant(1U << (1 + below(4))), "/",
                    [](uint32_t a, uint32_t b) { return a / b; });
      case 6:
        return both(number(depth - 1), constant(1U << (1 + below(6))), "%",
                    [](uint32_t a, uint32_t b) { return a % b; });
      case 7:
        return both(number(depth - 1), constant((1U << (1 + below(6))) - 1), "&",
                    [](uint32_t a, uint32_t b) { return a & b; });
      default:
        return both(number(depth - 1), constant(1 + below(3)), "<<",
                    [](uint32_t a, uint32_t b) { return a << b; });
    }
  }

  Condition condition(uint32_t depth) {
    if (below(2) == 0) return {"true", [](const Invocation&) { return true; }};
    if (depth > 0 && below(4) == 0) {
      const Condition a = condition(depth - 1), b = condition(depth - 1);
      return {"(" + a.text + " && " + b.text + ")",
              [a, b](const Invocation& i) { return a.value(i) && b.value(i); }};
    }
    if (depth > 0 && below(4) == 0) {
      const Condition a = condition(depth - 1);
      return {"!" + a.text, [a](const Invocation& i) { return !a.value(i); }};
    }
    const Number a = leaf(), b = constant(below(70));
    switch (below(5)) {
      case 0:
        return compared(a, b, "<", [](uint32_t left, uint32_t right) { return left < right; });
      case 1:
        return compared(a, b, "<=", [](uint32_t left, uint32_t right) { return left <= right; });
      case 2:
        return compared(a, b, ">=", [](uint32_t left, uint32_t right) { return left >= right; });
      case 3:
        return compared(b, a, "<", [](uint32_t left, uint32_t right) { return left < right; });
      default:
        return compared(a, b, "==", [](uint32_t left, uint32_t right) { return left == right; });
    }
  }

 private:
  static Number constant(uint32_t value) {
    return {std::to_string(value) + "u", [value](const Invocation&) { return value; }};
  }
  Number leaf() {
    switch (below(9)) {
      case 0:
        return {"x", [](const Invocation& i) { return i.x; }};
      case 1:
        return {"y", [](const Invocation& i) { return i.y; }};
      case 2:
        return {"r", [](const Invocation& i) { return i.unknown; }};
      case 3:
        return constant(below(100));
      default:
        return {"l", [](const Invocation& i) { return i.index; }};
    }
  }
  static Number both(const Number& a, const Number& b, const std::string& operation,
                     uint32_t (*apply)(uint32_t, uint32_t)) {
    return {"(" + a.text + " " + operation + " " + b.text + ")",
            [a, b, apply](const Invocation& i) { return apply(a.value(i), b.value(i)); }};
  }
  static Condition compared(const Number& a, const Number& b, const std::string& operation,
                            bool (*apply)(uint32_t, uint32_t)) {
    return {"(" + a.text + " " + operation + " " + b.text + ")",
            [a, b, apply](const Invocation& i) { return apply(a.value(i), b.value(i)); }};
  }

  std::mt19937 random_;
};

struct Access {
  Number index;
  Condition condition;
};

std::vector<Invocation> invocations(std::array<uint32_t, 3> size, std::mt19937& random) {
  std::vector<Invocation> all;
  for (uint32_t n = 0; n < size[0] * size[1] * size[2]; ++n)
    all.push_back({n, n % size[0], n / size[0] % size[1],
                   static_cast<uint32_t>(random() % 2 ? random() % 64 : random())});
  return all;
}

// Whether two invocations touch one element, one of them by the store.
bool race(const Access& store, const Access& load, const std::vector<Invocation>& all) {
  std::vector<uint32_t> stored(kElements, UINT32_MAX);  // by which invocation
  for (const Invocation& each : all) {
    const uint32_t at = store.index.value(each);
    if (!store.condition.value(each) || at >= kElements) continue;
    if (stored[at] != UINT32_MAX) return true;
    stored[at] = each.index;
  }
  return std::ranges::any_of(all, [&](const Invocation& each) {
    const uint32_t at = load.index.value(each);
    return load.condition.value(each) && at < kElements && stored[at] != UINT32_MAX &&
           stored[at] != each.index;
  });
}

TEST(WorkgroupElementsRandom, WhatNeedsNoCheckRacesForNoValues) {
  const testing::TemporaryDirectory directory;
  uint32_t free = 0, racing = 0;
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    Generator generator(seed);
    std::mt19937 random(seed);
    const std::array<std::array<uint32_t, 3>, 5> sizes{
        {{64, 1, 1}, {16, 4, 1}, {50, 1, 1}, {4, 4, 4}, {128, 1, 1}}};
    const auto size = sizes[generator.below(sizes.size())];
    std::vector<std::array<Access, 2>> pairs;
    std::string arrays, body;
    for (uint32_t n = 0; n < kArrays; ++n) {
      const std::string array = "s" + std::to_string(n);
      const Access store{generator.number(3), generator.condition(2)};
      Access load{generator.number(3), generator.condition(2)};
      // Equal indices, and such with a distance between them, are what the proofs are about.
      const uint32_t distance = generator.below(3) == 0 ? 1U << generator.below(8) : 0;
      if (generator.below(3) != 0)
        load.index = {"(" + store.index.text + " + " + std::to_string(distance) + "u)",
                      [store, distance](const Invocation& i) { return store.index.value(i) + distance; }};
      arrays += "shared uint " + array + "[" + std::to_string(kElements) + "];\n";
      // A constant index out of bounds would be an error.
      body +=
          "if (" + store.condition.text + ") { uint i = " + store.index.text + "; " + array + "[i] = r; }\n";
      body +=
          "if (" + load.condition.text + ") { uint i = " + load.index.text + "; sum += " + array + "[i]; }\n";
      pairs.push_back({store, load});
    }
    const std::string text =
        "layout(local_size_x = " + std::to_string(size[0]) + ", local_size_y = " + std::to_string(size[1]) +
        ", local_size_z = " + std::to_string(size[2]) +
        ") in;\nlayout(binding = 0) buffer Data { uint data[]; };\n" + arrays +
        "void main() { uint l = gl_LocalInvocationIndex, x = gl_LocalInvocationID.x, y = "
        "gl_LocalInvocationID.y, r = data[l], sum = 0u;\n" +
        body + "data[l] = sum; }\n";
    const Module words = testing::read_words(testing::compile_glsl(directory.path(), "shader", "comp", text));
    const std::vector<bool> checked = checked_variables(words);
    ASSERT_EQ(checked.size(), kArrays);
    for (uint32_t n = 0; n < kArrays; ++n) {
      bool found = false;
      for (int values = 0; values < 4; ++values)
        found = found || race(pairs[n][0], pairs[n][1], invocations(size, random));
      free += !checked[n];
      racing += found;
      EXPECT_TRUE(checked[n] || !found)
          << "seed " << seed << ", size " << size[0] << " " << size[1] << " " << size[2] << ": if ("
          << pairs[n][0].condition.text << ") s[" << pairs[n][0].index.text << "] = r; if ("
          << pairs[n][1].condition.text << ") r = s[" << pairs[n][1].index.text << "]";
    }
  }
  EXPECT_GE(free, 40u) << "it says something";
  EXPECT_GE(racing, 100u);
}

}  // namespace
}  // namespace shaderqa::test
