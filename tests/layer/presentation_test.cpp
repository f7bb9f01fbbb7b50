// SPDX-License-Identifier: Apache-2.0
// With sync_images: the layouts of images that are presented.
#include <string>
#include <vector>

#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {
namespace {

using Texts = std::vector<std::string>;

constexpr VkImageLayout kUndefined = VK_IMAGE_LAYOUT_UNDEFINED, kGeneral = VK_IMAGE_LAYOUT_GENERAL,
                        kPresented = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
                        kShared = VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR;
constexpr VkImageSubresourceRange kWhole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                            VK_REMAINING_ARRAY_LAYERS};

DeviceOptions options() {
  DeviceOptions options;
  options.queues = {2};
  options.extensions = {"VK_KHR_swapchain", "VK_KHR_timeline_semaphore"};
  return options;
}

// What the loader looks at of a surface: no driver has one of its own.
constexpr uint64_t kSurface[64] = {};

class Presentation : public CommandTest {
 protected:
  explicit Presentation(std::map<std::string, std::string> settings = {{"SHADERQA_SYNC_IMAGES", "1"}})
      : CommandTest(options(), host_visible(), "exact", settings) {
    checked_commands();
    image_ = make_swapchain().front();
  }
  void TearDown() override {
    for (const VkSwapchainKHR swapchain : swapchains_)
      vk().vkDestroySwapchainKHR(device().handle, swapchain, nullptr);
    CommandTest::TearDown();
  }

  // The program asks for so many of its images.
  std::vector<VkImage> make_swapchain(uint32_t asked = 2) {
    VkSwapchainCreateInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
    info.surface = reinterpret_cast<VkSurfaceKHR>(reinterpret_cast<uint64_t>(kSurface));
    info.minImageCount = 2;
    info.imageFormat = VK_FORMAT_B8G8R8A8_UNORM;
    info.imageExtent = {16, 16};
    info.imageArrayLayers = 1;
    info.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    swapchains_.emplace_back();
    check(vk().vkCreateSwapchainKHR(device().handle, &info, nullptr, &swapchains_.back()),
          "vkCreateSwapchainKHR");
    std::vector<VkImage> images(asked);
    EXPECT_GE(vk().vkGetSwapchainImagesKHR(device().handle, swapchains_.back(), &asked, images.data()),
              VK_SUCCESS);
    return images;
  }
  VkCommandBuffer changing(VkImage image, VkImageLayout from, VkImageLayout to) {
    const VkCommandBuffer commands = begin();
    VkImageMemoryBarrier barrier{};
    barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
    barrier.oldLayout = from;
    barrier.newLayout = to;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = image;
    barrier.subresourceRange = kWhole;
    vk().vkCmdPipelineBarrier(commands, kComputeStage, kComputeStage, 0, 0, nullptr, 0, nullptr, 1, &barrier);
    end(commands);
    return commands;
  }
  void acquire() {
    uint32_t index = 0;
    check(vk().vkAcquireNextImageKHR(device().handle, swapchains_[0], 0, VK_NULL_HANDLE, VK_NULL_HANDLE,
                                     &index),
          "vkAcquireNextImageKHR");
  }
  // This image of each swapchain. results: asked for one by one.
  VkResult present(uint32_t index = 0, bool results = false) {
    const std::vector<uint32_t> indices(swapchains_.size(), index);
    std::vector<VkResult> each(swapchains_.size());
    VkPresentInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
    info.swapchainCount = static_cast<uint32_t>(swapchains_.size());
    info.pSwapchains = swapchains_.data();
    info.pImageIndices = indices.data();
    if (results) info.pResults = each.data();
    return vk().vkQueuePresentKHR(device().queue, &info);
  }
  static void results_are(std::vector<VkResult> results) {
    null_driver::Config config = driver().config();
    config.present_results = std::move(results);
    driver().configure(config);
  }
  Texts found() const { return reported("layout"); }

  std::vector<VkSwapchainKHR> swapchains_;
  VkImage image_ = VK_NULL_HANDLE;  // the first one of the first swapchain
};

TEST_F(Presentation, NeedsALayoutForIt) {
  submit({changing(image_, kUndefined, kPresented)});
  present();
  EXPECT_EQ(found(), Texts{});
  submit({changing(image_, kUndefined, kShared)});
  present();
  EXPECT_EQ(found(), Texts{});
  submit({changing(image_, kUndefined, kGeneral)});
  EXPECT_EQ(found(), Texts{}) << "it is not presented yet";
  present();
  present();
  EXPECT_EQ(found(), Texts{"an image is in VK_IMAGE_LAYOUT_GENERAL, and vkQueuePresentKHR needs "
                           "VK_IMAGE_LAYOUT_PRESENT_SRC_KHR"});
}

