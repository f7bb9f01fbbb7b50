// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <glslang/Public/ShaderLang.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <span>
#include <stdexcept>

#include "descriptors.h"
#include "device_features.h"

#include "generator.h"
#include "pass_objects.h"
#include "pipelines.h"
#include "vulkan_kit.h"

namespace oracle {
namespace {

constexpr VkBufferUsageFlags kUniform =
    VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
constexpr uint32_t kAddresses = 20, kAnswers = 21, kArray = 22, kOfNumbers = 23, kArraySize = 16;
constexpr VkBufferUsageFlags kStorage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

// One program, with everything that it needs, until the device goes.
class Run {
 public:
  Run(kit::Device& device, const Program& program, size_t number)
      : device_(device),
        program_(program),
        number_(number),
        descriptors_(device, program.descriptor_buffers),
        pipeline_maker_(device, program, descriptors_) {}

  Answers run() {
    // Or its reports would name the next program.
    if (program_.commands.size() * kLinesPerCommand >= kLinesPerProgram)
      throw std::logic_error("a program has more commands than there are numbers of lines");
    make_memory();
    make_descriptors();
    make_pipelines();
    for (size_t i = 0; i < program_.commands.size(); ++i) record(i);
    end_pass();
    if (answers_.mapped != nullptr) show_answers();
    submit(Command::Submit::fence, 0);
    kit::check(vkDeviceWaitIdle(device_.handle), "vkDeviceWaitIdle");
    const auto* words = static_cast<const uint32_t*>(answers_.mapped);
    return {words, words + question_count(program_) * kMaxInvocations};
  }

 private:
  void make_memory() {
    if (program_.images)
      make_images();
    else
      make_buffers();
    // Each number at its own place: what compilers do not know.
    numbers_ = device_.buffer(VkDeviceSize{16} * kNumbers, kUniform);
    for (uint32_t i = 0; i < kNumbers; ++i)
      std::memcpy(static_cast<char*>(numbers_.mapped) + size_t{16} * i, &i, sizeof i);
    if (const uint32_t questions = question_count(program_); questions != 0) {
      const VkDeviceSize bytes = VkDeviceSize{4} * kMaxInvocations * questions;
      answers_ = device_.buffer(bytes, kStorage);
      std::memset(answers_.mapped, 0, bytes);
    }
  }

  static constexpr VkImageSubresourceRange kWhole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  static constexpr VkImageSubresourceLayers kLayer{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};

  // In the general layout, and zeroed.
  void make_images() {
    const VkCommandBuffer commands = device_.begin();
    for (size_t i = 0; i < program_.buffers.size(); ++i) {
      images_.push_back(device_.image(kImageFormat, kImageExtent,
                                      VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                                          VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                          VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                      VK_IMAGE_ASPECT_COLOR_BIT));
      Barrier before_clear{VK_PIPELINE_STAGE_2_NONE,       0,    VK_PIPELINE_STAGE_2_CLEAR_BIT,
                           VK_ACCESS_2_TRANSFER_WRITE_BIT, true, static_cast<uint32_t>(i)};
      before_clear.discards = true;
      Barriers barriers;
      const VkDependencyInfo dependency = dependency_of(before_clear, barriers);
      vkCmdPipelineBarrier2(commands, &dependency);
      clear(commands, images_.back().handle, VK_IMAGE_LAYOUT_GENERAL);
    }
    device_.run(commands);
  }

  static void clear(VkCommandBuffer commands, VkImage image, VkImageLayout layout) {
    const VkClearColorValue zero{};
    vkCmdClearColorImage(commands, image, layout, &zero, 1, &kWhole);
  }

