// SPDX-License-Identifier: Apache-2.0
// Which bytes of vertex buffers draws are taken to read.
#include "layer/accesses/vertex_input.h"

#include <gtest/gtest.h>

#include <ostream>
#include <vector>

namespace shaderqa::layer {

std::ostream& operator<<(std::ostream& out, const VertexSpan& span) {
  return out << "binding " << span.of.binding << ": " << span.bytes << " bytes from " << span.offset << " on";
}

namespace {

constexpr VertexBinding kVertices{0, 32, false, 1};
constexpr VertexBinding kInstances{3, 16, true, 1};

VertexInputs inputs(std::vector<std::pair<uint32_t, uint32_t>> components) {
  VertexInputs result{};
  for (const auto& [location, count] : components) result[location] = static_cast<uint8_t>(count);
  return result;
}

TEST(VertexInput, NeighboursAreReadTogether) {
  const VertexLayout layout{{kVertices, kInstances},
                            {{0, 0, VK_FORMAT_R32G32B32_SFLOAT, 0},
                             {1, 0, VK_FORMAT_R16G16_SFLOAT, 12},
                             {2, 0, VK_FORMAT_R8G8B8A8_UNORM, 24},
                             {4, 3, VK_FORMAT_R32G32B32A32_SFLOAT, 0}}};
  EXPECT_EQ(read_spans(layout, inputs({{0, 3}, {1, 2}, {2, 4}, {4, 4}})),
            (std::vector<VertexSpan>{{kVertices, 0, 16}, {kVertices, 24, 4}, {kInstances, 0, 16}}));
}

TEST(VertexInput, OnlyWhatTheShaderReads) {
  const VertexLayout layout{{kVertices},
                            {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                             {1, 0, VK_FORMAT_R16G16B16A16_SFLOAT, 16},
                             {2, 0, VK_FORMAT_A2B10G10R10_UNORM_PACK32, 24},
                             {3, 0, VK_FORMAT_R8G8B8A8_UNORM, 28}}};
  EXPECT_EQ(read_spans(layout, inputs({{0, 3}, {2, 1}})),
            (std::vector<VertexSpan>{{kVertices, 0, 12}, {kVertices, 24, 4}}))
      << "packed formats are read whole";
  EXPECT_EQ(read_spans(layout, inputs({{1, 1}, {3, 2}})),
            (std::vector<VertexSpan>{{kVertices, 16, 2}, {kVertices, 28, 2}}));
  EXPECT_TRUE(read_spans(layout, inputs({{7, 4}})).empty());
}

// The first and the last format of each run of formats whose components follow each other, and their
// neighbours, which are read whole.
TEST(VertexInput, OneComponentOfAFormat) {
  for (const auto& [format, bytes] : {std::pair{VK_FORMAT_B5G5R5A1_UNORM_PACK16, 2u},
                                      {VK_FORMAT_A1R5G5B5_UNORM_PACK16, 2u},
                                      {VK_FORMAT_R8_UNORM, 1u},
                                      {VK_FORMAT_R8G8_SRGB, 1u},
                                      {VK_FORMAT_R8G8B8_SRGB, 1u},
                                      {VK_FORMAT_B8G8R8_UNORM, 3u},
                                      {VK_FORMAT_B8G8R8_SRGB, 3u},
                                      {VK_FORMAT_R8G8B8A8_UNORM, 1u},
                                      {VK_FORMAT_R8G8B8A8_SRGB, 1u},
                                      {VK_FORMAT_B8G8R8A8_UNORM, 4u},
                                      {VK_FORMAT_A2B10G10R10_SINT_PACK32, 4u},
                                      {VK_FORMAT_R16_UNORM, 2u},
                                      {VK_FORMAT_R16G16B16A16_SFLOAT, 2u},
                                      {VK_FORMAT_R32_UINT, 4u},
                                      {VK_FORMAT_R32G32_SFLOAT, 4u},
                                      {VK_FORMAT_R32G32B32A32_SFLOAT, 4u},
                                      {VK_FORMAT_R64_UINT, 8u},
                                      {VK_FORMAT_R64G64B64A64_SFLOAT, 8u},
                                      {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 4u},
                                      {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, 4u},
                                      {VK_FORMAT_UNDEFINED, 0u}})
    EXPECT_EQ(attribute_bytes(format, 1), bytes) << format;
  EXPECT_EQ(attribute_bytes(VK_FORMAT_R32G32B32_SFLOAT, 2), 8u);
  EXPECT_EQ(attribute_bytes(VK_FORMAT_R32G32B32_SFLOAT, 3), 12u);
  EXPECT_EQ(attribute_bytes(VK_FORMAT_R32G32B32_SFLOAT, 4), 12u);
}

TEST(VertexInput, SizesOfIndices) {
  EXPECT_EQ(index_bytes(VK_INDEX_TYPE_UINT8_KHR), 1u);
  EXPECT_EQ(index_bytes(VK_INDEX_TYPE_UINT16), 2u);
  EXPECT_EQ(index_bytes(VK_INDEX_TYPE_UINT32), 4u);
  EXPECT_EQ(index_bytes(VK_INDEX_TYPE_NONE_KHR), 0u);
}

TEST(VertexInput, MoreComponentsThanThereAreAreNotRead) {
  const VertexLayout layout{{kVertices}, {{0, 0, VK_FORMAT_R32G32_SFLOAT, 8}}};
  EXPECT_EQ(read_spans(layout, inputs({{0, 4}})), (std::vector<VertexSpan>{{kVertices, 8, 8}}));
}

TEST(VertexInput, WhatIsNotUnderstoodIsNotRead) {
  const VertexLayout layout{{{kMostVertexBindings, 4, false, 1}, kVertices},
                            {{0, kMostVertexBindings, VK_FORMAT_R32_UINT, 0},
                             {1, 9, VK_FORMAT_R32_UINT, 0},
                             {2, 0, VK_FORMAT_UNDEFINED, 0},
                             {vertex_locations, 0, VK_FORMAT_R32_UINT, 0}}};
  EXPECT_TRUE(read_spans(layout, inputs({{0, 1}, {1, 1}, {2, 1}})).empty());
}

TEST(VertexInput, InstancesByTheirDivisor) {
  const auto read = [](uint32_t divisor, uint32_t first, uint32_t instances) {
    const Elements elements = instances_read({0, 16, true, divisor}, first, instances);
    return std::pair(elements.first, elements.count);
  };
  EXPECT_EQ(read(1, 5, 7), std::pair(5u, 7u));
  EXPECT_EQ(read(3, 5, 7), std::pair(5u, 3u));
  EXPECT_EQ(read(3, 5, 6), std::pair(5u, 2u));
  EXPECT_EQ(read(0, 5, 7), std::pair(5u, 1u)) << "one for all";
  EXPECT_EQ(read(1, 5, 0).second, 0u);
}

TEST(VertexInput, ElementsAreRows) {
  const VertexSpan span{kVertices, 8, 16};
  MemoryRange expected{10 * 32 + 8, 16, 4, 1, 32};
  EXPECT_EQ(elements_range(span, 32, {10, 4}), expected);
  EXPECT_EQ(end_of(elements_range(span, 32, {10, 4})), 13u * 32 + 24);
  EXPECT_EQ(end_of(elements_range(span, 32, {10, 0})), 0u);
  // Those that touch or overlap, and where all are the same one.
  EXPECT_EQ(elements_range(span, 16, {1, 4}).bytes, 64u);
  EXPECT_EQ(elements_range(span, 4, {1, 4}).bytes, 28u);
  EXPECT_EQ(elements_range(span, 0, {7, 4}).bytes, 16u);
  EXPECT_EQ(elements_range(span, 0, {7, 4}).rows, 1u);
  EXPECT_EQ(elements_range(span, UINT32_MAX, {UINT32_MAX, 1}).address, uint64_t{UINT32_MAX} * UINT32_MAX + 8);
}

TEST(VertexInput, AttributesAreAsLongAsTheComponentsThatAreRead) {
  struct Format {
    VkFormat format;
    uint32_t one, three, four;  // bytes for so many components
  };
  for (const Format& of :
       {Format{VK_FORMAT_R8_UNORM, 1, 1, 1}, Format{VK_FORMAT_R8G8B8_SRGB, 1, 3, 3},
        Format{VK_FORMAT_B8G8R8_UNORM, 3, 3, 3}, Format{VK_FORMAT_R8G8B8A8_UNORM, 1, 3, 4},
        Format{VK_FORMAT_R8G8B8A8_SRGB, 1, 3, 4}, Format{VK_FORMAT_B8G8R8A8_UNORM, 4, 4, 4},
        Format{VK_FORMAT_R16_UNORM, 2, 2, 2}, Format{VK_FORMAT_R16G16B16A16_SFLOAT, 2, 6, 8},
        Format{VK_FORMAT_R32_UINT, 4, 4, 4}, Format{VK_FORMAT_R32G32B32A32_SFLOAT, 4, 12, 16},
        Format{VK_FORMAT_R64_UINT, 8, 8, 8}, Format{VK_FORMAT_R64G64B64A64_SFLOAT, 8, 24, 32},
        Format{VK_FORMAT_B10G11R11_UFLOAT_PACK32, 4, 4, 4}}) {
    EXPECT_EQ(attribute_bytes(of.format, 1), of.one) << of.format;
    EXPECT_EQ(attribute_bytes(of.format, 3), of.three) << of.format;
    EXPECT_EQ(attribute_bytes(of.format, 4), of.four) << of.format;
  }
  EXPECT_EQ(index_bytes(VK_INDEX_TYPE_UINT8_KHR), 1u);
  EXPECT_EQ(index_bytes(VK_INDEX_TYPE_UINT16), 2u);
  EXPECT_EQ(index_bytes(VK_INDEX_TYPE_UINT32), 4u);
  EXPECT_EQ(index_bytes(VK_INDEX_TYPE_NONE_KHR), 0u);
}

TEST(VertexInput, TheLastElementLiesWhollyInTheBuffer) {
  const VertexSpan span{kVertices, 8, 16};
  EXPECT_EQ(last_element(span, 32, 23), std::nullopt);
  EXPECT_EQ(last_element(span, 32, 24), 0u);
  EXPECT_EQ(last_element(span, 32, 55), 0u);
  EXPECT_EQ(last_element(span, 32, 56), 1u);
  EXPECT_EQ(last_element(span, 0, 24), UINT32_MAX - 1) << "all are the same one";
  EXPECT_EQ(last_element(span, 1, uint64_t{1} << 40), UINT32_MAX - 1);
}

TEST(VertexInput, ArgumentsOfIndirectDrawsAreNamedByTheirDwords) {
  const DrawnRows vertices = drawn_elements({4096, false, 64, 3});
  EXPECT_EQ(vertices.arguments, 4096u);
  EXPECT_EQ(vertices.count, 0u);
  EXPECT_EQ(vertices.factor, 1u);
  EXPECT_EQ(vertices.first, 2u);
  EXPECT_EQ(vertices.offset, 0u);
  EXPECT_EQ(vertices.draws, 64u);
  EXPECT_EQ(vertices.draw, 3u);
  const DrawnRows indices = drawn_elements({4096, true, 0, 0});
  EXPECT_EQ(indices.count, 0u);
  EXPECT_EQ(indices.factor, 1u);
  EXPECT_EQ(indices.first, 2u);
  EXPECT_EQ(indices.offset, 3u);
  VertexBinding binding = kInstances;
  binding.divisor = 5;
  const DrawnRows instances = drawn_instances({4096, false, 0, 0}, binding);
  EXPECT_EQ(instances.count, 1u);
  EXPECT_EQ(instances.factor, 0u);
  EXPECT_EQ(instances.first, 3u);
  EXPECT_EQ(instances.divisor, 5u);
  const DrawnRows of_indexed = drawn_instances({4096, true, 0, 0}, binding);
  EXPECT_EQ(of_indexed.first, 4u);
  EXPECT_EQ(of_indexed.offset, 0u);
}

TEST(VertexInput, DivisorsComeInTheChain) {
  const VkVertexInputBindingDescription bindings[] = {{0, 16, VK_VERTEX_INPUT_RATE_INSTANCE},
                                                      {1, 8, VK_VERTEX_INPUT_RATE_VERTEX}};
  const VkVertexInputAttributeDescription attribute{2, 1, VK_FORMAT_R32_SFLOAT, 4};
  const VkVertexInputBindingDivisorDescription divisor{0, 5};
  VkPipelineVertexInputDivisorStateCreateInfo divisors{};
  divisors.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO;
  divisors.vertexBindingDivisorCount = 1;
  divisors.pVertexBindingDivisors = &divisor;
  VkPipelineVertexInputStateCreateInfo info{};
  info.pNext = &divisors;
  info.vertexBindingDescriptionCount = 2;
  info.pVertexBindingDescriptions = bindings;
  info.vertexAttributeDescriptionCount = 1;
  info.pVertexAttributeDescriptions = &attribute;
  const VertexLayout layout = vertex_layout(info);
  ASSERT_EQ(layout.bindings.size(), 2u);
  EXPECT_EQ(layout.bindings[0].divisor, 5u);
  EXPECT_TRUE(layout.bindings[0].per_instance);
  EXPECT_EQ(layout.bindings[1].divisor, 1u);
  EXPECT_FALSE(layout.bindings[1].per_instance);
  ASSERT_EQ(layout.attributes.size(), 1u);
  EXPECT_EQ(layout.attributes[0].location, 2u);
  EXPECT_EQ(layout.attributes[0].offset, 4u);
}

}  // namespace
}  // namespace shaderqa::layer
