// SPDX-License-Identifier: Apache-2.0
// With the exact engine: the cells of a buffer follow each other, although its neighbours have pages in
// common with it, so that checks need not look them up.
#include <cstdint>
#include <memory>
#include <vector>

#include "instrument/runtime/abi_exact.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

constexpr uint64_t kPage = uint64_t{1} << SQA_PAGE_LOG2;
constexpr uint64_t kSize = 4 * kPage + kPage / 2;  // of a buffer
constexpr uint64_t kBuffers = 4;                   // of a block

class CellRuns : public CommandTest {
 protected:
  explicit CellRuns(const null_driver::Config& config = {}, const DeviceOptions& options = {})
      : CommandTest(options, config, "exact", {}) {
    checked_commands();
  }

  static bool follow_each_other(const BoundBuffer& buffer) {
    const auto cells = [&](uint64_t address) { return page_entry(address) & ~uint64_t{0xffff}; };
    const uint64_t first = cells(buffer.address);
    if (first == 0) return false;
    const uint64_t pages = (buffer.address + kSize - 1) / kPage - buffer.address / kPage;
    for (uint64_t page = 1; page <= pages; ++page)
      if (cells(buffer.address + page * kPage) != first + page * SQA_PAGE_CELL_BYTES) return false;
    return true;
  }
  // Buffers side by side in two blocks of memory, made in turns, at the places of `order`. The blocks may lie
  // side by side, too, so their first and last pages are left free.
  void expect_runs(const std::vector<uint64_t>& order) {
    constexpr VkBufferUsageFlags unwritten = VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
    constexpr uint64_t block_size = kBuffers * kSize + 2 * kPage;
    const BoundBuffer blocks[] = {{device(), block_size, unwritten}, {device(), block_size, unwritten}};
    std::vector<std::unique_ptr<BoundBuffer>> buffers;
    for (const uint64_t place : order) {
      for (const BoundBuffer& block : blocks) {
        buffers.push_back(std::make_unique<BoundBuffer>(device(), kSize, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                                        &block, kPage + place * kSize));
        EXPECT_TRUE(follow_each_other(*buffers.back())) << "number " << buffers.size();
      }
    }
  }
};

TEST_F(CellRuns, OfBuffersThatAreMadeUpwardsInTwoBlocks) { expect_runs({0, 1, 2, 3}); }

TEST_F(CellRuns, OfBuffersThatAreMadeDownwardsInTwoBlocks) { expect_runs({3, 2, 1, 0}); }

TEST_F(CellRuns, OfBuffersThatAreMadeAgain) {
  expect_runs({0, 1, 2, 3});
  expect_runs({3, 2, 1, 0});
}

TEST_F(CellRuns, OfABufferThatIsLargerThanWhatIsFree) {
  const BoundBuffer small(device(), kPage);
  const BoundBuffer large(device(), 500 * kPage);
  const uint64_t first = page_entry(large.address) & ~uint64_t{0xffff};
  const uint64_t last = page_entry(large.address + 499 * kPage) & ~uint64_t{0xffff};
  EXPECT_EQ(last - first, 499 * SQA_PAGE_CELL_BYTES);
}

TEST_F(CellRuns, AreThereWithoutMemoryForMoreThanTheBuffer) {
  null_driver::Config config;
  config.largest_allocation = 130 * SQA_PAGE_CELL_BYTES;
  driver().configure(config);
  const BoundBuffer buffer(device(), 120 * kPage);
  EXPECT_NE(page_entry(buffer.address + 119 * kPage), 0u);
  EXPECT_EQ(notes_about("accesses to some buffers are not checked").size(), 0u);
}

// A driver that runs on the CPU may put blocks side by side, wherever pages begin.
class BlocksOnTheCpu : public CellRuns {
 protected:
  explicit BlocksOnTheCpu(VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_CPU,
                          const DeviceOptions& options = {})
      : CellRuns(of_type(type), options) {}
  static null_driver::Config of_type(VkPhysicalDeviceType type) {
    null_driver::Config config;
    config.device_type = type;
    return config;
  }
  // What the driver allocates for it.
  uint64_t allocated(uint64_t bytes, const void* next = nullptr) {
    VkMemoryAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    info.allocationSize = bytes;
    info.pNext = next;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    check(vk().vkAllocateMemory(device().handle, &info, nullptr, &memory), "vkAllocateMemory");
    const uint64_t size = driver().log().allocations.back().size;
    vk().vkFreeMemory(device().handle, memory, nullptr);
    return size;
  }
};

TEST_F(BlocksOnTheCpu, AreAPageLongerThanAskedFor) {
  EXPECT_EQ(allocated(5 * kPage + 4096), 6 * kPage + 4096);
  EXPECT_EQ(allocated(kPage - 1), kPage - 1) << "small ones share pages with others anyway";
}

TEST_F(BlocksOnTheCpu, HaveTheirSizeWhereOthersKnowIt) {
  VkMemoryDedicatedAllocateInfo dedicated{};
  dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO;
  EXPECT_EQ(allocated(5 * kPage, &dedicated), 5 * kPage);
  VkExportMemoryAllocateInfo exported{};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  EXPECT_EQ(allocated(5 * kPage, &exported), 5 * kPage);
}

TEST_F(BlocksOnTheCpu, HaveTheirSizeWhereThereIsNoMemoryForMore) {
  null_driver::Config config;
  config.largest_allocation = 5 * kPage;
  driver().configure(config);
  EXPECT_EQ(allocated(5 * kPage), 5 * kPage);
}

// The application keeps as many addresses for a map as it has asked for memory.
class BlocksWithPlacedMaps : public BlocksOnTheCpu {
 protected:
  BlocksWithPlacedMaps()
      : BlocksOnTheCpu(VK_PHYSICAL_DEVICE_TYPE_CPU,
                       {.extensions = {VK_EXT_MAP_MEMORY_PLACED_EXTENSION_NAME}}) {}
};

TEST_F(BlocksWithPlacedMaps, HaveTheSizeThatIsAskedFor) { EXPECT_EQ(allocated(5 * kPage), 5 * kPage); }

class BlocksOnAGpu : public BlocksOnTheCpu {
 protected:
  BlocksOnAGpu() : BlocksOnTheCpu(VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU) {}
};

TEST_F(BlocksOnAGpu, HaveTheSizeThatIsAskedFor) { EXPECT_EQ(allocated(5 * kPage), 5 * kPage); }

}  // namespace
}  // namespace shaderqa::layer_tests
