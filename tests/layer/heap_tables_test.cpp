// SPDX-License-Identifier: Apache-2.0
// From mappings to descriptors and tables, and where in push data an action record's address can be.
#include "layer/resources/heap_tables.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "instrument/runtime/abi_descriptors.h"

namespace shaderqa::layer_tests {
namespace {

using layer::HeapTable;
using layer::HeapTables;
using layer::map_shader;
using layer::MappedShader;
using layer::place_of_record;
using Mapping = VkDescriptorSetAndBindingMappingEXT;

ShaderBinding of(uint32_t resource, uint32_t set, uint32_t binding, uint32_t count = 1) {
  ShaderBinding made;
  made.set = set;
  made.binding = binding;
  made.resource = resource;
  made.count = count;
  return made;
}
ShaderBinding buffer(uint32_t set, uint32_t binding, uint32_t count = 1) {
  return of(kStorageBuffer, set, binding, count);
}
ShaderBinding uniform(uint32_t set, uint32_t binding, uint32_t count, uint32_t end) {
  ShaderBinding made = of(kUniformBuffer, set, binding, count);
  made.end = end;
  return made;
}

Mapping mapping(uint32_t set, uint32_t first, uint32_t count, VkDescriptorMappingSourceEXT source) {
  Mapping made{};
  made.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_AND_BINDING_MAPPING_EXT;
  made.descriptorSet = set;
  made.firstBinding = first;
  made.bindingCount = count;
  made.resourceMask = VK_SPIRV_RESOURCE_TYPE_ALL_EXT;
  made.source = source;
  return made;
}

Mapping at_offset(uint32_t set, uint32_t first, uint32_t count, uint32_t offset, uint32_t stride) {
  Mapping made = mapping(set, first, count, VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT);
  made.sourceData.constantOffset.heapOffset = offset;
  made.sourceData.constantOffset.heapArrayStride = stride;
  return made;
}

Mapping at_index(uint32_t set, uint32_t push_offset, uint32_t index_stride, uint32_t offset = 0) {
  Mapping made = mapping(set, 0, UINT32_MAX, VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT);
  made.sourceData.pushIndex.heapOffset = offset;
  made.sourceData.pushIndex.pushOffset = push_offset;
  made.sourceData.pushIndex.heapIndexStride = index_stride;
  made.sourceData.pushIndex.heapArrayStride = 32;
  return made;
}

Mapping at_address(uint32_t set, uint32_t push_offset) {
  Mapping made = mapping(set, 0, 1, VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_ADDRESS_EXT);
  made.sourceData.pushAddressOffset = push_offset;
  return made;
}

MappedShader map(const std::vector<ShaderBinding>& bindings, const std::vector<Mapping>& mappings,
                 HeapTables& tables, uint32_t push_end = 0) {
  VkShaderDescriptorSetAndBindingMappingInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT;
  info.mappingCount = static_cast<uint32_t>(mappings.size());
  info.pMappings = mappings.data();
  return map_shader({bindings, push_end}, &info, tables, true);
}
MappedShader map(const std::vector<ShaderBinding>& bindings, const std::vector<Mapping>& mappings) {
  HeapTables tables;
  return map(bindings, mappings, tables);
}

constexpr uint32_t kInHeap = SQA_IN_BUFFER | SQA_IN_HEAP;
uint32_t of_stride(uint32_t stride) { return SQA_DESCRIPTOR_MUTABLE | stride << SQA_DESCRIPTOR_STRIDE_SHIFT; }

TEST(HeapTables, BindingsLieBehindTheFirstOfTheirMapping) {
  HeapTables tables;
  const MappedShader mapped =
      map({buffer(9, 4), buffer(9, 6, 3), buffer(9, 8)}, {at_offset(9, 4, 3, 1024, 64)}, tables);
  ASSERT_EQ(mapped.descriptors.size(), 2u) << "the last one is not mapped";
  EXPECT_EQ(mapped.descriptors[0], (DescriptorSlots{9, 4, kInHeap | 1024, 1, of_stride(64), 0, 0}));
  EXPECT_EQ(mapped.descriptors[1],
            (DescriptorSlots{9, 6, kInHeap | (1024 + 2 * 64), 3, of_stride(64), 0, 0}));
  ASSERT_EQ(tables.all().size(), 1u);
  EXPECT_EQ(tables.all()[0], HeapTable());
  EXPECT_TRUE(mapped.unfollowed.empty());
}

TEST(HeapTables, EachIndexHasATable) {
  HeapTables tables;
  const MappedShader mapped =
      map({buffer(0, 1), buffer(1, 0), buffer(2, 0), buffer(3, 0)},
          {at_index(0, 8, 128, 256), at_index(1, 8, 128), at_index(2, 12, 128), at_index(3, 8, 64)}, tables);
  ASSERT_EQ(mapped.descriptors.size(), 4u);
  EXPECT_EQ(mapped.descriptors[0].slot, kInHeap | (256 + 32));
  EXPECT_EQ(mapped.descriptors[0].table(), mapped.descriptors[1].table());
  EXPECT_NE(mapped.descriptors[0].table(), mapped.descriptors[2].table());
  EXPECT_NE(mapped.descriptors[0].table(), mapped.descriptors[3].table());
  EXPECT_EQ(tables.all()[mapped.descriptors[2].table()],
            (HeapTable{HeapTable::Source::push_index, 12, 128, UINT32_MAX}));
}

TEST(HeapTables, ACombinedIndexIsTheSamplersInItsUpperBits) {
  HeapTables tables;
  Mapping combined = at_index(0, 8, 128);
  combined.sourceData.pushIndex.useCombinedImageSamplerIndex = VK_TRUE;
  map({of(kCombinedImage, 0, 0), of(kSampledImage, 0, 1)}, {combined}, tables);
  ASSERT_EQ(tables.all().size(), 2u);
  EXPECT_EQ(tables.all()[0].index_bits, 0xfffffu);
  EXPECT_EQ(tables.all()[1].index_bits, UINT32_MAX);
}

TEST(HeapTables, AnAddressHasATableOfOneBuffer) {
  HeapTables tables;
  const MappedShader mapped =
      map({buffer(0, 0), buffer(1, 0)}, {at_address(0, 16), at_address(1, 24)}, tables);
  ASSERT_EQ(mapped.descriptors.size(), 2u);
  EXPECT_EQ(mapped.descriptors[0], (DescriptorSlots{0, 0, 0, 1, SQA_NOT_DYNAMIC, 0, 0}));
  EXPECT_EQ(mapped.descriptors[1].table(), 1u);
  EXPECT_EQ(tables.all()[1].push_offset, 24u);
}

TEST(HeapTables, WhatLiesInPushDataIsNoMemory) {
  Mapping data = mapping(0, 0, 1, VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_DATA_EXT);
  data.sourceData.pushDataOffset = 64;
  const MappedShader mapped = map({uniform(0, 0, 1, 48)}, {data});
  EXPECT_TRUE(mapped.descriptors.empty());
  EXPECT_TRUE(mapped.unfollowed.empty());
  EXPECT_EQ(place_of_record(128, {&mapped, 1}), 120u);
  EXPECT_EQ(place_of_record(112, {&mapped, 1}), 56u);
}

Mapping in_memory(uint32_t set, uint32_t offset, uint32_t stride, uint32_t address_offset = 8) {
  Mapping made = mapping(set, 0, 4, VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_EXT);
  made.sourceData.indirectIndex.heapOffset = offset;
  made.sourceData.indirectIndex.pushOffset = 16;
  made.sourceData.indirectIndex.addressOffset = address_offset;
  made.sourceData.indirectIndex.heapIndexStride = stride;
  made.sourceData.indirectIndex.heapArrayStride = 32;
  return made;
}

TEST(HeapTables, IndicesMayLieInMemory) {
  HeapTables tables;
  Mapping combined = in_memory(1, 0, 128);
  combined.sourceData.indirectIndex.useCombinedImageSamplerIndex = VK_TRUE;
  const MappedShader mapped =
      map({buffer(0, 1, 3), of(kCombinedImage, 1, 0)}, {in_memory(0, 256, 128), combined}, tables);
  ASSERT_EQ(mapped.descriptors.size(), 2u);
  EXPECT_EQ(mapped.descriptors[0],
            (DescriptorSlots{0, 1, kInHeap | SQA_INDIRECT | 288, 3, of_stride(32), 0, 0}));
  ASSERT_EQ(tables.all().size(), 2u);
  EXPECT_EQ(tables.all()[0], (HeapTable{HeapTable::Source::indirect_index, 16, 128, UINT32_MAX, 8}));
  EXPECT_EQ(tables.all()[1].index_bits, uint32_t{SQA_INDEX_OF_COMBINED});
  EXPECT_EQ(tables.dynamic(), uint32_t{SQA_ACTION_HEAP + 3 - SQA_ACTION_DYNAMIC});
  EXPECT_TRUE(mapped.unfollowed.empty());
}

// Behind the indices of the bindings in front of it.
TEST(HeapTables, EachElementMayHaveAnIndex) {
  HeapTables tables;
  Mapping each = mapping(0, 2, 8, VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_ARRAY_EXT);
  each.sourceData.indirectIndexArray.heapOffset = 64;
  each.sourceData.indirectIndexArray.pushOffset = 8;
  each.sourceData.indirectIndexArray.addressOffset = 100;
  each.sourceData.indirectIndexArray.heapIndexStride = 32;
  const MappedShader mapped = map({buffer(0, 5, 4), buffer(0, 2)}, {each}, tables);
  ASSERT_EQ(mapped.descriptors.size(), 2u);
  EXPECT_EQ(mapped.descriptors[0],
            (DescriptorSlots{0, 2, kInHeap | SQA_INDIRECT | 64, 1, of_stride(100), 0, 0}));
  EXPECT_EQ(mapped.descriptors[1],
            (DescriptorSlots{0, 5, kInHeap | SQA_INDIRECT | 64, 4, of_stride(112), 0, 0}));
  ASSERT_EQ(tables.all().size(), 1u) << "all bindings share it";
  EXPECT_EQ(tables.all()[0], (HeapTable{HeapTable::Source::indirect_index, 8, 32, UINT32_MAX, 0, true}));
}

TEST(HeapTables, AddressesMayLieInMemoryAndDataInTheHeap) {
  HeapTables tables;
  Mapping address = mapping(0, 0, 1, VK_DESCRIPTOR_MAPPING_SOURCE_INDIRECT_ADDRESS_EXT);
  address.sourceData.indirectAddress = {8, 40};
  Mapping within = mapping(1, 0, 1, VK_DESCRIPTOR_MAPPING_SOURCE_RESOURCE_HEAP_DATA_EXT);
  within.sourceData.heapData = {512, 4};
  const MappedShader mapped = map({buffer(0, 0), uniform(1, 0, 1, 16)}, {address, within}, tables);
  ASSERT_EQ(mapped.descriptors.size(), 2u);
  EXPECT_EQ(mapped.descriptors[0],
            (DescriptorSlots{0, 0, SQA_IN_BUFFER | SQA_INDIRECT, 1, SQA_DESCRIPTOR_MUTABLE, 0, 0}));
  EXPECT_EQ(mapped.descriptors[1], (DescriptorSlots{1, 0, 0, 1, SQA_NOT_DYNAMIC, 0, 1}));
  EXPECT_EQ(tables.all()[0], (HeapTable{HeapTable::Source::indirect_address, 8, 0, UINT32_MAX, 40}));
  EXPECT_EQ(tables.all()[1], (HeapTable{HeapTable::Source::heap_data, 4, 0, UINT32_MAX, 512}));
  EXPECT_EQ(tables.dynamic(), 2u);
}

TEST(HeapTables, WhatShaderRecordsSayIsSaid) {
  for (const auto source :
       {VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_SHADER_RECORD_INDEX_EXT,
        VK_DESCRIPTOR_MAPPING_SOURCE_SHADER_RECORD_DATA_EXT,
        VK_DESCRIPTOR_MAPPING_SOURCE_SHADER_RECORD_ADDRESS_EXT, VK_DESCRIPTOR_MAPPING_SOURCE_MAX_ENUM_EXT}) {
    const MappedShader mapped =
        map({buffer(0, 0), buffer(1, 0)}, {mapping(0, 0, 1, source), at_offset(1, 0, 1, 0, 32)});
    EXPECT_EQ(mapped.unfollowed.size(), 1u) << source;
    ASSERT_EQ(mapped.descriptors.size(), 1u) << "the other one is followed all the same";
    EXPECT_EQ(mapped.descriptors[0].set, 1u);
  }
}

// Bytes of a mapping that nobody knows may be any.
TEST(HeapTables, ThereIsNoRoomBesideUnknownMappings) {
  const MappedShader mapped =
      map({buffer(0, 0)}, {mapping(0, 0, 1, VK_DESCRIPTOR_MAPPING_SOURCE_MAX_ENUM_EXT)});
  EXPECT_EQ(place_of_record(256, {&mapped, 1}), std::nullopt);
}

TEST(HeapTables, OddPlacesAreSaid) {
  EXPECT_EQ(map({buffer(0, 0)}, {at_offset(0, 0, 1, 6, 32)}).unfollowed.size(), 1u);
  EXPECT_EQ(map({buffer(0, 0, 2)}, {at_offset(0, 0, 1, 0, 30)}).unfollowed.size(), 1u);
  EXPECT_EQ(map({buffer(0, 0)}, {at_offset(0, 0, 1, SQA_INDIRECT, 32)}).unfollowed.size(), 1u);
  EXPECT_EQ(map({buffer(0, 7)}, {at_offset(0, 0, 8, 0xfffffff0, 0xfffffff0)}).unfollowed.size(), 1u);
  EXPECT_EQ(map({buffer(0, 0)}, {at_index(0, 0, 2)}).unfollowed.size(), 1u);
  EXPECT_EQ(map({buffer(0, 0)}, {in_memory(0, 0, SQA_INDEX_STRIDE + 1u)}).unfollowed.size(), 1u);
  EXPECT_EQ(map({buffer(0, 0)}, {in_memory(0, 0, 32, 6)}).unfollowed.size(), 1u);
  Mapping odd_address = mapping(0, 0, 1, VK_DESCRIPTOR_MAPPING_SOURCE_INDIRECT_ADDRESS_EXT);
  odd_address.sourceData.indirectAddress = {8, 2};
  EXPECT_EQ(map({buffer(0, 0)}, {odd_address}).unfollowed.size(), 1u);
}

TEST(HeapTables, ThereAreSixteen) {
  std::vector<ShaderBinding> bindings;
  std::vector<Mapping> mappings;
  for (uint32_t set = 0; set < 20; ++set) {
    bindings.push_back(buffer(set, 0));
    mappings.push_back(at_index(set, set * 4, 32));
  }
  const MappedShader mapped = map(bindings, mappings);
  EXPECT_EQ(mapped.descriptors.size(), 16u);
  EXPECT_EQ(mapped.unfollowed.size(), 1u);
}

// Two variables with the same numbers.
TEST(HeapTables, VariablesWithTheSameNumbersMustLieAtTheSamePlace) {
  Mapping uniforms = at_offset(0, 0, 1, 0, 32), others = at_offset(0, 0, 1, 512, 32);
  uniforms.resourceMask = VK_SPIRV_RESOURCE_TYPE_UNIFORM_BUFFER_BIT_EXT;
  others.resourceMask = VK_SPIRV_RESOURCE_TYPE_READ_WRITE_STORAGE_BUFFER_BIT_EXT;
  MappedShader mapped = map({buffer(0, 0), uniform(0, 0, 1, 16), buffer(0, 0)}, {uniforms, others});
  EXPECT_TRUE(mapped.descriptors.empty());
  EXPECT_EQ(mapped.unfollowed.size(), 1u);
  mapped = map({buffer(0, 0), uniform(0, 0, 7, 16)}, {at_offset(0, 0, 1, 64, 32)});
  ASSERT_EQ(mapped.descriptors.size(), 1u);
  EXPECT_EQ(mapped.descriptors[0].count, 7u);
  EXPECT_TRUE(mapped.unfollowed.empty());
}

ShaderBinding image(uint32_t set, uint32_t binding) {
  ShaderBinding made = of(kSampledImage, set, binding);
  made.image = true;
  return made;
}

TEST(HeapTables, ImagesLieLikeBuffers) {
  const MappedShader mapped = map({image(0, 0), buffer(0, 1)}, {at_offset(0, 0, 2, 0, 64)});
  ASSERT_EQ(mapped.descriptors.size(), 2u);
  EXPECT_EQ(mapped.descriptors[0], (DescriptorSlots{0, 0, kInHeap, 1, of_stride(64), 0, 0}));
  EXPECT_EQ(mapped.descriptors[1].slot, kInHeap | 64);
  EXPECT_TRUE(mapped.unfollowed.empty());
}

// Nor is anything said of them then.
TEST(HeapTables, ImagesHaveNoTableWhereTheyAreNotFollowed) {
  HeapTables tables;
  const std::vector<Mapping> mappings = {at_offset(0, 0, 1, 6, 64), at_index(1, 0, 32)};
  VkShaderDescriptorSetAndBindingMappingInfoEXT info{};
  info.mappingCount = static_cast<uint32_t>(mappings.size());
  info.pMappings = mappings.data();
  const MappedShader mapped = map_shader({{image(0, 0), image(1, 0)}, 0}, &info, tables, false);
  EXPECT_TRUE(mapped.descriptors.empty());
  EXPECT_TRUE(mapped.unfollowed.empty());
  EXPECT_TRUE(tables.all().empty());
}

// Whether a storage buffer is for reading alone is said by its members.
TEST(HeapTables, BuffersForReadingAndOthersAreNotToldApart) {
  Mapping reads = at_offset(0, 0, 1, 0, 32), writes = at_offset(0, 0, 1, 512, 32);
  reads.resourceMask = VK_SPIRV_RESOURCE_TYPE_READ_ONLY_STORAGE_BUFFER_BIT_EXT;
  writes.resourceMask = VK_SPIRV_RESOURCE_TYPE_READ_WRITE_STORAGE_BUFFER_BIT_EXT;
  EXPECT_TRUE(map({buffer(0, 0)}, {reads, writes}).descriptors.empty());
  EXPECT_EQ(map({buffer(0, 0)}, {writes}).descriptors.size(), 1u);
}

TEST(HeapTables, StructuresBehindAMappingAreSaid) {
  Mapping with = at_offset(0, 0, 1, 0, 32);
  const VkBaseInStructure unknown{VK_STRUCTURE_TYPE_APPLICATION_INFO, nullptr};
  with.pNext = &unknown;
  const MappedShader mapped = map({buffer(0, 0)}, {with});
  EXPECT_TRUE(mapped.descriptors.empty());
  EXPECT_EQ(mapped.unfollowed.size(), 1u);
}

// Programs may hand over anything.
TEST(HeapTables, AnyMappingIsReadAllTheSame) {
  std::mt19937 random(11);
  for (int i = 0; i < 20000; ++i) {
    std::vector<Mapping> mappings(random() % 4);
    for (Mapping& one : mappings) {
      std::vector<uint32_t> words(sizeof one / 4);
      for (uint32_t& word : words) word = random() % 3 ? random() % 8 : static_cast<uint32_t>(random());
      std::memcpy(&one, words.data(), sizeof one);
      one.pNext = nullptr;
      one.source = static_cast<VkDescriptorMappingSourceEXT>(random() % 16);  // also none that is known
    }
    HeapTables tables;
    const MappedShader mapped = map({buffer(random() % 4, random() % 8, static_cast<uint32_t>(random())),
                                     uniform(1, 2, 3, 16), of(kCombinedImage, random() % 4, random() % 8)},
                                    mappings, tables, random() % 300);
    for (const DescriptorSlots& slots : mapped.descriptors) EXPECT_LT(slots.table(), tables.all().size());
    const auto place = place_of_record(256, {&mapped, 1});
    EXPECT_TRUE(!place || *place <= 248);
  }
}

TEST(HeapTables, TheRecordIsBehindWhatShadersRead) {
  HeapTables tables;
  const std::vector<MappedShader> shaders = {map({}, {}, tables, 100),
                                             map({buffer(0, 0)}, {at_index(0, 252, 32)}, tables, 40)};
  EXPECT_EQ(place_of_record(256, shaders), 240u);
  EXPECT_EQ(place_of_record(128, shaders), 120u);
  EXPECT_EQ(place_of_record(104, shaders), std::nullopt);
  EXPECT_EQ(place_of_record(4, {}), std::nullopt);
  EXPECT_EQ(place_of_record(20, {}), 8u);
}

}  // namespace
}  // namespace shaderqa::layer_tests
