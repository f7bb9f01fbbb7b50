// SPDX-License-Identifier: Apache-2.0
// Cases whose racy twins race on known texels alone, for the pictures of them.
#include "sync_image_steps.h"

namespace sync_cases {
namespace {

// As kChosen has it.
bool chosen(uint32_t x, uint32_t y) {
  uint32_t h = x * 2654435761u ^ y * 2246822519u;
  h = (h ^ h >> 15) * 2246822519u;
  return (h >> 13 & 1u) != 0u;
}

RacedTexel chosen_are(RacedTexel how) {
  return [=](uint32_t x, uint32_t y) { return chosen(x, y) ? how(x, y) : Raced::no; };
}
Raced between_actions(uint32_t, uint32_t) { return Raced::between_actions; }
Raced within_action(uint32_t, uint32_t) { return Raced::within_action; }

// Every texel is in the shaders' texel t once.
std::vector<Shader> write_and_read(const std::string& texels = "") {
  const std::string header = kImage + kChosen + texels;
  return {{"comp", header + "void main() { if (chosen(t)) imageStore(img, t, uvec4(i)); }  //!\n"},
          {"comp", header + "void main() { result[i] = imageLoad(img, t).x; }  //!\n"}};
}

Case pictured(const char* name, std::vector<Step> steps, Expected expected, std::vector<Shader> shaders) {
  Case one = between(name, std::move(steps), expected, std::move(shaders));
  one.group = "pictures";
  return one;
}

// The level and the layer are not the first ones, and rows end within a byte.
PictureCase of_another_level() {
  const std::string texels = R"(
#define t ivec2(int(i % 21u), int(i / 21u))
)";
  PictureCase one;
  const auto barrier = only_correct(image_barrier({.range = part(1, 2)}));
  one.test = with(pictured("picture_of_another_level", {dispatch(0, 11), barrier, dispatch(1, 11)},
                           raced("read after write", "load"), write_and_read(texels)),
                  [](Case& test) {
                    test.images[0].extent = {42, 64, 1};
                    test.images[0].mips = 3;
                    test.images[0].layers = 4;
                    test.bindings[0].first_mip = 1;
                    test.bindings[0].first_layer = 2;
                  });
  one.width = 21;
  one.height = 32;
  one.file = "racy-picture_of_another_level-image-mip1-layer2.png";
  one.raced = chosen_are(between_actions);
  return one;
}

PictureCase of_a_slice() {
  const std::string header = kHeader + kChosen + R"(
layout(set = 0, binding = 0, r32ui) uniform uimage3D img;
ivec3 at = ivec3(t.x, t.y & 3, t.y >> 2);
)";
  PictureCase one;
  one.test = with(
      pictured(
          "picture_of_a_slice", {dispatch(0), only_correct(image_barrier()), dispatch(1)},
          raced("read after write", "load"),
          {{"comp",
            header + "void main() { if (at.z == 2 && chosen(at.xy)) imageStore(img, at, uvec4(i)); }  //!\n"},
           {"comp", header + "void main() { result[i] = imageLoad(img, at).x; }  //!\n"}}),
      [](Case& test) {
        test.images[0].type = VK_IMAGE_TYPE_3D;
        test.images[0].extent = {16, 4, 4};
        test.bindings[0].view = VK_IMAGE_VIEW_TYPE_3D;
      });
  one.height = 4;
  one.file = "racy-picture_of_a_slice-image-z2.png";
  one.raced = chosen_are(between_actions);
  return one;
}

// An image that no shader stores to: one texel in some stands for its square.
PictureCase of_squares() {
  constexpr VkPipelineStageFlags transfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
  constexpr VkAccessFlags write = VK_ACCESS_TRANSFER_WRITE_BIT;
  Expected expected = raced("write after write", "store");
  expected.command = "vkCmdCopyBufferToImage";
  PictureCase one;
  one.test = with(pictured("picture_of_squares",
                           {clear_image(0), only_correct(image_barrier({transfer, write, transfer, write})),
                            copy_in(0, {64, 32, 0})},
                           expected, {}),
                  [](Case& test) {
                    test.images[0].extent = {256, 256, 1};
                    test.images[0].usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
                    test.bindings = {kResultBinding};
                  });
  one.width = one.height = 256;
  one.file = "racy-picture_of_squares-image.png";
  one.note = " is checked, and stands for its square in the picture";
  one.raced = [](uint32_t x, uint32_t y) {
    return x - 64 < 16 && y - 32 < 16 ? Raced::between_actions : Raced::no;
  };
  return one;
}

