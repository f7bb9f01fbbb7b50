// SPDX-License-Identifier: Apache-2.0
// Images in descriptor heaps: views that are only described have records that live as long as their image.
#include <set>
#include <vector>

#include "instrument/runtime/abi_image.h"
#include "tests/layer/heap_kit.h"

namespace shaderqa::layer_tests {
namespace {

constexpr uint32_t kSide = 16, kLevels = 5;

class HeapImages : public HeapTest {
 protected:
  explicit HeapImages(const char* images = "1") : HeapTest({{"SHADERQA_SYNC_IMAGES", images}}) {
    VkMemoryAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    info.allocationSize = 65536;
    check(vk().vkAllocateMemory(device().handle, &info, nullptr, &memory_), "vkAllocateMemory");
  }
  void TearDown() override {
    for (const VkImage image : images_) vk().vkDestroyImage(device().handle, image, nullptr);
    vk().vkFreeMemory(device().handle, memory_, nullptr);
    HeapTest::TearDown();
  }
  VkImage image(VkDeviceSize offset = 0) {
    VkImageCreateInfo info = plain_image(VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT, kSide);
    info.mipLevels = kLevels;
    images_.emplace_back();
    check(vk().vkCreateImage(device().handle, &info, nullptr, &images_.back()), "vkCreateImage");
    check(vk().vkBindImageMemory(device().handle, images_.back(), memory_, offset), "vkBindImageMemory");
    return images_.back();
  }
  void destroy_last_image() {
    vk().vkDestroyImage(device().handle, images_.back(), nullptr);
    images_.pop_back();
  }
  Bytes write(VkDescriptorType type, VkImage image, uint32_t level = 0, uint32_t levels = 1,
              VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL) {
    VkImageViewCreateInfo view{};
    view.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
    view.image = image;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = VK_FORMAT_R32_UINT;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, level, levels, 0, 1};
    VkImageDescriptorInfoEXT described{};
    described.sType = VK_STRUCTURE_TYPE_IMAGE_DESCRIPTOR_INFO_EXT;
    described.pView = &view;
    described.layout = layout;
    VkResourceDescriptorInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_RESOURCE_DESCRIPTOR_INFO_EXT;
    info.type = type;
    if (image) info.data.pImage = &described;
    Bytes bytes(32, 0x55);
    const VkHostAddressRangeEXT place{bytes.data(), bytes.size()};
    check(command<PFN_vkWriteResourceDescriptorsEXT>("vkWriteResourceDescriptorsEXT")(device().handle, 1,
                                                                                      &info, &place),
          "vkWriteResourceDescriptorsEXT");
    return bytes;
  }
  static const abi::ExactState& engine() {
    return *reinterpret_cast<const abi::ExactState*>(address_at(records().at(0), SQA_ACTION_ENGINE));
  }
  // The record that an entry leads to.
  static const uint32_t* record_of(const TableEntry& entry) {
    const auto blocks = reinterpret_cast<const uint64_t*>(engine().image_views_address);
    return reinterpret_cast<const uint32_t*>(blocks[entry.range >> SQA_IMAGE_BLOCK_VIEWS_LOG2]) +
           (entry.range & (SQA_IMAGE_BLOCK_VIEWS - 1)) * SQA_IMAGE_VIEW_DWORDS;
  }
  void change(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to) {
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.oldLayout = from;
    barrier.newLayout = to;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = image;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, kLevels, 0, 1};
    vk().vkCmdPipelineBarrier(commands, kComputeStage, kComputeStage, 0, 0, nullptr, 0, nullptr, 1, &barrier);
  }
  // Whether the record's shaders are told that a descriptor with this entry may name a wrong layout.
  static bool is_wrong(size_t record, const TableEntry& entry) {
    const auto* const dwords =
        reinterpret_cast<const uint32_t*>(address_at(records().at(record), SQA_ACTION_VIEW_LAYOUTS));
    const uint32_t bit = sqa_view_layout_bit(entry.range, entry.meta & SQA_TABLE_LAYOUT);
    return dwords[bit / 32] >> bit % 32 & 1;
  }
  static constexpr VkImageLayout kReadOnly = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  static constexpr uint32_t kSampled = SQA_DESCRIPTOR_SAMPLED_IMAGE, kStored = SQA_DESCRIPTOR_STORAGE_IMAGE;
  static constexpr VkDescriptorType kSampledType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
                                    kStoredType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;

  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::vector<VkImage> images_;
};

