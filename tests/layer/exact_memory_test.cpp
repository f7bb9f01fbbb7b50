// SPDX-License-Identifier: Apache-2.0
// With the exact engine: which memory has cells, within which limit, and what becomes of them when buffers
// go, come again, share memory, or have more addresses than memory.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "instrument/runtime/abi_exact.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

constexpr uint64_t kPage = uint64_t{1} << SQA_PAGE_LOG2;
constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kCells = ~uint64_t{0xffff};  // of an entry of the page table
constexpr VkBufferUsageFlags kStorage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
constexpr VkBufferUsageFlags kUniform = VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;

null_driver::Config with_heap(uint64_t bytes) {
  null_driver::Config config;
  config.heap_bytes = bytes;
  return config;
}

class ExactMemory : public CommandTest {
 protected:
  explicit ExactMemory(const std::string& limit = "0", uint64_t heap = uint64_t{1} << 30)
      : CommandTest({}, with_heap(heap), "exact", {{"SHADERQA_SYNC_MEMORY_LIMIT", limit}}) {
    commands_ = checked_commands();
  }

  static uint64_t entry(uint64_t address) { return page_entry(address); }
  static uint64_t allocated() {
    uint64_t bytes = 0;
    for (const null_driver::AllocationRecord& allocation : driver().log().allocations)
      bytes += allocation.size;
    return bytes;
  }
  std::vector<std::string> limit_notes() const { return notes_about("sync_memory_limit allows"); }

  VkCommandBuffer commands_ = VK_NULL_HANDLE;  // one checked dispatch
};

// Whole pages of one buffer, beside those of other memory.
constexpr uint64_t kLarge = 8 * kPage;
uint64_t middle(const BoundBuffer& buffer) { return buffer.address + kLarge / 2; }
// Its first and last page it may share with its neighbours, where the allocator puts them side by side.
uint64_t last_page_of_its_own(const BoundBuffer& buffer, uint64_t size) {
  return buffer.address + size - kPage - 1;
}

TEST_F(ExactMemory, BuffersThatShareMemoryShareCells) {
  const BoundBuffer memory(device(), kLarge, kUniform);
  EXPECT_EQ(entry(middle(memory)), 0u) << "nothing can write to it";
  std::optional<BoundBuffer> one(std::in_place, device(), kLarge, kStorage, &memory);
  std::optional<BoundBuffer> two(std::in_place, device(), kLarge, kStorage, &memory);
  const uint64_t cells = entry(middle(memory));
  EXPECT_NE(cells & kCells, 0u);
  EXPECT_EQ(entry(middle(memory) + kPage) & kCells, (cells & kCells) + 2 * kPage);
  two.reset();
  EXPECT_EQ(entry(middle(memory)), cells) << "the first one is there yet";
  one.reset();
  EXPECT_EQ(entry(middle(memory)), 0u);
}

// Where the cells of the page's bytes are; 0: they have none.
uint64_t part_cells(uint64_t engine, uint64_t address) {
  const auto tables = reinterpret_cast<const uint64_t* const*>(engine)[SQA_EXACT_PARTS];
  if (!tables || tables[address >> 32] == 0) return 0;
  return reinterpret_cast<const uint64_t*>(tables[address >> 32])[address >> SQA_PAGE_LOG2 & 0xffff];
}

TEST_F(ExactMemory, BytesHaveCellsOnceAShaderStoresPartsOfWords) {
  const auto direct = [](size_t record) { return address_at(records().at(record), SQA_ACTION_DIRECT + 4); };
  const uint64_t engine = address_at(records().at(0), SQA_ACTION_ENGINE);
  submit({commands_});
  EXPECT_NE(direct(0), 0u) << "the record says where the cells of the words are";
  EXPECT_EQ(part_cells(engine, buffer_->address), 0u);
  const VkPipeline of_words =
      std::exchange(pipeline_, create_compute_with(device(), shaders::accesses_bytes_comp, layout_));
  const VkCommandBuffer bytes = checked_commands();
  const uint64_t cells = part_cells(engine, buffer_->address);
  ASSERT_NE(cells, 0u);
  EXPECT_EQ(cells % SQA_PAGE_CELL_BYTES, 0u);
  EXPECT_EQ(*reinterpret_cast<const uint64_t*>(cells), 0u) << "they hold nothing";
  EXPECT_TRUE(entry(buffer_->address) & SQA_PAGE_PARTS);
  EXPECT_TRUE(entry(buffer_->address) & SQA_PAGE_WRITTEN);
  submit({bytes});
  EXPECT_EQ(direct(1), 0u) << "shaders look the bytes' cells up";
  EXPECT_NE(direct(0), 0u) << "it was not submitted again";
  submit({commands_});
  EXPECT_EQ(direct(0), 0u);
  vk().vkDestroyPipeline(device().handle, of_words, nullptr);
}

