// SPDX-License-Identifier: Apache-2.0
// Debug labels: the path of labels around each action, for reports.
#include "layer/loader/device.h"
#include "layer/queues/submissions.h"
#include "layer/recording/command_recorder.h"

namespace shaderqa::layer {
namespace {

// The loader hands these commands out even where the instance does not have the extension; calls then do
// nothing.
template <typename Command, typename... Arguments>
void call_if_there(Command command, Arguments... arguments) {
  if (command) command(arguments...);
}

}  // namespace

VKAPI_ATTR void VKAPI_CALL hooks::CmdBeginDebugUtilsLabelEXT(VkCommandBuffer commandBuffer,
                                                             const VkDebugUtilsLabelEXT* pLabelInfo) {
  Device& device = with_recorder(
      commandBuffer, [&](Device&, CommandRecorder& state) { state.begin_label(pLabelInfo->pLabelName); });
  call_if_there(device.next.CmdBeginDebugUtilsLabelEXT, commandBuffer, pLabelInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::CmdEndDebugUtilsLabelEXT(VkCommandBuffer commandBuffer) {
  Device& device = with_recorder(commandBuffer, [](Device&, CommandRecorder& state) { state.end_label(); });
  call_if_there(device.next.CmdEndDebugUtilsLabelEXT, commandBuffer);
}

VKAPI_ATTR void VKAPI_CALL hooks::QueueBeginDebugUtilsLabelEXT(VkQueue queue,
                                                               const VkDebugUtilsLabelEXT* pLabelInfo) {
  Device& device = device_of(queue);
  const auto in_use = device.submissions.use(queue);
  guarded([&] { device.submissions.begin_label(queue, pLabelInfo->pLabelName); });
  call_if_there(device.next.QueueBeginDebugUtilsLabelEXT, queue, pLabelInfo);
}

VKAPI_ATTR void VKAPI_CALL hooks::QueueEndDebugUtilsLabelEXT(VkQueue queue) {
  Device& device = device_of(queue);
  const auto in_use = device.submissions.use(queue);
  guarded([&] { device.submissions.end_label(queue); });
  call_if_there(device.next.QueueEndDebugUtilsLabelEXT, queue);
}

}  // namespace shaderqa::layer
