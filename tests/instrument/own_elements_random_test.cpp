// SPDX-License-Identifier: Apache-2.0
// Random indices: what is said of own elements is computed for pairs of invocations, of as many workgroups as
// it is said of.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "environment.h"
#include "own_accesses.h"
#include "shader_compiler.h"

namespace shaderqa::test {
namespace {

constexpr uint32_t kBindings = 8;  // each with a store and a load

using Id = std::array<uint32_t, 3>;

struct Invocation {
  uint32_t number = 0;  // which tells it apart
  Id size{}, local{}, group{};
  uint32_t index() const { return (local[2] * size[1] + local[1]) * size[0] + local[0]; }
};

struct Number {
  std::string text;
  std::function<uint32_t(const Invocation&)> value;
};

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  uint32_t below(uint32_t end) { return static_cast<uint32_t>(random_() % end); }

  // Sums of multiples of ids, as most indices are, more often than anything else.
  Number index() {
    Number sum = number(1);
    for (uint32_t terms = below(4); terms > 0; --terms)
      sum = both(sum, both(number(1), constant(factor()), "*", multiply), "+", add);
    return sum;
  }

  Number plus(const Number& index, uint32_t by) { return both(index, constant(by), "+", add); }

 private:
  static uint32_t add(uint32_t a, uint32_t b) { return a + b; }
  static uint32_t multiply(uint32_t a, uint32_t b) { return a * b; }

  // Mostly sizes of workgroups.
  uint32_t factor() {
    const std::array<uint32_t, 12> usual{1, 2, 4, 8, 16, 64, 64, 128, 256, 1024, 4096, 1U << 20};
    return below(5) == 0 ? 1 + below(300) : usual[below(usual.size())];
  }
  Number number(uint32_t depth) {
    if (depth == 0 || below(2) == 0) return leaf();
    switch (below(5)) {
      case 0:
        return both(number(depth - 1), constant(1U << (1 + below(6))), "/",
                    [](uint32_t a, uint32_t b) { return a / b; });
      case 1:
        return both(number(depth - 1), constant(1U << (1 + below(6))), "%",
                    [](uint32_t a, uint32_t b) { return a % b; });
      case 2:
        return both(number(depth - 1), constant(1 + below(12)), "/",
                    [](uint32_t a, uint32_t b) { return a / b; });
      case 3:
        return both(number(depth - 1), number(depth - 1), "-", [](uint32_t a, uint32_t b) { return a - b; });
      default:
        return both(number(depth - 1), constant(factor()), "*", multiply);
    }
  }
  static Number constant(uint32_t value) {
    return {std::to_string(value) + "u", [value](const Invocation&) { return value; }};
  }
  Number leaf() {
    const uint32_t axis = below(3) == 0 ? below(3) : 0;
    const std::string component(1, "xyz"[axis]);
    switch (below(6)) {
      case 0:
      case 1:
        return {"all." + component,
                [axis](const Invocation& i) { return i.group[axis] * i.size[axis] + i.local[axis]; }};
      case 2:
        return {"group." + component, [axis](const Invocation& i) { return i.group[axis]; }};
      case 3:
        return {"local." + component, [axis](const Invocation& i) { return i.local[axis]; }};
      case 4:
        return constant(below(100));
      default:
        return {"l", [](const Invocation& i) { return i.index(); }};
    }
  }
  static Number both(const Number& a, const Number& b, const std::string& operation,
                     uint32_t (*apply)(uint32_t, uint32_t)) {
    return {"(" + a.text + " " + operation + " " + b.text + ")",
            [a, b, apply](const Invocation& i) { return apply(a.value(i), b.value(i)); }};
  }

  std::mt19937 random_;
};

// In the first workgroups along each axis, and of the last ones.
std::vector<Invocation> invocations(const Id& size, const OwnAccess& access) {
  std::array<std::vector<uint32_t>, 3> groups;
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const uint32_t count = 1U << access.log2(axis);
    for (uint32_t n = 0; n < count && n < 3; ++n) groups[axis].push_back(n);
    for (uint32_t n = 3; n < 5 && n < count; ++n) groups[axis].push_back(count + 2 - n);
  }
  std::vector<Invocation> all;
  for (const uint32_t z : groups[2])
    for (const uint32_t y : groups[1])
      for (const uint32_t x : groups[0])
        for (uint32_t n = 0; n < size[0] * size[1] * size[2]; ++n)
          all.push_back({static_cast<uint32_t>(all.size()),
                         size,
                         {n % size[0], n / size[0] % size[1], n / size[0] / size[1]},
                         {x, y, z}});
  return all;
}

struct Pair {
  Number store, load;
  bool stores = true, store_first = false;
};

