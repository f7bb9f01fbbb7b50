// SPDX-License-Identifier: Apache-2.0
// A program with descriptor heaps, and what of heaps and push data reaches the driver.
#ifndef SHADERQA_TESTS_LAYER_HEAP_KIT_H
#define SHADERQA_TESTS_LAYER_HEAP_KIT_H

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_descriptors.h"
#include "instrument/runtime/abi_exact.h"
#include "layer/vk/descriptor_heap.h"
#include "tests/layer/command_kit.h"
#include "tests/support/shader_object_info.h"

namespace shaderqa::layer_tests {

constexpr auto kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
constexpr uint32_t kPlace = 120;  // of the record's address: push data has 128 bytes
constexpr uint64_t kHeap = 0x100000, kHeapBytes = 65536;
using Mapping = VkDescriptorSetAndBindingMappingEXT;

inline VkPhysicalDeviceDescriptorHeapFeaturesEXT* application_features() {
  static VkPhysicalDeviceDescriptorHeapFeaturesEXT features{};
  features = {};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_HEAP_FEATURES_EXT;
  features.descriptorHeap = VK_TRUE;
  return &features;
}

using Bytes = std::vector<unsigned char>;

// For set 0, binding 0.
inline Mapping mapping(VkDescriptorMappingSourceEXT source) {
  Mapping made{};
  made.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_AND_BINDING_MAPPING_EXT;
  made.bindingCount = 1;
  made.resourceMask = VK_SPIRV_RESOURCE_TYPE_ALL_EXT;
  made.source = source;
  return made;
}
inline Mapping at_offset(uint32_t offset) {
  Mapping made = mapping(VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT);
  made.sourceData.constantOffset.heapOffset = offset;
  return made;
}
inline Mapping at_index(uint32_t push_offset, uint32_t stride) {
  Mapping made = mapping(VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT);
  made.sourceData.pushIndex.pushOffset = push_offset;
  made.sourceData.pushIndex.heapIndexStride = stride;
  return made;
}
inline Mapping at_address(uint32_t push_offset) {
  Mapping made = mapping(VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_ADDRESS_EXT);
  made.sourceData.pushAddressOffset = push_offset;
  return made;
}

// A program with descriptor heaps.
class HeapTest : public CommandTest {
 protected:
  explicit HeapTest(const std::map<std::string, std::string>& settings = {},
                    const std::vector<const char*>& extensions = {}, const char* engine = "exact")
      : CommandTest({application_features(), nullptr, with_heaps(extensions)}, host_visible(), engine,
                    settings) {}
  static std::vector<const char*> with_heaps(std::vector<const char*> extensions) {
    extensions.push_back(VK_EXT_DESCRIPTOR_HEAP_EXTENSION_NAME);
    extensions.push_back(VK_EXT_SHADER_OBJECT_EXTENSION_NAME);
    return extensions;
  }
  void TearDown() override {
    for (const VkShaderEXT shader : objects_) vk().vkDestroyShaderEXT(device().handle, shader, nullptr);
    for (const VkPipeline pipeline : pipelines_) vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
    CommandTest::TearDown();
  }

