// SPDX-License-Identifier: Apache-2.0
// What the programs share whose descriptors lie in a descriptor buffer or heap:
//   PROGRAM MODE correct|racy COMPUTE.spv
//   PROGRAM draws correct|racy FRAGMENT.spv VERTEX.spv
// The first dispatch (or draw) writes the buffer "data" and the second one reads it. The racy twin has no
// barrier between them, or reads another buffer where there is none either way.
#ifndef SHADERQA_TESTS_E2E_DESCRIPTOR_PROGRAM_H
#define SHADERQA_TESTS_E2E_DESCRIPTOR_PROGRAM_H

#include <volk.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "graphics_kit.h"
#include "vulkan_kit.h"

namespace descriptor_program {

constexpr VkExtent2D kPixels{8, 8};
constexpr uint32_t kWords = 64;

struct Mode {
  std::string name;
  bool is(const char* other) const { return name == other; }
};

// For whatever the second dispatch reads with.
inline void order(VkCommandBuffer commands) {
  kit::memory_barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                      VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_UNIFORM_READ_BIT);
}

// The same for one buffer alone, and without uniform buffers.
inline void order_of(VkCommandBuffer commands, const kit::Buffer& buffer) {
  VkBufferMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.buffer = buffer.handle;
  barrier.size = VK_WHOLE_SIZE;
  constexpr VkPipelineStageFlags shaders = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
  vkCmdPipelineBarrier(commands, shaders, shaders, 0, 0, nullptr, 1, &barrier, 0, nullptr);
}

// Changes the layout of an image's first level and layer, in front of compute shaders. before, behind:
// accesses.
inline void change_layout(VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspects,
                          VkPipelineStageFlags source, VkAccessFlags before, VkAccessFlags behind,
                          VkImageLayout from, VkImageLayout to) {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = before;
  barrier.dstAccessMask = behind;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {aspects, 0, 1, 0, 1};
  vkCmdPipelineBarrier(commands, source, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, nullptr, 0, nullptr, 1,
                       &barrier);
}

// From what it is created with to what shaders store to.
inline void change_layout(VkCommandBuffer commands, VkImage image,
                          VkImageAspectFlags aspects = VK_IMAGE_ASPECT_COLOR_BIT) {
  change_layout(commands, image, aspects, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0,
                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
                VK_IMAGE_LAYOUT_GENERAL);
}

// The same from there to what is only read.
inline void make_read_only(VkCommandBuffer commands, VkImage image) {
  change_layout(commands, image, VK_IMAGE_ASPECT_COLOR_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT, VK_IMAGE_LAYOUT_GENERAL,
                VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
}

// A secondary command buffer, outside of render passes.
inline VkCommandBuffer begin_secondary(kit::Device& device) {
  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.queueFamilyIndex = device.queue_family;
  VkCommandPool pool = VK_NULL_HANDLE;
  kit::check(vkCreateCommandPool(device.handle, &pool_info, nullptr, &pool), "vkCreateCommandPool");
  device.later([&device, pool] { vkDestroyCommandPool(device.handle, pool, nullptr); });
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool;
  info.level = VK_COMMAND_BUFFER_LEVEL_SECONDARY;
  info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  kit::check(vkAllocateCommandBuffers(device.handle, &info, &commands), "vkAllocateCommandBuffers");
  VkCommandBufferInheritanceInfo inheritance{};
  inheritance.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO;
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.pInheritanceInfo = &inheritance;
  kit::check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  return commands;
}

// Makes the bytes of a descriptor those of one that begins one word later, without asking the driver.
inline void shift_descriptor(char* bytes, size_t size, VkDeviceAddress from) {
  for (size_t i = 0; i + 8 <= size; i += 4) {
    VkDeviceAddress address;
    std::memcpy(&address, bytes + i, 8);
    if (address != from) continue;
    address += 4;
    std::memcpy(bytes + i, &address, 8);
  }
}

// info: with flags, layout and what is chained to it; next: chained to the stage.
inline VkPipeline compute_pipeline(kit::Device& device, const std::string& file,
                                   VkComputePipelineCreateInfo info, const void* next = nullptr) {
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage = kit::stage(VK_SHADER_STAGE_COMPUTE_BIT, device.shader(kit::read_spirv(file)));
  info.stage.pNext = next;
  VkPipeline pipeline = VK_NULL_HANDLE;
  kit::check(vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
             "vkCreateComputePipelines");
  device.later([&device, pipeline] { vkDestroyPipeline(device.handle, pipeline, nullptr); });
  return pipeline;
}

// files: of the fragment and the vertex shader.
inline std::vector<VkPipelineShaderStageCreateInfo> graphics_stages(kit::Device& device,
                                                                    const std::vector<std::string>& files) {
  const auto module = [&](size_t i) { return device.shader(kit::read_spirv(files.at(i))); };
  return {kit::stage(VK_SHADER_STAGE_VERTEX_BIT, module(1)),
          kit::stage(VK_SHADER_STAGE_FRAGMENT_BIT, module(0))};
}

inline void print_result(const kit::Buffer& io, const std::optional<kit::Canvas>& canvas) {
  uint64_t result = kit::checksum(io.as<uint32_t>());
  if (canvas) result = kit::checksum(canvas->pixels.as<uint32_t>(), result);
  std::printf("result: %016llx\n", static_cast<unsigned long long>(result));
}

// Features: of a mode, with the options of the device. Program: of a device, a mode and files, with
// run(racy).
template <typename Features, typename Program>
int run(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s MODE correct|racy FILE...\n", argv[0]);
    return 2;
  }
  try {
    const Mode mode{argv[1]};
    const Features features(mode);
    kit::Device device(features.options);
    Program program(device, mode, {argv + 3, argv + argc});
    program.run(std::strcmp(argv[2], "racy") == 0);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}

}  // namespace descriptor_program
#endif
