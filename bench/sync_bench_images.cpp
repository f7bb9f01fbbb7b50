// SPDX-License-Identifier: Apache-2.0
// Programs with images: compute shaders that load and store texels, a frame of a deferred renderer that has
// no storage images, and updates of many descriptors.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "graphics_kit.h"
#include "sync_bench.h"
#include "sync_compose_spv.h"
#include "sync_half_spv.h"
#include "sync_image_copy_spv.h"
#include "sync_image_stencil_spv.h"
#include "sync_light_spv.h"
#include "sync_picture_spv.h"
#include "sync_scene_spv.h"
#include "sync_triangles_spv.h"

namespace sync_bench {
namespace {

constexpr VkImageUsageFlags kTarget = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
constexpr VkPipelineStageFlags2 kOutput = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                                kTests = VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |
                                         VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
                                kFragments = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                                kComputes = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;

VkImageAspectFlags aspect_of(VkFormat format) {
  return format == VK_FORMAT_D32_SFLOAT ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
}

struct Target {
  VkFormat format;
  VkExtent2D extent;
  kit::Image image;
};

// Stages, what they write or read, and the layout in which they do.
struct Use {
  VkPipelineStageFlags2 stages = 0;
  VkAccessFlags2 access = 0;
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
};
constexpr Use kDrawn{kOutput, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
                     VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
    kTested{kTests,
            VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT,
            VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL},
    kSampled{kFragments, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
    kOverwritten{kFragments, 0, VK_IMAGE_LAYOUT_UNDEFINED},  // after the fragments that read it
    kStored{kComputes, VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
            VK_IMAGE_LAYOUT_GENERAL};
const Use& drawn(const Target& target) { return target.format == VK_FORMAT_D32_SFLOAT ? kTested : kDrawn; }

void between(VkCommandBuffer commands, const Target& target, const Use& before, const Use& after) {
  VkImageMemoryBarrier2 barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2;
  barrier.srcStageMask = before.stages;
  barrier.srcAccessMask = before.access;
  barrier.dstStageMask = after.stages;
  barrier.dstAccessMask = after.access;
  barrier.oldLayout = before.layout;
  barrier.newLayout = after.layout;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = target.image.handle;
  barrier.subresourceRange = {aspect_of(target.format), 0, 1, 0, 1};
  VkDependencyInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  info.imageMemoryBarrierCount = 1;
  info.pImageMemoryBarriers = &barrier;
  vkCmdPipelineBarrier2(commands, &info);
}

VkSampler linear_sampler(kit::Device& device) {
  VkSamplerCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  info.magFilter = info.minFilter = VK_FILTER_LINEAR;
  info.addressModeU = info.addressModeV = info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  VkSampler sampler;
  kit::check(vkCreateSampler(device.handle, &info, nullptr, &sampler), "vkCreateSampler");
  device.later([handle = device.handle, sampler] { vkDestroySampler(handle, sampler, nullptr); });
  return sampler;
}

// A set with one image a binding, or all of them in the array of binding 0.
struct ImageSet {
  VkDescriptorSetLayout layout = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
};
ImageSet image_set(kit::Device& device, VkDescriptorType type, uint32_t bindings, uint32_t elements,
                   VkShaderStageFlags stages) {
  std::vector<VkDescriptorSetLayoutBinding> all;
  for (uint32_t i = 0; i < bindings; ++i) all.push_back({i, type, elements, stages, nullptr});
  ImageSet result;
  result.layout = device.set_layout(all);
  result.set = device.descriptor_set(result.layout, all);
  return result;
}
void write(const kit::Device& device, VkDescriptorSet set, uint32_t binding, VkDescriptorType type,
           std::span<const VkDescriptorImageInfo> images) {
  VkWriteDescriptorSet one{};
  one.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  one.dstSet = set;
  one.dstBinding = binding;
  one.descriptorCount = static_cast<uint32_t>(images.size());
  one.descriptorType = type;
  one.pImageInfo = images.data();
  vkUpdateDescriptorSets(device.handle, 1, &one, 0, nullptr);
}

// Draws to its targets; reads others as textures.
class Pass {
 public:
  Pass(kit::Device& device, std::span<const uint32_t> vertex, std::span<const uint32_t> fragment,
       std::vector<Target*> targets, std::vector<Target*> read, VkSampler sampler)
      : targets_(std::move(targets)), read_(std::move(read)) {
    constexpr auto kType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    const ImageSet set =
        image_set(device, kType, static_cast<uint32_t>(read_.size()), 1, VK_SHADER_STAGE_FRAGMENT_BIT);
    set_ = set.set;
    for (uint32_t i = 0; i < read_.size(); ++i)
      write(device, set_, i, kType, {{{sampler, read_[i]->image.view, kSampled.layout}}});
    layout_ = device.pipeline_layout({&set.layout, 1}, VK_SHADER_STAGE_FRAGMENT_BIT, 0);
    make_pipeline(device, vertex, fragment);
  }

  void record(VkCommandBuffer commands, uint32_t instances) const {
    for (const Target* target : targets_) between(commands, *target, kOverwritten, drawn(*target));
    begin(commands);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 0, 1, &set_, 0, nullptr);
    vkCmdDraw(commands, 3, instances, 0, 0);
    vkCmdEndRendering(commands);
    for (const Target* target : targets_) between(commands, *target, drawn(*target), kSampled);
  }

 private:
  void make_pipeline(kit::Device& device, std::span<const uint32_t> vertex,
                     std::span<const uint32_t> fragment) {
    std::vector<VkFormat> colours;
    VkPipelineRenderingCreateInfo rendering{};
    rendering.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
    for (const Target* target : targets_) {
      if (target->format == VK_FORMAT_D32_SFLOAT)
        rendering.depthAttachmentFormat = target->format;
      else
        colours.push_back(target->format);
    }
    rendering.colorAttachmentCount = static_cast<uint32_t>(colours.size());
    rendering.pColorAttachmentFormats = colours.data();
    kit::GraphicsState state(targets_.front()->extent,
                             {kit::stage(VK_SHADER_STAGE_VERTEX_BIT, device.shader(vertex)),
                              kit::stage(VK_SHADER_STAGE_FRAGMENT_BIT, device.shader(fragment))},
                             layout_, VK_NULL_HANDLE, rendering.colorAttachmentCount);
    VkPipelineDepthStencilStateCreateInfo depth{};
    depth.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
    depth.depthTestEnable = depth.depthWriteEnable = rendering.depthAttachmentFormat != 0;
    depth.depthCompareOp = VK_COMPARE_OP_LESS;
    state.info.pDepthStencilState = &depth;
    state.info.pNext = &rendering;
    pipeline_ = kit::graphics_pipeline(device, state.info);
  }

  void begin(VkCommandBuffer commands) const {
    std::vector<VkRenderingAttachmentInfo> colours;
    VkRenderingAttachmentInfo depth{};
    for (const Target* target : targets_) {
      VkRenderingAttachmentInfo one{};
      one.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
      one.imageView = target->image.view;
      one.imageLayout = drawn(*target).layout;
      one.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
      one.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
      const bool is_depth = target->format == VK_FORMAT_D32_SFLOAT;
      if (is_depth) one.clearValue.depthStencil.depth = 1.0F;
      is_depth ? depth = one : colours.emplace_back(one);
    }
    VkRenderingInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
    info.renderArea = {{0, 0}, targets_.front()->extent};
    info.layerCount = 1;
    info.colorAttachmentCount = static_cast<uint32_t>(colours.size());
    info.pColorAttachments = colours.data();
    if (depth.imageView != VK_NULL_HANDLE) info.pDepthAttachment = &depth;
    vkCmdBeginRendering(commands, &info);
  }

  std::vector<Target*> targets_, read_;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

// Two colours and depth, lights, a picture of half and one of a quarter of the size, and the sum of all.
class Frame {
 public:
  explicit Frame(kit::Device& device) {
    for (Target* target : {&albedo_, &normals_, &depth_, &lit_, &half_, &quarter_, &picture_})
      target->image = device.image(
          target->format, target->extent,
          target == &depth_ ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT
                            : kTarget,
          aspect_of(target->format));
    const VkSampler sampler = linear_sampler(device);
    const auto add = [&](std::span<const uint32_t> vertex, std::span<const uint32_t> fragment,
                         const std::vector<Target*>& targets, const std::vector<Target*>& read) {
      passes_.emplace_back(device, vertex, fragment, targets, read, sampler);
    };
    add(sync_triangles_spv, sync_scene_spv, {&albedo_, &normals_, &depth_}, {});
    add(sync_picture_spv, sync_light_spv, {&lit_}, {&albedo_, &normals_, &depth_});
    add(sync_picture_spv, sync_half_spv, {&half_}, {&lit_});
    add(sync_picture_spv, sync_half_spv, {&quarter_}, {&half_});
    add(sync_picture_spv, sync_compose_spv, {&picture_}, {&lit_, &quarter_});
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  void record(VkCommandBuffer commands) const {
    for (const Pass& pass : passes_) pass.record(commands, &pass == &passes_.front() ? 20'000 : 1);
  }

 private:
  static constexpr VkExtent2D kWhole{1920, 1080}, kHalf{960, 540}, kQuarter{480, 270};
  static constexpr VkFormat kColour = VK_FORMAT_R8G8B8A8_UNORM, kLight = VK_FORMAT_R16G16B16A16_SFLOAT;
  Target albedo_{kColour, kWhole, {}}, normals_{kColour, kWhole, {}},
      depth_{VK_FORMAT_D32_SFLOAT, kWhole, {}}, lit_{kLight, kWhole, {}}, half_{kLight, kHalf, {}},
      quarter_{kLight, kQuarter, {}}, picture_{kColour, kWhole, {}};
  std::vector<Pass> passes_;
};

void time_recording(kit::Device& device, const Frame& frame, FILE* output) {
  std::vector<VkCommandBuffer> recorded;
  const double record = best_of(50, [&] { frame.record(recorded.emplace_back(device.begin())); });
  for (VkCommandBuffer commands : recorded) {
    kit::check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    device.free(commands);
  }
  std::fprintf(output, "record that frame\t%.4f\n", record);
  const Recordable kept(device);
  double again = 1e30;
  for (int round = 0; round < 50; ++round) {
    kept.begin();
    again = std::min(again, best_of(1, [&] { frame.record(kept.commands); }));
    kept.end();
  }
  std::fprintf(output, "record that frame again\t%.4f\n", again);
}

void time_storage(kit::Device& device, Timer& timer, uint32_t log2) {
  constexpr auto kType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
  const VkExtent2D extent{1u << (log2 + 1) / 2, 1u << log2 / 2};
  std::array<Target, 2> images{Target{VK_FORMAT_R32_SFLOAT, extent, {}},
                               Target{VK_FORMAT_R32_SFLOAT, extent, {}}};
  const ImageSet set = image_set(device, kType, 2, 1, VK_SHADER_STAGE_COMPUTE_BIT);
  VkCommandBuffer begin = device.begin();
  for (uint32_t i = 0; i < 2; ++i) {
    images[i].image =
        device.image(images[i].format, extent, VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                     VK_IMAGE_ASPECT_COLOR_BIT);
    write(device, set.set, i, kType, {{{VK_NULL_HANDLE, images[i].image.view, kStored.layout}}});
    between(begin, images[i], {}, kStored);
  }
  device.run(begin);
  const VkPipelineLayout layout = device.pipeline_layout({&set.layout, 1}, VK_SHADER_STAGE_COMPUTE_BIT, 0);
  const auto time = [&](const char* name, std::span<const uint32_t> shader) {
    VkPipeline pipeline = device.compute_pipeline(shader, layout);
    timer.time(name, [&](VkCommandBuffer commands) {
      vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set.set, 0, nullptr);
      vkCmdDispatch(commands, extent.width / 16, extent.height / 16, 1);
    });
  };
  time("copy of a storage image", sync_image_copy_spv);
  time("stencil on a storage image", sync_image_stencil_spv);
}

VkImageView view_of(kit::Device& device, const kit::Image& image) {
  VkImageViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.image = image.handle;
  info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  info.format = VK_FORMAT_R8G8B8A8_UNORM;
  info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  VkImageView view;
  kit::check(vkCreateImageView(device.handle, &info, nullptr, &view), "vkCreateImageView");
  device.later([handle = device.handle, view] { vkDestroyImageView(handle, view, nullptr); });
  return view;
}

void time_updates(kit::Device& device, FILE* output) {
  constexpr uint32_t kImages = 1000;
  constexpr auto kType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
  if (device.properties.limits.maxPerStageDescriptorSampledImages < kImages) return;
  const kit::Image image =
      device.image(VK_FORMAT_R8G8B8A8_UNORM, {64, 64}, VK_IMAGE_USAGE_SAMPLED_BIT, VK_IMAGE_ASPECT_COLOR_BIT);
  const ImageSet set = image_set(device, kType, 1, kImages, VK_SHADER_STAGE_FRAGMENT_BIT);
  const auto time = [&](const char* name, const std::vector<VkDescriptorImageInfo>& images) {
    std::fprintf(output, "%s\t%.4f\n", name, best_of(100, [&] { write(device, set.set, 0, kType, images); }));
  };
  time("update 1,000 descriptors of images",
       std::vector<VkDescriptorImageInfo>(kImages, {VK_NULL_HANDLE, image.view, kSampled.layout}));
  std::vector<VkDescriptorImageInfo> different;
  for (uint32_t i = 0; i < kImages; ++i)
    different.push_back({VK_NULL_HANDLE, view_of(device, image), kSampled.layout});
  time("update 1,000 descriptors of images, each with a view of its own", different);
}

}  // namespace

ImageFeatures::ImageFeatures(kit::DeviceOptions& options) {
  vulkan13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  vulkan13.dynamicRendering = vulkan13.synchronization2 = VK_TRUE;
  options.device_next = &vulkan13;
}

void run_images(kit::Device& device, FILE* output, uint32_t log2) {
  Timer timer(device, output);
  time_storage(device, timer, log2);
  const Frame frame(device);
  timer.time("frame of a deferred renderer", [&](VkCommandBuffer commands) { frame.record(commands); });
  time_recording(device, frame, output);
  time_updates(device, output);
}

void run_host(kit::Device& device, FILE* output) {
  for (const bool reading : {false, true}) {
    const DrawTimes times = time_draws(device, nullptr, reading, 4000);
    std::fprintf(output, "record a draw again, %s\t%.4f\n",
                 reading ? "a shader that reads a buffer" : "no buffer read by a shader", times.record_again);
    if (reading)
      std::fprintf(output,
                   "update a set of 4 buffers\t%.4f\nupdate a set of 4 buffers by one command\t%.4f\n",
                   times.update, times.update_at_once);
  }
  const Frame frame(device);
  time_recording(device, frame, output);
  time_updates(device, output);
}

}  // namespace sync_bench