TEST_F(ExactMemory, PagesKeepTheCellsOfTheirBytes) {
  const uint64_t engine = address_at(records().at(0), SQA_ACTION_ENGINE), address = buffer_->address;
  vk().vkDestroyPipeline(device().handle, pipeline_, nullptr);
  pipeline_ = create_compute_with(device(), shaders::accesses_bytes_comp, layout_);
  const VkCommandBuffer bytes = checked_commands();
  submit({bytes});
  const uint64_t cells = part_cells(engine, address);
  ASSERT_NE(cells, 0u);
  buffer_.reset();
  EXPECT_EQ(entry(address), 0u);
  EXPECT_EQ(part_cells(engine, address), cells);
}

// The pages of a range, and those beside it.
class ExactParts : public ExactMemory {
 protected:
  explicit ExactParts(const std::string& limit = "0") : ExactMemory(limit) {
    vk().vkDestroyPipeline(device().handle, pipeline_, nullptr);
    pipeline_ = create_compute_with(device(), shaders::accesses_bytes_comp, layout_);
  }
  // What the shader that stores bytes is bound to.
  VkCommandBuffer bytes_of(const BoundBuffer& buffer, uint64_t offset, uint64_t range) {
    descriptors_->write(0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {{buffer.handle, offset, range}});
    return checked_commands();
  }
  uint64_t engine_ = address_at(records().at(0), SQA_ACTION_ENGINE);
};

TEST_F(ExactParts, ArePagesOfWhatShadersWriteByBytes) {
  const BoundBuffer buffer(device(), kLarge, kStorage);
  const uint64_t first = (buffer.address + 2 * kPage) / kPage * kPage;  // that of this buffer alone
  const auto parted = [&] {
    std::vector<bool> pages;
    for (uint64_t i = 0; i < 4; ++i) {
      pages.push_back(part_cells(engine_, first + i * kPage) != 0);
      EXPECT_EQ((entry(first + i * kPage) & SQA_PAGE_PARTS) != 0, pages.back()) << i;
    }
    return pages;
  };
  using Pages = std::vector<bool>;
  bytes_of(buffer, first - buffer.address, kPage);
  EXPECT_EQ(parted(), (Pages{true, false, false, false}));
  bytes_of(buffer, first - buffer.address, kPage + 1);
  EXPECT_EQ(parted(), (Pages{true, true, false, false})) << "a longer range that begins where the first did";
  bytes_of(buffer, first - buffer.address, 4);
  bytes_of(buffer, first - buffer.address + 3 * kPage, 4);
  EXPECT_EQ(parted(), (Pages{true, true, false, true}));
  const uint64_t one = part_cells(engine_, first), two = part_cells(engine_, first + kPage);
  EXPECT_EQ(two > one ? two - one : one - two, uint64_t{SQA_PAGE_PART_BYTES});
}

// The cells of bytes stay where they are, but nothing is said to store bytes there any more.
TEST_F(ExactParts, OfABufferThatIsGoneAreNoPartsOfTheNext) {
  const BoundBuffer memory(device(), kLarge, kUniform);
  std::optional<BoundBuffer> buffer(std::in_place, device(), kLarge, kStorage, &memory);
  bytes_of(*buffer, 0, VK_WHOLE_SIZE);
  EXPECT_TRUE(entry(middle(memory)) & SQA_PAGE_PARTS);
  buffer.reset();
  buffer.emplace(device(), kLarge, kStorage, &memory);
  EXPECT_FALSE(entry(middle(memory)) & SQA_PAGE_PARTS);
  EXPECT_FALSE(entry(middle(memory)) & SQA_PAGE_WRITTEN);
  const uint64_t cells = part_cells(engine_, middle(memory)), before = allocated();
  bytes_of(*buffer, 0, VK_WHOLE_SIZE);
  EXPECT_TRUE(entry(middle(memory)) & SQA_PAGE_PARTS);
  EXPECT_EQ(part_cells(engine_, middle(memory)), cells);
  EXPECT_LT(allocated() - before, kMiB) << "no more cells";
}

