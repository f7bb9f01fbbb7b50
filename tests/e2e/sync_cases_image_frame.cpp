// SPDX-License-Identifier: Apache-2.0
// A frame of passes that hand images on, and the begin of the next one. Each of its barriers is left out in
// turn.
#include <string>

#include "sync_image_steps.h"

namespace sync_cases {
namespace {

enum Image : uint32_t { kAlbedo, kLit, kBright, kFinal };

const std::string kLight = kHeader + R"(
layout(set = 0, binding = 0) uniform sampler2D albedo;
layout(set = 0, binding = 2, r32ui) uniform writeonly uimage2D lit;
void main() {
  vec4 c = textureLod(albedo, (vec2(t) + 0.5) / 16.0, 0.0);  //!
  imageStore(lit, t, uvec4(uint(c.x * 255.0) + i));  //!
}
)";
const std::string kThreshold = kHeader + R"(
layout(set = 0, binding = 2, r32ui) uniform readonly uimage2D lit;
layout(set = 0, binding = 3, rgba8) uniform writeonly image2D bright;
void main() {
  uint c = imageLoad(lit, t).x;  //!
  imageStore(bright, t, vec4(float(c & 255u) / 255.0));  //!
}
)";
const std::string kCompose = kHeader + R"(
layout(set = 0, binding = 2, r32ui) uniform readonly uimage2D lit;
layout(set = 0, binding = 4) uniform sampler2D bloom;
layout(set = 0, binding = 5, r32ui) uniform writeonly uimage2D composed;
void main() {
  uint c = imageLoad(lit, t).x;  //!
  float b = texelFetch(bloom, t / 2, 0).x;  //!
  imageStore(composed, t, uvec4(c + uint(b * 255.0)));  //!
}
)";

struct Link {
  const char* name;
  Step barrier;
  Expected without;
};

std::vector<Link> links() {
  constexpr VkPipelineStageFlags output = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                 transfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
  constexpr VkAccessFlags drawn = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, copied = VK_ACCESS_TRANSFER_READ_BIT,
                          written = VK_ACCESS_TRANSFER_WRITE_BIT;
  const auto expected = [](const char* hazard_class, const char* access, const char* image,
                           const char* command, const char* earlier) {
    Expected one = raced(hazard_class, access, image);
    one.command = command;
    one.earlier_command = earlier;
    return one;
  };
  const char* const read = "read after write";
  return {
      {"image_frame_lit_too_early",
       image_barrier({.from = output, .made = drawn, .seen = kReads, .image = kAlbedo}),
       expected(read, "load", "albedo", "", "vkCmdBeginRendering")},
      {"image_frame_threshold_too_early", image_barrier({.made = kWrites, .seen = kReads, .image = kLit}),
       expected(read, "load", "lit", "", "vkCmdDispatch")},
      {"image_frame_blit_too_early",
       image_barrier(
           {.made = kWrites, .to = transfer, .seen = copied, .image = kBright, .range = part(0, 0)}),
       expected(read, "load", "bright", "vkCmdBlitImage", "vkCmdDispatch")},
      {"image_frame_composed_too_early",
       image_barrier(
           {.from = transfer, .made = written, .seen = kReads, .image = kBright, .range = part(1, 0)}),
       expected(read, "load", "bright", "", "vkCmdBlitImage")},
      {"image_frame_copied_too_early",
       image_barrier({.made = kWrites, .to = transfer, .seen = copied, .image = kFinal}),
       expected(read, "load", "final", "vkCmdCopyImageToBuffer", "vkCmdDispatch")},
      {"image_frame_rendered_too_early",
       image_barrier({.made = 0, .to = output, .seen = drawn, .image = kAlbedo}),
       expected("", "store", "albedo", "vkCmdBeginRendering", "")},
  };
}

Case frame() {
  Case all = between("", {}, {}, {{"comp", kLight}, {"comp", kThreshold}, {"comp", kCompose}});
  all.images.clear();
  for (const char* name : {"albedo", "lit", "bright", "final"}) all.images.push_back({.name = name});
  all.images[kAlbedo].format = all.images[kBright].format = VK_FORMAT_R8G8B8A8_UNORM;
  all.images[kAlbedo].usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  all.images[kBright].mips = 2;
  all.bindings = {texture(0, {kAlbedo}), kResultBinding,        storage(2, {kLit}),
                  storage(3, {kBright}), texture(4, {kBright}), storage(5, {kFinal})};
  all.bindings[4].first_mip = 1;
  return all;
}

}  // namespace

std::vector<Case> image_frame_cases() {
  const std::vector<Link> all = links();
  const std::vector<Step> passes = {render(kAlbedo), dispatch(0),
                                    dispatch(1),     blit_down(kBright, 0, 16, VK_FILTER_LINEAR),
                                    dispatch(2),     copy_in(kFinal, {0, 0, 0}, {16, 16, 1}, true),
                                    render(kAlbedo)};
  std::vector<Case> cases;
  for (size_t left_out = 0; left_out < all.size(); ++left_out) {
    Case one = frame();
    one.name = all[left_out].name;
    one.expected = all[left_out].without;
    for (size_t i = 0; i < passes.size(); ++i) {
      if (i != 0)
        one.steps.push_back(i - 1 == left_out ? only_correct(all[i - 1].barrier) : all[i - 1].barrier);
      one.steps.push_back(passes[i]);
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

}  // namespace sync_cases
