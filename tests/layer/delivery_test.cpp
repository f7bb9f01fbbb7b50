// SPDX-License-Identifier: Apache-2.0
// What shaders print has arrived when the command that says that they are done returns: in the report, and in
// the application's debug messengers on the thread that called it.
#include <algorithm>
#include <functional>

#include "instrument/runtime/abi_root.h"
#include "tests/layer/layer_test.h"
#include "tests/layer/messenger.h"

namespace shaderqa::layer_tests {
namespace {

// As EXPECT_EQ, but says only where they differ.
void expect_same(const std::vector<std::string>& texts, const std::vector<std::string>& expected) {
  EXPECT_EQ(texts.size(), expected.size());
  const auto [at, expected_at] = std::mismatch(texts.begin(), texts.end(), expected.begin(), expected.end());
  if (at == texts.end()) return;
  std::vector<std::string> sorted = texts, expected_sorted = expected;
  std::sort(sorted.begin(), sorted.end());
  std::sort(expected_sorted.begin(), expected_sorted.end());
  ADD_FAILURE() << "at " << at - texts.begin() << " is '" << *at << "' and should be '"
                << (expected_at == expected.end() ? "nothing" : *expected_at) << "'; "
                << (sorted == expected_sorted ? "only the order differs" : "others are missing, too");
}

constexpr auto kInfo = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;

VkSemaphore create_timeline(const Device& device) {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  type.initialValue = 1;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  check(device.vk.vkCreateSemaphore(device.handle, &info, nullptr, &semaphore), "vkCreateSemaphore");
  return semaphore;
}

// A wait by fence, with a fence that is signaled already.
VkResult with_fence(const Device& device, const std::function<VkResult(VkFence)>& wait) {
  const VkFence fence = create_fence(device, VK_FENCE_CREATE_SIGNALED_BIT);
  const VkResult result = wait(fence);
  device.vk.vkDestroyFence(device.handle, fence, nullptr);
  return result;
}

VkResult with_timeline(const Device& device, const std::function<VkResult(VkSemaphore)>& wait) {
  const VkSemaphore semaphore = create_timeline(device);
  const VkResult result = wait(semaphore);
  device.vk.vkDestroySemaphore(device.handle, semaphore, nullptr);
  return result;
}

VkResult wait_semaphores(const Device& device, PFN_vkWaitSemaphores command) {
  return with_timeline(device, [&](VkSemaphore semaphore) {
    const uint64_t value = 1;
    VkSemaphoreWaitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    info.semaphoreCount = 1;
    info.pSemaphores = &semaphore;
    info.pValues = &value;
    return command(device.handle, &info, UINT64_MAX);
  });
}

struct Wait {
  const char* name;
  VkResult (*perform)(const Device&);
};

const Wait kWaits[] = {
    {"vkWaitForFences",
     [](const Device& device) {
       return with_fence(device, [&](VkFence fence) {
         return device.vk.vkWaitForFences(device.handle, 1, &fence, VK_TRUE, UINT64_MAX);
       });
     }},
    {"vkGetFenceStatus",
     [](const Device& device) {
       return with_fence(device,
                         [&](VkFence fence) { return device.vk.vkGetFenceStatus(device.handle, fence); });
     }},
    {"vkQueueWaitIdle", [](const Device& device) { return device.vk.vkQueueWaitIdle(device.queue); }},
    {"vkDeviceWaitIdle", [](const Device& device) { return device.vk.vkDeviceWaitIdle(device.handle); }},
    {"vkWaitSemaphores",
     [](const Device& device) { return wait_semaphores(device, device.vk.vkWaitSemaphores); }},
    {"vkWaitSemaphoresKHR",
     [](const Device& device) { return wait_semaphores(device, device.vk.vkWaitSemaphoresKHR); }},
    {"vkGetSemaphoreCounterValue",
     [](const Device& device) {
       return with_timeline(device, [&](VkSemaphore semaphore) {
         uint64_t value = 0;
         return device.vk.vkGetSemaphoreCounterValue(device.handle, semaphore, &value);
       });
     }},
};

class Delivery : public LayerTest, public ::testing::WithParamInterface<Wait> {
 protected:
  const InstanceOptions instance_options_ = {VK_API_VERSION_1_3, true, {"VK_EXT_debug_utils"}, nullptr};
  const DeviceOptions device_options_ = {nullptr, nullptr, {"VK_KHR_timeline_semaphore"}};
};

TEST_P(Delivery, ByMessengerAndReport) {
  Program program(instance_options_, device_options_);
  Messenger messenger(program.instance, kInfo);
  const VkPipeline pipeline = create_compute(program.device, shaders::prints_comp);
  print(site_id(shaders::prints_comp), 7);
  ASSERT_EQ(GetParam().perform(program.device), VK_SUCCESS);
  ASSERT_EQ(messenger.messages.size(), 1u);
  EXPECT_EQ(messenger.messages[0].text, "compute 7");
  EXPECT_EQ(messenger.messages[0].severity, kInfo);
  EXPECT_EQ(messenger.messages[0].thread, std::this_thread::get_id());
  EXPECT_EQ(messages(), std::vector<std::string>{"compute 7"});
  program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
}

TEST_P(Delivery, WhenTheDriverSaysThatTheDeviceIsLost) {
  Program program(instance_options_, device_options_);
  Messenger messenger(program.instance, kInfo);
  const VkPipeline pipeline = create_compute(program.device, shaders::prints_comp);
  print(site_id(shaders::prints_comp), 7);
  // Behind what is never written there is more.
  reserve_without_writing(*find_roots().at(0), 5);
  print(site_id(shaders::prints_comp), 8);
  null_driver::Config config;
  for (const char* name : {"vkWaitForFences", "vkGetFenceStatus", "vkQueueWaitIdle", "vkDeviceWaitIdle",
                           "vkWaitSemaphores", "vkGetSemaphoreCounterValue"}) {
    config.faults.push_back({name, 0, VK_ERROR_DEVICE_LOST});
  }
  driver().configure(config);
  ASSERT_EQ(GetParam().perform(program.device), VK_ERROR_DEVICE_LOST);
  const std::vector<std::string> expected = {"compute 7", "compute 8"};
  EXPECT_EQ(messages(), expected);
  EXPECT_EQ(messenger.messages.size(), 2u);
  program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
}

INSTANTIATE_TEST_SUITE_P(Waits, Delivery, ::testing::ValuesIn(kWaits),
                         [](const ::testing::TestParamInfo<Wait>& wait) {
                           return std::string(wait.param.name);
                         });

class Messengers : public LayerTest {
 protected:
  // One message through the whole way.
  static void print_and_wait(const Program& program) {
    const VkPipeline pipeline = create_compute(program.device, shaders::prints_comp);
    print(site_id(shaders::prints_comp), 1);
    check(program.device.vk.vkQueueWaitIdle(program.device.queue), "vkQueueWaitIdle");
    program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
  }
  const InstanceOptions instance_options_ = {VK_API_VERSION_1_3, true, {"VK_EXT_debug_utils"}, nullptr};
};

TEST_F(Messengers, HearOnlyWhatTheyAskFor) {
  Program program(instance_options_);
  Messenger info(program.instance, kInfo);
  Messenger errors(program.instance, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT |
                                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT);
  Messenger performance(program.instance, kInfo, VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT);
  print_and_wait(program);
  EXPECT_EQ(info.messages.size(), 1u);
  EXPECT_EQ(errors.messages.size(), 0u);
  EXPECT_EQ(performance.messages.size(), 0u);
}

TEST_F(Messengers, ADestroyedOneHearsNothing) {
  Program program(instance_options_);
  Messenger stays(program.instance, kInfo);
  std::vector<Messenger::Message> heard;
  const auto info = Messenger::create_info(kInfo, VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT, heard);
  VkDebugUtilsMessengerEXT destroyed = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateDebugUtilsMessengerEXT(program.instance.handle, &info, nullptr, &destroyed), VK_SUCCESS);
  vkDestroyDebugUtilsMessengerEXT(program.instance.handle, destroyed, nullptr);
  print_and_wait(program);
  EXPECT_EQ(heard.size(), 0u);
  EXPECT_EQ(stays.messages.size(), 1u);
}

TEST_F(Messengers, OfAnotherInstanceHearNothing) {
  Program program(instance_options_);
  Instance other(instance_options_);
  Messenger messenger(other, kInfo);
  print_and_wait(program);
  EXPECT_EQ(messenger.messages.size(), 0u);
  EXPECT_EQ(messages().size(), 1u);
}

// A callback may call Vulkan's object functions, and so come back into the layer.
TEST_F(Messengers, ACallbackMayCreateAMessenger) {
  Program program(instance_options_);
  struct Reentry {
    const Program* program;
    VkDebugUtilsMessengerEXT created;
  } reentry{&program, VK_NULL_HANDLE};
  VkDebugUtilsMessengerCreateInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity = kInfo;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pUserData = &reentry;
  info.pfnUserCallback = [](VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                            const VkDebugUtilsMessengerCallbackDataEXT* data, void* user_data) -> VkBool32 {
    auto state = static_cast<Reentry*>(user_data);
    if (std::string(data->pMessageIdName ? data->pMessageIdName : "") != "VVL-DEBUG-PRINTF") return VK_FALSE;
    static std::vector<Messenger::Message> unused;
    const auto nested = Messenger::create_info(kInfo, VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT, unused);
    vkCreateDebugUtilsMessengerEXT(state->program->instance.handle, &nested, nullptr, &state->created);
    return VK_FALSE;
  };
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateDebugUtilsMessengerEXT(program.instance.handle, &info, nullptr, &messenger), VK_SUCCESS);
  print_and_wait(program);
  EXPECT_NE(reentry.created, VkDebugUtilsMessengerEXT(VK_NULL_HANDLE));
  vkDestroyDebugUtilsMessengerEXT(program.instance.handle, messenger, nullptr);
  vkDestroyDebugUtilsMessengerEXT(program.instance.handle, reentry.created, nullptr);
}

