// SPDX-License-Identifier: Apache-2.0
// Images of a case, and views of them.
#include <stdexcept>

#include "sync_context.h"

namespace sync_cases {

using kit::check;

namespace {

VkImageAspectFlags aspect_of(VkFormat format) {
  if (format == VK_FORMAT_D32_SFLOAT_S8_UINT) return VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
  if (format == VK_FORMAT_D32_SFLOAT || format == VK_FORMAT_D16_UNORM) return VK_IMAGE_ASPECT_DEPTH_BIT;
  return VK_IMAGE_ASPECT_COLOR_BIT;
}

}  // namespace

void Context::make_images() {
  if (test.images.empty()) return;
  std::vector<VkDeviceMemory> memories;
  VkCommandBuffer setup = device.begin();
  for (const ImageSpec& spec : test.images) {
    if (spec.presented) {
      make_swapchain(spec);
      memories.push_back(VK_NULL_HANDLE);
      memory_buffers.push_back(VK_NULL_HANDLE);
      continue;
    }
    VkImageCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info.flags = spec.flags;
    info.imageType = spec.type;
    info.format = spec.format;
    info.extent = spec.extent;
    info.mipLevels = spec.mips;
    info.arrayLayers = spec.layers;
    info.samples = spec.samples;
    info.usage = spec.usage;
    VkImage image;
    check(vkCreateImage(device.handle, &info, nullptr, &image), "vkCreateImage");
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkBuffer memory_buffer = VK_NULL_HANDLE;
    for (size_t i = 0; i < memories.size(); ++i)
      if (std::string(spec.alias_of) == test.images[i].name) memory = memories[i];
    if (spec.flags & VK_IMAGE_CREATE_DISJOINT_BIT) {
      bind_planes(image);
    } else {
      VkMemoryRequirements requirements;
      vkGetImageMemoryRequirements(device.handle, image, &requirements);
      if (memory == VK_NULL_HANDLE) memory = memory_for(requirements);
      if (spec.in_buffer) memory_buffer = buffer_in(memory, requirements.size);
      check(vkBindImageMemory(device.handle, image, memory, 0), "vkBindImageMemory");
    }
    memory_buffers.push_back(memory_buffer);
    memories.push_back(memory);
    device.later([handle = device.handle, image] { vkDestroyImage(handle, image, nullptr); });
    name(VK_OBJECT_TYPE_IMAGE, reinterpret_cast<uint64_t>(image),
         std::string(racy ? "racy " : "correct ") + test.name + " " + spec.name);
    images.push_back(image);
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = image;
    barrier.subresourceRange = {aspect_of(spec.format), 0, VK_REMAINING_MIP_LEVELS, 0,
                                VK_REMAINING_ARRAY_LAYERS};
    vkCmdPipelineBarrier(setup, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                         nullptr, 0, nullptr, 1, &barrier);
  }
  device.run(setup);
}

VkDeviceMemory Context::memory_for(const VkMemoryRequirements& requirements) {
  VkMemoryAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.allocationSize = requirements.size;
  while ((requirements.memoryTypeBits >> allocate.memoryTypeIndex & 1u) == 0) ++allocate.memoryTypeIndex;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  check(vkAllocateMemory(device.handle, &allocate, nullptr, &memory), "vkAllocateMemory");
  device.later([handle = device.handle, memory] { vkFreeMemory(handle, memory, nullptr); });
  return memory;
}

// Three, each with memory of its own.
void Context::bind_planes(VkImage image) {
  constexpr VkImageAspectFlagBits aspects[] = {VK_IMAGE_ASPECT_PLANE_0_BIT, VK_IMAGE_ASPECT_PLANE_1_BIT,
                                               VK_IMAGE_ASPECT_PLANE_2_BIT};
  VkImagePlaneMemoryRequirementsInfo plane{};
  plane.sType = VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO;
  VkImageMemoryRequirementsInfo2 wanted{};
  wanted.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2;
  wanted.pNext = &plane;
  wanted.image = image;
  VkBindImagePlaneMemoryInfo planes[3]{};
  VkBindImageMemoryInfo bindings[3]{};
  for (int i = 0; i < 3; ++i) {
    plane.planeAspect = aspects[i];
    VkMemoryRequirements2 requirements{};
    requirements.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
    vkGetImageMemoryRequirements2(device.handle, &wanted, &requirements);
    planes[i].sType = VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO;
    planes[i].planeAspect = aspects[i];
    bindings[i].sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO;
    bindings[i].pNext = &planes[i];
    bindings[i].image = image;
    bindings[i].memory = memory_for(requirements.memoryRequirements);
  }
  check(vkBindImageMemory2(device.handle, 3, bindings), "vkBindImageMemory2");
}

VkBuffer Context::buffer_in(VkDeviceMemory memory, VkDeviceSize size) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  check(vkCreateBuffer(device.handle, &info, nullptr, &buffer), "vkCreateBuffer");
  device.later([handle = device.handle, buffer] { vkDestroyBuffer(handle, buffer, nullptr); });
  VkMemoryRequirements requirements;
  vkGetBufferMemoryRequirements(device.handle, buffer, &requirements);
  if (requirements.size > size) throw std::runtime_error("the image's memory does not hold a buffer");
  check(vkBindBufferMemory(device.handle, buffer, memory, 0), "vkBindBufferMemory");
  return buffer;
}

VkImageView Context::make_view(const Binding& binding, uint32_t image) {
  const ImageSpec& spec = test.images[image];
  VkImageViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.image = images[image];
  info.viewType = binding.view;
  info.format = binding.format == VK_FORMAT_UNDEFINED ? spec.format : binding.format;
  info.subresourceRange = {binding.aspects ? binding.aspects : aspect_of(spec.format), binding.first_mip,
                           binding.mips, binding.first_layer, binding.layers};
  VkImageView view;
  check(vkCreateImageView(device.handle, &info, nullptr, &view), "vkCreateImageView");
  device.later([handle = device.handle, view] { vkDestroyImageView(handle, view, nullptr); });
  return view;
}

VkSampler Context::sampler() {
  if (sampler_ != VK_NULL_HANDLE) return sampler_;
  VkSamplerCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  info.maxLod = VK_LOD_CLAMP_NONE;
  check(vkCreateSampler(device.handle, &info, nullptr, &sampler_), "vkCreateSampler");
  device.later([handle = device.handle, made = sampler_] { vkDestroySampler(handle, made, nullptr); });
  return sampler_;
}

}  // namespace sync_cases