// Words that two invocations touch, one of them by the store.
bool meet(const Number& store, const Number& other, const std::vector<Invocation>& all) {
  std::unordered_map<uint32_t, uint32_t> stored;  // by which invocation
  for (const Invocation& each : all)
    if (const auto [at, is_new] = stored.emplace(store.value(each), each.number); !is_new) return true;
  return std::ranges::any_of(all, [&](const Invocation& each) {
    const auto at = stored.find(other.value(each));
    return at != stored.end() && at->second != each.number;
  });
}

struct Counts {
  uint32_t stores = 0, loads = 0, only_read = 0, together = 0;
};

void try_seed(uint32_t seed, Counts& counts) {
  const testing::TemporaryDirectory directory;
  Generator generator(seed);
  const std::array<Id, 6> sizes{{{64, 1, 1}, {16, 4, 1}, {50, 1, 1}, {4, 4, 4}, {1, 1, 1}, {128, 1, 1}}};
  const Id size = sizes[generator.below(sizes.size())];
  std::vector<Pair> pairs;
  std::string buffers, body;
  for (uint32_t n = 0; n < kBindings; ++n) {
    Pair pair{generator.index(), generator.index(), generator.below(4) != 0, generator.below(2) == 0};
    if (n > 0 && generator.below(3) == 0) pair.store = pairs.back().store;
    if (generator.below(4) != 0)
      pair.load = generator.plus(pair.store, generator.below(2) == 0 ? 1U << generator.below(12) : 0);
    const std::string name = "d" + std::to_string(n);
    buffers += "layout(binding = " + std::to_string(n) + ", std430) buffer B" + std::to_string(n) +
               " { uint " + name + "[]; };\n";
    // A constant index out of bounds would be an error.
    const std::string store = "{ uint i = " + pair.store.text + "; " + name + "[i] = sum; }\n";
    const std::string load = "{ uint i = " + pair.load.text + "; sum += " + name + "[i]; }\n";
    if (pair.stores && pair.store_first) body += store;
    body += load;
    if (pair.stores && !pair.store_first) body += store;
    pairs.push_back(pair);
  }
  const std::string text = "layout(local_size_x = " + std::to_string(size[0]) +
                           ", local_size_y = " + std::to_string(size[1]) +
                           ", local_size_z = " + std::to_string(size[2]) + ") in;\n" + buffers +
                           "void main() { uvec3 local = gl_LocalInvocationID, group = gl_WorkGroupID, all = "
                           "gl_GlobalInvocationID; uint l = gl_LocalInvocationIndex, sum = 0u;\n" +
                           body + "}\n";
  const Module words = testing::read_words(testing::compile_glsl(directory.path(), "shader", "comp", text));
  const std::vector<OwnAccess> found = own_accesses(words);
  const auto stores = std::ranges::count_if(pairs, &Pair::stores);
  ASSERT_EQ(found.size(), kBindings + static_cast<size_t>(stores)) << text;
  for (const OwnAccess& access : found) {
    if (access.reach == 0) continue;
    const std::vector<Invocation> all = invocations(size, access);
    const Number& own = access.stores ? pairs[access.binding].store : pairs[access.binding].load;
    ++(access.stores ? counts.stores : counts.loads);
    for (uint32_t other = 0; other < kBindings; ++other) {
      if (!(access.slots() >> other & 1)) continue;
      counts.together += other != access.binding;
      EXPECT_FALSE(pairs[other].stores && meet(pairs[other].store, own, all))
          << "seed " << seed << ", d" << access.binding << "[" << own.text << "], d" << other << "\n"
          << text;
      EXPECT_FALSE(access.stores && meet(own, pairs[other].load, all))
          << "seed " << seed << ", load of d" << other << "\n"
          << text;
    }
    if (access.stores) continue;
    if (access.only_read()) {
      ++counts.only_read;
      EXPECT_FALSE(pairs[access.binding].stores);
      EXPECT_FALSE(meet(own, own, all)) << "seed " << seed << ", load of d" << access.binding << "\n" << text;
    }
    if (!access.stored_later()) continue;
    EXPECT_TRUE(pairs[access.stored()].stores);
    const Number& stored = pairs[access.stored()].store;
    EXPECT_TRUE(std::ranges::all_of(
        all, [&](const Invocation& each) { return stored.value(each) == own.value(each); }))
        << "seed " << seed << ", d" << access.binding << "\n"
        << text;
    EXPECT_TRUE(access.slots() >> access.stored() & 1);
    EXPECT_TRUE(access.stored() > access.binding ||
                (access.stored() == access.binding && !pairs[access.binding].store_first))
        << "seed " << seed << ": the store is earlier\n"
        << text;
  }
}

TEST(OwnElementsRandom, NoOtherInvocationTouchesThem) {
  Counts counts;
  for (uint32_t seed = 1; seed <= 60; ++seed) try_seed(seed, counts);
  EXPECT_GE(counts.stores, 60u) << "it says something";
  EXPECT_GE(counts.loads, 20u);
  EXPECT_GE(counts.only_read, 20u);
  EXPECT_GE(counts.together, 15u);
}

}  // namespace
}  // namespace shaderqa::test
