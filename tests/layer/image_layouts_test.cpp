// SPDX-License-Identifier: Apache-2.0
// With sync_images: layouts are followed in the order of submissions, across queues, command buffers and what
// the host does; where that order is not known, nothing is reported.
#include <string>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "instrument/runtime/abi_image.h"
#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

using Texts = std::vector<std::string>;

constexpr VkImageLayout kUndefined = VK_IMAGE_LAYOUT_UNDEFINED, kGeneral = VK_IMAGE_LAYOUT_GENERAL,
                        kDestination = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                        kSource = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
constexpr VkImageSubresourceRange kWhole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                            VK_REMAINING_ARRAY_LAYERS};
constexpr uint32_t kIgnored = VK_QUEUE_FAMILY_IGNORED;

DeviceOptions options() {
  DeviceOptions options;
  options.queues = {2};
  options.extensions = {"VK_KHR_timeline_semaphore", "VK_EXT_host_image_copy"};
  return options;
}

// A value of a timeline semaphore.
struct Value {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  uint64_t value = 0;
};

class ImageLayouts : public CommandTest {
 protected:
  ImageLayouts() : CommandTest(options(), host_visible(), "exact", {{"SHADERQA_SYNC_IMAGES", "1"}}) {
    vk().vkGetDeviceQueue(device().handle, 0, 1, &other_queue_);
    VkMemoryAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    info.allocationSize = 64 * 1024;
    check(vk().vkAllocateMemory(device().handle, &info, nullptr, &memory_), "vkAllocateMemory");
    image_ = create_image();
    checked_commands();
  }
  void TearDown() override {
    for (const VkImageView view : views_) vk().vkDestroyImageView(device().handle, view, nullptr);
    for (const VkImage image : images_) vk().vkDestroyImage(device().handle, image, nullptr);
    vk().vkFreeMemory(device().handle, memory_, nullptr);
    CommandTest::TearDown();
  }

