// SPDX-License-Identifier: Apache-2.0
// The program of many draws.
#include <algorithm>

#include "graphics_kit.h"
#include "sync_bench.h"
#include "sync_draw_spv.h"
#include "sync_plain_spv.h"
#include "sync_reading_spv.h"

namespace sync_bench {
namespace {

constexpr VkExtent2D kExtent{16, 16};
constexpr uint32_t kSets = 64;

}  // namespace

DrawTimes time_draws(kit::Device& device, bench::WarmUp& warm_up, bool reading, uint32_t draws) {
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

  DrawTimes best{1e30, 1e30, best_of(20, update) / kSets};
  for (int round = 0; round < 7; ++round) {
    VkCommandBuffer commands = device.begin();
    const double record = best_of(1, [&] {
      canvas.begin(commands);
      vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      for (uint32_t i = 0; i < draws; ++i) {
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &sets[i % kSets], 0,
                                nullptr);
        vkCmdDraw(commands, 3, 1, 0, 0);
      }
      vkCmdEndRenderPass(commands);
    });
    warm_up.before_measurement();
    const double execute = best_of(1, [&] { device.run(commands); });
    best.record = std::min(best.record, record / draws);
    best.execute = std::min(best.execute, execute / draws);
  }
  return best;
}

}  // namespace sync_bench
