// SPDX-License-Identifier: Apache-2.0
// With the exact engine: what the layer remembers of descriptors' bytes, and where action records say that
// sets begin (docs/internals/descriptor-buffers.md). Tables are read as shaders read them.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_descriptors.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_image.h"
#include "layer/resources/pipeline_layouts.h"
#include "tests/layer/descriptor_buffer_kit.h"

namespace shaderqa::layer_tests {
namespace {

constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr auto kUniform = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
constexpr auto kTexels = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
constexpr VkBufferUsageFlags kDataUsage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

struct Found {
  uint64_t address = 0;
  uint32_t range = 0, meta = 0;
  bool operator==(const Found&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Found& found) {
  return out << found.address << " + " << found.range << ", " << found.meta;
}

using Bytes = std::vector<unsigned char>;

class BufferedDescriptors : public CommandTest {
 protected:
  explicit BufferedDescriptors(const null_driver::Config& config = {}, const char* images = "0")
      : CommandTest(with_descriptor_buffers(), config, "exact", {{"SHADERQA_SYNC_IMAGES", images}}) {
    in_buffers_ = create_set_layout(device(), {{0, kStorage}}, kInBuffers);
    buffered_layout_ = create_pipeline_layout(device(), {in_buffers_, in_buffers_});
    buffered_pipeline_ = create_compute_with(device(), shaders::accesses_comp, buffered_layout_);
  }
  void TearDown() override {
    vk().vkDestroyPipeline(device().handle, buffered_pipeline_, nullptr);
    vk().vkDestroyPipelineLayout(device().handle, buffered_layout_, nullptr);
    vk().vkDestroyDescriptorSetLayout(device().handle, in_buffers_, nullptr);
    CommandTest::TearDown();
    EXPECT_EQ(notes_about("nothing is known of their bytes").size(), unknown_ ? 1u : 0u);
  }

  // The application's memory holds other bytes before the call.
  Bytes get(VkDescriptorType type, uint64_t address, uint64_t range, size_t size = 16,
            VkFormat format = VK_FORMAT_UNDEFINED) {
    VkDescriptorAddressInfoEXT buffer{};
    buffer.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT;
    buffer.address = address;
    buffer.range = range;
    buffer.format = format;
    VkDescriptorGetInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT;
    info.type = type;
    info.data.pStorageBuffer = address ? &buffer : nullptr;
    Bytes bytes(size, ++garbage_);
    vk().vkGetDescriptorEXT(device().handle, &info, size, bytes.data());
    return bytes;
  }
  VkCommandBuffer act(uint64_t buffer, const std::vector<VkDeviceSize>& offsets) {
    const VkCommandBuffer commands = begin();
    vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, buffered_pipeline_);
    bind_buffers(commands, {buffer});
    for (const VkDeviceSize offset : offsets) {
      set_offsets(commands, {0}, {offset});
      dispatch(commands);
    }
    end(commands);
    return commands;
  }
  void bind_buffers(VkCommandBuffer commands, const std::vector<uint64_t>& addresses) {
    std::vector<VkDescriptorBufferBindingInfoEXT> infos;
    for (const uint64_t address : addresses)
      infos.push_back({VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT, nullptr, address,
                       VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT});
    vk().vkCmdBindDescriptorBuffersEXT(commands, static_cast<uint32_t>(infos.size()), infos.data());
  }
  void set_offsets(VkCommandBuffer commands, const std::vector<uint32_t>& buffers,
                   const std::vector<VkDeviceSize>& offsets, uint32_t first = 0) {
    vk().vkCmdSetDescriptorBufferOffsetsEXT(commands, VK_PIPELINE_BIND_POINT_COMPUTE, buffered_layout_, first,
                                            static_cast<uint32_t>(buffers.size()), buffers.data(),
                                            offsets.data());
  }

