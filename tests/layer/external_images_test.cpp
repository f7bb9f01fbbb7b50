// SPDX-License-Identifier: Apache-2.0
// With sync_images: images whose memory may be given to others are followed until it is.
#include <vector>

#include "tests/layer/images_kit.h"

namespace shaderqa::layer_tests {
namespace {

class ExternalImages : public Images {
 protected:
  ExternalImages() : Images("1", "", {"VK_KHR_external_memory", "VK_KHR_external_memory_fd"}) {}
  VkDeviceMemory allocate_with(const void* next) {
    VkMemoryAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    info.pNext = next;
    info.allocationSize = 64 * 1024;
    memories_.emplace_back();
    check(vk().vkAllocateMemory(device().handle, &info, nullptr, &memories_.back()), "vkAllocateMemory");
    return memories_.back();
  }
  VkDeviceMemory exportable(VkExternalMemoryHandleTypeFlags types) {
    VkExportMemoryAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
    info.handleTypes = types;
    return allocate_with(&info);
  }
  VkImage image_in(VkDeviceMemory memory, VkDeviceSize offset = 0) {
    VkExternalMemoryImageCreateInfo external{};
    external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO;
    external.handleTypes = kFd;
    VkImageCreateInfo info = plain_image(VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, kSide);
    info.pNext = &external;
    images_.emplace_back();
    check(vk().vkCreateImage(device().handle, &info, nullptr, &images_.back()), "vkCreateImage");
    check(vk().vkBindImageMemory(device().handle, images_.back(), memory, offset), "vkBindImageMemory");
    return images_.back();
  }
  bool is_followed(VkImage image) {
    const VkCommandBuffer commands = begin();
    clear(commands, image);
    end(commands);
    return !entered(commands).empty();
  }
  void TearDown() override {
    for (const VkDeviceMemory memory : memories_) vk().vkFreeMemory(device().handle, memory, nullptr);
    Images::TearDown();
  }

  static constexpr VkExternalMemoryHandleTypeFlags kFd = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  std::vector<VkDeviceMemory> memories_;
};

TEST_F(ExternalImages, AreFollowedUntilTheirMemoryIsExported) {
  checked_commands();
  const VkDeviceMemory memory = exportable(kFd);
  const VkImage first = image_in(memory), other = image_in(exportable(kFd));
  EXPECT_TRUE(is_followed(first));
  VkMemoryGetFdInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR;
  info.memory = memory;
  info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  int descriptor = 0;
  check(vk().vkGetMemoryFdKHR(device().handle, &info, &descriptor), "vkGetMemoryFdKHR");
  EXPECT_FALSE(is_followed(first));
  EXPECT_TRUE(is_followed(other));
  EXPECT_FALSE(is_followed(image_in(memory, 8192))) << "bound behind it";
}

TEST_F(ExternalImages, OfImportedMemoryAreLeftAlone) {
  checked_commands();
  VkImportMemoryFdInfoKHR import{};
  import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR;
  import.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  import.fd = -1;
  EXPECT_FALSE(is_followed(image_in(allocate_with(&import))));
  EXPECT_FALSE(
      is_followed(image_in(exportable(kFd | VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT))))
      << "exported by a command that is not seen";
  VkMemoryDedicatedAllocateInfo dedicated{};
  dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO;
  EXPECT_TRUE(is_followed(image_in(allocate_with(&dedicated))));
}

}  // namespace
}  // namespace shaderqa::layer_tests
