// SPDX-License-Identifier: Apache-2.0
// Random indices in rows whose widths only the dispatch knows, and random loops and conditions around them:
// what is said of own elements is computed for several widths.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "environment.h"
#include "optimised.h"
#include "own_accesses.h"
#include "shader_compiler.h"

namespace shaderqa::test {
namespace {

constexpr uint32_t kBindings = 8;  // each with a store

using Id = std::array<uint32_t, 3>;

struct Invocation {
  Id size{}, local{}, group{}, groups{};
  uint32_t width = 0, height = 0;
  uint32_t i = 0;  // of a loop
  uint32_t all(uint32_t axis) const { return group[axis] * size[axis] + local[axis]; }
};

template <typename Value>
struct Term {
  std::string text;
  std::function<Value(const Invocation&)> value;
};
using Number = Term<uint32_t>;
using Condition = Term<bool>;

Number both(const Number& a, const char* operation, const Number& b) {
  const char which = *operation;
  return {"(" + a.text + " " + operation + " " + b.text + ")", [a, b, which](const Invocation& i) {
            const uint32_t left = a.value(i), right = b.value(i);
            return which == '+' ? left + right : which == '-' ? left - right : left * right;
          }};
}

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  uint32_t below(uint32_t end) { return static_cast<uint32_t>(random_() % end); }

  // From then on the loop's variable stands for an id.
  void begin_loop(bool begins) { in_loop_ = begins; }

  Number start() {
    return below(2) == 0 ? id(0) : Number{"local.x", [](const Invocation& i) { return i.local[0]; }};
  }
  Number step(const Id& size) {
    switch (below(4)) {
      case 0:
        return shared(true);
      case 1:
        return constant(1 + below(40));
      default:
        return constant(size[0] << below(3));
    }
  }

  // By the loop's variable, with nothing that is otherwise.
  static Number plain_index() {
    return {"(all.y * width + i)", [](const Invocation& i) { return i.all(1) * i.width + i.i; }};
  }
  static Condition plain_limit() {
    return {"(i < width)", [](const Invocation& i) { return i.i < i.width; }};
  }

  // Mostly as programs have them, with one thing that is otherwise.
  Number index() {
    const Number width = shared(below(8) == 0), height = shared(true);
    Number at = below(3) == 0 ? both(both(id(2), "*", height), "+", id(1)) : id(1);
    at = both(both(at, "*", width), "+", id(0));
    if (below(3) == 0) at = both(both(at, "*", constant(1 + below(4))), "+", constant(below(3)));
    if (below(4) == 0) at = both(at, "+", shared(true));
    if (below(6) == 0) at = both(at, "+", both(id(below(3)), "*", shared(true)));
    if (in_loop_ && below(6) == 0)
      at = both(both(at, "+", constant(4096)), "-", both(id(0), "*", constant(1 + below(2))));
    return at;
  }

  Condition condition(uint32_t depth) {
    if (depth > 0 && below(2) == 0) {
      const Condition a = condition(depth - 1), b = condition(depth - 1);
      if (below(3) == 0)
        return {"(" + a.text + " || " + b.text + ")",
                [a, b](const Invocation& i) { return a.value(i) || b.value(i); }};
      return {"(" + a.text + " && " + b.text + ")",
              [a, b](const Invocation& i) { return a.value(i) && b.value(i); }};
    }
    if (depth > 0 && below(6) == 0) {
      const Condition a = condition(depth - 1);
      return {"!" + a.text, [a](const Invocation& i) { return !a.value(i); }};
    }
    return comparison();
  }

