// SPDX-License-Identifier: Apache-2.0
// Pools and the memory of their sets' tables: given back, reused, shared by threads.
#include <numeric>
#include <stdexcept>
#include <thread>

#include "tests/layer/descriptor_kit.h"

namespace shaderqa::layer_tests {
namespace {

using DescriptorPools = SyncTest;

constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

std::vector<VkDescriptorSet> allocate(const Device& device, VkDescriptorPool pool,
                                      const std::vector<VkDescriptorSetLayout>& layouts) {
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = pool;
  info.descriptorSetCount = static_cast<uint32_t>(layouts.size());
  info.pSetLayouts = layouts.data();
  std::vector<VkDescriptorSet> sets(layouts.size());
  check(device.vk.vkAllocateDescriptorSets(device.handle, &info, sets.data()), "vkAllocateDescriptorSets");
  return sets;
}

void write(const Device& device, VkDescriptorSet set, uint32_t element, const BoundBuffer& buffer,
           VkDeviceSize offset) {
  const VkDescriptorBufferInfo info{buffer.handle, offset, 16};
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set;
  write.dstArrayElement = element;
  write.descriptorCount = 1;
  write.descriptorType = kStorage;
  write.pBufferInfo = &info;
  device.vk.vkUpdateDescriptorSets(device.handle, 1, &write, 0, nullptr);
}

uint64_t bytes_of_memory() {
  const auto memory = driver().memory();
  return std::accumulate(memory.begin(), memory.end(), uint64_t(0),
                         [](uint64_t sum, std::span<std::byte> span) { return sum + span.size(); });
}

TEST_F(DescriptorPools, GiveBackWhatTheyHad) {
  Program program;
  const Device& device = program.device;
  const VkDescriptorSetLayout layout = create_set_layout(device, {{0, kStorage, 300}});
  uint64_t peak = 0;
  for (int i = 0; i < 200; ++i) {
    const VkDescriptorPool pool = create_pool(device, 100, 30000);
    allocate(device, pool, std::vector<VkDescriptorSetLayout>(100, layout));
    if (i == 0) peak = bytes_of_memory();
    EXPECT_LE(bytes_of_memory(), peak);
    device.vk.vkDestroyDescriptorPool(device.handle, pool, nullptr);
  }
  device.vk.vkDestroyDescriptorSetLayout(device.handle, layout, nullptr);
}

TEST_F(DescriptorPools, DoNotGrowWhenSetsComeAndGo) {
  Program program;
  const Device& device = program.device;
  const VkDescriptorSetLayout small = create_set_layout(device, {{0, kStorage, 300}});
  const VkDescriptorSetLayout large = create_set_layout(device, {{0, kStorage, 500}});
  const VkDescriptorPool pool =
      create_pool(device, 8, 3200, VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT);
  const std::vector<VkDescriptorSetLayout> layouts = {small, large, large, small};
  allocate(device, pool, layouts);
  const uint64_t before = bytes_of_memory();
  const size_t allocations = driver().log().allocations.size();
  for (int i = 0; i < 10000; ++i) {
    std::vector<VkDescriptorSet> sets = allocate(device, pool, layouts);
    if (i % 2) std::swap(sets[0], sets[2]);
    sets.push_back(VK_NULL_HANDLE);
    device.vk.vkFreeDescriptorSets(device.handle, pool, static_cast<uint32_t>(sets.size()), sets.data());
  }
  EXPECT_EQ(bytes_of_memory(), before);
  EXPECT_EQ(driver().log().allocations.size(), allocations);
  device.vk.vkDestroyDescriptorPool(device.handle, pool, nullptr);
  device.vk.vkDestroyDescriptorSetLayout(device.handle, small, nullptr);
  device.vk.vkDestroyDescriptorSetLayout(device.handle, large, nullptr);
}

TEST_F(DescriptorPools, StartAfreshAfterAReset) {
  Program program;
  const Device& device = program.device;
  const BoundBuffer buffer(device, 256);
  const VkDescriptorSetLayout layout = create_set_layout(device, {{0, kStorage, 7}});
  const VkDescriptorPool pool = create_pool(device, 1, 7);
  for (int i = 0; i < 3; ++i) {
    const VkDescriptorSet set = allocate(device, pool, {layout}).at(0);
    EXPECT_EQ(find_table(program.device, 7), std::vector<TableEntry>(7)) << "round " << i;
    write(device, set, 2, buffer, 16);
    EXPECT_EQ(find_table(program.device, 7)[2], (TableEntry{buffer.address + 16, 16, 0}));
    check(device.vk.vkResetDescriptorPool(device.handle, pool, 0), "vkResetDescriptorPool");
  }
  device.vk.vkDestroyDescriptorPool(device.handle, pool, nullptr);
  device.vk.vkDestroyDescriptorSetLayout(device.handle, layout, nullptr);
}

TEST_F(DescriptorPools, HaveTablesLargerThanAllTheirChunks) {
  Program program;
  const Device& device = program.device;
  const BoundBuffer buffer(device, 256);
  const VkDescriptorSetLayout layout = create_set_layout(device, {{0, kStorage, 200000}});
  const VkDescriptorPool pool = create_pool(device, 1, 200000);
  const VkDescriptorSet set = allocate(device, pool, {layout}).at(0);
  write(device, set, 199999, buffer, 32);
  EXPECT_EQ(find_table(program.device, 200000).back(), (TableEntry{buffer.address + 32, 16, 0}));
  const uint64_t with_table = bytes_of_memory();
  device.vk.vkDestroyDescriptorPool(device.handle, pool, nullptr);
  EXPECT_LT(bytes_of_memory(), with_table - 3000000);
  device.vk.vkDestroyDescriptorSetLayout(device.handle, layout, nullptr);
}

TEST_F(DescriptorPools, WithoutMemorySetsHaveNoTables) {
  Program program;
  const Device& device = program.device;
  const BoundBuffer buffer(device, 256);
  const VkDescriptorSetLayout layout = create_set_layout(device, {{0, kStorage, 7}});
  const VkDescriptorPool pool = create_pool(device, 3, 21);
  null_driver::Config config;
  config.faults = {{"vkAllocateMemory", 0, VK_ERROR_OUT_OF_DEVICE_MEMORY}};
  driver().configure(config);
  const auto without = allocate(device, pool, {layout, layout});
  write(device, without[0], 0, buffer, 0);
  EXPECT_EQ(count_tables(program.device, 7), 0u);
  EXPECT_EQ(notes_about("descriptor sets are not checked").size(), 1u);
  driver().configure({});
  const VkDescriptorSet with = allocate(device, pool, {layout}).at(0);
  write(device, with, 0, buffer, 0);
  VkCopyDescriptorSet copy{};
  copy.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET;
  copy.srcSet = without[0];
  copy.dstSet = with;
  copy.descriptorCount = 1;
  EXPECT_EQ(find_table(program.device, 7)[0], (TableEntry{buffer.address, 16, 0}));
  device.vk.vkUpdateDescriptorSets(device.handle, 0, nullptr, 1, &copy);
  EXPECT_EQ(find_table(program.device, 7)[0], TableEntry());
  device.vk.vkDestroyDescriptorPool(device.handle, pool, nullptr);
  device.vk.vkDestroyDescriptorSetLayout(device.handle, layout, nullptr);
}

TEST_F(DescriptorPools, AFailedAllocationLeavesNothing) {
  Program program;
  const Device& device = program.device;
  const VkDescriptorSetLayout layout = create_set_layout(device, {{0, kStorage, 7}});
  const VkDescriptorPool pool = create_pool(device, 3, 21);
  null_driver::Config config;
  config.faults = {{"vkAllocateDescriptorSets", 1, VK_ERROR_OUT_OF_POOL_MEMORY}};
  driver().configure(config);
  EXPECT_THROW(allocate(device, pool, {layout}), std::runtime_error);
  EXPECT_EQ(count_tables(program.device, 7), 0u);
  device.vk.vkDestroyDescriptorPool(device.handle, pool, nullptr);
  device.vk.vkDestroyDescriptorSetLayout(device.handle, layout, nullptr);
}

TEST_F(DescriptorPools, ServeManyThreads) {
  Program program;
  const Device& device = program.device;
  const BoundBuffer shared(device, 256);
  const VkDescriptorSetLayout layout = create_set_layout(device, {{0, kStorage, 3}});
  // One set that all write to, each its own element, as update-after-bind allows.
  const VkDescriptorSetLayout common_layout = create_set_layout(device, {{0, kStorage, 4}});
  const VkDescriptorPool common_pool = create_pool(device, 1, 4);
  const VkDescriptorSet common = allocate(device, common_pool, {common_layout}).at(0);
  const auto work = [&](uint32_t thread) {
    for (int i = 0; i < 100; ++i) {
      const BoundBuffer own(device, 64);
      const VkDescriptorPool pool =
          create_pool(device, 4, 12, VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT);
      const auto sets = allocate(device, pool, {layout, layout});
      write(device, sets[0], 1, own, 0);
      write(device, sets[1], 2, shared, 16);
      write(device, common, thread, shared, 16 * thread);
      device.vk.vkFreeDescriptorSets(device.handle, pool, 1, &sets[1]);
      if (i % 2) device.vk.vkResetDescriptorPool(device.handle, pool, 0);
      device.vk.vkDestroyDescriptorPool(device.handle, pool, nullptr);
    }
  };
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < 4; ++thread) threads.emplace_back(work, thread);
  for (std::thread& thread : threads) thread.join();
  const auto table = find_table(program.device, 4);
  for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(table[i], (TableEntry{shared.address + 16 * i, 16, 0}));
  device.vk.vkDestroyDescriptorPool(device.handle, common_pool, nullptr);
  device.vk.vkDestroyDescriptorSetLayout(device.handle, layout, nullptr);
  device.vk.vkDestroyDescriptorSetLayout(device.handle, common_layout, nullptr);
}

}  // namespace
}  // namespace shaderqa::layer_tests
