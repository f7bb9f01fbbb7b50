// SPDX-License-Identifier: Apache-2.0
// With sync_host: when the layer looks at what the host may read, and what its look is told.
#include <string>
#include <vector>

#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_order.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

constexpr uint32_t kC = SQA_CLASS_COMPUTE;

class HostReads : public CommandTest {
 protected:
  explicit HostReads(const char* when = "waits")
      : CommandTest({}, host_visible(), "exact", {{"SHADERQA_SYNC_HOST", when}}) {}

  void map() {
    void* data = nullptr;
    check(vk().vkMapMemory(device().handle, buffer_->memory(), 0, VK_WHOLE_SIZE, 0, &data), "vkMapMemory");
  }
  void unmap() { vk().vkUnmapMemory(device().handle, buffer_->memory()); }
  void invalidate(VkDeviceSize offset, VkDeviceSize size) {
    VkMappedMemoryRange range{};
    range.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE;
    range.memory = buffer_->memory();
    range.offset = offset;
    range.size = size;
    check(vk().vkInvalidateMappedMemoryRanges(device().handle, 1, &range), "vkInvalidateMappedMemoryRanges");
  }
  void wait() { check(vk().vkQueueWaitIdle(device().queue), "vkQueueWaitIdle"); }
  void host_barrier(VkCommandBuffer commands) {
    barrier(commands, kComputeStage, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
            VK_ACCESS_HOST_READ_BIT);
  }
  // A dispatch that may write to the buffer.
  void write(bool visible = false) {
    const VkCommandBuffer commands = begin();
    bind(commands);
    dispatch(commands);
    if (visible) host_barrier(commands);
    end(commands);
    submit({commands});
    ++submissions_;
  }
  // Batches of the layer's own.
  size_t looks() const { return driver().log().batches.size() - submissions_; }
  static VkCommandBuffer last_look() {
    return reinterpret_cast<VkCommandBuffer>(driver().log().batches.back().command_buffers.back());
  }
  // The dwords of a queue, as abi_order.h has them, in the check of what the host read last.
  static const uint32_t* floors(uint32_t queue = 0) {
    const auto block = reinterpret_cast<const uint32_t*>(address_at(records().back(), SQA_ACTION_FLOORS));
    EXPECT_EQ(block[1], uint32_t{SQA_CLASS_HOST});
    return block + SQA_FLOOR_HEADER_DWORDS + queue * SQA_HOST_DWORDS;
  }
  static void fail(const std::string& command) {
    null_driver::Config config = host_visible();
    config.faults.push_back({command, 1, VK_ERROR_OUT_OF_DEVICE_MEMORY});
    driver().configure(config);
  }

  size_t submissions_ = 0;
};

class HostReadsOfMaps : public HostReads {
 protected:
  HostReadsOfMaps() : HostReads("maps") {}
};

class HostReadsOff : public HostReads {
 protected:
  HostReadsOff() : HostReads("none") {}
};

TEST_F(HostReads, AWaitLooksAtWhatIsMapped) {
  map();
  write();
  EXPECT_EQ(looks(), 0u) << "it has not waited";
  wait();
  ASSERT_EQ(looks(), 1u);
  EXPECT_EQ(stream_of(last_look()),
            with_ends({"CmdPipelineBarrier", "CmdBindPipeline", "CmdDispatchBase", "CmdPipelineBarrier"}));
  const auto ranges = entered(last_look());
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0], (std::vector<EnteredRange>{{.address = buffer_->address, .bytes = 256}}));
  EXPECT_EQ(floors()[SQA_HOST_SEEN], 0u);
  EXPECT_EQ(floors()[SQA_HOST_DONE], 1u);
  EXPECT_EQ(floors()[SQA_HOST_VISIBLE + kC], 0u);
}

TEST_F(HostReads, WhatABarrierMadeVisibleIsNotLookedAt) {
  map();
  write(true);
  wait();
  EXPECT_EQ(looks(), 0u);
  write();
  wait();
  ASSERT_EQ(looks(), 1u);
  EXPECT_EQ(floors()[SQA_HOST_DONE], 2u);
  EXPECT_EQ(floors()[SQA_HOST_VISIBLE + kC], 1u);
}

TEST_F(HostReads, WhatWasLookedAtIsNotLookedAtAgain) {
  map();
  write();
  wait();
  wait();
  check(vk().vkDeviceWaitIdle(device().handle), "vkDeviceWaitIdle");
  EXPECT_EQ(looks(), 1u);
  write();
  wait();
  ASSERT_EQ(looks(), 2u);
  EXPECT_GT(floors()[SQA_HOST_SEEN], 0u);
  EXPECT_GT(floors()[SQA_HOST_DONE], floors()[SQA_HOST_SEEN]);
}

TEST_F(HostReads, WhatIsNotMappedIsNotRead) {
  write();
  wait();
  map();
  EXPECT_EQ(looks(), 1u) << "whoever maps it reads it";
  unmap();
  write();
  wait();
  EXPECT_EQ(looks(), 1u);
}

TEST_F(HostReads, WithoutACommandBufferTheWaitIsStillAWait) {
  map();
  for (const char* command : {"vkAllocateCommandBuffers", "vkCreateFence", "vkBeginCommandBuffer",
                              "vkEndCommandBuffer", "vkQueueSubmit"}) {
    write();
    fail(command);
    EXPECT_EQ(vk().vkQueueWaitIdle(device().queue), VK_SUCCESS) << command;
    driver().configure(host_visible());
    EXPECT_EQ(looks(), 0u) << command;
  }
  EXPECT_EQ(notes_about("what the host reads").size(), 1u);
  wait();
  EXPECT_EQ(looks(), 1u) << "of all that came before";
}

