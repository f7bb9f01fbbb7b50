// SPDX-License-Identifier: Apache-2.0
// With sync_pictures: what shaders enter into the race map is in the pictures, of the image that it was
// entered for; what has no room is said.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "environment.h"
#include "host/order/cell.h"
#include "instrument/instrument.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_image.h"
#include "instrument/runtime/cell_fields.h"
#include "png_reader.h"
#include "report_reader.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

constexpr uint32_t kSlots = 37;  // of no other table
constexpr uint32_t kSide = 16;
const std::vector<BindingOptions> kBindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, kSlots, 0, {}}};
using Colour = std::array<int, 3>;
constexpr Colour kNone = {0, 0, 0}, kBetween = {255, 160, 0}, kWithin = {0, 140, 255},
                 kBoth = {255, 255, 255};

struct Folder {
  testing::TemporaryDirectory pictures;
};

class RacePictures : private Folder, public CommandTest {
 protected:
  explicit RacePictures(const char* limit = "0")
      : CommandTest(
            {}, host_visible(), "exact",
            {{"SHADERQA_SYNC_PICTURES", pictures.path().string()}, {"SHADERQA_SYNC_MEMORY_LIMIT", limit}}) {
    VkMemoryAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    info.allocationSize = 1024 * 1024;
    check(vk().vkAllocateMemory(device().handle, &info, nullptr, &memory_), "vkAllocateMemory");
  }
  void TearDown() override {
    if (std::exchange(ended_, true)) return;
    destroy();
    vk().vkFreeMemory(device().handle, memory_, nullptr);
    CommandTest::TearDown();
  }

  // The only image, and where its first word is.
  uint64_t create(uint32_t levels = 1, uint32_t layers = 1) {
    VkImageCreateInfo info = plain_image(VK_IMAGE_USAGE_STORAGE_BIT, kSide);
    info.mipLevels = levels;
    info.arrayLayers = layers;
    check(vk().vkCreateImage(device().handle, &info, nullptr, &image_), "vkCreateImage");
    check(vk().vkBindImageMemory(device().handle, image_, memory_, 0), "vkBindImageMemory");
    VkImageViewCreateInfo view{};
    view.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
    view.image = image_;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = info.format;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    check(vk().vkCreateImageView(device().handle, &view, nullptr, &view_), "vkCreateImageView");
    const OneSet set(device(), kBindings);
    const VkDescriptorImageInfo in_set{VK_NULL_HANDLE, view_, VK_IMAGE_LAYOUT_GENERAL};
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set.handle;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    write.pImageInfo = &in_set;
    vk().vkUpdateDescriptorSets(device().handle, 1, &write, 0, nullptr);
    checked_commands();
    return find_table(device(), kSlots)[0].address;
  }
  void destroy() {
    vk().vkDestroyImageView(device().handle, std::exchange(view_, VK_NULL_HANDLE), nullptr);
    vk().vkDestroyImage(device().handle, std::exchange(image_, VK_NULL_HANDLE), nullptr);
  }

  // The map's two dwords for a word: that of its page, and its own.
  struct Place {
    uint32_t* page = nullptr;
    uint32_t* word = nullptr;
  };
  static Place place_of(uint64_t address) {
    const auto& engine =
        *reinterpret_cast<const abi::ExactState*>(address_at(records().at(0), SQA_ACTION_ENGINE));
    const auto* const blocks = reinterpret_cast<const uint64_t*>(engine.race_map_address);
    const uint64_t number = (abi::highest_image_address - address) >> SQA_RACE_MAP_BLOCK_LOG2;
    auto* const block = reinterpret_cast<uint32_t*>(blocks[number]);
    if (!block) return {};
    return {block + (address >> 21 & 1), block + SQA_RACE_MAP_WORDS + (address >> 6 & 0xffff)};
  }
  // As a shader does.
  static void enter(uint64_t address, uint32_t kinds) {
    const Place place = place_of(address);
    *place.word |= kinds << (address / 4 % 16 * 2);
    *place.page |= 1u << (address >> SQA_PAGE_LOG2 & 31);
  }