  // Pages that it shares with no other memory.
  static VkDescriptorBufferInfo inner(const BoundBuffer& buffer) {
    constexpr uint64_t page = uint64_t{1} << SQA_PAGE_LOG2;
    return {buffer.handle, page, page};
  }
  const uint64_t* tables() {
    if (!tables_) {
      if (records().empty()) act(0x1000, {0});
      const auto state = reinterpret_cast<const uint64_t*>(address_at(records().at(0), SQA_ACTION_ENGINE));
      tables_ = reinterpret_cast<const uint64_t*>(state[SQA_EXACT_DESCRIPTORS]);
    }
    return tables_;
  }
  // As sqa_find_bytes. Nothing: they are not known.
  std::optional<Found> find(uint32_t kind, const Bytes& bytes) {
    const auto quad = reinterpret_cast<const uint32_t*>(tables() + 2 * kind);
    if (tables()[2 * kind] == 0) return std::nullopt;
    const auto table = reinterpret_cast<const uint32_t*>(tables()[2 * kind] & ~uint64_t{SQA_DESCRIPTOR_LOG2});
    const uint32_t mask = (1u << (quad[0] & SQA_DESCRIPTOR_LOG2)) - 1;
    EXPECT_EQ(quad[3], bytes.size() / 4);
    std::vector<uint32_t> dwords(std::max<size_t>(bytes.size() / 4, 4));
    std::memcpy(dwords.data(), bytes.data(), bytes.size());
    uint32_t hash = 0;
    for (const uint32_t dword : dwords) hash = SQA_DESCRIPTOR_HASH(hash, dword);
    for (uint32_t i = 0; i <= mask; ++i) {
      const uint32_t* place = table + ((hash + i) & mask) * quad[2] * 4;
      if (place[3] == 0) return std::nullopt;
      const uint32_t tag = hash & SQA_DESCRIPTOR_TAG ? hash & SQA_DESCRIPTOR_TAG : 0x400;
      if ((place[3] & SQA_DESCRIPTOR_TAG) != tag || std::memcmp(place + 4, dwords.data(), bytes.size()) != 0)
        continue;
      return Found{place[0] | uint64_t{place[1]} << 32, place[2], place[3] & ~SQA_DESCRIPTOR_TAG};
    }
    return std::nullopt;
  }
  // Where record number i says that the sets begin.
  static uint64_t begin_of(size_t i, uint32_t set) {
    return address_at(records().at(i), SQA_ACTION_TABLES + 2 * set);
  }