TEST_F(ExactParts, AreNoneWithoutMemoryWithOneNote) {
  const BoundBuffer one(device(), kLarge, kStorage), two(device(), kLarge, kStorage);
  null_driver::Config config = driver().config();
  config.faults = {{"vkAllocateMemory", 0, VK_ERROR_OUT_OF_DEVICE_MEMORY}};
  driver().configure(config);
  for (const BoundBuffer* buffer : {&one, &two, &one}) {
    bytes_of(*buffer, 0, VK_WHOLE_SIZE);
    EXPECT_EQ(part_cells(engine_, middle(*buffer)), 0u);
    EXPECT_FALSE(entry(middle(*buffer)) & SQA_PAGE_PARTS);
    EXPECT_NE(entry(middle(*buffer)) & kCells, 0u) << "its words have cells all the same";
  }
  const auto notes = notes_about("races between stores of 8 and 16 bits");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("there is no memory"), std::string::npos);
}

// Four times as many cells as words have: the limit leaves room for the words of 64 pages.
class FewParts : public ExactParts {
 protected:
  FewParts() : ExactParts(std::to_string(12 * kMiB)) {}
};

TEST_F(FewParts, AreSaidOnce) {
  const BoundBuffer buffer(device(), 2 * kMiB, kStorage);
  for (int i = 0; i < 2; ++i) bytes_of(buffer, 0, VK_WHOLE_SIZE);
  EXPECT_EQ(part_cells(engine_, buffer.address + kMiB), 0u);
  EXPECT_NE(entry(buffer.address + kMiB) & kCells, 0u);
  const auto notes = notes_about("races between stores of 8 and 16 bits");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("sync_memory_limit allows 12582912 bytes"), std::string::npos);
  EXPECT_TRUE(limit_notes().empty() || limit_notes() == notes) << "words have all that they need";
}

// What a recorded command may write is watched while it can run.
class WrittenPages : public ExactMemory {
 protected:
  static constexpr VkBufferUsageFlags kTarget = VK_BUFFER_USAGE_TRANSFER_DST_BIT | kStorage;
  VkCommandBuffer fill(const BoundBuffer& buffer, uint64_t offset, uint64_t bytes) {
    const VkCommandBuffer commands = begin();
    vk().vkCmdFillBuffer(commands, buffer.handle, offset, bytes, 1);
    end(commands);
    return commands;
  }
  void forget(VkCommandBuffer commands) {
    check(vk().vkResetCommandBuffer(commands, 0), "vkResetCommandBuffer");
  }
  static std::vector<bool> written(uint64_t first, uint64_t count = 4) {
    std::vector<bool> pages;
    for (uint64_t i = 0; i < count; ++i) pages.push_back((entry(first + i * kPage) & SQA_PAGE_WRITTEN) != 0);
    return pages;
  }
  using Pages = std::vector<bool>;
};

TEST_F(WrittenPages, AreThoseOfRecordedCommands) {
  const BoundBuffer buffer(device(), kLarge, kTarget);
  const uint64_t first = (buffer.address + 2 * kPage) / kPage * kPage, offset = first - buffer.address;
  EXPECT_EQ(written(first), (Pages{false, false, false, false}));
  const VkCommandBuffer one = fill(buffer, offset + kPage, kPage);
  EXPECT_EQ(written(first), (Pages{false, true, false, false}));
  const VkCommandBuffer two = fill(buffer, offset + kPage, kPage + 4);
  EXPECT_EQ(written(first), (Pages{false, true, true, false}));
  forget(one);
  EXPECT_EQ(written(first), (Pages{false, true, true, false})) << "the other one writes there";
  forget(two);
  EXPECT_EQ(written(first), (Pages{false, false, false, false}));
}

TEST_F(WrittenPages, ThatShadersWriteStay) {
  const BoundBuffer buffer(device(), kLarge, kTarget);
  const uint64_t first = (buffer.address + 2 * kPage) / kPage * kPage, offset = first - buffer.address;
  const VkCommandBuffer commands = fill(buffer, offset, 2 * kPage);
  const BoundBuffer part(device(), kPage, kStorage, &buffer, offset);
  descriptors_->write(0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {{part.handle, 0, VK_WHOLE_SIZE}});
  checked_commands();
  EXPECT_EQ(written(first), (Pages{true, true, false, false}));
  forget(commands);
  EXPECT_EQ(written(first), (Pages{true, false, false, false}));
}