  // What becomes of a shader's report about this address: the image of the finding.
  nlohmann::json report(uint64_t address) {
    InstrumentOptions options;
    options.root_address = 4096;
    options.sync.enabled = true;
    options.sync.engine = SyncEngine::exact;
    options.sync.record_set = 7;
    options.sync.descriptors = {{0, 0, 0, 1, SQA_NOT_DYNAMIC}};
    const InstrumentResult result = instrument(shaders::accesses_comp, options);
    // Each time another one, since a site reports once.
    const CheckSite& site = result.record.check_sites.at(reports_++);
    abi::Report record{};
    record.shader_hash[0] = static_cast<uint32_t>(result.record.shader_hash);
    record.shader_hash[1] = static_cast<uint32_t>(result.record.shader_hash >> 32);
    record.instruction = site.instruction;
    record.kind = site.check | static_cast<uint32_t>(Stage::compute) << 8 |
                  (site.access | SQA_ACCESS_EXACT) << 16 | uint32_t{SQA_MISSING_ORDER} << 24;
    record.address[0] = static_cast<uint32_t>(address);
    record.address[1] = static_cast<uint32_t>(address >> 32);
    record.size = 4;
    record.dispatch_id = 2;
    Cell cell;
    cell.mask = 15;
    cell.kind = SQA_KIND_WRITE;
    cell.sequence = 1;
    record.value[0] = static_cast<uint32_t>(cell.pack());
    record.value[1] = static_cast<uint32_t>(cell.pack() >> 32);
    EXPECT_TRUE(fail(find_report_block(), record));
    check(vk().vkQueueWaitIdle(device().queue), "vkQueueWaitIdle");
    nlohmann::json image;
    for (const auto& finding : testing::read_report(directory() / "report.jsonl"))
      if (finding.at("kind") == "hazard") image = finding.at("image");
    return image;
  }
  size_t files() const {
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(pictures.path())) {
      EXPECT_EQ(entry.path().extension(), ".png");
      ++count;
    }
    return count;
  }
  std::filesystem::path file(const char* name) const { return pictures.path() / name; }

  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkImage image_ = VK_NULL_HANDLE;
  VkImageView view_ = VK_NULL_HANDLE;
  size_t reports_ = 0;
  bool ended_ = false;
};

TEST_F(RacePictures, ShowWhatShadersHaveEntered) {
  const uint64_t first = create(2);
  const uint64_t texels = first + (kSide * kSide + 4 * SQA_LAST_WORDS) * 4;  // of the second level
  enter(texels + (2 * 8 + 3) * 4, SQA_RACE_WITHIN_ACTION);
  EXPECT_FALSE(report(first).contains("picture")) << "nothing was entered for this word";
  const nlohmann::json image = report(texels + (2 * 8 + 3) * 4);
  EXPECT_EQ(image.value("picture", ""), file("image-mip1.png").string());
  // The words of last accesses stand for their texel.
  enter(texels + (8 * 8 + SQA_LAST_COMPUTE_READ) * 4, SQA_RACE_BETWEEN_ACTIONS);
  enter(texels + 7 * 4, SQA_RACE_BETWEEN_ACTIONS | SQA_RACE_WITHIN_ACTION);
  enter(first + 5 * 4, SQA_RACE_BETWEEN_ACTIONS);
  destroy();
  EXPECT_EQ(files(), 2u);
  const testing::ReadPng second = testing::read_png_file(file("image-mip1.png"));
  EXPECT_EQ(second.width, 8u);
  for (uint32_t y = 0; y < 8; ++y)
    for (uint32_t x = 0; x < 8; ++x)
      EXPECT_EQ(second.at(x, y), (x == 3 && y == 2   ? kWithin
                                  : x == 0 && y == 0 ? kBetween
                                  : x == 7 && y == 0 ? kBoth
                                                     : kNone))
          << x << "," << y;
  EXPECT_EQ(testing::read_png_file(file("image-mip0.png")).at(5, 0), kBetween);
}

