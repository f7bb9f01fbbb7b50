// SPDX-License-Identifier: Apache-2.0
// Cases of images that commands and render passes access.
#include "graphics_kit.h"
#include "sync_image_steps.h"

namespace sync_cases {
namespace {

VkImageSubresourceLayers layers_of(uint32_t mip, uint32_t layer = 0) {
  return {VK_IMAGE_ASPECT_COLOR_BIT, mip, layer, 1};
}

}  // namespace

Step clear_image(uint32_t image, VkImageSubresourceRange range) {
  return {[=](Context& context) {
    const VkClearColorValue colour{};
    vkCmdClearColorImage(context.commands(), context.images[image], VK_IMAGE_LAYOUT_GENERAL, &colour, 1,
                         &range);
  }};
}

Step copy_in(uint32_t image, VkOffset3D offset, VkExtent3D extent, bool out) {
  return {[=](Context& context) {
    const VkBufferImageCopy region{0, 0, 0, layers_of(0), offset, extent};
    if (out)
      vkCmdCopyImageToBuffer(context.commands(), context.images[image], VK_IMAGE_LAYOUT_GENERAL,
                             context.buffers[1].handle, 1, &region);
    else
      vkCmdCopyBufferToImage(context.commands(), context.buffers[1].handle, context.images[image],
                             VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  }};
}

Step blit_down(uint32_t image, uint32_t level, int32_t size, VkFilter filter) {
  return {[=](Context& context) {
    const VkImageBlit region{layers_of(level),
                             {{0, 0, 0}, {size, size, 1}},
                             layers_of(level + 1),
                             {{0, 0, 0}, {size / 2, size / 2, 1}}};
    vkCmdBlitImage(context.commands(), context.images[image], VK_IMAGE_LAYOUT_GENERAL, context.images[image],
                   VK_IMAGE_LAYOUT_GENERAL, 1, &region, filter);
  }};
}

namespace {

Step copy_images(uint32_t from, uint32_t to) {
  return {[=](Context& context) {
    const VkImageCopy region{layers_of(0), {0, 0, 0}, layers_of(0), {0, 0, 0}, {16, 16, 1}};
    vkCmdCopyImage(context.commands(), context.images[from], VK_IMAGE_LAYOUT_GENERAL, context.images[to],
                   VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  }};
}

// From four samples a texel to one.
Step resolve_image(uint32_t from, uint32_t to) {
  return {[=](Context& context) {
    const VkImageResolve region{layers_of(0), {0, 0, 0}, layers_of(0), {0, 0, 0}, {16, 16, 1}};
    vkCmdResolveImage(context.commands(), context.images[from], VK_IMAGE_LAYOUT_GENERAL, context.images[to],
                      VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  }};
}

// Clears, copies and blits are stages of their own: a barrier that names only one of them is for no other.
std::vector<Case> image_stage_cases() {
  constexpr VkAccessFlags2 written = VK_ACCESS_2_TRANSFER_WRITE_BIT, copied = VK_ACCESS_2_TRANSFER_READ_BIT;
  constexpr VkPipelineStageFlags2 clears = VK_PIPELINE_STAGE_2_CLEAR_BIT,
                                  copies = VK_PIPELINE_STAGE_2_COPY_BIT, blits = VK_PIPELINE_STAGE_2_BLIT_BIT,
                                  resolves = VK_PIPELINE_STAGE_2_RESOLVE_BIT;
  const auto by = [](const char* command, const char* earlier) {
    Expected expected = raced("read after write", "load");
    expected.command = command;
    expected.earlier_command = earlier;
    return expected;
  };
  const Step out = copy_in(0, {0, 0, 0}, {16, 16, 1}, true);
  const auto color = [](Case& test) {
    test.images[0].mips = 2;
    test.images[0].format = VK_FORMAT_R8G8B8A8_UNORM;
    test.images[0].usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    test.bindings.erase(test.bindings.begin());
  };
  const auto samples = [&](Case& test) {
    color(test);
    test.images[0].mips = 1;
    test.images.push_back(test.images[0]);
    test.images[0].samples = VK_SAMPLE_COUNT_4_BIT;
    test.images[0].usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    test.images[1].name = "resolved";
  };
  const Step cleared = image_barrier2(clears, written, blits, copied | written);
  return {
      with(between("image_cleared_for_blit",
                   {clear_image(0, part(0, 0, 2)), only_correct(cleared),
                    only_racy(image_barrier2(clears, written, copies, copied | written)),
                    blit_down(0, 0, 16, VK_FILTER_LINEAR)},
                   by("vkCmdBlitImage", "vkCmdClearColorImage")),
           [&](Case& test) {
             color(test);
             test.expected.hazard_class = test.expected.access = "";
           }),
      with(between("image_blit_for_copy",
                   {blit_down(0, 0, 16),
                    only_correct(image_barrier2(blits, written, copies, copied)),
                    only_racy(image_barrier2(clears, written, copies, copied)),
                    {[](Context& context) {
                      const VkBufferImageCopy region{0, 0, 0, layers_of(1), {0, 0, 0}, {8, 8, 1}};
                      vkCmdCopyImageToBuffer(context.commands(), context.images[0], VK_IMAGE_LAYOUT_GENERAL,
                                             context.buffers[1].handle, 1, &region);
                    }}},
                   by("vkCmdCopyImageToBuffer", "vkCmdBlitImage")),
           color),
      with(between("image_cleared_for_resolve",
                   {clear_image(0), only_correct(image_barrier2(clears, written, resolves, copied)),
                    only_racy(image_barrier2(clears, written, copies, copied)), resolve_image(0, 1)},
                   by("vkCmdResolveImage", "vkCmdClearColorImage")),
           samples),
  };
}

}  // namespace

std::vector<Case> image_command_cases() {
  constexpr VkPipelineStageFlags transfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
  constexpr VkAccessFlags written = VK_ACCESS_TRANSFER_WRITE_BIT, copied = VK_ACCESS_TRANSFER_READ_BIT;
  const Step behind = image_barrier({.from = transfer, .made = written});
  const Step before = image_barrier({.to = transfer, .seen = copied | written});
  const Step among =
      image_barrier({.from = transfer, .made = written, .to = transfer, .seen = copied | written});
  const auto by = [](Expected expected, const char* command, const char* earlier = "") {
    expected.command = command;
    expected.earlier_command = earlier;
    return expected;
  };
  const Expected read = raced("read after write", "load");
  const auto two_images = [](Case& test) { test.images.push_back({.name = "other"}); };
  const auto plain = [](Case& test) {
    for (ImageSpec& image : test.images) image.usage &= ~VkImageUsageFlags(VK_IMAGE_USAGE_STORAGE_BIT);
    test.bindings[0].type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  };
  const Shader fetches = {"comp", kHeader + R"(
layout(set = 0, binding = 0) uniform usampler2D tex;
void main() { result[i] = texelFetch(tex, t, 0).x; }  //!
)"};
  std::vector<Case> all = {
      between("image_cleared", {clear_image(0), only_correct(behind), dispatch(1)},
              by(read, "", "vkCmdClearColorImage")),
      between("image_cleared_late", {dispatch(0), only_correct(before), clear_image(0)},
              by(raced("write after write", "store"), "vkCmdClearColorImage")),
      between("image_copied_in", {copy_in(0), only_correct(behind), dispatch(1)},
              by(read, "", "vkCmdCopyBufferToImage")),
      between("image_copied_out", {dispatch(0), only_correct(before), copy_in(0, {}, {16, 16, 1}, true)},
              by(read, "vkCmdCopyImageToBuffer")),
      with(between("image_copied_to_image", {clear_image(0), only_correct(among), copy_images(0, 1)},
                   by(read, "vkCmdCopyImage", "vkCmdClearColorImage")),
           two_images),
      with(between("image_texture_uploaded", {copy_in(0), only_correct(behind), dispatch(1)},
                   by(read, "", "vkCmdCopyBufferToImage"), {{"comp", kRead}, fetches}),
           plain),
      with(between("image_copies_overlap",
                   {copy_in(0, {0, 0, 0}, {8, 8, 1}), only_correct(among), copy_in(0, {4, 4, 0}, {8, 8, 1})},
                   by(raced("write after write", "store"), "vkCmdCopyBufferToImage")),
           plain),
      with(between("image_mips_by_blits",
                   {clear_image(0), among, blit_down(0, 0, 16), only_correct(among), blit_down(0, 1, 8),
                    only_correct(among), copy_in(0, {0, 0, 0}, {16, 16, 1}, true)},
                   by(raced("read after write", "load"), "vkCmdBlitImage", "vkCmdBlitImage")),
           [](Case& test) {
             test.images[0].mips = 3;
             test.images[0].format = VK_FORMAT_R8G8B8A8_UNORM;
             test.bindings.erase(test.bindings.begin());
             // A linear filter reads all texels.
             test.steps[2] = blit_down(0, 0, 16, VK_FILTER_LINEAR);
             test.steps[4] = blit_down(0, 1, 8, VK_FILTER_LINEAR);
           }),
  };
  for (Case& test : image_stage_cases()) all.push_back(std::move(test));
  return all;
}

namespace {

VkRenderingAttachmentInfo attachment_of(Context& context, uint32_t image, VkAttachmentLoadOp load,
                                        VkAttachmentStoreOp store,
                                        VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL) {
  VkRenderingAttachmentInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
  info.imageView = context.view_of(Binding(), image);
  info.imageLayout = layout;
  info.loadOp = load;
  info.storeOp = store;
  return info;
}

// Renders nothing: the attachments are loaded, stored and resolved.
void render_with(Context& context, const VkRenderingAttachmentInfo* colour,
                 const VkRenderingAttachmentInfo* depth) {
  VkRenderingInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
  info.renderArea = {{0, 0}, {16, 16}};
  info.layerCount = 1;
  info.colorAttachmentCount = colour ? 1 : 0;
  info.pColorAttachments = colour;
  info.pDepthAttachment = depth;
  vkCmdBeginRendering(context.commands(), &info);
  vkCmdEndRendering(context.commands());
}

}  // namespace

Step render(uint32_t image, VkAttachmentLoadOp load, VkAttachmentStoreOp store) {
  return {[=](Context& context) {
    const VkRenderingAttachmentInfo colour = attachment_of(context, image, load, store);
    render_with(context, &colour, nullptr);
  }};
}

Step render_depth(uint32_t image, VkAttachmentLoadOp load, VkAttachmentStoreOp store, VkImageLayout layout) {
  return {[=](Context& context) {
    const VkRenderingAttachmentInfo depth = attachment_of(context, image, load, store, layout);
    render_with(context, nullptr, &depth);
  }};
}

namespace {

// As render(), and resolves what it cleared into `to`.
Step render_resolved(uint32_t from, uint32_t to) {
  return {[=](Context& context) {
    VkRenderingAttachmentInfo colour =
        attachment_of(context, from, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_DONT_CARE);
    colour.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    colour.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
    colour.resolveImageView = context.view_of(Binding(), to);
    render_with(context, &colour, nullptr);
  }};
}

// As render(), with a render pass object and these dependencies.
Step render_pass(uint32_t image, std::vector<VkSubpassDependency> dependencies = {}) {
  return {[=](Context& context) {
    VkAttachmentDescription colour =
        kit::attachment(context.test.images[image].format, VK_IMAGE_LAYOUT_GENERAL);
    colour.initialLayout = VK_IMAGE_LAYOUT_GENERAL;
    const VkRenderPass pass = kit::render_pass(context.device, {&colour, 1}, {.dependencies = dependencies});
    const Binding whole;
    const VkImageView view = context.view_of(whole, image);
    const VkFramebuffer framebuffer = kit::framebuffer(context.device, pass, {&view, 1}, {16, 16});
    const VkClearValue clear{};
    kit::begin_pass(context.commands(), pass, framebuffer, {16, 16}, {&clear, 1}, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdEndRenderPass(context.commands());
  }};
}

}  // namespace

std::vector<Case> image_attachment_cases() {
  constexpr VkPipelineStageFlags output = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  constexpr VkAccessFlags drawn = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                          loaded = VK_ACCESS_COLOR_ATTACHMENT_READ_BIT;
  const Step behind = image_barrier({.from = output, .made = drawn, .seen = kReads});
  const Step before = image_barrier({.from = kCompute, .made = kBoth, .to = output, .seen = drawn | loaded});
  const Step again = image_barrier({.from = output, .made = drawn, .to = output, .seen = drawn | loaded});
  const auto target = [](Case& test) {
    test.images[0].format = VK_FORMAT_R8G8B8A8_UNORM;
    test.images[0].usage =
        VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    test.bindings[0].type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  };
  const std::vector<Shader> samples = {{"comp", kHeader + R"(
layout(set = 0, binding = 0) uniform sampler2D tex;
void main() { result[i] = uint(textureLod(tex, (vec2(t) + 0.5) / 16.0, 0.0).x * 255.0); }  //!
)"}};
  const auto by = [](Expected expected, const char* command, const char* earlier = "") {
    expected.command = command;
    expected.earlier_command = earlier;
    return expected;
  };
  const Expected read = raced("read after write", "load");
  constexpr VkPipelineStageFlags2 tests =
      VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
  constexpr VkAccessFlags2 depth_written = VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
                           depth_used = depth_written | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT;
  const auto depth_target = [](Case& test) {
    test.images[0].format = VK_FORMAT_D32_SFLOAT;
    test.images[0].usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    test.bindings[0].type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
  };
  const VkSubpassDependency out = {0, VK_SUBPASS_EXTERNAL, output, kCompute, drawn, kReads, 0};
  return {
      with(between("image_rendered_and_sampled", {render(0), only_correct(behind), dispatch(0)},
                   by(read, "", "vkCmdBeginRendering"), samples),
           target),
      with(between("image_sampled_and_rendered", {dispatch(0), only_correct(before), render(0)},
                   by(raced("write after read", "store"), "vkCmdBeginRendering"), samples),
           target),
      with(between("image_rendered_twice", {render(0), only_correct(again), render(0)},
                   by(raced("write after write", "store"), "vkCmdBeginRendering", "vkCmdBeginRendering"),
                   samples),
           target),
      with(between("image_pass_and_sampled",
                   {only_correct(render_pass(0, {out})), only_racy(render_pass(0)), dispatch(0)},
                   by(read, "", "vkCmdBeginRenderPass"), samples),
           target),
      with(between("image_resolved_and_sampled", {render_resolved(1, 0), only_correct(behind), dispatch(0)},
                   by(read, "", "vkCmdBeginRendering"), samples),
           [&](Case& test) {
             target(test);
             test.images[0].usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
             test.images.push_back({.name = "samples",
                                    .format = test.images[0].format,
                                    .samples = VK_SAMPLE_COUNT_4_BIT,
                                    .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
           }),
      // The classic: the dependency between two frames names colour output alone.
      with(
          between(
              "image_depth_of_two_frames",
              {render_depth(0),
               only_correct(image_barrier2(VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT, depth_written,
                                           VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT, depth_used, 0,
                                           VK_IMAGE_ASPECT_DEPTH_BIT)),
               only_racy(image_barrier2(
                   VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
                   VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT, 0,
                   VK_IMAGE_ASPECT_DEPTH_BIT)),
               render_depth(0)},
              by(raced("write after write", "store"), "vkCmdBeginRendering", "vkCmdBeginRendering"), samples),
          depth_target),
      // A pass that only tests against the depth that another one has written.
      with(between("image_depth_tested",
                   {render_depth(0),
                    only_correct(image_barrier2(tests, depth_written, tests, depth_used, 0,
                                                VK_IMAGE_ASPECT_DEPTH_BIT)),
                    only_racy(image_barrier2(tests, 0, tests, depth_used, 0, VK_IMAGE_ASPECT_DEPTH_BIT)),
                    render_depth(0, VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_NONE)},
                   by(read, "vkCmdBeginRendering", "vkCmdBeginRendering"), samples),
           depth_target),
      with(between("image_depth_sampled",
                   {render_depth(0),
                    only_correct(image_barrier2(tests, depth_written, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                                                VK_ACCESS_2_SHADER_SAMPLED_READ_BIT, 0,
                                                VK_IMAGE_ASPECT_DEPTH_BIT)),
                    dispatch(0)},
                   by(read, "", "vkCmdBeginRendering"), samples),
           depth_target),
      with(between("image_rendered_and_copied",
                   {render(0),
                    only_correct(image_barrier({.from = output,
                                                .made = drawn,
                                                .to = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                                .seen = VK_ACCESS_TRANSFER_READ_BIT})),
                    copy_in(0, {0, 0, 0}, {16, 16, 1}, true)},
                   by(read, "vkCmdCopyImageToBuffer", "vkCmdBeginRendering"), samples),
           target),
  };
}

std::vector<Case> image_attachment_patterns() {
  constexpr VkPipelineStageFlags2 late = VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
  constexpr VkAccessFlags2 written = VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
  // Nothing is loaded and nothing is drawn: the only access is the store, by the late tests.
  return {with(
      between("image_depth_stored_alone",
              {render_depth(0), image_barrier2(late, written, late, written, 0, VK_IMAGE_ASPECT_DEPTH_BIT),
               render_depth(0, VK_ATTACHMENT_LOAD_OP_NONE_EXT)},
              {}, {}),
      [](Case& test) {
        test.rare = true;
        test.extensions = {VK_EXT_LOAD_STORE_OP_NONE_EXTENSION_NAME};
        test.images[0].format = VK_FORMAT_D32_SFLOAT;
        test.images[0].usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
        test.bindings.erase(test.bindings.begin());
      })};
}

}  // namespace sync_cases
