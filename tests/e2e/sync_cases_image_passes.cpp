// SPDX-License-Identifier: Apache-2.0
// Cases of render pass objects: the layout transitions that they make, and what orders these.
#include "graphics_kit.h"
#include "sync_image_steps.h"

namespace sync_cases {
namespace {

constexpr VkPipelineStageFlags2 kOutput = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
constexpr VkAccessFlags2 kDrawn = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
                         kDrawnOver = kDrawn | VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT;

VkRenderPass make_pass(Context& context, VkFormat format, const PassSpec& spec) {
  VkAttachmentDescription2 colour{};
  colour.sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2;
  colour.format = format;
  colour.samples = VK_SAMPLE_COUNT_1_BIT;
  colour.loadOp = spec.load;
  colour.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  colour.initialLayout = spec.initial;
  colour.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
  VkAttachmentReference2 reference{};
  reference.sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2;
  reference.layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  VkSubpassDescription2 subpass{};
  subpass.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2;
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &reference;
  std::vector<VkMemoryBarrier2> barriers(spec.dependencies.size());
  std::vector<VkSubpassDependency2> dependencies(spec.dependencies.size());
  for (size_t i = 0; i < barriers.size(); ++i) {
    const PassDependency& one = spec.dependencies[i];
    barriers[i] = {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr, one.from, one.made, one.to, one.seen};
    dependencies[i].sType = VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2;
    dependencies[i].pNext = &barriers[i];
    (one.before ? dependencies[i].srcSubpass : dependencies[i].dstSubpass) = VK_SUBPASS_EXTERNAL;
  }
  VkRenderPassCreateInfo2 info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2;
  info.attachmentCount = 1;
  info.pAttachments = &colour;
  info.subpassCount = 1;
  info.pSubpasses = &subpass;
  info.dependencyCount = static_cast<uint32_t>(dependencies.size());
  info.pDependencies = dependencies.data();
  VkRenderPass made;
  kit::check(vkCreateRenderPass2(context.device.handle, &info, nullptr, &made), "vkCreateRenderPass2");
  context.device.later(
      [device = context.device.handle, made] { vkDestroyRenderPass(device, made, nullptr); });
  return made;
}

}  // namespace

Step pass(uint32_t image, PassSpec spec) {
  return {[=](Context& context) {
    const VkRenderPass made = make_pass(context, context.test.images[image].format, spec);
    const VkImageView view = context.view_of(Binding(), image);
    VkRenderPassBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
    begin.renderPass = made;
    begin.framebuffer = kit::framebuffer(context.device, made, {&view, 1}, {16, 16});
    begin.renderArea = spec.area;
    const VkClearValue clear{};
    begin.clearValueCount = 1;
    begin.pClearValues = &clear;
    vkCmdBeginRenderPass(context.commands(), &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdEndRenderPass(context.commands());
  }};
}

namespace {

// A subpass reads the image as an input, in the first four rows.
Case input_of(const char* name, std::vector<Step> steps, Expected expected, bool draws_to_it = false) {
  const std::string reads = R"(
layout(set = 0, binding = 1, std430) buffer Result { uint result[]; };
layout(input_attachment_index = 0, set = 0, binding = 2) uniform usubpassInput before;
)" +
                            std::string(draws_to_it ? "layout(location = 0) out uint drawn;\n"
                                                    : "layout(location = 0) out vec4 drawn;\n") +
                            R"(
void main() {
  uint at = uint(gl_FragCoord.y) * 16u + uint(gl_FragCoord.x);
  if (at < 64u) result[at] = subpassLoad(before).x;  //!
)" + std::string(draws_to_it ? "  drawn = 7u;\n}\n" : "  drawn = vec4(1.0);\n}\n");
  steps.push_back({[=](Context& context) { context.begin_input_pass(0, draws_to_it); }});
  steps.push_back(draw({1, 2}));
  steps.push_back(end_pass());
  Case test =
      between(name, std::move(steps), expected, {{"comp", kWrite}, {"vert", kTriangle}, {"frag", reads}});
  Binding input = storage(2);
  input.type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
  test.bindings.push_back(input);
  test.images[0].usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
  return test;
}

constexpr VkPipelineStageFlags2 kCopy = VK_PIPELINE_STAGE_2_COPY_BIT;

}  // namespace

