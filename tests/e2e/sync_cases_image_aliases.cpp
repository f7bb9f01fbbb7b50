// SPDX-License-Identifier: Apache-2.0
// Cases of images that share memory. Frame graphs give one memory to images that are never used at the same
// time: where the content of one begins, all that is done to the others has to be over.
#include <string>

#include "sync_image_steps.h"

namespace sync_cases {
namespace {

constexpr VkPipelineStageFlags2 kCompute2 = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
constexpr VkPipelineStageFlags2 kCopy2 = VK_PIPELINE_STAGE_2_COPY_BIT;
constexpr VkPipelineStageFlags2 kOutput2 = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
constexpr VkAccessFlags2 kStored = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;

// Binding 2 is an image in the memory of the first one.
Case shares_memory(Case test) {
  test.images.push_back({.name = "other", .alias_of = "image"});
  for (auto& image : test.images) {
    image.flags = VK_IMAGE_CREATE_ALIAS_BIT;
    image.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  }
  test.bindings.push_back(storage(2, {1}));
  return test;
}

// An image whose content begins anew, with the first version of barriers and with the second one.
Step taken_over_by(uint32_t image, VkAccessFlags made = kWrites) {
  return image_barrier({.made = made, .image = image, .old_layout = VK_IMAGE_LAYOUT_UNDEFINED});
}
Step other_begins(VkPipelineStageFlags2 from, VkAccessFlags2 made, VkPipelineStageFlags2 to = kCompute2) {
  return image_barrier2(from, made, to, VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT, 1,
                        VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED);
}

const std::string kWriteOther = kHeader + R"(
layout(set = 0, binding = 2, r32ui) uniform uimage2D other;
void main() { imageStore(other, t, uvec4(i * 3u)); }
)";
const std::string kReadOther = kHeader + R"(
layout(set = 0, binding = 2, r32ui) uniform uimage2D other;
void main() { result[i] = imageLoad(other, t).x; }
)";

// The first image is used, and then the other one begins.
Case begins_behind(const char* name, const Step& use, VkPipelineStageFlags2 stage, VkAccessFlags2 made,
                   const char* command = "") {
  Case test = shares_memory(between(name, {use, only_correct(other_begins(stage, made)),
                                           only_racy(other_begins(VK_PIPELINE_STAGE_2_NONE, 0))}));
  test.expected = raced(made ? "write after write" : "write after read", "store");
  test.expected.command = "layout transition of vkCmdPipelineBarrier2() of image \"racy ";
  test.expected.earlier_command = command;
  return test;
}

Expected begun_by_pass() {
  Expected expected = raced("write after write", "store");
  expected.command = "layout transition of vkCmdBeginRenderPass() of image \"racy ";
  return expected;
}

Expected reads_what_is_gone() {
  Expected expected = raced("read after write", "load");
  expected.earlier_command = "layout transition of vkCmdPipelineBarrier2() of image \"racy ";
  return expected;
}

}  // namespace

std::vector<Case> image_alias_cases() {
  const auto write = dispatch(0), read = dispatch(1);
  const PassDependency behind_compute = {
      true, kCompute2, kStored, kOutput2,
      VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT};
  Case smaller = begins_behind("image_smaller_one_begins_too_early", write, kCompute2, kStored);
  smaller.images[1].extent = {4, 4, 1};
  return {
      shares_memory(between("image_that_shares_memory", {write, only_correct(image_barrier()), read})),
      begins_behind("image_begins_before_stores_end", write, kCompute2, kStored),
      begins_behind("image_begins_before_loads_end", read, kCompute2, 0),
      begins_behind("image_begins_before_a_copy_ends", copy_in(0), kCopy2, VK_ACCESS_2_TRANSFER_WRITE_BIT,
                    "vkCmdCopyBufferToImage"),
      begins_behind("image_begins_before_rendering_ends", render(0), kOutput2,
                    VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT, "vkCmdBeginRendering"),
      smaller,
      // A barrier before it makes the stores available, and its own has no stage of them.
      shares_memory(between("image_begins_in_a_pass_too_early",
                            {write, only_correct(pass(1, {{behind_compute}})), only_racy(pass(1))},
                            begun_by_pass())),
      // The first image is never begun again: what is read is what the other one has left.
      shares_memory(between("image_read_while_another_begins",
                            {other_begins(VK_PIPELINE_STAGE_2_NONE, 0, kCopy2),
                             only_correct(image_barrier({.from = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                                         .made = VK_ACCESS_TRANSFER_WRITE_BIT})),
                             read},
                            reads_what_is_gone())),
  };
}

std::vector<Case> image_alias_patterns() {
  const auto begin_both = [](Context& context) {
    for (const uint32_t image : {0, 1})
      image_barrier2(VK_PIPELINE_STAGE_2_NONE, 0, kCompute2, kStored, image, VK_IMAGE_ASPECT_COLOR_BIT,
                     VK_IMAGE_LAYOUT_UNDEFINED)
          .act(context);
  };
  const std::vector<Shader> shaders = {
      {"comp", kWrite}, {"comp", kRead}, {"comp", kWriteOther}, {"comp", kReadOther}};
  return {
      // Who orders accesses to the memory names the image that has it next: what the first dispatch wrote is
      // made available by the barrier for the other image alone.
      shares_memory(
          between("images_in_turns",
                  {dispatch(0), taken_over_by(1), dispatch(3), taken_over_by(0, kReads), dispatch(0),
                   taken_over_by(1), dispatch(2), image_barrier({.image = 1}), dispatch(3)},
                  {}, shaders)),
      // Both are made ready at once, before either is used.
      shares_memory(between(
          "images_begun_together",
          {{begin_both}, dispatch(0), barrier(), dispatch(1), barrier(), dispatch(2), barrier(), dispatch(3)},
          {}, shaders)),
  };
}

}  // namespace sync_cases