// A transition is entered at every second texel of every second row of such an image.
PictureCase of_a_transition() {
  PictureCase one;
  const ImageBarrier right = {.old_layout = VK_IMAGE_LAYOUT_UNDEFINED};
  ImageBarrier wrong = right;
  wrong.from = VK_PIPELINE_STAGE_TRANSFER_BIT;
  wrong.made = 0;
  one.test =
      with(pictured("picture_of_a_transition",
                    {dispatch(0, 256), only_correct(image_barrier(right)), only_racy(image_barrier(wrong))},
                    raced("write after write", "store"), {{"comp", kImage + R"(
#define t ivec2(int(i % 128u), int(i / 128u))
void main() { imageStore(img, t, uvec4(i)); }  //!
)"}}),
           [](Case& test) {
             test.images[0].extent = {128, 128, 1};
           });
  one.width = one.height = 128;
  one.file = "racy-picture_of_a_transition-image.png";
  one.note = "changes of layouts are compared, and reads beside them checked, at some texels only";
  one.raced = [](uint32_t x, uint32_t y) {
    return x % 2 == 0 && y % 2 == 0 ? Raced::between_actions : Raced::no;
  };
  return one;
}

std::vector<PictureCase> cases() {
  std::vector<PictureCase> all(4);
  all[0].test = pictured("picture_between", {dispatch(0), only_correct(image_barrier()), dispatch(1)},
                         raced("read after write", "load"), write_and_read());
  all[0].file = "racy-picture_between-image.png";
  all[0].raced = chosen_are(between_actions);
  // A texel is eight rows away from the one that its own workgroup stores to.
  all[1].test = pictured("picture_within", {dispatch(0)}, raced("write after write", "store"),
                         {{"comp", kImage + kChosen + R"(
void main() {
  imageStore(img, t, uvec4(i));  //!
#ifdef RACY
  ivec2 other = ivec2(t.x, (t.y + 8) & 15);
  if (chosen(other)) imageStore(img, other, uvec4(i));  //!
#endif
})"}});
  all[1].file = "racy-picture_within-image.png";
  all[1].raced = chosen_are(within_action);
  // The second dispatch also races with itself, in the first row.
  all[2].test = pictured("picture_of_both", {dispatch(0), only_correct(image_barrier()), dispatch(1)},
                         raced("", ""), {write_and_read()[0], {"comp", kImage + kChosen + R"(
void main() {
  result[i] = imageLoad(img, t).x;  //!
#ifdef RACY
  if (t.y == 8) imageStore(img, ivec2(t.x, 0), uvec4(i));  //!
#endif
})"}});
  all[2].file = "racy-picture_of_both-image.png";
  all[2].raced = [](uint32_t x, uint32_t y) {
    if (y == 0) return chosen(x, y) ? Raced::some : Raced::within_action;
    return chosen(x, y) ? Raced::between_actions : Raced::no;
  };
  // Both images are accessed at the same places of the shaders, so one finding stands for both.
  const auto two = [](const std::string& body) {
    return kHeader + kChosen + "layout(set = 0, binding = 0, r32ui) uniform uimage2D img[2];\n" + body;
  };
  all[3].test =
      with(pictured("picture_of_two", {dispatch(0), only_correct(barrier()), dispatch(1)},
                    raced("read after write", "load", ""),
                    {{"comp", two("void main() {\n"
                                  "  for (uint n = result[4000]; n < 2u; ++n)\n"
                                  "    if (chosen(t)) imageStore(img[n], t, uvec4(i));  //!\n}\n")},
                     {"comp", two("void main() {\n"
                                  "  for (uint n = result[4000]; n < 2u; ++n)\n"
                                  "    result[i + 256u * n] = imageLoad(img[n], t).x;  //!\n}\n")}}),
           [](Case& test) {
             test.images.push_back({.name = "second"});
             test.bindings[0].buffers = {0, 1};
           });
  all[3].file = "racy-picture_of_two-image.png";
  all[3].other_file = "racy-picture_of_two-second.png";
  all[3].raced = chosen_are(between_actions);
  all.push_back(of_another_level());
  all.push_back(of_a_slice());
  all.push_back(of_squares());
  all.push_back(of_a_transition());
  return all;
}

}  // namespace

const std::vector<PictureCase>& picture_cases() {
  static const std::vector<PictureCase> all = cases();
  return all;
}

}  // namespace sync_cases
