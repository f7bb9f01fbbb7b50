// SPDX-License-Identifier: Apache-2.0
// Cases of samples: which texel of which level, face or layer a sampler reads. Half of the texels are
// written, without any barrier; the correct twin samples the other half alone, the racy twin all of them.
#include "sync_image_steps.h"

namespace sync_cases {
namespace {

// p: a texel of 16 times 16, and a layer.
const std::string kTexels = kHeader + R"(
ivec3 p = ivec3(int(i % 16u), int(i / 16u % 16u), int(i / 256u));
bool chosen(ivec3 at) {
  uint h = uint(at.x) * 2654435761u ^ uint(at.y) * 2246822519u ^ uint(at.z) * 3266489917u;
  h = (h ^ h >> 15) * 2246822519u;
  return (h >> 13 & 1u) != 0u;
}
)";
const std::string kWriteChosen = kTexels + R"(
layout(set = 0, binding = 0, r32ui) uniform uimage2DArray img;
void main() { if (chosen(p)) imageStore(img, p, uvec4(i)); }  //!
)";

std::string reader(const std::string& type, const std::string& sample) {
  return kTexels + "layout(set = 0, binding = 2) uniform " + type + " tex;\n" + R"(
void main() {
#ifndef RACY
  if (chosen(p)) return;
#endif
  vec2 at = (vec2(p.xy) + vec2(0.4, 0.6)) / 16.0;
  result[i] = )" +
         sample + ".x;  //!\n}\n";
}

Case sampled(const char* name, const std::string& type, const std::string& sample, uint32_t groups = 4) {
  Case one = between(name, {dispatch(0, groups), dispatch(1, groups)}, raced("", "load"),
                     {{"comp", kWriteChosen}, {"comp", reader(type, sample)}});
  one.bindings[0].view = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
  one.bindings.push_back(texture(2));
  return one;
}

// The level that is written is the last one, of 16 times 16 texels.
void with_levels(Case& test) {
  test.images[0].extent = {64, 64, 1};
  test.images[0].mips = 3;
  test.bindings[0].first_mip = 2;
  test.bindings[2].mips = 3;
}

void with_faces(Case& test) {
  test.images[0].flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
  test.images[0].layers = test.bindings[0].layers = test.bindings[2].layers = 6;
  test.bindings[2].view = VK_IMAGE_VIEW_TYPE_CUBE;
}

// A direction through p, whose layer is the face.
const std::string kDirection = R"(
vec3 direction() {
  vec2 a = (vec2(p.xy) + vec2(0.4, 0.6)) / 8.0 - 1.0;
  if (p.z == 0) return vec3(1.0, -a.y, -a.x) * 3.0;
  if (p.z == 1) return vec3(-1.0, -a.y, a.x) * 0.5;
  if (p.z == 2) return vec3(a.x, 1.0, a.y);
  if (p.z == 3) return vec3(a.x, -1.0, -a.y) * 7.0;
  if (p.z == 4) return vec3(a.x, -a.y, 1.0);
  return vec3(-a.x, -a.y, -1.0) * 0.1;
}
)";

const std::string kSampleInFragment = R"(
layout(set = 0, binding = 2) uniform usampler2D tex;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(texture(tex, gl_FragCoord.xy / SCALE)); }  //!
)";

// Pixels of which a texel has as many as of the level to be read: 16 for the last one.
std::string in_fragment(const char* texels) {
  return "#define SCALE " + std::string(texels) + "\n" + kSampleInFragment;
}

constexpr VkPipelineStageFlags kPixels = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;

Case drawn(const char* name, const char* texels, Step barrier) {
  Case one =
      between(name, {dispatch(0), std::move(barrier), begin_rendering(), draw({1, 2}), end_rendering()},
              raced("read after write", "load"),
              {{"comp", kWrite}, {"vert", kTriangle}, {"frag", in_fragment(texels)}});
  one.bindings.push_back(texture(2));
  with_levels(one);
  return one;
}

}  // namespace

std::vector<Case> image_sampling_cases() {
  Case gathered =
      between("image_gathered_of_levels", {dispatch(0), only_correct(image_barrier()), dispatch(1)},
              raced("read after write", "load"), {{"comp", kWrite}, {"comp", kHeader + R"(
layout(set = 0, binding = 2) uniform usampler2D tex;
void main() { result[i] = textureGatherOffset(tex, (vec2(t) + 0.5) / 64.0, ivec2(1, 2)).x; }  //!
)"}});
  gathered.bindings.push_back(texture(2));
  with_levels(gathered);
  gathered.bindings[0].first_mip = 0;
  return {
      with(sampled("image_sampled_level", "usampler2D", "textureLod(tex, at, 2.25)"), with_levels),
      with(sampled("image_sampled_behind_the_last_level", "usampler2D", "textureLod(tex, at, 9.0)"),
           with_levels),
      sampled("image_sampled_projected", "usampler2D", "textureProjLod(tex, vec3(at * 2.5, 2.5), 0.0)"),
      sampled("image_sampled_with_offset", "usampler2D",
              "textureLodOffset(tex, at - vec2(3.0, -2.0) / 16.0, 0.0, ivec2(3, -2))"),
      with(sampled("image_sampled_faces", "usamplerCube", "textureLod(tex, direction(), 0.0)", 24),
           [](Case& test) {
             with_faces(test);
             test.shaders[1].source.insert(test.shaders[1].source.find("void main"), kDirection);
           }),
      // So many that lavapipe's shaders note them and check them later.
      sampled("image_sampled_in_several_ways", "usampler2D",
              "(textureLod(tex, at, 0.0) + textureProjLod(tex, vec3(at * 2.5, 2.5), 0.0) + "
              "textureLodOffset(tex, at - vec2(3.0, -2.0) / 16.0, 0.0, ivec2(3, -2)) + textureLod(tex, at, "
              "-1.0))"),
      gathered,
      drawn("image_sampled_derived_level", "16.0",
            only_correct(image_barrier({.to = kPixels, .seen = kReads}))),
  };
}

std::vector<Case> image_sampling_patterns() {
  // Other levels than that which is written, or one of two of them.
  Case others = between("image_sampled_other_levels", {dispatch(0), dispatch(1)}, {},
                        {{"comp", kWrite}, {"comp", kHeader + R"(
layout(set = 0, binding = 2) uniform usampler2D tex;
void main() {
  vec2 at = (vec2(t) + 0.5) / 16.0;
  result[i] = textureLod(tex, at, -3.0).x + textureLod(tex, at, 0.7).x + textureLod(tex, at, 1.3).x;
  result[i] += textureGather(tex, at).x;
}
)"}});
  others.bindings.push_back(texture(2));
  with_levels(others);
  return {others, drawn("image_sampled_other_derived_level", "32.0", image_barrier({.made = 0, .seen = 0}))};
}

}  // namespace sync_cases