TEST_F(Messengers, InTheInstancesChainHearItsLastMessages) {
  std::vector<Messenger::Message> heard;
  const auto info = Messenger::create_info(kInfo, VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT, heard);
  {
    Program program({VK_API_VERSION_1_3, true, {"VK_EXT_debug_utils"}, &info});
    const VkPipeline pipeline = create_compute(program.device, shaders::prints_comp);
    print(site_id(shaders::prints_comp), 1);
    program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
  }
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].text, "compute 1");
}

class WithoutAWait : public LayerTest {};

TEST_F(WithoutAWait, DestroyingTheDeviceDelivers) {
  {
    Program program;
    const VkPipeline pipeline = create_compute(program.device, shaders::prints_comp);
    print(site_id(shaders::prints_comp), 2);
    program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
  }
  EXPECT_EQ(messages(), std::vector<std::string>{"compute 2"});
}

// A program that waits now and then never fills the ring, however long it runs.
TEST_F(WithoutAWait, MoreThanTheBufferHoldsArrivesCompleteAndInOrder) {
  set("SHADERQA_PRINTF_BUFFER_SIZE", "65536");
  Program program;
  const Device& device = program.device;
  const VkPipeline pipeline = create_compute(device, shaders::prints_comp);
  const uint64_t site = site_id(shaders::prints_comp);
  abi::Root& root = *find_roots().at(0);
  std::vector<std::string> expected;
  for (uint32_t i = 0; i < 20000; ++i) {
    ASSERT_TRUE(print(root, site, {&i, 1})) << "dropped: " << i;
    expected.push_back("compute " + std::to_string(i));
    if (i % 100 == 99) check(device.vk.vkQueueWaitIdle(device.queue), "vkQueueWaitIdle");
  }
  expect_same(messages(), expected);
  EXPECT_EQ(notes(), std::vector<std::string>());
  device.vk.vkDestroyPipeline(device.handle, pipeline, nullptr);
}

