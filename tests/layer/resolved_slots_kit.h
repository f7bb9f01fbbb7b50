// SPDX-License-Identifier: Apache-2.0
// Dispatches with descriptors in descriptor buffers, and what the layer records in front of them, with the
// exact engine (docs/internals/descriptor-buffers.md#resolved-descriptors).
#ifndef SHADERQA_TESTS_LAYER_RESOLVED_SLOTS_KIT_H
#define SHADERQA_TESTS_LAYER_RESOLVED_SLOTS_KIT_H

#include <cstring>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_resolve.h"
#include "tests/layer/descriptor_buffer_kit.h"
#include "tests/layer/lookup_of.h"

namespace shaderqa::layer_tests {

inline constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
inline constexpr auto kUniform = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
inline constexpr auto kPoint = VK_PIPELINE_BIND_POINT_COMPUTE;
inline constexpr uint64_t kPage = uint64_t{1} << SQA_PAGE_LOG2;

struct Listed {
  uint32_t offset = 0, kind = 0, set = 0, number = 0;
  bool writes = false;
  bool operator==(const Listed&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const Listed& one) {
  return out << "number " << one.number << ", kind " << one.kind << ", set " << one.set << ", at "
             << one.offset << (one.writes ? ", written" : "");
}

// The shader of `writer_` writes binding 0 of set 0.
class ResolvedSlots : public CommandTest {
 protected:
  explicit ResolvedSlots(const std::map<std::string, std::string>& settings = {})
      : CommandTest(with_descriptor_buffers(), {}, "exact", settings) {}
  void TearDown() override {
    for (const VkPipeline pipeline : pipelines_) vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
    for (const VkPipelineLayout layout : layouts_)
      vk().vkDestroyPipelineLayout(device().handle, layout, nullptr);
    for (const VkDescriptorSetLayout set : sets_)
      vk().vkDestroyDescriptorSetLayout(device().handle, set, nullptr);
    CommandTest::TearDown();
  }

  VkDescriptorSetLayout make_set(const std::vector<BindingOptions>& bindings) {
    sets_.push_back(create_set_layout(device(), bindings, kInBuffers));
    return sets_.back();
  }
  VkPipelineLayout make_layout(const std::vector<VkDescriptorSetLayout>& sets) {
    layouts_.push_back(create_pipeline_layout(device(), sets));
    return layouts_.back();
  }
  VkPipelineLayout make_layout(const std::vector<BindingOptions>& bindings) {
    return make_layout(std::vector{make_set(bindings)});
  }
  VkPipeline make_pipeline(VkPipelineLayout layout) {
    pipelines_.push_back(create_compute_with(device(), shaders::accesses_comp, layout));
    return pipelines_.back();
  }
  void bind(VkCommandBuffer commands, VkPipeline pipeline) {
    vk().vkCmdBindPipeline(commands, kPoint, pipeline);
  }
  // All of the layout's sets lie at the same place.
  void place(VkCommandBuffer commands, VkPipelineLayout layout, uint32_t sets = 1, VkDeviceSize offset = 0) {
    VkDescriptorBufferBindingInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT;
    info.address = 0x50000;
    info.usage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT;
    vk().vkCmdBindDescriptorBuffersEXT(commands, 1, &info);
    const std::vector<uint32_t> buffers(sets, 0);
    const std::vector<VkDeviceSize> offsets(sets, offset);
    vk().vkCmdSetDescriptorBufferOffsetsEXT(commands, kPoint, layout, 0, sets, buffers.data(),
                                            offsets.data());
  }
  // One dispatch.
  VkCommandBuffer act(VkPipelineLayout layout, VkPipeline pipeline, VkDeviceSize offset = 0) {
    const VkCommandBuffer commands = begin();
    bind(commands, pipeline);
    place(commands, layout, 1, offset);
    dispatch(commands);
    end(commands);
    return commands;
  }
  void get_descriptor(VkDescriptorType type, uint64_t address) {
    VkDescriptorAddressInfoEXT buffer{};
    buffer.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT;
    buffer.address = address;
    buffer.range = 256;
    VkDescriptorGetInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT;
    info.type = type;
    info.data.pStorageBuffer = &buffer;
    std::vector<char> bytes(16);
    vk().vkGetDescriptorEXT(device().handle, &info, bytes.size(), bytes.data());
  }

