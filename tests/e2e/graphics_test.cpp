// SPDX-License-Identifier: Apache-2.0
// Every graphics stage prints, and prints as often as it runs.
#include <algorithm>

#include "e2e_test.h"

namespace shaderqa::testing {
namespace {

const char* const kVertex = R"(
  void main() {
    const vec2 corners[] = {vec2(-0.8, -0.7), vec2(0.9, -0.2), vec2(-0.3, 0.8)};
    gl_Position = vec4(corners[gl_VertexIndex], 0.0, 1.0);
    PRINT
  })";
const char* const kFragment = R"(
  layout(set = 0, binding = 0) buffer Io { uint io[]; };
  layout(location = 0) out vec4 colour;
  void main() {
    colour = vec4(1.0);
    PRINT
  })";

std::string with(const std::string& source, const std::string& statement) {
  std::string result = source;
  return result.replace(result.find("PRINT"), 5, statement);
}

class GraphicsTest : public EndToEnd {
 protected:
  std::string vertex(const std::string& statement = "") { return shader("vert", with(kVertex, statement)); }
  std::string fragment(const std::string& statement = "") {
    return shader("frag", with(kFragment, statement));
  }
};

TEST_F(GraphicsTest, VertexShader) {
  const Outcome outcome = run_case(
      {"graphics", vertex(R"(debugPrintfEXT("vertex %d at %.1v2f", gl_VertexIndex, gl_Position.xy);)"),
       fragment()});
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  EXPECT_EQ(sorted(outcome.printed()),
            (Texts{"vertex 0 at -0.8, -0.7", "vertex 1 at 0.9, -0.2", "vertex 2 at -0.3, 0.8"}));
}

// Fragment shaders run in blocks of four for their derivatives; those outside the triangle must not print.
TEST_F(GraphicsTest, HelperInvocationsDoNotPrint) {
  const Outcome outcome = run_case({"graphics", vertex(), fragment(R"(
    const float slope = dFdx(gl_FragCoord.x * gl_FragCoord.y);
    debugPrintfEXT("%.1v2f %.1f", gl_FragCoord.xy, slope);)")});
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  EXPECT_EQ(std::to_string(outcome.printed().size()), outcome.value("covered"));
  EXPECT_GT(outcome.printed().size(), 500u);
}

TEST_F(GraphicsTest, DiscardedFragmentsPrintBeforeButNotAfter) {
  const Outcome outcome = run_case({"graphics", vertex(), fragment(R"(
    const bool left = gl_FragCoord.x < 32.0;
    if (left) { debugPrintfEXT("discarded"); discard; }
    debugPrintfEXT("kept");)")});
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  const auto printed = outcome.printed();
  EXPECT_EQ(std::to_string(std::count(printed.begin(), printed.end(), "kept")), outcome.value("covered"));
  EXPECT_GT(std::count(printed.begin(), printed.end(), "discarded"), 100);
}

TEST_F(GraphicsTest, TessellationAndGeometry) {
  const auto control = shader("tesc", R"(
    layout(vertices = 3) out;
    void main() {
      gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
      gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 1.0;
      gl_TessLevelInner[0] = 1.0;
      debugPrintfEXT("control %d", gl_InvocationID);
    })");
  const auto evaluation = shader("tese", R"(
    layout(triangles, equal_spacing, ccw) in;
    void main() {
      gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position +
                    gl_TessCoord.z * gl_in[2].gl_Position;
      debugPrintfEXT("evaluation %.0v3f", gl_TessCoord);
    })");
  const auto geometry = shader("geom", R"(
    layout(triangles) in;
    layout(triangle_strip, max_vertices = 3) out;
    void main() {
      for (int i = 0; i < 3; ++i) { gl_Position = gl_in[i].gl_Position; EmitVertex(); debugPrintfEXT("geometry %d", i); }
      EndPrimitive();
    })");
  const Outcome outcome = run_case({"graphics", vertex(), control, evaluation, geometry, fragment()});
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  EXPECT_EQ(sorted(outcome.printed()),
            (Texts{"control 0", "control 1", "control 2", "evaluation 0, 0, 1", "evaluation 0, 1, 0",
                   "evaluation 1, 0, 0", "geometry 0", "geometry 1", "geometry 2"}));
}

TEST_F(GraphicsTest, PipelineLinkedFromLibraries) {
  const Outcome outcome =
      run_case({"graphics", "--library", vertex(R"(debugPrintfEXT("vertex %d", gl_VertexIndex);)"),
                fragment(R"(if (uvec2(gl_FragCoord.xy) == uvec2(30)) debugPrintfEXT("fragment");)")});
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.err;
  EXPECT_EQ(sorted(outcome.printed()), (Texts{"fragment", "vertex 0", "vertex 1", "vertex 2"}));
}

TEST_F(GraphicsTest, PixelsAreTheSameWithAndWithoutTheLayer) {
  const Texts arguments{"graphics", vertex(), fragment(R"(
    colour = vec4(gl_FragCoord.xy / 64.0, fract(dFdx(gl_FragCoord.x * 0.3)), 1.0);
    if (gl_FragCoord.x < 20.0) debugPrintfEXT("%v4f", colour);)")};
  const Outcome layered = run_case(arguments);
  const Outcome plain = finish(run(runner(arguments), environment));
  EXPECT_FALSE(layered.printed().empty());
  ASSERT_NE(plain.value("result"), "");
  EXPECT_EQ(plain.value("result"), layered.value("result"));
}

}  // namespace
}  // namespace shaderqa::testing
