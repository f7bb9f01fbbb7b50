// SPDX-License-Identifier: Apache-2.0
// What comes between two accesses of an image does not hide that nothing orders them: reads behind a store
// that others have read in order, and stores behind several reads.
#include <string>

#include "sync_image_steps.h"

namespace sync_cases {
namespace {

constexpr VkPipelineStageFlags kPixels = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                               kTransfers = VK_PIPELINE_STAGE_TRANSFER_BIT;

const std::string kShown = R"(
layout(set = 0, binding = 0, r32ui) uniform readonly uimage2D img;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(imageLoad(img, ivec2(gl_FragCoord.xy)).x & 255u) / 255.0; }  //!
)";

Step copy_out() { return copy_in(0, {0, 0, 0}, {16, 16, 1}, true); }

std::vector<Step> joined(std::vector<Step> steps, const std::vector<Step>& more) {
  steps.insert(steps.end(), more.begin(), more.end());
  return steps;
}

const std::vector<Step>& shown() {
  static const std::vector<Step> steps = {begin_rendering(), draw({2, 3}), end_rendering()};
  return steps;
}

Case read_by_several(const char* name, std::vector<Step> steps, Expected expected) {
  return between(name, std::move(steps), expected,
                 {{"comp", kWrite}, {"comp", kRead}, {"vert", kTriangle}, {"frag", kShown}});
}

// A store that three stages read, of which the next store waits for two.
Case stored_behind(const char* name, VkPipelineStageFlags waits_for) {
  const VkPipelineStageFlags all = kCompute | kPixels | kTransfers;
  ImageBarrier seen;
  seen.to = all;
  seen.seen = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT;
  std::vector<Step> steps = joined({dispatch(0), image_barrier(seen), dispatch(1)}, shown());
  ImageBarrier next;
  next.made = 0;
  next.from = waits_for;
  ImageBarrier right = next;
  right.from = all;
  steps = joined(
      steps, {copy_out(), only_racy(image_barrier(next)), only_correct(image_barrier(right)), dispatch(0)});
  return read_by_several(name, steps, raced("write after read", "store"));
}

}  // namespace

std::vector<Case> image_last_access_cases() {
  const std::vector<Step> read = {dispatch(0), image_barrier({.seen = kReads}), dispatch(1)};
  Expected copied = raced("read after write", "load");
  copied.command = "vkCmdCopyImageToBuffer";
  copied.earlier_command = "vkCmdDispatch";
  Expected drawn = raced("read after write", "load");
  drawn.earlier_command = "vkCmdDispatch";
  Case pixels = stored_behind("image_stored_before_pixels_have_read", kCompute | kTransfers);
  pixels.expected.earlier_command = "vkCmdDraw";
  return {
      read_by_several(
          "image_copied_behind_a_reader",
          joined(read, {only_correct(image_barrier({.to = kTransfers, .seen = VK_ACCESS_TRANSFER_READ_BIT})),
                        copy_out()}),
          copied),
      read_by_several(
          "image_drawn_behind_a_reader",
          joined(joined(read, {only_correct(image_barrier({.to = kPixels, .seen = kReads}))}), shown()),
          drawn),
      pixels,
      stored_behind("image_stored_before_it_is_copied", kCompute | kPixels),
      stored_behind("image_stored_before_shaders_have_read", kPixels | kTransfers),
  };
}

}  // namespace sync_cases
