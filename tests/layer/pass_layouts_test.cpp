// SPDX-License-Identifier: Apache-2.0
// With sync_images: the layouts of attachments from subpass to subpass, as the descriptors of draws and what
// comes behind the render pass meet them.
#include <string>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_image.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

using Texts = std::vector<std::string>;
using Masks = std::vector<bool>;

constexpr VkImageLayout kUndefined = VK_IMAGE_LAYOUT_UNDEFINED, kGeneral = VK_IMAGE_LAYOUT_GENERAL,
                        kTarget = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                        kRead = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                        kSource = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
constexpr uint32_t kUnused = VK_ATTACHMENT_UNUSED;

// How each subpass uses the attachment, as a colour attachment or as an input.
struct Use {
  VkImageLayout layout = kUndefined;  // not at all
  bool input = false;
};
constexpr Use kNot{};

class PassLayouts : public CommandTest, public ::testing::WithParamInterface<int> {
 protected:
  PassLayouts()
      : CommandTest({nullptr, nullptr, {"VK_KHR_create_renderpass2"}}, host_visible(), "exact",
                    {{"SHADERQA_SYNC_IMAGES", "1"}}) {
    checked_commands();
    VkMemoryAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    info.allocationSize = 64 * 1024;
    check(vk().vkAllocateMemory(device().handle, &info, nullptr, &memory_), "vkAllocateMemory");
  }
  void TearDown() override {
    set_.reset();
    for (const VkFramebuffer one : framebuffers_) vk().vkDestroyFramebuffer(device().handle, one, nullptr);
    for (const VkRenderPass pass : passes_) vk().vkDestroyRenderPass(device().handle, pass, nullptr);
    vk().vkDestroyImageView(device().handle, view_, nullptr);
    vk().vkDestroyImage(device().handle, image_, nullptr);
    vk().vkFreeMemory(device().handle, memory_, nullptr);
    CommandTest::TearDown();
  }

