// SPDX-License-Identifier: Apache-2.0
// Graphics pipeline libraries that have no checks themselves, and their checked versions, from which the
// checked versions of pipelines are linked (docs/internals/start.md).
#ifndef SHADERQA_LAYER_PIPELINES_PIPELINE_LIBRARIES_H
#define SHADERQA_LAYER_PIPELINES_PIPELINE_LIBRARIES_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "layer/pipelines/checked_creation.h"
#include "layer/pipelines/pipeline_copy.h"
#include "layer/pipelines/worker_pool.h"

namespace shaderqa::layer {

class Device;

// It lives as long as the application's library, or a pipeline that is linked with it and whose checked
// version may still be made. Thread-safe. As a task, it makes the version of this kind ahead, as pipelines
// will be linked with it.
class PipelineLibrary : public Task {
 public:
  // copy: null where the application's own library is what checked versions are linked with. leased: its
  // destruction can be put off.
  PipelineLibrary(Device& device, VkPipeline own, bool leased, std::unique_ptr<PipelineCopy> copy,
                  VersionKind ahead);
  ~PipelineLibrary() override;
  PipelineLibrary(const PipelineLibrary&) = delete;
  PipelineLibrary& operator=(const PipelineLibrary&) = delete;
  void run() noexcept override;

  // Makes it, unless that is done. Valid as long as the library is. Its pipeline is null where the
  // application's own library has to be linked instead.
  const MadePipeline& checked(VersionKind kind);
  // The application's; null where it may be gone, or has another layout than those it is linked with.
  VkPipeline own() const;
  // The application destroys its own. True: that is done later.
  bool destroy_later();

  // With the libraries that it is linked with itself. Only such a one is a task of the pool.
  bool has_something_to_check() const { return something_to_check_; }
  bool reads_record_place() const { return copy_ && copy_->reads_record_place; }
  uint32_t push_data_end() const;
  const PipelineCopy* copy() const { return copy_.get(); }

 private:
  Device& device_;
  const VkPipeline own_;
  const bool leased_;
  const std::unique_ptr<PipelineCopy> copy_;
  const VersionKind ahead_;
  bool something_to_check_ = false;
  std::atomic<bool> gone_ = false;
  std::mutex mutex_;  // held while a version is made
  std::map<VersionKind, MadePipeline> made_;
};

// The code of a pipeline's stages, and of those of all its libraries.
std::vector<StageCode> all_code(const PipelineCopy& copy);

}  // namespace shaderqa::layer
#endif