std::vector<Case> image_pass_cases() {
  const PassDependency in = {true, kCompute, kBoth, kOutput, kDrawnOver},
                       out = {false, kOutput, kDrawn, kCompute, kReads};
  const auto target = [](Case& test) { test.images[0].usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT; };
  const auto by = [](Expected expected, const char* command, const char* earlier) {
    expected.command = command;
    expected.earlier_command = earlier;
    return expected;
  };
  const Step for_input = image_barrier2(kCompute, kWrites, kFragment, VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT);
  return {
      // Reads of inputs have an access of their own, beside the attachment's load and store.
      input_of("image_input_without_its_access",
               {dispatch(0), image_barrier2(kCompute, kWrites, kOutput, kDrawnOver), only_correct(for_input),
                only_racy(image_barrier2(kCompute, kWrites, kFragment, VK_ACCESS_2_SHADER_READ_BIT))},
               raced("read after write", "load")),
      input_of("image_input_copied",
               {copy_in(0), image_barrier2(kCopy, VK_ACCESS_2_TRANSFER_WRITE_BIT, kOutput, kDrawnOver),
                only_correct(image_barrier2(kCopy, VK_ACCESS_2_TRANSFER_WRITE_BIT, kFragment,
                                            VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT))},
               by(raced("read after write", "load"), "", "vkCmdCopyBufferToImage")),
      // The final transition writes all of the image, also what lies outside of the area that is rendered.
      with(between("image_pass_changes_all",
                   {only_correct(pass(0, {{out}, VK_IMAGE_LAYOUT_GENERAL, {{0, 0}, {1, 1}}})),
                    only_racy(pass(0, {{}, VK_IMAGE_LAYOUT_GENERAL, {{0, 0}, {1, 1}}})), dispatch(1)},
                   by(raced("read after write", "load"), "", "vkCmdBeginRenderPass")),
           target),
      // A pass that loads: its transition would discard nothing, and yet it writes.
      with(between(
               "image_pass_loads_too_early",
               {dispatch(0),
                only_correct(pass(
                    0, {{in, out}, VK_IMAGE_LAYOUT_GENERAL, {{0, 0}, {16, 16}}, VK_ATTACHMENT_LOAD_OP_LOAD})),
                only_racy(pass(
                    0, {{out}, VK_IMAGE_LAYOUT_GENERAL, {{0, 0}, {16, 16}}, VK_ATTACHMENT_LOAD_OP_LOAD})),
                dispatch(1)},
               by(raced("write after write", "store"), "layout transition of vkCmdBeginRenderPass", "")),
           target),
  };
}

// What the first subpass has drawn is an input of the second one.
LayoutCase drawn_input_case() {
  const std::string reads = R"(
layout(set = 0, binding = 1, std430) buffer Result { uint result[]; };
layout(input_attachment_index = 0, set = 0, binding = 2) uniform usubpassInput before;
layout(location = 0) out vec4 drawn;
void main() {
  uint at = uint(gl_FragCoord.y) * 16u + uint(gl_FragCoord.x);
  result[at] = subpassLoad(before).x;  //!
  drawn = vec4(1.0);
}
)",
                    draws = R"(
layout(location = 0) out uint drawn;
void main() { drawn = uint(gl_FragCoord.y) * 16u + uint(gl_FragCoord.x) + 7u; }
)";
  const auto begin = [](VkImageLayout layout) {
    return Step{[=](Context& context) { context.begin_drawn_input_pass(0, layout); }};
  };
  Case test = between("layout_of_an_input",
                      {only_correct(begin(VK_IMAGE_LAYOUT_GENERAL)),
                       only_racy(begin(VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL)), draw({1, 2}),
                       next_subpass(), draw({1, 0}), end_pass()},
                      {}, {{"frag", reads}, {"vert", kTriangle}, {"frag", draws}});
  test.bindings.push_back(storage(2));
  test.bindings.back().type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
  test.images[0].usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
  return {.test = std::move(test),
          .named = "VK_IMAGE_LAYOUT_GENERAL",
          .is = "VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL",
          .changed_by = "vkCmdNextSubpass",
          .of_descriptor = true};
}