  void make_image(VkFormat format, VkImageAspectFlags aspects) {
    VkImageCreateInfo info = plain_image(VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
    info.format = format;
    check(vk().vkCreateImage(device().handle, &info, nullptr, &image_), "vkCreateImage");
    check(vk().vkBindImageMemory(device().handle, image_, memory_, 0), "vkBindImageMemory");
    VkImageViewCreateInfo view{};
    view.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
    view.image = image_;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = format;
    view.subresourceRange = {aspects, 0, 1, 0, 1};
    check(vk().vkCreateImageView(device().handle, &view, nullptr, &view_), "vkCreateImageView");
  }
  void make_input(VkImageLayout layout, bool is_mutable = false) {
    constexpr VkDescriptorType type = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
    set_.emplace(device(), std::vector<BindingOptions>{
                               is_mutable ? BindingOptions{0, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 1, 0, {type}}
                                          : BindingOptions{0, type, 1, 0, {}}});
    const VkDescriptorImageInfo info{VK_NULL_HANDLE, view_, layout};
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set_->handle;
    write.descriptorCount = 1;
    write.descriptorType = type;
    write.pImageInfo = &info;
    vk().vkUpdateDescriptorSets(device().handle, 1, &write, 0, nullptr);
  }
  VkFramebuffer framebuffer(VkRenderPass pass, uint32_t attachments = 1) {
    const std::vector<VkImageView> views(attachments, view_);
    VkFramebufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO;
    info.renderPass = pass;
    info.attachmentCount = attachments;
    info.pAttachments = views.data();
    info.width = info.height = 16;
    info.layers = 1;
    framebuffers_.emplace_back();
    check(vk().vkCreateFramebuffer(device().handle, &info, nullptr, &framebuffers_.back()),
          "vkCreateFramebuffer");
    return framebuffers_.back();
  }
  // Each attachment is the same image.
  VkRenderPass create_pass(const std::vector<Use>& uses, VkImageLayout initial, VkImageLayout final,
                           uint32_t attachments = 1);
  VkRenderPass create_pass2(const std::vector<Use>& uses, VkImageLayout initial, VkImageLayout final,
                            uint32_t attachments = 1);
  VkRenderPass pass_of(const std::vector<Use>& uses, VkImageLayout initial, VkImageLayout final,
                       uint32_t attachments = 1) {
    return GetParam() == 2 ? create_pass2(uses, initial, final, attachments)
                           : create_pass(uses, initial, final, attachments);
  }
  void begin_pass(VkCommandBuffer commands, VkRenderPass pass, uint32_t attachments = 1) {
    VkRenderPassBeginInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO;
    info.renderPass = pass;
    info.framebuffer = framebuffer(pass, attachments);
    info.renderArea = {{0, 0}, {16, 16}};
    vk().vkCmdBeginRenderPass(commands, &info, VK_SUBPASS_CONTENTS_INLINE);
  }
  void bind_input(VkCommandBuffer commands) {
    bind_graphics(commands);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 0, 1, &set_->handle, 0,
                                 nullptr);
  }
  // Draws with the input in each subpass, and submits. The records of the draws.
  std::vector<const uint32_t*> draw_in(VkRenderPass pass, size_t subpasses, uint32_t attachments = 1) {
    const VkCommandBuffer commands = begin();
    bind_input(commands);
    begin_pass(commands, pass, attachments);
    std::vector<const uint32_t*> draws;
    for (size_t i = 0; i < subpasses; ++i) {
      if (i > 0) vk().vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
      draw(commands);
      draws.push_back(records().back());
    }
    vk().vkCmdEndRenderPass(commands);
    end(commands);
    submit({commands});
    return draws;
  }
  // Whether the descriptor was wrong, draw by draw.
  Masks wrong_inputs(VkRenderPass pass, size_t subpasses, uint32_t attachments = 1) {
    Masks wrong;
    for (const uint32_t* const record : draw_in(pass, subpasses, attachments))
      wrong.push_back(record[SQA_ACTION_LAYOUTS] & (1u << sqa_layout_bit(0, 0)));
    return wrong;
  }
  void copy_out(VkCommandBuffer commands, VkImageAspectFlags aspect, VkImageLayout layout) {
    VkBufferImageCopy region{};
    region.imageSubresource = {aspect, 0, 0, 1};
    region.imageExtent = {16, 16, 1};
    vk().vkCmdCopyImageToBuffer(commands, image_, layout, buffer_->handle, 1, &region);
  }
  Texts found() const { return reported("layout"); }

  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkImage image_ = VK_NULL_HANDLE;
  VkImageView view_ = VK_NULL_HANDLE;
  std::optional<OneSet> set_;
  std::vector<VkRenderPass> passes_;
  std::vector<VkFramebuffer> framebuffers_;
};

VkRenderPass PassLayouts::create_pass(const std::vector<Use>& uses, VkImageLayout initial,
                                      VkImageLayout final, uint32_t attachments) {
  VkAttachmentDescription description{};
  description.samples = VK_SAMPLE_COUNT_1_BIT;
  description.initialLayout = initial;
  description.finalLayout = final;
  const std::vector<VkAttachmentDescription> descriptions(attachments, description);
  std::vector<VkAttachmentReference> references;
  for (const Use& use : uses) references.push_back({use.layout == kUndefined ? kUnused : 0, use.layout});
  std::vector<VkSubpassDescription> subpasses(uses.size());
  for (size_t i = 0; i < uses.size(); ++i) {
    subpasses[i].colorAttachmentCount = uses[i].input ? 0 : 1;
    subpasses[i].pColorAttachments = &references[i];
    subpasses[i].inputAttachmentCount = uses[i].input ? 1 : 0;
    subpasses[i].pInputAttachments = &references[i];
  }
  VkRenderPassCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO;
  info.attachmentCount = attachments;
  info.pAttachments = descriptions.data();
  info.subpassCount = static_cast<uint32_t>(subpasses.size());
  info.pSubpasses = subpasses.data();
  passes_.emplace_back();
  check(vk().vkCreateRenderPass(device().handle, &info, nullptr, &passes_.back()), "vkCreateRenderPass");
  return passes_.back();
}