  std::atomic<unsigned char> garbage_ = 0;
  const uint64_t* tables_ = nullptr;
  bool unknown_ = false;  // which the end of the device has to say
  VkDescriptorSetLayout in_buffers_ = VK_NULL_HANDLE;
  VkPipelineLayout buffered_layout_ = VK_NULL_HANDLE;
  VkPipeline buffered_pipeline_ = VK_NULL_HANDLE;
};

TEST_F(BufferedDescriptors, MeanWhatTheDriverWasAsked) {
  const Bytes one = get(kStorage, 0x10000, 256), other = get(kStorage, 0x10000, 512);
  EXPECT_EQ(find(SQA_DESCRIPTOR_STORAGE, one), (Found{0x10000, 256, 0}));
  EXPECT_EQ(find(SQA_DESCRIPTOR_STORAGE, other), (Found{0x10000, 512, 0}));
  EXPECT_EQ(notes(), std::vector<std::string>());
}

// Bytes that the driver leaves alone are zeroes, whatever was there.
TEST_F(BufferedDescriptors, AreTheSameWhateverTheMemoryHeld) {
  EXPECT_EQ(get(kStorage, 0x10000, 256), get(kStorage, 0x10000, 256));
}

TEST_F(BufferedDescriptors, HaveTablesOfTheirKind) {
  const Bytes storage = get(kStorage, 0x10000, 256);
  EXPECT_EQ(find(SQA_DESCRIPTOR_UNIFORM, storage), std::nullopt);
  const Bytes uniform = get(kUniform, 0x20000, 64);
  EXPECT_EQ(find(SQA_DESCRIPTOR_UNIFORM, uniform), (Found{0x20000, 64, 0}));
  EXPECT_EQ(find(SQA_DESCRIPTOR_STORAGE, uniform), std::nullopt);
}

TEST_F(BufferedDescriptors, SayHowLargeTexelsAre) {
  const Bytes bytes = get(kTexels, 0x10000, 256, 8, VK_FORMAT_R32G32_SFLOAT);
  EXPECT_EQ(find(SQA_DESCRIPTOR_UNIFORM_TEXEL, bytes), (Found{0x10000, 256, 8}));
}

// This driver numbers views: the number is used again.
TEST_F(BufferedDescriptors, MeanWhatTheNewestCallSaid) {
  const Bytes before = get(kTexels, 0x10000, 256, 8, VK_FORMAT_R32_UINT);
  const Bytes after = get(kTexels, 0x90000, 64, 8, VK_FORMAT_R8_UINT);
  ASSERT_EQ(before, after);
  EXPECT_EQ(find(SQA_DESCRIPTOR_UNIFORM_TEXEL, after), (Found{0x90000, 64, 1}));
}

TEST_F(BufferedDescriptors, OfNothingAreKnownToBeSo) {
  EXPECT_EQ(find(SQA_DESCRIPTOR_STORAGE, get(kStorage, 0, 0)), (Found{0, 0, 0}));
}

TEST_F(BufferedDescriptors, AreAllFoundWhenThereAreMany) {
  std::vector<Bytes> all;
  for (uint64_t i = 0; i < 5000; ++i) all.push_back(get(kStorage, 0x100000 + 256 * i, 256));
  for (uint64_t i = 0; i < all.size(); ++i)
    ASSERT_EQ(find(SQA_DESCRIPTOR_STORAGE, all[i]), (Found{0x100000 + 256 * i, 256, 0}));
}

TEST_F(BufferedDescriptors, AreAllFoundWhenThreadsAskForThem) {
  constexpr uint64_t kEach = 1000;
  const auto place = [](uint64_t thread, uint64_t i) { return 0x100000 + 256 * (kEach * thread / 2 + i); };
  std::vector<std::thread> threads;
  for (uint64_t thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (uint64_t i = 0; i < kEach; ++i) get(kStorage, place(thread, i), 256);
    });
  for (std::thread& thread : threads) thread.join();
  for (uint64_t thread = 0; thread < 4; ++thread)
    for (uint64_t i = 0; i < kEach; ++i)
      ASSERT_EQ(find(SQA_DESCRIPTOR_STORAGE, get(kStorage, place(thread, i), 256)),
                (Found{place(thread, i), 256, 0}));
}

// Those that are known still get a new meaning, and there is room left for shaders to see where to stop.
TEST_F(BufferedDescriptors, WithoutMoreMemoryAreSaid) {
  const auto address = [](uint64_t i) { return 0x100000 + 256 * i; };
  const Bytes first = get(kTexels, 0x100000, 256, 8, VK_FORMAT_R32_UINT);
  const Bytes known = get(kStorage, address(0), 256);
  ASSERT_TRUE(find(SQA_DESCRIPTOR_STORAGE, known));
  null_driver::Config config;
  config.faults = {{"vkAllocateMemory", 0, VK_ERROR_OUT_OF_DEVICE_MEMORY}};
  driver().configure(config);
  std::vector<Bytes> all;
  for (uint64_t i = 0; i < 2000; ++i) all.push_back(get(kStorage, address(i), 256));
  EXPECT_EQ(notes_about("than there is memory to remember them").size(), 1u);
  EXPECT_EQ(find(SQA_DESCRIPTOR_STORAGE, all[700]), (Found{address(700), 256, 0}));
  EXPECT_EQ(find(SQA_DESCRIPTOR_STORAGE, all[1999]), std::nullopt);
  ASSERT_EQ(get(kTexels, 0x300000, 64, 8, VK_FORMAT_R8_UINT), first);
  EXPECT_EQ(find(SQA_DESCRIPTOR_UNIFORM_TEXEL, first), (Found{0x300000, 64, 1}));
  driver().configure({});
  get(kStorage, address(1999), 256);
  EXPECT_EQ(find(SQA_DESCRIPTOR_STORAGE, all[1999]), (Found{address(1999), 256, 0}));
}

TEST_F(BufferedDescriptors, LieWhereTheCommandsSay) {
  act(0x50000, {0, 4096, 64});
  EXPECT_EQ(begin_of(0, 0), 0x50000u);
  EXPECT_EQ(begin_of(1, 0), 0x51000u);
  EXPECT_EQ(begin_of(2, 0), 0x50040u);
  EXPECT_EQ(begin_of(2, 1), 0u) << "which was never set";
}

TEST_F(BufferedDescriptors, LieInTheBufferWithThatNumber) {
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, buffered_pipeline_);
  bind_buffers(commands, {0x50000, 0x90000});
  set_offsets(commands, {1, 0}, {128, 256});
  dispatch(commands);
  VkSetDescriptorBufferOffsetsInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_SET_DESCRIPTOR_BUFFER_OFFSETS_INFO_EXT;
  info.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  info.layout = buffered_layout_;
  info.firstSet = info.setCount = 1;
  const uint32_t buffer = 1;
  const VkDeviceSize offset = 512;
  info.pBufferIndices = &buffer;
  info.pOffsets = &offset;
  vk().vkCmdSetDescriptorBufferOffsets2EXT(commands, &info);
  dispatch(commands);
  bind_buffers(commands, {0x70000});
  set_offsets(commands, {0}, {16});
  dispatch(commands);
  end(commands);
  EXPECT_EQ(begin_of(0, 0), 0x90080u);
  EXPECT_EQ(begin_of(0, 1), 0x50100u);
  EXPECT_EQ(begin_of(1, 0), 0x90080u);
  EXPECT_EQ(begin_of(1, 1), 0x90200u);
  EXPECT_EQ(begin_of(2, 0), 0x70010u);
  EXPECT_EQ(begin_of(2, 1), 0u) << "there is no buffer 1 any more";
}

