// SPDX-License-Identifier: Apache-2.0
// The application's VK_EXT_debug_utils messengers, and how findings reach them.
#ifndef SHADERQA_LAYER_LOADER_MESSENGERS_H
#define SHADERQA_LAYER_LOADER_MESSENGERS_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "host/findings/report.h"

namespace shaderqa::layer {

// The identification of the Khronos layer's printf messages, which test suites look for.
inline constexpr const char* kPrintfMessageName = "VVL-DEBUG-PRINTF";
inline constexpr const char* kPrintfFormatMessageName = "DEBUG-PRINTF-FORMATTING";
inline constexpr int32_t kPrintfMessageNumber = 0x4fe1fef9;

// Thread-safe. deliver() may only be called inside a Vulkan command, on the application's thread, because
// callbacks rely on that. So the drain thread never calls it.
class Messengers {
 public:
  explicit Messengers(Reporter& reporter) : reporter_(reporter) {}

  void add(VkDebugUtilsMessengerEXT handle, const VkDebugUtilsMessengerCreateInfoEXT& info);
  void remove(VkDebugUtilsMessengerEXT handle);
  void deliver();

  // Messengers in the pNext chain of VkInstanceCreateInfo hear only what happens while the instance is
  // created and destroyed.
  void set_chained(const void* instance_create_chain);
  void deliver_to_chained();

 private:
  struct Messenger {
    VkDebugUtilsMessengerEXT handle;
    VkDebugUtilsMessageSeverityFlagsEXT severities;
    VkDebugUtilsMessageTypeFlagsEXT types;
    PFN_vkDebugUtilsMessengerCallbackEXT callback;
    void* user_data;
  };
  static Messenger messenger_from(VkDebugUtilsMessengerEXT handle,
                                  const VkDebugUtilsMessengerCreateInfoEXT& info);
  static bool takes_it(const Messenger& messenger, const Finding& finding);
  void tell_reporter();  // what they take; under the lock
  static void call(const std::vector<Messenger>& messengers, const std::vector<Finding>& findings);

  Reporter& reporter_;
  std::mutex mutex_;  // never held while a callback runs
  std::vector<Messenger> messengers_;
  std::vector<Messenger> chained_;
  std::atomic<bool> any_ = false;
};

}  // namespace shaderqa::layer
#endif
