// SPDX-License-Identifier: Apache-2.0
// Cases of what fragment shaders read of images: it is logged, and checked behind the render pass
// (docs/internals/exact.md#reads-of-draws).
#include "sync_image_steps.h"

namespace sync_cases {
namespace {

const std::string kWriteChosen = kImage + kChosen + R"(
void main() { if (chosen(t)) imageStore(img, t, uvec4(i)); }  //!
)";
const Shader kTriangleStage = {"vert", kTriangle};

std::string fragment(const std::string& declarations, const std::string& read) {
  return declarations + R"(
layout(location = 0) out vec4 colour;
void main() {
  ivec2 t = ivec2(gl_FragCoord.xy);
  colour = vec4()" +
         read + R"(.x);  //!
}
)";
}
const std::string kTexture = "layout(set = 0, binding = 2) uniform usampler2D tex;\n";
const std::string kSampled = fragment(kTexture, "texture(tex, (vec2(t) + vec2(0.4, 0.6)) / 16.0)");
const std::string kFetched = fragment(kTexture, "texelFetch(tex, t, 0)");
const std::string kLoaded =
    fragment("layout(set = 0, binding = 0, r32ui) readonly uniform uimage2D img;\n", "imageLoad(img, t)");

constexpr VkPipelineStageFlags kPixels = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;

Step for_pixels() { return image_barrier({.to = kPixels, .seen = kReads}); }

Case drawn(const char* name, std::vector<Step> steps, std::vector<Shader> shaders) {
  Case one = between(name, std::move(steps), raced("read after write", "load"), std::move(shaders));
  one.expected.stage = "fragment";
  one.bindings.push_back(texture(2));
  return one;
}

// Half of the texels are written, without any barrier; the correct twin reads the other half alone.
Case texel_by_texel(const char* name, const std::string& reader) {
  std::string source = reader;
  source.insert(source.find("layout(location"), kChosen);
  source.insert(source.find("  colour"), "#ifndef RACY\n  if (chosen(t)) discard;\n#endif\n");
  return drawn(name, {dispatch(0), begin_rendering(), draw({1, 2}), end_rendering()},
               {{"comp", kWriteChosen}, kTriangleStage, {"frag", source}});
}

Step rendering(std::vector<Step> steps) {
  return {[=](Context& context) {
    context.begin_rendering();
    for (const Step& step : steps) step.act(context);
    context.end_rendering();
  }};
}

// Fragments of a tile are no subgroup, so all of them have one version of the shader.
std::string of_subgroups(std::string shader) {
  shader.insert(shader.rfind('}'), "  colour.y += subgroupAdd(0.25);\n");
  return "#extension GL_KHR_shader_subgroup_arithmetic : require\n" + shader;
}

// The first draw reads; the second one, behind a dependency, stores what the shader behind the pass loads.
// The read is checked behind the pass, where it must not hide the store.
Case overtaken() {
  constexpr VkSubpassDependency own{0, 0, kPixels, kPixels, kReads, kWrites, VK_DEPENDENCY_BY_REGION_BIT};
  const std::string store = R"(
layout(set = 0, binding = 0, r32ui) writeonly uniform uimage2D img;
layout(location = 0) out vec4 colour;
void main() {
  colour = vec4(1.0);
  imageStore(img, ivec2(gl_FragCoord.xy), uvec4(7u));  //!
}
)";
  Case test = drawn(
      "image_logged_before_a_store",
      {dispatch(0), for_pixels(), begin_pass({own}), draw({1, 2}), barrier_in_pass(kReads, kWrites),
       draw({1, 3}), end_pass(), only_correct(image_barrier({.from = kPixels, .seen = kReads})), dispatch(4)},
      {{"comp", kWrite}, kTriangleStage, {"frag", kSampled}, {"frag", store}, {"comp", kRead}});
  // The two overlap, so either may come first.
  test.expected.hazard_class = "";
  test.expected.access = "";
  test.expected.stage = "";
  return test;
}

}  // namespace

std::vector<Case> image_logged_cases() {
  const std::vector<Shader> reads = {{"comp", kWrite}, kTriangleStage, {"frag", kSampled}};
  const Step barrier = only_correct(for_pixels());
  return {
      texel_by_texel("image_logged_samples", kSampled),
      texel_by_texel("image_logged_fetches", kFetched),
      texel_by_texel("image_logged_loads", kLoaded),
      texel_by_texel("image_logged_by_subgroups", of_subgroups(kSampled)),
      drawn("image_logged_in_a_secondary_command_buffer",
            {dispatch(0), barrier, begin_pass({}, 1, true), secondary({draw({1, 2})}, true), end_pass()},
            reads),
      drawn("image_logged_by_the_second_of_three_passes",
            {rendering({}), dispatch(0), barrier, rendering({draw({1, 2})}), rendering({})}, reads),
      drawn("image_logged_in_another_command_buffer",
            {dispatch(0), next_command_buffer(), barrier, rendering({draw({1, 2})}), next_command_buffer(),
             rendering({draw({1, 2})})},
            reads),
      drawn("image_logged_again", {dispatch(0), barrier, rendering({draw({1, 2})}), submit_now(), resubmit()},
            reads),
      overtaken(),
  };
}

}  // namespace sync_cases
