// SPDX-License-Identifier: Apache-2.0
// vkSetDebugUtilsObjectNameEXT: hands each name to the part that reports it.
#include <cstdint>
#include <string>

#include "layer/context/object_names.h"
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/loader/dispatch.h"
#include "layer/pipelines/shader_modules.h"
#include "layer/pipelines/shader_objects.h"
#include "layer/queues/submissions.h"
#include "layer/recording/command_buffers.h"
#include "layer/resources/buffer_table.h"
#include "layer/resources/image_table.h"
#include "layer/vk/guarded.h"
#include "layer/vk/handle_value.h"

namespace shaderqa::layer {

VKAPI_ATTR VkResult VKAPI_CALL
hooks::SetDebugUtilsObjectNameEXT(VkDevice handle, const VkDebugUtilsObjectNameInfoEXT* pNameInfo) {
  Device& device = device_of(handle);
  guarded([&] {
    const std::string name = pNameInfo->pObjectName ? pNameInfo->pObjectName : "";
    const uint64_t object = pNameInfo->objectHandle;
    switch (pNameInfo->objectType) {
      case VK_OBJECT_TYPE_SHADER_MODULE:
        if (const auto shader = device.shader_modules.find(handle_of<VkShaderModule>(object))) {
          device.names.name_shader(shader->hash, name);
        }
        break;
      case VK_OBJECT_TYPE_PIPELINE:
        device.names.name_pipeline(handle_of<VkPipeline>(object), name);
        break;
      case VK_OBJECT_TYPE_SHADER_EXT:
        if (const auto hash = device.shader_twins.hash_of(handle_of<VkShaderEXT>(object))) {
          device.names.name_shader(*hash, name);
        }
        break;
      case VK_OBJECT_TYPE_BUFFER:
        device.buffers.set_name(handle_of<VkBuffer>(object), name);
        break;
      case VK_OBJECT_TYPE_IMAGE:
        if (device.engine->needs.images) device.images.set_name(handle_of<VkImage>(object), name);
        break;
      case VK_OBJECT_TYPE_COMMAND_BUFFER:
        if (device.checks_sync()) device.command_buffers.name(handle_of<VkCommandBuffer>(object), name);
        break;
      case VK_OBJECT_TYPE_QUEUE:
        if (device.checks_sync()) device.submissions.name(handle_of<VkQueue>(object), name);
        break;
      default:
        break;
    }
  });
  // The loader hands the command out even if the instance lacks the extension, and programs then call it.
  const auto next = device.next.SetDebugUtilsObjectNameEXT;
  return next ? next(handle, pNameInfo) : VK_SUCCESS;
}

}  // namespace shaderqa::layer
