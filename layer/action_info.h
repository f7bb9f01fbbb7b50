// What is known about an action (draw, dispatch, trace) by its number, for reports.
#ifndef SHADERQA_LAYER_ACTION_INFO_H
#define SHADERQA_LAYER_ACTION_INFO_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shaderqa::layer {

struct ActionInfo {
  uint32_t number = 0;
  std::string command;              // "vkCmdDispatch(16, 1, 1)"
  std::vector<std::string> labels;  // debug label path, outermost first; queue labels before those
  VkPipeline pipeline = VK_NULL_HANDLE;
  std::string command_buffer;  // name or handle
  std::string queue;           // of the latest submission; empty: not submitted
  uint32_t index = 0;          // among the actions of the command buffer, from 1
  // The first action since the last clear in this command buffer: its own number if only this dispatch itself
  // can be the other side; 0: earlier command buffers can be it too.
  uint32_t first_since_clear = 0;
  uint32_t dispatch_id = 0;  // of that clear
};

}  // namespace shaderqa::layer
#endif
