// SPDX-License-Identifier: Apache-2.0
// Programs with descriptor heaps: what their descriptors mean, what action records say of heaps and push
// data, and what is pushed and bound again (docs/internals/descriptor-heaps.md).
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_descriptors.h"
#include "instrument/runtime/abi_exact.h"
#include "layer/vk/descriptor_heap.h"
#include "tests/layer/command_kit.h"
#include "tests/support/begin_info.h"

namespace shaderqa::layer_tests {
namespace {

constexpr auto kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
constexpr uint32_t kPlace = 120;  // of the record's address: push data has 128 bytes
constexpr uint64_t kHeap = 0x100000, kHeapBytes = 65536;
using Mapping = VkDescriptorSetAndBindingMappingEXT;
using Bytes = std::vector<unsigned char>;

VkPhysicalDeviceDescriptorHeapFeaturesEXT* application_features() {
  static VkPhysicalDeviceDescriptorHeapFeaturesEXT features{};
  features = {};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_HEAP_FEATURES_EXT;
  features.descriptorHeap = VK_TRUE;
  return &features;
}

// Of set 0, binding 0.
Mapping mapping(VkDescriptorMappingSourceEXT source) {
  Mapping made{};
  made.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_AND_BINDING_MAPPING_EXT;
  made.bindingCount = 1;
  made.resourceMask = VK_SPIRV_RESOURCE_TYPE_ALL_EXT;
  made.source = source;
  return made;
}
Mapping at_offset(uint32_t offset) {
  Mapping made = mapping(VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT);
  made.sourceData.constantOffset.heapOffset = offset;
  return made;
}
Mapping at_index(uint32_t push_offset, uint32_t stride) {
  Mapping made = mapping(VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT);
  made.sourceData.pushIndex.pushOffset = push_offset;
  made.sourceData.pushIndex.heapIndexStride = stride;
  return made;
}
Mapping at_address(uint32_t push_offset) {
  Mapping made = mapping(VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_ADDRESS_EXT);
  made.sourceData.pushAddressOffset = push_offset;
  return made;
}

class HeapRecords : public CommandTest {
 protected:
  explicit HeapRecords(const std::map<std::string, std::string>& settings = {},
                       const std::vector<const char*>& extensions = {}, const char* engine = "exact")
      : CommandTest({application_features(), nullptr, with_heaps(extensions)}, host_visible(), engine,
                    settings) {}
  static std::vector<const char*> with_heaps(std::vector<const char*> extensions) {
    extensions.push_back(VK_EXT_DESCRIPTOR_HEAP_EXTENSION_NAME);
    extensions.push_back(VK_EXT_SHADER_OBJECT_EXTENSION_NAME);
    return extensions;
  }
  void TearDown() override {
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
  // "heap", "samplers", "sets", "pipeline", "dispatch", "record" for an address of a record at its usual
  // place, else the offset and the dwords that are pushed. Barriers are left out.
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
      if (record.command != "CmdPushDataEXT") continue;
      const uint64_t address = record.values.size() == 4 ? record.values[2] | record.values[3] << 32 : 0;
      if (record.values[0] == kPlace && std::ranges::find(records_at, address) != records_at.end()) {
        all.push_back("record");
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

  Bytes write(VkDescriptorType type, uint64_t address, uint64_t range, size_t size = 0,
              VkFormat format = VK_FORMAT_R32_UINT) {
    const VkDeviceAddressRangeEXT buffer{address, range};
    VkTexelBufferDescriptorInfoEXT texels{};
    texels.sType = VK_STRUCTURE_TYPE_TEXEL_BUFFER_DESCRIPTOR_INFO_EXT;
    texels.format = format;
    texels.addressRange = buffer;
    VkResourceDescriptorInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_RESOURCE_DESCRIPTOR_INFO_EXT;
    info.type = type;
    const bool is_texels = type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    if (is_texels) info.data.pTexelBuffer = &texels;
    if (!is_texels && address) info.data.pAddressRange = &buffer;
    Bytes bytes(size ? size : is_texels ? 32 : 16, ++garbage_);
    const VkHostAddressRangeEXT place{bytes.data(), bytes.size()};
    check(command<PFN_vkWriteResourceDescriptorsEXT>("vkWriteResourceDescriptorsEXT")(device().handle, 1,
                                                                                      &info, &place),
          "vkWriteResourceDescriptorsEXT");
    return bytes;
  }
  // As shaders look it up: {address, range, texel size}. Nothing: it is not known.
  std::optional<TableEntry> find(uint32_t kind, const Bytes& bytes) {
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
        return TableEntry{place[0] | uint64_t{place[1]} << 32, place[2], place[3] & 0xff};
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
  unsigned char garbage_ = 0;
};

TEST_F(HeapRecords, PipelinesAreCheckedAndKeepTheirMappings) {
  const VkPipeline pipeline = create({at_offset(64)});
  const null_driver::PipelineRecord made = driver().log().pipelines.back();
  EXPECT_EQ(made.handle, reinterpret_cast<uint64_t>(pipeline));
  EXPECT_EQ(made.layout, VkPipelineLayout{});
  ASSERT_EQ(made.stages.size(), 1u);
  EXPECT_NE(made.stages[0].words, shaders::accesses_comp);
  EXPECT_EQ(made.stages[0].chain,
            null_driver::Chain{VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT});
  EXPECT_EQ(notes(), std::vector<std::string>());
}

TEST_F(HeapRecords, TheAddressIsPushedBehindAllOtherData) {
  const VkCommandBuffer commands = begin();
  bind_heap(commands);
  push(commands, 8, {5, 6});
  use(commands, create({at_offset(64)}));
  dispatch(commands);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(settings_of(commands),
            (Stream{"heap", "8: 5 6", "pipeline", "record", "dispatch", "record", "dispatch"}));
  ASSERT_EQ(records().size(), 2u);
  EXPECT_EQ(table_of(0, 0), kHeap);
  EXPECT_EQ(limit_of(0, 0), kHeapBytes);
}

TEST_F(HeapRecords, AnIndexMovesTheTable) {
  const VkPipeline pipeline = create({at_index(12, 256)});
  const VkCommandBuffer commands = begin();
  bind_heap(commands);
  use(commands, pipeline);
  dispatch(commands);
  for (const uint32_t index : {3u, 255u, 256u, 0xffffffffu}) {
    push(commands, 12, {index});
    dispatch(commands);
  }
  end(commands);
  EXPECT_EQ(table_of(0, 0), 0u) << "nothing was pushed";
  EXPECT_EQ(table_of(1, 0), kHeap + 3 * 256);
  EXPECT_EQ(limit_of(1, 0), kHeapBytes - 3 * 256);
  EXPECT_EQ(limit_of(2, 0), 256u);
  EXPECT_EQ(table_of(3, 0), 0u) << "behind the end";
  EXPECT_EQ(table_of(4, 0), 0u);
}

TEST_F(HeapRecords, WhatIsAtAnAddressHasATableOfItsOwn) {
  const VkPipeline pipeline = create({at_address(16)});
  const VkCommandBuffer commands = begin();
  bind_heap(commands);
  use(commands, pipeline);
  push_address(commands, 16, buffer_->address + 16);
  dispatch(commands);
  dispatch(commands);
  push_address(commands, 16, buffer_->address + 32);
  dispatch(commands);
  push_address(commands, 16, 0x777000);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(entry_in(table_of(0, 0)), (TableEntry{buffer_->address + 16, 240, 0}));
  EXPECT_EQ(table_of(1, 0), table_of(0, 0)) << "it is the same one";
  EXPECT_EQ(entry_in(table_of(2, 0)), (TableEntry{buffer_->address + 32, 224, 0}));
  EXPECT_EQ(entry_in(table_of(3, 0)).range, 0u) << "there is no buffer";
  submit({commands});
}

// A pipeline that reads to the end has the address elsewhere, and what the program had there comes back.
TEST_F(HeapRecords, WhatTheProgramHadThereComesBack) {
  Mapping reads_the_end = at_index(124, 256);
  const VkPipeline usual = create({at_offset(0)}), other = create({reads_the_end}),
                   silent = create({}, shaders::silent_comp);
  const VkCommandBuffer commands = begin();
  bind_heap(commands);
  push(commands, 116, {6, 7, 8});
  use(commands, usual);
  dispatch(commands);
  use(commands, other);
  dispatch(commands);
  use(commands, silent);
  dispatch(commands);
  use(commands, usual);
  dispatch(commands);
  use(commands, silent);
  dispatch(commands);
  dispatch(commands);
  end(commands);
  const auto low = std::to_string(address_at(records().at(1), SQA_ACTION_SELF) & 0xffffffff);
  const auto high = std::to_string(address_at(records().at(1), SQA_ACTION_SELF) >> 32);
  EXPECT_EQ(settings_of(commands),
            (Stream{"heap", "116: 6 7 8", "pipeline", "record", "dispatch", "pipeline", "120: 7 8",
                    "112: " + low + " " + high, "dispatch", "pipeline", "116: 6", "dispatch", "pipeline",
                    "record", "dispatch", "pipeline", "120: 7 8", "dispatch", "dispatch"}));
}

TEST_F(HeapRecords, AllDataIsPushedAgainBehindADispatchOfTheLayers) {
  const VkCommandBuffer commands = begin();
  bind_heap(commands);
  push(commands, 0, {1, 2});
  push(commands, 16, {3});
  use(commands, create({at_offset(0)}));
  dispatch(commands);
  const size_t made = driver().log().pipelines.size();
  vk().vkCmdFillBuffer(commands, buffer_->handle, 0, 16, 0);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(settings_of(commands),
            (Stream{"heap", "0: 1 2", "16: 3", "pipeline", "record", "dispatch", "pipeline", "dispatch",
                    "pipeline", "0: 1 2", "16: 3", "record", "dispatch"}));
  // It is of the kind that heaps stay valid with.
  const auto& pipelines = driver().log().pipelines;
  ASSERT_GT(pipelines.size(), made);
  EXPECT_EQ(pipelines.back().layout, VkPipelineLayout{});
}

// Each makes the other invalid.
TEST_F(HeapRecords, NothingIsPushedAgainOnceTheProgramBindsSets) {
  const VkCommandBuffer commands = begin();
  bind_heap(commands);
  push(commands, 0, {1, 2});
  use(commands, create({at_offset(0)}));
  dispatch(commands);
  bind(commands);
  vk().vkCmdFillBuffer(commands, buffer_->handle, 0, 16, 0);
  dispatch(commands);
  bind_heap(commands, kHeap + 4096);
  use(commands, pipelines_[0]);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(settings_of(commands),
            (Stream{"heap", "0: 1 2", "pipeline", "record", "dispatch", "pipeline", "sets", "pipeline",
                    "dispatch", "pipeline", "sets", "dispatch", "heap", "pipeline", "record", "dispatch"}));
  EXPECT_EQ(table_of(2, 0), kHeap + 4096);
}

// A pipeline with sets of the layer's own alone: the program knows nothing of them.
TEST_F(HeapRecords, HeapsAreBoundAgainBehindARecordInASet) {
  const VkPipelineLayout empty = create_pipeline_layout(device(), {});
  const VkPipeline with_sets = create_compute_with(device(), shaders::accesses_address_comp, empty);
  const VkCommandBuffer commands = begin();
  bind_heap(commands);
  bind_samplers(commands);
  push(commands, 0, {1, 2});
  use(commands, with_sets);
  dispatch(commands);
  use(commands, create({at_offset(0)}));
  dispatch(commands);
  end(commands);
  EXPECT_EQ(settings_of(commands), (Stream{"heap", "samplers", "0: 1 2", "pipeline", "sets", "dispatch",
                                           "pipeline", "heap", "samplers", "0: 1 2", "record", "dispatch"}));
  vk().vkDestroyPipeline(device().handle, with_sets, nullptr);
  vk().vkDestroyPipelineLayout(device().handle, empty, nullptr);
}

// A pipeline with heaps that uses none of them.
TEST_F(HeapRecords, SetsAreBoundAgainBehindAPushOfTheLayers) {
  const VkPipeline pipeline = create({at_offset(0)});
  const VkCommandBuffer commands = begin();
  bind(commands);
  use(commands, pipeline);
  dispatch(commands);
  use(commands, pipeline_);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(settings_of(commands), (Stream{"pipeline", "sets", "pipeline", "record", "dispatch", "pipeline",
                                           "sets", "sets", "dispatch"}));
  EXPECT_EQ(table_of(0, 0), 0u);
}

TEST_F(HeapRecords, SecondaryCommandBuffersInheritHeaps) {
  const VkPipeline pipeline = create({at_offset(0)});
  VkBindHeapInfoEXT heap{};
  heap.sType = VK_STRUCTURE_TYPE_BIND_HEAP_INFO_EXT;
  heap.heapRange = {kHeap, kHeapBytes};
  VkCommandBufferInheritanceDescriptorHeapInfoEXT heaps{};
  heaps.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_DESCRIPTOR_HEAP_INFO_EXT;
  heaps.pResourceHeapBindInfo = &heap;
  VkCommandBufferInheritanceInfo inheritance{};
  inheritance.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO;
  inheritance.pNext = &heaps;
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.pInheritanceInfo = &inheritance;
  const VkCommandBuffer commands = allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  check(vk().vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
  use(commands, pipeline);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(settings_of(commands), (Stream{"pipeline", "record", "dispatch"}));
  EXPECT_EQ(table_of(0, 0), kHeap);
}

TEST_F(HeapRecords, MappingsThatLieInMemoryAreSaid) {
  create({mapping(VK_DESCRIPTOR_MAPPING_SOURCE_INDIRECT_ADDRESS_EXT)});
  EXPECT_EQ(notes_about("because their address is read from memory").size(), 1u);
}

TEST_F(HeapRecords, PushDataWithoutRoomIsSaid) {
  Mapping data = mapping(VK_DESCRIPTOR_MAPPING_SOURCE_MAX_ENUM_EXT);
  create({data});
  EXPECT_EQ(driver().log().pipelines.back().stages.at(0).words, shaders::accesses_comp);
  EXPECT_EQ(notes_about("leaves no room for where the record").size(), 1u);
}

TEST_F(HeapRecords, CommandsThatMakeNoSenseAreHarmless) {
  const VkPipeline pipeline = create({at_index(4, 256), at_address(8)});
  const VkCommandBuffer commands = begin();
  use(commands, pipeline);
  dispatch(commands);
  push(commands, 4, {});
  push(commands, 0xfffffffc, {1, 2});
  push(commands, 2, {1, 2});
  push(commands, 65536, {1, 2});
  const VkBaseInStructure unknown{VK_STRUCTURE_TYPE_APPLICATION_INFO, nullptr};
  push(commands, 4, {9}, &unknown);
  bind_heap(commands, 0, 0);
  dispatch(commands);
  bind_heap(commands, kHeap, 0);
  dispatch(commands);
  bind_heap(commands, 0xffffffffffffff00, UINT64_MAX);
  push(commands, 4, {0xffffffff});
  dispatch(commands);
  end(commands);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(table_of(i, 0), 0u) << i;
  submit({commands});
}

TEST_F(HeapRecords, DescriptorsMeanWhatTheProgramSaid) {
  act_once();
  const Bytes storage = write(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0x10000, 256),
              uniform = write(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 0x20000, 64),
              none = write(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0, 0),
              texels =
                  write(VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 0x30000, 512, 0, VK_FORMAT_R32G32_SFLOAT);
  EXPECT_EQ(find(SQA_DESCRIPTOR_STORAGE, storage), (TableEntry{0x10000, 256, 0}));
  EXPECT_EQ(find(SQA_DESCRIPTOR_UNIFORM, uniform), (TableEntry{0x20000, 64, 0}));
  EXPECT_EQ(find(SQA_DESCRIPTOR_UNIFORM, storage), std::nullopt);
  EXPECT_EQ(find(SQA_DESCRIPTOR_STORAGE, none), (TableEntry{0, 0, 0}));
  EXPECT_EQ(find(SQA_DESCRIPTOR_UNIFORM_TEXEL, texels), (TableEntry{0x30000, 512, 8}));
}

TEST_F(HeapRecords, DescriptorsAreTheSameWhateverTheMemoryHeld) {
  EXPECT_EQ(write(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0x10000, 256),
            write(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0x10000, 256));
}

// The program's memory behind the descriptor is its own.
TEST_F(HeapRecords, NothingIsWrittenBehindADescriptor) {
  const Bytes bytes = write(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 0x10000, 256, 64);
  EXPECT_EQ(Bytes(bytes.begin() + 16, bytes.end()), Bytes(48, garbage_));
}

TEST_F(HeapRecords, AFailureLeavesTheProgramsMemory) {
  null_driver::Config config = host_visible();
  config.faults = {{"vkWriteResourceDescriptorsEXT", 0, VK_ERROR_OUT_OF_HOST_MEMORY}};
  driver().configure(config);
  Bytes bytes(16, 0x55);
  VkResourceDescriptorInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_RESOURCE_DESCRIPTOR_INFO_EXT;
  info.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  const VkHostAddressRangeEXT place{bytes.data(), bytes.size()};
  EXPECT_EQ(command<PFN_vkWriteResourceDescriptorsEXT>("vkWriteResourceDescriptorsEXT")(device().handle, 1,
                                                                                        &info, &place),
            VK_ERROR_OUT_OF_HOST_MEMORY);
  EXPECT_EQ(bytes, Bytes(16, 0x55));
}

TEST_F(HeapRecords, ShaderObjectsHaveTheAddressAtTheEnd) {
  const Mapping mapped = at_index(4, 512);
  VkShaderDescriptorSetAndBindingMappingInfoEXT mappings{};
  mappings.sType = VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT;
  mappings.mappingCount = 1;
  mappings.pMappings = &mapped;
  VkShaderCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT;
  info.pNext = &mappings;
  info.flags = VK_SHADER_CREATE_DESCRIPTOR_HEAP_BIT_EXT;
  info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
  info.codeSize = shaders::accesses_comp.size() * sizeof(uint32_t);
  info.pCode = shaders::accesses_comp.data();
  info.pName = "main";
  VkShaderEXT shader = VK_NULL_HANDLE;
  check(vk().vkCreateShadersEXT(device().handle, 1, &info, nullptr, &shader), "vkCreateShadersEXT");
  EXPECT_EQ(notes(), std::vector<std::string>());
  const VkCommandBuffer commands = begin();
  bind_heap(commands);
  push(commands, 4, {2});
  const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
  vk().vkCmdBindShadersEXT(commands, 1, &stage, &shader);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(settings_of(commands), (Stream{"heap", "4: 2", "record", "dispatch"}));
  EXPECT_EQ(table_of(0, 0), kHeap + 1024);
  vk().vkDestroyShaderEXT(device().handle, shader, nullptr);
}

// The checked version is made later, from a copy.
class HeapRecordsAtFirstUse : public HeapRecords {
 protected:
  HeapRecordsAtFirstUse() : HeapRecords({{"SHADERQA_START", "first_use"}}) {}
};

TEST_F(HeapRecordsAtFirstUse, TheCheckedVersionHasTheMappings) {
  VkSamplerCreateInfo sampler{};
  sampler.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  Mapping mapped = at_offset(128);
  mapped.sourceData.constantOffset.pEmbeddedSampler = &sampler;
  const VkPipeline pipeline = create({mapped});
  EXPECT_EQ(driver().log().pipelines.back().stages.at(0).words, shaders::accesses_comp);
  mapped = {};
  sampler = {};
  const VkCommandBuffer commands = begin();
  bind_heap(commands);
  use(commands, pipeline);
  dispatch(commands);
  end(commands);
  const null_driver::PipelineRecord made = driver().log().pipelines.back();
  EXPECT_NE(made.stages.at(0).words, shaders::accesses_comp);
  EXPECT_EQ(made.layout, VkPipelineLayout{});
  EXPECT_EQ(made.chain, null_driver::Chain{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO});
  EXPECT_EQ(made.stages[0].chain,
            null_driver::Chain{VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT});
  EXPECT_EQ(settings_of(commands), (Stream{"heap", "pipeline", "record", "dispatch"}));
  EXPECT_EQ(table_of(0, 0), kHeap);
}

// Where the device generates commands, it pushes data.
class HeapRecordsWithGeneratedCommands : public HeapRecords {
 protected:
  HeapRecordsWithGeneratedCommands() : HeapRecords({}, {VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME}) {}
};

TEST_F(HeapRecordsWithGeneratedCommands, PipelinesStayAsTheyAre) {
  create({at_offset(0)});
  EXPECT_EQ(driver().log().pipelines.back().stages.at(0).words, shaders::accesses_comp);
  EXPECT_EQ(notes_about("commands that the device generates").size(), 1u);
}

class HeapRecordsOfTheFilter : public HeapRecords {
 protected:
  HeapRecordsOfTheFilter() : HeapRecords({}, {}, "bloom") {}
};

TEST_F(HeapRecordsOfTheFilter, PipelinesStayAsTheyAre) {
  const VkCommandBuffer commands = begin();
  bind_heap(commands);
  push(commands, 8, {5, 6});
  use(commands, create({at_offset(0)}));
  dispatch(commands);
  end(commands);
  EXPECT_EQ(settings_of(commands), (Stream{"heap", "8: 5 6", "pipeline", "dispatch"}));
  EXPECT_EQ(driver().log().pipelines.back().stages.at(0).words, shaders::accesses_comp);
  EXPECT_EQ(notes_about("does not follow such descriptors").size(), 1u);
}

}  // namespace
}  // namespace shaderqa::layer_tests
