// SPDX-License-Identifier: Apache-2.0
// Accesses to elements that only their invocation touches, in shaders as programs have them: for how many
// workgroups they are, and through which descriptors the memory may be reached.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "environment.h"
#include "optimised.h"
#include "own_accesses.h"
#include "shader_compiler.h"

namespace shaderqa::test {
namespace {

constexpr const char* kBuffers = R"(layout(binding = 0, std430) buffer A { uint a[]; };
layout(binding = 1, std430) buffer B { uint b[]; };
layout(binding = 2, std430) buffer C { vec2 c[]; };
layout(binding = 3, std430) buffer D { vec2 d[]; };
uint l = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x;
uvec3 local = gl_LocalInvocationID, group = gl_WorkGroupID, all = gl_GlobalInvocationID;
shared vec2 s[2048];
)";

std::string own_text(const OwnAccess& access) {
  std::string text = access.stores ? "store " : "load ";
  text += "abcd"[access.binding];
  if (access.reach == 0) return text;
  text += " own";
  for (uint32_t axis = 0; axis < 3; ++axis) text += " " + std::to_string(access.log2(axis));
  text += " of ";
  for (uint32_t slot = 0; slot < 4; ++slot)
    if (access.slots() >> slot & 1) text += "abcd"[slot];
  if (access.stored_later()) text += std::string(" stored to ") + "abcd"[access.stored()];
  return text + (access.only_read() ? " only read" : "");
}

class OwnAccesses : public ::testing::Test {
 protected:
  // One line for each access: "store a own 20 0 0 of ab".
  std::vector<std::string> found(const std::string& body, const std::string& size = "64") {
    const std::string sides[3] = {"local_size_x", "local_size_y", "local_size_z"};
    std::string layout, left = size + ",";
    for (size_t n = 0; n < 3 && !left.empty(); ++n) {
      layout += (n ? ", " : "") + sides[n] + " = " + left.substr(0, left.find(','));
      left.erase(0, left.find(',') + 1);
    }
    const Module words = testing::read_words(testing::compile_glsl(
        directory_.path(), "shader" + std::to_string(number_++), "comp",
        "layout(" + layout + ") in;\n" + kBuffers + constants_ + "void main() { " + body + " }\n"));
    std::vector<std::string> lines;
    for (const OwnAccess& access : own_accesses(optimised_ ? optimised(words) : words, options_))
      lines.push_back(own_text(access));
    return lines;
  }
  std::string only(const std::string& body, const std::string& size = "64") {
    const std::vector<std::string> lines = found(body, size);
    return lines.size() == 1 ? lines[0] : std::to_string(lines.size()) + " accesses";
  }

  // As glslang writes it and optimised: the same.
  std::string last_of_both(const std::string& body, const std::string& size = "64") {
    const std::string text = found(body, size).back();
    optimised_ = true;
    EXPECT_EQ(found(body, size).back(), text) << "optimised";
    optimised_ = false;
    return text;
  }

  std::string constants_;  // declarations
  bool optimised_ = false;
  WorkgroupOptions options_;  // what is known of them

