// SPDX-License-Identifier: Apache-2.0
// Buffers, command buffers and submissions of a case; its descriptors and pipelines are beside.
#include "sync_context.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace sync_cases {

using kit::check;

Context::Context(kit::Device& device_, const Case& test_, bool racy_, const std::vector<std::string>& files)
    : device(device_),
      test(test_),
      racy(racy_),
      files_(files),
      bindings_(test.bindings),
      queue_(device.queues[0]) {
  pool_ = make_pool(device.queue_family);
  make_buffers();
  make_images();
  make_layouts();
  make_sets();
}

// What was made through the kit lives as long as the device; the command buffers go first.
Context::~Context() {
  vkDeviceWaitIdle(device.handle);
  for (const VkCommandPool pool : pools_) vkDestroyCommandPool(device.handle, pool, nullptr);
}

VkCommandPool Context::make_pool(uint32_t family) {
  VkCommandPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  info.queueFamilyIndex = family;
  VkCommandPool pool;
  check(vkCreateCommandPool(device.handle, &info, nullptr, &pool), "vkCreateCommandPool");
  pools_.push_back(pool);
  return pool;
}

void Context::use_queue(uint32_t number) {
  queue_ = device.queues[number];
  pool_ = pools_[0];
}

void Context::use_other_family() {
  queue_ = device.other_queue;
  pool_ = make_pool(device.other_queue_family);
}

void Context::start() {
  for (const Step& step : test.steps)
    if (step.of == Step::Of::both || (step.of == Step::Of::racy) == racy) step.act(*this);
  submit();
}

void Context::run() {
  start();
  check(vkDeviceWaitIdle(device.handle), "vkDeviceWaitIdle");
}

uint64_t Context::result() const {
  uint64_t hash = kit::checksum({});
  for (const kit::Buffer& buffer : buffers) hash = kit::checksum(buffer.as<uint32_t>(), hash);
  return hash;
}

void Context::name(VkObjectType type, uint64_t object, const std::string& text) {
  VkDebugUtilsObjectNameInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
  info.objectType = type;
  info.objectHandle = object;
  info.pObjectName = text.c_str();
  check(vkSetDebugUtilsObjectNameEXT(device.handle, &info), "vkSetDebugUtilsObjectNameEXT");
}

namespace {

// Lives as long as the device.
VkDeviceMemory allocate_mappable(kit::Device& device, const VkMemoryRequirements& requirements,
                                 bool with_address) {
  VkPhysicalDeviceMemoryProperties types;
  vkGetPhysicalDeviceMemoryProperties(device.gpu, &types);
  const VkMemoryPropertyFlags wanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  uint32_t type = 0;
  while (type < types.memoryTypeCount && ((requirements.memoryTypeBits >> type & 1u) == 0 ||
                                          (types.memoryTypes[type].propertyFlags & wanted) != wanted))
    ++type;
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocate.pNext = with_address ? &flags : nullptr;
  allocate.allocationSize = requirements.size;
  allocate.memoryTypeIndex = type;
  VkDeviceMemory memory;
  check(vkAllocateMemory(device.handle, &allocate, nullptr, &memory), "vkAllocateMemory");
  device.later([handle = device.handle, memory] { vkFreeMemory(handle, memory, nullptr); });
  return memory;
}

}  // namespace