 private:
  static Number constant(uint32_t value) {
    return {std::to_string(value) + "u", [value](const Invocation&) { return value; }};
  }
  Number id(uint32_t axis) {
    if (below(12) == 0) axis = below(3);
    if (in_loop_ && axis == 0 && below(6) != 0) return {"i", [](const Invocation& i) { return i.i; }};
    const std::string component(1, "xyz"[axis]);
    if (below(in_loop_ ? 3 : 12) == 0)
      return {"group." + component, [axis](const Invocation& i) { return i.group[axis]; }};
    if (below(12) == 0) return {"local." + component, [axis](const Invocation& i) { return i.local[axis]; }};
    return {"all." + component, [axis](const Invocation& i) { return i.all(axis); }};
  }
  // Usually the width, where nothing else is asked for.
  Number shared(bool any) {
    switch (any ? below(5) : 0) {
      case 0:
        return {"width", [](const Invocation& i) { return i.width; }};
      case 1:
      case 2:
        return {"height", [](const Invocation& i) { return i.height; }};
      default:
        const uint32_t axis = below(2);
        const std::string component(1, "xy"[axis]);
        return {"(gl_NumWorkGroups." + component + " * gl_WorkGroupSize." + component + ")",
                [axis](const Invocation& i) { return i.groups[axis] * i.size[axis]; }};
    }
  }
  Condition comparison() {
    const uint32_t axis = below(2);
    Number left = id(axis), right = axis == 0 ? shared(below(6) == 0) : shared(true);
    if (below(5) == 0) left = both(left, "+", constant(below(3)));
    const uint32_t how = below(8);
    if (how == 0)
      return {"(" + left.text + " <= " + right.text + ")",
              [left, right](const Invocation& i) { return left.value(i) <= right.value(i); }};
    if (how == 1)
      return {"(" + left.text + " >= " + right.text + ")",
              [left, right](const Invocation& i) { return left.value(i) >= right.value(i); }};
    if (how == 2)
      return {"(int(" + left.text + ") < int(" + right.text + ") - 1)", [left, right](const Invocation& i) {
                return static_cast<int>(left.value(i)) < static_cast<int>(right.value(i)) - 1;
              }};
    return {"(" + left.text + " < " + right.text + ")",
            [left, right](const Invocation& i) { return left.value(i) < right.value(i); }};
  }

  std::mt19937 random_;
  bool in_loop_ = false;
};

// Along each axis as many workgroups as are told apart, or three.
std::vector<Invocation> invocations(const Id& size, const OwnAccess& access, uint32_t width,
                                    uint32_t height) {
  Id groups{};
  for (uint32_t axis = 0; axis < 3; ++axis) groups[axis] = std::min(3u, 1u << access.log2(axis));
  std::vector<Invocation> all;
  for (uint32_t group = 0; group < groups[0] * groups[1] * groups[2]; ++group)
    for (uint32_t n = 0; n < size[0] * size[1] * size[2]; ++n)
      all.push_back({size,
                     {n % size[0], n / size[0] % size[1], n / size[0] / size[1]},
                     {group % groups[0], group / groups[0] % groups[1], group / groups[0] / groups[1]},
                     groups,
                     width,
                     height});
  return all;
}

constexpr uint32_t kMostTurns = 6;

struct Store {
  Number index;
  Condition when;
  bool in_loop = false, backwards = false;
  // By how much the variable is moved behind the loop's condition and before the store, and when.
  uint32_t moved = 0;
  Condition moves = {};
  Number start = {}, step = {};
  Condition goes_on = {};

