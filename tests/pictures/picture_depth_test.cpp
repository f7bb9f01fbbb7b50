// SPDX-License-Identifier: Apache-2.0
// Where several fragments fall on a pixel, the picture has the visible one.
#include "picture_program.h"

namespace shaderqa::testing {
namespace {

// A triangle over the whole target for each three vertices: the first one at depth FIRST, the second one at
// depth SECOND.
std::string triangles(const std::string& first, const std::string& second) {
  return "layout(location = 0) flat out float far;\nvoid main() {\n"
         "  const vec2 corners[] = {vec2(-1.0, -1.0), vec2(3.0, -1.0), vec2(-1.0, 3.0)};\n"
         "  far = gl_VertexIndex < 3 ? " +
         first + " : " + second + ";\n  gl_Position = vec4(corners[gl_VertexIndex % 3], far, 1.0);\n}\n";
}

const char* const kPlain = R"(
layout(location = 0) flat in float far;
layout(location = 0) out vec4 colour;
void main() {
  float shown = far * 2.0;
  colour = vec4(shown * 0.5, 1.0, 0.0, 1.0);
})";

class PictureOfDepth : public PictureProgram {
 protected:
  // Draws a near triangle (0.25) and a far one (0.75), in both orders.
  void draw_both_orders(const std::string& fragment, const Texts& options = {}) {
    for (const bool near_first : {true, false}) {
      fs::remove_all(folder);
      const std::string name = near_first ? "near_first" : "far_first";
      Texts program{"graphics", "--depth", "--triangles=2"};
      program.insert(program.end(), options.begin(), options.end());
      program.push_back(
          shader("vert", near_first ? triangles("0.25", "0.75") : triangles("0.75", "0.25"), name));
      program.push_back(shader("frag", fragment, name, {"-g"}));
      said[near_first] = show_unchanged({"shown"}, program).err;
      pictures[near_first] = shown();
    }
  }
  // By whether the near one is drawn first.
  std::map<bool, Shown> pictures;
  std::map<bool, std::string> said;
};

TEST_F(PictureOfDepth, TheNearFragmentIsShownInBothOrders) {
  draw_both_orders(kPlain);
  for (const bool near_first : {true, false}) {
    ASSERT_EQ(pictures[near_first].cells.size(), 64u * 64u);
    for (const auto& [at, cell] : pictures[near_first].cells) {
      EXPECT_EQ(cell[1], "0.5") << near_first;
      // The far one is not run where it is drawn behind the near one.
      EXPECT_EQ(cell[0], near_first ? "1" : "2");
    }
    EXPECT_THAT(said[near_first], Not(HasSubstr("that others hide")));
  }
}

TEST_F(PictureOfDepth, ShadersThatDeclareEarlyTestsStayAsTheyAre) {
  draw_both_orders(std::string("layout(early_fragment_tests) in;") + kPlain);
  for (const bool near_first : {true, false}) EXPECT_EQ(pictures[near_first].cells.at({3, 5, 0})[1], "0.5");
}

// Tests that would come before these shaders would change what the program draws. So the picture can have
// hidden fragments, and says so.
TEST_F(PictureOfDepth, WhereTestsComeLateItIsSaid) {
  const std::string head = "layout(location = 0) flat in float far;\nlayout(location = 0) out vec4 colour;\n";
  const std::string value = "void main() {\n  float shown = far * 2.0;\n  colour = vec4(shown * 0.5);\n";
  for (const auto& [reason, body] :
       {std::pair("the shader discards fragments",
                  value + "  if (far < 0.5 && gl_FragCoord.x < 8.0) discard;\n}"),
        std::pair("the shader writes the depth", value + "  gl_FragDepth = far;\n}"),
        std::pair("the shader writes the sample mask", value + "  gl_SampleMask[0] = 1;\n}"),
        std::pair("the shader writes to memory", "layout(set = 0, binding = 0) buffer Io { uint io[]; };\n" +
                                                     value + "  atomicAdd(io[0], 1u);\n}")}) {
    draw_both_orders(head + body);
    for (const bool near_first : {true, false})
      EXPECT_THAT(said[near_first], HasSubstr(std::string("fragments that others hide, because ") + reason));
    // The one that is drawn last is the visible one.
    EXPECT_EQ(pictures[false].cells.at({20, 5, 0})[1], "0.5") << reason;
  }
}

TEST_F(PictureOfDepth, CoverageFromAlphaIsSaid) {
  draw_both_orders(kPlain, {"--alpha-to-coverage"});
  for (const bool near_first : {true, false})
    EXPECT_THAT(said[near_first], HasSubstr("makes coverage from alpha"));
}

TEST_F(PictureOfDepth, OverdrawStillCountsAllFragments) {
  show_unchanged({"overdraw"},
                 {"graphics", "--depth", "--triangles=2", shader("vert", triangles("0.25", "0.75")),
                  shader("frag", kPlain, "plain", {"-g"})});
  for (const auto& [at, cell] : shown().cells) EXPECT_EQ(cell, Texts{"2"});
}

}  // namespace
}  // namespace shaderqa::testing