  void make_buffers() {
    std::vector<VkDeviceMemory> blocks;
    for (uint32_t i = 0; i < program_.memories; ++i) blocks.push_back(make_block(i));
    for (size_t i = 0; i < program_.buffers.size(); ++i) {
      const Buffer& buffer = program_.buffers[i];
      const VkBuffer handle = make_buffer(buffer.size);
      kit::check(vkBindBufferMemory(device_.handle, handle, blocks[buffer.memory], buffer.offset),
                 "vkBindBufferMemory");
      const std::string name = "p" + std::to_string(number_) + "b" + std::to_string(i);
      device_.name({handle, buffer.size}, name.c_str());
      buffers_.push_back(handle);
    }
    addresses_ = device_.buffer(512, kUniform);
    for (size_t i = 0; i < program_.views.size(); ++i) {
      const View& view = program_.views[i];
      if (view.is_shared()) continue;
      const VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr,
                                           buffers_[view.buffer]};
      const VkDeviceAddress address = vkGetBufferDeviceAddress(device_.handle, &info) + view.offset;
      std::memcpy(static_cast<char*>(addresses_.mapped) + 16 * i, &address, sizeof address);
    }
  }

  VkBuffer make_buffer(VkDeviceSize size) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = size;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
                 VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    kit::check(vkCreateBuffer(device_.handle, &info, nullptr, &buffer), "vkCreateBuffer");
    device_.later([device = device_.handle, buffer] { vkDestroyBuffer(device, buffer, nullptr); });
    return buffer;
  }

