// SPDX-License-Identifier: Apache-2.0
// Programs that run under `shaderqa show`, above the Khronos validation layer, and what the pictures show.
#include "picture_program.h"

#include <cmath>
#include <functional>
#include <sstream>
#include <string>

namespace shaderqa::testing {
namespace {

// --- Compute

const char* const kTypes = R"(
layout(local_size_x = 8) in;
struct Light { vec3 colour; float far[2]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  int down = 5 - int(i);
  float half_i = float(i) * 0.5;
  bool odd = (i & 1u) == 1u;
  vec3 v = vec3(i, i * 2u, -1.0);
  mat2 m = mat2(1.0, 2.0, 3.0, float(i));
  double d = double(i) + 0.25;
  Light light;
  light.colour = v * 2.0;
  light.far[1] = 7.0 + half_i;
  uint sum = 0u;
  for (uint k = 0u; k < i; ++k) sum += k;
  io[i] = sum + uint(odd) + uint(down > 0) + uint(light.far[1] + light.colour.x + m[1][1] + float(d));
}
)";

class PictureOfTypes : public PictureProgram {
 protected:
  // What invocation i of 16 has, as the CSV says it.
  void expect_each(const std::string& what, const std::function<std::string(int)>& expected) {
    fs::remove_all(folder);
    show_unchanged({what}, {"compute", "--groups=2", file});
    const Shown picture = shown();
    ASSERT_EQ(picture.cells.size(), 16u) << what;
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(picture.cells.at({i, 0, 0}), (Texts{"1", expected(i)})) << what << " " << i;
  }
  std::string file = compute(kTypes, "types", {"-g"});
};

std::string number(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

TEST_F(PictureOfTypes, ScalarsAndPartsOfEverything) {
  expect_each("i", [](int i) { return number(i); });
  expect_each("down", [](int i) { return number(5 - i); });
  expect_each("half_i", [](int i) { return number(i * 0.5); });
  expect_each("odd", [](int i) { return number(i & 1); });
  expect_each("v.y", [](int i) { return number(i * 2); });
  expect_each("m[1][1]", [](int i) { return number(i); });
  expect_each("d", [](int i) { return number(i + 0.25); });
  expect_each("light.far[1]", [](int i) { return number(7 + i * 0.5); });
  expect_each("sum", [](int i) { return number(i * (i - 1) / 2); });
}

TEST_F(PictureOfTypes, Expressions) {
  expect_each("down * 2 - 1", [](int i) { return number((5 - i) * 2 - 1); });
  expect_each("half_i * 4.0 + i", [](int i) { return number(i * 3); });
  expect_each("i % 4 == 1 && !(down < 0)", [](int i) { return number(i % 4 == 1 && 5 - i >= 0); });
  expect_each("(-d) / 2", [](int i) { return number(-(i + 0.25) / 2); });
}

TEST_F(PictureOfTypes, VectorsAndTheSummary) {
  const ProcessResult result = show_unchanged({"v * 2.0"}, {"compute", "--groups=2", file});
  EXPECT_THAT(result.err, HasSubstr("v * 2.0 of compute shader"));
  const Shown picture = shown();
  EXPECT_EQ(picture.cells.at({3, 0, 0}), (Texts{"1", "6", "12", "-2"}));
  EXPECT_EQ(picture.summary.at("width"), 16);
  EXPECT_EQ(picture.summary.at("cells"), 16);
  EXPECT_EQ(picture.summary.at("least"), -2);
  EXPECT_EQ(picture.summary.at("most"), 60);
  EXPECT_EQ(picture.summary.at("nan"), 0);
}

TEST_F(PictureOfTypes, WhatCannotBeShownIsSaidAndChangesNothing) {
  const Texts program{"compute", "--groups=2", file};
  const std::string nothing = show_unchanged({"nothing"}, program).err;
  EXPECT_THAT(nothing, HasSubstr("no fragment or compute shader has such a value"));
  // What has no picture is not a shader that is not checked.
  EXPECT_THAT(nothing, Not(HasSubstr("COMPLETE")));
  EXPECT_TRUE(nothing_shown());
  EXPECT_THAT(show_unchanged({"light"}, program).err, HasSubstr("light is neither a number nor a vector"));
  EXPECT_THAT(show_unchanged({"light.near"}, program).err, HasSubstr("light has no part near"));
  EXPECT_THAT(show_unchanged({"light.far[2]"}, program).err, HasSubstr("light has no part 2"));
  EXPECT_THAT(show_unchanged({"v + m[0]"}, program).err, HasSubstr("do not go together"));
  EXPECT_THAT(show_unchanged({"i", "--line", "1000"}, program).err, HasSubstr("no code of line 1000"));
  EXPECT_TRUE(nothing_shown());
}

TEST_F(PictureProgram, AWrongExpressionStartsNothing) {
  const ProcessResult result =
      run({SHADERQA_BIN_DIR "/shaderqa", "show", "a +", "--", "/bin/echo", "started"}, environment,
          directory.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("a name or a number should be here\n  a +\n     ^"));
  EXPECT_THAT(result.out, Not(HasSubstr("started")));
}

// Optimised shaders have no variables in memory any more, only what debug information says of values.
TEST_F(PictureProgram, OptimisedShadersWithDebugInformation) {
  const std::string file = compute(kTypes, "types", {"-gVS"});
  const std::string optimised = directory.file("optimised.comp.spv");
  const ProcessResult result =
      run({"/usr/bin/spirv-opt", "--target-env=vulkan1.1", "-O", file, "-o", optimised},
          {{"PATH", "/usr/bin:/bin"}});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  show_unchanged({"sum"}, {"compute", "--groups=2", optimised});
  const Shown picture = shown();
  ASSERT_EQ(picture.cells.size(), 16u);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(picture.cells.at({i, 0, 0})[1], number(i * (i - 1) / 2)) << i;
}

TEST_F(PictureProgram, AValueBeforeALineAndInAnotherFunction) {
  const std::string file = compute(R"(layout(local_size_x = 4) in;
uint twice(uint x) {
  uint y = x;
  y += x;
  y += 100u;
  return y;
}
void main() {
  uint i = gl_GlobalInvocationID.x;
  io[i] = twice(i) + twice(i + 1u);
}
)",
                                   "line", {"-g"});
  const Texts program{"compute", "--groups=1", file};
  show_unchanged({"y"}, program);
  EXPECT_EQ(shown().cells.at({3, 0, 0}), (Texts{"2", "108"}));
  fs::remove_all(folder);
  // io is declared in the first line.
  show_unchanged({"y", "--line", "6"}, program);
  EXPECT_EQ(shown().cells.at({3, 0, 0}), (Texts{"2", "8"}));
}

TEST_F(PictureProgram, NanAndInfinityAreCountedApart) {
  const std::string file = compute(R"(layout(local_size_x = 4) in;
void main() {
  uint i = gl_GlobalInvocationID.x;
  float bad = uintBitsToFloat(i == 0u ? 0x7fc00000u : i == 1u ? 0x7f800000u : 0x3f800000u);
  io[i] = floatBitsToUint(bad);
}
)",
                                   "nan", {"-g"});
  const ProcessResult result = show_unchanged({"bad"}, {"compute", "--groups=1", file});
  EXPECT_THAT(result.err, HasSubstr("1 NaN, 1 infinite"));
  const Shown picture = shown();
  EXPECT_EQ(picture.summary.at("nan"), 1);
  EXPECT_EQ(picture.summary.at("infinite"), 1);
  EXPECT_EQ(picture.cells.at({0, 0, 0})[1], "nan");
  EXPECT_EQ(picture.summary.at("most"), 1);
}