TEST_F(HostReads, MemoryThatGoesIsForgotten) {
  {
    const BoundBuffer other(device(), 256);
    void* data = nullptr;
    check(vk().vkMapMemory(device().handle, other.memory(), 0, VK_WHOLE_SIZE, 0, &data), "vkMapMemory");
  }
  write();
  wait();
  EXPECT_EQ(looks(), 0u);
}

TEST_F(HostReadsOfMaps, OnlyWhatIsMappedOrInvalidatedIsRead) {
  map();
  write();
  wait();
  EXPECT_EQ(looks(), 0u) << "it was mapped before";
  invalidate(64, 16);
  ASSERT_EQ(looks(), 1u);
  EXPECT_EQ(entered(last_look()).back(),
            (std::vector<EnteredRange>{{.address = buffer_->address + 64, .bytes = 16}}));
  unmap();
  map();
  ASSERT_EQ(looks(), 2u);
  EXPECT_EQ(floors()[SQA_HOST_SEEN], 0u) << "each time anew";
  invalidate(4096, VK_WHOLE_SIZE);
  EXPECT_EQ(looks(), 2u) << "not of a buffer";
}

// Several buffers share memory: what of each lies in the part that is mapped.
TEST_F(HostReadsOfMaps, EachBufferOfTheMemoryIsReadAsFarAsItIsMapped) {
  const BoundBuffer memory(device(), 512, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  constexpr VkBufferUsageFlags storage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  const BoundBuffer first(device(), 128, storage, &memory), second(device(), 128, storage, &memory, 128),
      third(device(), 128, storage, &memory, 256);
  using Ranges = std::vector<EnteredRange>;
  const auto read = [&](VkDeviceSize offset, VkDeviceSize size) {
    write();
    wait();
    const size_t before = looks();
    void* data = nullptr;
    check(vk().vkMapMemory(device().handle, memory.memory(), offset, size, 0, &data), "vkMapMemory");
    vk().vkUnmapMemory(device().handle, memory.memory());
    if (looks() == before) return Ranges();
    auto ranges = entered(last_look());
    return ranges.empty() ? Ranges() : ranges.back();
  };
  const EnteredRange whole_second{.address = second.address, .bytes = 128},
      whole_third{.address = third.address, .bytes = 128};
  EXPECT_EQ(read(64, 192), (Ranges{{.address = first.address + 64, .bytes = 64}, whole_second}));
  EXPECT_EQ(read(64, 193), (Ranges{{.address = first.address + 64, .bytes = 64},
                                   whole_second,
                                   {.address = third.address, .bytes = 1}}));
  EXPECT_EQ(read(127, 1), (Ranges{{.address = first.address + 127, .bytes = 1}}));
  EXPECT_EQ(read(128, VK_WHOLE_SIZE), (Ranges{whole_second, whole_third}));
  EXPECT_EQ(read(383, 129), (Ranges{{.address = third.address + 127, .bytes = 1}}));
  EXPECT_EQ(read(384, 128), Ranges());
}

TEST_F(HostReadsOfMaps, OnlyWhatIsMappedIsInvalidated) {
  write();
  wait();
  void* data = nullptr;
  check(vk().vkMapMemory(device().handle, buffer_->memory(), 64, 64, 0, &data), "vkMapMemory");
  EXPECT_EQ(looks(), 1u);
  write();
  wait();
  invalidate(0, 96);
  ASSERT_EQ(looks(), 2u);
  EXPECT_EQ(entered(last_look()).back(),
            (std::vector<EnteredRange>{{.address = buffer_->address + 64, .bytes = 32}}));
  write();
  wait();
  invalidate(96, VK_WHOLE_SIZE);
  ASSERT_EQ(looks(), 3u);
  EXPECT_EQ(entered(last_look()).back(),
            (std::vector<EnteredRange>{{.address = buffer_->address + 96, .bytes = 32}}));
  write();
  wait();
  invalidate(0, 64);
  invalidate(128, 64);
  EXPECT_EQ(looks(), 3u);
  unmap();
}

TEST_F(HostReadsOff, NothingIsLookedAt) {
  map();
  write();
  wait();
  invalidate(0, VK_WHOLE_SIZE);
  EXPECT_EQ(looks(), 0u);
}

// Checks that the device does not come to are not piled up.
TEST_F(HostReads, ADeviceThatDoesNotComeBackHasAFewChecksAtMost) {
  map();
  null_driver::Config config = host_visible();
  config.faults.push_back({"vkWaitForFences", 0, VK_TIMEOUT});
  driver().configure(config);
  for (int i = 0; i < 20; ++i) {
    write();
    wait();
  }
  EXPECT_EQ(looks(), 16u);
  EXPECT_EQ(notes_about("what the host reads is not checked").size(), 1u);
  driver().configure(host_visible());
  write();
  wait();
  EXPECT_EQ(looks(), 17u) << "those that have come back are used again";
  EXPECT_EQ(driver().log().live["VkFence"], 16);
}

}  // namespace
}  // namespace shaderqa::layer_tests
