// SPDX-License-Identifier: Apache-2.0
// What the layer keeps for command buffers while sync is checked: which pipelines need action records, the
// state of each command buffer, and what is known of its actions afterwards.
#ifndef SHADERQA_LAYER_RECORDING_COMMAND_BUFFERS_H
#define SHADERQA_LAYER_RECORDING_COMMAND_BUFFERS_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/findings/check_details.h"
#include "layer/resources/pipeline_layouts.h"

namespace shaderqa::layer {

class Device;
struct RecordedCommands;

class CommandBuffers {
 public:
  struct Impl;
  explicit CommandBuffers(Device& device);
  ~CommandBuffers();  // before the next layer's vkDestroyDevice
  CommandBuffers(const CommandBuffers&) = delete;
  CommandBuffers& operator=(const CommandBuffers&) = delete;

  // Before a shader is made that reads an action's record: there is one even where memory runs out later. If
  // not, no shader must read any, which a note says.
  bool has_records();
  // What is known of a pipeline with this layout, while that lives. Null: its actions can have no record.
  std::shared_ptr<CheckedPipeline> describe_pipeline(VkPipelineLayout layout) const;
  // Pipeline creation tells which pipelines have checked accesses, while `layout` lives. Thread-safe.
  // own: shaders of its own have them, not only those of libraries.
  void add_checked_pipeline(VkPipeline pipeline, VkPipelineLayout layout, bool own, bool footprints_complete);
  // With descriptor heaps.
  void add_checked_pipeline(VkPipeline pipeline, std::shared_ptr<const CheckedPipeline> checked);
  // As one of the libraries that it is linked from.
  void add_checked_pipeline(VkPipeline pipeline, std::span<const VkPipeline> libraries);
  void remove_pipeline(VkPipeline pipeline);
  // Null where it has no checked accesses.
  std::shared_ptr<const CheckedPipeline> find_pipeline(VkPipeline pipeline) const;
  // Before the first shader object is made that reads an action's record: there is a layout to bind it with,
  // whatever the application does. If not, none must read any.
  bool can_check_shaders();
  struct KnownShader {
    bool needs_record = false;
    bool by_push_data = false;        // it finds the record so
    bool reads_record_place = false;  // as HeapShader has it
    uint32_t push_data_end = 0;
  };
  void add_shader(VkShaderEXT shader, const KnownShader& known);
  void remove_shader(VkShaderEXT shader);
  // Nothing where it has no checked accesses, and is in the way of nobody's.
  std::optional<KnownShader> find_shader(VkShaderEXT shader) const;

  // As the application gave it.
  void name(VkCommandBuffer command_buffer, const std::string& name);

  std::string name_of(const RecordedCommands& recording) const;

  // By SQA_ACTION_NUMBER; nothing where the command buffer was reset long ago. Thread-safe.
  std::optional<ActionOrigin> find_action(uint32_t number) const;
  // The actions and barriers of its command buffer around that action, in order.
  std::vector<std::string> commands_around(uint32_t number) const;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace shaderqa::layer
#endif
