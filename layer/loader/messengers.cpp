// SPDX-License-Identifier: Apache-2.0
#include "layer/loader/messengers.h"

#include <algorithm>

#include "host/findings/report_text.h"
#include "layer/context/hook_table.h"
#include "layer/context/instance.h"
#include "layer/loader/dispatch.h"
#include "layer/vk/guarded.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

// As the Khronos layer would rank them: a race is an error of the program, while a failed check of a value or
// an assumption is no error in its use of Vulkan.
VkDebugUtilsMessageSeverityFlagBitsEXT severity_of(const Finding& finding) {
  switch (finding.kind) {
    case FindingKind::hazard:
    case FindingKind::layout:
      return VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    case FindingKind::assume:
    case FindingKind::nan:
    case FindingKind::uninit:
      return VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
    case FindingKind::printf:
    case FindingKind::redundant:
    case FindingKind::trace:
    case FindingKind::note:
      if (finding.printf_format) return VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
      break;
  }
  return VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
}

VkDebugUtilsMessageTypeFlagsEXT type_of(const Finding& finding) {
  return finding.kind == FindingKind::note ? VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT
                                           : VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
}

}  // namespace

bool Messengers::takes_it(const Messenger& messenger, const Finding& finding) {
  return (messenger.severities & severity_of(finding)) && (messenger.types & type_of(finding));
}

Messengers::Messenger Messengers::messenger_from(VkDebugUtilsMessengerEXT handle,
                                                 const VkDebugUtilsMessengerCreateInfoEXT& info) {
  return {handle, info.messageSeverity, info.messageType, info.pfnUserCallback, info.pUserData};
}

void Messengers::add(VkDebugUtilsMessengerEXT handle, const VkDebugUtilsMessengerCreateInfoEXT& info) {
  const std::lock_guard lock(mutex_);
  messengers_.push_back(messenger_from(handle, info));
  tell_reporter();
  any_.store(true, std::memory_order_release);
}

void Messengers::remove(VkDebugUtilsMessengerEXT handle) {
  const std::lock_guard lock(mutex_);
  std::erase_if(messengers_, [&](const Messenger& messenger) { return messenger.handle == handle; });
  tell_reporter();
  if (messengers_.empty()) any_.store(false, std::memory_order_release);
}

void Messengers::deliver() {
  if (!any_.load(std::memory_order_acquire)) return;
  const std::vector<Finding> findings = reporter_.take_for_messengers();
  if (findings.empty()) return;
  std::vector<Messenger> messengers;
  {
    const std::lock_guard lock(mutex_);
    messengers = messengers_;
  }
  call(messengers, findings);
  reporter_.delivered();
}

void Messengers::tell_reporter() {
  if (messengers_.empty() && chained_.empty()) return reporter_.keep_for_messengers(nullptr);
  reporter_.keep_for_messengers([all = messengers_, chained = chained_](const Finding& finding) {
    const auto takes = [&](const Messenger& messenger) { return takes_it(messenger, finding); };
    return std::ranges::any_of(all, takes) || std::ranges::any_of(chained, takes);
  });
}

void Messengers::set_chained(const void* instance_create_chain) {
  constexpr auto type = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  const std::lock_guard lock(mutex_);
  auto info = find_in_chain<VkDebugUtilsMessengerCreateInfoEXT>(instance_create_chain, type);
  for (; info; info = find_in_chain<VkDebugUtilsMessengerCreateInfoEXT>(info->pNext, type)) {
    chained_.push_back(messenger_from(VK_NULL_HANDLE, *info));
  }
  tell_reporter();
}

void Messengers::deliver_to_chained() {
  std::vector<Messenger> messengers;
  {
    const std::lock_guard lock(mutex_);
    messengers = chained_;
  }
  if (messengers.empty()) return;
  call(messengers, reporter_.take_for_messengers());
  reporter_.delivered();
}

void Messengers::call(const std::vector<Messenger>& messengers, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    const bool note = finding.kind == FindingKind::note, printf = finding.kind == FindingKind::printf;
    const VkDebugUtilsMessageTypeFlagsEXT type = type_of(finding);
    const VkDebugUtilsMessageSeverityFlagBitsEXT severity = severity_of(finding);
    std::string name = printf ? kPrintfMessageName : std::string("SHADERQA-") + to_string(finding.kind);
    if (finding.printf_format) name = kPrintfFormatMessageName;
    // The details of a failed check are appended, because a message has only one text.
    std::string text = finding_text(finding);
    if (!note && !printf) {
      text += '\n';
      append_details(text, finding, {.color = false, .width = 0, .details = true});
    }
    VkDebugUtilsMessengerCallbackDataEXT data{};
    data.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT;
    data.pMessageIdName = name.c_str();
    data.messageIdNumber = printf ? kPrintfMessageNumber : 0;
    data.pMessage = text.c_str();
    for (const Messenger& messenger : messengers) {
      if (takes_it(messenger, finding)) messenger.callback(severity, type, &data, messenger.user_data);
    }
  }
}

VKAPI_ATTR VkResult VKAPI_CALL hooks::CreateDebugUtilsMessengerEXT(
    VkInstance handle, const VkDebugUtilsMessengerCreateInfoEXT* pCreateInfo,
    const VkAllocationCallbacks* pAllocator, VkDebugUtilsMessengerEXT* pMessenger) {
  Instance& instance = instance_of(handle);
  const VkResult result =
      instance.next.CreateDebugUtilsMessengerEXT(handle, pCreateInfo, pAllocator, pMessenger);
  if (result == VK_SUCCESS) {
    guarded([&] { instance.messengers->add(*pMessenger, *pCreateInfo); });
  }
  return result;
}

VKAPI_ATTR void VKAPI_CALL hooks::DestroyDebugUtilsMessengerEXT(VkInstance handle,
                                                                VkDebugUtilsMessengerEXT messenger,
                                                                const VkAllocationCallbacks* pAllocator) {
  Instance& instance = instance_of(handle);
  guarded([&] {
    instance.messengers->deliver();
    instance.messengers->remove(messenger);
  });
  instance.next.DestroyDebugUtilsMessengerEXT(handle, messenger, pAllocator);
}

}  // namespace shaderqa::layer