VkRenderPass PassLayouts::create_pass2(const std::vector<Use>& uses, VkImageLayout initial,
                                       VkImageLayout final, uint32_t attachments) {
  VkAttachmentDescription2 description{};
  description.sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2;
  description.samples = VK_SAMPLE_COUNT_1_BIT;
  description.initialLayout = initial;
  description.finalLayout = final;
  const std::vector<VkAttachmentDescription2> descriptions(attachments, description);
  std::vector<VkAttachmentReference2> references(uses.size());
  std::vector<VkSubpassDescription2> subpasses(uses.size());
  for (size_t i = 0; i < uses.size(); ++i) {
    references[i].sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2;
    references[i].attachment = uses[i].layout == kUndefined ? kUnused : 0;
    references[i].layout = uses[i].layout;
    subpasses[i].sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2;
    subpasses[i].colorAttachmentCount = uses[i].input ? 0 : 1;
    subpasses[i].pColorAttachments = &references[i];
    subpasses[i].inputAttachmentCount = uses[i].input ? 1 : 0;
    subpasses[i].pInputAttachments = &references[i];
  }
  VkRenderPassCreateInfo2 info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2;
  info.attachmentCount = attachments;
  info.pAttachments = descriptions.data();
  info.subpassCount = static_cast<uint32_t>(subpasses.size());
  info.pSubpasses = subpasses.data();
  passes_.emplace_back();
  check(vk().vkCreateRenderPass2KHR(device().handle, &info, nullptr, &passes_.back()),
        "vkCreateRenderPass2KHR");
  return passes_.back();
}

TEST_P(PassLayouts, AnInputIsInTheLayoutOfItsSubpass) {
  make_image(VK_FORMAT_R32_UINT, VK_IMAGE_ASPECT_COLOR_BIT);
  make_input(kRead);
  const std::vector<Use> uses = {{kTarget}, {kRead, true}, {kGeneral, true}};
  EXPECT_EQ(wrong_inputs(pass_of(uses, kUndefined, kGeneral), 3), (Masks{true, false, true}));
  EXPECT_EQ(found(), Texts{}) << "no shader has used it";
}

TEST_P(PassLayouts, SecondaryCommandBuffersAreInTheSubpassThatExecutesThem) {
  make_image(VK_FORMAT_R32_UINT, VK_IMAGE_ASPECT_COLOR_BIT);
  make_input(kRead);
  std::vector<VkCommandBuffer> inner;
  std::vector<const uint32_t*> draws;
  for (int i = 0; i < 2; ++i) {
    inner.push_back(
        begin(VK_COMMAND_BUFFER_LEVEL_SECONDARY, VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT));
    bind_input(inner.back());
    draw(inner.back());
    draws.push_back(records().back());
    end(inner.back());
  }
  const VkCommandBuffer commands = begin();
  begin_pass(commands, pass_of({{kTarget}, {kRead, true}}, kUndefined, kGeneral));
  vk().vkCmdExecuteCommands(commands, 1, inner.data());
  vk().vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
  vk().vkCmdExecuteCommands(commands, 1, &inner[1]);
  vk().vkCmdEndRenderPass(commands);
  end(commands);
  submit({commands});
  const uint32_t bit = 1u << sqa_layout_bit(0, 0);
  EXPECT_EQ(draws[0][SQA_ACTION_LAYOUTS], bit);
  EXPECT_EQ(draws[1][SQA_ACTION_LAYOUTS], 0u);
}