 private:
  testing::TemporaryDirectory directory_;
  int number_ = 0;
};

using Lines = std::vector<std::string>;

TEST_F(OwnAccesses, AreOfRowsOfWorkgroups) {
  EXPECT_EQ(only("a[g] = 1;"), "store a own 20 0 0 of a");
  EXPECT_EQ(only("a[all.y] = 1;", "1, 64"), "store a own 0 16 0 of a");
  EXPECT_EQ(only("a[all.z] = 1;", "1, 1, 64"), "store a own 0 0 16 of a");
  EXPECT_EQ(only("a[group.x * 64 + l] = 1;"), "store a own 20 0 0 of a");
  EXPECT_EQ(only("a[gl_WorkGroupSize.x * group.x + local.x] = 1;"), "store a own 20 0 0 of a");
  EXPECT_EQ(only("a[group.y * 64 + l] = 1;"), "store a own 0 16 0 of a");
  EXPECT_EQ(only("a[l] = 1;"), "store a own 0 0 0 of a") << "one workgroup";
  EXPECT_EQ(only("a[group.x] = 1;", "1"), "store a own 20 0 0 of a");
  EXPECT_EQ(only("a[group.x] = 1;"), "store a") << "all of a workgroup have the same";
  EXPECT_EQ(only("a[group.x * 32 + l] = 1;"), "store a") << "half of the next workgroup's";
  EXPECT_EQ(only("a[g] = 1;", "8, 8"), "store a");
  EXPECT_EQ(only("a[group.x * 64 + l] = 1;", "8, 8"), "store a own 20 0 0 of a");
}

// As many workgroups as do not reach each other's elements, and not so many that indices come round; rounded
// down to a number that a bit stands for (abi_reach.h).
TEST_F(OwnAccesses, AreOfSoManyWorkgroups) {
  EXPECT_EQ(only("a[all.y * 1024 + all.x] = 1;", "16, 16"), "store a own 6 16 0 of a");
  EXPECT_EQ(only("a[all.y * 1000 + all.x] = 1;", "16, 16"), "store a own 5 16 0 of a");
  EXPECT_EQ(only("a[all.x * 1024 + all.y] = 1;", "16, 16"), "store a own 16 6 0 of a");
  EXPECT_EQ(only("a[(all.z * 128 + all.y) * 256 + all.x] = 1;", "8, 8, 1"), "store a own 5 3 8 of a");
  EXPECT_EQ(only("a[all.y * 8 + all.x] = 1;", "16, 16"), "store a");
  EXPECT_EQ(only("c[group.y * 4096 + l] = vec2(0);", "512"), "store c own 0 16 0 of c");
  EXPECT_EQ(only("c[group.x * 4096 + l] = vec2(0);", "512"), "store c own 16 0 0 of c");
  EXPECT_EQ(only("c[group.x * 0x100000 + l] = vec2(0);"), "store c own 9 0 0 of c");
  EXPECT_EQ(only("a[l * 256 + group.x] = 1;"), "store a own 8 0 0 of a") << "a column for each workgroup";
  EXPECT_EQ(only("a[l % 16 + group.x * 16 + l / 16 * 0x1000] = 1;"), "store a own 8 0 0 of a");
  EXPECT_EQ(only("a[group.x % 8 * 64 + l] = 1;"), "store a own 3 0 0 of a");
  EXPECT_EQ(only("a[group.x / 4 * 256 + group.x % 4 * 64 + l] = 1;"), "store a own 20 0 0 of a");
  EXPECT_EQ(only("a[g / 256 * 300 + g % 256] = 1;"), "store a own 20 0 0 of a") << "padded rows";
}

TEST_F(OwnAccesses, AreApartFromAllOfTheirBinding) {
  EXPECT_EQ(found("a[g * 2] = 1; a[g * 2 + 1] = 1;"),
            (Lines{"store a own 20 0 0 of a", "store a own 20 0 0 of a"}));
  EXPECT_EQ(found("a[g] = 1; a[g + 1] = 1;"), (Lines{"store a", "store a"}));
  EXPECT_EQ(found("a[group.x * 128 + l] = 1; a[group.x * 128 + l + 64] = 1;"),
            (Lines{"store a own 20 0 0 of a", "store a own 20 0 0 of a"}));
  EXPECT_EQ(found("a[group.x * 128 + l] = 1; a[group.x * 128 + l + 65] = 1;"), (Lines{"store a", "store a"}));
  EXPECT_EQ(found("a[g] = 1; b[0] = a[5];"), (Lines{"store a", "load a", "store b"}));
  EXPECT_EQ(found("a[g] = 1; atomicAdd(a[g], 1);").at(0), "store a");
}

TEST_F(OwnAccesses, AreLoadsThatAStoreFollows) {
  EXPECT_EQ(found("a[g] = a[g] * 3;"),
            (Lines{"load a own 20 0 0 of a stored to a", "store a own 20 0 0 of a"}));
  EXPECT_EQ(found("uint old = a[g]; barrier(); if (old > 3) b[g] = 1; a[g] = old + 1;").at(0),
            "load a own 20 0 0 of ab stored to a");
  EXPECT_EQ(found("uint old = a[g]; if (old > 3) a[g] = old + 1;").at(0), "load a");
  EXPECT_EQ(found("uint old = a[g]; if (old > 3) return; a[g] = old + 1;").at(0), "load a");
  EXPECT_EQ(found("uint old = a[g]; if (old > 3) a[g] = 1; else a[g] = 2;").at(0), "load a")
      << "neither store alone is on all paths";
  EXPECT_EQ(found("a[g] = 3; s[l].x = a[g];").at(1), "load a") << "the store is earlier";
  EXPECT_EQ(found("uint old = 0; for (uint n = 0; n < 9; ++n) { old += a[g]; } a[g] = old;").at(0),
            "load a own 20 0 0 of a stored to a");
  EXPECT_EQ(found("uint old = 0; for (uint n = 0; n < 9; ++n) { a[g] = old; old += a[g]; }").at(1), "load a")
      << "the last one";
  EXPECT_EQ(found("vec2 old = c[g]; c[g] = old.yx;").at(0), "load c own 20 0 0 of c stored to c");
  EXPECT_EQ(found("vec2 old = c[g]; c[g].x = old.y;").at(0), "load c") << "a part of it is not stored to";
  EXPECT_EQ(found("float old = c[g].y; c[g] = vec2(old);").at(0), "load c own 20 0 0 of c stored to c");
}

TEST_F(OwnAccesses, AreLoadsOfWhatIsOnlyRead) {
  EXPECT_EQ(found("if (a[g] > 3) b[5] = 1;").at(0), "load a own 20 0 0 of a only read");
  EXPECT_EQ(found("if (a[g] + a[g + 64] > 3) b[5] = 1;"), (Lines{"load a", "load a", "store b"}))
      << "another invocation reads it, too";
  EXPECT_EQ(found("if (a[g] > 3) a[g] = 1;").at(0), "load a")
      << "which the cell has to say if it does not store";
}

// In place: the same buffer may be in both bindings, or not.
TEST_F(OwnAccesses, AreThroughBindingsThatMayBeOfOneBuffer) {
  EXPECT_EQ(found("b[g] = a[g];"),
            (Lines{"load a own 20 0 0 of ab stored to b only read", "store b own 20 0 0 of ab"}));
  EXPECT_EQ(found("b[g] = a[g + 1];"),
            (Lines{"load a own 20 0 0 of a only read", "store b own 20 0 0 of b"}));
  EXPECT_EQ(found("b[g] = a[g] + a[5];"), (Lines{"load a", "load a", "store b own 20 0 0 of b"}));
  EXPECT_EQ(found("d[g].x = a[g]; b[g] = 1;"),
            (Lines{"load a own 20 0 0 of ab stored to b only read", "store d own 20 0 0 of d",
                   "store b own 20 0 0 of ab"}));
}

// The stages of a transform with its data in registers, as VkFFT writes them.
TEST_F(OwnAccesses, AreThoseOfATransform) {
  std::string body = "vec2 t[4]; uint id, at;\n";
  for (int k = 0; k < 4; ++k)
    body += "id = local.x + " + std::to_string(k * 256) +
            "; at = (id % 1024) + (id / 1024) * 1024; at += group.y * 1024; t[" + std::to_string(k) +
            "] = c[at];\n";
  body += "barrier(); s[l] = t[0]; barrier();\n";
  for (int k = 0; k < 4; ++k)
    body += "id = local.x + " + std::to_string(k * 256) +
            "; at = (id % 1024) + (id / 1024) * 1024; at += group.y * 1024; d[at] = t[" + std::to_string(k) +
            "];\n";
  const std::vector<std::string> lines = found(body, "256");
  EXPECT_EQ(lines.size(), 8u);
  EXPECT_EQ(std::ranges::count(lines, "load c own 0 16 0 of cd stored to d only read"), 4);
  EXPECT_EQ(std::ranges::count(lines, "store d own 0 16 0 of cd"), 4);
}

TEST_F(OwnAccesses, NeedIndicesThatAreFollowed) {
  EXPECT_EQ(only("a[63 - l] = 1;"), "store a") << "downwards";
  EXPECT_EQ(found("a[b[0] + g] = 1;").back(), "store a");
  EXPECT_EQ(only("a[g ^ 1] = 1;"), "store a");
}

constexpr const char* kPushed =
    "layout(push_constant) uniform P { uint width, height, base; ivec2 size; float scale; };\n";
constexpr const char* kOwnInRows = "store a own 20 16 0 of a";

TEST_F(OwnAccesses, AreInRowsOfAWidthThatIsAGuard) {
  constants_ = kPushed;
  const auto guarded = [&](const std::string& guard, const std::string& index = "all.y * width + all.x") {
    return last_of_both(guard + " a[" + index + "] = 1;", "16, 4");
  };
  EXPECT_EQ(guarded("if (all.x < width)"), kOwnInRows);
  EXPECT_EQ(guarded("if (width > all.x)"), kOwnInRows);
  EXPECT_EQ(guarded("if (all.x >= width) return;"), kOwnInRows);
  EXPECT_EQ(guarded("if (all.x >= width || all.y >= height) return;"), kOwnInRows);
  EXPECT_EQ(guarded("if (all.y >= height || all.x >= width) return;"), kOwnInRows);
  EXPECT_EQ(guarded("if (!(all.y < height && all.x < width)) return;"), kOwnInRows);
  EXPECT_EQ(guarded("if (all.y < height && all.x < width)"), kOwnInRows);
  EXPECT_EQ(guarded("bool in_row = all.x < width, in_column = all.y < height; if (in_row && in_column)"),
            kOwnInRows);
  EXPECT_EQ(guarded("if (all.y < height) if (all.x < width)"), kOwnInRows);
  EXPECT_EQ(guarded("if (all.x + 1 < width)"), kOwnInRows);
  EXPECT_EQ(guarded("if (all.x + 1 <= width)"), kOwnInRows);
  const std::string of_size = "all.y * size.x + all.x";
  EXPECT_EQ(guarded("if (any(greaterThanEqual(ivec2(all.xy), size))) return;", of_size), kOwnInRows);
  EXPECT_EQ(guarded("ivec2 at = ivec2(all.xy); if (at.x >= size.x || at.y >= size.y) return;",
                    "at.y * size.x + at.x"),
            kOwnInRows);
  EXPECT_EQ(guarded("if (!any(greaterThanEqual(ivec2(all.xy), size - 1)))", of_size), kOwnInRows);
  EXPECT_EQ(guarded("if (int(all.x) < size.x - 1)", of_size), kOwnInRows);
  EXPECT_EQ(guarded("if (all.x < width)", "all.x + width * all.y + base"), kOwnInRows);
  EXPECT_EQ(guarded("if (all.x < width)", "(all.y * width + all.x) * 3 + 1"), kOwnInRows);
  EXPECT_EQ(guarded("if (all.y < height)", "all.x * height + all.y"), kOwnInRows);
}

TEST_F(OwnAccesses, AreInNoRowsWithoutThatGuard) {
  constants_ = kPushed;
  const auto guarded = [&](const std::string& guard, const std::string& index = "all.y * width + all.x") {
    return last_of_both(guard + " a[" + index + "] = 1;", "16, 4");
  };
  EXPECT_EQ(guarded(""), "store a");
  EXPECT_EQ(guarded("if (all.y < height)"), "store a");
  EXPECT_EQ(guarded("if (all.x < height)"), "store a") << "another width";
  EXPECT_EQ(guarded("if (all.x <= width)"), "store a");
  EXPECT_EQ(guarded("if (all.x >= width)"), "store a");
  EXPECT_EQ(guarded("if (all.x - 1 < width)"), "store a");
  EXPECT_EQ(guarded("if (all.x < width - 1)"), "store a") << "a width of 0";
  EXPECT_EQ(guarded("if (all.x < width || all.y < height)"), "store a");
  EXPECT_EQ(guarded("if (all.x < width && all.y < height) b[0] = 1;"), "store a") << "behind it";
  EXPECT_EQ(guarded("if (local.x < width)"), "store a");
  EXPECT_EQ(guarded("if (all.x < width)", "all.y * width + all.x * 2"), "store a");
  EXPECT_EQ(guarded("if (all.x < width)", "all.y * width + all.x / 2"), "store a");
  EXPECT_EQ(guarded("if (all.x < width)", "local.y * width + all.x"), "store a own 20 0 0 of a");
  EXPECT_EQ(guarded("if (all.x < width)", "all.y * width + local.x"), "store a");
  EXPECT_EQ(guarded("if (all.x < width)", "all.y * height + all.x"), "store a");
  EXPECT_EQ(guarded("if (all.x < width)", "all.y * width * width + all.x"), "store a");
  EXPECT_EQ(guarded("if (all.x < b[0])", "all.y * b[0] + all.x"), "store a") << "which others may change";
  EXPECT_EQ(found("uint i = all.y * width + all.x; if (all.x < width) a[i] = 1; b[g] = a[i];", "16, 4").at(0),
            "store a")
      << "another access to the buffer is not behind the guard";
  EXPECT_EQ(
      found("uint i = all.y * width + all.x; if (all.x < width) { a[i] = 1; b[g] = a[i + 1]; }", "16, 4")
          .at(0),
      "store a")
      << "a neighbour's";
  EXPECT_EQ(
      found("uint i = all.y * width + all.x; if (all.x < width) { a[i] = 1; b[g] = a[i + width]; }", "16, 4")
          .at(0),
      "store a")
      << "one of the next row";
  EXPECT_EQ(guarded("bool inside; if (all.y < height) inside = all.x < width; if (inside)"), "store a")
      << "it may not be stored to";
  // What held in the turn before does not hold in this one.
  EXPECT_EQ(guarded("bool inside = true; for (uint n = 0; n < base; ++n) { if (!inside) break; a[all.y * "
                    "width + all.x] = n; "
                    "inside = all.x < width; }"),
            "store a");
}

TEST_F(OwnAccesses, AreInPlanesOfRows) {
  constants_ = kPushed;
  const std::string index = "(all.z * height + all.y) * width + all.x";
  EXPECT_EQ(only("if (all.x < width && all.y < height) a[" + index + "] = 1;", "8, 8"),
            "store a own 20 16 16 of a");
  EXPECT_EQ(
      only("if (all.x < width && all.y < height) a[all.z * (width * height) + all.y * width + all.x] = 1;",
           "8, 8"),
      "store a own 20 16 16 of a");
  EXPECT_EQ(only("if (all.x < width) a[" + index + "] = 1;", "8, 8"), "store a");
  EXPECT_EQ(only("if (all.y < height) a[" + index + "] = 1;", "8, 8"), "store a");
  EXPECT_EQ(only("if (all.x < width && all.y < height) a[all.y * width + all.x] = 1;", "4, 4, 4"), "store a");
}

TEST_F(OwnAccesses, AreInRowsOfAllWorkgroups) {
  EXPECT_EQ(only("a[gl_NumWorkGroups.x * 64 * all.y + all.x] = 1;"), kOwnInRows);
  EXPECT_EQ(only("a[(group.y * gl_NumWorkGroups.x + group.x) * 64 + l] = 1;", "8, 8"), kOwnInRows);
  EXPECT_EQ(only("a[((group.z * gl_NumWorkGroups.y + group.y) * gl_NumWorkGroups.x + group.x) * 64 + l] = 1;",
                 "8, 8"),
            "store a own 20 16 16 of a");
  EXPECT_EQ(only("a[gl_NumWorkGroups.x * gl_WorkGroupSize.x * all.y + all.x] = 1;", "16, 4"), kOwnInRows);
  EXPECT_EQ(only("a[gl_NumWorkGroups.x * 63 * all.y + all.x] = 1;"), "store a");
  EXPECT_EQ(only("a[gl_NumWorkGroups.y * 64 * all.y + all.x] = 1;"), "store a");
  EXPECT_EQ(only("a[(group.y * gl_NumWorkGroups.x + group.x) * 32 + l] = 1;", "8, 8"), "store a");
}

// Along which a loop moves on.
TEST_F(OwnAccesses, AreInStrides) {
  constants_ = kPushed;
  EXPECT_EQ(last_of_both("for (uint i = g; i < 4096; i += 1024) a[i] = 1;"), "store a own 3 0 0 of a");
  EXPECT_EQ(last_of_both("for (uint i = g; i < width; i += 1024) a[i] = 1;"), "store a own 3 0 0 of a");
  EXPECT_EQ(last_of_both("for (uint i = g; i < width; i += gl_NumWorkGroups.x * 64) a[i] = 1;"),
            "store a own 20 0 0 of a");
  EXPECT_EQ(last_of_both(
                "for (uint i = g; i < width; i += gl_NumWorkGroups.x * gl_WorkGroupSize.x) a[base + i] = 1;"),
            "store a own 20 0 0 of a");
  EXPECT_EQ(last_of_both("for (uint i = g; i < width; i += gl_NumWorkGroups.x * 32) a[i] = 1;"), "store a");
  EXPECT_EQ(last_of_both("for (uint i = g; i < width; i += base) a[i] = 1;"), "store a");
  EXPECT_EQ(last_of_both("for (uint i = g; i < width; i *= 2) a[i] = 1;"), "store a");
  EXPECT_EQ(last_of_both("for (uint n = b[0], i = g; i < width; i += n) a[i] = 1;"), "store a");
  EXPECT_EQ(last_of_both("for (uint i = l; i < 1024; i += 64) a[group.x * 1024 + i] = 1;"), "store a")
      << "a limit of the loop is not looked at";
  EXPECT_EQ(last_of_both("for (uint i = 0; i < width; ++i) a[g * 4 + i] = 1;"), "store a");
  EXPECT_EQ(last_of_both(
                "for (uint i = g; i < width; i += 1024) for (uint n = 0; n < 8192; n += 2048) a[i + n] = 1;"),
            "store a own 3 0 0 of a");
  EXPECT_EQ(last_of_both("for (uint n = 0; n < 8; ++n) a[g + (n & 1) * 64] = 1;"), "store a");
  EXPECT_EQ(last_of_both("for (uint n = 0; n < 8192; n += 64) a[g + 64000 - n] = 1;"), "store a");
  EXPECT_EQ(last_of_both("for (uint n = 0; n < 8192; n += 96) a[g + 64000 - n] = 1;"),
            "store a own 0 0 0 of a");
}

// A row for each workgroup, as softmax and normalisations have them.
TEST_F(OwnAccesses, AreInRowsThatLoopsGoThrough) {
  constants_ = kPushed;
  optimised_ = true;
  EXPECT_EQ(only("for (uint i = l; i < width; i += 64) a[group.x * width + i] = 1;"),
            "store a own 20 0 0 of a");
  EXPECT_EQ(only("for (int i = int(l); i < size.x; i += 64) a[group.x * size.x + i] = 1;"),
            "store a own 20 0 0 of a");
  EXPECT_EQ(only("for (uint i = l; i < width; i += 64) a[(group.y * gl_NumWorkGroups.x + group.x) * width + "
                 "i] = 1;"),
            "store a own 20 16 0 of a");
  EXPECT_EQ(
      only("uint row = group.z * 262144 + group.y * 512 + group.x; for (uint i = l; i < width; i += 64) "
           "a[row * width + i] = 1;"),
      "store a own 9 9 16 of a");
  EXPECT_EQ(
      only("uint row = (group.z * gl_NumWorkGroups.y + group.y) * gl_NumWorkGroups.x + group.x; "
           "for (uint n = 0; ; n += 64) { uint i = n + l; if (i >= width) break; a[row * width + i] = 1; }"),
      "store a own 20 16 16 of a");
  EXPECT_EQ(only("for (uint i = l; i < width; i += 32) a[group.x * width + i] = 1;"), "store a");
  EXPECT_EQ(only("for (uint i = l; i < height; i += 64) a[group.x * width + i] = 1;"), "store a");
  EXPECT_EQ(only("for (int i = int(l) + 640; i < size.x; i -= 64) a[group.x * size.x + i] = 1;"), "store a")
      << "it may become negative";
  EXPECT_EQ(only("for (int i = int(l); i < size.x; i += size.y * 64) a[group.x * size.x + i] = 1;"),
            "store a");
  EXPECT_EQ(only("for (uint i = l; i < width; i += 64) for (uint j = l; j < height; j += 64) a[group.x * "
                 "width + j] = 1;"),
            "store a")
      << "another loop's limit";
  EXPECT_EQ(only("uint i = l; while (i < width) { i += 64; a[group.x * width + i - 64] = 1; }"),
            "store a own 20 0 0 of a");
  EXPECT_EQ(found("for (uint i = l; i < width; i += 64) a[group.x * width + i] *= 2;"),
            (Lines{"load a own 20 0 0 of a stored to a", "store a own 20 0 0 of a"}));
  EXPECT_EQ(found("uint sum = 0; for (uint i = l; i < width; i += 64) sum += a[group.x * width + i];"
                  "for (uint i = l; i < width; i += 64) a[group.x * width + i] = sum;"),
            (Lines{"load a", "store a own 20 0 0 of a"}))
      << "the second loop may not store to all of them";
  EXPECT_EQ(
      found("uint sum = 0; for (uint i = l; i < width; i += 64) sum += a[group.x * width + i];"
            "for (uint i = l; i < width; i += 64) b[group.x * width + i] = a[group.x * width + i] + sum;"),
      (Lines{"load a own 20 0 0 of a only read", "load a own 20 0 0 of ab stored to b only read",
             "store b own 20 0 0 of ab"}));
}

// The number of workgroups says nothing of what a loop adds.
TEST_F(OwnAccesses, AreInRowsOfWorkgroupsWithoutLoops) {
  constants_ = kPushed;
  optimised_ = true;
  const std::string row = "group.y * (gl_NumWorkGroups.x * gl_WorkGroupSize.x)";
  EXPECT_EQ(only("a[" + row + " + g] = 1;"), "store a own 20 16 0 of a");
  EXPECT_EQ(only("for (uint i = g; i < width; i += 64) a[" + row + " + i] = 1;"), "store a");
  EXPECT_EQ(only("for (uint i = g; i < 2048; i += 64) a[" + row + " + i] = 1;"), "store a");
}

// Their variables may be in memory.
TEST_F(OwnAccesses, AreInRowsThatLoopsOfVariablesGoThrough) {
  constants_ = kPushed;
  EXPECT_EQ(only("for (uint i = l; i < width; i += 64) a[group.x * width + i] = 1;"),
            "store a own 20 0 0 of a");
  EXPECT_EQ(only("uint i = l; while (true) { if (i >= width) break; a[group.x * width + i] = 1; i += 64; }"),
            "store a own 20 0 0 of a");
  EXPECT_EQ(only("for (uint n = 0; ; n += 64) { uint i = n + l; if (i >= width) break; "
                 "a[group.x * width + i] = 1; }"),
            "store a own 20 0 0 of a");
  EXPECT_EQ(only("uint i = l; while (i < width) { i += 64; a[group.x * width + i - 64] = 1; }"),
            "store a own 20 0 0 of a");
  EXPECT_EQ(only("for (uint i = l; i < width; i += 64) { if (height == 3) i += 64; else i += 128; "
                 "a[group.x * width + i] = 1; }"),
            "store a")
      << "beyond the limit";
  EXPECT_EQ(only("for (uint i = l; i < width; i += 64) { for (uint n = 0; n < height; ++n) { "
                 "a[group.x * width + i] = 1; i += 64; } }"),
            "store a");
  EXPECT_EQ(only("for (uint i = l; i < width; i += 64) for (uint n = 0; n < height; ++n) "
                 "a[group.x * width + i] = n;"),
            "store a own 20 0 0 of a");
  EXPECT_EQ(only("uint i = l; while (i < width) i += 64; a[group.x * width + i] = 1;"), "store a")
      << "the limit is reached";
  EXPECT_EQ(only("uint before = l; for (uint i = l; i < width; i += 64) { a[group.x * width + before] = 1; "
                 "before = i; }"),
            "store a")
      << "of the turn before";
  // Another loop of the same variable.
  EXPECT_EQ(only("uint i = l; for (; i >= width; i -= 64) {} "
                 "for (uint n = 0; n < 4; ++n, i += 64) a[group.x * width + i] = 1;"),
            "store a");
}

TEST_F(OwnAccesses, MayBeginAnywhere) {
  constants_ = kPushed;
  EXPECT_EQ(only("a[base + g] = 1;"), "store a own 20 0 0 of a");
  EXPECT_EQ(only("a[base * width + g] = 1;"), "store a own 20 0 0 of a");
  EXPECT_EQ(only("a[(base & 0xffff) + g] = 1;"), "store a own 20 0 0 of a");
  EXPECT_EQ(only("a[base / 4 + (base >> 16) + (width | 3) + g] = 1;"), "store a own 20 0 0 of a");
  EXPECT_EQ(found("a[(base & 0xffff) + g] = a[(base & 0xfffe) + g] + 1;"), (Lines{"load a", "store a"}));
  EXPECT_EQ(found("a[(base & 0xffff) + g] = a[(base & 0xffff) + g] + 1;").back(), "store a own 20 0 0 of a");
  EXPECT_EQ(found("a[base + g] = a[base + g] + 1;"),
            (Lines{"load a own 20 0 0 of a stored to a", "store a own 20 0 0 of a"}));
  EXPECT_EQ(found("a[base + g] = a[g] + 1;"), (Lines{"load a", "store a"}));
  EXPECT_EQ(only("a[base * g] = 1;"), "store a") << "0, or a large number";
  EXPECT_EQ(only("a[uint(scale) + g] = 1;"), "store a");
}

TEST_F(OwnAccesses, FollowThePipelinesConstants) {
  constants_ = "layout(local_size_x_id = 0) in;\nlayout(constant_id = 1) const uint kStep = 1;\n";
  const std::string of_size = "a[gl_WorkGroupSize.x * group.x + local.x] = 1;";
  EXPECT_EQ(only("a[g] = 1;"), "store a") << "what the pipeline gives them is not known";
  options_.values_known = true;
  EXPECT_EQ(only("a[g * kStep] = 1;"), "store a own 20 0 0 of a");
  EXPECT_EQ(only(of_size), "store a own 20 0 0 of a");
  options_.values = {{0, 32}};
  EXPECT_EQ(only(of_size), "store a own 20 0 0 of a");
  EXPECT_EQ(only("a[group.x * 64 + l] = 1;"), "store a own 20 0 0 of a");
  options_.values = {{0, 128}};
  EXPECT_EQ(only("a[group.x * 64 + l] = 1;"), "store a") << "half of the next workgroup's";
  options_.values = {{1, 0}};
  EXPECT_EQ(only("a[g * kStep] = 1;"), "store a") << "all the same";
}

}  // namespace
}  // namespace shaderqa::test
