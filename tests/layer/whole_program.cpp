// SPDX-License-Identifier: Apache-2.0
#include "tests/layer/whole_program.h"

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>
#include <vector>

namespace shaderqa::layer_tests {
namespace {

struct Failure {
  Ending ending;
};

void must(VkResult result, const char* command) {
  if (result != VK_SUCCESS) throw Failure{{result, command}};
}

template <typename Info>
Info info_of(VkStructureType type) {
  Info info{};
  info.sType = type;
  return info;
}

class Life {
 public:
  Life(VkDevice device, const VolkDeviceTable& vk, VkQueue queue, std::mutex& queue_mutex)
      : device_(device), vk_(vk), queue_(queue), queue_mutex_(queue_mutex) {}
  ~Life() {
    for (auto undo = undo_.rbegin(); undo != undo_.rend(); ++undo) (*undo)();
  }
  Life(const Life&) = delete;
  Life& operator=(const Life&) = delete;

  void live() {
    make_buffer();
    make_layouts();
    make_set();
    make_pipelines();
    // Nothing that follows may look at them.
    for (auto& destroy : early_) destroy();
    early_.clear();
    record();
    submit_and_wait();
  }

 private:
  // The object goes when this does.
  template <typename Handle>
  using Destroy = void(VKAPI_PTR*)(VkDevice, Handle, const VkAllocationCallbacks*);
  template <typename Handle, typename Info>
  Handle make(VkResult(VKAPI_PTR* create)(VkDevice, const Info*, const VkAllocationCallbacks*, Handle*),
              const Info& info, const char* command, Destroy<Handle> destroy) {
    Handle handle = VK_NULL_HANDLE;
    must(create(device_, &info, nullptr, &handle), command);
    undo_.push_back([this, destroy, handle] { destroy(device_, handle, nullptr); });
    return handle;
  }
  // The object that was made last goes as soon as the pipelines are there.
  void early() {
    early_.push_back(std::move(undo_.back()));
    undo_.back() = [this, at = early_.size() - 1] {
      if (at < early_.size()) early_[at]();
    };
  }

  void make_buffer();
  void make_layouts();
  void make_set();
  VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits stage, const Words& words);
  void keep(VkPipeline pipeline) {
    undo_.push_back([this, pipeline] { vk_.vkDestroyPipeline(device_, pipeline, nullptr); });
  }
  void make_pipelines();
  void record();
  void submit_and_wait();

  const VkDevice device_;
  const VolkDeviceTable& vk_;
  const VkQueue queue_;
  std::mutex& queue_mutex_;
  std::vector<std::function<void()>> undo_, early_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  std::array<VkPipeline, 2> compute_{};
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
};

void Life::make_buffer() {
  auto info = info_of<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = 256;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  buffer_ = make(vk_.vkCreateBuffer, info, "vkCreateBuffer", vk_.vkDestroyBuffer);
  VkMemoryRequirements requirements;
  vk_.vkGetBufferMemoryRequirements(device_, buffer_, &requirements);
  auto allocation = info_of<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  allocation.allocationSize = requirements.size;
  allocation.memoryTypeIndex = 1;
  const auto memory = make(vk_.vkAllocateMemory, allocation, "vkAllocateMemory", vk_.vkFreeMemory);
  must(vk_.vkBindBufferMemory(device_, buffer_, memory, 0), "vkBindBufferMemory");
  void* mapped = nullptr;
  must(vk_.vkMapMemory(device_, memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
  vk_.vkUnmapMemory(device_, memory);
}

void Life::make_layouts() {
  const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL,
                                             nullptr};
  auto set_info =
      info_of<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  set_info.bindingCount = 1;
  set_info.pBindings = &binding;
  set_layout_ = make(vk_.vkCreateDescriptorSetLayout, set_info, "vkCreateDescriptorSetLayout",
                     vk_.vkDestroyDescriptorSetLayout);
  early();
  auto info = info_of<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  info.setLayoutCount = 1;
  info.pSetLayouts = &set_layout_;
  layout_ = make(vk_.vkCreatePipelineLayout, info, "vkCreatePipelineLayout", vk_.vkDestroyPipelineLayout);
}

void Life::make_set() {
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
  auto pool_info = info_of<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
  pool_info.flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT;
  pool_info.maxSets = 2;
  pool_info.poolSizeCount = 1;
  pool_info.pPoolSizes = &size;
  const auto pool =
      make(vk_.vkCreateDescriptorPool, pool_info, "vkCreateDescriptorPool", vk_.vkDestroyDescriptorPool);
  const VkDescriptorSetLayout layouts[] = {set_layout_, set_layout_};
  auto info = info_of<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
  info.descriptorPool = pool;
  info.descriptorSetCount = 2;
  info.pSetLayouts = layouts;
  VkDescriptorSet sets[2] = {};
  must(vk_.vkAllocateDescriptorSets(device_, &info, sets), "vkAllocateDescriptorSets");
  must(vk_.vkFreeDescriptorSets(device_, pool, 1, &sets[1]), "vkFreeDescriptorSets");
  set_ = sets[0];

  const VkDescriptorBufferInfo whole{buffer_, 0, VK_WHOLE_SIZE};
  auto write = info_of<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
  write.dstSet = set_;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = &whole;
  vk_.vkUpdateDescriptorSets(device_, 1, &write, 0, nullptr);
  const VkDescriptorUpdateTemplateEntry entry{0, 0, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, sizeof whole};
  auto template_info =
      info_of<VkDescriptorUpdateTemplateCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO);
  template_info.descriptorUpdateEntryCount = 1;
  template_info.pDescriptorUpdateEntries = &entry;
  template_info.descriptorSetLayout = set_layout_;
  const auto update = make(vk_.vkCreateDescriptorUpdateTemplate, template_info,
                           "vkCreateDescriptorUpdateTemplate", vk_.vkDestroyDescriptorUpdateTemplate);
  early();
  vk_.vkUpdateDescriptorSetWithTemplate(device_, set_, update, &whole);
}

VkPipelineShaderStageCreateInfo Life::stage(VkShaderStageFlagBits stage, const Words& words) {
  const auto module =
      make(vk_.vkCreateShaderModule, module_info(words), "vkCreateShaderModule", vk_.vkDestroyShaderModule);
  early();
  return stage_info(stage, module);
}

void Life::make_pipelines() {
  const auto cache = make(vk_.vkCreatePipelineCache,
                          info_of<VkPipelineCacheCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO),
                          "vkCreatePipelineCache", vk_.vkDestroyPipelineCache);
  std::array<VkComputePipelineCreateInfo, 2> infos{};
  const Words* const words[] = {&shaders::accesses_comp, &shaders::prints_comp};
  for (size_t i = 0; i < infos.size(); ++i) {
    infos[i].sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    infos[i].stage = stage(VK_SHADER_STAGE_COMPUTE_BIT, *words[i]);
    infos[i].layout = layout_;
  }
  const VkResult created = vk_.vkCreateComputePipelines(device_, cache, static_cast<uint32_t>(infos.size()),
                                                        infos.data(), nullptr, compute_.data());
  for (const VkPipeline pipeline : compute_)
    if (pipeline) keep(pipeline);
  must(created, "vkCreateComputePipelines");

