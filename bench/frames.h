// SPDX-License-Identifier: Apache-2.0
// What a program that renders does again and again, on a surface without a window (VK_EXT_headless_surface).
#ifndef SHADERQA_BENCH_FRAMES_H
#define SHADERQA_BENCH_FRAMES_H

#include <array>
#include <cstdint>
#include <vector>

#include "graphics_kit.h"

namespace bench {

// Two frames in flight. Each uploads through a buffer of its own, moves particles in a compute shader, draws
// them into an image of a swapchain, and presents it. Pipelines are made anew from time to time. Throws
// std::runtime_error.
class Frames {
 public:
  explicit Frames(uint32_t device_index);
  ~Frames();
  Frames(const Frames&) = delete;
  Frames& operator=(const Frames&) = delete;

  const char* device_name() const { return device_.properties.deviceName; }
  // number: from 1.
  void render(uint32_t number);
  void finish();

 private:
  struct Slot {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;
    VkSemaphore acquired = VK_NULL_HANDLE;
    VkBuffer upload = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
  };
  struct Target {
    VkImageView view = VK_NULL_HANDLE;
    VkFramebuffer framebuffer = VK_NULL_HANDLE;
    VkSemaphore drawn = VK_NULL_HANDLE;
  };

  void make_swapchain();
  void make_slots();
  void make_descriptors();
  void make_pipelines();
  void drop_pipelines();
  void drop_upload(Slot& slot);
  void make_upload(Slot& slot, uint32_t number);
  VkCommandBuffer record(const Slot& slot, const Target& target, uint32_t number);
  VkSemaphore semaphore();

  kit::Device device_;
  VkSwapchainKHR swapchain_ = VK_NULL_HANDLE;
  VkRenderPass pass_ = VK_NULL_HANDLE;
  std::vector<Target> targets_;
  std::array<Slot, 2> slots_;
  kit::Buffer wind_, particles_, counts_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline move_ = VK_NULL_HANDLE, draw_ = VK_NULL_HANDLE;
  std::array<VkShaderModule, 3> shaders_{};
};

}  // namespace bench
#endif
