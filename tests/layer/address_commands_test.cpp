// SPDX-License-Identifier: Apache-2.0
// Commands that are newer than the headers (layer/vk/newer_commands.h), with the exact engine: each of
// VK_KHR_device_address_commands does what its form with a buffer does, and others what they should.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_order.h"
#include "layer/vk/newer_commands.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

class AddressCommands : public CommandTest {
 protected:
  AddressCommands()
      : CommandTest({nullptr,
                     nullptr,
                     {"VK_KHR_device_address_commands", "VK_EXT_conditional_rendering",
                      "VK_EXT_transform_feedback", "VK_KHR_maintenance10", "VK_AMD_buffer_marker",
                      "VK_NV_memory_decompression", "VK_QCOM_tile_shading"}},
                    {}, "exact") {
    target_.emplace(device(), 512, kUsage);
  }
  void TearDown() override {
    target_.reset();
    CommandTest::TearDown();
  }

  template <typename Function>
  Function command(const char* name) const {
    const auto found = reinterpret_cast<Function>(vkGetDeviceProcAddr(device().handle, name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  VkDeviceAddressRangeKHR range(VkDeviceSize offset, VkDeviceSize size) const {
    return {target_->address + offset, size};
  }
  // What the command buffer is that these commands make.
  struct Effect {
    std::vector<std::vector<EnteredRange>> entered;
    std::vector<uint64_t> indirect;  // of each record: what its shaders check of its arguments
    size_t commands = 0;             // that reached the driver
    bool operator==(const Effect&) const = default;
  };
  Effect effect_of(const std::function<void(VkCommandBuffer)>& make) {
    const size_t before = records().size();
    const VkCommandBuffer commands = begin();
    // It is written to, or nothing would be known to write what draws read.
    vk().vkCmdFillBuffer(commands, target_->handle, 0, VK_WHOLE_SIZE, 0);
    make(commands);
    end(commands);
    Effect effect;
    effect.entered = entered(commands);
    for (size_t i = before; i < records().size(); ++i) {
      effect.indirect.push_back(address_at(records()[i], SQA_ACTION_INDIRECT));
      effect.indirect.push_back(records()[i][SQA_ACTION_INDIRECT_BYTES]);
    }
    effect.commands = stream_of(commands).size();
    return effect;
  }
  // Entered behind the fill that comes before.
  void expect_same(const std::function<void(VkCommandBuffer)>& by_buffer,
                   const std::function<void(VkCommandBuffer)>& by_address) {
    const Effect expected = effect_of(by_buffer);
    const Effect effect = effect_of(by_address);
    EXPECT_EQ(effect.entered, expected.entered);
    EXPECT_EQ(effect.indirect, expected.indirect);
    EXPECT_EQ(effect.commands, expected.commands);
    EXPECT_TRUE(effect.entered.size() > 1 || !effect.indirect.empty()) << "nothing was compared";
  }
  void begin_rendering(VkCommandBuffer commands) {
    VkRenderingInfo rendering{};
    rendering.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
    vk().vkCmdBeginRendering(commands, &rendering);
  }
  // All floors of a record's action.
  static std::vector<uint32_t> floors(size_t record) {
    const auto* const words =
        reinterpret_cast<const uint32_t*>(address_at(records().at(record), SQA_ACTION_FLOORS));
    return {words, words + SQA_FLOOR_HEADER_DWORDS + words[0] * SQA_REGION_DWORDS};
  }

  static constexpr VkBufferUsageFlags kUsage =
      VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
      VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT;
  std::optional<BoundBuffer> target_;
};

TEST_F(AddressCommands, Transfers) {
  expect_same([&](VkCommandBuffer c) { vk().vkCmdFillBuffer(c, target_->handle, 16, 64, 7); },
              [&](VkCommandBuffer c) {
                const VkDeviceAddressRangeKHR to = range(16, 64);
                command<PFN_vkCmdFillMemoryKHR>("vkCmdFillMemoryKHR")(c, &to, 0, 7);
              });
  const uint32_t words[3] = {1, 2, 3};
  expect_same([&](VkCommandBuffer c) { vk().vkCmdUpdateBuffer(c, target_->handle, 32, sizeof words, words); },
              [&](VkCommandBuffer c) {
                const VkDeviceAddressRangeKHR to = range(32, 64);
                command<PFN_vkCmdUpdateMemoryKHR>("vkCmdUpdateMemoryKHR")(c, &to, 0, sizeof words, words);
              });
  expect_same(
      [&](VkCommandBuffer c) {
        const VkBufferCopy regions[] = {{0, 128, 16}, {16, 256, 32}};
        vk().vkCmdCopyBuffer(c, target_->handle, target_->handle, 2, regions);
      },
      [&](VkCommandBuffer c) {
        VkDeviceMemoryCopyKHR regions[2]{};
        regions[0].srcRange = range(0, 16);
        regions[0].dstRange = range(128, 16);
        regions[1].srcRange = range(16, 32);
        regions[1].dstRange = range(256, 32);
        VkCopyDeviceMemoryInfoKHR info{};
        info.regionCount = 2;
        info.pRegions = regions;
        command<PFN_vkCmdCopyMemoryKHR>("vkCmdCopyMemoryKHR")(c, &info);
      });
}

TEST_F(AddressCommands, QueryResults) {
  VkQueryPoolCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  create.queryType = VK_QUERY_TYPE_TIMESTAMP;
  create.queryCount = 4;
  VkQueryPool pool = VK_NULL_HANDLE;
  check(vk().vkCreateQueryPool(device().handle, &create, nullptr, &pool), "vkCreateQueryPool");
  const VkQueryResultFlags flags = VK_QUERY_RESULT_WAIT_BIT | VK_QUERY_RESULT_64_BIT;
  expect_same(
      [&](VkCommandBuffer c) {
        vk().vkCmdCopyQueryPoolResults(c, pool, 1, 3, target_->handle, 64, 16, flags);
      },
      [&](VkCommandBuffer c) {
        const VkStridedDeviceAddressRangeKHR to{target_->address + 64, 48, 16};
        command<PFN_vkCmdCopyQueryPoolResultsToMemoryKHR>("vkCmdCopyQueryPoolResultsToMemoryKHR")(
            c, pool, 1, 3, &to, 0, flags);
      });
  vk().vkDestroyQueryPool(device().handle, pool, nullptr);
}

TEST_F(AddressCommands, CopiesBetweenImagesAndMemory) {
  const VkImageCreateInfo create = plain_image(VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  VkImage image = VK_NULL_HANDLE;
  check(vk().vkCreateImage(device().handle, &create, nullptr, &image), "vkCreateImage");
  VkBufferImageCopy region{};
  region.bufferOffset = 64;
  region.bufferRowLength = 5;
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {4, 3, 1};
  VkDeviceMemoryImageCopyKHR addressed{};
  addressed.addressRange = range(64, 128);
  addressed.addressRowLength = 5;
  addressed.imageSubresource = region.imageSubresource;
  addressed.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  addressed.imageExtent = region.imageExtent;
  VkCopyDeviceMemoryImageInfoKHR info{};
  info.image = image;
  info.regionCount = 1;
  info.pRegions = &addressed;
  expect_same(
      [&](VkCommandBuffer c) {
        vk().vkCmdCopyImageToBuffer(c, image, VK_IMAGE_LAYOUT_GENERAL, target_->handle, 1, &region);
      },
      [&](VkCommandBuffer c) {
        command<PFN_vkCmdCopyImageToMemoryKHR>("vkCmdCopyImageToMemoryKHR")(c, &info);
      });
  expect_same(
      [&](VkCommandBuffer c) {
        vk().vkCmdCopyBufferToImage(c, target_->handle, image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
      },
      [&](VkCommandBuffer c) {
        command<PFN_vkCmdCopyMemoryToImageKHR>("vkCmdCopyMemoryToImageKHR")(c, &info);
      });
  vk().vkDestroyImage(device().handle, image, nullptr);
}

TEST_F(AddressCommands, DispatchesGetTheirRecords) {
  expect_same(
      [&](VkCommandBuffer c) {
        bind(c);
        vk().vkCmdDispatchIndirect(c, target_->handle, 128);
      },
      [&](VkCommandBuffer c) {
        bind(c);
        VkDispatchIndirect2InfoKHR info{};
        info.addressRange = range(128, 12);
        command<PFN_vkCmdDispatchIndirect2KHR>("vkCmdDispatchIndirect2KHR")(c, &info);
      });
}

TEST_F(AddressCommands, DrawsGetTheirRecords) {
  VkDrawIndirect2InfoKHR info{};
  info.addressRange = {target_->address + 64, 80, 40};
  info.drawCount = 2;
  VkDrawIndirectCount2InfoKHR counted{};
  counted.addressRange = info.addressRange;
  counted.countAddressRange = range(16, 4);
  counted.maxDrawCount = 2;
  const auto in_pass = [&](const std::function<void(VkCommandBuffer)>& draw) {
    return [this, draw](VkCommandBuffer c) {
      bind_graphics(c);
      vk().vkCmdBindIndexBuffer(c, target_->handle, 256, VK_INDEX_TYPE_UINT16);
      begin_rendering(c);
      draw(c);
      vk().vkCmdEndRendering(c);
    };
  };
  expect_same(in_pass([&](VkCommandBuffer c) { vk().vkCmdDrawIndirect(c, target_->handle, 64, 2, 40); }),
              in_pass([&](VkCommandBuffer c) {
                command<PFN_vkCmdDrawIndirect2KHR>("vkCmdDrawIndirect2KHR")(c, &info);
              }));
  expect_same(
      in_pass([&](VkCommandBuffer c) { vk().vkCmdDrawIndexedIndirect(c, target_->handle, 64, 2, 40); }),
      in_pass([&](VkCommandBuffer c) {
        command<PFN_vkCmdDrawIndexedIndirect2KHR>("vkCmdDrawIndexedIndirect2KHR")(c, &info);
      }));
  expect_same(in_pass([&](VkCommandBuffer c) {
                vk().vkCmdDrawIndirectCount(c, target_->handle, 64, target_->handle, 16, 2, 40);
              }),
              in_pass([&](VkCommandBuffer c) {
                command<PFN_vkCmdDrawIndirectCount2KHR>("vkCmdDrawIndirectCount2KHR")(c, &counted);
              }));
  expect_same(in_pass([&](VkCommandBuffer c) {
                vk().vkCmdDrawIndexedIndirectCount(c, target_->handle, 64, target_->handle, 16, 2, 40);
              }),
              in_pass([&](VkCommandBuffer c) {
                command<PFN_vkCmdDrawIndexedIndirectCount2KHR>("vkCmdDrawIndexedIndirectCount2KHR")(c,
                                                                                                    &counted);
              }));
}

// How many of the draws are made is not known then, so what they read is not either.
TEST_F(AddressCommands, ACountOutsideOfBuffersIsNoneOfAll) {
  VkDrawIndirectCount2InfoKHR counted{};
  counted.addressRange = {target_->address + 64, 80, 40};
  counted.countAddressRange = {16, 4};
  counted.maxDrawCount = 2;
  const Effect effect = effect_of([&](VkCommandBuffer c) {
    bind_graphics(c);
    vk().vkCmdBindIndexBuffer(c, target_->handle, 256, VK_INDEX_TYPE_UINT16);
    begin_rendering(c);
    command<PFN_vkCmdDrawIndexedIndirectCount2KHR>("vkCmdDrawIndexedIndirectCount2KHR")(c, &counted);
    vk().vkCmdEndRendering(c);
  });
  EXPECT_EQ(effect.entered.size(), 1u) << "the fill alone";
  ASSERT_EQ(effect.indirect.size(), 4u) << "the fill has a record, too";
  EXPECT_EQ(effect.indirect[2], 0u) << "nothing is read there";
}

TEST_F(AddressCommands, IndicesAreReadWhereTheyAreBound) {
  const auto draw = [&](const std::function<void(VkCommandBuffer)>& bind_indices) {
    return [this, bind_indices](VkCommandBuffer c) {
      bind_graphics(c);
      bind_indices(c);
      begin_rendering(c);
      vk().vkCmdDrawIndexed(c, 6, 1, 3, 0, 0);
      vk().vkCmdEndRendering(c);
    };
  };
  expect_same(draw([&](VkCommandBuffer c) {
                vk().vkCmdBindIndexBuffer(c, target_->handle, 256, VK_INDEX_TYPE_UINT16);
              }),
              draw([&](VkCommandBuffer c) {
                VkBindIndexBuffer3InfoKHR info{};
                info.addressRange = range(256, 64);
                info.indexType = VK_INDEX_TYPE_UINT16;
                command<PFN_vkCmdBindIndexBuffer3KHR>("vkCmdBindIndexBuffer3KHR")(c, &info);
              }));
}

TEST_F(AddressCommands, ConditionsAreRead) {
  expect_same(
      [&](VkCommandBuffer c) {
        VkConditionalRenderingBeginInfoEXT info{};
        info.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT;
        info.buffer = target_->handle;
        info.offset = 96;
        vk().vkCmdBeginConditionalRenderingEXT(c, &info);
        vk().vkCmdEndConditionalRenderingEXT(c);
      },
      [&](VkCommandBuffer c) {
        VkConditionalRenderingBeginInfo2EXT info{};
        info.addressRange = range(96, 4);
        command<PFN_vkCmdBeginConditionalRendering2EXT>("vkCmdBeginConditionalRendering2EXT")(c, &info);
        vk().vkCmdEndConditionalRenderingEXT(c);
      });
}

// A draw behind transform feedback, and one that it has counted.
TEST_F(AddressCommands, TransformFeedback) {
  VkBindTransformFeedbackBuffer2InfoEXT counter{};
  counter.addressRange = range(0, 4);
  const VkCommandBuffer commands = begin();
  bind_graphics(commands);
  command<PFN_vkCmdBeginTransformFeedback2EXT>("vkCmdBeginTransformFeedback2EXT")(commands, 0, 1, &counter);
  command<PFN_vkCmdEndTransformFeedback2EXT>("vkCmdEndTransformFeedback2EXT")(commands, 0, 1, &counter);
  command<PFN_vkCmdDrawIndirectByteCount2EXT>("vkCmdDrawIndirectByteCount2EXT")(commands, 1, 0, &counter, 0,
                                                                                16);
  end(commands);
  EXPECT_EQ(records().size(), 1u);
  EXPECT_EQ(notes_about("transform feedback").size(), 1u);
  EXPECT_EQ(notes_about("vkCmdDrawIndirectByteCountEXT").size(), 1u);
}

TEST_F(AddressCommands, BarriersNameRanges) {
  const auto floors_behind = [&](const std::function<void(VkCommandBuffer)>& order) {
    const size_t before = records().size();
    const VkCommandBuffer commands = begin();
    bind(commands);
    dispatch(commands);
    order(commands);
    dispatch(commands);
    end(commands);
    EXPECT_EQ(records().size(), before + 2);
    return floors(before + 1);
  };
  const auto dependency = [&](VkCommandBuffer commands, const void* chain,
                              std::vector<VkBufferMemoryBarrier2> buffers = {}) {
    VkDependencyInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
    info.pNext = chain;
    info.bufferMemoryBarrierCount = static_cast<uint32_t>(buffers.size());
    info.pBufferMemoryBarriers = buffers.data();
    vk().vkCmdPipelineBarrier2(commands, &info);
  };
  VkBufferMemoryBarrier2 buffer{};
  buffer.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2;
  buffer.srcStageMask = buffer.dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
  buffer.srcAccessMask = VK_ACCESS_2_SHADER_WRITE_BIT;
  buffer.dstAccessMask = VK_ACCESS_2_SHADER_READ_BIT;
  buffer.buffer = target_->handle;
  buffer.offset = 64;
  buffer.size = 128;
  VkMemoryRangeBarrierKHR addressed{};
  addressed.sType = VK_STRUCTURE_TYPE_MEMORY_RANGE_BARRIER_KHR;
  addressed.srcStageMask = addressed.dstStageMask = buffer.srcStageMask;
  addressed.srcAccessMask = buffer.srcAccessMask;
  addressed.dstAccessMask = buffer.dstAccessMask;
  addressed.addressRange = range(64, 128);
  VkMemoryRangeBarriersInfoKHR chained{};
  chained.sType = VK_STRUCTURE_TYPE_MEMORY_RANGE_BARRIERS_INFO_KHR;
  chained.memoryRangeBarrierCount = 1;
  chained.pMemoryRangeBarriers = &addressed;
  const auto nothing = floors_behind([&](VkCommandBuffer c) { dependency(c, nullptr); });
  const auto by_buffer = floors_behind([&](VkCommandBuffer c) { dependency(c, nullptr, {buffer}); });
  const auto by_range = floors_behind([&](VkCommandBuffer c) { dependency(c, &chained); });
  EXPECT_NE(by_buffer, nothing);
  EXPECT_EQ(by_range, by_buffer);
  addressed.addressRange.size = UINT64_MAX - addressed.addressRange.address;
  const auto to_the_end = floors_behind([&](VkCommandBuffer c) { dependency(c, &chained); });
  addressed.addressRange.size = VK_WHOLE_SIZE;
  EXPECT_EQ(floors_behind([&](VkCommandBuffer c) { dependency(c, &chained); }), to_the_end);
  // What this version does not know orders everything: no hazard is invented.
  VkBaseInStructure unknown{};
  unknown.sType = static_cast<VkStructureType>(1999999001);
  const auto by_unknown = floors_behind([&](VkCommandBuffer c) { dependency(c, &unknown); });
  VkMemoryBarrier2 all{};
  all.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
  all.srcStageMask = all.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  all.srcAccessMask = all.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
  const auto memory = [&](const VkMemoryBarrier2& barrier) {
    return floors_behind([&](VkCommandBuffer c) {
      VkDependencyInfo info{};
      info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
      info.memoryBarrierCount = 1;
      info.pMemoryBarriers = &barrier;
      vk().vkCmdPipelineBarrier2(c, &info);
    });
  };
  EXPECT_EQ(by_unknown, memory(all));
  VkMemoryBarrier2 more = all;
  more.pNext = &unknown;
  more.srcAccessMask = more.dstAccessMask = 0;
  EXPECT_EQ(memory(more), memory(all));
}

TEST_F(AddressCommands, APassEndsInEachWay) {
  const auto draw = [&](const std::function<void(VkCommandBuffer)>& end_pass) {
    return [this, end_pass](VkCommandBuffer c) {
      bind_graphics(c);
      vk().vkCmdBindIndexBuffer(c, target_->handle, 0, VK_INDEX_TYPE_UINT32);
      begin_rendering(c);
      vk().vkCmdDrawIndexed(c, 3, 1, 0, 0, 0);
      end_pass(c);
      vk().vkCmdFillBuffer(c, target_->handle, 0, 4, 0);
    };
  };
  expect_same(draw([&](VkCommandBuffer c) { vk().vkCmdEndRendering(c); }), draw([&](VkCommandBuffer c) {
                const VkRenderingEndInfoKHR info{};
                command<PFN_vkCmdEndRendering2KHR>("vkCmdEndRendering2KHR")(c, &info);
              }));
}

TEST_F(AddressCommands, DispatchesOfTilesGetTheirRecords) {
  const VkCommandBuffer commands = begin();
  bind(commands);
  const VkDispatchTileInfoQCOM info{};
  command<PFN_vkCmdDispatchTileQCOM>("vkCmdDispatchTileQCOM")(commands, &info);
  end(commands);
  EXPECT_EQ(stream_of(commands),
            joined({kBound, {"CmdPipelineBarrier", "bind record", "CmdDispatchTileQCOM"}}));
}

TEST_F(AddressCommands, WhatOtherCommandsAccessIsNotedOnce) {
  const VkCommandBuffer commands = begin();
  for (uint32_t i = 0; i < 2; ++i)
    command<PFN_vkCmdWriteBufferMarkerAMD>("vkCmdWriteBufferMarkerAMD")(
        commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, target_->handle, 8, i);
  VkDecompressMemoryRegionNV region{};
  region.srcAddress = 5;
  command<PFN_vkCmdDecompressMemoryNV>("vkCmdDecompressMemoryNV")(commands, 1, &region);
  end(commands);
  EXPECT_EQ(stream_of(commands),
            with_ends({"CmdWriteBufferMarkerAMD", "CmdWriteBufferMarkerAMD", "CmdDecompressMemoryNV"}));
  EXPECT_EQ(notes_about("what vkCmdWriteBufferMarkerAMD accesses is not checked").size(), 1u);
  EXPECT_EQ(notes_about("what vkCmdDecompressMemoryNV accesses is not checked").size(), 1u);
}

}  // namespace
}  // namespace shaderqa::layer_tests