TEST_F(Presentation, AnImageThatNothingHasChangedIsUndefined) {
  acquire();
  present();
  EXPECT_EQ(found(), Texts{"an image is in VK_IMAGE_LAYOUT_UNDEFINED, and vkQueuePresentKHR needs "
                           "VK_IMAGE_LAYOUT_PRESENT_SRC_KHR"});
}

TEST_F(Presentation, LeavesTheLayoutAsItIs) {
  submit({changing(image_, kUndefined, kPresented)});
  present();
  acquire();
  submit({changing(image_, kPresented, kGeneral), changing(image_, kGeneral, kPresented)});
  present();
  EXPECT_EQ(found(), Texts{});
  acquire();
  submit({changing(image_, kGeneral, kPresented)});
  EXPECT_EQ(found().size(), 1u) << "it was acquired as it was presented";
}

TEST_F(Presentation, IsComparedInTheOrderOfSubmissions) {
  const VkCommandBuffer away = changing(image_, kPresented, kGeneral),
                        back = changing(image_, kUndefined, kPresented);
  submit({back});
  present();
  submit({away});
  EXPECT_EQ(found(), Texts{});
  present();
  EXPECT_EQ(found().size(), 1u);
}

TEST_F(Presentation, OnlyWhatWasPresentedIsReported) {
  const VkImage other = make_swapchain().front();
  submit({changing(image_, kUndefined, kPresented), changing(other, kUndefined, kGeneral)});
  results_are({VK_SUCCESS, VK_ERROR_OUT_OF_DATE_KHR});
  EXPECT_EQ(present(0, true), VK_ERROR_OUT_OF_DATE_KHR);
  EXPECT_EQ(found(), Texts{}) << "the wrong one was not";
  results_are({VK_ERROR_OUT_OF_DATE_KHR});
  EXPECT_EQ(present(0, false), VK_ERROR_OUT_OF_DATE_KHR);
  EXPECT_EQ(found(), Texts{}) << "which one was is not known";
  EXPECT_EQ(present(0, true), VK_ERROR_OUT_OF_DATE_KHR);
  EXPECT_EQ(found().size(), 1u);
}

TEST_F(Presentation, EachOfSeveralSwapchainsIsLookedAt) {
  make_swapchain();
  submit({changing(image_, kUndefined, kGeneral)});
  results_are({VK_SUBOPTIMAL_KHR});
  present();
  EXPECT_EQ(found().size(), 2u);
}

TEST_F(Presentation, ALostDeviceHasPresentedNothing) {
  null_driver::Config config = driver().config();
  config.faults.push_back({"vkQueuePresentKHR", 0, VK_ERROR_DEVICE_LOST});
  driver().configure(config);
  EXPECT_EQ(present(0, true), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(found(), Texts{});
}

TEST_F(Presentation, ImagesThatTheProgramDoesNotKnowSayNothing) {
  vk().vkDestroySwapchainKHR(device().handle, swapchains_[0], nullptr);
  swapchains_.clear();
  make_swapchain(1);
  present(1);
  EXPECT_EQ(found(), Texts{});
  present(0);
  EXPECT_EQ(found().size(), 1u);
}

// The wait is submitted first, so the layouts are not known.
TEST_F(Presentation, NothingIsFoundWhereAWaitIsForALaterSignal) {
  VkQueue other = VK_NULL_HANDLE;
  vk().vkGetDeviceQueue(device().handle, 0, 1, &other);
  const VkSemaphore semaphore = create_semaphore(VK_SEMAPHORE_TYPE_TIMELINE);
  const VkCommandBuffer commands = changing(image_, kUndefined, kGeneral);
  constexpr uint64_t value = 5;
  const VkPipelineStageFlags stage = kComputeStage;
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = 1;
  values.pWaitSemaphoreValues = &value;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.waitSemaphoreCount = 1;
  info.pWaitSemaphores = &semaphore;
  info.pWaitDstStageMask = &stage;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  check(vk().vkQueueSubmit(other, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
  present();
  EXPECT_EQ(found(), Texts{});
}

class PresentationLeftOut : public Presentation {
 protected:
  PresentationLeftOut() : Presentation({{"SHADERQA_SYNC_IMAGES", "1"}, {"SHADERQA_FRAMES", "2"}}) {}
};

TEST_F(PresentationLeftOut, IsReportedOfCheckedFrames) {
  submit({changing(image_, kUndefined, kGeneral)});
  present();
  EXPECT_EQ(found(), Texts{}) << "the first frame is left out";
  present();
  EXPECT_EQ(found().size(), 1u);
}

}  // namespace
}  // namespace shaderqa::layer_tests
