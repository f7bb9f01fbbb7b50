// SPDX-License-Identifier: Apache-2.0
// Accesses to elements that only their invocation touches, in shaders as programs have them: for how many
// workgroups they are, and through which descriptors the memory may be reached.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "environment.h"
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
    for (const OwnAccess& access : own_accesses(words, options_)) lines.push_back(own_text(access));
    return lines;
  }
  std::string only(const std::string& body, const std::string& size = "64") {
    const std::vector<std::string> lines = found(body, size);
    return lines.size() == 1 ? lines[0] : std::to_string(lines.size()) + " accesses";
  }

  std::string constants_;     // declarations
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
  EXPECT_EQ(only("a[all.y * 1000 + all.x] = 1;", "16, 16"), "store a own 4 16 0 of a");
  EXPECT_EQ(only("a[all.x * 1024 + all.y] = 1;", "16, 16"), "store a own 16 6 0 of a");
  EXPECT_EQ(only("a[(all.z * 128 + all.y) * 256 + all.x] = 1;", "8, 8, 1"), "store a own 4 3 8 of a");
  EXPECT_EQ(only("a[all.y * 8 + all.x] = 1;", "16, 16"), "store a");
  EXPECT_EQ(only("c[group.y * 4096 + l] = vec2(0);", "512"), "store c own 0 16 0 of c");
  EXPECT_EQ(only("c[group.x * 4096 + l] = vec2(0);", "512"), "store c own 16 0 0 of c");
  EXPECT_EQ(only("c[group.x * 0x100000 + l] = vec2(0);"), "store c own 8 0 0 of c");
  EXPECT_EQ(only("a[l * 256 + group.x] = 1;"), "store a own 8 0 0 of a") << "a column for each workgroup";
  EXPECT_EQ(only("a[l % 16 + group.x * 16 + l / 16 * 0x1000] = 1;"), "store a own 8 0 0 of a");
  EXPECT_EQ(only("a[group.x % 8 * 64 + l] = 1;"), "store a own 2 0 0 of a");
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
  EXPECT_EQ(only("for (uint i = g; i < 4096; i += 1024) a[i] = 1;"), "store a");
  EXPECT_EQ(only("a[g ^ 1] = 1;"), "store a");
  EXPECT_EQ(only("a[gl_NumWorkGroups.x * 64 * all.y + all.x] = 1;"), "store a");
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
