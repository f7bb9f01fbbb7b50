// SPDX-License-Identifier: Apache-2.0
// The program of many draws.
#include <algorithm>
#include <array>
#include <span>

#include "graphics_kit.h"
#include "sync_bench.h"
#include "sync_draw_spv.h"
#include "sync_plain_spv.h"
#include "sync_reading_spv.h"

namespace sync_bench {
namespace {

constexpr VkExtent2D kExtent{16, 16};
constexpr uint32_t kSets = 64;

// All bindings of a set by one call.
void update_at_once(const kit::Device& device, std::span<const VkDescriptorSet> sets,
                    const kit::Buffer& buffer) {
  const VkDescriptorBufferInfo range{buffer.handle, 0, VK_WHOLE_SIZE};
  std::array<VkWriteDescriptorSet, 4> writes{};
  for (const VkDescriptorSet set : sets) {
    for (uint32_t i = 0; i < 4; ++i) {
      writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      writes[i].dstSet = set;
      writes[i].dstBinding = i;
      writes[i].descriptorCount = 1;
      writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      writes[i].pBufferInfo = &range;
    }
    vkUpdateDescriptorSets(device.handle, 4, writes.data(), 0, nullptr);
  }
}

}  // namespace

DrawTimes time_draws(kit::Device& device, bench::WarmUp* warm_up, bool reading, uint32_t draws) {
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (uint32_t i = 0; i < 4; ++i)
    bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr});
  const VkDescriptorSetLayout set_layout = device.set_layout(bindings);
  const VkPipelineLayout layout = device.pipeline_layout({&set_layout, 1}, VK_SHADER_STAGE_FRAGMENT_BIT, 0);
  const kit::Buffer buffer = device.buffer(4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  std::vector<VkDescriptorSet> sets;
  for (uint32_t i = 0; i < kSets; ++i) sets.push_back(device.descriptor_set(set_layout, bindings));
  const auto update = [&] {
    for (const VkDescriptorSet set : sets)
      for (uint32_t i = 0; i < 4; ++i) device.write_buffer(set, i, buffer);
  };
  const kit::Canvas canvas(device, kExtent);
  const std::span<const uint32_t> fragment =
      reading ? std::span<const uint32_t>(sync_reading_spv) : std::span<const uint32_t>(sync_plain_spv);
  const kit::GraphicsState state(kExtent,
                                 {kit::stage(VK_SHADER_STAGE_VERTEX_BIT, device.shader(sync_draw_spv)),
                                  kit::stage(VK_SHADER_STAGE_FRAGMENT_BIT, device.shader(fragment))},
                                 layout, canvas.pass);
  const VkPipeline pipeline = kit::graphics_pipeline(device, state.info);

  const auto record = [&](VkCommandBuffer commands) {
    canvas.begin(commands);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    for (uint32_t i = 0; i < draws; ++i) {
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &sets[i % kSets], 0,
                              nullptr);
      vkCmdDraw(commands, 3, 1, 0, 0);
    }
    vkCmdEndRenderPass(commands);
  };
  constexpr int kUpdates = 200;
  DrawTimes best{1e30, 1e30, 1e30, best_of(kUpdates, update) / kSets,
                 best_of(kUpdates, [&] { update_at_once(device, sets, buffer); }) / kSets};
  const Recordable kept(device);
  for (int round = 0; round < (warm_up ? 8 : 40); ++round) {
    kept.begin();
    const double again = best_of(1, [&] { record(kept.commands); });
    kept.end();
    // What the first round needs of memory, the others have.
    if (round != 0) best.record_again = std::min(best.record_again, again / draws);
  }
  for (int round = 0; round < 7 && warm_up; ++round) {
    VkCommandBuffer commands = device.begin();
    const double recorded = best_of(1, [&] { record(commands); });
    warm_up->before_measurement();
    const double execute = best_of(1, [&] { device.run(commands); });
    best.record = std::min(best.record, recorded / draws);
    best.execute = std::min(best.execute, execute / draws);
  }
  return best;
}

}  // namespace sync_bench
