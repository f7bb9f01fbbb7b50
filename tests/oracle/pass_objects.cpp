// SPDX-License-Identifier: Apache-2.0
#include "pass_objects.h"

#include <array>
#include <vector>

namespace oracle {
namespace {

// Dependencies of VkCreateRenderPass2, whose stages and accesses are in a VkMemoryBarrier2.
class Dependencies {
 public:
  void add(uint32_t from, uint32_t to, const Barrier& barrier) {
    VkMemoryBarrier2& memory = memories_[all_.size()];
    memory = memory_barrier_of(barrier);
    VkSubpassDependency2 dependency{};
    dependency.sType = VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2;
    dependency.pNext = &memory;
    dependency.srcSubpass = from;
    dependency.dstSubpass = to;
    // Those of the VkMemoryBarrier2 count, but older validation layers look at these.
    if (from == to) {
      dependency.srcStageMask = static_cast<VkPipelineStageFlags>(barrier.src_stages);
      dependency.dstStageMask = static_cast<VkPipelineStageFlags>(barrier.dst_stages);
    }
    all_.push_back(dependency);
  }
  const std::vector<VkSubpassDependency2>& all() const { return all_; }

 private:
  std::array<VkMemoryBarrier2, 3> memories_{};
  std::vector<VkSubpassDependency2> all_;
};

// The barrier that is this edge of the pass.
const Barrier* edge_of(const Program& program, uint32_t pass, Command::Edge edge) {
  for (uint32_t i = 0; i < program.commands.size(); ++i)
    if (program.commands[i].edge == edge &&
        attached_pass_of(program, static_cast<int>(i)) == static_cast<int>(pass))
      return &program.commands[i].barrier;
  return nullptr;
}

}  // namespace

VkImageLayout layout_of(Layout layout) {
  constexpr VkImageLayout kLayouts[] = {
      VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
      VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
  return kLayouts[static_cast<int>(layout)];
}

VkMemoryBarrier2 memory_barrier_of(const Barrier& barrier) {
  return {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
          nullptr,
          barrier.src_stages,
          barrier.src_access,
          barrier.dst_stages,
          barrier.dst_access};
}

VkAttachmentLoadOp load_of(const Command& begin_pass) {
  constexpr VkAttachmentLoadOp kLoads[] = {VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_LOAD_OP_CLEAR,
                                           VK_ATTACHMENT_LOAD_OP_DONT_CARE};
  return kLoads[static_cast<int>(begin_pass.load)];
}

VkAttachmentStoreOp store_of(const Command& begin_pass) {
  return begin_pass.stores ? VK_ATTACHMENT_STORE_OP_STORE : VK_ATTACHMENT_STORE_OP_DONT_CARE;
}

VkRenderPass pass_object(kit::Device& device, const Program& program, uint32_t command) {
  const Command& begin = program.commands[command];
  const VkImageLayout inside = layout_of(layout_before(program, static_cast<int>(command), begin.buffer));
  VkAttachmentDescription2 attachment{};
  attachment.sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2;
  attachment.format = kImageFormat;
  attachment.samples = VK_SAMPLE_COUNT_1_BIT;
  attachment.loadOp = load_of(begin);
  attachment.storeOp = store_of(begin);
  attachment.initialLayout = attachment.finalLayout = inside;
  Dependencies dependencies;
  if (const Barrier* enters = edge_of(program, command, Command::Edge::enters)) {
    const Layout before = layout_before(program, static_cast<int>(command) - 1, begin.buffer);
    attachment.initialLayout = enters->discards ? VK_IMAGE_LAYOUT_UNDEFINED : layout_of(before);
    dependencies.add(VK_SUBPASS_EXTERNAL, 0, *enters);
  }
  dependencies.add(0, 0, {kBeforeInPass, kAccessInPass, kBehindInPass, kAccessInPass});
  if (const Barrier* leaves = edge_of(program, command, Command::Edge::leaves)) {
    if (leaves->layout) attachment.finalLayout = layout_of(*leaves->layout);
    dependencies.add(0, VK_SUBPASS_EXTERNAL, *leaves);
  }
  VkAttachmentReference2 reference{};
  reference.sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2;
  reference.layout = inside;
  reference.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
  VkSubpassDescription2 subpass{};
  subpass.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2;
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &reference;
  VkRenderPassCreateInfo2 info{};
  info.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2;
  info.attachmentCount = info.subpassCount = 1;
  info.pAttachments = &attachment;
  info.pSubpasses = &subpass;
  info.dependencyCount = static_cast<uint32_t>(dependencies.all().size());
  info.pDependencies = dependencies.all().data();
  VkRenderPass pass = VK_NULL_HANDLE;
  kit::check(vkCreateRenderPass2(device.handle, &info, nullptr, &pass), "vkCreateRenderPass2");
  device.later([handle = device.handle, pass] { vkDestroyRenderPass(handle, pass, nullptr); });
  return pass;
}

}  // namespace oracle