  static uint32_t flags_of(const uint32_t* record) { return record[SQA_ACTION_RESOLVE + 2]; }
  static std::vector<Listed> list_of(const uint32_t* record) {
    const auto list = reinterpret_cast<const uint32_t*>(address_at(record, SQA_ACTION_RESOLVE));
    std::vector<Listed> all;
    for (uint32_t i = 1; list && i <= list[0]; ++i) {
      const uint32_t* const quad = list + 4 * i;
      all.push_back({quad[0], quad[1] & 0xff, quad[1] >> SQA_RESOLVED_SET_SHIFT & 0xff,
                     quad[1] >> SQA_RESOLVED_NUMBER_SHIFT, quad[2] != 0});
    }
    return all;
  }
  static const abi::ExactState& engine() {
    return *reinterpret_cast<const abi::ExactState*>(address_at(records().at(0), SQA_ACTION_ENGINE));
  }
  // The layer's own, which resolves descriptors.
  static bool resolves_slots(VkPipeline pipeline) { return has_name(pipeline, "sqa_resolve_one"); }
  // The records that its dispatches have been given.
  static std::vector<const uint32_t*> resolves(VkCommandBuffer commands) {
    const auto blocks = reinterpret_cast<const uint64_t*>(engine().record_blocks_address);
    std::vector<const uint32_t*> all;
    bool bound = false;
    for (const null_driver::CommandRecord& command : driver().log().commands) {
      if (command.command_buffer != reinterpret_cast<uint64_t>(commands)) continue;
      if (command.command == "CmdBindPipeline")
        bound = resolves_slots(reinterpret_cast<VkPipeline>(command.values.at(1)));
      if (bound && command.command == "CmdDispatchBase")
        all.push_back(reinterpret_cast<const uint32_t*>(blocks[command.values[2]] + command.values[1] * 16));
    }
    return all;
  }
  // The descriptors that such a dispatch resolves: an action's record, and the place in its list.
  using Resolved = std::pair<const uint32_t*, uint64_t>;
  static std::vector<Resolved> resolved_by(const uint32_t* record) {
    const auto list = reinterpret_cast<const uint64_t*>(address_at(record, SQA_ACTION_RESOLVE));
    std::vector<Resolved> all;
    for (size_t i = 0; list && i < SQA_RESOLVED_TOGETHER && list[2 * i]; ++i)
      all.emplace_back(reinterpret_cast<const uint32_t*>(list[2 * i]), list[2 * i + 1]);
    return all;
  }
  // The sizes of resolved_by() of the dispatches that mark nothing ahead: actions, where each has one
  // descriptor.
  static std::vector<size_t> actions_by_dispatch(VkCommandBuffer commands) {
    std::vector<size_t> all;
    for (const uint32_t* record : resolves(commands))
      if (!(flags_of(record) & SQA_RESOLVE_AHEAD)) all.push_back(resolved_by(record).size());
    return all;
  }
  // The records in the list of a dispatch that marks what comes later.
  static std::vector<const uint32_t*> ahead_of(const uint32_t* record) {
    std::vector<const uint32_t*> all;
    auto part = reinterpret_cast<const uint64_t*>(address_at(record, SQA_ACTION_RESOLVE));
    for (; part; part = reinterpret_cast<const uint64_t*>(part[0]))
      for (uint64_t i = 0; i < part[1]; ++i) all.push_back(reinterpret_cast<const uint32_t*>(part[2 + i]));
    return all;
  }
  // Whether the page table says so, which shaders read.
  static bool is_marked(uint64_t address) {
    const auto tables = reinterpret_cast<const uint64_t*>(engine().pages_address);
    const auto pages = reinterpret_cast<const uint64_t*>(tables[address >> 32]);
    return pages && (pages[address >> SQA_PAGE_LOG2 & 0xffff] & SQA_PAGE_WRITTEN);
  }
  // As the device does.
  static void mark_on_device(uint64_t address, uint32_t times = 1) {
    auto* const list = reinterpret_cast<uint32_t*>(engine().written_address);
    for (uint32_t i = 0; i < times; ++i) {
      const uint32_t number = list[0]++ % SQA_WRITTEN_PLACES;
      std::memcpy(list + SQA_WRITTEN_FIRST + size_t{2} * number, &address, sizeof address);
    }
  }

  std::vector<VkDescriptorSetLayout> sets_;
  std::vector<VkPipelineLayout> layouts_;
  std::vector<VkPipeline> pipelines_;
};

}  // namespace shaderqa::layer_tests
#endif
