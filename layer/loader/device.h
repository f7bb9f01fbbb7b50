// SPDX-License-Identifier: Apache-2.0
// A VkDevice: the place where its parts are put together. Only hooks and parts that need several other parts
// include this header; the others take a DeviceContext, or the one part that they need.
#ifndef SHADERQA_LAYER_LOADER_DEVICE_H
#define SHADERQA_LAYER_LOADER_DEVICE_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "layer/context/device_context.h"
#include "layer/loader/owned_parts.h"

namespace shaderqa {
class ShaderCache;
}

namespace shaderqa::layer {

class BufferTable;
class CheckedVersions;
class CheckOutput;
class CommandBuffers;
class DescriptorBytes;
class DescriptorSets;
class Engine;
class ImageLayouts;
class ImageTable;
class Instrumenter;
class ObjectFacts;
class ObjectNames;
class Outputs;
class PipelineLayouts;
class PrintfOutput;
class RaceMap;
class RacePictures;
class RayTracingStacks;
class RootBlock;
class ShaderModules;
class ShaderTwins;
class Submissions;
class PictureOutput;
class TraceOutput;
class VertexStages;
struct ObjectLeases;

// Each part guards its own state. The parts are only declared here: whoever uses one includes its header.
class Device : public DeviceContext {
 public:
  Device(VkDevice device, std::shared_ptr<Instance> its_instance, PFN_vkGetDeviceProcAddr next_gdpa,
         DeviceFacts device_facts);
  ~Device();  // before the next layer's vkDestroyDevice
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

 private:
  OwnedParts parts_;  // all that follows; destroyed in the reverse order

 public:
  ObjectNames& names;
  ShaderModules& shader_modules;
  ShaderTwins& shader_twins;
  Instrumenter& instrumenter;
  RayTracingStacks& ray_tracing_stacks;
  ObjectLeases& leases;
  PipelineLayouts& pipeline_layouts;
  // Used only if checks_sync().
  BufferTable& buffers;
  ImageTable& images;
  ImageLayouts& image_layouts;
  RaceMap& race_map;
  RacePictures& race_pictures;
  DescriptorSets& descriptor_sets;
  DescriptorBytes& descriptor_bytes;
  ObjectFacts& object_facts;
  VertexStages& vertex_stages;
  Engine* const engine;  // never null
  CommandBuffers& command_buffers;
  Submissions& submissions;
  CheckedVersions& checked_versions;

  uint32_t hook_groups() const;
  VkDeviceAddress root_address() const;
  // Null if rewritten shaders of this device cannot be reused in the next run.
  ShaderCache* shader_cache() const;

  // Null until something prints, or has checks.
  PrintfOutput* printf_output() const;
  CheckOutput* check_output() const;
  TraceOutput* trace_output() const;
  PictureOutput* picture_output() const;
  // Made on the first call. Null if that failed, which one note says, or if nothing is instrumented.
  PrintfOutput* require_printf_output();
  CheckOutput* require_check_output();
  TraceOutput* require_trace_output();
  PictureOutput* require_picture_output();

  // To be called after a command that told the application of finished work: what that work printed is
  // delivered before the application goes on.
  void after_wait(VkResult result) noexcept { deliver_after(result, false); }
  // The same where all work of the device is finished.
  void after_idle(VkResult result) noexcept { deliver_after(result, true); }
  // To be called after a command that gave the device work, or that tells whether it is lost.
  void after_submit(VkResult result) noexcept;
  void drain_at_exit() noexcept;

 private:
  void deliver_after(VkResult result, bool idle) noexcept;
  void after_loss() noexcept;
  void finish();
  void report_at_end(bool done);

  std::unique_ptr<RootBlock> root_;
  std::unique_ptr<Outputs> outputs_;
  std::atomic<bool> lost_ = false;
};

}  // namespace shaderqa::layer
#endif
