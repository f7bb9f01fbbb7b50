// SPDX-License-Identifier: Apache-2.0
// Accesses to workgroup memory that need no check, since invocations stay with elements of their own; and
// those that look like them, and race. Each shader is tried as glslang writes it, and optimised.
#include "instrument/accesses/workgroup_elements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "environment.h"
#include "optimised.h"
#include "shader_compiler.h"
#include "support.h"
#include "workgroup_checks.h"

namespace shaderqa::test {
namespace {

constexpr const char* kShared = R"(layout(binding = 0) buffer Data { uint data[]; };
struct Pair { uint first, second; };
shared uint s[1024], one;
shared uint tile[16][17];
shared uvec4 vectors[256];
shared Pair pairs[64];
)";

bool is_checked(const Module& words) {
  const std::vector<bool> checked = checked_variables(words);
  EXPECT_FALSE(checked.empty()) << "the shader accesses workgroup memory";
  return std::ranges::any_of(checked, [](bool each) { return each; });
}

class WorkgroupElementsTest : public ::testing::Test {
 protected:
  // size: "x, y, z". l: the index of the invocation; x, y: its id.
  bool needs_checks(const std::string& body, const std::string& size = "64") {
    const std::string sides[3] = {"local_size_x", "local_size_y", "local_size_z"};
    std::string layout, left = size + ",";
    for (size_t n = 0; n < 3 && !left.empty(); ++n) {
      layout += (n ? ", " : "") + sides[n] + " = " + left.substr(0, left.find(','));
      left.erase(0, left.find(',') + 1);
    }
    const std::string text =
        "layout(" + layout + ") in;\n" + kShared + functions_ +
        "void main() { uint l = gl_LocalInvocationIndex, x = gl_LocalInvocationID.x, y = "
        "gl_LocalInvocationID.y, r = data[l];\n" +
        body + "\ndata[l] = r; }\n";
    const Module words =
        testing::read_words(testing::compile_glsl(directory_.path(), "shader", "comp", text));
    const bool checked = is_checked(words);
    EXPECT_EQ(is_checked(optimised(words)), checked) << "optimised: " << body;
    return checked;
  }

  std::string functions_;

