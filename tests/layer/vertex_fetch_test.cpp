// SPDX-License-Identifier: Apache-2.0
// With the exact engine: what draws read of vertex buffers, as it is entered behind their render pass.
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "layer/vk/newer_commands.h"
#include "tests/layer/command_kit.h"
#include "tests/support/shader_object_info.h"

namespace shaderqa::layer_tests {
namespace {

// vertices.vert reads locations 0 (three components), 1 (two) and 3 (one), not 2.
constexpr VkVertexInputBindingDescription kBindings[] = {{0, 32, VK_VERTEX_INPUT_RATE_VERTEX},
                                                         {2, 8, VK_VERTEX_INPUT_RATE_INSTANCE}};
constexpr VkVertexInputAttributeDescription kAttributes[] = {{0, 0, VK_FORMAT_R32G32B32_SFLOAT, 0},
                                                             {1, 0, VK_FORMAT_R16G16_SFLOAT, 12},
                                                             {2, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16},
                                                             {3, 2, VK_FORMAT_R32_SFLOAT, 4}};

// A range of bytes: rows of `bytes`, `pitch` apart, from an offset in the buffer on.
struct Read {
  uint64_t offset = 0;
  uint32_t bytes = 0, rows = 1;
  uint64_t pitch = 0;
  bool operator==(const Read&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Read& read) {
  return out << read.rows << " x " << read.bytes << " bytes from " << read.offset << " on, " << read.pitch
             << " apart";
}

class VertexFetch : public CommandTest {
 protected:
  VertexFetch()
      : CommandTest({nullptr,
                     nullptr,
                     {"VK_EXT_shader_object", "VK_EXT_vertex_input_dynamic_state", "VK_EXT_multi_draw",
                      "VK_EXT_graphics_pipeline_library", "VK_KHR_pipeline_library",
                      "VK_NV_device_generated_commands", "VK_KHR_device_address_commands"}},
                    {}, "exact") {
    vertices_.emplace(device(), 1024, VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
    arguments_.emplace(device(), 256, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    module_ = create_module(device(), shaders::vertices_vert);
  }
  void TearDown() override {
    vk().vkDestroyShaderModule(device().handle, module_, nullptr);
    for (const VkPipeline pipeline : pipelines_) vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
    vertices_.reset();
    arguments_.reset();
    CommandTest::TearDown();
  }

  // Parts of a library's pipeline, or 0 for a whole one that links these.
  VkPipeline create(VkGraphicsPipelineLibraryFlagsEXT parts, const std::vector<VkDynamicState>& states = {},
                    const std::vector<VkPipeline>& libraries = {}) {
    VkPipelineVertexInputStateCreateInfo input{};
    input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
    input.vertexBindingDescriptionCount = 2;
    input.pVertexBindingDescriptions = kBindings;
    input.vertexAttributeDescriptionCount = 4;
    input.pVertexAttributeDescriptions = kAttributes;
    VkPipelineDynamicStateCreateInfo dynamic{};
    dynamic.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO;
    dynamic.dynamicStateCount = static_cast<uint32_t>(states.size());
    dynamic.pDynamicStates = states.data();
    VkPipelineLibraryCreateInfoKHR linked{};
    linked.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR;
    linked.libraryCount = static_cast<uint32_t>(libraries.size());
    linked.pLibraries = libraries.data();
    VkGraphicsPipelineLibraryCreateInfoEXT library{};
    library.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT;
    library.flags = parts;
    const VkPipelineShaderStageCreateInfo stage = stage_info(VK_SHADER_STAGE_VERTEX_BIT, module_);
    const bool has_shader =
        parts ? (parts & VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT) != 0
              : libraries.empty();
    VkGraphicsPipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
    info.pNext = parts ? static_cast<const void*>(&library) : libraries.empty() ? nullptr : &linked;
    info.stageCount = has_shader ? 1 : 0;
    info.pStages = &stage;
    info.pVertexInputState = &input;
    info.pDynamicState = &dynamic;
    info.layout = layout_;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vk().vkCreateGraphicsPipelines(device().handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "vkCreateGraphicsPipelines");
    pipelines_.push_back(pipeline);
    return pipeline;
  }

  // With the buffer bound for both bindings, from these offsets on; it is written to.
  VkCommandBuffer begin_drawing(VkPipeline pipeline) {
    const VkCommandBuffer commands = begin();
    vk().vkCmdFillBuffer(commands, vertices_->handle, 0, 4, 0);
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    const VkBuffer buffers[] = {vertices_->handle, VK_NULL_HANDLE, vertices_->handle};
    const VkDeviceSize offsets[] = {64, 0, 512};
    vk().vkCmdBindVertexBuffers(commands, 0, 3, buffers, offsets);
    VkRenderingInfo rendering{};
    rendering.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
    vk().vkCmdBeginRendering(commands, &rendering);
    return commands;
  }
  // What was entered behind the pass: of each draw its ranges.
  std::vector<std::vector<Read>> end_drawing(VkCommandBuffer commands, size_t entered_before = 1) {
    vk().vkCmdEndRendering(commands);
    end(commands);
    const auto all = entered(commands);
    std::vector<std::vector<Read>> draws;
    for (size_t i = entered_before; i < all.size(); ++i) {
      std::vector<Read>& reads = draws.emplace_back();
      for (const EnteredRange& range : all[i]) {
        EXPECT_FALSE(range.writes);
        reads.push_back({range.address - vertices_->address, range.bytes, range.rows, range.pitch});
      }
    }
    return draws;
  }
  using Draws = std::vector<std::vector<Read>>;

  // The ranges of the last draw.
  std::vector<EnteredRange> late(VkCommandBuffer commands) { return entered(commands).back(); }
  static constexpr uint32_t fields(uint32_t count, uint32_t factor, uint32_t first, uint32_t offset) {
    return count | factor << 8 | first << 16 | offset << 24;
  }

  std::optional<BoundBuffer> vertices_, arguments_;
  VkShaderModule module_ = VK_NULL_HANDLE;
  std::vector<VkPipeline> pipelines_;
};

TEST_F(VertexFetch, WhatTheShaderReadsOfEachElement) {
  const VkCommandBuffer commands = begin_drawing(create(0));
  vk().vkCmdDraw(commands, 3, 2, 4, 1);
  EXPECT_EQ(end_drawing(commands), (Draws{{{64 + 4 * 32, 16, 3, 32}, {512 + 8 + 4, 4, 2, 8}}}));
}

TEST_F(VertexFetch, BuffersMayBeBoundByTheirAddresses) {
  const VkCommandBuffer commands = begin_drawing(create(0, {VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE}));
  VkBindVertexBuffer3InfoKHR infos[3]{};
  infos[0].setStride = VK_TRUE;
  infos[0].addressRange = {vertices_->address + 128, 512, 48};
  infos[2].setStride = VK_TRUE;
  infos[2].addressRange = {vertices_->address + 768, 256, 8};
  const auto bind_buffers = reinterpret_cast<PFN_vkCmdBindVertexBuffers3KHR>(
      vkGetDeviceProcAddr(device().handle, "vkCmdBindVertexBuffers3KHR"));
  ASSERT_NE(bind_buffers, nullptr);
  bind_buffers(commands, 0, 3, infos);
  vk().vkCmdDraw(commands, 3, 2, 4, 1);
  EXPECT_EQ(end_drawing(commands), (Draws{{{128 + 4 * 48, 16, 3, 48}, {768 + 8 + 4, 4, 2, 8}}}));
}

// A group may have another vertex input than the pipeline; the input of compute pipelines is nobody's.
TEST_F(VertexFetch, NothingIsKnownOfTheInputOfAShaderGroup) {
  const VkPipeline pipeline = create(0);
  const VkCommandBuffer commands = begin_drawing(pipeline);
  vk().vkCmdBindPipelineShaderGroupNV(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline, 1);
  vk().vkCmdDraw(commands, 3, 1, 0, 0);
  EXPECT_EQ(end_drawing(commands), Draws{});
  const VkCommandBuffer beside = begin_drawing(pipeline);
  vk().vkCmdBindPipelineShaderGroupNV(beside, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_, 1);
  vk().vkCmdDraw(beside, 3, 1, 0, 0);
  EXPECT_EQ(end_drawing(beside), (Draws{{{64, 16, 3, 32}, {516, 4}}}));
}

TEST_F(VertexFetch, TheSameOnlyOnce) {
  const VkCommandBuffer commands = begin_drawing(create(0));
  vk().vkCmdDraw(commands, 3, 1, 0, 0);
  vk().vkCmdDraw(commands, 3, 1, 0, 0);
  vk().vkCmdDraw(commands, 3, 1, 3, 0);
  vk().vkCmdDraw(commands, 0, 1, 9, 0);
  vk().vkCmdDraw(commands, 3, 0, 9, 0);
  EXPECT_EQ(end_drawing(commands), (Draws{{{64, 16, 3, 32}, {516, 4}}, {{64 + 3 * 32, 16, 3, 32}}}));
}

TEST_F(VertexFetch, NothingBeyondTheBuffer) {
  const VkCommandBuffer commands = begin_drawing(create(0));
  vk().vkCmdDraw(commands, 31, 1, 0, 0);
  vk().vkCmdDraw(commands, 30, 100, 0, 0);
  EXPECT_EQ(end_drawing(commands), (Draws{{{516, 4}}, {{64, 16, 30, 32}}}));
}

TEST_F(VertexFetch, OfAnIndexedDrawIndicesWhatTheyNameAndInstances) {
  const VkCommandBuffer commands = begin_drawing(create(0));
  vk().vkCmdBindIndexBuffer(commands, vertices_->handle, 256, VK_INDEX_TYPE_UINT16);
  vk().vkCmdDrawIndexed(commands, 6, 3, 1, 7, 2);
  EXPECT_EQ(end_drawing(commands), (Draws{{{258, 12}, {64, 16, 6, 32}, {512 + 16 + 4, 4, 3, 8}}}));
  const EnteredRange named = entered(commands).at(1).at(1);
  EXPECT_EQ(named.indices, vertices_->address + 258);
  EXPECT_EQ(named.index_bytes, 2u);
  EXPECT_EQ(named.row_offset, 7u);
  EXPECT_EQ(named.last_row, (1024u - 64 - 16) / 32);
}

TEST_F(VertexFetch, WithOneVertexForAllIndicesNameNothing) {
  const VkCommandBuffer commands = begin_drawing(create(0, {VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE}));
  const VkDeviceSize offset = 128, size = 100, stride = 0, small = 15, large = 32;
  vk().vkCmdBindIndexBuffer(commands, vertices_->handle, 256, VK_INDEX_TYPE_UINT32);
  vk().vkCmdBindVertexBuffers2(commands, 0, 1, &vertices_->handle, &offset, &size, &stride);
  vk().vkCmdDrawIndexed(commands, 3, 1, 0, -1, 0);
  vk().vkCmdBindVertexBuffers2(commands, 0, 1, &vertices_->handle, &offset, &small, &large);
  vk().vkCmdDrawIndexed(commands, 3, 1, 9, 0, 0);
  EXPECT_EQ(end_drawing(commands), (Draws{{{256, 12}, {128, 16}}, {{256 + 36, 12}}}))
      << "no vertex lies within the smaller one";
}

TEST_F(VertexFetch, OfMultiDrawsAll) {
  const VkCommandBuffer commands = begin_drawing(create(0));
  const VkMultiDrawInfoEXT draws[] = {{0, 3}, {9, 9}, {4, 2}, {9, 9}, {7, 0}};
  vk().vkCmdDrawMultiEXT(commands, 3, draws, 1, 1, 2 * sizeof draws[0]);
  vk().vkCmdBindIndexBuffer(commands, vertices_->handle, 256, VK_INDEX_TYPE_UINT32);
  const VkMultiDrawIndexedInfoEXT indexed[] = {{0, 3, 5}, {6, 1, 0}};
  vk().vkCmdDrawMultiIndexedEXT(commands, 2, indexed, 1, 2, sizeof indexed[0], nullptr);
  EXPECT_EQ(end_drawing(commands),
            (Draws{{{64, 16, 3, 32}, {64 + 4 * 32, 16, 2, 32}, {524, 4}},
                   {{256, 12}, {256 + 24, 4}, {64, 16, 3, 32}, {64, 16, 1, 32}, {532, 4}}}));
  EXPECT_EQ(entered(commands).at(2).at(2).row_offset, 5u);
  EXPECT_EQ(entered(commands).at(2).at(3).row_offset, 0u);
}

TEST_F(VertexFetch, DynamicStrides) {
  const VkCommandBuffer commands = begin_drawing(create(0, {VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE}));
  vk().vkCmdDraw(commands, 3, 1, 0, 0);
  const VkDeviceSize offset = 128, size = 100, stride = 48;
  vk().vkCmdBindVertexBuffers2(commands, 0, 1, &vertices_->handle, &offset, &size, &stride);
  vk().vkCmdDraw(commands, 2, 1, 0, 0);
  vk().vkCmdDraw(commands, 3, 1, 0, 0);
  EXPECT_EQ(end_drawing(commands), (Draws{{{128, 16, 2, 48}}}))
      << "not before there is a stride, and nothing beyond the bound size";
}

TEST_F(VertexFetch, DynamicVertexInput) {
  const VkCommandBuffer commands = begin_drawing(create(0, {VK_DYNAMIC_STATE_VERTEX_INPUT_EXT}));
  vk().vkCmdDraw(commands, 3, 1, 0, 0);
  VkVertexInputBindingDescription2EXT binding{};
  binding.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT;
  binding.binding = 2;
  binding.stride = 20;
  binding.inputRate = VK_VERTEX_INPUT_RATE_INSTANCE;
  binding.divisor = 2;
  VkVertexInputAttributeDescription2EXT attribute{};
  attribute.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT;
  attribute.location = 1;
  attribute.binding = 2;
  attribute.format = VK_FORMAT_R32G32B32A32_SFLOAT;
  vk().vkCmdSetVertexInputEXT(commands, 1, &binding, 1, &attribute);
  vk().vkCmdDraw(commands, 3, 3, 0, 1);
  EXPECT_EQ(end_drawing(commands), (Draws{{{512 + 20, 8, 2, 20}}}));
}

TEST_F(VertexFetch, OfLinkedLibraries) {
  const VkPipeline input = create(VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT);
  const VkPipeline shaders = create(VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT);
  const VkCommandBuffer commands = begin_drawing(create(0, {}, {input, shaders}));
  vk().vkCmdDraw(commands, 3, 1, 0, 0);
  EXPECT_EQ(end_drawing(commands), (Draws{{{64, 16, 3, 32}, {516, 4}}}));
  const VkCommandBuffer others = begin_drawing(create(0, {}, {shaders}));
  vk().vkCmdDraw(others, 3, 1, 0, 0);
  EXPECT_TRUE(end_drawing(others).empty()) << "nothing is known of its input";
}

TEST_F(VertexFetch, OfShaderObjects) {
  const auto info = testing::shader_object_info(VK_SHADER_STAGE_VERTEX_BIT, shaders::vertices_vert);
  VkShaderEXT shader = VK_NULL_HANDLE;
  check(vk().vkCreateShadersEXT(device().handle, 1, &info, nullptr, &shader), "vkCreateShadersEXT");
  const VkCommandBuffer commands = begin_drawing(create(0));
  VkVertexInputBindingDescription2EXT binding{};
  binding.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT;
  binding.stride = 12;
  binding.divisor = 1;
  VkVertexInputAttributeDescription2EXT attribute{};
  attribute.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT;
  attribute.format = VK_FORMAT_R32G32B32_SFLOAT;
  const VkShaderStageFlagBits stage = VK_SHADER_STAGE_VERTEX_BIT;
  vk().vkCmdBindShadersEXT(commands, 1, &stage, &shader);
  vk().vkCmdSetVertexInputEXT(commands, 1, &binding, 1, &attribute);
  vk().vkCmdDraw(commands, 3, 1, 1, 0);
  EXPECT_EQ(end_drawing(commands), (Draws{{{64 + 12, 36}}}));
  vk().vkDestroyShaderEXT(device().handle, shader, nullptr);
}

// As much as the bound buffers have: the arguments say what of it.
TEST_F(VertexFetch, OfIndirectDrawsWhatTheirArgumentsName) {
  const VkCommandBuffer commands = begin_drawing(create(0));
  for (int twice = 0; twice < 2; ++twice) vk().vkCmdDrawIndirect(commands, arguments_->handle, 16, 2, 32);
  const Read vertices{64, 16, (1024 - 64 - 16) / 32 + 1, 32}, instances{516, 4, (512 - 8) / 8 + 1, 8};
  EXPECT_EQ(end_drawing(commands), (Draws{{vertices, vertices, instances, instances}}));
  const std::vector<EnteredRange> ranges = late(commands);
  for (uint32_t i = 0; i < 4; ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(ranges[i].arguments, arguments_->address + 16 + (i % 2) * 32);
    EXPECT_EQ(ranges[i].fields, i < 2 ? fields(0, 1, 2, 0) : fields(1, 0, 3, 0));
    EXPECT_EQ(ranges[i].divisor, 1u);
    EXPECT_EQ(ranges[i].draws, 0u);
    EXPECT_EQ(ranges[i].indices, 0u);
  }
}

TEST_F(VertexFetch, OfIndexedIndirectDrawsIndicesAndWhatTheyName) {
  const VkCommandBuffer commands = begin_drawing(create(0));
  vk().vkCmdBindIndexBuffer(commands, vertices_->handle, 258, VK_INDEX_TYPE_UINT16);
  vk().vkCmdDrawIndexedIndirect(commands, arguments_->handle, 4, 1, 0);
  constexpr uint32_t indices = (1024 - 258) / 2;
  EXPECT_EQ(end_drawing(commands),
            (Draws{{{258, 2, indices, 2}, {64, 16, indices, 32}, {516, 4, (512 - 8) / 8 + 1, 8}}}));
  const std::vector<EnteredRange> ranges = late(commands);
  for (const EnteredRange& range : ranges) EXPECT_EQ(range.arguments, arguments_->address + 4);
  EXPECT_EQ(ranges[0].fields, fields(0, 1, 2, 3));
  EXPECT_EQ(ranges[0].indices, 0u);
  EXPECT_EQ(ranges[1].fields, fields(0, 1, 2, 3));
  EXPECT_EQ(ranges[1].indices, vertices_->address + 258);
  EXPECT_EQ(ranges[1].index_bytes, 2u);
  EXPECT_EQ(ranges[1].last_row, (1024u - 64 - 16) / 32);
  EXPECT_EQ(ranges[2].fields, fields(1, 0, 4, 0));
}

TEST_F(VertexFetch, CountedDrawsAreMadeWhereTheyAreBelowTheCount) {
  const VkCommandBuffer commands = begin_drawing(create(0, {VK_DYNAMIC_STATE_VERTEX_INPUT_EXT}));
  VkVertexInputBindingDescription2EXT binding{};
  binding.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT;
  binding.stride = 16;
  binding.inputRate = VK_VERTEX_INPUT_RATE_INSTANCE;
  binding.divisor = 3;
  VkVertexInputAttributeDescription2EXT attribute{};
  attribute.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT;
  attribute.format = VK_FORMAT_R32_SFLOAT;
  vk().vkCmdSetVertexInputEXT(commands, 1, &binding, 1, &attribute);
  vk().vkCmdDrawIndirectCount(commands, arguments_->handle, 0, arguments_->handle, 252, 3, 16);
  vk().vkCmdDrawIndexedIndirectCount(commands, arguments_->handle, 0, arguments_->handle, 252, 1, 20);
  const Read instances{64, 4, (1024 - 64 - 4) / 16 + 1, 16};
  EXPECT_EQ(end_drawing(commands), (Draws{{instances, instances, instances}, {instances}}))
      << "instances, without indices, too";
  const std::vector<EnteredRange> counted = entered(commands).at(1);
  for (uint32_t i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(counted[i].arguments, arguments_->address + i * 16);
    EXPECT_EQ(counted[i].divisor, 3u);
    EXPECT_EQ(counted[i].draws, arguments_->address + 252);
    EXPECT_EQ(counted[i].draw, i);
  }
}

TEST_F(VertexFetch, OnlyArgumentsInTheirBufferAndOfTheFirstDraws) {
  const VkCommandBuffer commands = begin_drawing(create(0));
  vk().vkCmdDrawIndirect(commands, arguments_->handle, 0, 1000, 0);
  vk().vkCmdDrawIndirect(commands, arguments_->handle, 192, 9, 24);
  vk().vkCmdDrawIndirect(commands, arguments_->handle, 244, 1, 16);
  vk().vkCmdDrawIndirect(commands, arguments_->handle, 0, 0, 16);
  vk().vkCmdDrawIndirectCount(commands, arguments_->handle, 0, arguments_->handle, 256, 1, 16);
  const Draws draws = end_drawing(commands);
  ASSERT_EQ(draws.size(), 2u);
  EXPECT_EQ(draws[0].size(), 2u) << "all are the same";
  EXPECT_EQ(draws[1].size(), 3u * 2) << "of a fourth one the buffer has not enough";
}

TEST_F(VertexFetch, AtMost64DrawsOfACommand) {
  const BoundBuffer many(device(), 4096, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  const VkCommandBuffer commands = begin_drawing(create(0));
  vk().vkCmdDrawIndirect(commands, many.handle, 0, 256, 16);
  const Draws draws = end_drawing(commands);
  ASSERT_EQ(draws.size(), 1u);
  EXPECT_EQ(draws[0].size(), 64u * 2);
}

// The pass may write to the arguments, or indices, from then on: behind it they are not what was drawn by.
TEST_F(VertexFetch, WhatTheDeviceReadsLateIsForgottenAtABarrierOfThePass) {
  const VkCommandBuffer commands = begin_drawing(create(0));
  vk().vkCmdBindIndexBuffer(commands, vertices_->handle, 256, VK_INDEX_TYPE_UINT16);
  vk().vkCmdDrawIndexedIndirect(commands, arguments_->handle, 0, 1, 20);
  vk().vkCmdDrawIndexed(commands, 6, 3, 1, 7, 2);
  barrier(commands, VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, 0, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, 0);
  vk().vkCmdDrawIndirect(commands, arguments_->handle, 0, 1, 16);
  const Draws draws = end_drawing(commands);
  ASSERT_EQ(draws.size(), 2u);
  EXPECT_EQ(draws[0], (std::vector<Read>{{258, 12}, {512 + 16 + 4, 4, 3, 8}}));
  EXPECT_EQ(draws[1].size(), 2u);
}

TEST_F(VertexFetch, NothingWhereNothingIsWritten) {
  const VkCommandBuffer writer = begin();
  vk().vkCmdFillBuffer(writer, vertices_->handle, 0, 4, 0);
  end(writer);
  for (const bool written : {true, false}) {
    if (!written) check(vk().vkResetCommandBuffer(writer, 0), "vkResetCommandBuffer");
    const VkPipeline pipeline = create(0);
    const VkCommandBuffer commands = begin();
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    const VkDeviceSize offset = 0;
    vk().vkCmdBindVertexBuffers(commands, 0, 1, &vertices_->handle, &offset);
    VkRenderingInfo rendering{};
    rendering.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
    vk().vkCmdBeginRendering(commands, &rendering);
    vk().vkCmdDraw(commands, 3, 1, 0, 0);
    EXPECT_EQ(end_drawing(commands, 0).size(), written ? 1u : 0u);
  }
}

}  // namespace
}  // namespace shaderqa::layer_tests