TEST_F(HeapImages, DescriptorsLeadToTheRecordsOfTheirViews) {
  act_once();
  const VkImage first = image(), second = image(32768);
  const Bytes stored = write(kStoredType, first, 1), sampled = write(kSampledType, first, 0, kLevels),
              other = write(kStoredType, second), none = write(kStoredType, VK_NULL_HANDLE);
  ASSERT_TRUE(find(kStored, stored) && find(kSampled, sampled) && find(kStored, other));
  const TableEntry entry = *find(kStored, stored);
  EXPECT_TRUE(abi::is_image_address(entry.address));
  const uint32_t* record = record_of(entry);
  EXPECT_EQ(record[0] | uint64_t{record[1]} << 32, entry.address);
  EXPECT_EQ(record[2], 1u);
  EXPECT_EQ(record[5], kSide / 2);
  EXPECT_EQ(find(kSampled, sampled)->address, entry.address);
  EXPECT_EQ(record_of(*find(kSampled, sampled))[2], kLevels);
  EXPECT_NE(find(kStored, other)->address, entry.address);
  EXPECT_EQ(find(kStored, none), (TableEntry{0, SQA_NO_VIEW, 0})) << "0 would be the first view";
  EXPECT_EQ(find(kSampled, stored), std::nullopt);
}

// However often a program writes its descriptors anew, there are no more records than there are views.
TEST_F(HeapImages, EqualViewsShareARecord) {
  act_once();
  const VkImage only = image();
  std::set<uint32_t> numbers;
  for (uint32_t i = 0; i < 5000; ++i)
    numbers.insert(find(kStored, write(kStoredType, only, i % kLevels))->range);
  numbers.insert(find(kSampled, write(kSampledType, only, 2))->range);
  EXPECT_EQ(numbers.size(), kLevels);
}

// Bytes that a new image has as well do not lead to the one that is gone.
TEST_F(HeapImages, RecordsGoWithTheirImage) {
  act_once();
  const Bytes stored = write(kStoredType, image(), 1);
  const uint32_t number = find(kStored, stored)->range;
  destroy_last_image();
  EXPECT_EQ(find(kStored, stored), (TableEntry{0, SQA_NO_VIEW, 0}));
  // Numbers are used again, but not at once: shaders may still read such a record.
  const auto number_of_another = [&] {
    const uint32_t taken = find(kStored, write(kStoredType, image()))->range;
    destroy_last_image();
    return taken;
  };
  std::set<uint32_t> numbers;
  for (int i = 0; i < 4000; ++i) numbers.insert(number_of_another());
  EXPECT_FALSE(numbers.contains(number));
  for (int i = 0; i < 4000; ++i) numbers.insert(number_of_another());
  EXPECT_TRUE(numbers.contains(number));
  EXPECT_LT(numbers.size(), 4200u);
}