// What a set of this kind writes is not known: it may be all that there are storage descriptors of.
TEST_F(BufferedDescriptors, LetCountAsWrittenWhatStorageDescriptorsLeadTo) {
  const BoundBuffer early(device(), 1 << 18, kDataUsage), late(device(), 1 << 18, kDataUsage),
      uniform(device(), 1 << 18, kDataUsage);
  OneSet set(device(), {{0, kStorage}, {1, kStorage}, {2, kStorage}, {3, kStorage}});
  set.write(1, 0, kStorage, {inner(early)});
  set.write(2, 0, kStorage, {inner(late)});
  set.write(3, 0, kStorage, {inner(uniform)});
  get(kStorage, early.address, 256);
  get(kUniform, uniform.address, 256);
  const VkDescriptorSetLayout set_layout =
      create_set_layout(device(), {{0, kStorage}, {1, kStorage}, {2, kStorage}, {3, kStorage}});
  const VkPipelineLayout layout = create_pipeline_layout(device(), {set_layout});
  const VkPipeline pipeline = create_compute_with(device(), shaders::accesses_comp, layout);
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set.handle, 0,
                               nullptr);
  dispatch(commands);
  end(commands);
  const uint32_t* const record = records().at(0);
  EXPECT_EQ(record[SQA_ACTION_WATCHED], 0u);
  act(0x50000, {0});
  submit({commands});
  EXPECT_EQ(record[SQA_ACTION_WATCHED], 1u << 1) << "what was asked for before";
  get(kStorage, late.address, 256);
  submit({commands});
  EXPECT_EQ(record[SQA_ACTION_WATCHED], 1u << 1 | 1u << 2) << "and since";
  vk().vkDestroyPipeline(device().handle, pipeline, nullptr);
  vk().vkDestroyPipelineLayout(device().handle, layout, nullptr);
  vk().vkDestroyDescriptorSetLayout(device().handle, set_layout, nullptr);
}

TEST_F(BufferedDescriptors, LieNowhereWhereTheCommandsMakeNoSense) {
  const VkCommandBuffer commands = begin();
  vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, buffered_pipeline_);
  set_offsets(commands, {0}, {64});
  dispatch(commands);
  bind_buffers(commands, {0, 0x50000});
  dispatch(commands);
  set_offsets(commands, {7, UINT32_MAX}, {64, 64});
  set_offsets(commands, {1, 1, 1}, {0, 0, 0}, SQA_MAX_SETS - 1);
  set_offsets(commands, {1}, {0}, UINT32_MAX);
  dispatch(commands);
  bind_buffers(commands, {});
  dispatch(commands);
  end(commands);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(begin_of(i, 0), 0u) << i;
    EXPECT_EQ(begin_of(i, 1), 0u) << i;
  }
}

// The shader's end: what it looked for and did not find is said.
TEST_F(BufferedDescriptors, ThatShadersDidNotFindAreSaid) {
  act(0x50000, {0});
  const_cast<uint32_t*>(reinterpret_cast<const uint32_t*>(tables()))[SQA_DESCRIPTORS_UNKNOWN] = 1;
  unknown_ = true;
}