TEST_F(WrittenPages, AreAllOnceAShaderWritesByAddress) {
  const BoundBuffer before(device(), kLarge, kTarget);
  EXPECT_FALSE(entry(middle(before)) & SQA_PAGE_WRITTEN);
  const VkCommandBuffer commands = fill(before, 0, VK_WHOLE_SIZE);
  const VkPipeline pipeline = create_compute_with(device(), shaders::accesses_address_comp, layout_);
  use(device(), pipeline);
  const BoundBuffer after(device(), kLarge, kStorage);
  EXPECT_TRUE(entry(middle(before)) & SQA_PAGE_WRITTEN);
  EXPECT_TRUE(entry(middle(after)) & SQA_PAGE_WRITTEN);
  forget(commands);
  EXPECT_TRUE(entry(middle(before)) & SQA_PAGE_WRITTEN) << "once and for all";
  vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
}

TEST_F(WrittenPages, OfABufferThatIsGoneAreNotThoseOfTheNext) {
  const BoundBuffer memory(device(), kLarge, kUniform);
  std::optional<BoundBuffer> buffer(std::in_place, device(), kLarge, kTarget, &memory);
  const VkCommandBuffer commands = fill(*buffer, 0, VK_WHOLE_SIZE);
  EXPECT_TRUE(entry(middle(memory)) & SQA_PAGE_WRITTEN);
  buffer.reset();
  buffer.emplace(device(), kLarge, kTarget, &memory);
  EXPECT_FALSE(entry(middle(memory)) & SQA_PAGE_WRITTEN);
  forget(commands);
  EXPECT_NE(entry(middle(memory)) & kCells, 0u);
}

// Where memory runs out, what was there before goes on, and what comes later has no cells.
TEST_F(ExactMemory, WithoutMemoryForCellsOneNoteSaysSo) {
  null_driver::Config config = driver().config();
  const BoundBuffer memory(device(), 16 * kMiB, kUniform);
  config.faults = {{"vkAllocateMemory", 0, VK_ERROR_OUT_OF_DEVICE_MEMORY}};
  driver().configure(config);
  const uint64_t before = entry(buffer_->address);
  std::optional<BoundBuffer> large(std::in_place, device(), 16 * kMiB, kStorage, &memory);
  EXPECT_EQ(entry(last_page_of_its_own(memory, 16 * kMiB)), 0u);
  const BoundBuffer another(device(), 16 * kMiB, kStorage, &memory);
  EXPECT_EQ(entry(buffer_->address), before);
  const auto notes = notes_about("accesses to some buffers are not checked for synchronisation");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("there is no memory"), std::string::npos) << notes[0];
  submit({commands_});
}

// Small buffers share a chunk of cells; a large one has a chunk of its size, and one page for its alignment.
TEST_F(ExactMemory, CellsComeInChunks) {
  const BoundBuffer memory(device(), 64 * kMiB, kUniform);
  std::vector<uint64_t> taken;
  const auto take = [&](uint64_t offset, uint64_t pages) {
    const uint64_t aligned = (memory.address + offset + kPage - 1) / kPage * kPage - memory.address;
    const size_t before = driver().log().allocations.size();
    BoundBuffer buffer(device(), pages * kPage, kStorage, &memory, aligned);
    for (uint64_t i = 0; i < pages; ++i)
      EXPECT_EQ(entry(buffer.address + i * kPage) & kCells, (entry(buffer.address) & kCells) + i * 2 * kPage)
          << "in one run";
    const auto all = driver().log().allocations;
    for (size_t i = before; i < all.size(); ++i)
      if (all[i].size != 8 * kPage) taken.push_back(all[i].size / SQA_PAGE_CELL_BYTES);
    return taken.size();
  };
  take(0, 40);
  EXPECT_TRUE(taken.empty()) << "the first chunk has room for more than the first buffer";
  take(0, 120);
  EXPECT_EQ(taken, std::vector<uint64_t>{241}) << "as much room again, and a page for the alignment";
  take(0, 200);
  EXPECT_EQ(taken.size(), 1u) << "what is free is used again";
  take(0, 300);
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[1], 300 + (97 + 240) + 1u) << "as much room as all chunks before";
}

