// SPDX-License-Identifier: Apache-2.0
#include "warm_up.h"

#include <algorithm>
#include <chrono>

#include "milliseconds.h"
#include "warm_up_spv.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

// A dispatch is calibrated to take at least this long, so that the GPU is busy nearly all of the time.
constexpr double kDispatchMicroseconds = 5000, kDispatchMicrosecondsOnCpu = 500;
constexpr uint32_t kGroups = 4096, kGroupsOnCpu = 16, kMostRounds = 1u << 20;
constexpr uint32_t kRows = kGroups;  // of the image: one a workgroup

// How long the GPU is kept busy at least, and at most. If the device is the CPU there are no clocks to raise,
// and on a busy machine a warm-up takes processor time from what is measured. There it runs only once before
// each result.
struct Limits {
  double least, most;  // milliseconds
};
// The first measurement of a program follows the creation of its pipelines: clocks take tens of milliseconds
// to rise.
constexpr Limits kAfterPipelines{250, 3000}, kBetweenTries{0, 500}, kOnCpu{0, 20};

}  // namespace

WarmUp::WarmUp(kit::Device& device)
    : device_(device),
      stopwatch_(device),
      on_cpu_(device.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) {
  const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1,
                                             VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  const VkDescriptorSetLayout set_layout = device.set_layout({&binding, 1});
  compute_.layout = device.pipeline_layout({&set_layout, 1}, VK_SHADER_STAGE_COMPUTE_BIT, 4);
  compute_.set = device.descriptor_set(set_layout, {&binding, 1});
  compute_.pipeline = device.compute_pipeline(warm_up_spv, compute_.layout);
  const kit::Image image =
      device.image(VK_FORMAT_R32_SFLOAT, {256, kRows}, VK_IMAGE_USAGE_STORAGE_BIT, VK_IMAGE_ASPECT_COLOR_BIT);
  const VkDescriptorImageInfo place{VK_NULL_HANDLE, image.view, VK_IMAGE_LAYOUT_GENERAL};
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = compute_.set;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
  write.pImageInfo = &place;
  vkUpdateDescriptorSets(device.handle, 1, &write, 0, nullptr);

  VkCommandBuffer commands = device.begin();
  VkImageMemoryBarrier to_general{};
  to_general.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  to_general.dstAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  to_general.newLayout = VK_IMAGE_LAYOUT_GENERAL;
  to_general.srcQueueFamilyIndex = to_general.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  to_general.image = image.handle;
  to_general.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0,
                       0, nullptr, 0, nullptr, 1, &to_general);
  device.run(commands);

  VkFenceCreateInfo fence{};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  kit::check(vkCreateFence(device.handle, &fence, nullptr, &fence_), "vkCreateFence");
  device.later([&device, fence = fence_] { vkDestroyFence(device.handle, fence, nullptr); });
  calibrate();
}

// One command buffer, submitted again and again.
void WarmUp::record(uint32_t rounds) {
  commands_ = device_.begin();
  stopwatch_.start(commands_);
  vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, compute_.pipeline);
  vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, compute_.layout, 0, 1, &compute_.set, 0,
                          nullptr);
  vkCmdPushConstants(commands_, compute_.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof rounds, &rounds);
  vkCmdDispatch(commands_, on_cpu_ ? kGroupsOnCpu : kGroups, 1, 1);
  stopwatch_.stop(commands_);
  kit::check(vkEndCommandBuffer(commands_), "vkEndCommandBuffer");
}

double WarmUp::time_dispatch() {
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands_;
  kit::check(vkQueueSubmit(device_.queues[0], 1, &submit, fence_), "vkQueueSubmit");
  kit::check(vkWaitForFences(device_.handle, 1, &fence_, VK_TRUE, UINT64_MAX), "vkWaitForFences");
  kit::check(vkResetFences(device_.handle, 1, &fence_), "vkResetFences");
  return stopwatch_.microseconds();
}

void WarmUp::calibrate() {
  const double wanted = on_cpu_ ? kDispatchMicrosecondsOnCpu : kDispatchMicroseconds;
  for (uint32_t rounds = 256; rounds <= kMostRounds; rounds *= 2) {
    record(rounds);
    time_dispatch();  // the driver's first-use work
    if (time_dispatch() >= wanted) return;
  }
}

void WarmUp::before_measurement() {
  if (on_cpu_ && !fresh_) return;
  const Limits limits = on_cpu_ ? kOnCpu : fresh_ ? kAfterPipelines : kBetweenTries;
  fresh_ = false;
  timings_.restart();
  const auto start = Clock::now();
  double spent = 0;
  bool steady = false;
  while (!(steady && spent >= limits.least) && spent < limits.most) {
    seen_.last = time_dispatch();
    if (seen_.dispatches == 0) seen_.first = seen_.last;
    seen_.slowest = std::max(seen_.slowest, seen_.last);
    seen_.fastest = std::min(seen_.fastest, seen_.last);
    timings_.add(seen_.last);
    ++seen_.dispatches;
    steady = timings_.steady();
    spent = milliseconds_since(start);
  }
  ++seen_.measurements;
  if (!steady) ++seen_.unsteady;
  seen_.milliseconds += spent;
}

void WarmUp::report(FILE* output, const std::string& what) {
  std::fprintf(
      output,
      "# warm-up\t%s\tmeasurements %u\tunsteady %u\tdispatches %u\tms %.1f\tfirst us %.1f\tslowest us "
      "%.1f\tfastest us %.1f\tlast us %.1f\n",
      what.c_str(), seen_.measurements, seen_.unsteady, seen_.dispatches, seen_.milliseconds, seen_.first,
      seen_.slowest, seen_.fastest, seen_.last);
  seen_ = {};
  fresh_ = true;
}

}  // namespace bench