  template <typename Function>
  Function command(const char* name) {
    const auto found = reinterpret_cast<Function>(vkGetDeviceProcAddr(device().handle, name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  VkPipeline create(const std::vector<Mapping>& mappings, const Words& words = shaders::accesses_comp) {
    VkShaderDescriptorSetAndBindingMappingInfoEXT mapped{};
    mapped.sType = VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT;
    mapped.mappingCount = static_cast<uint32_t>(mappings.size());
    mapped.pMappings = mappings.data();
    VkPipelineCreateFlags2CreateInfo flags{};
    flags.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO;
    flags.flags = VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT;
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.pNext = &flags;
    const VkShaderModule module = create_module(device(), words);
    info.stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, module);
    info.stage.pNext = &mapped;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vk().vkCreateComputePipelines(device().handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "vkCreateComputePipelines");
    vk().vkDestroyShaderModule(device().handle, module, nullptr);
    pipelines_.push_back(pipeline);
    return pipeline;
  }
  // A shader object with this mapping.
  VkShaderEXT create_object(VkShaderStageFlagBits stage, const Words& words, const Mapping& mapped,
                            VkShaderCodeTypeEXT type = VK_SHADER_CODE_TYPE_SPIRV_EXT) {
    VkShaderDescriptorSetAndBindingMappingInfoEXT mappings{};
    mappings.sType = VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT;
    mappings.mappingCount = 1;
    mappings.pMappings = &mapped;
    VkShaderCreateInfoEXT info = testing::shader_object_info(stage, words);
    info.pNext = &mappings;
    info.flags = VK_SHADER_CREATE_DESCRIPTOR_HEAP_BIT_EXT;
    info.codeType = type;
    VkShaderEXT shader = VK_NULL_HANDLE;
    check(vk().vkCreateShadersEXT(device().handle, 1, &info, nullptr, &shader), "vkCreateShadersEXT");
    objects_.push_back(shader);
    return shader;
  }
  void use(VkCommandBuffer commands, VkShaderStageFlagBits stage, VkShaderEXT shader) {
    vk().vkCmdBindShadersEXT(commands, 1, &stage, &shader);
  }
  void use(VkCommandBuffer commands, VkPipeline pipeline) {
    vk().vkCmdBindPipeline(commands, kCompute, pipeline);
  }
  void bind_heap(VkCommandBuffer commands, uint64_t address = kHeap, uint64_t size = kHeapBytes) {
    VkBindHeapInfoEXT heap{};
    heap.sType = VK_STRUCTURE_TYPE_BIND_HEAP_INFO_EXT;
    heap.heapRange = {address, size};
    command<PFN_vkCmdBindResourceHeapEXT>("vkCmdBindResourceHeapEXT")(commands, &heap);
  }
  void bind_samplers(VkCommandBuffer commands) {
    VkBindHeapInfoEXT heap{};
    heap.sType = VK_STRUCTURE_TYPE_BIND_HEAP_INFO_EXT;
    heap.heapRange = {0x900000, 4096};
    command<PFN_vkCmdBindSamplerHeapEXT>("vkCmdBindSamplerHeapEXT")(commands, &heap);
  }
  void push(VkCommandBuffer commands, uint32_t offset, const std::vector<uint32_t>& data,
            const void* next = nullptr) {
    VkPushDataInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_PUSH_DATA_INFO_EXT;
    info.pNext = next;
    info.offset = offset;
    info.data = {data.data(), data.size() * 4};
    command<PFN_vkCmdPushDataEXT>("vkCmdPushDataEXT")(commands, &info);
  }
  void push_address(VkCommandBuffer commands, uint32_t offset, uint64_t address) {
    push(commands, offset, {static_cast<uint32_t>(address), static_cast<uint32_t>(address >> 32)});
  }
  // "heap", "samplers", "sets", "pipeline", "dispatch", "draw", "record" for an address of a record at its
  // usual place, "filled" for all in front of it, else the offset and the dwords that are pushed. Barriers
  // are left out.
  static Stream settings_of(VkCommandBuffer commands) {
    Stream all;
    std::vector<uint64_t> records_at;
    for (const uint32_t* const record : records()) records_at.push_back(address_at(record, SQA_ACTION_SELF));
    for (const null_driver::CommandRecord& record : driver().log().commands) {
      if (record.command_buffer != reinterpret_cast<uint64_t>(commands)) continue;
      if (record.command == "CmdBindResourceHeapEXT") all.push_back("heap");
      if (record.command == "CmdBindSamplerHeapEXT") all.push_back("samplers");
      if (record.command == "CmdBindDescriptorSets") all.push_back("sets");
      if (record.command == "CmdBindPipeline") all.push_back("pipeline");
      if (record.command.starts_with("CmdDispatch")) all.push_back("dispatch");
      if (record.command == "CmdDraw") all.push_back("draw");
      if (record.command != "CmdPushDataEXT") continue;
      const uint64_t address = record.values.size() == 4 ? record.values[2] | record.values[3] << 32 : 0;
      if (record.values[0] == kPlace && std::ranges::find(records_at, address) != records_at.end()) {
        all.push_back("record");
        continue;
      }
      if (record.values[0] == 0 && record.values[1] == kPlace) {
        all.push_back("filled");
        continue;
      }
      std::string text = std::to_string(record.values[0]) + ":";
      for (size_t i = 2; i < record.values.size(); ++i) text += " " + std::to_string(record.values[i]);
      all.push_back(text);
    }
    return all;
  }
  static uint64_t table_of(size_t record, uint32_t number) {
    return address_at(records().at(record), SQA_ACTION_TABLES + 2 * number);
  }
  static uint32_t limit_of(size_t record, uint32_t number) {
    return records().at(record)[SQA_ACTION_DYNAMIC + number];
  }
  // The only entry of a table.
  static TableEntry entry_in(uint64_t table) {
    const auto* const dwords = reinterpret_cast<const uint32_t*>(table);
    EXPECT_EQ(dwords[0], 1u);
    return {dwords[4] | uint64_t{dwords[5]} << 32, dwords[6], dwords[7]};
  }

  // As shaders look it up: {address, range, lowest bits of meta}. Nothing: it is not known.
  static std::optional<TableEntry> find(uint32_t kind, const Bytes& bytes) {
    const auto* const state =
        reinterpret_cast<const uint64_t*>(address_at(records().at(0), SQA_ACTION_ENGINE));
    const auto* const directory = reinterpret_cast<const uint64_t*>(state[SQA_EXACT_DESCRIPTORS]);
    const uint64_t at = directory[2 * (SQA_DESCRIPTOR_HEAP + kind)];
    if (at == 0) return std::nullopt;
    const auto* const quad = reinterpret_cast<const uint32_t*>(directory + 2 * (SQA_DESCRIPTOR_HEAP + kind));
    EXPECT_EQ(quad[3], bytes.size() / 4);
    const auto* const table = reinterpret_cast<const uint32_t*>(at & ~uint64_t{SQA_DESCRIPTOR_LOG2});
    for (uint32_t i = 0; i < 1u << (at & SQA_DESCRIPTOR_LOG2); ++i) {
      const uint32_t* const place = table + i * quad[2] * 4;
      if (place[3] && std::memcmp(place + 4, bytes.data(), bytes.size()) == 0)
        return TableEntry{place[0] | uint64_t{place[1]} << 32, place[2], place[3] & 0x3ff};
    }
    return std::nullopt;
  }
  void act_once() {
    const VkCommandBuffer commands = begin();
    bind_heap(commands);
    use(commands, create({at_offset(0)}));
    dispatch(commands);
    end(commands);
  }

  std::vector<VkPipeline> pipelines_;
  std::vector<VkShaderEXT> objects_;
};

}  // namespace shaderqa::layer_tests
#endif