 private:
  const testing::TemporaryDirectory directory_;
};

#define EXPECT_FREE(...) EXPECT_FALSE(needs_checks(__VA_ARGS__)) << "are checked"
#define EXPECT_CHECKED(...) EXPECT_TRUE(needs_checks(__VA_ARGS__)) << "are not checked"

TEST_F(WorkgroupElementsTest, OwnElements) {
  EXPECT_FREE("s[l] = r; r = s[l];");
  EXPECT_FREE("s[l + 3u] = r; r = s[l + 3u];");
  EXPECT_CHECKED("s[l] = r; r = s[l + 1u];");
  EXPECT_FREE("s[l] = r; barrier(); r = s[l + 1u];");
  EXPECT_CHECKED("s[l] = r; barrier(); r = s[l + 1u]; s[l] = r;");
  EXPECT_CHECKED("s[r] = r;");
  EXPECT_CHECKED("s[l + r] = r;");
  EXPECT_CHECKED("s[l * r] = r;") << "r may be 0";
  EXPECT_CHECKED("s[3] = r;");
  EXPECT_CHECKED("one = r;");
  EXPECT_FREE("s[gl_LocalInvocationID.x] = r; r = s[l];");
  EXPECT_FREE("int i = int(l); s[i] = r;");
}

TEST_F(WorkgroupElementsTest, NoMatterWhichWay) {
  EXPECT_FREE("if (r > 3u) s[l] = r; else r = s[l];");
  EXPECT_CHECKED("if (r > 3u) s[l] = r; else r = s[l ^ 1u];");
  EXPECT_FREE("uint i = l; if (r > 3u) i = l + 64u; s[i] = r;") << "one of two elements of its own";
  EXPECT_CHECKED("uint i = l; if (r > 3u) i = l + 32u; s[i] = r;");
  EXPECT_CHECKED("uint i = l; if (r > 3u) i = 0u; s[i] = r;");
  EXPECT_CHECKED("uint i = r > 3u ? l : l + 1u; s[i] = r;");
}

TEST_F(WorkgroupElementsTest, StepsOfTheWorkgroup) {
  EXPECT_FREE("s[l] = r; s[l + 64u] = r; r = s[l + 128u];");
  EXPECT_CHECKED("s[l] = r; r = s[l + 63u];");
  EXPECT_FREE("for (uint i = l; i < 1000u; i += 64u) s[i] = data[i];");
  EXPECT_FREE("for (uint i = l; i < 1000u; i += 128u) s[i] = data[i];");
  EXPECT_CHECKED("for (uint i = l; i < 1000u; i += 32u) s[i] = data[i];");
  EXPECT_CHECKED("for (uint i = l; i < 1000u; i += r) s[i] = data[i];");
  EXPECT_CHECKED("for (uint i = l; i < 1000u; i += 64u) s[i + (i & 1u)] = data[i];");
  EXPECT_FREE("for (uint i = 0u; i < 16u; ++i) s[i * 64u + l] = data[i];");
  EXPECT_CHECKED("for (uint i = 0u; i < 16u; ++i) s[i * 32u + l] = data[i];");
  EXPECT_FREE("s[r * 64u + l] = r;") << "whatever r is";
  // 50 * r may come round to any number: modulo 2^32.
  EXPECT_CHECKED("s[r * 50u + l] = r;", "50");
  EXPECT_FREE("s[l] = r; r = s[l];", "50");
  EXPECT_CHECKED("for (uint i = 0u; i < 16u; ++i) s[i * 50u + l] = data[i];", "50");
}

TEST_F(WorkgroupElementsTest, BlocksOfElements) {
  EXPECT_FREE("s[l * 4u] = r; s[l * 4u + 3u] = r;");
  EXPECT_CHECKED("s[l * 4u] = r; s[l * 4u + 4u] = r;");
  EXPECT_CHECKED("s[l * 4u] = r; s[l * 3u] = r;");
  EXPECT_FREE("s[l << 2] = r;");
  EXPECT_FREE("vectors[l] = uvec4(r); vectors[l].y = r; r = vectors[l].z;");
  EXPECT_CHECKED("vectors[l].y = r; r = vectors[l + 1u].y;");
  EXPECT_FREE("pairs[l].first = r; r = pairs[l].second;");
  EXPECT_CHECKED("pairs[l].second = r; r = pairs[63u - l].second;");
}

TEST_F(WorkgroupElementsTest, SeveralDimensions) {
  EXPECT_FREE("tile[y][x] = r; r = tile[y][x];", "16, 16");
  EXPECT_FREE("tile[x][y] = r;", "16, 16");
  EXPECT_CHECKED("tile[y][x] = r; r = tile[x][y];", "16, 16");
  EXPECT_FREE("tile[y][x] = r; barrier(); r = tile[x][y];", "16, 16");
  EXPECT_CHECKED("tile[y][0] = r;", "16, 16");
  EXPECT_FREE("tile[y][0] = r;", "1, 16");
  EXPECT_FREE("s[y * 16u + x] = r; r = s[y * 16u + x];", "16, 16");
  EXPECT_CHECKED("s[y * 15u + x] = r;", "16, 16");
  EXPECT_CHECKED("s[y + x] = r;", "16, 16");
  EXPECT_FREE("s[l] = r;", "4, 4, 4");
  EXPECT_FREE("s[gl_LocalInvocationID.z * 16u + y * 4u + x] = r;", "4, 4, 4");
  EXPECT_CHECKED("s[y * 4u + x] = r;", "4, 4, 4");
}

TEST_F(WorkgroupElementsTest, DigitsOfTheIndex) {
  EXPECT_FREE("tile[l / 16u][l % 16u] = r; r = tile[l / 16u][l % 16u];", "256");
  EXPECT_FREE("tile[l >> 4][l & 15u] = r;", "256");
  EXPECT_FREE("tile[l % 16u][l / 16u] = r;", "256");
  EXPECT_CHECKED("tile[l / 16u][l % 8u] = r;", "256");
  EXPECT_CHECKED("tile[l / 32u][l % 16u] = r;", "256");
  EXPECT_CHECKED("s[l % 32u] = r;");
  EXPECT_FREE("s[l % 64u] = r;");
  EXPECT_FREE("s[l & 127u] = r;");
  EXPECT_CHECKED("s[l / 2u] = r;");
  EXPECT_FREE("uint i = l / 4u; s[i / 4u * 16u + i % 4u * 4u + l % 4u] = r;");
  EXPECT_CHECKED("s[(l + 1u) % 64u] = r; r = s[l];");
  EXPECT_FREE("uint i = l + 64u; s[i / 8u * 8u + i % 8u] = r;");
  EXPECT_FREE("uint i = 2u * l; s[i / 16u * 16u + i % 16u + 1u] = r; r = s[i / 16u * 16u + i % 16u];");
  EXPECT_CHECKED("uint i = 2u * l; s[i / 16u * 8u + i % 16u] = r;");
  EXPECT_CHECKED("uint i = l - 1u; s[i / 2u * 2u + i % 2u] = r;") << "l may be 0";
}

// The stages of a Fourier transform: eight elements of an invocation, whose distance grows.
TEST_F(WorkgroupElementsTest, ElementsBetweenThoseOfOthers) {
  EXPECT_FREE(
      "s[l / 8u * 64u + l % 8u] = r; s[l / 8u * 64u + l % 8u + 8u] = r; s[l / 8u * 64u + l % 8u + 56u] = r;");
  EXPECT_CHECKED("s[l / 8u * 64u + l % 8u] = r; s[l / 8u * 64u + l % 8u + 64u] = r;");
  EXPECT_CHECKED("s[l / 8u * 64u + l % 8u] = r; s[l / 8u * 64u + l % 8u + 4u] = r;");
  EXPECT_FREE("s[8u * l] = r; s[8u * l + 5u] = r;");
  EXPECT_FREE("tile[y][x] = r; r = tile[y][x + 13u];", "4, 16") << "between the rows";
  EXPECT_CHECKED("tile[y][x] = r; r = tile[y][x + 14u];", "4, 16") << "17 is the next row's first";
  EXPECT_FREE("s[8u * l - 7u * (l % 8u)] = r; s[8u * l - 7u * (l % 8u) + 56u] = r;");
  EXPECT_CHECKED("s[8u * l - 6u * (l % 8u)] = r; s[8u * l - 6u * (l % 8u) + 56u] = r;");
  EXPECT_CHECKED("s[4u * l - 4u * (l % 8u)] = r;");
  EXPECT_FREE("s[l + l / 32u] = r; s[l + l / 32u + 66u] = r;") << "without conflicts of banks";
  EXPECT_CHECKED("s[l + l / 32u] = r; r = s[l + l / 32u + 1u];");
  EXPECT_FREE("s[l + l / 32u] = r; r = s[l + (l >> 5) + 33u * 2u];");
  EXPECT_CHECKED("s[l - l / 32u] = r;") << "31 and 32 have the same";
  EXPECT_CHECKED("vectors[l / 8u * 16u + l % 8u].x = r; r = s[l]; s[l * 2u] = r; s[l * 2u + 2u] = r;");
  EXPECT_FREE("vectors[l / 8u * 16u + l % 8u] = uvec4(r); r = vectors[l / 8u * 16u + l % 8u + 8u].w;");
}

// A variable has what was stored to it last.
TEST_F(WorkgroupElementsTest, VariablesThatAreUsedAgain) {
  EXPECT_FREE("uint i = l; s[i] = r; i = l + 64u; s[i] = r; i = 4u * l + 512u; s[i] = r;");
  EXPECT_CHECKED("uint i = l; s[i] = r; i = l + 1u; s[i] = r;");
  EXPECT_FREE("uint i = r; i = l; s[i] = r; i = data[r];");
  EXPECT_CHECKED("uint i = l; if (r > 3u) i = r; s[i] = r; i = l;");
}

TEST_F(WorkgroupElementsTest, OneInvocation) {
  EXPECT_FREE("if (l == 0u) one = r;");
  EXPECT_FREE("if (l == 0u) { one = r; s[r] = r; r = s[3]; }");
  EXPECT_CHECKED("if (l == 0u) one = r; r = one;");
  EXPECT_FREE("if (l == 0u) one = r; barrier(); r = one;");
  EXPECT_CHECKED("if (l == 0u) one = r; if (l == 1u) r = one;");
  EXPECT_CHECKED("if (l != 0u) one = r;");
  EXPECT_CHECKED("if (r == 0u) one = r;");
  EXPECT_CHECKED("if (x == 0u) one = r;", "16, 4") << "four have this x";
  EXPECT_FREE("if (x == 0u && l == 0u) one = r;", "16, 4");
  EXPECT_FREE("s[l] = r; if (l == 5u) r = s[5];");
  EXPECT_CHECKED("s[l] = r; if (l == 5u) r = s[6];");
  EXPECT_CHECKED("if (l == 0u || r == 1u) one = r;");
  EXPECT_FREE("one = r; r = s[3];", "1");
}

TEST_F(WorkgroupElementsTest, Bounds) {
  EXPECT_FREE("if (l < 32u) s[l] += s[l + 32u];");
  EXPECT_CHECKED("if (l < 33u) s[l] += s[l + 32u];");
  EXPECT_CHECKED("if (l <= 32u) s[l] += s[l + 32u];");
  EXPECT_FREE("if (!(l >= 32u)) s[l] += s[l + 32u];");
  EXPECT_CHECKED("if (l < r) s[l] += s[l + 32u];");
  EXPECT_FREE("if (l >= 32u) r = s[l - 32u]; if (l >= 32u) s[l] = r;");
  EXPECT_CHECKED("if (l > 30u) r = s[l - 32u]; if (l > 30u) s[l] = r;");
  EXPECT_FREE("s[64u + l] = r; if (l >= 8u) r += s[l - 8u];");
  EXPECT_CHECKED("s[56u + l] = r; if (l >= 8u) r += s[l];");
  EXPECT_FREE("if (r > 5u && l < 16u) s[l] = s[l + 16u];");
  EXPECT_CHECKED("if (r > 5u || l < 16u) s[l] = s[l + 16u];");
}

// The step of a tree reduction.
std::string tree(const std::string& step, const std::string& body) {
  return "for (uint step = 32u; step > 0u; " + step + ") {" + body + "}";
}

TEST_F(WorkgroupElementsTest, HalvesOfATree) {
  const std::string half = "if (l < step) s[l] += s[l + step];";
  EXPECT_FREE("s[l] = r; barrier();" + tree("step >>= 1", half + "barrier();") + "if (l == 0u) r = s[0];");
  EXPECT_FREE("s[l] = r;" + tree("step /= 2u", "barrier();" + half));
  EXPECT_FREE(tree("step >>= 1", "if (l < step) vectors[l].x += vectors[l + step].x; barrier();"));
  EXPECT_FREE(
      "for (int step = 32; step > 0; step >>= 1) { if (int(l) < step) s[int(l)] += s[int(l) + step]; "
      "barrier(); }");
  EXPECT_CHECKED(tree("step >>= 1", half)) << "no barrier";
  EXPECT_CHECKED(tree("step >>= 1", half + "if (step == 8u) barrier();"));
  EXPECT_CHECKED(tree("step >>= 1", "if (l < step) s[l] += s[l + step / 2u]; barrier();"));
  EXPECT_CHECKED(tree("step >>= 1", "if (l < 2u * step) s[l] += s[l + step]; barrier();"));
  EXPECT_CHECKED(tree("step >>= 1", "if (l <= step) s[l] += s[l + step]; barrier();"));
  EXPECT_CHECKED(tree("step >>= 1", "if (l < step) s[l + 1u] += s[l + step]; barrier();"));
  EXPECT_CHECKED(tree("step >>= 1", half + "s[l] = r; barrier();"));
  EXPECT_CHECKED(tree("step += 1u", half + "barrier();")) << "it may overflow";
  EXPECT_CHECKED("s[l] = r; barrier();" + tree("step >>= 1", half + "barrier();") + "r = s[0]; s[l] = r;");
}

TEST_F(WorkgroupElementsTest, StepsThatInvocationsDoNotShare) {
  const std::string half = "if (l < step) s[l] += s[l + step];";
  EXPECT_CHECKED("for (uint step = r; step > 0u; step >>= 1) {" + half + "barrier(); }");
  EXPECT_CHECKED("uint step = 32u; while (step > 0u) {" + half + "if (r > step) step >>= 1; barrier(); }");
  EXPECT_CHECKED("uint step = 32u; while (step > 0u) {" + half +
                 "step = r > 5u ? step >> 1 : step >> 2; barrier(); }");
  EXPECT_CHECKED("uint step = 32u; if (r > 7u) step = 16u; for (; step > 0u; step >>= 1) {" + half +
                 "barrier(); }");
  EXPECT_CHECKED("for (uint n = 0u; n < r; ++n) {" +
                 tree("step >>= 1", half + "if (r == n) break; barrier();") + "}")
      << "another may be at the first step of the next round";
  EXPECT_CHECKED("for (uint step = 32u; step > 0u; step >>= 1) {" + half + "step -= 1u;" + half +
                 "barrier(); }");
  // A slow invocation loads behind the last barrier, with the last step; a fast one stores with the first.
  EXPECT_CHECKED("for (uint n = 0u; n < 4u; ++n) {" +
                 tree("step >>= 1", "if (l < step) s[l] = r; barrier(); r += s[l + step];") + "}");
  EXPECT_FREE("for (uint n = 0u; n < 4u; ++n) {" +
              tree("step >>= 1", "if (l < step) s[l] += s[l + step]; barrier();") + "}");
  EXPECT_CHECKED("uint step = 32u; do { do { step >>= 1; r += 3u; } while (r < l);" + half +
                 "barrier(); } while (step > 0u);")
      << "some go round the inner loop more often";
}

TEST_F(WorkgroupElementsTest, Atomics) {
  EXPECT_FREE("atomicAdd(s[r & 15u], 1u);") << "atomics do not race with each other";
  EXPECT_FREE("s[l] = 0u; barrier(); atomicAdd(s[r & 63u], 1u); barrier(); r = s[l];");
  EXPECT_CHECKED("s[l] = 0u; atomicAdd(s[r & 63u], 1u);");
  EXPECT_CHECKED("atomicAdd(s[r & 63u], 1u); r = s[l];");
  EXPECT_FREE("atomicAdd(s[l], 1u); r = s[l];");
}

TEST_F(WorkgroupElementsTest, WhatIsNotKnown) {
  functions_ = "layout(constant_id = 3) const uint kSize = 32;\nlayout(local_size_x_id = 4) in;\n";
  EXPECT_CHECKED("s[l] = r;") << "the size of the workgroup is not known";
  functions_ = "uint index(uint l) { return l; }\n";
  EXPECT_FREE("s[l] = r;") << "the function is not called";
}

}  // namespace
}  // namespace shaderqa::test