  const VkPipelineShaderStageCreateInfo stages[] = {
      stage(VK_SHADER_STAGE_VERTEX_BIT, shaders::prints_vert),
      stage(VK_SHADER_STAGE_FRAGMENT_BIT, shaders::prints_frag)};
  auto info = info_of<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
  info.stageCount = 2;
  info.pStages = stages;
  info.layout = layout_;
  VkPipeline graphics = VK_NULL_HANDLE;
  must(vk_.vkCreateGraphicsPipelines(device_, cache, 1, &info, nullptr, &graphics),
       "vkCreateGraphicsPipelines");
  keep(graphics);
}

void Life::record() {
  const auto pool = make(vk_.vkCreateCommandPool,
                         info_of<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO),
                         "vkCreateCommandPool", vk_.vkDestroyCommandPool);
  auto info = info_of<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  info.commandPool = pool;
  info.commandBufferCount = 1;
  must(vk_.vkAllocateCommandBuffers(device_, &info, &commands_), "vkAllocateCommandBuffers");
  const auto begin = info_of<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  must(vk_.vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
  must(vk_.vkResetCommandBuffer(commands_, 0), "vkResetCommandBuffer");
  must(vk_.vkBeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
  auto barrier = info_of<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
  for (const VkPipeline pipeline : compute_) {
    vk_.vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vk_.vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set_, 0, nullptr);
    vk_.vkCmdDispatch(commands_, 1, 1, 1);
    vk_.vkCmdPipelineBarrier(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
    vk_.vkCmdDispatch(commands_, 1, 1, 1);
  }
  must(vk_.vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
}

void Life::submit_and_wait() {
  const auto fence = make(vk_.vkCreateFence, info_of<VkFenceCreateInfo>(VK_STRUCTURE_TYPE_FENCE_CREATE_INFO),
                          "vkCreateFence", vk_.vkDestroyFence);
  auto submit = info_of<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands_;
  for (int i = 0; i < 2; ++i) {
    {
      const std::lock_guard lock(queue_mutex_);
      must(vk_.vkQueueSubmit(queue_, 1, &submit, fence), "vkQueueSubmit");
    }
    must(vk_.vkWaitForFences(device_, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    must(vk_.vkGetFenceStatus(device_, fence), "vkGetFenceStatus");
    must(vk_.vkResetFences(device_, 1, &fence), "vkResetFences");
  }
  const std::lock_guard lock(queue_mutex_);
  must(vk_.vkQueueWaitIdle(queue_), "vkQueueWaitIdle");
  must(vk_.vkDeviceWaitIdle(device_), "vkDeviceWaitIdle");
}

}  // namespace

Ending live_on(VkDevice device, const VolkDeviceTable& vk, VkQueue queue, std::mutex& queue_mutex) {
  try {
    Life(device, vk, queue, queue_mutex).live();
    return {};
  } catch (const Failure& failure) {
    return failure.ending;
  }
}

Ending live(const Instance& instance) {
  VkDevice device = VK_NULL_HANDLE;
  if (const VkResult result = Device::create(instance, {}, device); result != VK_SUCCESS)
    return {result, "vkCreateDevice"};
  VolkDeviceTable vk{};
  volkLoadDeviceTable(&vk, device);
  VkQueue queue = VK_NULL_HANDLE;
  vk.vkGetDeviceQueue(device, 0, 0, &queue);
  std::mutex queue_mutex;
  Ending ending = live_on(device, vk, queue, queue_mutex);
  vk.vkDestroyDevice(device, nullptr);
  return ending;
}

}  // namespace shaderqa::layer_tests