namespace {

// Clears depth and stencil, and leaves each in a layout of its own.
VkRenderPass make_stencil_pass(Context& context, VkImageLayout stencil_final) {
  VkAttachmentDescriptionStencilLayout of_stencil{};
  of_stencil.sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT;
  of_stencil.stencilFinalLayout = stencil_final;
  VkAttachmentDescription2 attachment{};
  attachment.sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2;
  attachment.pNext = &of_stencil;
  attachment.format = context.test.images[0].format;
  attachment.samples = VK_SAMPLE_COUNT_1_BIT;
  attachment.loadOp = attachment.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  attachment.finalLayout = VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL;
  VkAttachmentReferenceStencilLayout stencil_use{};
  stencil_use.sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_STENCIL_LAYOUT;
  stencil_use.stencilLayout = VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL;
  VkAttachmentReference2 use{};
  use.sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2;
  use.pNext = &stencil_use;
  use.layout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL;
  VkSubpassDescription2 subpass{};
  subpass.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2;
  subpass.pDepthStencilAttachment = &use;
  constexpr VkAccessFlags any = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  VkSubpassDependency2 dependencies[2]{};
  for (VkSubpassDependency2& one : dependencies) {
    one.sType = VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2;
    one.srcStageMask = one.dstStageMask = VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT;
    one.srcAccessMask = one.dstAccessMask = any;
  }
  dependencies[0].srcSubpass = dependencies[1].dstSubpass = VK_SUBPASS_EXTERNAL;
  dependencies[0].srcStageMask = dependencies[1].dstStageMask = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkRenderPassCreateInfo2 info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2;
  info.attachmentCount = info.subpassCount = 1;
  info.pAttachments = &attachment;
  info.pSubpasses = &subpass;
  info.dependencyCount = 2;
  info.pDependencies = dependencies;
  VkRenderPass made;
  kit::check(vkCreateRenderPass2(context.device.handle, &info, nullptr, &made), "vkCreateRenderPass2");
  context.device.later(
      [device = context.device.handle, made] { vkDestroyRenderPass(device, made, nullptr); });
  return made;
}

Step stencil_pass(VkImageLayout stencil_final) {
  return {[=](Context& context) {
    const VkRenderPass made = make_stencil_pass(context, stencil_final);
    const VkImageView view = context.view_of(Binding(), 0);
    const VkClearValue clear{};
    kit::begin_pass(context.commands(), made, kit::framebuffer(context.device, made, {&view, 1}, {16, 16}),
                    {16, 16}, {&clear, 1});
    vkCmdEndRenderPass(context.commands());
  }};
}

}  // namespace

LayoutCase stencil_layout_case() {
  const Step copy = {[](Context& context) {
    const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_STENCIL_BIT, 0, 0, 1}, {0, 0, 0}, {16, 16, 1}};
    vkCmdCopyImageToBuffer(context.commands(), context.images[0], VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                           context.buffers[1].handle, 1, &region);
  }};
  Case test = between("layout_of_stencil_behind_a_pass",
                      {only_correct(stencil_pass(VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL)),
                       only_racy(stencil_pass(VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL)), copy},
                      {}, {});
  test.bindings = {kResultBinding};
  test.images[0].format = VK_FORMAT_D32_SFLOAT_S8_UINT;
  test.images[0].usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  return {.test = std::move(test),
          .command = "vkCmdCopyImageToBuffer",
          .named = "VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL",
          .is = "VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL",
          .changed_by = "vkCmdEndRenderPass"};
}

std::vector<Case> image_pass_patterns() {
  const PassDependency all = {true, kCompute | kOutput, kBoth | kDrawn, kOutput, kDrawnOver},
                       out = {false, kOutput, kDrawn, kCompute, kReads};
  const auto target = [](Case& test) { test.images[0].usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT; };
  const Step into = image_barrier2(kCompute, kBoth, kOutput, kDrawnOver);
  return {
      // What a pass draws to is read as an input, too: what was there before need not be visible to that.
      input_of("image_input_that_the_pass_draws_to",
               {dispatch(0), image_barrier2(kCompute, kWrites, kOutput, kDrawnOver)}, {}, true),
      // Frames, with dependencies of the pass alone.
      with(between("image_passes_of_frames", {pass(0, {{all, out}}), dispatch(1), pass(0, {{all, out}}),
                                              dispatch(1), fence_wait(), pass(0, {{all, out}}), dispatch(1)}),
           target),
      // The other way: barriers alone, and no dependency but the implicit ones.
      with(between("image_passes_between_barriers",
                   {dispatch(0), into, pass(0, {{}, VK_IMAGE_LAYOUT_GENERAL}),
                    image_barrier2(kOutput, kDrawn, kCompute, kReads), dispatch(1)}),
           target),
      // A pass ends with a transition, and the next one comes behind that.
      with(between("image_transition_behind_a_pass",
                   {pass(0),
                    image_barrier2(VK_PIPELINE_STAGE_2_NONE, 0, kCompute, kBoth, 0, VK_IMAGE_ASPECT_COLOR_BIT,
                                   VK_IMAGE_LAYOUT_UNDEFINED),
                    dispatch(1), image_barrier2(kCompute, kBoth, kOutput, kDrawnOver), pass(0), pass(0)}),
           target),
      // What it has finished is known by the semaphore, or by the host's wait.
      with(between("image_passes_behind_semaphores",
                   {pass(0), binary_semaphore(), dispatch(1), binary_semaphore(), pass(0), fence_wait(),
                    dispatch(1), fence_wait(), pass(0)}),
           target),
  };
}

}  // namespace sync_cases
