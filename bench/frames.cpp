// SPDX-License-Identifier: Apache-2.0
#include "frames.h"

#include <algorithm>
#include <limits>

#include "frames_draw_frag_spv.h"
#include "frames_draw_vert_spv.h"
#include "frames_move_spv.h"

namespace bench {
namespace {

constexpr VkExtent2D kExtent{320, 200};
constexpr uint32_t kParticles = 1024;
constexpr uint32_t kFramesOfPipelines = 1000;
constexpr VkFormat kFormat = VK_FORMAT_B8G8R8A8_UNORM;
constexpr VkShaderStageFlags kStages =
    VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
constexpr VkDeviceSize kVectors = VkDeviceSize{kParticles} * 8;

kit::DeviceOptions options_for(uint32_t device_index) {
  kit::DeviceOptions options;
  options.device_index = device_index;
  options.instance_extensions = {VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME};
  options.device_extensions = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
  options.features.vertexPipelineStoresAndAtomics = VK_TRUE;
  options.features.fragmentStoresAndAtomics = VK_TRUE;
  return options;
}

}  // namespace

Frames::Frames(uint32_t device_index) : device_(options_for(device_index)) {
  wind_ = device_.buffer(kVectors, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  particles_ = device_.buffer(kVectors + 8, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  counts_ = device_.buffer(VkDeviceSize{kParticles} * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const VkAttachmentDescription colour = kit::attachment(kFormat, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  // The semaphore that says that the image may be drawn to is waited for in this stage.
  const VkSubpassDependency acquired{VK_SUBPASS_EXTERNAL,
                                     0,
                                     VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                     VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                     0,
                                     VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                     0};
  pass_ = kit::render_pass(device_, {&colour, 1}, {.dependencies = {acquired}});
  make_swapchain();
  make_slots();
  make_descriptors();
  make_pipelines();
}

Frames::~Frames() {
  vkDeviceWaitIdle(device_.handle);
  drop_pipelines();
  for (Slot& slot : slots_) drop_upload(slot);
}

VkSemaphore Frames::semaphore() {
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, nullptr, 0};
  VkSemaphore made;
  kit::check(vkCreateSemaphore(device_.handle, &info, nullptr, &made), "vkCreateSemaphore");
  device_.later([this, made] { vkDestroySemaphore(device_.handle, made, nullptr); });
  return made;
}

void Frames::make_swapchain() {
  const VkHeadlessSurfaceCreateInfoEXT surface_info{VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT,
                                                    nullptr, 0};
  VkSurfaceKHR surface;
  kit::check(vkCreateHeadlessSurfaceEXT(device_.instance, &surface_info, nullptr, &surface),
             "vkCreateHeadlessSurfaceEXT");
  VkSurfaceCapabilitiesKHR limits;
  kit::check(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(device_.gpu, surface, &limits),
             "vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
  VkSwapchainCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
  info.surface = surface;
  info.minImageCount = std::max(limits.minImageCount, 2u);
  info.imageFormat = kFormat;
  info.imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
  info.imageExtent = kExtent;
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  info.preTransform = limits.currentTransform;
  info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
  kit::check(vkCreateSwapchainKHR(device_.handle, &info, nullptr, &swapchain_), "vkCreateSwapchainKHR");
  // The surface outlives the swapchain.
  device_.later([this, surface] {
    vkDestroySwapchainKHR(device_.handle, swapchain_, nullptr);
    vkDestroySurfaceKHR(device_.instance, surface, nullptr);
  });
  uint32_t count = 0;
  kit::check(vkGetSwapchainImagesKHR(device_.handle, swapchain_, &count, nullptr), "vkGetSwapchainImagesKHR");
  std::vector<VkImage> images(count);
  kit::check(vkGetSwapchainImagesKHR(device_.handle, swapchain_, &count, images.data()),
             "vkGetSwapchainImagesKHR");
  for (const VkImage image : images) {
    VkImageViewCreateInfo view{};
    view.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
    view.image = image;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = kFormat;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    Target target;
    kit::check(vkCreateImageView(device_.handle, &view, nullptr, &target.view), "vkCreateImageView");
    device_.later([this, made = target.view] { vkDestroyImageView(device_.handle, made, nullptr); });
    target.framebuffer = kit::framebuffer(device_, pass_, {&target.view, 1}, kExtent);
    target.drawn = semaphore();
    targets_.push_back(target);
  }
}

void Frames::make_slots() {
  for (Slot& slot : slots_) {
    const VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0,
                                       device_.queue_family};
    kit::check(vkCreateCommandPool(device_.handle, &pool, nullptr, &slot.pool), "vkCreateCommandPool");
    const VkCommandBufferAllocateInfo commands{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr,
                                               slot.pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    kit::check(vkAllocateCommandBuffers(device_.handle, &commands, &slot.commands),
               "vkAllocateCommandBuffers");
    const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, VK_FENCE_CREATE_SIGNALED_BIT};
    kit::check(vkCreateFence(device_.handle, &fence, nullptr, &slot.fence), "vkCreateFence");
    slot.acquired = semaphore();
    device_.later([this, &slot] {
      vkDestroyCommandPool(device_.handle, slot.pool, nullptr);
      vkDestroyFence(device_.handle, slot.fence, nullptr);
    });
  }
}

void Frames::make_descriptors() {
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (uint32_t i = 0; i < 3; ++i)
    bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, kStages, nullptr});
  const VkDescriptorSetLayout sets = device_.set_layout(bindings);
  set_ = device_.descriptor_set(sets, bindings);
  device_.write_buffer(set_, 0, wind_);
  device_.write_buffer(set_, 1, particles_);
  device_.write_buffer(set_, 2, counts_);
  layout_ = device_.pipeline_layout({&sets, 1}, kStages, 4);
  shaders_ = {device_.shader(frames_move_spv), device_.shader(frames_draw_vert_spv),
              device_.shader(frames_draw_frag_spv)};
}

void Frames::make_pipelines() {
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage = kit::stage(VK_SHADER_STAGE_COMPUTE_BIT, shaders_[0]);
  info.layout = layout_;
  kit::check(vkCreateComputePipelines(device_.handle, VK_NULL_HANDLE, 1, &info, nullptr, &move_),
             "vkCreateComputePipelines");
  const kit::GraphicsState state(kExtent,
                                 {kit::stage(VK_SHADER_STAGE_VERTEX_BIT, shaders_[1]),
                                  kit::stage(VK_SHADER_STAGE_FRAGMENT_BIT, shaders_[2])},
                                 layout_, pass_);
  kit::check(vkCreateGraphicsPipelines(device_.handle, VK_NULL_HANDLE, 1, &state.info, nullptr, &draw_),
             "vkCreateGraphicsPipelines");
}

void Frames::drop_pipelines() {
  vkDestroyPipeline(device_.handle, move_, nullptr);
  vkDestroyPipeline(device_.handle, draw_, nullptr);
}

void Frames::drop_upload(Slot& slot) {
  vkDestroyBuffer(device_.handle, slot.upload, nullptr);
  vkFreeMemory(device_.handle, slot.memory, nullptr);
  slot.upload = VK_NULL_HANDLE;
  slot.memory = VK_NULL_HANDLE;
}

void Frames::make_upload(Slot& slot, uint32_t number) {
  const VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                nullptr,
                                0,
                                kVectors,
                                VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                VK_SHARING_MODE_EXCLUSIVE,
                                0,
                                nullptr};
  kit::check(vkCreateBuffer(device_.handle, &info, nullptr, &slot.upload), "vkCreateBuffer");
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device_.handle, slot.upload, &needs);
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(device_.gpu, &memory);
  constexpr VkMemoryPropertyFlags wanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  uint32_t type = 0;
  while ((needs.memoryTypeBits >> type & 1) == 0 ||
         (memory.memoryTypes[type].propertyFlags & wanted) != wanted)
    ++type;
  const VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, type};
  kit::check(vkAllocateMemory(device_.handle, &allocation, nullptr, &slot.memory), "vkAllocateMemory");
  kit::check(vkBindBufferMemory(device_.handle, slot.upload, slot.memory, 0), "vkBindBufferMemory");
  void* mapped = nullptr;
  kit::check(vkMapMemory(device_.handle, slot.memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  auto* const wind = static_cast<float*>(mapped);
  for (uint32_t i = 0; i < kParticles * 2; ++i) wind[i] = static_cast<float>((i * 7 + number) % 64) / 4096;
  vkUnmapMemory(device_.handle, slot.memory);
}

VkCommandBuffer Frames::record(const Slot& slot, const Target& target, uint32_t number) {
  const VkCommandBuffer commands = slot.commands;
  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                       VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, nullptr};
  kit::check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  // The frame before this one may still read and draw.
  constexpr VkPipelineStageFlags shaders = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT |
                                           VK_PIPELINE_STAGE_VERTEX_SHADER_BIT |
                                           VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;
  kit::memory_barrier(commands, shaders, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT | shaders,
                      VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
  const VkBufferCopy all{0, 0, kVectors};
  vkCmdCopyBuffer(commands, slot.upload, wind_.handle, 1, &all);
  kit::memory_barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
  for (const VkPipelineBindPoint point : {VK_PIPELINE_BIND_POINT_COMPUTE, VK_PIPELINE_BIND_POINT_GRAPHICS})
    vkCmdBindDescriptorSets(commands, point, layout_, 0, 1, &set_, 0, nullptr);
  vkCmdPushConstants(commands, layout_, kStages, 0, sizeof number, &number);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, move_);
  vkCmdDispatch(commands, kParticles / 64, 1, 1);
  kit::memory_barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                      VK_PIPELINE_STAGE_VERTEX_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
  const VkClearValue clear{};
  kit::begin_pass(commands, pass_, target.framebuffer, kExtent, {&clear, 1});
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, draw_);
  vkCmdDraw(commands, 3, kParticles, 0, 0);
  vkCmdEndRenderPass(commands);
  kit::check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
  return commands;
}

