// SPDX-License-Identifier: Apache-2.0
// What is in a set's table after the commands that update it.
#include <numeric>

#include "instrument/runtime/abi_table.h"
#include "tests/layer/descriptor_kit.h"

namespace shaderqa::layer_tests {
namespace {

using DescriptorTables = SyncTest;
using Entries = std::vector<TableEntry>;

constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr auto kUniform = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
constexpr auto kStorageDynamic = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
constexpr auto kTexel = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
constexpr auto kImage = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
constexpr auto kMutable = VK_DESCRIPTOR_TYPE_MUTABLE_EXT;

// A texel view of a buffer.
class View {
 public:
  View(const Device& device, VkBuffer buffer, VkFormat format, VkDeviceSize offset, VkDeviceSize range)
      : device_(device) {
    VkBufferViewCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO;
    info.buffer = buffer;
    info.format = format;
    info.offset = offset;
    info.range = range;
    check(device.vk.vkCreateBufferView(device.handle, &info, nullptr, &handle), "vkCreateBufferView");
  }
  ~View() { device_.vk.vkDestroyBufferView(device_.handle, handle, nullptr); }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  VkBufferView handle = VK_NULL_HANDLE;

 private:
  const Device& device_;
};

class Template {
 public:
  Template(const Device& device, const std::vector<VkDescriptorUpdateTemplateEntry>& entries)
      : device_(device) {
    VkDescriptorUpdateTemplateCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO;
    info.descriptorUpdateEntryCount = static_cast<uint32_t>(entries.size());
    info.pDescriptorUpdateEntries = entries.data();
    check(device.vk.vkCreateDescriptorUpdateTemplate(device.handle, &info, nullptr, &handle),
          "vkCreateDescriptorUpdateTemplate");
  }
  ~Template() { device_.vk.vkDestroyDescriptorUpdateTemplate(device_.handle, handle, nullptr); }
  Template(const Template&) = delete;
  Template& operator=(const Template&) = delete;
  VkDescriptorUpdateTemplate handle = VK_NULL_HANDLE;