// The one that does not use it: the transition may come in front of it or behind it.
TEST_P(PassLayouts, BetweenTwoLayoutsItIsNotKnown) {
  make_image(VK_FORMAT_R32_UINT, VK_IMAGE_ASPECT_COLOR_BIT);
  make_input(kSource);
  const std::vector<Use> uses = {kNot, {kTarget}, kNot, {kRead, true}, kNot};
  EXPECT_EQ(wrong_inputs(pass_of(uses, kUndefined, kGeneral), 5), (Masks{false, true, false, true, false}));
}

TEST_P(PassLayouts, BetweenTwoUsesInOneLayoutItIsKnown) {
  make_image(VK_FORMAT_R32_UINT, VK_IMAGE_ASPECT_COLOR_BIT);
  make_input(kRead);
  const std::vector<Use> uses = {kNot, {kGeneral}, kNot, {kGeneral, true}, kNot};
  EXPECT_EQ(wrong_inputs(pass_of(uses, kUndefined, kGeneral), 5), (Masks{false, true, true, true, true}));
}

TEST_P(PassLayouts, OfAnAttachmentThatNoSubpassUsesNothingIsKnown) {
  make_image(VK_FORMAT_R32_UINT, VK_IMAGE_ASPECT_COLOR_BIT);
  make_input(kRead);
  EXPECT_EQ(wrong_inputs(pass_of({kNot}, kUndefined, kGeneral), 1), Masks{false});
}

TEST_P(PassLayouts, OfTwoAttachmentsThatAreOneImageNothingIsKnown) {
  make_image(VK_FORMAT_R32_UINT, VK_IMAGE_ASPECT_COLOR_BIT);
  make_input(kRead);
  EXPECT_EQ(wrong_inputs(pass_of({{kTarget}}, kGeneral, kGeneral, 2), 1, 2), Masks{false});
  EXPECT_EQ(found(), Texts{}) << "nor before the pass";
}

// What the pass has written is in no cell yet, so reads of it are left out.
TEST_P(PassLayouts, InputsThatThePassWritesAreNotWatched) {
  make_image(VK_FORMAT_R32_UINT, VK_IMAGE_ASPECT_COLOR_BIT);
  for (const bool is_mutable : {false, true}) {
    make_input(kGeneral, is_mutable);
    const VkCommandBuffer commands = begin();
    const VkClearColorValue colour{};
    const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vk().vkCmdClearColorImage(commands, image_, kGeneral, &colour, 1, &all);
    end(commands);
    submit({commands});
    const auto watched = [&](VkRenderPass pass) { return draw_in(pass, 1).front()[SQA_ACTION_WATCHED] & 1; };
    EXPECT_EQ(watched(pass_of({{kGeneral, true}}, kGeneral, kGeneral)), 1u);
    EXPECT_EQ(watched(pass_of({{kGeneral, true}}, kGeneral, kSource)), 0u);
    EXPECT_EQ(watched(pass_of({{kGeneral, true}, {kGeneral}}, kGeneral, kGeneral)), 0u);
  }
}

TEST_P(PassLayouts, BehindThePassItIsInTheFinalOne) {
  make_image(VK_FORMAT_R32_UINT, VK_IMAGE_ASPECT_COLOR_BIT);
  make_input(kRead);
  wrong_inputs(pass_of({{kTarget}, {kRead, true}}, kUndefined, kSource), 2);
  const VkCommandBuffer commands = begin();
  copy_out(commands, VK_IMAGE_ASPECT_COLOR_BIT, kSource);
  copy_out(commands, VK_IMAGE_ASPECT_COLOR_BIT, kGeneral);
  end(commands);
  submit({commands});
  EXPECT_EQ(found(), Texts{"an image is in VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, and vkCmdCopyImageToBuffer "
                           "names VK_IMAGE_LAYOUT_GENERAL"});
}

INSTANTIATE_TEST_SUITE_P(Objects, PassLayouts, ::testing::Values(1, 2),
                         [](const auto& one) { return "Version" + std::to_string(one.param); });

// Separate layouts of depth and stencil.
struct Aspects {
  VkImageLayout depth = kUndefined, stencil = kUndefined;
};

