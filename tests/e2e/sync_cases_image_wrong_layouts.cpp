// SPDX-License-Identifier: Apache-2.0
// Images that are accessed in another layout than the one that they are in. The wrong twins have no races.
#include <utility>

#include "graphics_kit.h"
#include "sync_image_steps.h"

namespace sync_cases {
namespace {

constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL, kSource = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                        kDestination = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                        kSampled = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                        kTarget = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                        kUndefined = VK_IMAGE_LAYOUT_UNDEFINED;
const char* const kGeneralName = "VK_IMAGE_LAYOUT_GENERAL";
const char* const kSourceName = "VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL";
const char* const kDestinationName = "VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL";
const char* const kSampledName = "VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL";
const char* const kTargetName = "VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL";

// Orders everything.
Step into(VkImageLayout old_layout, VkImageLayout new_layout, VkImageSubresourceRange range = part(0, 0),
          uint32_t image = 0) {
  return {[=](Context& context) {
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.oldLayout = old_layout;
    barrier.newLayout = new_layout;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = context.images[image];
    barrier.subresourceRange = range;
    constexpr VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    vkCmdPipelineBarrier(context.commands(), all, all, 0, 0, nullptr, 0, nullptr, 1, &barrier);
  }};
}

Step labelled(const char* label, const Step& step) {
  return {[=](Context& context) {
    VkDebugUtilsLabelEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
    info.pLabelName = label;
    vkCmdBeginDebugUtilsLabelEXT(context.commands(), &info);
    step.act(context);
    vkCmdEndDebugUtilsLabelEXT(context.commands());
  }};
}

Step copy_out_in(VkImageLayout layout, uint32_t level = 0) {
  return {[=](Context& context) {
    const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1}, {0, 0, 0}, {8, 8, 1}};
    vkCmdCopyImageToBuffer(context.commands(), context.images[0], layout, context.buffers[1].handle, 1,
                           &region);
  }};
}

Step clear_in(VkImageLayout layout) {
  return {[=](Context& context) {
    const VkClearColorValue colour{};
    const VkImageSubresourceRange range = part(0, 0);
    vkCmdClearColorImage(context.commands(), context.images[0], layout, &colour, 1, &range);
  }};
}

