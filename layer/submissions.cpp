#include "layer/submissions.h"

#include <cstring>

#include "layer/barrier_effects.h"
#include "layer/command_state.h"
#include "layer/pnext_chain.h"

namespace shaderqa::layer {
namespace {

// What the templates below need of both kinds of submissions.
uint32_t command_buffer_count(const VkSubmitInfo& info) { return info.commandBufferCount; }
uint32_t command_buffer_count(const VkSubmitInfo2& info) { return info.commandBufferInfoCount; }
VkCommandBuffer command_buffer(const VkSubmitInfo& info, uint32_t i) { return info.pCommandBuffers[i]; }
VkCommandBuffer command_buffer(const VkSubmitInfo2& info, uint32_t i) {
  return info.pCommandBufferInfos[i].commandBuffer;
}

bool waits_for_shaders(const VkSubmitInfo& info) {
  for (uint32_t i = 0; i < info.waitSemaphoreCount; ++i) {
    if (covers_checked(destination_scope(info.pWaitDstStageMask[i]))) return true;
  }
  return false;
}
bool waits_for_shaders(const VkSubmitInfo2& info) {
  for (uint32_t i = 0; i < info.waitSemaphoreInfoCount; ++i) {
    if (covers_checked(destination_scope(info.pWaitSemaphoreInfos[i].stageMask))) return true;
  }
  return false;
}

// With one more command buffer nothing in its chain is wrong.
bool may_be_edited(const VkSubmitInfo& info) {
  for (const void* next = info.pNext; next; next = next_structure(next)) {
    const VkStructureType type = type_of_structure(next);
    if (type == VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO || size_of_structure(type) == 0) return false;
    if (type == VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO &&
        static_cast<const VkProtectedSubmitInfo*>(next)->protectedSubmit) {
      return false;
    }
  }
  return true;
}
bool may_be_edited(const VkSubmitInfo2& info) {
  for (const void* next = info.pNext; next; next = next_structure(next)) {
    if (size_of_structure(type_of_structure(next)) == 0) return false;
  }
  return !(info.flags & VK_SUBMIT_PROTECTED_BIT);
}

void set_command_buffers(VkSubmitInfo& copy, const std::vector<uint32_t>& clears, VkCommandBuffer clear,
                         Arena& arena) {
  std::vector<VkCommandBuffer> all(copy.pCommandBuffers, copy.pCommandBuffers + copy.commandBufferCount);
  for (auto at = clears.rbegin(); at != clears.rend(); ++at) all.insert(all.begin() + *at, clear);
  copy.commandBufferCount = static_cast<uint32_t>(all.size());
  copy.pCommandBuffers = arena.copy(all.data(), all.size());
}
void set_command_buffers(VkSubmitInfo2& copy, const std::vector<uint32_t>& clears, VkCommandBuffer clear,
                         Arena& arena) {
  VkCommandBufferSubmitInfo ours{};
  ours.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
  ours.commandBuffer = clear;
  std::vector<VkCommandBufferSubmitInfo> all(copy.pCommandBufferInfos,
                                             copy.pCommandBufferInfos + copy.commandBufferInfoCount);
  for (auto at = clears.rbegin(); at != clears.rend(); ++at) all.insert(all.begin() + *at, ours);
  copy.commandBufferInfoCount = static_cast<uint32_t>(all.size());
  copy.pCommandBufferInfos = arena.copy(all.data(), all.size());
}

}  // namespace

Submissions::~Submissions() {
  if (device_.instance->in_forked_child()) return;
  for (const auto& [handle, queue] : queues_) {
    if (queue->pool) device_.next.DestroyCommandPool(device_.handle, queue->pool, nullptr);
  }
}

void Submissions::add_queue(VkQueue handle, uint32_t family, uint32_t index) {
  const std::unique_lock lock(mutex_);
  const auto [place, added] = queues_.try_emplace(handle);
  if (!added) return;
  place->second = std::make_unique<Queue>();
  Queue& queue = *place->second;
  queue.handle = handle;
  queue.family = family;
  queue.number = static_cast<uint32_t>(queues_.size() - 1);
  queue.name = "queue " + std::to_string(index) + " of family " + std::to_string(family);
}

Submissions::Queue* Submissions::find(VkQueue queue) const {
  const std::shared_lock lock(mutex_);
  const auto found = queues_.find(queue);
  return found == queues_.end() ? nullptr : found->second.get();
}

void Submissions::name(VkQueue handle, const std::string& name) {
  if (Queue* queue = find(handle); queue && !name.empty()) queue->name = name;
}

void Submissions::begin_label(VkQueue handle, const char* name) {
  if (Queue* queue = find(handle)) queue->labels.emplace_back(name ? name : "");
}

void Submissions::end_label(VkQueue handle) {
  if (Queue* queue = find(handle); queue && !queue->labels.empty()) queue->labels.pop_back();
}

VkCommandBuffer Submissions::clear_of(Queue& queue) {
  if (queue.clear || queue.clear_failed) return queue.clear;
  const VkResult result = make_clear(queue);
  if (result == VK_SUCCESS) return queue.clear;
  queue.clear_failed = true;
  queue.clear = VK_NULL_HANDLE;
  device_.note("clear",
               "unsynchronised accesses may be reported that a wait has synchronised: the filter cannot "
               "be cleared between submissions (VkResult " +
                   std::to_string(result) + ")");
  return VK_NULL_HANDLE;
}

VkResult Submissions::make_clear(Queue& queue) {
  SyncFilters::Family* filter = device_.sync_filters.find(queue.family);
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = queue.family;
  VkResult result = device_.next.CreateCommandPool(device_.handle, &pool, nullptr, &queue.pool);
  if (result != VK_SUCCESS) return result;
  VkCommandBufferAllocateInfo buffer{};
  buffer.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  buffer.commandPool = queue.pool;
  buffer.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  buffer.commandBufferCount = 1;
  result = device_.next.AllocateCommandBuffers(device_.handle, &buffer, &queue.clear);
  if (result != VK_SUCCESS) return result;
  // Dispatchable handles that a layer makes have no dispatch table of the loader yet.
  if (device_.facts.set_loader_data) {
    result = device_.facts.set_loader_data(device_.handle, queue.clear);
    if (result != VK_SUCCESS) return result;
  } else {
    std::memcpy(queue.clear, device_.handle, sizeof(void*));
  }
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  result = device_.next.BeginCommandBuffer(queue.clear, &begin);
  if (result != VK_SUCCESS) return result;
  filter->record_clear(device_, queue.clear, device_.sync_filters.next_dispatch_id());
  return device_.next.EndCommandBuffer(queue.clear);
}

void Submissions::mark(const Queue& queue, Recording& recording, uint32_t serial) {
  if (recording.submission) {
    recording.submission->queue = queue.number;
    recording.submission->serial = serial;
    recording.submission->aliased = device_.buffers.aliased();
  }
  device_.command_buffers.impl().history.submitted(recording, queue.name, queue.labels);
  for (const auto& secondary : recording.secondaries) mark(queue, *secondary, serial);
}

template <typename Info>
bool Submissions::prepare_batch(Queue& queue, const Info& info, Info& copy, Arena& arena) {
  if (waits_for_shaders(info)) queue.needs_clear = true;
  const uint32_t serial = serials_.fetch_add(1, std::memory_order_relaxed) + 1;
  SyncFilters::Family* filter = device_.sync_filters.find(queue.family);
  std::vector<uint32_t> clears;  // before which of its command buffers
  bool cleared = false;
  for (uint32_t i = 0; i < command_buffer_count(info); ++i) {
    const CommandState* state = find_state(device_, command_buffer(info, i));
    if (!state) continue;
    Recording& recording = *state->recording();
    if (recording.checked) {
      mark(queue, recording, serial);
      if (filter && queue.needs_clear && !recording.resumes) {
        if (!recording.begins_with_clear) clears.push_back(i);
        queue.needs_clear = false;
        cleared = true;
      }
    }
    queue.needs_clear = queue.needs_clear || recording.owes_clear;
  }
  if (clears.empty()) {
    if (cleared) filter->activate();
    return false;
  }
  if (!may_be_edited(info)) {
    queue.needs_clear = true;
    device_.note("submission",
                 "unsynchronised accesses may be reported that a wait has synchronised: some submissions are "
                 "protected or have structures that do not let the filter be cleared in them");
    return false;
  }
  const VkCommandBuffer clear = filter->has_filter() ? clear_of(queue) : VK_NULL_HANDLE;
  if (!clear) return false;
  set_command_buffers(copy, clears, clear, arena);
  filter->activate();
  return true;
}

template <typename Info>
const Info* Submissions::prepare_infos(VkQueue handle, const Info* infos, uint32_t count, Arena& arena) {
  Queue* queue = find(handle);
  if (!queue) return infos;
  const uint64_t epoch = host_epoch_.load(std::memory_order_relaxed);
  if (epoch != queue->host_epoch) queue->needs_clear = true;
  queue->host_epoch = epoch;
  Info* copies = nullptr;
  for (uint32_t i = 0; i < count; ++i) {
    Info copy = infos[i];
    if (!prepare_batch(*queue, infos[i], copy, arena)) continue;
    if (!copies) copies = arena.copy(infos, count);
    copies[i] = copy;
  }
  return copies ? copies : infos;
}

const VkSubmitInfo* Submissions::prepare(VkQueue queue, const VkSubmitInfo* infos, uint32_t count,
                                         Arena& arena) {
  return prepare_infos(queue, infos, count, arena);
}

const VkSubmitInfo2* Submissions::prepare(VkQueue queue, const VkSubmitInfo2* infos, uint32_t count,
                                          Arena& arena) {
  return prepare_infos(queue, infos, count, arena);
}

}  // namespace shaderqa::layer