// More comes at once than there is room for: what was written arrives with the next wait, the rest is said to
// be missing.
TEST_F(WithoutAWait, AFloodArrivesAsFarAsItFitsAndTheRestIsCounted) {
  set("SHADERQA_PRINTF_BUFFER_SIZE", "65536");
  uint32_t dropped = 0;
  std::vector<std::string> expected;
  {
    Program program;
    const VkPipeline pipeline = create_compute(program.device, shaders::prints_comp);
    const uint64_t site = site_id(shaders::prints_comp);
    abi::Root& root = *find_roots().at(0);
    // So many that the drain thread cannot keep up with all of them.
    for (uint32_t i = 0; dropped == 0 && i < 100'000'000; ++i) {
      if (print(root, site, {&i, 1})) {
        expected.push_back("compute " + std::to_string(i));
      } else {
        ++dropped;
      }
    }
    EXPECT_EQ(program.device.vk.vkQueueWaitIdle(program.device.queue), VK_SUCCESS);
    expect_same(messages(), expected);
    program.device.vk.vkDestroyPipeline(program.device.handle, pipeline, nullptr);
  }
  ASSERT_EQ(dropped, 1u) << "the flood was too small for this machine";
  ASSERT_EQ(notes().size(), 1u);
  EXPECT_NE(notes().at(0).find("dropped 1 "), std::string::npos) << notes().at(0);
}

}  // namespace
}  // namespace shaderqa::layer_tests