  std::string text(const std::string& name) const {
    std::string text = "if (" + when.text + ") " + name + "[" + index.text + "] = 1u;\n";
    if (!in_loop) return text;
    return "for (uint i = " + start.text + ", n = 0u; n < " + std::to_string(kMostTurns) + "u && " +
           goes_on.text + "; i " + (backwards ? "-" : "+") + "= " + step.text + ", ++n) {\n" +
           (moved == 0 ? "" : "if (" + moves.text + ") i += " + std::to_string(moved) + "u;\n") + text +
           "}\n";
  }
  std::vector<uint32_t> elements(Invocation each) const {
    std::vector<uint32_t> all;
    if (in_loop) each.i = start.value(each);
    for (uint32_t n = 0; n < (in_loop ? kMostTurns : 1); ++n) {
      if (in_loop && !goes_on.value(each)) break;
      if (moved != 0 && moves.value(each)) each.i += moved;
      if (when.value(each)) all.push_back(index.value(each));
      if (in_loop) each.i += backwards ? 0 - step.value(each) : step.value(each);
    }
    return all;
  }
};

bool do_meet(const Store& store, const std::vector<Invocation>& all) {
  std::unordered_map<uint32_t, const Invocation*> stored;
  return std::ranges::any_of(all, [&](const Invocation& each) {
    const std::vector<uint32_t> elements = store.elements(each);
    return std::ranges::any_of(
        elements, [&](uint32_t element) { return stored.emplace(element, &each).first->second != &each; });
  });
}

// How many stores are said to be to own elements.
struct Counts {
  uint32_t in_loops = 0, others = 0;
};

Counts try_seed(uint32_t seed) {
  const testing::TemporaryDirectory directory;
  Generator generator(seed);
  const std::array<Id, 4> sizes{{{8, 8, 1}, {16, 2, 1}, {4, 4, 2}, {32, 1, 1}}};
  const Id size = sizes[generator.below(sizes.size())];
  std::vector<Store> stores;
  std::string buffers, body;
  for (uint32_t n = 0; n < kBindings; ++n) {
    Store store;
    store.in_loop = generator.below(2) == 0;
    if (store.in_loop) {
      store.backwards = generator.below(8) == 0;
      if (generator.below(3) == 0) {
        store.moved = size[0] * (1 + generator.below(3));
        store.moves = generator.condition(0);
      }
      store.start = generator.start();
      store.step = generator.step(size);
      generator.begin_loop(true);
      store.goes_on = generator.condition(0);
    }
    store.index = generator.index();
    if (store.moved != 0 && generator.below(2) == 0) {
      store.index = Generator::plain_index();
      store.goes_on = Generator::plain_limit();
    }
    store.when = generator.condition(store.in_loop ? 0 : 2);
    generator.begin_loop(false);
    stores.push_back(store);
    const std::string name = "d" + std::to_string(n);
    buffers += "layout(binding = " + std::to_string(n) + ", std430) buffer B" + std::to_string(n) +
               " { uint " + name + "[]; };\n";
    body += store.text(name);
  }
  const std::string text = "layout(local_size_x = " + std::to_string(size[0]) +
                           ", local_size_y = " + std::to_string(size[1]) +
                           ", local_size_z = " + std::to_string(size[2]) + ") in;\n" + buffers +
                           "layout(push_constant) uniform P { uint width, height; };\n"
                           "void main() { uvec3 local = gl_LocalInvocationID, group = gl_WorkGroupID, all = "
                           "gl_GlobalInvocationID;\n" +
                           body + "}\n";
  const Module words = testing::read_words(testing::compile_glsl(directory.path(), "shader", "comp", text));
  const std::vector<OwnAccess> found = own_accesses(seed % 2 == 0 ? words : optimised(words));
  EXPECT_EQ(found.size(), kBindings) << text;
  Counts own;
  for (const OwnAccess& access : found) {
    if (access.reach == 0) continue;
    ++(stores[access.binding].in_loop ? own.in_loops : own.others);
    for (const uint32_t width : {0u, 1u, 2u, 7u, 8u, 16u, 23u, 48u, 100u})
      for (const uint32_t height : {0u, 1u, 3u, 6u, 24u, 50u})
        EXPECT_FALSE(do_meet(stores[access.binding], invocations(size, access, width, height)))
            << "seed " << seed << ", width " << width << ", height " << height << "\n"
            << stores[access.binding].text("d");
  }
  return own;
}

TEST(OwnRowsRandom, NoOtherInvocationTouchesThem) {
  Counts own;
  for (uint32_t seed = 1; seed <= 80; ++seed) {
    const Counts found = try_seed(seed);
    own.in_loops += found.in_loops;
    own.others += found.others;
  }
  EXPECT_GE(own.others, 25u) << "it says something";
  EXPECT_GE(own.in_loops, 15u);
}

}  // namespace
}  // namespace shaderqa::test