 private:
  const Device& device_;
};

void copy(const Device& device, const OneSet& from, uint32_t from_binding, uint32_t from_element,
          const OneSet& to, uint32_t to_binding, uint32_t to_element, uint32_t count) {
  VkCopyDescriptorSet info{};
  info.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET;
  info.srcSet = from.handle;
  info.srcBinding = from_binding;
  info.srcArrayElement = from_element;
  info.dstSet = to.handle;
  info.dstBinding = to_binding;
  info.dstArrayElement = to_element;
  info.descriptorCount = count;
  device.vk.vkUpdateDescriptorSets(device.handle, 0, nullptr, 1, &info);
}

TEST_F(DescriptorTables, AreNullAtFirst) {
  Program program;
  const OneSet set(program.device, {{0, kStorage, 3}});
  EXPECT_EQ(find_table(program.device, 3), Entries(3));
}

TEST_F(DescriptorTables, HoldAddressAndRange) {
  Program program;
  const BoundBuffer buffer(program.device, 1000);
  const OneSet set(program.device, {{0, kStorage, 3}});
  set.write(0, 0, kStorage, {{buffer.handle, 0, VK_WHOLE_SIZE}});
  set.write(0, 1, kStorage, {{buffer.handle, 256, VK_WHOLE_SIZE}, {buffer.handle, 64, 32}});
  EXPECT_EQ(
      find_table(program.device, 3),
      (Entries{{buffer.address, 1000, 0}, {buffer.address + 256, 744, 0}, {buffer.address + 64, 32, 0}}));
  set.write(0, 1, kStorage, {{VK_NULL_HANDLE, 0, VK_WHOLE_SIZE}});
  EXPECT_EQ(find_table(program.device, 3)[1], TableEntry());
}

TEST_F(DescriptorTables, SayWhatShadersCannotWrite) {
  Program program;
  const BoundBuffer constants(program.device, 256, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  const BoundBuffer texels(program.device, 256, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT);
  const BoundBuffer both(program.device, 256,
                         VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT);
  // The layer's own addition does not make a buffer writable, the application's does.
  const BoundBuffer addressed(program.device, 256,
                              VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
  const View view(program.device, texels.handle, VK_FORMAT_R32_UINT, 0, VK_WHOLE_SIZE);
  const auto dynamic = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
  const auto texel = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
  const OneSet set(program.device, {{0, kUniform, 3}, {1, dynamic, 1}, {2, texel, 1}});
  set.write(0, 0, kUniform, {{constants.handle, 0, 64}, {both.handle, 0, 64}, {addressed.handle, 0, 64}});
  set.write(1, 0, dynamic, {{constants.handle, 64, 16}});
  set.write_views(2, 0, texel, {view.handle});
  EXPECT_EQ(find_table(program.device, 5),
            (Entries{{constants.address, 64, SQA_TABLE_READ_ONLY},
                     {both.address, 64, 0},
                     {addressed.address, 64, 0},
                     {constants.address + 64, 16, SQA_TABLE_DYNAMIC | SQA_TABLE_READ_ONLY},
                     {texels.address, 256, 4 | SQA_TABLE_READ_ONLY}}));
}

TEST_F(DescriptorTables, RangesOfOver4GiBAreClamped) {
  Program program;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT;
  info.size = 5ull << 30;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  const Device& device = program.device;
  check(device.vk.vkCreateBuffer(device.handle, &info, nullptr, &buffer), "vkCreateBuffer");
  {
    // A sparse buffer has its address from the beginning.
    const OneSet set(device, {{0, kStorage, 3}});
    set.write(0, 0, kStorage, {{buffer, 16, VK_WHOLE_SIZE}});
    const TableEntry entry = find_table(program.device, 3)[0];
    EXPECT_NE(entry.address, 0u);
    EXPECT_EQ(entry.range, 0xffffffffu);
  }
  device.vk.vkDestroyBuffer(device.handle, buffer, nullptr);
}

TEST_F(DescriptorTables, BindingsAreSortedAndThoseWithoutBuffersHaveNoSlots) {
  Program program;
  const BoundBuffer buffer(program.device, 256);
  const OneSet set(program.device, {{9, kUniform, 2},
                                    {4, kImage, 5},
                                    {1, kStorageDynamic, 1},
                                    {6, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 64},
                                    {2, VK_DESCRIPTOR_TYPE_SAMPLER, 1},
                                    {3, kTexel, 2}});
  set.write(9, 1, kUniform, {{buffer.handle, 16, 16}});
  set.write(1, 0, kStorageDynamic, {{buffer.handle, 32, 64}});
  EXPECT_EQ(
      find_table(program.device, 5),
      (Entries{{buffer.address + 32, 64, SQA_TABLE_DYNAMIC}, {}, {}, {}, {buffer.address + 16, 16, 0}}));
}

TEST_F(DescriptorTables, WritesRollOverIntoTheNextBindings) {
  Program program;
  const BoundBuffer buffer(program.device, 256);
  const OneSet set(program.device, {{0, kStorage, 2}, {1, kStorage, 0}, {2, kStorage, 1}, {3, kStorage, 2}});
  std::vector<VkDescriptorBufferInfo> infos;
  for (uint32_t i = 0; i < 4; ++i) infos.push_back({buffer.handle, 16 * i, 16});
  set.write(0, 1, kStorage, infos);
  EXPECT_EQ(find_table(program.device, 5), (Entries{{},
                                                    {buffer.address, 16, 0},
                                                    {buffer.address + 16, 16, 0},
                                                    {buffer.address + 32, 16, 0},
                                                    {buffer.address + 48, 16, 0}}));
}

TEST_F(DescriptorTables, WritesBeyondTheSetOrToNoBindingAreIgnored) {
  Program program;
  const BoundBuffer buffer(program.device, 256);
  const OneSet set(program.device, {{0, kStorage, 3}});
  set.write(0, 2, kStorage, {{buffer.handle, 0, 16}, {buffer.handle, 16, 16}});
  set.write(7, 0, kStorage, {{buffer.handle, 0, 16}});
  EXPECT_EQ(find_table(program.device, 3), (Entries{{}, {}, {buffer.address, 16, 0}}));
}

TEST_F(DescriptorTables, OneCommandMayWriteSeveralSetsInTurns) {
  Program program;
  const BoundBuffer buffer(program.device, 256);
  const OneSet two(program.device, {{0, kStorage, 2}}), three(program.device, {{0, kStorage, 3}});
  std::vector<VkDescriptorBufferInfo> infos;
  for (uint32_t i = 0; i < 6; ++i) infos.push_back({buffer.handle, 16 * i, 16});
  const auto write = [&](const OneSet& set, uint32_t element, uint32_t info, uint32_t count) {
    VkWriteDescriptorSet made{};
    made.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    made.dstSet = set.handle;
    made.dstArrayElement = element;
    made.descriptorCount = count;
    made.descriptorType = kStorage;
    made.pBufferInfo = &infos[info];
    return made;
  };
  // The last one overwrites what the first one wrote.
  const std::vector<VkWriteDescriptorSet> writes = {write(two, 0, 0, 1), write(three, 0, 1, 2),
                                                    write(two, 1, 3, 1), write(three, 2, 4, 1),
                                                    write(two, 0, 5, 1)};
  program.device.vk.vkUpdateDescriptorSets(program.device.handle, static_cast<uint32_t>(writes.size()),
                                           writes.data(), 0, nullptr);
  const auto entry = [&](uint32_t info) { return TableEntry{buffer.address + infos[info].offset, 16, 0}; };
  EXPECT_EQ(find_table(program.device, 2), (Entries{entry(5), entry(3)}));
  EXPECT_EQ(find_table(program.device, 3), (Entries{entry(1), entry(2), entry(4)}));
}

// A table may lie anywhere in the pages in which changes are kept until the next submission.
TEST_F(DescriptorTables, LongOnesAreWrittenWhole) {
  Program program;
  const BoundBuffer buffer(program.device, 4096);
  const OneSet set(program.device, {{0, kStorage, 100}});
  Entries expected(100);
  for (const uint32_t shift : {0u, 1u}) {
    std::vector<VkDescriptorBufferInfo> infos;
    for (uint32_t i = 0; i < 100; ++i) {
      infos.push_back({buffer.handle, 16 * (i + shift), 16});
      expected[i] = {buffer.address + infos[i].offset, 16, 0};
    }
    set.write(0, 0, kStorage, infos);
    EXPECT_EQ(find_table(program.device, 100), expected);
  }
}

TEST_F(DescriptorTables, TexelBuffersHaveTheirTexelSize) {
  Program program;
  const BoundBuffer buffer(program.device, 100);
  const View whole(program.device, buffer.handle, VK_FORMAT_R32G32_SFLOAT, 16, VK_WHOLE_SIZE);
  const View part(program.device, buffer.handle, VK_FORMAT_R8_UNORM, 0, 10);
  const OneSet set(program.device, {{0, kTexel, 3}});
  set.write_views(0, 0, kTexel, {whole.handle, part.handle, VK_NULL_HANDLE});
  EXPECT_EQ(find_table(program.device, 3),
            (Entries{{buffer.address + 16, 80, 8}, {buffer.address, 10, 1}, {}}));
}

TEST_F(DescriptorTables, TexelBuffersOfFormatsWithoutTexelsAreNotChecked) {
  Program program;
  const BoundBuffer buffer(program.device, 100);
  const View whole(program.device, buffer.handle, VK_FORMAT_BC1_RGB_UNORM_BLOCK, 0, VK_WHOLE_SIZE);
  const View last(program.device, buffer.handle, VK_FORMAT_R8_UNORM, 99, VK_WHOLE_SIZE);
  const OneSet set(program.device, {{0, kTexel, 2}});
  set.write_views(0, 0, kTexel, {whole.handle, last.handle});
  EXPECT_EQ(find_table(program.device, 2), (Entries{{}, {buffer.address + 99, 1, 1}}));
}

TEST_F(DescriptorTables, MutableDescriptorsAreWhatWasWrittenLast) {
  Program program;
  const BoundBuffer buffer(program.device, 256);
  const View view(program.device, buffer.handle, VK_FORMAT_R32_UINT, 0, 64);
  const OneSet set(program.device, {{0, kMutable, 3, 0, {kImage, kTexel, kStorage}},
                                    {1, kMutable, 4, 0, {kImage, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE}}});
  set.write(0, 0, kStorage, {{buffer.handle, 0, 16}, {buffer.handle, 0, 32}});
  set.write_views(0, 1, kTexel, {view.handle});
  EXPECT_EQ(find_table(program.device, 3), (Entries{{buffer.address, 16, 0}, {buffer.address, 64, 4}, {}}));

  const VkDescriptorImageInfo image{};
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set.handle;
  write.descriptorCount = 1;
  write.descriptorType = kImage;
  write.pImageInfo = &image;
  program.device.vk.vkUpdateDescriptorSets(program.device.handle, 1, &write, 0, nullptr);
  EXPECT_EQ(find_table(program.device, 3), (Entries{{}, {buffer.address, 64, 4}, {}}));
}

TEST_F(DescriptorTables, AVariableCountIsThatOfTheSet) {
  Program program;
  const BoundBuffer buffer(program.device, 256);
  const std::vector<BindingOptions> bindings = {
      {0, kStorage, 2}, {1, kStorage, 1000, VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT}};
  const OneSet set(program.device, bindings, 5);
  set.write(1, 4, kStorage, {{buffer.handle, 0, 16}, {buffer.handle, 0, 16}});
  EXPECT_EQ(find_table(program.device, 7), (Entries{{}, {}, {}, {}, {}, {}, {buffer.address, 16, 0}}));
  // Without a word the count is 0.
  const OneSet other(program.device, {{0, kStorage, 11}, bindings[1]});
  EXPECT_EQ(find_table(program.device, 11), Entries(11));
}

TEST_F(DescriptorTables, InlineUniformBlocksAreNoDescriptors) {
  Program program;
  const OneSet set(program.device, {{0, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 64}, {1, kStorage, 3}});
  const std::array<std::byte, 64> bytes{};
  VkWriteDescriptorSetInlineUniformBlock block{};
  block.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK;
  block.dataSize = bytes.size();
  block.pData = bytes.data();
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.pNext = &block;
  write.dstSet = set.handle;
  write.descriptorCount = bytes.size();
  write.descriptorType = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
  program.device.vk.vkUpdateDescriptorSets(program.device.handle, 1, &write, 0, nullptr);
  EXPECT_EQ(find_table(program.device, 3), Entries(3));
}

TEST_F(DescriptorTables, CopiesTakeWhatTheOtherSetHas) {
  Program program;
  const BoundBuffer buffer(program.device, 256);
  const OneSet from(program.device, {{0, kStorage, 2}, {1, kStorage, 3}});
  const OneSet to(program.device, {{3, kStorage, 1}, {4, kStorage, 6}});
  from.write(0, 1, kStorage,
             {{buffer.handle, 0, 16},
              {buffer.handle, 16, 16},
              {VK_NULL_HANDLE, 0, VK_WHOLE_SIZE},
              {buffer.handle, 32, 16}});
  copy(program.device, from, 0, 1, to, 3, 0, 3);
  EXPECT_EQ(find_table(program.device, 7),
            (Entries{{buffer.address, 16, 0}, {buffer.address + 16, 16, 0}, {}, {}, {}, {}, {}}))
      << "the source's last descriptor is not copied";
  // Within one set.
  copy(program.device, to, 3, 0, to, 4, 4, 2);
  EXPECT_EQ(find_table(program.device, 7)[5], (TableEntry{buffer.address, 16, 0}));
  EXPECT_EQ(find_table(program.device, 7)[6], (TableEntry{buffer.address + 16, 16, 0}));
}

TEST_F(DescriptorTables, CopiesOfImagesIntoMutableDescriptorsAreNull) {
  Program program;
  const BoundBuffer buffer(program.device, 256);
  const OneSet from(program.device, {{0, kImage, 2}});
  const OneSet to(program.device, {{0, kMutable, 3, 0, {kImage, kStorage}}});
  to.write(0, 0, kStorage, {{buffer.handle, 0, 16}, {buffer.handle, 16, 16}});
  copy(program.device, from, 0, 0, to, 0, 1, 1);
  EXPECT_EQ(find_table(program.device, 3), (Entries{{buffer.address, 16, 0}, {}, {}}));
}

TEST_F(DescriptorTables, TemplatesReadWithOffsetAndStride) {
  Program program;
  const Device& device = program.device;
  const BoundBuffer buffer(device, 256);
  const View view(device, buffer.handle, VK_FORMAT_R32_UINT, 0, 64);
  const OneSet set(device, {{0, kStorage, 2}, {1, kTexel, 1}, {2, kStorageDynamic, 2}});
  struct Row {
    uint64_t before;
    VkDescriptorBufferInfo info;
    VkBufferView view;
  };
  const std::vector<Row> rows = {{1, {buffer.handle, 0, 16}, view.handle},
                                 {2, {buffer.handle, 16, 16}, VK_NULL_HANDLE}};
  const Template update(device, {{0, 0, 2, kStorage, offsetof(Row, info), sizeof(Row)},
                                 {1, 0, 1, kTexel, offsetof(Row, view), 0},
                                 {2, 1, 1, kStorageDynamic, sizeof(Row) + offsetof(Row, info), 0}});
  device.vk.vkUpdateDescriptorSetWithTemplate(device.handle, set.handle, update.handle, rows.data());
  EXPECT_EQ(find_table(program.device, 5), (Entries{{buffer.address, 16, 0},
                                                    {buffer.address + 16, 16, 0},
                                                    {buffer.address, 64, 4},
                                                    {},
                                                    {buffer.address + 16, 16, SQA_TABLE_DYNAMIC}}));
  EXPECT_EQ(driver().log().descriptor_writes, 4u);
}

TEST_F(DescriptorTables, BuffersOfTheOtherBindCommandHaveAddressesToo) {
  Program program;
  const Device& device = program.device;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = 64;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  check(device.vk.vkCreateBuffer(device.handle, &info, nullptr, &buffer), "vkCreateBuffer");
  VkMemoryAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.allocationSize = 256;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  check(device.vk.vkAllocateMemory(device.handle, &allocation, nullptr, &memory), "vkAllocateMemory");
  {
    const OneSet set(device, {{0, kStorage, 3}});
    set.write(0, 0, kStorage, {{buffer, 0, 16}});
    EXPECT_EQ(find_table(program.device, 3), Entries(3));  // not bound yet
    VkBindBufferMemoryInfo bind{};
    bind.sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO;
    bind.buffer = buffer;
    bind.memory = memory;
    bind.memoryOffset = 64;
    check(device.vk.vkBindBufferMemory2(device.handle, 1, &bind), "vkBindBufferMemory2");
    set.write(0, 0, kStorage, {{buffer, 0, 16}});
    EXPECT_NE(find_table(program.device, 3)[0].address, 0u);
    EXPECT_EQ(find_table(program.device, 3)[0].range, 16u);
  }
  device.vk.vkDestroyBuffer(device.handle, buffer, nullptr);
  device.vk.vkFreeMemory(device.handle, memory, nullptr);
}

}  // namespace
}  // namespace shaderqa::layer_tests
