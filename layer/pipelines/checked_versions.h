// SPDX-License-Identifier: Apache-2.0
// The checked versions of pipelines, beside the application's own (docs/internals/start.md).
#ifndef SHADERQA_LAYER_PIPELINES_CHECKED_VERSIONS_H
#define SHADERQA_LAYER_PIPELINES_CHECKED_VERSIONS_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "layer/pipelines/instrumenter.h"
#include "layer/pipelines/pipeline_copy.h"
#include "layer/pipelines/worker_pool.h"
#include "layer/vk/handle_table.h"

namespace shaderqa::layer {

class Device;
class PipelineLibrary;

// What became of a pipeline's shaders in the chosen part of a run.
struct PipelineCoverage {
  std::vector<uint64_t> shaders;   // those with something to check
  std::atomic<uint8_t> state = 0;  // 1: an action with it was left out; 2: one was checked
};

// What vkCmdBindPipeline binds.
struct BoundPipeline {
  VkPipeline pipeline = VK_NULL_HANDLE;
  std::shared_ptr<const CheckedPipeline> record;  // null: its actions need none
  bool unchecked = false;                         // the checked version is not ready
  bool left_out = false;                          // there is a checked version, and it is not wanted
  bool two_versions = false;                      // there is, or will be, a checked version beside it
  bool may_order = true;                          // as Binds::may_order
  bool checks_indirect = true;                    // what indirect commands read is checked
  bool direct = false;                            // as Binds::direct
  std::shared_ptr<PipelineCoverage> coverage;     // null: nobody asks
};

enum class WantedVersion : uint8_t {
  checked,
  indirect,  // checked, also what indirect commands read
  by_page,   // checked, also where the record says too little of direct slots
  own,       // the application's own
  own_soon   // the same, and the checked one may be wanted soon
};

// Thread-safe.
class CheckedVersions {
 public:
  explicit CheckedVersions(Device& device);
  ~CheckedVersions();  // before the next layer's vkDestroyDevice
  CheckedVersions(const CheckedVersions&) = delete;
  CheckedVersions& operator=(const CheckedVersions&) = delete;

  // The application's pipeline was created; its checked version will be made from the copy.
  void add(VkPipeline own, std::unique_ptr<PipelineCopy> copy);
  // The application's library was created, without checks. leased, copy: as PipelineLibrary has them.
  void add_library(VkPipeline own, bool leased, std::unique_ptr<PipelineCopy> copy);
  // Null: it has its checks in it, or is none.
  std::shared_ptr<PipelineLibrary> find_library(VkPipeline own) const;
  // The application destroys it. True: the driver's is destroyed later.
  bool remove(VkPipeline own);
  // Waits for the checked version, unless start=background, or checks must keep within a budget.
  BoundPipeline bind(VkPipeline own, WantedVersion wanted = WantedVersion::checked);
  // Actions, or where only binds are seen, binds.
  void count_unchecked() { unchecked_.fetch_add(1, std::memory_order_relaxed); }

  // The device is destroyed: nothing more is made.
  void stop() noexcept;
  // The process exits. What is being made has some time to finish, since the driver's own static objects go
  // next.
  void stop_at_exit() noexcept;

 private:
  class Version;
  void announce(const PipelineCopy& copy);
  VersionKind first_kind(const PipelineCopy& copy) const;
  void bind_complete(Version& version, BoundPipeline& bound, WantedVersion wanted);
  // Whether whoever binds a pipeline waits for the version that is wanted.
  bool waits_for_versions() const;
  void make_now(const std::shared_ptr<Version>& version);
  void report_unchecked();

  Device& device_;
  HandleTable<VkPipeline, std::shared_ptr<Version>> versions_;
  HandleTable<VkPipeline, std::shared_ptr<PipelineLibrary>> libraries_;
  std::atomic<bool> any_ = false;
  std::atomic<uint64_t> unchecked_ = 0;
  std::atomic<uint32_t> by_page_ = 0;  // pipelines that needed another version than the direct one
  std::unique_ptr<WorkerPool> pool_;
};

}  // namespace shaderqa::layer
#endif
