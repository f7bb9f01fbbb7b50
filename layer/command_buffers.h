// What the layer keeps for command buffers while sync is checked: bound state, action records, clears.
#ifndef SHADERQA_LAYER_COMMAND_BUFFERS_H
#define SHADERQA_LAYER_COMMAND_BUFFERS_H

#include <vulkan/vulkan_core.h>

#include <memory>
#include <optional>

#include "layer/action_info.h"

namespace shaderqa::layer {

class Device;

class CommandBuffers {
 public:
  struct Impl;
  explicit CommandBuffers(Device& device);
  ~CommandBuffers();  // before the next layer's vkDestroyDevice

  // Pipeline creation tells which pipelines have checked accesses. Thread-safe.
  void add_checked_pipeline(VkPipeline pipeline);
  void remove_pipeline(VkPipeline pipeline);
  void add_checked_shader(VkShaderEXT shader);
  void remove_shader(VkShaderEXT shader);

  // By SQA_ACTION_NUMBER; nothing where the command buffer was reset long ago. Thread-safe.
  std::optional<ActionInfo> find_action(uint32_t number) const;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace shaderqa::layer
#endif