// Images have descriptors with sync_images.
class BufferedImages : public BufferedDescriptors {
 protected:
  BufferedImages() : BufferedDescriptors(host_visible(), "1") {
    const VkImageCreateInfo info = plain_image(VK_IMAGE_USAGE_STORAGE_BIT);
    check(vk().vkCreateImage(device().handle, &info, nullptr, &image_), "vkCreateImage");
    VkMemoryAllocateInfo memory{};
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    memory.allocationSize = 64 * 1024;
    check(vk().vkAllocateMemory(device().handle, &memory, nullptr, &memory_), "vkAllocateMemory");
    check(vk().vkBindImageMemory(device().handle, image_, memory_, 0), "vkBindImageMemory");
  }
  void TearDown() override {
    for (const VkImageView view : views_) vk().vkDestroyImageView(device().handle, view, nullptr);
    vk().vkDestroyImage(device().handle, image_, nullptr);
    vk().vkFreeMemory(device().handle, memory_, nullptr);
    BufferedDescriptors::TearDown();
  }
  VkImageView create_view() {
    VkImageViewCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
    info.image = image_;
    info.viewType = VK_IMAGE_VIEW_TYPE_2D;
    info.format = VK_FORMAT_R32_UINT;
    info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    views_.emplace_back();
    check(vk().vkCreateImageView(device().handle, &info, nullptr, &views_.back()), "vkCreateImageView");
    return views_.back();
  }
  void destroy_view(size_t i) {
    vk().vkDestroyImageView(device().handle, views_[i], nullptr);
    views_.erase(views_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  Bytes get_image(VkImageView view, VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL) {
    const VkDescriptorImageInfo image{VK_NULL_HANDLE, view, layout};
    VkDescriptorGetInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT;
    info.type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    info.data.pStorageImage = &image;
    Bytes bytes(8, ++garbage_);
    vk().vkGetDescriptorEXT(device().handle, &info, bytes.size(), bytes.data());
    return bytes;
  }
  // The number of the view's record; nothing: the bytes are known, and no view is.
  std::optional<uint32_t> view_of(const Bytes& bytes) {
    const auto found = find(SQA_DESCRIPTOR_STORAGE_IMAGE, bytes);
    EXPECT_TRUE(found.has_value());
    if (!found || found->range == SQA_NO_VIEW) return std::nullopt;
    EXPECT_NE(found->address, 0u);
    return found->range;
  }

  VkImage image_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::vector<VkImageView> views_;
};

TEST_F(BufferedImages, LeadToTheirViews) {
  const Bytes one = get_image(create_view()), other = get_image(create_view());
  ASSERT_TRUE(view_of(one) && view_of(other));
  EXPECT_NE(view_of(one), view_of(other));
}

// Nor do they lead to the first view that there is.
TEST_F(BufferedImages, LeadNowhereWhereTheirImageIsNotFollowed) {
  create_view();
  EXPECT_FALSE(view_of(get_image(VK_NULL_HANDLE)));
}

// The record's number is given out again.
TEST_F(BufferedImages, LeadNowhereWhenTheirViewsAreGone) {
  std::vector<Bytes> all;
  for (int i = 0; i < 3000; ++i) all.push_back(get_image(create_view()));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(view_of(all[static_cast<size_t>(i) * 1000]));
  destroy_view(1000);
  EXPECT_FALSE(view_of(all[1000]));
  EXPECT_TRUE(view_of(all[0]));
  EXPECT_TRUE(view_of(all[2000]));
}

// The driver makes the same bytes of all layouts.
TEST_F(BufferedImages, OfSeveralLayoutsNameNone) {
  const VkImageView view = create_view();
  const auto layout_in = [&](const Bytes& bytes) {
    return find(SQA_DESCRIPTOR_STORAGE_IMAGE, bytes)->meta & SQA_TABLE_LAYOUT;
  };
  const Bytes bytes = get_image(view), other = get_image(create_view());
  EXPECT_NE(layout_in(bytes), 0u);
  EXPECT_EQ(get_image(view, VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR), bytes);
  EXPECT_EQ(layout_in(bytes), 0u);
  get_image(view);
  EXPECT_EQ(layout_in(bytes), 0u);
  EXPECT_NE(layout_in(other), 0u);
  destroy_view(0);
  EXPECT_EQ(layout_in(bytes), 0u);
}

class DescriptorsOfOddSize : public BufferedDescriptors {
 protected:
  static null_driver::Config config() {
    null_driver::Config config;
    config.sampler_descriptor_bytes = 6;
    return config;
  }
  DescriptorsOfOddSize() : BufferedDescriptors(config()) {}
};

// Bindings of several types are as large as the largest of them.
TEST_F(BufferedDescriptors, OfMutableBindingsAreAsLargeAsTheLargest) {
  const VkDescriptorSetLayout mixed = create_set_layout(
      device(),
      {{0, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 4, 0, {kStorage, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER}}},
      kInBuffers);
  EXPECT_EQ(notes(), std::vector<std::string>());
  vk().vkDestroyDescriptorSetLayout(device().handle, mixed, nullptr);
}

TEST_F(DescriptorsOfOddSize, AreSaid) {
  const VkDescriptorSetLayout mixed = create_set_layout(
      device(), {{0, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 4, 0, {kStorage, VK_DESCRIPTOR_TYPE_SAMPLER}}},
      kInBuffers);
  EXPECT_EQ(notes_about("because of how large they are").size(), 1u);
  vk().vkDestroyDescriptorSetLayout(device().handle, mixed, nullptr);
}

}  // namespace
}  // namespace shaderqa::layer_tests
