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
  Bytes write(VkDescriptorType type, VkImage image, uint32_t level = 0, uint32_t levels = 1) {
    VkImageViewCreateInfo view{};
    view.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
    view.image = image;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = VK_FORMAT_R32_UINT;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, level, levels, 0, 1};
    VkImageDescriptorInfoEXT described{};
    described.sType = VK_STRUCTURE_TYPE_IMAGE_DESCRIPTOR_INFO_EXT;
    described.pView = &view;
    described.layout = VK_IMAGE_LAYOUT_GENERAL;
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
