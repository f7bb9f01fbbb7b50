// SPDX-License-Identifier: Apache-2.0
// What is forgotten when a pipeline is destroyed.
#include "layer/context/object_names.h"
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/pipelines/checked_versions.h"
#include "layer/pipelines/ray_tracing_stacks.h"
#include "layer/pipelines/vertex_stages.h"
#include "layer/recording/command_buffers.h"

namespace shaderqa::layer {

VKAPI_ATTR void VKAPI_CALL hooks::DestroyPipeline(VkDevice handle, VkPipeline pipeline,
                                                  const VkAllocationCallbacks* pAllocator) {
  Device& device = device_of(handle);
  device.names.remove_pipeline(pipeline);
  device.command_buffers.remove_pipeline(pipeline);
  device.ray_tracing_stacks.remove(pipeline);
  if (device.engine->needs.command_accesses) device.vertex_stages.remove_pipeline(pipeline);
  // Checked versions may still have to be linked with a library.
  if (device.checked_versions.remove(pipeline)) return;
  device.next.DestroyPipeline(handle, pipeline, pAllocator);
}

}  // namespace shaderqa::layer