  VkDeviceMemory make_block(uint32_t number) {
    VkMemoryRequirements needs{};
    vkGetBufferMemoryRequirements(device_.handle, make_buffer(kMemoryBytes), &needs);
    VkPhysicalDeviceMemoryProperties types{};
    vkGetPhysicalDeviceMemoryProperties(device_.gpu, &types);
    constexpr VkMemoryPropertyFlags kWanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while (type < types.memoryTypeCount && ((needs.memoryTypeBits >> type & 1) == 0 ||
                                            (types.memoryTypes[type].propertyFlags & kWanted) != kWanted))
      ++type;
    const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                          VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags,
                                    VkDeviceSize{2} * kMemoryBytes, type};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    kit::check(vkAllocateMemory(device_.handle, &info, nullptr, &memory), "vkAllocateMemory");
    device_.later([device = device_.handle, memory] { vkFreeMemory(device, memory, nullptr); });
    void* mapped = nullptr;
    kit::check(vkMapMemory(device_.handle, memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
    std::memset(mapped, 0, size_t{2} * kMemoryBytes);
    auto* words = static_cast<uint32_t*>(mapped);
    const auto arguments = argument_words(program_);
    if (static_cast<int>(number) == program_.arguments_memory)
      for (uint32_t i = 0; i < kMemoryBytes / 4; ++i) words[i] = arguments[i % arguments.size()];
    vkUnmapMemory(device_.handle, memory);
    return memory;
  }

  void make_descriptors() {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    const auto add = [&](uint32_t number, VkDescriptorType type, uint32_t count) {
      constexpr VkShaderStageFlags kStages =
          VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
      bindings.push_back({number, type, count, kStages, nullptr});
    };
    bool array = false;
    const VkDescriptorType of_bindings =
        program_.images ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    for (uint32_t i = 0; i < program_.views.size(); ++i) {
      if (program_.views[i].reach == View::Reach::binding) add(i, of_bindings, 1);
      if (program_.views[i].reach == View::Reach::sampled) add(i, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1);
      array |= program_.views[i].reach == View::Reach::array;
    }
    if (!program_.images) add(kAddresses, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1);
    if (answers_.mapped != nullptr) add(kAnswers, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1);
    add(kOfNumbers, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1);
    if (array) add(kArray, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kArraySize);
    descriptors_.make(bindings, all_descriptors(array));
  }

  std::vector<Descriptor> all_descriptors(bool array) {
    std::vector<Descriptor> all;
    const auto add = [&](uint32_t binding, uint32_t element, const VkDescriptorBufferInfo& buffer) {
      all.push_back({.binding = binding, .element = element, .buffer = buffer});
    };
    const auto add_uniform = [&](uint32_t binding, const kit::Buffer& buffer) {
      all.push_back({.binding = binding,
                     .type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                     .buffer = {buffer.handle, 0, buffer.size}});
    };
    if (!program_.images) add_uniform(kAddresses, addresses_);
    add_uniform(kOfNumbers, numbers_);
    if (answers_.mapped != nullptr) add(kAnswers, 0, {answers_.handle, 0, answers_.size});
    // The array's other elements lead to memory that nothing accesses.
    const VkBuffer unused = array ? device_.buffer(256, kStorage).handle : VK_NULL_HANDLE;
    for (uint32_t i = 0; array && i < kArraySize; ++i) add(kArray, i, {unused, 0, 256});
    for (uint32_t i = 0; i < program_.views.size(); ++i) {
      const View& view = program_.views[i];
      if (view.is_shared()) continue;
      if (program_.images) {
        all.push_back({.binding = i,
                       .type = view.reach == View::Reach::sampled ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE
                                                                  : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                       .image = images_[view.buffer].view,
                       .layout = layout_of(view.read_only ? Layout::read_only : Layout::general)});
        continue;
      }
      const VkDescriptorBufferInfo buffer{buffers_[view.buffer], view.offset, kViewBytes};
      if (view.reach == View::Reach::binding) add(i, 0, buffer);
      if (view.reach == View::Reach::array) add(kArray, i, buffer);
    }
    return all;
  }

  void make_pipelines() {
    for (size_t i = 0; i < program_.commands.size(); ++i) {
      if (!program_.commands[i].runs_shader()) continue;
      const auto line = static_cast<uint32_t>((number_ + 1) * kLinesPerProgram + i * kLinesPerCommand + 1);
      pipelines_[i] = pipeline_maker_.make(static_cast<uint32_t>(i), line);
    }
  }

  void record(size_t number) {
    const Command& command = program_.commands[number];
    if (commands_ == VK_NULL_HANDLE) commands_ = device_.begin();
    const int pass = pass_of(program_, static_cast<int>(number));
    if (pass < 0 || pass == static_cast<int>(number)) end_pass();
    if (pass == static_cast<int>(number) && command.is_draw()) pipeline_maker_.begin_pass(commands_);
    in_pass_ = pass >= 0;
    if (command.what == Command::What::submit) {
      submit(command.submit, command.barrier.dst_stages);
      queue_ = command.queue;
      return;
    }
    const std::string text = label_of(number_, number);
    VkDebugUtilsLabelEXT label{};
    label.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
    label.pLabelName = text.c_str();
    vkCmdBeginDebugUtilsLabelEXT(commands_, &label);
    if (command.is_action()) record_action(number);
    Barriers barriers;
    const VkDependencyInfo dependency =
        dependency_of(command.barrier, barriers, layout_at(number, command.barrier.buffer));
    if (command.what == Command::What::barrier && command.edge == Command::Edge::none)
      vkCmdPipelineBarrier2(commands_, &dependency);
    if (command.what == Command::What::begin_pass)
      pipeline_maker_.begin_pass(commands_, static_cast<uint32_t>(number), images_[command.buffer].view);
    if (command.what == Command::What::end_pass) end_pass();
    if (command.what == Command::What::set_event)
      vkCmdSetEvent2(commands_, event(command.event), &dependency);
    if (command.what == Command::What::wait_event) {
      const VkEvent handle = event(command.event);
      vkCmdWaitEvents2(commands_, 1, &handle, &dependency);
    }
    vkCmdEndDebugUtilsLabelEXT(commands_);
  }

  void record_action(size_t number) {
    const Command& command = program_.commands[number];
    if (program_.images && !command.runs_shader()) return record_on_images(number);
    if (command.what == Command::What::fill)
      vkCmdFillBuffer(commands_, buffers_[command.buffer], command.offset, command.bytes, 7);
    if (command.what == Command::What::copy) {
      const VkBufferCopy region{command.from_offset, command.offset, command.bytes};
      vkCmdCopyBuffer(commands_, buffers_[command.from_buffer], buffers_[command.buffer], 1, &region);
    }
    if (!command.runs_shader()) return;
    const VkPipelineBindPoint point =
        command.is_draw() ? VK_PIPELINE_BIND_POINT_GRAPHICS : VK_PIPELINE_BIND_POINT_COMPUTE;
    vkCmdBindPipeline(commands_, point, pipelines_.at(number));
    descriptors_.bind(commands_, point);
    const VkDeviceSize input = command.input_offset;
    if (command.input_stride != 0)
      vkCmdBindVertexBuffers(commands_, 0, 1, &buffers_[command.input_buffer], &input);
    if (command.what == Command::What::draw) vkCmdDraw(commands_, command.vertices(), 1, 0, 0);
    if (command.what == Command::What::draw_indirect)
      vkCmdDrawIndirect(commands_, buffers_[command.buffer], command.offset, 1, 16);
    if (command.what == Command::What::dispatch)
      vkCmdDispatch(commands_, command.groups / command.group_rows, command.group_rows, 1);
    if (command.what == Command::What::dispatch_indirect)
      vkCmdDispatchIndirect(commands_, buffers_[command.buffer], command.offset);
  }

  void end_pass() {
    if (in_pass_) pipeline_maker_.end_pass(commands_);
    in_pass_ = false;
  }

  Layout layout_at(size_t number, uint32_t image) const {
    return layout_before(program_, static_cast<int>(number), image);
  }

  void record_on_images(size_t number) {
    const Command& command = program_.commands[number];
    const VkImageLayout layout = layout_of(layout_at(number, command.buffer));
    const VkImage to = images_[command.buffer].handle;
    if (command.what == Command::What::fill) return clear(commands_, to, layout);
    const auto row = [](uint32_t bytes) { return static_cast<int32_t>(bytes / 4 / kRowTexels); };
    const VkImageCopy region{kLayer,
                             {0, row(command.from_offset), 0},
                             kLayer,
                             {0, row(command.offset), 0},
                             {kRowTexels, command.bytes / 4 / kRowTexels, 1}};
    vkCmdCopyImage(commands_, images_[command.from_buffer].handle,
                   layout_of(layout_at(number, command.from_buffer)), to, layout, 1, &region);
  }

  // What a VkDependencyInfo points to.
  struct Barriers {
    VkMemoryBarrier2 memory{};
    VkBufferMemoryBarrier2 buffer{};
    VkImageMemoryBarrier2 image{};
  };

  // layout: that of its image before.
  VkDependencyInfo dependency_of(const Barrier& barrier, Barriers& barriers, Layout layout = {}) const {
    VkDependencyInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
    auto& [memory, buffer, image] = barriers;
    if (barrier.ranged && program_.images) {
      image = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
               nullptr,
               barrier.src_stages,
               barrier.src_access,
               barrier.dst_stages,
               barrier.dst_access,
               barrier.discards ? VK_IMAGE_LAYOUT_UNDEFINED : layout_of(layout),
               layout_of(barrier.layout.value_or(layout)),
               VK_QUEUE_FAMILY_IGNORED,
               VK_QUEUE_FAMILY_IGNORED,
               images_[barrier.buffer].handle,
               kWhole};
      info.imageMemoryBarrierCount = 1;
      info.pImageMemoryBarriers = &image;
    } else if (barrier.ranged) {
      buffer = {VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
                nullptr,
                barrier.src_stages,
                barrier.src_access,
                barrier.dst_stages,
                barrier.dst_access,
                VK_QUEUE_FAMILY_IGNORED,
                VK_QUEUE_FAMILY_IGNORED,
                buffers_[barrier.buffer],
                barrier.offset,
                barrier.bytes};
      info.bufferMemoryBarrierCount = 1;
      info.pBufferMemoryBarriers = &buffer;
    } else {
      memory = memory_barrier_of(barrier);
      info.memoryBarrierCount = 1;
      info.pMemoryBarriers = &memory;
    }
    return info;
  }

