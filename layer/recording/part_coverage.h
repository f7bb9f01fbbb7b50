// SPDX-License-Identifier: Apache-2.0
// Which shaders and buffers the checked part of a run has seen (docs/internals/switch.md).
#ifndef SHADERQA_LAYER_RECORDING_PART_COVERAGE_H
#define SHADERQA_LAYER_RECORDING_PART_COVERAGE_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "layer/pipelines/checked_versions.h"

namespace shaderqa {
class RunSummary;
}

namespace shaderqa::layer {

class Device;
struct Binds;

// What the checked actions of a recording use.
struct RecordedCoverage {
  std::vector<std::shared_ptr<PipelineCoverage>> pipelines;
  std::vector<std::pair<VkDeviceAddress, VkDeviceSize>> buffers;

  void add(const Device& device, const Binds& bound);
  void add(const RecordedCoverage& executed);

 private:
  uint64_t changes_ = 0;  // of Binds, at the last action
};

// Of a device. Thread-safe.
class PartCoverage {
 public:
  // The actions are submitted while checks are on.
  void checked(const RecordedCoverage& recorded, RunSummary& summary);
  // An action that could have been checked is not.
  static void left_out(const Binds& bound, RunSummary& summary);

 private:
  std::mutex mutex_;
  std::set<std::pair<VkDeviceAddress, VkDeviceSize>> buffers_;
};

}  // namespace shaderqa::layer
#endif
