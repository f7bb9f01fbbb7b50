// SPDX-License-Identifier: Apache-2.0
// A debug messenger of the application that remembers what it was told, and on which thread.
#ifndef SHADERQA_TESTS_LAYER_MESSENGER_H
#define SHADERQA_TESTS_LAYER_MESSENGER_H

#include <string>
#include <thread>
#include <vector>

#include "tests/layer/program.h"

namespace shaderqa::layer_tests {

class Messenger {
 public:
  struct Message {
    std::string text;
    std::string id_name;
    VkDebugUtilsMessageSeverityFlagBitsEXT severity;
    VkDebugUtilsMessageTypeFlagsEXT types;
    std::thread::id thread;
  };

  Messenger(const Instance& instance, VkDebugUtilsMessageSeverityFlagsEXT severities,
            VkDebugUtilsMessageTypeFlagsEXT types = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT)
      : instance_(instance) {
    const VkDebugUtilsMessengerCreateInfoEXT info = create_info(severities, types, messages);
    check(vkCreateDebugUtilsMessengerEXT(instance.handle, &info, nullptr, &handle_), "messenger");
  }
  ~Messenger() { vkDestroyDebugUtilsMessengerEXT(instance_.handle, handle_, nullptr); }
  Messenger(const Messenger&) = delete;
  Messenger& operator=(const Messenger&) = delete;

  static VkDebugUtilsMessengerCreateInfoEXT create_info(VkDebugUtilsMessageSeverityFlagsEXT severities,
                                                        VkDebugUtilsMessageTypeFlagsEXT types,
                                                        std::vector<Message>& messages) {
    VkDebugUtilsMessengerCreateInfoEXT info{};
    info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
    info.messageSeverity = severities;
    info.messageType = types;
    info.pfnUserCallback = remember;
    info.pUserData = &messages;
    return info;
  }

  std::vector<Message> messages;

 private:
  static VKAPI_ATTR VkBool32 VKAPI_CALL remember(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT* data,
                                                 void* user_data) {
    // The loader talks too.
    const std::string name = data->pMessageIdName ? data->pMessageIdName : "";
    if (name != "VVL-DEBUG-PRINTF" && !name.starts_with("SHADERQA")) return VK_FALSE;
    static_cast<std::vector<Message>*>(user_data)->push_back(
        {data->pMessage, name, severity, types, std::this_thread::get_id()});
    return VK_FALSE;
  }

  const Instance& instance_;
  VkDebugUtilsMessengerEXT handle_ = VK_NULL_HANDLE;
};

}  // namespace shaderqa::layer_tests
#endif