  void show_answers() {
    if (commands_ == VK_NULL_HANDLE) commands_ = device_.begin();
    const Barrier barrier{VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_WRITE_BIT,
                          VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT};
    Barriers barriers;
    const VkDependencyInfo dependency = dependency_of(barrier, barriers);
    vkCmdPipelineBarrier2(commands_, &dependency);
  }

  VkEvent event(uint32_t number) {
    VkEvent& event = events_[number];
    if (event != VK_NULL_HANDLE) return event;
    const VkEventCreateInfo info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO, nullptr,
                                 VK_EVENT_CREATE_DEVICE_ONLY_BIT};
    kit::check(vkCreateEvent(device_.handle, &info, nullptr, &event), "vkCreateEvent");
    device_.later([device = device_.handle, event] { vkDestroyEvent(device, event, nullptr); });
    return event;
  }

  // Submits what was recorded. how, stages: what the next submission waits for, and in which stages.
  void submit(Command::Submit how, VkPipelineStageFlags2 stages) {
    if (commands_ == VK_NULL_HANDLE) commands_ = device_.begin();
    kit::check(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
    const VkCommandBufferSubmitInfo buffer{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, commands_,
                                           0};
    const VkSemaphoreSubmitInfo wait = semaphore_info(waits_for_, waits_at_);
    if (how == Command::Submit::semaphore) waits_for_ = make_semaphore();
    const VkSemaphoreSubmitInfo signal = semaphore_info(waits_for_, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
    VkSubmitInfo2 info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
    info.waitSemaphoreInfoCount = wait.semaphore != VK_NULL_HANDLE ? 1 : 0;
    info.pWaitSemaphoreInfos = &wait;
    info.commandBufferInfoCount = 1;
    info.pCommandBufferInfos = &buffer;
    info.signalSemaphoreInfoCount = how == Command::Submit::semaphore ? 1 : 0;
    info.pSignalSemaphoreInfos = &signal;
    if (how != Command::Submit::semaphore) waits_for_ = VK_NULL_HANDLE;
    waits_at_ = stages;
    const VkFence fence = how == Command::Submit::fence ? make_fence() : VK_NULL_HANDLE;
    kit::check(vkQueueSubmit2(device_.queues.at(queue_), 1, &info, fence), "vkQueueSubmit2");
    if (fence != VK_NULL_HANDLE)
      kit::check(vkWaitForFences(device_.handle, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    commands_ = VK_NULL_HANDLE;
  }

  static VkSemaphoreSubmitInfo semaphore_info(VkSemaphore semaphore, VkPipelineStageFlags2 stages) {
    return {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, semaphore, 0, stages, 0};
  }
  VkSemaphore make_semaphore() {
    const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, nullptr, 0};
    VkSemaphore semaphore = VK_NULL_HANDLE;
    kit::check(vkCreateSemaphore(device_.handle, &info, nullptr, &semaphore), "vkCreateSemaphore");
    device_.later([device = device_.handle, semaphore] { vkDestroySemaphore(device, semaphore, nullptr); });
    return semaphore;
  }
  VkFence make_fence() {
    const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, 0};
    VkFence fence = VK_NULL_HANDLE;
    kit::check(vkCreateFence(device_.handle, &info, nullptr, &fence), "vkCreateFence");
    device_.later([device = device_.handle, fence] { vkDestroyFence(device, fence, nullptr); });
    return fence;
  }

  kit::Device& device_;
  const Program& program_;
  const size_t number_;
  std::vector<VkBuffer> buffers_;
  std::vector<kit::Image> images_;
  kit::Buffer addresses_, answers_, numbers_;
  Descriptors descriptors_;
  Pipelines pipeline_maker_;
  std::map<size_t, VkPipeline> pipelines_;
  bool in_pass_ = false;  // recording a render pass
  std::map<uint32_t, VkEvent> events_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkSemaphore waits_for_ = VK_NULL_HANDLE;
  VkPipelineStageFlags2 waits_at_ = 0;
  uint32_t queue_ = 0;
};

Machine machine_of(const kit::Device& device) {
  const auto subgroup = device.properties_of<VkPhysicalDeviceSubgroupProperties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
  return {subgroup.subgroupSize, static_cast<uint32_t>(device.queues.size())};
}

}  // namespace

Machine machine_of_device() {
  const Features features(false);
  return machine_of(kit::Device(features.options));
}

void run_programs(const std::vector<std::string>& specs) {
  const Features features(std::ranges::any_of(specs, has_descriptor_buffers));
  kit::Device device(features.options);
  const Machine machine = machine_of(device);
  glslang::InitializeProcess();
  for (size_t i = 0; i < specs.size(); ++i) {
    const Program program = program_of(specs[i], machine);
    const Answers answers = Run(device, program, i).run();
    std::printf("ran %s", specs[i].c_str());
    for (const uint32_t answer : answers) std::printf(" %u", answer);
    std::printf("\n");
    std::fflush(stdout);
  }
  glslang::FinalizeProcess();
}

}  // namespace oracle
