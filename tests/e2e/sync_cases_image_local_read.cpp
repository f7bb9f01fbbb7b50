// SPDX-License-Identifier: Apache-2.0
// Cases of dynamic rendering with local reads: attachments that fragment shaders read as inputs.
#include "sync_image_steps.h"

namespace sync_cases {
namespace {

constexpr VkImageLayout kReadOnly = VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL,
                        kGeneral = VK_IMAGE_LAYOUT_GENERAL, kLocal = VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ;
constexpr VkPipelineStageFlags2 kTests = VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |
                                         VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
                                kOutput = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                                kShader = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
constexpr VkAccessFlags2 kReadAsInput = VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT,
                         kDrawn = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
                         kDrawnOver = kDrawn | VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT;

const std::string kResultOfFragments = R"(
layout(set = 0, binding = 1, std430) buffer Result { uint result[]; };
uint at() { return uint(gl_FragCoord.y) * 16u + uint(gl_FragCoord.x); }
)";

Step clear_depth() {
  return {[](Context& context) {
    const VkClearDepthStencilValue value{0.5f, 0};
    const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1};
    vkCmdClearDepthStencilImage(context.commands(), context.images[0], kGeneral, &value, 1, &all);
  }};
}

struct Into {
  VkPipelineStageFlags2 from = 0;
  VkAccessFlags2 made = 0;
  VkPipelineStageFlags2 to = 0;
  VkAccessFlags2 seen = 0;
  VkImageLayout layout = kGeneral;
  VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;
};
Step into(const Into& spec) {
  return {[=](Context& context) {
    VkImageMemoryBarrier2 barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2;
    barrier.srcStageMask = spec.from;
    barrier.srcAccessMask = spec.made;
    barrier.dstStageMask = spec.to;
    barrier.dstAccessMask = spec.seen;
    barrier.oldLayout = kGeneral;
    barrier.newLayout = spec.layout;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = context.images[0];
    barrier.subresourceRange = {spec.aspect, 0, 1, 0, 1};
    VkDependencyInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
    info.imageMemoryBarrierCount = 1;
    info.pImageMemoryBarriers = &barrier;
    vkCmdPipelineBarrier2(context.commands(), &info);
  }};
}

// Within the rendering, for the same pixel.
Step by_region() {
  return {[](Context& context) {
    VkMemoryBarrier2 barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
    barrier.srcStageMask = kOutput;
    barrier.srcAccessMask = kDrawn;
    barrier.dstStageMask = kShader;
    barrier.dstAccessMask = kReadAsInput;
    VkDependencyInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
    info.dependencyFlags = VK_DEPENDENCY_BY_REGION_BIT;
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &barrier;
    vkCmdPipelineBarrier2(context.commands(), &info);
  }};
}

Step begin(VkImageLayout layout) {
  return {[=](Context& context) { context.begin_local_reads(0, layout); }};
}

Case reads_locally(const char* name, std::vector<Step> steps, Expected expected,
                   std::vector<Shader> shaders) {
  Case test = between(name, std::move(steps), expected, std::move(shaders));
  Binding input = storage(2);
  input.type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
  test.bindings.push_back(input);
  test.images[0].usage |= VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  test.extensions = {VK_KHR_DYNAMIC_RENDERING_LOCAL_READ_EXTENSION_NAME};
  test.rare = true;
  return test;
}

const std::string kInput = kResultOfFragments + R"(
layout(input_attachment_index = 0, set = 0, binding = 2) uniform usubpassInput before;
layout(location = 0) out uint drawn;
)";
const std::string kReadsAndDraws = kInput + R"(
void main() {
  result[at()] = subpassLoad(before).x;  //!
  drawn = 9u;
}
)";
const std::string kReadsAgain = kInput + R"(
void main() {
  result[at() + 256u] = subpassLoad(before).x;
  drawn = 11u;
}
)";
const std::string kDraws = kResultOfFragments + R"(
layout(location = 0) out uint drawn;
void main() { drawn = at() + 7u; }
)";

}  // namespace

std::vector<Case> local_read_cases() {
  const std::string reads_depth = kResultOfFragments + R"(
layout(input_attachment_index = 0, set = 0, binding = 2) uniform subpassInput before;
layout(location = 0) out vec4 drawn;
void main() {
  result[at()] = floatBitsToUint(subpassLoad(before).x);  //!
  drawn = vec4(1.0);
}
)";
  const auto to_read_only = [](VkAccessFlags2 of_shader) {
    return into({VK_PIPELINE_STAGE_2_CLEAR_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT, kTests | kShader,
                 VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | of_shader, kReadOnly,
                 VK_IMAGE_ASPECT_DEPTH_BIT});
  };
  Expected read = raced("read after write", "load");
  read.earlier_command = "layout transition";
  Case depth = reads_locally(
      "image_local_read_of_depth",
      {clear_depth(), only_correct(to_read_only(kReadAsInput)),
       only_racy(to_read_only(VK_ACCESS_2_SHADER_READ_BIT)), begin(kReadOnly), draw({1, 0}), end_rendering()},
      read, {{"frag", reads_depth}, {"vert", kTriangle}});
  depth.bindings.erase(depth.bindings.begin());  // no storage image
  depth.bindings.back().layout = kReadOnly;
  depth.images[0].format = VK_FORMAT_D32_SFLOAT;
  depth.images[0].usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT |
                          VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  return {depth};
}

// What was there before is read, drawn over, and what was drawn is read.
std::vector<Case> local_read_patterns() {
  const Step in = into({kCompute, kWrites, kOutput | kShader, kDrawnOver | kReadAsInput});
  return {reads_locally("image_local_read_of_what_the_pass_draws",
                        {dispatch(0), in, begin(kGeneral), draw({1, 3}), by_region(), draw({1, 2}),
                         by_region(), draw({1, 4}), end_rendering()},
                        {},
                        {{"comp", kWrite},
                         {"vert", kTriangle},
                         {"frag", kDraws},
                         {"frag", kReadsAndDraws},
                         {"frag", kReadsAgain}}),
          // The loaded contents are visible to the attachment alone.
          reads_locally("image_local_read_of_what_was_loaded",
                        {dispatch(0), into({kCompute, kWrites, kOutput, kDrawnOver}), begin(kGeneral),
                         by_region(), draw({1, 2}), end_rendering()},
                        {}, {{"comp", kWrite}, {"vert", kTriangle}, {"frag", kReadsAndDraws}})};
}

LayoutCase local_read_layout_case() {
  const auto in = [](VkImageLayout layout) {
    return into({VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_WRITE_BIT, kOutput | kShader,
                 kDrawnOver | kReadAsInput, layout});
  };
  return {.test = reads_locally(
              "layout_of_a_local_read",
              {only_racy(in(kLocal)), only_racy(begin(kLocal)), only_correct(in(kGeneral)),
               only_correct(begin(kGeneral)), draw({1, 2}), by_region(), draw({1, 0}), end_rendering()},
              {}, {{"frag", kReadsAndDraws}, {"vert", kTriangle}, {"frag", kDraws}}),
          .named = "VK_IMAGE_LAYOUT_GENERAL",
          .is = "VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ",
          .changed_by = "vkCmdPipelineBarrier2",
          .of_descriptor = true};
}

}  // namespace sync_cases