// A bit says so to the shaders of each action that may use such a descriptor.
TEST_F(HeapImages, LayoutsThatDescriptorsNameAreCompared) {
  act_once();
  const VkImage compared = image(), other = image(32768);
  const TableEntry general = *find(kStored, write(kStoredType, compared)),
                   read_only = *find(kSampled, write(kSampledType, compared, 0, 1, kReadOnly)),
                   level = *find(kStored, write(kStoredType, compared, 1)),
                   of_other = *find(kStored, write(kStoredType, other));
  const VkCommandBuffer commands = begin();
  bind_heap(commands);
  use(commands, pipelines_[0]);
  dispatch(commands);
  change(commands, compared, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
  dispatch(commands);
  dispatch(commands);
  change(commands, compared, VK_IMAGE_LAYOUT_GENERAL, kReadOnly);
  dispatch(commands);
  end(commands);
  // Between these are those of the transitions.
  constexpr size_t before = 1, within = 3, also_within = 4, behind = 6;
  ASSERT_EQ(records().size(), behind + 1);
  EXPECT_FALSE(is_wrong(before, general)) << "it is not known before it is submitted";
  submit({commands});
  for (const TableEntry& entry : {general, read_only, level, of_other}) EXPECT_TRUE(is_wrong(before, entry));
  EXPECT_EQ(address_at(records().at(within), SQA_ACTION_VIEW_LAYOUTS),
            address_at(records().at(also_within), SQA_ACTION_VIEW_LAYOUTS));
  EXPECT_FALSE(is_wrong(within, general) || is_wrong(within, level));
  EXPECT_TRUE(is_wrong(within, read_only) && is_wrong(within, of_other));
  EXPECT_TRUE(is_wrong(behind, general) && is_wrong(behind, level));
  EXPECT_FALSE(is_wrong(behind, read_only));
  // In front of the next submission it is in another layout than before.
  submit({commands});
  EXPECT_FALSE(is_wrong(before, read_only));
  EXPECT_TRUE(is_wrong(before, general));
}

// Shaders read inputs of subpasses that the pass does not write.
TEST_F(HeapImages, WhatTheRenderPassWritesIsListed) {
  act_once();
  const VkImage drawn = image();
  VkImageViewCreateInfo view_info{};
  view_info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  view_info.image = drawn;
  view_info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view_info.format = VK_FORMAT_R32_UINT;
  view_info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  VkImageView view = VK_NULL_HANDLE;
  check(vk().vkCreateImageView(device().handle, &view_info, nullptr, &view), "vkCreateImageView");
  VkRenderingAttachmentInfo colour{};
  colour.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
  colour.imageView = view;
  colour.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  VkRenderingInfo rendering{};
  rendering.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
  rendering.layerCount = 1;
  rendering.pColorAttachments = &colour;
  const VkCommandBuffer commands = begin();
  bind_heap(commands);
  use(commands, VK_SHADER_STAGE_FRAGMENT_BIT,
      create_object(VK_SHADER_STAGE_FRAGMENT_BIT, shaders::accesses_frag, at_offset(0)));
  for (const uint32_t attachments : {1u, 1u, 0u}) {
    rendering.colorAttachmentCount = attachments;
    vk().vkCmdBeginRendering(commands, &rendering);
    draw(commands);
    vk().vkCmdEndRendering(commands);
  }
  draw(commands);
  end(commands);
  const auto list_of = [](size_t record) {
    const auto* const list =
        reinterpret_cast<const uint64_t*>(address_at(records().at(record), SQA_ACTION_DRAWN));
    return list ? std::vector<uint64_t>(list + 1, list + 1 + *list) : std::vector<uint64_t>{1};
  };
  const uint64_t address = find(kStored, write(kStoredType, drawn))->address;
  EXPECT_EQ(list_of(1), std::vector<uint64_t>{address});
  EXPECT_EQ(address_at(records().at(1), SQA_ACTION_DRAWN), address_at(records().at(2), SQA_ACTION_DRAWN));
  EXPECT_EQ(list_of(3), std::vector<uint64_t>());
  EXPECT_EQ(address_at(records().at(4), SQA_ACTION_DRAWN), 0u) << "nothing is known of a pass";
  vk().vkDestroyImageView(device().handle, view, nullptr);
}

// The driver makes the same bytes of all layouts.
TEST_F(HeapImages, BytesOfSeveralLayoutsNameNone) {
  act_once();
  const VkImage compared = image();
  const auto layout_in = [&](const Bytes& bytes) { return find(kSampled, bytes)->meta & SQA_TABLE_LAYOUT; };
  const Bytes bytes = write(kSampledType, compared), level = write(kSampledType, compared, 1);
  const uint32_t general = layout_in(bytes);
  EXPECT_NE(general, 0u);
  EXPECT_EQ(write(kSampledType, compared), bytes);
  EXPECT_EQ(layout_in(bytes), general);
  EXPECT_EQ(write(kSampledType, compared, 0, 1, kReadOnly), bytes);
  EXPECT_EQ(layout_in(bytes), 0u);
  write(kSampledType, compared);
  write(kSampledType, compared, 0, 1, kReadOnly);
  EXPECT_EQ(layout_in(bytes), 0u) << "the program may have kept the others";
  EXPECT_EQ(layout_in(level), general);
}

TEST_F(HeapImages, SamplersInHeapsAndMappingsAreSeen) {
  act_once();
  const auto seen = [] {
    return reinterpret_cast<const uint32_t*>(engine().image_views_address + SQA_IMAGE_SAMPLERS * 8)[0];
  };
  EXPECT_EQ(seen(), 0u);
  VkSamplerCreateInfo sampler{};
  sampler.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  sampler.unnormalizedCoordinates = VK_TRUE;
  Bytes bytes(32);
  const VkHostAddressRangeEXT place{bytes.data(), bytes.size()};
  check(command<PFN_vkWriteSamplerDescriptorsEXT>("vkWriteSamplerDescriptorsEXT")(device().handle, 1,
                                                                                  &sampler, &place),
        "vkWriteSamplerDescriptorsEXT");
  EXPECT_EQ(seen(), SQA_SAMPLERS_ODD);
  sampler.unnormalizedCoordinates = VK_FALSE;
  sampler.mipLodBias = 1;
  Mapping mapped = at_offset(0);
  mapped.sourceData.constantOffset.pEmbeddedSampler = &sampler;
  create({mapped});
  EXPECT_EQ(seen(), SQA_SAMPLERS_ODD | SQA_SAMPLERS_BIASED);
}

// Without sync_images they go to the driver as they are.
class HeapImagesThatAreNotFollowed : public HeapImages {
 protected:
  HeapImagesThatAreNotFollowed() : HeapImages("0") {}
};

TEST_F(HeapImagesThatAreNotFollowed, DescriptorsAreNotRemembered) {
  act_once();
  const Bytes bytes = write(kStoredType, image());
  EXPECT_EQ(bytes[31], 0x55) << "what the driver leaves is left";
  EXPECT_EQ(find(kStored, bytes), std::nullopt);
}

}  // namespace
}  // namespace shaderqa::layer_tests
