// SPDX-License-Identifier: Apache-2.0
// What the layer keeps for one VkInstance.
#ifndef SHADERQA_LAYER_CONTEXT_INSTANCE_H
#define SHADERQA_LAYER_CONTEXT_INSTANCE_H

#include <sys/types.h>
#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <string>

#include "host/findings/finding_types.h"
#include "host/settings/possible_checks.h"
#include "host/settings/settings.h"
#include "layer/context/hook_table.h"

namespace shaderqa {
class CheckSwitch;
class HashFilter;
class NameFilter;
class Reporter;
class RunSummary;
class ShaderCache;
struct ShaderSubject;
}  // namespace shaderqa

namespace shaderqa::layer {

class Messengers;
class ShaderDump;

inline constexpr const char* kLayerName = "VK_LAYER_SHADERQA_instrument";

// Shared by the devices made from it, so that a device can still report while it is destroyed, whichever of
// them the application destroys first. Its parts are only declared here: whoever uses one includes its
// header.
struct Instance {
  explicit Instance(const Settings& effective_settings);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  VkInstance handle = VK_NULL_HANDLE;
  PFN_vkGetInstanceProcAddr next_get_proc = nullptr;
  InstanceCommands next;
  uint32_t api_version = VK_API_VERSION_1_0;  // as the next layer was told
  const Settings settings;
  std::string summary_problem;  // why the summary does not reach the parent
  // What was checked and what not. Outlives the reporter, which tells it about findings.
  const std::unique_ptr<RunSummary> summary;
  const std::unique_ptr<Reporter> reporter;
  const std::unique_ptr<CheckSwitch> checks;  // which part of the run is checked
  PossibleChecks possible;                    // fixed once the hash filter is loaded

  // Set while the instance is created, constant afterwards.
  std::shared_ptr<const HashFilter> hash_filter;
  std::shared_ptr<const NameFilter> name_filter;
  std::shared_ptr<Messengers> messengers;
  std::shared_ptr<ShaderDump> dump;
  std::shared_ptr<ShaderCache> shader_cache;  // null: nothing is kept between runs
  std::shared_ptr<Instance> self;             // until vkDestroyInstance

  // In a forked child the layer does nothing: locks may be held by threads that do not exist there, and files
  // and devices belong to the parent.
  bool in_forked_child() const;
  // Reports a note to the user, once for each key. By default it means that something is not checked.
  void note(const std::string& key, const std::string& text, Concern incomplete = Concern::everything);
  // The same about one shader, which is named before `rest`.
  void note_about(const ShaderSubject& shader, const std::string& rest,
                  Concern incomplete = Concern::everything);
  // Everything is delivered and the instance or the process ends. Writes the verdict, if the setting says so
  // and there is no parent that does.
  void end_summary();
  // Once `possible` is known.
  void begin_summary();

  bool checks_anything() const {
    return possible.printf || possible.values || possible.sync || possible.trace || possible.pictures;
  }
  // What the engines of its devices need at most (EngineNeeds), and so which hooks are installed. Only the
  // filter (docs/internals/filter.md) does without all of it.
  bool needs_order() const { return possible.sync && settings.sync != "bloom"; }
  bool needs_memory_use() const { return needs_order() && settings.sync_redundant; }
  // Redundant barriers are found from the device's accesses alone, so the host's are not checked then.
  bool needs_host_reads() const {
    return needs_order() && !settings.sync_host.empty() && !settings.sync_redundant;
  }
  // What actions note of their accesses for redundant barriers says nothing of images.
  bool needs_images() const { return needs_order() && settings.sync_images && !settings.sync_redundant; }
  // Whether there are pictures of hazards on images.
  bool needs_race_map() const { return needs_images() && !settings.sync_pictures.empty(); }
  // Whether the checked version of a pipeline is made beside the application's own (docs/internals/start.md).
  bool two_versions() const { return checks_anything() && settings.start != "creation"; }
  uint32_t hook_groups() const;

 private:
  const pid_t process_;
};

}  // namespace shaderqa::layer
#endif