  VkImage create_image(VkImageLayout initial = kUndefined, VkDeviceSize offset = 0) {
    VkImageCreateInfo info = plain_image(VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    info.mipLevels = 2;
    info.initialLayout = initial;
    images_.emplace_back();
    check(vk().vkCreateImage(device().handle, &info, nullptr, &images_.back()), "vkCreateImage");
    check(vk().vkBindImageMemory(device().handle, images_.back(), memory_, offset), "vkBindImageMemory");
    return images_.back();
  }
  VkImageMemoryBarrier barrier_of(VkImageLayout from, VkImageLayout to, uint32_t source = kIgnored,
                                  uint32_t destination = kIgnored) const {
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.oldLayout = from;
    barrier.newLayout = to;
    barrier.srcQueueFamilyIndex = source;
    barrier.dstQueueFamilyIndex = destination;
    barrier.image = image_;
    barrier.subresourceRange = kWhole;
    return barrier;
  }
  void change(VkCommandBuffer commands, const VkImageMemoryBarrier& barrier) {
    vk().vkCmdPipelineBarrier(commands, kComputeStage, kComputeStage, 0, 0, nullptr, 0, nullptr, 1, &barrier);
  }
  void change(VkCommandBuffer commands, VkImageLayout from, VkImageLayout to) {
    change(commands, barrier_of(from, to));
  }
  void clear(VkCommandBuffer commands, VkImageLayout layout = kDestination) {
    const VkClearColorValue colour{};
    vk().vkCmdClearColorImage(commands, image_, layout, &colour, 1, &kWhole);
  }
  VkCommandBuffer changing(VkImageLayout from, VkImageLayout to) {
    const VkCommandBuffer commands = begin();
    change(commands, from, to);
    end(commands);
    return commands;
  }
  VkCommandBuffer clearing(VkImageLayout layout = kDestination) {
    const VkCommandBuffer commands = begin();
    clear(commands, layout);
    end(commands);
    return commands;
  }
  void submit_to(VkQueue queue, VkCommandBuffer commands, Value wait = {}, Value signal = {}) {
    const VkPipelineStageFlags stage = kComputeStage;
    VkTimelineSemaphoreSubmitInfo values{};
    values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    values.waitSemaphoreValueCount = values.signalSemaphoreValueCount = 1;
    values.pWaitSemaphoreValues = &wait.value;
    values.pSignalSemaphoreValues = &signal.value;
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.pNext = &values;
    info.waitSemaphoreCount = values.waitSemaphoreValueCount = wait.semaphore ? 1 : 0;
    info.pWaitSemaphores = &wait.semaphore;
    info.pWaitDstStageMask = &stage;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    info.signalSemaphoreCount = values.signalSemaphoreValueCount = signal.semaphore ? 1 : 0;
    info.pSignalSemaphores = &signal.semaphore;
    check(vk().vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
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
  void host_changes(VkImageLayout from, VkImageLayout to) {
    VkHostImageLayoutTransitionInfo info{};
    info.sType = VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO;
    info.image = image_;
    info.oldLayout = from;
    info.newLayout = to;
    info.subresourceRange = kWhole;
    check(device().vk.vkTransitionImageLayoutEXT(device().handle, 1, &info), "vkTransitionImageLayoutEXT");
  }
  Texts found() const { return reported("layout"); }

  VkQueue other_queue_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::vector<VkImage> images_;
  std::vector<VkImageView> views_;
  VkImage image_ = VK_NULL_HANDLE;
};

constexpr const char* kClearedUndefined =
    "an image is in VK_IMAGE_LAYOUT_UNDEFINED, and vkCmdClearColorImage names "
    "VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL";

TEST_F(ImageLayouts, AreThoseOfTheSubmissionsNotOfTheRecordings) {
  const VkCommandBuffer cleared = clearing(), changed = changing(kUndefined, kDestination);
  submit({changed});
  submit({cleared});
  EXPECT_EQ(found(), Texts{});
}

TEST_F(ImageLayouts, OneThatIsNeverChangedIsFoundOnce) {
  const VkCommandBuffer cleared = clearing(), again = clearing();
  submit({cleared});
  submit({cleared, again});
  EXPECT_EQ(found(), Texts{kClearedUndefined});
}

TEST_F(ImageLayouts, NothingIsFoundBeforeTheSubmission) {
  clearing();
  EXPECT_EQ(found(), Texts{});
}

TEST_F(ImageLayouts, APreinitializedImageIsNotUndefined) {
  image_ = create_image(VK_IMAGE_LAYOUT_PREINITIALIZED, 8192);
  submit({changing(VK_IMAGE_LAYOUT_PREINITIALIZED, kDestination), clearing()});
  EXPECT_EQ(found(), Texts{});
  image_ = create_image(VK_IMAGE_LAYOUT_PREINITIALIZED, 16384);
  submit({changing(kSource, kDestination)});
  EXPECT_EQ(found(), Texts{"an image is in VK_IMAGE_LAYOUT_PREINITIALIZED, and vkCmdPipelineBarrier names "
                           "VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL as the layout before"});
}

// Its two barriers say the same, and change the layout once.
TEST_F(ImageLayouts, ATransferOfOwnershipChangesTheLayoutOnce) {
  const VkCommandBuffer released = begin();
  change(released, kUndefined, kDestination);
  change(released, barrier_of(kDestination, kSource, 0, 1));
  end(released);
  const VkCommandBuffer acquired = begin();
  change(acquired, barrier_of(kDestination, kSource, 1, 0));
  clear(acquired, kSource);
  end(acquired);
  submit({released, acquired});
  EXPECT_EQ(found(), Texts{});
}

// Images with concurrent sharing are handed to nobody: FFmpeg names the family that used the frame last.
TEST_F(ImageLayouts, AFamilyBesideAnIgnoredOneTransfersNothing) {
  const VkCommandBuffer commands = begin();
  change(commands, barrier_of(kUndefined, kDestination, 0, kIgnored));
  clear(commands);
  change(commands, barrier_of(kDestination, kSource, kIgnored, 1));
  clear(commands, kSource);
  end(commands);
  submit({commands});
  EXPECT_EQ(found(), Texts{});
}

TEST_F(ImageLayouts, WhatWentOutsideIsNotKnown) {
  const VkCommandBuffer commands = begin();
  change(commands, barrier_of(kUndefined, kSource, 0, VK_QUEUE_FAMILY_EXTERNAL));
  clear(commands);
  change(commands, barrier_of(kGeneral, kSource, VK_QUEUE_FAMILY_EXTERNAL, 0));
  end(commands);
  submit({commands});
  EXPECT_EQ(found(), Texts{});
  submit({clearing()});
  EXPECT_EQ(found().size(), 1u) << "what acquired it has said what it is in";
}

TEST_F(ImageLayouts, ABarrierThatNamesOneLayoutTwiceSaysNothing) {
  submit({changing(kUndefined, kDestination), changing(kGeneral, kGeneral), clearing()});
  EXPECT_EQ(found(), Texts{});
}

TEST_F(ImageLayouts, SecondaryCommandBuffersAreWhereTheyAreExecuted) {
  const VkCommandBuffer inner = begin(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  change(inner, kUndefined, kDestination);
  end(inner);
  const VkCommandBuffer right = begin();
  vk().vkCmdExecuteCommands(right, 1, &inner);
  clear(right);
  end(right);
  submit({right});
  EXPECT_EQ(found(), Texts{});
  const VkCommandBuffer wrong = begin();
  change(wrong, kUndefined, kGeneral);
  clear(wrong);
  vk().vkCmdExecuteCommands(wrong, 1, &inner);
  end(wrong);
  submit({wrong});
  EXPECT_EQ(found().size(), 1u);
}

// The wait is submitted first, so the submissions do not run in their order.
TEST_F(ImageLayouts, NothingIsFoundWhereAWaitIsForALaterSignal) {
  const VkSemaphore semaphore = create_semaphore(VK_SEMAPHORE_TYPE_TIMELINE);
  const VkCommandBuffer first = begin();
  change(first, kUndefined, kDestination);
  clear(first);
  end(first);
  const VkCommandBuffer second = begin();
  change(second, kDestination, kGeneral);
  clear(second, kGeneral);
  end(second);
  submit_to(other_queue_, second, {semaphore, 5});
  submit_to(device().queue, first, {}, {semaphore, 5});
  EXPECT_EQ(found(), Texts{});
  submit_to(device().queue, clearing(kSource), {semaphore, 5});
  EXPECT_EQ(found(), Texts{}) << "the layout is not known";
  submit({changing(kUndefined, kGeneral), clearing()});
  EXPECT_EQ(found().size(), 1u) << "a transition makes it known again";
}

TEST_F(ImageLayouts, QueuesThatSemaphoresOrderAreFollowed) {
  const VkSemaphore semaphore = create_semaphore(VK_SEMAPHORE_TYPE_TIMELINE);
  submit_to(other_queue_, changing(kUndefined, kDestination), {}, {semaphore, 5});
  submit_to(device().queue, clearing(), {semaphore, 5});
  EXPECT_EQ(found(), Texts{});
  submit_to(device().queue, clearing(kGeneral), {semaphore, 5});
  EXPECT_EQ(found().size(), 1u);
}

TEST_F(ImageLayouts, ImagesThatShareMemoryAreNotFollowed) {
  create_image();
  submit({clearing()});
  EXPECT_EQ(found(), Texts{});
}

TEST_F(ImageLayouts, AnImageWithTheSameHandleIsAnotherOne) {
  submit({changing(kUndefined, kDestination)});
  vk().vkDestroyImage(device().handle, image_, nullptr);
  images_.clear();
  image_ = create_image();
  submit({clearing()});
  EXPECT_EQ(found(), Texts{kClearedUndefined});
}

TEST_F(ImageLayouts, TheHostChangesThemAtOnce) {
  host_changes(kUndefined, kDestination);
  submit({clearing()});
  EXPECT_EQ(found(), Texts{});
  host_changes(kSource, kGeneral);
  EXPECT_EQ(found(), Texts{"an image is in VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, and vkTransitionImageLayout "
                           "names VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL as the layout before"});
  VkMemoryToImageCopy region{};
  region.sType = VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY;
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 1, 0, 1};
  VkCopyMemoryToImageInfo copy{};
  copy.sType = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO;
  copy.dstImage = image_;
  copy.dstImageLayout = kGeneral;
  copy.regionCount = 1;
  copy.pRegions = &region;
  check(vk().vkCopyMemoryToImageEXT(device().handle, &copy), "vkCopyMemoryToImageEXT");
  EXPECT_EQ(found().size(), 1u) << "it is in that layout";
  copy.dstImageLayout = kDestination;
  check(vk().vkCopyMemoryToImageEXT(device().handle, &copy), "vkCopyMemoryToImageEXT");
  ASSERT_EQ(found().size(), 2u);
  EXPECT_EQ(found()[1],
            "an image (mip level 1) is in VK_IMAGE_LAYOUT_GENERAL, and vkCopyMemoryToImage names "
            "VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL");
}

// The host may change the layout before it sets the event.
TEST_F(ImageLayouts, BehindAnEventOfTheHostNothingIsKnown) {
  const auto event = reinterpret_cast<VkEvent>(uint64_t{0x4560});
  const VkCommandBuffer by_host = begin();
  vk().vkCmdWaitEvents(by_host, 1, &event, VK_PIPELINE_STAGE_HOST_BIT, kComputeStage, 0, nullptr, 0, nullptr,
                       0, nullptr);
  clear(by_host);
  end(by_host);
  submit({by_host});
  EXPECT_EQ(found(), Texts{});
  const VkCommandBuffer by_itself = begin();
  change(by_itself, kUndefined, kGeneral);
  vk().vkCmdSetEvent(by_itself, event, kComputeStage);
  vk().vkCmdWaitEvents(by_itself, 1, &event, kComputeStage, kComputeStage, 0, nullptr, 0, nullptr, 0,
                       nullptr);
  clear(by_itself);
  end(by_itself);
  submit({by_itself});
  EXPECT_EQ(found().size(), 1u);
}

void write_image(const Device& device, const OneSet& set, uint32_t element, VkImageView view,
                 VkImageLayout layout) {
  const VkDescriptorImageInfo info{VK_NULL_HANDLE, view, layout};
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set.handle;
  write.dstArrayElement = element;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
  write.pImageInfo = &info;
  device.vk.vkUpdateDescriptorSets(device.handle, 1, &write, 0, nullptr);
}

constexpr uint32_t kSlots = 37;

// The action's record has the bit of the descriptor when it is wrong, and only then.
TEST_F(ImageLayouts, RecordsSayWhichDescriptorsAreWrong) {
  const OneSet set(device(), {{0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, kSlots, 0, {}}});
  write_image(device(), set, 3, create_view(), kGeneral);
  EXPECT_NE(find_table(device(), kSlots)[3].meta & 0xff, 0u) << "the layout that it names";

  const size_t before = records().size();
  const VkCommandBuffer commands = begin();
  bind(commands);
  vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set.handle, 0,
                               nullptr);
  dispatch(commands);
  change(commands, kUndefined, kSource);
  dispatch(commands);
  end(commands);
  // Between the two is the record of the transition.
  const uint32_t *const first = records().at(before), *const second = records().back();
  const auto masks = [&] {
    return std::vector<uint32_t>{first[SQA_ACTION_LAYOUTS], second[SQA_ACTION_LAYOUTS]};
  };
  const uint32_t bit = 1u << sqa_layout_bit(0, 3);
  EXPECT_EQ(masks(), (std::vector<uint32_t>{0, 0}));
  submit({changing(kUndefined, kGeneral), commands});
  EXPECT_EQ(masks(), (std::vector<uint32_t>{0, bit}));
  submit({commands});
  EXPECT_EQ(masks(), (std::vector<uint32_t>{bit, bit})) << "it is left in the other layout";
  submit({changing(kSource, kGeneral), commands});
  EXPECT_EQ(masks(), (std::vector<uint32_t>{0, bit}));
  EXPECT_EQ(found(), Texts{}) << "no shader has used it";
}

// Those that may be updated after they are bound are looked at when the command buffer is submitted.
TEST_F(ImageLayouts, LateDescriptorsAreThoseOfTheSubmission) {
  for (const uint32_t slots : {32u, 33u}) {
    const OneSet set(
        device(),
        {{0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, slots, VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT, {}}}, {},
        true);
    const VkImageView view = create_view();
    const VkCommandBuffer commands = begin();
    bind(commands);
    vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set.handle, 0,
                                 nullptr);
    dispatch(commands);
    end(commands);
    const uint32_t* const record = records().back();
    const uint32_t bit = slots == 32 ? 1u << sqa_layout_bit(0, 3) : 0;
    submit({changing(kUndefined, kGeneral), commands});
    EXPECT_EQ(record[SQA_ACTION_LAYOUTS], 0u) << "there is no descriptor";
    write_image(device(), set, 3, view, kSource);
    submit({commands});
    EXPECT_EQ(record[SQA_ACTION_LAYOUTS], bit);
    write_image(device(), set, 3, view, kGeneral);
    submit({commands});
    EXPECT_EQ(record[SQA_ACTION_LAYOUTS], 0u);
    submit({changing(kGeneral, kSource), commands});
    EXPECT_EQ(record[SQA_ACTION_LAYOUTS], bit);
  }
}

}  // namespace
}  // namespace shaderqa::layer_tests