TEST_F(RacePictures, OfAnImageThatIsGoneAreNamedLater) {
  const uint64_t first = create();
  enter(first + 4, SQA_RACE_BETWEEN_ACTIONS);
  destroy();
  EXPECT_EQ(report(first + 4).value("picture", ""), file("image.png").string());
}

TEST_F(RacePictures, OfAnImageInTheSamePlaceBeginAnew) {
  const uint64_t first = create();
  enter(first + 4, SQA_RACE_BETWEEN_ACTIONS);
  destroy();
  ASSERT_EQ(create(), first);
  EXPECT_EQ(*place_of(first + 4).word, 0u);
  EXPECT_FALSE(report(first + 4).contains("picture"));
  enter(first + 8, SQA_RACE_BETWEEN_ACTIONS);
  EXPECT_EQ(report(first + 8).value("picture", ""), file("image-2.png").string());
  const testing::ReadPng picture = testing::read_png_file(file("image-2.png"));
  EXPECT_EQ(picture.at(1, 0), kNone);
  EXPECT_EQ(picture.at(2, 0), kBetween);
}

TEST_F(RacePictures, AreWrittenAgainWhenTheDeviceIsLost) {
  const uint64_t first = create();
  enter(first + 4, SQA_RACE_BETWEEN_ACTIONS);
  report(first + 4);
  enter(first + 8, SQA_RACE_BETWEEN_ACTIONS);
  EXPECT_EQ(testing::read_png_file(file("image.png")).at(2, 0), kNone);
  null_driver::Config config;
  config.faults = {{"vkQueueWaitIdle", 0, VK_ERROR_DEVICE_LOST}};
  driver().configure(config);
  EXPECT_EQ(vk().vkQueueWaitIdle(device().queue), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(testing::read_png_file(file("image.png")).at(2, 0), kBetween);
}

TEST_F(RacePictures, ThatNoFindingNamesAreSaid) {
  const uint64_t first = create(1, 2);
  enter(first, SQA_RACE_BETWEEN_ACTIONS);
  enter(first + (kSide * kSide + 4 * SQA_LAST_WORDS) * 4, SQA_RACE_BETWEEN_ACTIONS);
  EXPECT_EQ(report(first).value("picture", ""), file("image-layer0.png").string());
  TearDown();
  const std::vector<std::string> notes = notes_about("their pictures are");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find(file("image-layer1.png").string()), std::string::npos);
  EXPECT_EQ(notes[0].find(file("image-layer0.png").string()), std::string::npos);
}

TEST_F(RacePictures, AreNotMoreThanAFolderShouldHave) {
  const uint64_t first = create(1, 300);
  for (uint32_t layer = 0; layer < 300; ++layer)
    enter(first + layer * (kSide * kSide + 4 * SQA_LAST_WORDS) * 4, SQA_RACE_BETWEEN_ACTIONS);
  destroy();
  EXPECT_EQ(files(), 256u);
  EXPECT_EQ(notes_about("there are already 256").size(), 1u);
}

class RacePicturesWithLittleMemory : public RacePictures {
 protected:
  RacePicturesWithLittleMemory() : RacePictures("2097152") {}
};

TEST_F(RacePicturesWithLittleMemory, AreNotThereAndThatIsSaid) {
  const uint64_t first = create();
  ASSERT_NE(first, 0u);
  EXPECT_EQ(place_of(first).word, nullptr);
  EXPECT_EQ(notes_about("no pictures of hazards on some images: sync_memory_limit").size(), 1u);
  EXPECT_FALSE(report(first).contains("picture"));
  destroy();
  EXPECT_EQ(files(), 0u);
}

}  // namespace
}  // namespace shaderqa::layer_tests
