// SPDX-License-Identifier: Apache-2.0
// What nearly every part of a device needs: its handle, the next layer's commands, facts, and the instance.
#ifndef SHADERQA_LAYER_CONTEXT_DEVICE_CONTEXT_H
#define SHADERQA_LAYER_CONTEXT_DEVICE_CONTEXT_H

#include <vulkan/vulkan_core.h>

#include <memory>
#include <string>

#include "host/findings/finding_types.h"
#include "layer/context/device_facts.h"
#include "layer/context/hook_table.h"

namespace shaderqa {
struct ShaderSubject;
}

namespace shaderqa::layer {

struct Instance;

// Parts that need no other part of the device take this instead of the whole Device (layer/loader/device.h).
class DeviceContext {
 public:
  DeviceContext(VkDevice device, std::shared_ptr<Instance> its_instance, PFN_vkGetDeviceProcAddr next_gdpa,
                DeviceFacts device_facts);
  DeviceContext(const DeviceContext&) = delete;
  DeviceContext& operator=(const DeviceContext&) = delete;

  const VkDevice handle;
  const std::shared_ptr<Instance> instance;
  const PFN_vkGetDeviceProcAddr next_get_proc;
  DeviceCommands next;
  DeviceFacts facts;

  bool instruments() const { return facts.inert_reason.empty(); }
  // Whether buffers, descriptors and command buffers are tracked, so that shaders can check accesses.
  bool checks_sync() const;
  // Whether pipelines are made in two versions (docs/internals/start.md).
  bool two_versions() const;
  // Reports a note to the user, once for each key and instance.
  void note(const std::string& key, const std::string& text, Concern incomplete = Concern::everything) const;
  void note_about(const ShaderSubject& shader, const std::string& rest,
                  Concern incomplete = Concern::everything) const;

 protected:
  ~DeviceContext() = default;
};

}  // namespace shaderqa::layer
#endif
