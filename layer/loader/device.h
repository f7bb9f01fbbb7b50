// SPDX-License-Identifier: Apache-2.0
// What the layer keeps for one VkDevice.
#ifndef SHADERQA_LAYER_LOADER_DEVICE_H
#define SHADERQA_LAYER_LOADER_DEVICE_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <memory>
#include <string>

#include "host/printf/printf_stream.h"
#include "layer/engines/engine.h"
#include "layer/loader/device_features.h"
#include "layer/loader/hook_table.h"
#include "layer/loader/instance.h"
#include "layer/loader/object_names.h"
#include "layer/memory/root_block.h"
#include "layer/output/outputs.h"
#include "layer/pipelines/instrumenter.h"
#include "layer/pipelines/ray_tracing_stacks.h"
#include "layer/pipelines/shader_modules.h"
#include "layer/pipelines/shader_objects.h"
#include "layer/pipelines/vertex_stages.h"
#include "layer/queues/submissions.h"
#include "layer/recording/command_buffers.h"
#include "layer/resources/buffer_table.h"
#include "layer/resources/descriptor_sets.h"
#include "layer/resources/object_facts.h"
#include "layer/resources/pipeline_layouts.h"

namespace shaderqa::layer {

// Its members guard themselves; no lock of theirs is held while the next layer is called.
class Device {
 public:
  Device(VkDevice device, std::shared_ptr<Instance> its_instance, PFN_vkGetDeviceProcAddr next_gdpa,
         DeviceFacts device_facts);
  ~Device();  // before the next layer's vkDestroyDevice
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const VkDevice handle;
  const std::shared_ptr<Instance> instance;
  const PFN_vkGetDeviceProcAddr next_get_proc;
  DeviceCommands next;
  DeviceFacts facts;  // constant once the application has the device

  ObjectNames names;
  ShaderModules shader_modules;
  ShaderTwins shader_twins;
  Instrumenter instrumenter;
  RayTracingStacks ray_tracing_stacks;
  // Of use where checks_sync().
  BufferTable buffers;
  PipelineLayouts pipeline_layouts;
  DescriptorSets descriptor_sets;
  ObjectFacts object_facts;
  VertexStages vertex_stages;
  const std::unique_ptr<Engine> engine;
  CommandBuffers command_buffers;
  Submissions submissions;

  uint32_t hook_groups() const;
  bool instruments() const { return facts.inert_reason.empty(); }
  // Buffers, descriptors and command buffers are watched, for shaders to look for unsynchronised accesses.
  bool checks_sync() const { return instance->possible.sync && instruments(); }
  VkDeviceAddress root_address() const { return root_->address(); }
  // Null where results of this device are of no use in the next run.
  ShaderCache* shader_cache() const {
    return root_->has_stable_address() ? instance->shader_cache.get() : nullptr;
  }

  // Null until something prints.
  PrintfOutput* printf_output() const { return outputs_.printf(); }
  // Made on the first call; null where that failed, which one note says, and where nothing is instrumented.
  PrintfOutput* require_printf_output() { return root_ ? outputs_.require_printf(*root_) : nullptr; }
  CheckOutput* check_output() const { return outputs_.checks(); }
  CheckOutput* require_check_output() { return root_ ? outputs_.require_checks(*root_) : nullptr; }

  // A command that told the application of finished work: deliver what that work printed before the
  // application goes on.
  void after_wait(VkResult result, PrintfStream::Mode mode = PrintfStream::Mode::running) noexcept;
  // A command that gave the device work, or tells how it is.
  void after_submit(VkResult result) noexcept;
  void drain_at_exit() noexcept;

  // Once for a key and instance.
  void note(const std::string& key, const std::string& text) const { instance->reporter.note(key, text); }

 private:
  void after_loss() noexcept;
  void finish();
  void report_at_end(bool done);

  std::unique_ptr<RootBlock> root_;
  Outputs outputs_;
  std::atomic<bool> lost_ = false;
};

}  // namespace shaderqa::layer
#endif