void Frames::render(uint32_t number) {
  Slot& slot = slots_[number % slots_.size()];
  kit::check(vkWaitForFences(device_.handle, 1, &slot.fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  kit::check(vkResetFences(device_.handle, 1, &slot.fence), "vkResetFences");
  kit::check(vkResetCommandPool(device_.handle, slot.pool, 0), "vkResetCommandPool");
  drop_upload(slot);
  make_upload(slot, number);
  if (number % kFramesOfPipelines == 0) {
    kit::check(vkDeviceWaitIdle(device_.handle), "vkDeviceWaitIdle");
    drop_pipelines();
    make_pipelines();
  }
  uint32_t image = 0;
  kit::check(
      vkAcquireNextImageKHR(device_.handle, swapchain_, UINT64_MAX, slot.acquired, VK_NULL_HANDLE, &image),
      "vkAcquireNextImageKHR");
  const VkCommandBuffer commands = record(slot, targets_[image], number);
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
  const VkSubmitInfo submit{
      VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 1, &slot.acquired, &stage, 1, &commands, 1,
      &targets_[image].drawn};
  kit::check(vkQueueSubmit(device_.queues[0], 1, &submit, slot.fence), "vkQueueSubmit");
  VkPresentInfoKHR present{};
  present.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
  present.waitSemaphoreCount = 1;
  present.pWaitSemaphores = &targets_[image].drawn;
  present.swapchainCount = 1;
  present.pSwapchains = &swapchain_;
  present.pImageIndices = &image;
  kit::check(vkQueuePresentKHR(device_.queues[0], &present), "vkQueuePresentKHR");
}

void Frames::finish() { kit::check(vkDeviceWaitIdle(device_.handle), "vkDeviceWaitIdle"); }

}  // namespace bench