// Cells that are in use hold what later accesses need.
TEST_F(ExactMemory, OnlyNewCellsAreCleared) {
  constexpr uint64_t bytes = 3 * kMiB;
  const auto clears = [&] {
    std::vector<uint64_t> sizes;
    for (const null_driver::CommandRecord& record : driver().log().commands)
      if (record.command == "CmdFillBuffer" && record.values.at(0) >= 2 * bytes)
        sizes.push_back(record.values[0]);
    return sizes.size();
  };
  const BoundBuffer first(device(), bytes, kStorage);
  submit({commands_});
  const size_t before = clears();
  EXPECT_GE(before, 1u);
  submit({commands_});
  EXPECT_EQ(clears(), before);
  const BoundBuffer second(device(), 8 * bytes, kStorage);
  submit({commands_});
  EXPECT_EQ(clears(), before + 1) << "the cells of the first one stay";
}

// What the cells hold is older than the buffer: it is ordered before everything.
TEST_F(ExactMemory, ABufferInMemoryOfAnotherKnowsNothingOfIt) {
  const BoundBuffer memory(device(), kLarge, kUniform);
  std::optional<BoundBuffer> buffer(std::in_place, device(), kLarge, kStorage, &memory);
  EXPECT_EQ(entry(middle(memory)) & SQA_PAGE_BORN, 0u);
  for (int i = 0; i < 3; ++i) submit({commands_});
  const uint64_t cells = entry(middle(memory)) & kCells;
  buffer.reset();
  buffer.emplace(device(), kLarge, kStorage, &memory);
  EXPECT_EQ(entry(middle(memory)) & SQA_PAGE_BORN, 3u);
  EXPECT_EQ(entry(middle(memory)) & kCells, cells) << "no more memory than before";
}

TEST_F(ExactMemory, AnyNumberOfBuffersOneAfterTheOtherTakesTheMemoryOfOne) {
  { const BoundBuffer buffer(device(), kLarge); }
  const uint64_t before = allocated();
  for (int i = 0; i < 20; ++i) const BoundBuffer buffer(device(), kLarge);
  EXPECT_LT(allocated() - before, 21 * kLarge) << "the buffers themselves";
}

// Account is kept of as many pages of a terabyte as can have cells.
TEST_F(ExactMemory, ASparseBufferHasCellsAsFarAsTheLimitGoes) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT;
  info.size = uint64_t{1} << 40;
  info.usage = kStorage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  const uint64_t before = allocated();
  check(vk().vkCreateBuffer(device().handle, &info, nullptr, &buffer), "vkCreateBuffer");
  VkBufferDeviceAddressInfo address_info{};
  address_info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  address_info.buffer = buffer;
  const uint64_t address = vk().vkGetBufferDeviceAddress(device().handle, &address_info);
  descriptors_->write(0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {{buffer, 0, VK_WHOLE_SIZE}});
  checked_commands();
  EXPECT_NE(entry(address) & kCells, 0u);
  EXPECT_NE(entry(address) & SQA_PAGE_WRITTEN, 0u);
  EXPECT_EQ(entry(address + info.size - 1), 0u);
  EXPECT_EQ(limit_notes().size(), 1u);
  EXPECT_LE(allocated() - before, 256 * kMiB);
  vk().vkDestroyBuffer(device().handle, buffer, nullptr);
  EXPECT_EQ(entry(address), 0u);
}

TEST_F(ExactMemory, ABufferThatGoesLeavesTheNextOnesTheirMemory) {
  { const BoundBuffer gone(device(), kLarge, kStorage); }
  const BoundBuffer large(device(), 16 * kMiB, kStorage);
  for (uint64_t at = kPage; at + kPage < 16 * kMiB; at += kMiB)
    EXPECT_NE(entry(large.address + at) & kCells, 0u) << at;
  EXPECT_TRUE(limit_notes().empty());
}

// The first buffers have cells, what comes when the limit is reached has none: its accesses are missed.
class SmallLimit : public ExactMemory {
 protected:
  explicit SmallLimit(const std::string& limit = std::to_string(6 * kMiB)) : ExactMemory(limit) {}
};

