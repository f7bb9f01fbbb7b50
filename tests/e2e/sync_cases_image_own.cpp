// SPDX-License-Identifier: Apache-2.0
// Stores to texels that seem to be their invocation's own, and reads of which only some workgroups are
// checked.
#include "sync_image_steps.h"

namespace sync_cases {
namespace {

const std::string kOwnHeader = R"(
layout(local_size_x = 8, local_size_y = 8) in;
ivec2 t = ivec2(gl_GlobalInvocationID.xy);
uint i = gl_GlobalInvocationID.y * 16u + gl_GlobalInvocationID.x;
layout(set = 0, binding = 1, std430) buffer Result { uint result[]; };
layout(set = 0, binding = 0, r32ui) uniform uimage2D img;
)";
const std::string kStore = kOwnHeader + R"(
void main() { imageStore(img, t, uvec4(i + 1u)); }  //!
)";
const std::string kUpdate = kOwnHeader + R"(
void main() { imageStore(img, t, imageLoad(img, t) + 3u); }  //!
)";

Step grid(uint32_t shader, uint32_t x = 2, uint32_t y = 2, uint32_t z = 1) {
  return {[=](Context& context) {
    context.bind_compute(shader);
    vkCmdDispatch(context.commands(), x, y, z);
  }};
}

Case own(const char* name, std::vector<Step> steps, Expected expected, const std::string& shader,
         const std::string& second = kStore) {
  return between(name, std::move(steps), expected, {{"comp", shader}, {"comp", second}});
}

// The image is read by 1,024 workgroups, of which one in 64 is checked.
Case many_groups(const char* name, std::vector<Step> steps, Expected expected, const std::string& reader) {
  Case test = between(name, std::move(steps), expected, {{"comp", reader}});
  test.images[0].extent = {256, 256, 1};
  return test;
}

}  // namespace

std::vector<Case> image_own_texel_cases() {
  const Expected stored = raced("write after write", "store");
  const std::string twice = kOwnHeader + R"(
layout(set = 0, binding = 2, r32ui) uniform uimage2D same;
void main() {
  imageStore(img, t, uvec4(i));  //!
#ifdef RACY
  imageStore(same, t ^ 8, uvec4(i));  //!
#else
  imageStore(same, t, uvec4(i));
#endif
}
)";
  const std::string beside = kOwnHeader + R"(
void main() {
  imageStore(img, t, uvec4(i));  //!
#ifdef RACY
  result[i] = imageLoad(img, t ^ 8).x * 0u;  //!
#else
  result[i] = imageLoad(img, t).x;
#endif
}
)";
  const std::string columns = kOwnHeader + R"(
void main() {
#ifdef RACY
  imageStore(img, ivec2(t.x, t.x), uvec4(7u));  //!
#else
  imageStore(img, t.yx, uvec4(7u));
#endif
}
)";
  const std::string reads_all = kHeader + R"(
layout(set = 0, binding = 0, r32ui) uniform uimage2D img;
void main() {
  uint sum = 0u;
  ivec2 at = ivec2(int(i % 256u), int(i / 256u));
  for (int k = 0; k < 3; ++k) sum += imageLoad(img, ivec2((at.x + k) & 255, at.y)).x;  //!
  if (i < 4096u) result[i] = sum * 0u;
}
)";
  const ImageBarrier discards{.from = kCompute, .made = 0, .old_layout = VK_IMAGE_LAYOUT_UNDEFINED};
  ImageBarrier early = discards;
  early.from = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT;
  Expected late = raced("write after read", "store");
  late.command = "layout transition";
  return {
      own("image_own_texels_in_layers", {only_correct(grid(0)), only_racy(grid(0, 2, 2, 2))}, stored, kStore),
      own("image_own_texels_again", {grid(0), only_correct(image_barrier()), grid(1)}, stored, kStore),
      own("image_own_texels_updated",
          {grid(0), only_correct(image_barrier()), only_racy(image_barrier({.made = 0, .seen = 0})), grid(1)},
          raced("", ""), kStore, kUpdate),
      with(own("image_own_texels_by_two_descriptors", {grid(0)}, raced("", ""), twice),
           [](Case& test) { test.bindings.push_back(storage(2)); }),
      own("image_own_texels_and_others", {grid(0)}, raced("", ""), beside),
      own("image_own_texels_by_one_coordinate", {grid(0)}, stored, columns),
      many_groups("image_read_by_many_groups",
                  {dispatch(0, 1024), only_correct(image_barrier(discards)), only_racy(image_barrier(early))},
                  late, reads_all),
  };
}

}  // namespace sync_cases
