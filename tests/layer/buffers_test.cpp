// SPDX-License-Identifier: Apache-2.0
// Buffers and memory get device addresses, and nothing else about their creation changes.
#include "layer/resources/buffer_table.h"
#include "layer/vk/range_allocator.h"
#include "layer/vk/texel_size.h"
#include "tests/layer/descriptor_kit.h"

namespace shaderqa::layer_tests {
namespace {

using LayerBuffers = SyncTest;
using layer::BufferTable;

constexpr VkBufferUsageFlags kAddress = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
constexpr auto kFlagsInfo = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;

VkBufferCreateInfo buffer_info(VkDeviceSize size, VkBufferUsageFlags usage) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size;
  info.usage = usage;
  return info;
}

// Creates it, destroys it, and says with what the driver made it.
null_driver::BufferRecord create_and_destroy(const Device& device, const VkBufferCreateInfo& info) {
  VkBuffer buffer = VK_NULL_HANDLE;
  check(device.vk.vkCreateBuffer(device.handle, &info, nullptr, &buffer), "vkCreateBuffer");
  device.vk.vkDestroyBuffer(device.handle, buffer, nullptr);
  return driver().log().buffers.back();
}

null_driver::AllocationRecord allocate_and_free(const Device& device, const VkMemoryAllocateInfo& info) {
  VkDeviceMemory memory = VK_NULL_HANDLE;
  check(device.vk.vkAllocateMemory(device.handle, &info, nullptr, &memory), "vkAllocateMemory");
  device.vk.vkFreeMemory(device.handle, memory, nullptr);
  return driver().log().allocations.back();
}

VkMemoryAllocateInfo allocation_info(uint32_t type = 0) {
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = 4096;
  info.memoryTypeIndex = type;
  return info;
}

TEST_F(LayerBuffers, GetDeviceAddressUsage) {
  Program program;
  const auto record =
      create_and_destroy(program.device, buffer_info(100, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT));
  EXPECT_EQ(record.usage, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | kAddress);
  EXPECT_EQ(record.size, 100u);
}

TEST_F(LayerBuffers, WithoutSyncNothingChanges) {
  unset("SHADERQA_SYNC");
  Program program;
  const auto record =
      create_and_destroy(program.device, buffer_info(100, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT));
  EXPECT_EQ(record.usage, VkBufferUsageFlags(VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT));
  EXPECT_EQ(allocate_and_free(program.device, allocation_info()).flags, 0u);
}

TEST_F(LayerBuffers, UsageInTheLongerFlagsIsCopiedAndExtended) {
  Program program;
  VkBufferUsageFlags2CreateInfo usage2{};
  usage2.sType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO;
  usage2.usage = VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT;
  VkBufferCreateInfo info = buffer_info(64, 0);
  info.pNext = &usage2;
  const auto record = create_and_destroy(program.device, info);
  EXPECT_EQ(record.usage2,
            VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT);
  EXPECT_EQ(record.usage, 0u);
  EXPECT_EQ(usage2.usage, VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT);
}

TEST_F(LayerBuffers, BehindAnUnknownStructureTheyStayAsTheyAre) {
  Program program;
  VkBufferUsageFlags2CreateInfo usage2{};
  usage2.sType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO;
  usage2.usage = VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT;
  const VkBaseInStructure unknown{static_cast<VkStructureType>(1999999001),
                                  reinterpret_cast<const VkBaseInStructure*>(&usage2)};
  VkBufferCreateInfo info = buffer_info(64, 0);
  info.pNext = &unknown;
  EXPECT_EQ(create_and_destroy(program.device, info).usage2, VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT);
}

TEST_F(LayerBuffers, ProtectedAndVideoOnlyOnesStayAsTheyAre) {
  Program program;
  VkBufferCreateInfo info = buffer_info(64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  info.flags = VK_BUFFER_CREATE_PROTECTED_BIT;
  EXPECT_EQ(create_and_destroy(program.device, info).usage & kAddress, 0u);
  info = buffer_info(64, VK_BUFFER_USAGE_VIDEO_DECODE_SRC_BIT_KHR);
  EXPECT_EQ(create_and_destroy(program.device, info).usage & kAddress, 0u);
  info.usage |= VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  EXPECT_EQ(create_and_destroy(program.device, info).usage & kAddress, kAddress);
}

TEST_F(LayerBuffers, ARefusedUsageIsTakenBack) {
  Program program;
  null_driver::Config config;
  config.faults = {{"vkCreateBuffer", 1, VK_ERROR_OUT_OF_DEVICE_MEMORY}};
  driver().configure(config);
  EXPECT_EQ(create_and_destroy(program.device, buffer_info(64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT)).usage,
            VkBufferUsageFlags(VK_BUFFER_USAGE_STORAGE_BUFFER_BIT));
  EXPECT_EQ(notes_about("no device address").size(), 1u);
}

TEST_F(LayerBuffers, WhatTheDriverRefusesBothWaysIsRefused) {
  Program program;
  null_driver::Config config;
  config.faults = {{"vkCreateBuffer", 0, VK_ERROR_OUT_OF_HOST_MEMORY}};
  driver().configure(config);
  const VkBufferCreateInfo info = buffer_info(64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  VkBuffer buffer = VK_NULL_HANDLE;
  EXPECT_EQ(program.device.vk.vkCreateBuffer(program.device.handle, &info, nullptr, &buffer),
            VK_ERROR_OUT_OF_HOST_MEMORY);
}

TEST_F(LayerBuffers, RequirementsAreThoseOfTheBufferThatWillBeMade) {
  Program program;
  const VkBufferCreateInfo info = buffer_info(64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  VkDeviceBufferMemoryRequirements query{};
  query.sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS;
  query.pCreateInfo = &info;
  VkMemoryRequirements2 requirements{};
  requirements.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2;
  program.device.vk.vkGetDeviceBufferMemoryRequirements(program.device.handle, &query, &requirements);
  EXPECT_EQ(driver().log().buffer_queries.at(0).usage, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | kAddress);
  EXPECT_EQ(requirements.memoryRequirements.size, 64u);
}

TEST_F(LayerBuffers, MemoryIsAllocatedWithDeviceAddresses) {
  Program program;
  const auto plain = allocate_and_free(program.device, allocation_info());
  EXPECT_EQ(plain.flags, VkMemoryAllocateFlags(VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT));
  EXPECT_EQ(plain.chain, null_driver::Chain{kFlagsInfo});

  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = kFlagsInfo;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_MASK_BIT;
  flags.deviceMask = 1;
  VkMemoryPriorityAllocateInfoEXT priority{};
  priority.sType = VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT;
  priority.pNext = &flags;
  VkMemoryAllocateInfo info = allocation_info();
  info.pNext = &priority;
  const auto edited = allocate_and_free(program.device, info);
  EXPECT_EQ(edited.flags, VkMemoryAllocateFlags(VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT |
                                                VK_MEMORY_ALLOCATE_DEVICE_MASK_BIT));
  EXPECT_EQ(edited.chain.size(), 2u);
  EXPECT_EQ(flags.flags, VkMemoryAllocateFlags(VK_MEMORY_ALLOCATE_DEVICE_MASK_BIT));
}

TEST_F(LayerBuffers, MemoryForImagesProtectedAndLazyMemoryStayAsTheyAre) {
  null_driver::Config config;
  config.memory_types.push_back(VK_MEMORY_PROPERTY_PROTECTED_BIT);
  config.memory_types.push_back(VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT);
  const auto protected_type = static_cast<uint32_t>(config.memory_types.size()) - 2;
  driver().reset(config);
  Program program;
  EXPECT_EQ(allocate_and_free(program.device, allocation_info(protected_type)).flags, 0u);
  EXPECT_EQ(allocate_and_free(program.device, allocation_info(protected_type + 1)).flags, 0u);
  VkMemoryDedicatedAllocateInfo dedicated{};
  dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO;
  dedicated.image = reinterpret_cast<VkImage>(uint64_t(16));
  VkMemoryAllocateInfo info = allocation_info();
  info.pNext = &dedicated;
  EXPECT_EQ(allocate_and_free(program.device, info).flags, 0u);
}

TEST_F(LayerBuffers, ARefusedAllocationIsRepeatedAsItWas) {
  Program program;
  null_driver::Config config;
  config.faults = {{"vkAllocateMemory", 1, VK_ERROR_OUT_OF_DEVICE_MEMORY}};
  driver().configure(config);
  EXPECT_EQ(allocate_and_free(program.device, allocation_info()).flags, 0u);
  EXPECT_EQ(notes_about("no device address").size(), 1u);
}

TEST_F(LayerBuffers, AddressesOfBuffersInOneAnother) {
  BufferTable table;
  const auto large = reinterpret_cast<VkBuffer>(uint64_t(0x10));
  const auto small = reinterpret_cast<VkBuffer>(uint64_t(0x20));
  table.add(large, 1000);
  table.add(small, 16);
  table.set_name(small, "small");
  EXPECT_EQ(table.find(small)->address, 0u);
  EXPECT_FALSE(table.find_address(5000));
  table.set_address(large, 5000);
  table.set_address(small, 5100);
  EXPECT_EQ(table.find_address(5000)->handle, large);
  EXPECT_EQ(table.find_address(5105)->handle, small);
  EXPECT_EQ(table.find_address(5105)->name, "small");
  EXPECT_EQ(table.find_address(5116)->handle, large);
  EXPECT_EQ(table.find_address(5999)->handle, large);
  EXPECT_FALSE(table.find_address(6000));
  EXPECT_FALSE(table.find_address(4999));
}

TEST_F(LayerBuffers, MemoryIsPlainUntilItIsFreed) {
  BufferTable table;
  const auto memory = reinterpret_cast<VkDeviceMemory>(uint64_t(0x10));
  const auto other = reinterpret_cast<VkDeviceMemory>(uint64_t(0x20));
  EXPECT_FALSE(table.is_plain_memory(memory));
  table.add_plain_memory(memory);
  EXPECT_TRUE(table.is_plain_memory(memory));
  EXPECT_FALSE(table.is_plain_memory(other));
  table.remove_memory(other);
  EXPECT_TRUE(table.is_plain_memory(memory));
  table.remove_memory(memory);
  EXPECT_FALSE(table.is_plain_memory(memory)) << "another allocation may get the handle";
}

TEST_F(LayerBuffers, ThoseThatShadersCannotWriteMayShareMemoryWithOthers) {
  const auto handle = [](uint64_t number) { return reinterpret_cast<VkBuffer>(number * 16); };
  BufferTable table;
  table.add(handle(1), 100, true, true);
  table.add(handle(2), 100, true, true);
  table.add(handle(3), 1000, true, false);
  table.set_address(handle(1), 5000);
  table.set_address(handle(2), 5050);  // read-only, as the first one
  table.set_address(handle(3), 5150);  // directly behind it
  EXPECT_FALSE(table.aliased());
  table.add(handle(4), 100, true, false);
  table.remove(handle(1));
  table.set_address(handle(4), 4950);  // where the first one was
  EXPECT_FALSE(table.aliased());
  table.add(handle(5), 1, true, true);
  table.set_address(handle(5), 6149);  // the third one's last byte
  EXPECT_TRUE(table.aliased());
  table.remove(handle(5));
  EXPECT_TRUE(table.aliased());  // what was recorded with it may still be submitted

  BufferTable other;
  other.add(handle(1), 10, true, true);
  other.set_address(handle(1), 5000);
  other.add(handle(2), 1000, true, false);
  other.set_address(handle(2), 4500);  // around it
  EXPECT_TRUE(other.aliased());
}

TEST_F(LayerBuffers, DestroyedOnesAreRememberedForAWhile) {
  BufferTable table;
  const auto first = reinterpret_cast<VkBuffer>(uint64_t(0x10));
  table.add(first, 100);
  table.set_address(first, 5000);
  table.set_name(first, "old");
  table.remove(first);
  EXPECT_FALSE(table.find(first));
  const auto old = table.find_address(5050);
  ASSERT_TRUE(old);
  EXPECT_TRUE(old->destroyed);
  EXPECT_EQ(old->name, "old");
  table.add(first, 100);
  table.set_address(first, 5000);
  EXPECT_FALSE(table.find_address(5050)->destroyed);
  EXPECT_EQ(table.find_address(5050)->name, "");
  table.remove(first);
  EXPECT_EQ(table.find_address(5050)->name, "");  // the one destroyed last
  for (uint64_t i = 0; i < 5000; ++i) {
    table.add(first, 1);
    table.set_address(first, 100000 + i);
    table.remove(first);
  }
  EXPECT_FALSE(table.find_address(5050));
  EXPECT_TRUE(table.find_address(104999));
}

TEST_F(LayerBuffers, TexelSizesOfFormats) {
  EXPECT_EQ(layer::texel_size(VK_FORMAT_R8_UNORM), 1u);
  EXPECT_EQ(layer::texel_size(VK_FORMAT_B10G11R11_UFLOAT_PACK32), 4u);
  EXPECT_EQ(layer::texel_size(VK_FORMAT_R32G32B32_SFLOAT), 12u);
  EXPECT_EQ(layer::texel_size(VK_FORMAT_R64G64B64A64_SFLOAT), 32u);
  EXPECT_EQ(layer::texel_size(VK_FORMAT_BC1_RGB_UNORM_BLOCK), 0u);
  EXPECT_EQ(layer::texel_size(VK_FORMAT_UNDEFINED), 0u);
}

TEST_F(LayerBuffers, RangesComeBackTogether) {
  layer::RangeAllocator ranges(100);
  const uint32_t a = ranges.allocate(30).value();
  const uint32_t b = ranges.allocate(30).value();
  const uint32_t c = ranges.allocate(40).value();
  EXPECT_FALSE(ranges.allocate(1));
  ranges.free(a, 30);
  ranges.free(c, 40);
  EXPECT_FALSE(ranges.allocate(50));
  ranges.free(b, 30);
  EXPECT_TRUE(ranges.is_unused());
  EXPECT_EQ(ranges.allocate(100), 0u);
  EXPECT_FALSE(ranges.is_unused());
}

}  // namespace
}  // namespace shaderqa::layer_tests