void Context::make_buffers() {
  const auto enabled = [&](const char* name) {
    return std::ranges::any_of(test.extensions, [&](const char* one) { return std::strcmp(one, name) == 0; });
  };
  const VkBufferUsageFlags conditions = flags_if(enabled(VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME),
                                                 VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
  const VkBufferUsageFlags reads = VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                                   VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                                   VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT |
                                   VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  const VkBufferUsageFlags writes =
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT;
  const bool builds = enabled(VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME);
  const VkBufferUsageFlags of_addresses =
      VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
      flags_if(builds, VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR);
  std::vector<VkDeviceMemory> memories;
  for (const BufferSpec& spec : test.buffers) {
    size_t owner = memories.size();
    for (size_t i = 0; i < memories.size(); ++i)
      if (std::string(spec.alias_of) == test.buffers[i].name) owner = i;
    // Those reached by pointers say so; the others get their address through the layer.
    const bool by_address = std::strncmp(spec.name, "address ", 8) == 0;
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = spec.bytes;
    info.usage = reads | conditions | flags_if(!spec.read_only, writes) | flags_if(by_address, of_addresses);
    kit::Buffer buffer{.size = spec.bytes};
    check(vkCreateBuffer(device.handle, &info, nullptr, &buffer.handle), "vkCreateBuffer");
    VkMemoryRequirements requirements;
    vkGetBufferMemoryRequirements(device.handle, buffer.handle, &requirements);
    if (owner == memories.size()) {
      const VkDeviceMemory memory = allocate_mappable(device, requirements, by_address);
      check(vkMapMemory(device.handle, memory, 0, VK_WHOLE_SIZE, 0, &buffer.mapped), "vkMapMemory");
      memories.push_back(memory);
    } else {
      buffer.mapped = buffers[owner].mapped;
      memories.push_back(memories[owner]);
    }
    device.later([this_device = device.handle, handle = buffer.handle] {
      vkDestroyBuffer(this_device, handle, nullptr);
    });
    buffer.memory = memories.back();
    check(vkBindBufferMemory(device.handle, buffer.handle, buffer.memory, 0), "vkBindBufferMemory");
    for (uint32_t& word : buffer.as<uint32_t>()) word = spec.fill;
    std::copy(spec.words.begin(), spec.words.end(), buffer.as<uint32_t>().begin());
    name(VK_OBJECT_TYPE_BUFFER, reinterpret_cast<uint64_t>(buffer.handle),
         std::string(racy ? "racy " : "correct ") + test.name + " " + spec.name);
    buffers.push_back(buffer);
  }
}

VkCommandBuffer Context::allocate(VkCommandBufferLevel level) {
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool_;
  info.level = level;
  info.commandBufferCount = 1;
  VkCommandBuffer result;
  check(vkAllocateCommandBuffers(device.handle, &info, &result), "vkAllocateCommandBuffers");
  return result;
}

void Context::begin() {
  primary_ = allocate(VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  check(vkBeginCommandBuffer(primary_, &info), "vkBeginCommandBuffer");
  recording_ = true;
}

VkCommandBuffer Context::commands() {
  if (secondary_ != VK_NULL_HANDLE) return secondary_;
  if (!recording_) begin();
  return primary_;
}

void Context::keep_command_buffer() {
  check(vkEndCommandBuffer(commands()), "vkEndCommandBuffer");
  kept_.push_back(primary_);
  recording_ = false;
}

void Context::submit(VkFence fence, VkSemaphore signal, uint64_t value) {
  keep_command_buffer();
  // Sets that may be updated while bound get their descriptors as late as the specification allows.
  if (after_bind_pending_) write_sets(sets);
  after_bind_pending_ = false;
  if (submits_by_2_) {
    queue_submit2(fence, signal, value);
  } else {
    queue_submit(fence, signal, value);
  }
  wait_ = {};
  submitted_ = std::move(kept_);
  kept_.clear();
}

void Context::queue_submit2(VkFence fence, VkSemaphore signal, uint64_t value) {
  const auto of = [](VkSemaphore semaphore, uint64_t its_value, VkPipelineStageFlags2 stages) {
    VkSemaphoreSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
    info.semaphore = semaphore;
    info.value = its_value;
    info.stageMask = stages;
    return info;
  };
  const VkSemaphoreSubmitInfo wait = of(wait_.semaphore, wait_.value, wait_.stages);
  const VkSemaphoreSubmitInfo signals = of(signal, value, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
  std::vector<VkCommandBufferSubmitInfo> infos;
  for (const VkCommandBuffer commands : kept_) {
    VkCommandBufferSubmitInfo& info = infos.emplace_back();
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
    info.commandBuffer = commands;
  }
  VkSubmitInfo2 info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  info.waitSemaphoreInfoCount = wait_.semaphore != VK_NULL_HANDLE ? 1 : 0;
  info.pWaitSemaphoreInfos = &wait;
  info.commandBufferInfoCount = static_cast<uint32_t>(infos.size());
  info.pCommandBufferInfos = infos.data();
  info.signalSemaphoreInfoCount = signal != VK_NULL_HANDLE ? 1 : 0;
  info.pSignalSemaphoreInfos = &signals;
  check(vkQueueSubmit2(queue(), 1, &info, fence), "vkQueueSubmit2");
}

void Context::queue_submit(VkFence fence, VkSemaphore signal, uint64_t value) {
  VkTimelineSemaphoreSubmitInfo timeline{};
  timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  timeline.waitSemaphoreValueCount = wait_.semaphore != VK_NULL_HANDLE ? 1 : 0;
  timeline.pWaitSemaphoreValues = &wait_.value;
  timeline.signalSemaphoreValueCount = signal != VK_NULL_HANDLE ? 1 : 0;
  timeline.pSignalSemaphoreValues = &value;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = wait_.value != 0 || value != 0 ? &timeline : nullptr;
  info.waitSemaphoreCount = wait_.semaphore != VK_NULL_HANDLE ? 1 : 0;
  info.pWaitSemaphores = &wait_.semaphore;
  info.pWaitDstStageMask = &wait_.stages;
  info.commandBufferCount = static_cast<uint32_t>(kept_.size());
  info.pCommandBuffers = kept_.data();
  info.signalSemaphoreCount = signal != VK_NULL_HANDLE ? 1 : 0;
  info.pSignalSemaphores = &signal;
  check(vkQueueSubmit(queue(), 1, &info, fence), "vkQueueSubmit");
}

void Context::submit_again() {
  submit();
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.commandBufferCount = static_cast<uint32_t>(submitted_.size());
  info.pCommandBuffers = submitted_.data();
  check(vkQueueSubmit(queue(), 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
}

void Context::begin_secondary(bool inside_rendering) {
  commands();
  const VkCommandBuffer secondary = allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  VkCommandBufferInheritanceInfo inherited{};
  inherited.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO;
  inherited.renderPass = inside_rendering ? pass_ : VK_NULL_HANDLE;
  inherited.subpass = subpass_;
  inherited.framebuffer = inside_rendering ? framebuffer_ : VK_NULL_HANDLE;
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT |
               flags_if(inside_rendering, VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT);
  info.pInheritanceInfo = &inherited;
  check(vkBeginCommandBuffer(secondary, &info), "vkBeginCommandBuffer");
  secondary_ = secondary;
}

void Context::end_secondary() {
  const VkCommandBuffer done = secondary_;
  check(vkEndCommandBuffer(done), "vkEndCommandBuffer");
  secondary_ = VK_NULL_HANDLE;
  executed_ = done;
  execute_again();
}

VkSemaphore Context::semaphore(bool timeline) {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = timeline ? VK_SEMAPHORE_TYPE_TIMELINE : VK_SEMAPHORE_TYPE_BINARY;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  VkSemaphore result;
  check(vkCreateSemaphore(device.handle, &info, nullptr, &result), "vkCreateSemaphore");
  device.later([handle = device.handle, result] { vkDestroySemaphore(handle, result, nullptr); });
  return result;
}

VkFence Context::fence() {
  VkFenceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  VkFence result;
  check(vkCreateFence(device.handle, &info, nullptr, &result), "vkCreateFence");
  device.later([handle = device.handle, result] { vkDestroyFence(handle, result, nullptr); });
  return result;
}

VkEvent Context::event() {
  VkEventCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO;
  VkEvent result;
  check(vkCreateEvent(device.handle, &info, nullptr, &result), "vkCreateEvent");
  device.later([handle = device.handle, result] { vkDestroyEvent(handle, result, nullptr); });
  return result;
}

}  // namespace sync_cases
