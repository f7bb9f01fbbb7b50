// SPDX-License-Identifier: Apache-2.0
// What action records say of descriptor heaps and push data, and what is pushed and bound again
// (docs/internals/descriptor-heaps.md).
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/layer/heap_kit.h"

namespace shaderqa::layer_tests {
namespace {

using HeapRecords = HeapTest;

TEST_F(HeapRecords, TheAddressIsPushedBehindAllOtherData) {
  const VkCommandBuffer commands = begin();
  bind_heap(commands);
  push(commands, 8, {5, 6});
  use(commands, create({at_offset(64)}));
  dispatch(commands);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(settings_of(commands),
            (Stream{"heap", "8: 5 6", "pipeline", "filled", "record", "dispatch", "record", "dispatch"}));
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
  EXPECT_EQ(settings_of(commands), (Stream{"heap",     "116: 6 7 8", "pipeline",
                                           "filled",   "record",     "dispatch",
                                           "pipeline", "120: 7 8",   "112: " + low + " " + high,
                                           "dispatch", "pipeline",   "116: 6",
                                           "dispatch", "pipeline",   "record",
                                           "dispatch", "pipeline",   "120: 7 8",
                                           "dispatch", "dispatch"}));
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
            (Stream{"heap", "0: 1 2", "16: 3", "pipeline", "filled", "record", "dispatch", "pipeline",
                    "dispatch", "pipeline", "0: 1 2", "16: 3", "record", "dispatch"}));
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
  EXPECT_EQ(settings_of(commands), (Stream{"heap", "0: 1 2", "pipeline", "filled", "record", "dispatch",
                                           "pipeline", "sets", "pipeline", "dispatch", "pipeline", "sets",
                                           "dispatch", "heap", "pipeline", "filled", "record", "dispatch"}));
  EXPECT_EQ(table_of(records().size() - 1, 0), kHeap + 4096);
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
  EXPECT_EQ(settings_of(commands),
            (Stream{"heap", "samplers", "0: 1 2", "pipeline", "sets", "dispatch", "pipeline", "heap",
                    "samplers", "0: 1 2", "filled", "record", "dispatch"}));
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
  EXPECT_EQ(settings_of(commands), (Stream{"pipeline", "sets", "pipeline", "filled", "record", "dispatch",
                                           "pipeline", "sets", "sets", "dispatch"}));
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
  EXPECT_EQ(settings_of(commands), (Stream{"pipeline", "filled", "record", "dispatch"}));
  EXPECT_EQ(table_of(0, 0), kHeap);
}

// The shader finds there what the device reads there.
TEST_F(HeapRecords, TablesOfIndicesInMemoryAreWhereTheyLie) {
  Mapping each = mapping(VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_ARRAY_EXT);
  each.sourceData.indirectIndexArray.pushOffset = 16;
  each.sourceData.indirectIndexArray.addressOffset = 24;
  each.sourceData.indirectIndexArray.heapIndexStride = 512;
  const VkCommandBuffer commands = begin();
  bind_heap(commands);
  use(commands, create({each}));
  dispatch(commands);
  push_address(commands, 16, 0x7000);
  dispatch(commands);
  end(commands);
  EXPECT_EQ(table_of(0, 0), 0u) << "nothing was pushed";
  EXPECT_EQ(table_of(1, 0), 0x7000u);
  EXPECT_EQ(limit_of(1, 0), 512 | SQA_INDEX_EACH);
  EXPECT_EQ(address_at(records().at(1), SQA_ACTION_HEAP), kHeap);
  EXPECT_EQ(records().at(1)[SQA_ACTION_HEAP + 2], kHeapBytes);
}

TEST_F(HeapRecords, TablesOfAddressesInMemoryAreWhereTheyLie) {
  Mapping address = mapping(VK_DESCRIPTOR_MAPPING_SOURCE_INDIRECT_ADDRESS_EXT);
  address.sourceData.indirectAddress = {8, 48};
  const VkCommandBuffer commands = begin();
  push_address(commands, 8, 0x7000);
  use(commands, create({address}));
  dispatch(commands);
  end(commands);
  EXPECT_EQ(table_of(0, 0), 0x7000u + 48);
  EXPECT_EQ(notes(), std::vector<std::string>());
}

TEST_F(HeapRecords, DataInTheHeapIsABufferInIt) {
  Mapping within = mapping(VK_DESCRIPTOR_MAPPING_SOURCE_RESOURCE_HEAP_DATA_EXT);
  within.sourceData.heapData = {16, 4};
  const VkCommandBuffer commands = begin();
  use(commands, create({within}));
  push(commands, 4, {32});
  dispatch(commands);
  bind_heap(commands, buffer_->address, 256);
  dispatch(commands);
  push(commands, 4, {240});
  dispatch(commands);
  end(commands);
  EXPECT_EQ(entry_in(table_of(0, 0)), (TableEntry{0, 0, 0})) << "no heap is bound";
  EXPECT_EQ(entry_in(table_of(1, 0)), (TableEntry{buffer_->address + 48, 208, 0}));
  EXPECT_EQ(entry_in(table_of(2, 0)), (TableEntry{0, 0, 0})) << "behind the heap's end";
}

TEST_F(HeapRecords, MappingsByShaderRecordsAreSaid) {
  create({mapping(VK_DESCRIPTOR_MAPPING_SOURCE_SHADER_RECORD_ADDRESS_EXT)});
  EXPECT_EQ(notes_about("where they are is said by a shader record").size(), 1u);
}

TEST_F(HeapRecords, PushDataWithoutRoomIsSaid) {
  Mapping data = mapping(VK_DESCRIPTOR_MAPPING_SOURCE_MAX_ENUM_EXT);
  create({data});
  EXPECT_EQ(driver().log().pipelines.back().stages.at(0).words, shaders::accesses_comp);
  EXPECT_EQ(notes_about("leaves no room for where the record").size(), 1u);
}

// The code that each stage runs in the end.
std::map<uint64_t, Words> code_bound(VkCommandBuffer commands) {
  std::map<uint64_t, Words> code;
  for (const null_driver::CommandRecord& record : driver().log().commands) {
    if (record.command_buffer != reinterpret_cast<uint64_t>(commands)) continue;
    if (record.command != "CmdBindShadersEXT") continue;
    for (size_t i = 0; i + 1 < record.values.size(); i += 2) {
      code.erase(record.values[i]);
      if (record.values[i + 1] == 0) continue;
      code[record.values[i]] =
          record_of(reinterpret_cast<VkPipeline>(record.values[i + 1])).stages.at(0).words;
    }
  }
  return code;
}

// What it reads there is not the address.
TEST_F(HeapRecords, ShaderObjectsThatReadTheLastBytesFindTheProgramsThere) {
  constexpr VkShaderStageFlagBits vertex = VK_SHADER_STAGE_VERTEX_BIT,
                                  fragment = VK_SHADER_STAGE_FRAGMENT_BIT;
  const VkShaderEXT reader = create_object(vertex, shaders::silent_vert, at_index(124, 256)),
                    other = create_object(vertex, shaders::silent_vert, at_index(4, 256)),
                    checked = create_object(fragment, shaders::accesses_frag, at_offset(0));
  const VkCommandBuffer commands = begin();
  bind_heap(commands);
  push(commands, 120, {7, 8});
  use(commands, vertex, reader);
  use(commands, fragment, checked);
  draw(commands);
  EXPECT_EQ(code_bound(commands).at(fragment), shaders::accesses_frag);
  use(commands, vertex, other);
  draw(commands);
  EXPECT_NE(code_bound(commands).at(fragment), shaders::accesses_frag);
  use(commands, vertex, reader);
  draw(commands);
  EXPECT_EQ(code_bound(commands).at(fragment), shaders::accesses_frag);
  use(commands, vertex, VkShaderEXT{});
  draw(commands);
  end(commands);
  EXPECT_NE(code_bound(commands).at(fragment), shaders::accesses_frag);
  EXPECT_EQ(settings_of(commands), (Stream{"heap", "120: 7 8", "draw", "filled", "record", "draw", "120: 7 8",
                                           "draw", "record", "draw"}));
  EXPECT_EQ(notes_about("reads the last 8 bytes of push data").size(), 1u);
}

// It may read anything.
TEST_F(HeapRecords, ShaderObjectsFromBinariesFindTheProgramsBytes) {
  constexpr VkShaderStageFlagBits vertex = VK_SHADER_STAGE_VERTEX_BIT,
                                  fragment = VK_SHADER_STAGE_FRAGMENT_BIT;
  const VkShaderEXT binary = create_object(vertex, shaders::silent_vert, at_offset(0),
                                           VK_SHADER_CODE_TYPE_BINARY_EXT),
                    checked = create_object(fragment, shaders::accesses_frag, at_offset(0));
  const VkCommandBuffer commands = begin();
  use(commands, vertex, binary);
  use(commands, fragment, checked);
  draw(commands);
  end(commands);
  EXPECT_EQ(code_bound(commands).at(fragment), shaders::accesses_frag);
  EXPECT_EQ(settings_of(commands), (Stream{"draw"}));
}

// Linked ones can only run together.
TEST_F(HeapRecords, LinkedShaderObjectsAreExchangedTogether) {
  constexpr VkShaderStageFlagBits stages[] = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT};
  VkShaderCreateInfoEXT infos[] = {testing::shader_object_info(stages[0], shaders::silent_vert),
                                   testing::shader_object_info(stages[1], shaders::accesses_frag)};
  VkShaderDescriptorSetAndBindingMappingInfoEXT mappings{};
  mappings.sType = VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT;
  const Mapping reads_the_end = at_index(124, 256), usual = at_offset(0);
  VkShaderDescriptorSetAndBindingMappingInfoEXT mapped[] = {mappings, mappings};
  for (uint32_t i = 0; i < 2; ++i) {
    mapped[i].mappingCount = 1;
    mapped[i].pMappings = i == 0 ? &reads_the_end : &usual;
    infos[i].pNext = &mapped[i];
    infos[i].flags = VK_SHADER_CREATE_DESCRIPTOR_HEAP_BIT_EXT | VK_SHADER_CREATE_LINK_STAGE_BIT_EXT;
  }
  objects_.resize(2);
  check(vk().vkCreateShadersEXT(device().handle, 2, infos, nullptr, objects_.data()), "vkCreateShadersEXT");
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindShadersEXT(commands, 2, stages, objects_.data());
  draw(commands);
  end(commands);
  std::vector<uint64_t> bound_last;
  for (const null_driver::CommandRecord& record : driver().log().commands)
    if (record.command == "CmdBindShadersEXT") bound_last = record.values;
  ASSERT_EQ(bound_last.size(), 4u) << "both in one command";
  for (const VkShaderEXT shader : objects_)
    EXPECT_EQ(std::ranges::count(bound_last, reinterpret_cast<uint64_t>(shader)), 0);
  EXPECT_EQ(settings_of(commands), (Stream{"draw"}));
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

}  // namespace
}  // namespace shaderqa::layer_tests
