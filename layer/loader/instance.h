// SPDX-License-Identifier: Apache-2.0
// What the layer keeps for one VkInstance.
#ifndef SHADERQA_LAYER_LOADER_INSTANCE_H
#define SHADERQA_LAYER_LOADER_INSTANCE_H

#include <unistd.h>
#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>

#include "host/cache/shader_cache.h"
#include "host/findings/report.h"
#include "host/settings/check_selection.h"
#include "host/settings/hash_filter.h"
#include "host/settings/name_filter.h"
#include "host/settings/settings.h"
#include "layer/loader/hook_table.h"
#include "layer/loader/messengers.h"
#include "layer/pipelines/shader_dump.h"

namespace shaderqa::layer {

inline constexpr const char* kLayerName = "VK_LAYER_SHADERQA_instrument";

// Nothing is thrown out of a hook: where our own work fails, the application's still gets done. True: nothing
// was thrown.
template <typename Work>
bool guarded(const Work& work) noexcept {
  try {
    work();
    return true;
  } catch (...) {
    return false;
  }
}

// Shared by the devices made from it, so that a device's last words do not depend on the order of
// destruction.
struct Instance {
  explicit Instance(const Settings& effective_settings)
      : settings(effective_settings), reporter(settings), messengers(reporter), dump(settings.dump_dir) {}

  VkInstance handle = VK_NULL_HANDLE;
  PFN_vkGetInstanceProcAddr next_get_proc = nullptr;
  InstanceCommands next;
  uint32_t api_version = VK_API_VERSION_1_0;  // as the next layer was told
  Settings settings;
  HashFilter hash_filter;
  const NameFilter name_filter{settings.only, settings.skip};
  PossibleChecks possible;  // fixed once the hash filter is loaded
  Reporter reporter;
  Messengers messengers;
  ShaderDump dump;
  std::unique_ptr<ShaderCache> shader_cache;  // null: nothing is kept between runs
  std::shared_ptr<Instance> self;             // until vkDestroyInstance
  const pid_t process = getpid();

  // There, locks may be held by threads that do not exist, and files and devices are the parent's: we do
  // nothing.
  bool in_forked_child() const { return getpid() != process; }

  bool checks_anything() const { return possible.printf || possible.values || possible.sync; }
  // The exact engine rather than the filter (docs/exact.md).
  bool exact_sync() const { return possible.sync && settings.sync != "bloom"; }
  bool lists_redundant() const { return exact_sync() && settings.sync_redundant; }
  // Barriers are listed by what the device accesses alone: then the host is left out.
  bool checks_host() const { return exact_sync() && !settings.sync_host.empty() && !settings.sync_redundant; }
  uint32_t hook_groups() const {
    if (!checks_anything()) return kHookAlways;
    return kHookAlways | kHookShaders | kHookPrintf | (possible.sync ? kHookSync : 0u) |
           (exact_sync() ? kHookExact : 0u) | (lists_redundant() ? kHookRedundant : 0u) |
           (checks_host() ? kHookHost : 0u);
  }
};

}  // namespace shaderqa::layer
#endif