class StencilLayouts : public PassLayouts {
 protected:
  // One subpass with the attachment in these layouts, and a pass to it from what nothing has written.
  VkRenderPass stencil_pass(const Aspects& initial, const Aspects& used, const Aspects& final) {
    VkAttachmentDescriptionStencilLayout of_stencil{};
    of_stencil.sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT;
    of_stencil.stencilInitialLayout = initial.stencil;
    of_stencil.stencilFinalLayout = final.stencil;
    VkAttachmentDescription2 description{};
    description.sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2;
    description.pNext = &of_stencil;
    description.samples = VK_SAMPLE_COUNT_1_BIT;
    description.initialLayout = initial.depth;
    description.finalLayout = final.depth;
    VkAttachmentReferenceStencilLayout use_of_stencil{};
    use_of_stencil.sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_STENCIL_LAYOUT;
    use_of_stencil.stencilLayout = used.stencil;
    VkAttachmentReference2 reference{};
    reference.sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2;
    reference.pNext = &use_of_stencil;
    reference.layout = used.depth;
    VkSubpassDescription2 subpass{};
    subpass.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2;
    subpass.pDepthStencilAttachment = &reference;
    VkRenderPassCreateInfo2 info{};
    info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2;
    info.attachmentCount = info.subpassCount = 1;
    info.pAttachments = &description;
    info.pSubpasses = &subpass;
    passes_.emplace_back();
    check(vk().vkCreateRenderPass2KHR(device().handle, &info, nullptr, &passes_.back()),
          "vkCreateRenderPass2KHR");
    return passes_.back();
  }
  // Copies both aspects behind the pass, from these layouts.
  Texts found_behind(VkRenderPass pass, const Aspects& copied) {
    const VkCommandBuffer commands = begin();
    begin_pass(commands, pass);
    vk().vkCmdEndRenderPass(commands);
    copy_out(commands, VK_IMAGE_ASPECT_DEPTH_BIT, copied.depth);
    copy_out(commands, VK_IMAGE_ASPECT_STENCIL_BIT, copied.stencil);
    end(commands);
    submit({commands});
    return found();
  }
};

constexpr VkImageLayout kDepth = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL,
                        kDepthRead = VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL,
                        kStencil = VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL;

TEST_F(StencilLayouts, AreOnesOfTheirOwn) {
  make_image(VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT);
  EXPECT_EQ(found_behind(stencil_pass({}, {kDepth, kStencil}, {kDepthRead, kSource}), {kDepthRead, kSource}),
            Texts{});
  EXPECT_EQ(found_behind(stencil_pass({}, {kDepth, kStencil}, {kDepthRead, kStencil}), {kDepthRead, kSource}),
            Texts{"an image (stencil) is in VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL, and "
                  "vkCmdCopyImageToBuffer names VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL"});
}

// Those of stencil count only beside a layout of depth alone.
TEST_F(StencilLayouts, BesideALayoutOfBothTheySayNothing) {
  make_image(VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT);
  EXPECT_EQ(found_behind(stencil_pass({kUndefined, kGeneral}, {kGeneral, kStencil}, {kSource, kGeneral}),
                         {kSource, kSource}),
            Texts{});
}

TEST_F(StencilLayouts, ThoseBeforeThePassAreCompared) {
  make_image(VK_FORMAT_D32_SFLOAT_S8_UINT, VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT);
  const Aspects used = {kDepth, kStencil};
  EXPECT_EQ(found_behind(stencil_pass({}, used, {kDepthRead, kSource}), {kDepthRead, kSource}), Texts{});
  EXPECT_EQ(found_behind(stencil_pass({kDepthRead, kSource}, used, used), {kDepth, kStencil}), Texts{});
  EXPECT_EQ(found_behind(stencil_pass({kDepth, kSource}, used, used), used),
            Texts{"an image (stencil) is in VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL, and "
                  "vkCmdBeginRenderPass names VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL as the layout before"});
}

}  // namespace
}  // namespace shaderqa::layer_tests
