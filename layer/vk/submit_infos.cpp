// SPDX-License-Identifier: Apache-2.0
#include "layer/vk/submit_infos.h"

#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

std::vector<SemaphoreUse> uses_of(const VkSemaphore* semaphores, uint32_t count,
                                  const VkPipelineStageFlags* stages, const uint64_t* values,
                                  uint32_t value_count) {
  std::vector<SemaphoreUse> uses(count);
  for (uint32_t i = 0; i < count; ++i) {
    uses[i].semaphore = semaphores[i];
    uses[i].stages = stages ? stages[i] : VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    if (i < value_count) uses[i].value = values[i];
  }
  return uses;
}

std::vector<SemaphoreUse> uses_of(const VkSemaphoreSubmitInfo* infos, uint32_t count) {
  std::vector<SemaphoreUse> uses(count);
  for (uint32_t i = 0; i < count; ++i) uses[i] = {infos[i].semaphore, infos[i].value, infos[i].stageMask};
  return uses;
}

const VkTimelineSemaphoreSubmitInfo* timeline_of(const void* chain) {
  return find_in_chain<VkTimelineSemaphoreSubmitInfo>(chain,
                                                      VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
}

template <typename Info>
std::vector<SemaphoreUse> waits_of_old(const Info& info, const VkPipelineStageFlags* stages) {
  const auto timeline = timeline_of(info.pNext);
  return uses_of(info.pWaitSemaphores, info.waitSemaphoreCount, stages,
                 timeline ? timeline->pWaitSemaphoreValues : nullptr,
                 timeline ? timeline->waitSemaphoreValueCount : 0);
}

template <typename Info>
std::vector<SemaphoreUse> signals_of_old(const Info& info) {
  const auto timeline = timeline_of(info.pNext);
  return uses_of(info.pSignalSemaphores, info.signalSemaphoreCount, nullptr,
                 timeline ? timeline->pSignalSemaphoreValues : nullptr,
                 timeline ? timeline->signalSemaphoreValueCount : 0);
}

}  // namespace

std::vector<SemaphoreUse> waits_of(const VkSubmitInfo& info) {
  return waits_of_old(info, info.pWaitDstStageMask);
}
std::vector<SemaphoreUse> waits_of(const VkSubmitInfo2& info) {
  return uses_of(info.pWaitSemaphoreInfos, info.waitSemaphoreInfoCount);
}
std::vector<SemaphoreUse> waits_of(const VkBindSparseInfo& info) { return waits_of_old(info, nullptr); }
std::vector<SemaphoreUse> signals_of(const VkSubmitInfo& info) { return signals_of_old(info); }
std::vector<SemaphoreUse> signals_of(const VkSubmitInfo2& info) {
  return uses_of(info.pSignalSemaphoreInfos, info.signalSemaphoreInfoCount);
}
std::vector<SemaphoreUse> signals_of(const VkBindSparseInfo& info) { return signals_of_old(info); }

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

void insert_commands(VkSubmitInfo& copy, const std::vector<InsertedCommands>& inserted, Arena& arena) {
  std::vector<VkCommandBuffer> all(copy.pCommandBuffers, copy.pCommandBuffers + copy.commandBufferCount);
  for (auto at = inserted.rbegin(); at != inserted.rend(); ++at) {
    all.insert(all.begin() + at->before, at->commands);
  }
  copy.commandBufferCount = static_cast<uint32_t>(all.size());
  copy.pCommandBuffers = arena.copy(all.data(), all.size());
}
void insert_commands(VkSubmitInfo2& copy, const std::vector<InsertedCommands>& inserted, Arena& arena) {
  std::vector<VkCommandBufferSubmitInfo> all(copy.pCommandBufferInfos,
                                             copy.pCommandBufferInfos + copy.commandBufferInfoCount);
  for (auto at = inserted.rbegin(); at != inserted.rend(); ++at) {
    VkCommandBufferSubmitInfo ours{};
    ours.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
    ours.commandBuffer = at->commands;
    all.insert(all.begin() + at->before, ours);
  }
  copy.commandBufferInfoCount = static_cast<uint32_t>(all.size());
  copy.pCommandBufferInfos = arena.copy(all.data(), all.size());
}

}  // namespace shaderqa::layer
