// SPDX-License-Identifier: Apache-2.0
// Images of formats with several planes, which shaders access through views of one plane.
#include "sync_image_steps.h"

namespace sync_cases {
namespace {

constexpr VkImageAspectFlags kFirst = VK_IMAGE_ASPECT_PLANE_0_BIT, kSecond = VK_IMAGE_ASPECT_PLANE_1_BIT,
                             kThird = VK_IMAGE_ASPECT_PLANE_2_BIT;

// The first plane has 16 x 16 texels, the others 8 x 8.
const std::string kPlaneHeader = R"(
layout(local_size_x = 64) in;
uint i = gl_GlobalInvocationID.x;
ivec2 t = ivec2(int(i % 8u), int(i / 8u));
layout(set = 0, binding = 1, std430) buffer Result { uint result[]; };
layout(set = 0, binding = 0, r8) uniform image2D first;
layout(set = 0, binding = 2, r8) uniform image2D second;
layout(set = 0, binding = 3, r8) uniform image2D third;
)";
const std::string kWriteSecond = kPlaneHeader + R"(
void main() { imageStore(second, t, vec4(i / 255.0)); }  //!
)";
const std::string kWriteThird = kPlaneHeader + R"(
void main() { imageStore(third, t, vec4(i / 255.0)); }  //!
)";
const std::string kReadSecond = kPlaneHeader + R"(
void main() { result[i] = uint(imageLoad(second, t).x * 255.0 + 0.5); }  //!
)";
const std::string kWriteFirst = kPlaneHeader + R"(
void main() { if (i < 64u) imageStore(first, t, vec4(i / 255.0)); }  //!
)";

Step one_group(uint32_t shader) {
  return {[=](Context& context) {
    context.bind_compute(shader);
    vkCmdDispatch(context.commands(), 1, 1, 1);
  }};
}

// From a plane into a buffer, or the other way.
Step copy_plane(VkImageAspectFlags aspect, bool out) {
  return {[=](Context& context) {
    const VkBufferImageCopy region{0, 0, 0, {aspect, 0, 0, 1}, {0, 0, 0}, {8, 8, 1}};
    if (out)
      vkCmdCopyImageToBuffer(context.commands(), context.images[0], VK_IMAGE_LAYOUT_GENERAL,
                             context.buffers[1].handle, 1, &region);
    else
      vkCmdCopyBufferToImage(context.commands(), context.buffers[1].handle, context.images[0],
                             VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  }};
}

Case planes(const char* name, std::vector<Step> steps, Expected expected, std::vector<Shader> shaders,
            VkImageCreateFlags flags = 0) {
  return with(between(name, std::move(steps), expected, std::move(shaders)), [&](Case& test) {
    ImageSpec& image = test.images[0];
    image.format = VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM;
    image.flags = flags | VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
    test.bindings = {storage(0), kResultBinding, storage(2), storage(3)};
    for (const auto& [index, aspect] : {std::pair{0, kFirst}, {2, kSecond}, {3, kThird}}) {
      test.bindings[index].format = VK_FORMAT_R8_UNORM;
      test.bindings[index].aspects = aspect;
    }
  });
}

}  // namespace

std::vector<Case> image_plane_cases() {
  constexpr VkPipelineStageFlags transfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
  const Expected read = raced("read after write", "load");
  const std::vector<Shader> write_and_read = {{"comp", kWriteSecond}, {"comp", kReadSecond}};
  const auto by_copy = [&](Expected expected, const char* command, const char* earlier) {
    expected.command = command;
    expected.earlier_command = earlier;
    return expected;
  };
  // A barrier for another plane of a disjoint image.
  const auto of_plane = [](VkImageAspectFlags aspect) {
    return image_barrier({.range = {aspect, 0, 1, 0, 1}});
  };
  return {
      planes("image_planes", {one_group(0), only_correct(image_barrier()), one_group(1)}, read,
             write_and_read),
      planes("image_planes_disjoint",
             {one_group(0), only_correct(of_plane(kSecond)), only_racy(of_plane(kThird)), one_group(1)}, read,
             write_and_read, VK_IMAGE_CREATE_DISJOINT_BIT),
      planes(
          "image_plane_copied_out",
          {one_group(0), only_correct(image_barrier({.to = transfer, .seen = VK_ACCESS_TRANSFER_READ_BIT})),
           copy_plane(kThird, true)},
          by_copy(read, "vkCmdCopyImageToBuffer", ""), {{"comp", kWriteThird}}),
      planes("image_plane_copied_in",
             {copy_plane(kSecond, false),
              only_correct(image_barrier({.from = transfer, .made = VK_ACCESS_TRANSFER_WRITE_BIT})),
              one_group(0)},
             by_copy(read, "", "vkCmdCopyBufferToImage"), {{"comp", kReadSecond}}),
  };
}

std::vector<Case> image_plane_patterns() {
  return {planes("image_planes_apart", {one_group(0), one_group(1), copy_plane(kThird, false)}, {},
                 {{"comp", kWriteFirst}, {"comp", kWriteSecond}})};
}

}  // namespace sync_cases
