// SPDX-License-Identifier: Apache-2.0
// What runs one twin of a case: its Vulkan objects and the command buffer that its steps record into.
#ifndef SHADERQA_TESTS_E2E_SYNC_CONTEXT_H
#define SHADERQA_TESTS_E2E_SYNC_CONTEXT_H

#include <map>
#include <span>
#include <string>
#include <vector>

#include "sync_case.h"
#include "vulkan_kit.h"

namespace sync_cases {

constexpr VkFlags flags_if(bool wanted, VkFlags flags) { return wanted ? flags : 0; }

struct Submission {  // what the next submission waits for
  VkSemaphore semaphore = VK_NULL_HANDLE;
  uint64_t value = 0;  // of a timeline
  VkPipelineStageFlags stages = 0;
};

class Context {
 public:
  // files: SPIR-V of each shader.
  Context(kit::Device& device, const Case& test, bool racy, const std::vector<std::string>& files);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  void start();  // all steps, submitted
  void run();    // and waits
  uint64_t result() const;

  VkCommandBuffer commands();  // the one being recorded
  // Ends and submits what was recorded, with what the next submission is to wait for or to signal.
  void submit(VkFence fence = VK_NULL_HANDLE, VkSemaphore signal = VK_NULL_HANDLE, uint64_t value = 0);
  void submit_again();         // the command buffers of the last submission, once more
  void keep_command_buffer();  // begins another one; both go in one submission
  void wait_before_next(Submission wait) { wait_ = wait; }
  void submit_by_2() { submits_by_2_ = true; }  // all that follows, by vkQueueSubmit2
  // What is recorded from now on goes there: number 0 or 1 of the case's queues, or that of the other family.
  void use_queue(uint32_t number);
  void use_other_family();

  void bind(VkPipelineBindPoint point);
  void bind_compute(uint32_t shader);
  void bind_graphics(const std::vector<uint32_t>& shaders);
  void begin_secondary(bool inside_rendering);  // recorded into until end_secondary, which executes it
  void end_secondary();
  void execute_again() { vkCmdExecuteCommands(commands(), 1, &executed_); }  // the last one
  void begin_pass(const std::vector<VkSubpassDependency>& dependencies, uint32_t subpasses, bool secondary);
  // Reads an image as an input, and draws to an attachment of its own, which may be that image. No
  // dependencies but those of barriers.
  void begin_input_pass(uint32_t image, bool draws_to_it);
  // Draws to an image in the first subpass, and reads it as an input in the second one, in this layout.
  void begin_drawn_input_pass(uint32_t image, VkImageLayout layout);
  void next_subpass();
  void end_pass();
  void begin_rendering();
  // Reads an image as an input: the colour attachment, or one of depth that is only read.
  void begin_local_reads(uint32_t image, VkImageLayout layout);
  void end_rendering();

  // An image of the swapchain: what is recorded next waits for it, and present() waits for that.
  void acquire();
  void present();

  VkSemaphore semaphore(bool timeline);
  VkFence fence();
  VkEvent event();
  VkQueue queue() const { return queue_; }
  VkImageView view_of(const Binding& binding, uint32_t image) { return make_view(binding, image); }

  kit::Device& device;
  const Case& test;
  const bool racy;
  std::vector<kit::Buffer> buffers;
  std::vector<VkImage> images;
  std::vector<VkBuffer> memory_buffers;  // as ImageSpec::in_buffer has them; null where it is false
  std::vector<VkDescriptorSet> sets;
  std::vector<uint32_t> dynamic_offsets;

 private:
  void make_target_drawable();
  void begin_pass_with(uint32_t image, std::span<const VkSubpassDescription> subpasses,
                       std::span<const VkSubpassDependency> dependencies);
  void make_buffers();
  void make_images();
  VkBuffer buffer_in(VkDeviceMemory memory, VkDeviceSize size);
  VkDeviceMemory memory_for(const VkMemoryRequirements& requirements);
  void bind_planes(VkImage image);
  VkImageView make_view(const Binding& binding, uint32_t image);
  VkSampler sampler();
  void make_swapchain(const ImageSpec& spec);
  void make_layouts();
  VkDescriptorSetLayout make_set_layout(uint32_t set);
  void make_sets();
  VkDescriptorPool make_descriptor_pool();
  std::vector<VkDescriptorSet> allocate_sets(VkDescriptorPool pool) const;
  void copy_sets(const std::vector<VkDescriptorSet>& sources) const;
  void write_as_one_array() const;
  void write_sets(const std::vector<VkDescriptorSet>& into);
  void write_push(VkPipelineBindPoint point);
  void bind_sets(VkPipelineBindPoint point);
  void push_constants(const void* data, uint32_t size);
  VkCommandPool make_pool(uint32_t family);
  void queue_submit(VkFence fence, VkSemaphore signal, uint64_t value);
  void queue_submit2(VkFence fence, VkSemaphore signal, uint64_t value);
  VkDescriptorUpdateTemplate make_template(bool push, std::vector<char>& data);
  VkPipeline compute_pipeline(uint32_t shader);
  VkPipeline graphics_pipeline(const std::vector<uint32_t>& shaders);
  VkRenderingInputAttachmentIndexInfo input_indices() const;
  VkShaderModule module(uint32_t shader);
  void begin();
  VkCommandBuffer allocate(VkCommandBufferLevel level);
  kit::Image& target();
  void name(VkObjectType type, uint64_t object, const std::string& text);

  std::vector<std::string> files_;
  std::vector<Binding> bindings_;
  std::vector<VkDescriptorSetLayout> set_layouts_;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  std::vector<VkBufferView> views_;
  VkSampler sampler_ = VK_NULL_HANDLE;
  VkSwapchainKHR swapchain_ = VK_NULL_HANDLE;
  std::vector<VkImage> presentable_;
  uint32_t acquired_ = 0;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;  // of the queue's family
  std::vector<VkCommandPool> pools_;
  bool submits_by_2_ = false;
  VkCommandBuffer primary_ = VK_NULL_HANDLE, secondary_ = VK_NULL_HANDLE;
  VkCommandBuffer executed_ = VK_NULL_HANDLE;
  bool recording_ = false;
  std::vector<VkCommandBuffer> kept_, submitted_;
  Submission wait_;
  std::map<std::string, VkPipeline> pipelines_;
  kit::Image target_;
  VkRenderPass pass_ = VK_NULL_HANDLE;  // VK_NULL_HANDLE while rendering: dynamic rendering
  VkFramebuffer framebuffer_ = VK_NULL_HANDLE;
  uint32_t subpass_ = 0;
  bool reads_locally_ = false;  // dynamic rendering, with these formats
  VkFormat local_colour_ = VK_FORMAT_UNDEFINED, local_depth_ = VK_FORMAT_UNDEFINED;
  bool after_bind_pending_ = false;
};

}  // namespace sync_cases
#endif