Step blit_in(VkImageLayout source, VkImageLayout destination) {
  return {[=](Context& context) {
    const VkImageBlit region{{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                             {{0, 0, 0}, {16, 16, 1}},
                             {VK_IMAGE_ASPECT_COLOR_BIT, 1, 0, 1},
                             {{0, 0, 0}, {8, 8, 1}}};
    vkCmdBlitImage(context.commands(), context.images[0], source, context.images[0], destination, 1, &region,
                   VK_FILTER_NEAREST);
  }};
}

Step render_in(VkImageLayout layout) {
  return {[=](Context& context) {
    VkRenderingAttachmentInfo colour{};
    colour.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
    colour.imageView = context.view_of(Binding(), 0);
    colour.imageLayout = layout;
    colour.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    colour.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
    info.renderArea = {{0, 0}, {16, 16}};
    info.layerCount = 1;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &colour;
    vkCmdBeginRendering(context.commands(), &info);
    vkCmdEndRendering(context.commands());
  }};
}

LayoutCase wrong(const char* name, std::vector<Step> steps, const char* command, const char* named,
                 const char* is, const char* changed_by = "vkCmdPipelineBarrier") {
  Case test = between(name, std::move(steps));
  test.images[0].mips = 2;
  test.images[0].usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  return {std::move(test), command, named, is, changed_by};
}

LayoutCase with(LayoutCase one, const std::function<void(LayoutCase&)>& change) {
  change(one);
  return one;
}

void as_old(LayoutCase& one) { one.as_old = true; }
void of_shader(LayoutCase& one) { one.of_descriptor = true; }

std::vector<LayoutCase> by_commands() {
  const Step to_source = into(kGeneral, kSource), to_sampled = into(kGeneral, kSampled);
  const PassSpec pass_from_source = {.initial = kSource};
  return {
      wrong("layout_of_copy", {only_correct(to_source), only_racy(to_sampled), copy_out_in(kSource)},
            "vkCmdCopyImageToBuffer", kSourceName, kSampledName),
      wrong("layout_of_clear",
            {only_correct(into(kGeneral, kDestination)), only_racy(to_source), clear_in(kDestination)},
            "vkCmdClearColorImage", kDestinationName, kSourceName),
      // One of the two levels is left as it was.
      with(wrong("layout_of_a_level",
                 {to_source, only_correct(into(kGeneral, kDestination, part(1, 0))),
                  blit_in(kSource, kDestination)},
                 "vkCmdBlitImage", kDestinationName, kGeneralName),
           [](LayoutCase& one) { one.mip = 1; }),
      with(wrong("layout_before_a_transition",
                 {to_source, only_correct(into(kSource, kGeneral)), only_racy(into(kDestination, kGeneral))},
                 "vkCmdPipelineBarrier", kDestinationName, kSourceName),
           as_old),
      with(wrong("layout_of_rendering",
                 {only_correct(into(kGeneral, kTarget)), only_racy(to_sampled), render_in(kTarget)},
                 "vkCmdBeginRendering", kTargetName, kSampledName),
           [](LayoutCase& one) { one.khronos = false; }),
      with(wrong("layout_before_a_pass",
                 {only_correct(to_source), only_racy(to_sampled), pass(0, pass_from_source)},
                 "vkCmdBeginRenderPass", kSourceName, kSampledName),
           as_old),
      wrong("layout_behind_a_pass",
            {pass(0), only_correct(into(kGeneral, kSource)), only_racy(into(kGeneral, kGeneral)),
             copy_out_in(kSource)},
            "vkCmdCopyImageToBuffer", kSourceName, kGeneralName, "vkCmdEndRenderPass"),
      with(wrong("layout_that_a_label_has",
                 {only_racy(labelled("shadow", to_source)), labelled("light", to_sampled)},
                 "vkCmdPipelineBarrier", kGeneralName, kSourceName),
           [](LayoutCase& one) {
             one.as_old = true;
             one.changed_in = "shadow";
           }),
  };
}

std::vector<LayoutCase> by_submissions() {
  const Step out = copy_out_in(kSource);
  return {
      // The same command buffer twice: what it leaves is not what it expects.
      with(wrong("layout_left_by_itself",
                 {only_correct(into(kUndefined, kSource)), only_racy(into(kGeneral, kSource)), resubmit()},
                 "vkCmdPipelineBarrier", kGeneralName, kSourceName),
           as_old),
      wrong("layout_by_another_command_buffer",
            {only_correct(into(kGeneral, kSource)), only_racy(into(kGeneral, kSampled)),
             next_command_buffer(), out},
            "vkCmdCopyImageToBuffer", kSourceName, kSampledName),
      wrong("layout_in_a_secondary_command_buffer",
            {secondary({only_correct(into(kGeneral, kSource)), only_racy(into(kGeneral, kSampled))}),
             secondary({out})},
            "vkCmdCopyImageToBuffer", kSourceName, kSampledName),
      wrong("layout_behind_a_semaphore",
            {only_correct(into(kGeneral, kSource)), only_racy(into(kGeneral, kSampled)), binary_semaphore(),
             out},
            "vkCmdCopyImageToBuffer", kSourceName, kSampledName),
  };
}

std::vector<LayoutCase> by_shaders() {
  const auto reads = [](LayoutCase one) {
    one.test.shaders = {{"comp", kRead}};
    return with(std::move(one), of_shader);
  };
  const auto pushed = [](LayoutCase one) {
    one.test.written = Written::push;
    return one;
  };
  const auto updated_late = [](LayoutCase one) {
    one.test.written = Written::after_bind;
    one.khronos = false;
    return one;
  };
  const std::vector<Step> steps = {only_racy(into(kGeneral, kSource)), dispatch(0)};
  const auto samples = [](LayoutCase one) {
    one.test.bindings[0] = texture(0);
    one.test.shaders = {{"comp", kHeader + R"(
layout(set = 0, binding = 0) uniform usampler2D tex;
void main() { result[i] = textureLod(tex, (vec2(t) + 0.5) / 16.0, 0.0).x; }  //!
)"}};
    return with(std::move(one), of_shader);
  };
  return {
      reads(wrong("layout_of_a_descriptor", steps, "", kGeneralName, kSourceName)),
      pushed(reads(wrong("layout_of_a_pushed_descriptor", steps, "", kGeneralName, kSourceName))),
      updated_late(reads(wrong("layout_of_a_late_descriptor", steps, "", kGeneralName, kSourceName))),
      samples(wrong("layout_of_a_texture", steps, "", kGeneralName, kSourceName)),
      // The first dispatch is right, the last one is not.
      reads(wrong("layout_of_the_second_dispatch",
                  {dispatch(0), barrier(), only_racy(into(kGeneral, kSource)), dispatch(0)}, "", kGeneralName,
                  kSourceName)),
      with(reads(wrong("layout_of_the_other_level",
                       {only_racy(into(kGeneral, kSource, part(1, 0))), dispatch(0)}, "", kGeneralName,
                       kSourceName)),
           [](LayoutCase& one) {
             one.test.bindings[0].first_mip = 1;
             one.mip = 1;
           }),
  };
}

// A command buffer that is submitted twice. Its first descriptor is wrong and not used, always;
// the last one, which shares a bit with that, is wrong and not used first, right and used then.
Case two_of_one_bit() {
  constexpr VkPipelineStageFlags2 all = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  const Step ordered = barrier2(all, VK_ACCESS_2_MEMORY_WRITE_BIT, all,
                                VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT);
  Case test = between("layouts_of_descriptors_that_are_not_used",
                      {clear_image(1), into(kGeneral, kSource), into(kGeneral, kSource, part(0, 0), 1),
                       submit_now(), ordered, dispatch(0), ordered, into(kUndefined, kGeneral, part(0, 0), 1),
                       clear_image(1), fill_buffer(2, 1), resubmit()},
                      {}, {{"comp", kHeader + R"(
layout(set = 0, binding = 0, r32ui) coherent uniform uimage2D img[33];
layout(set = 0, binding = 2, std430) buffer Flag { uint flag[]; };
void main() {
  result[i] = i;
  if (flag[0] != 0u) result[i] = imageLoad(img[32], t).x;
}
)"}});
  std::vector<int> images(33, 0);
  images.back() = 1;
  test.bindings[0] = storage(0, images);
  test.buffers.push_back({.name = "flag"});
  test.bindings.push_back({.binding = 2, .buffers = {2}});
  test.images.push_back({.name = "other"});
  return test;
}

}  // namespace

const std::vector<LayoutCase>& wrong_layout_cases() {
  static const std::vector<LayoutCase> cases = [] {
    std::vector<LayoutCase> all;
    for (const auto& some : {by_commands(), by_submissions(), by_shaders(), presented_layout_cases(),
                             std::vector{drawn_input_case(), stencil_layout_case(), local_read_layout_case(),
                                         host_copy_layout_case()}})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return cases;
}

const std::vector<Case>& right_layout_patterns() {
  static const std::vector<Case> cases = [] {
    const std::string asks = kImage + R"(
void main() {
  result[i] = i;
  if (result[i] == 12345678u) result[i] = imageLoad(img, t).x;
}
)";
    const PassDependency in = {true, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, 0,
                               VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                               VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT},
                         out = {false, VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                                VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT, kCompute, kReads};
    std::vector<Case> all = {
        // A descriptor through which nothing is accessed may name any layout.
        between("layout_of_a_descriptor_that_is_not_used", {into(kGeneral, kSource), dispatch(0)}, {},
                {{"comp", asks}}),
        // From frame to frame: what is in an image does not matter, and its layout does not either.
        between("layouts_from_frame_to_frame",
                {into(kUndefined, kDestination), clear_in(kDestination), into(kDestination, kSource),
                 copy_out_in(kSource), queue_idle(), resubmit()}),
        between("layouts_of_secondary_command_buffers",
                {secondary({into(kGeneral, kSource)}), secondary({copy_out_in(kSource)}),
                 secondary({into(kSource, kGeneral)}), dispatch(1)}),
        // Each level in its own.
        between("layouts_of_levels",
                {into(kGeneral, kSource), into(kGeneral, kDestination, part(1, 0)),
                 blit_in(kSource, kDestination), into(kDestination, kSource, part(1, 0)),
                 copy_out_in(kSource, 1), into(kSource, kGeneral, part(0, 0, 2)), dispatch(1)}),
        between("layouts_of_passes", {pass(0), into(kGeneral, kSource), copy_out_in(kSource),
                                      pass(0, {{in, out}, kSource}), dispatch(1)}),
        between("layout_of_rendering_under_its_other_name",
                {into(kGeneral, VK_IMAGE_LAYOUT_ATTACHMENT_OPTIMAL), render_in(kTarget),
                 into(kTarget, VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL), into(kSampled, kGeneral), dispatch(1)}),
    };
    for (Case& one : all) {
      one.images[0].mips = 2;
      one.images[0].usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    }
    all.push_back(two_of_one_bit());
    for (const Case& one : presented_layout_patterns()) all.push_back(one);
    return all;
  }();
  return cases;
}

}  // namespace sync_cases