TEST_F(PictureProgram, WhatDoesNotFitIsCounted) {
  const std::string file = compute(kTypes, "types", {"-g"});
  const ProcessResult result =
      show_unchanged({"i", "--width", "10", "--height", "1"}, {"compute", "--groups=2", file});
  EXPECT_EQ(shown().summary.at("missed"), 6);
  EXPECT_EQ(shown().cells.size(), 10u);
  EXPECT_THAT(result.err, HasSubstr("6 invocations are not in it"));
}

TEST_F(PictureProgram, DivergenceNamesTheLine) {
  const std::string file = compute(R"(layout(local_size_x = 8) in;
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint sum = i;
  if (i % 4u == 0u)
    sum += 5u * io[i + 64u];
  io[i] = sum;
}
)",
                                   "divergence", {"-g"});
  const ProcessResult result = show_unchanged({"divergence"}, {"compute", "--groups=4", file});
  EXPECT_THAT(result.err, HasSubstr("divergence.comp:"));
  const Shown picture = shown();
  EXPECT_EQ(picture.cells.size(), 32u);
  const double lanes = picture.summary.at("lanes");
  ASSERT_GE(lanes, 4);
  // One invocation of four in the branch, all of them before and after.
  uint64_t branch = 0, whole = 0;
  for (const auto& block : picture.summary.at("blocks")) {
    const double together = block.at("together");
    EXPECT_EQ(together * block.at("times").get<double>(), together == lanes ? 32 : 8) << block;
    ++(together == lanes ? whole : branch);
    if (together != lanes) {
      EXPECT_EQ(together, lanes / 4) << block;
    }
  }
  EXPECT_EQ(branch, 1u);
  EXPECT_EQ(whole, 2u);
}