// In one table of pages, since each takes its part of the limit.
bool is_in_one_table(const BoundBuffer& buffer, uint64_t size) {
  return buffer.address >> 32 == (buffer.address + size - 1) >> 32;
}

TEST_F(SmallLimit, WhatIsMadeLastHasNoCells) {
  constexpr uint64_t kAll = 24 * kMiB;
  std::vector<std::unique_ptr<BoundBuffer>> memory;
  do {
    memory.push_back(std::make_unique<BoundBuffer>(device(), kAll, kUniform));
  } while (!is_in_one_table(*memory.back(), kAll));
  const uint64_t before = allocated();
  uint64_t end = 0;
  // Buffers of whole pages, with one page between each and the next.
  const auto place = [&](uint64_t size) {
    const uint64_t aligned = (memory.back()->address + end + kPage - 1) / kPage * kPage;
    end = aligned + size + kPage - memory.back()->address;
    EXPECT_LE(end, kAll);
    return std::make_unique<BoundBuffer>(device(), size, kStorage, memory.back().get(),
                                         aligned - memory.back()->address);
  };
  const auto first = place(kMiB);
  auto second = place(16 * kMiB);
  std::vector<std::unique_ptr<BoundBuffer>> more;
  for (int i = 0; i < 4; ++i) more.push_back(place(kMiB));
  EXPECT_NE(entry(first->address), 0u);
  EXPECT_NE(entry(first->address + kMiB - 1), 0u);
  EXPECT_EQ(entry(second->address + 16 * kMiB - 1), 0u);
  for (const auto& buffer : more) EXPECT_EQ(entry(buffer->address), 0u);
  EXPECT_EQ(limit_notes().size(), 1u);
  EXPECT_LE(allocated() - before, 6 * kMiB);
  submit({commands_});

  second.reset();
  const auto last = place(kMiB);
  EXPECT_NE(entry(last->address), 0u) << "there is room again";
}

class ALimit : public ExactMemory, public ::testing::WithParamInterface<const char*> {
 protected:
  ALimit() : ExactMemory(GetParam(), 4 * kMiB) {}
};

using TooSmall = ALimit;

TEST_P(TooSmall, LeavesBuffersUncheckedWithOneNote) {
  EXPECT_EQ(entry(buffer_->address), 0u);
  const BoundBuffer another(device(), kLarge);
  EXPECT_EQ(entry(middle(another)), 0u);
  for (int i = 0; i < 2; ++i) submit({commands_});
  EXPECT_EQ(limit_notes().size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(ExactMemory, TooSmall, ::testing::Values("1", "65536", "512K", "1M"),
                         [](const auto& of) { return std::string(of.param); });

// More than the heap means the heap.
using TooLarge = ALimit;

TEST_P(TooLarge, MeansTheWholeHeap) {
  const uint64_t before = allocated();
  EXPECT_NE(entry(buffer_->address), 0u);
  const BoundBuffer large(device(), 64 * kMiB);
  EXPECT_EQ(entry(last_page_of_its_own(large, 64 * kMiB)), 0u);
  EXPECT_LE(allocated() - before, 64 * kMiB + 4 * kMiB);
  EXPECT_EQ(limit_notes().size(), 1u);
  EXPECT_EQ(notes_about("sync_memory_limit allows 4194304 bytes").size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(ExactMemory, TooLarge, ::testing::Values("5M", "281474976710656"),
                         [](const auto& of) { return std::string(of.param); });

// What is no size is said, and the default holds.
class NoLimit : public ExactMemory,
                public ::testing::WithParamInterface<std::pair<const char*, const char*>> {
 protected:
  NoLimit() : ExactMemory(GetParam().second) {}
};

TEST_P(NoLimit, LeavesTheDefault) {
  EXPECT_NE(entry(buffer_->address), 0u);
  EXPECT_EQ(notes_about("sync_memory_limit stays 0").size(), 1u);
  EXPECT_EQ(limit_notes(), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(ExactMemory, NoLimit,
                         ::testing::Values(std::pair{"negative", "-1"}, std::pair{"text", "lots"},
                                           std::pair{"too_large", "0x1000000000001"},
                                           std::pair{"beyond_64_bits", "99999999999999999999"}),
                         [](const auto& of) { return std::string(of.param.first); });

}  // namespace
}  // namespace shaderqa::layer_tests
