// SPDX-License-Identifier: Apache-2.0
#include "layer/context/device_context.h"

#include <utility>

#include "layer/context/instance.h"

namespace shaderqa::layer {

DeviceContext::DeviceContext(VkDevice device, std::shared_ptr<Instance> its_instance,
                             PFN_vkGetDeviceProcAddr next_gdpa, DeviceFacts device_facts)
    : handle(device),
      instance(std::move(its_instance)),
      next_get_proc(next_gdpa),
      facts(std::move(device_facts)) {
  next.load(handle, next_get_proc);
}

bool DeviceContext::checks_sync() const { return instance->possible.sync && instruments(); }

// Generated commands name pipelines apart from binding them.
bool DeviceContext::two_versions() const {
  return instance->two_versions() && instruments() && !facts.generated_commands &&
         !facts.generated_commands_nv;
}

void DeviceContext::note(const std::string& key, const std::string& text, Concern incomplete) const {
  instance->note(key, text, incomplete);
}

void DeviceContext::note_about(const ShaderSubject& shader, const std::string& rest,
                               Concern incomplete) const {
  instance->note_about(shader, rest, incomplete);
}

}  // namespace shaderqa::layer