// --- Graphics

const char* const kTriangle = R"(
void main() {
  const vec2 corners[] = {vec2(-1.0, -1.0), vec2(3.0, -1.0), vec2(-1.0, 3.0)};
  gl_Position = vec4(corners[gl_VertexIndex], 0.0, 1.0);
})";
const char* const kFragment = R"(
layout(location = 0) out vec4 colour;
void main() {
  vec2 uv = gl_FragCoord.xy / 64.0;
  float ring = fract(length(uv - 0.5) * 8.0);
  if (gl_FragCoord.x < 8.0) discard;
  colour = vec4(uv, 0.0, 1.0);
})";

class PictureOfFragments : public PictureProgram {
 protected:
  const Texts program{"graphics", shader("vert", kTriangle), shader("frag", kFragment, "rings", {"-g"})};
};

TEST_F(PictureOfFragments, HasTheValueOfEachPixel) {
  show_unchanged({"uv"}, program);
  const Shown picture = shown();
  EXPECT_EQ(picture.summary.at("width"), 64);
  EXPECT_EQ(picture.summary.at("height"), 64);
  ASSERT_EQ(picture.cells.size(), 56u * 64u);  // without those that were discarded
  for (const auto& [at, cell] : picture.cells) {
    EXPECT_EQ(std::stof(cell[1]), (static_cast<float>(std::get<0>(at)) + 0.5F) / 64);
    EXPECT_EQ(std::stof(cell[2]), (static_cast<float>(std::get<1>(at)) + 0.5F) / 64);
  }
}

TEST_F(PictureOfFragments, OverdrawCountsFragments) {
  show_unchanged({"overdraw"}, program);
  const Shown picture = shown();
  ASSERT_EQ(picture.cells.size(), 64u * 64u);
  for (const auto& [at, cell] : picture.cells) EXPECT_EQ(cell, Texts{"1"});
}

TEST_F(PictureOfFragments, DivergenceLeavesOutHelperInvocations) {
  show_unchanged({"divergence"}, program);
  EXPECT_EQ(shown().cells.size(), 56u * 64u);
}

// The same colours as a shader that shows the value by itself.
TEST_F(PictureOfFragments, ColoursAreTheValue) {
  const std::string by_hand = shader("frag", R"(
layout(location = 0) out vec4 colour;
void main() {
  vec2 uv = gl_FragCoord.xy / 64.0;
  if (gl_FragCoord.x < 8.0) discard;
  colour = vec4(vec3((uv.x * 3.0 - 1.0) * 0.5), 1.0);
})",
                                     "by_hand");
  const ProcessResult result = show({"uv.x * 3.0", "--colours", "--scale", "1..3"}, program);
  EXPECT_NE(result.out, plain(program));
  EXPECT_EQ(result.out, plain({"graphics", program[1], by_hand}));
}

TEST_F(PictureOfFragments, WithoutTheOutputColoursStay) {
  const ProcessResult result = show_unchanged({"uv", "--colours", "--location", "3"}, program);
  EXPECT_THAT(result.err, HasSubstr("no output of 32-bit components at location 3"));
  EXPECT_EQ(shown().cells.size(), 56u * 64u);
}

TEST_F(PictureOfFragments, AKilledProgramLeavesItsPictures) {
  for (const auto& [how, code] : {std::pair("kill", 137), std::pair("abort", 134), std::pair("exit", 0)}) {
    fs::remove_all(folder);
    Texts arguments{program[0], std::string("--then=") + how, program[1], program[2]};
    show({"uv"}, arguments, code);
    EXPECT_EQ(shown().cells.size(), 56u * 64u) << how;
  }
}

TEST_F(PictureOfFragments, FramesAndActionsAreChosen) {
  EXPECT_THAT(show_unchanged({"uv", "--action", "2"}, program).err, HasSubstr("it did not run"));
  EXPECT_TRUE(nothing_shown());
  EXPECT_THAT(show_unchanged({"uv", "--within", "shadows"}, program).err, HasSubstr("it did not run"));
  EXPECT_TRUE(nothing_shown());
  show_unchanged({"uv", "--action", "1"}, program);
  EXPECT_EQ(shown().cells.size(), 56u * 64u);
}

TEST_F(PictureOfFragments, ShadersAreChosenByTheirFile) {
  EXPECT_THAT(show_unchanged({"uv", "--shader", "other.frag"}, program).err, HasSubstr("nothing to show"));
  EXPECT_TRUE(nothing_shown());
  show_unchanged({"uv", "--shader", "rings.frag"}, program);
  EXPECT_FALSE(nothing_shown());
}

}  // namespace
}  // namespace shaderqa::testing
