// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/part_coverage.h"

#include <algorithm>
#include <bit>

#include "host/summary/run_summary.h"
#include "layer/loader/device.h"
#include "layer/recording/bind_state.h"
#include "layer/resources/buffer_table.h"

namespace shaderqa::layer {
namespace {

constexpr uint32_t kMostSlots = 64;  // of a set, that are looked at

template <typename Value>
void add_once(std::vector<Value>& all, const Value& one) {
  if (std::ranges::find(all, one) == all.end()) all.push_back(one);
}

void use(PipelineCoverage& pipeline, bool checked, RunSummary& summary) {
  const uint8_t state = checked ? 2 : 1;
  uint8_t before = pipeline.state.load(std::memory_order_relaxed);
  while (before < state && !pipeline.state.compare_exchange_weak(before, state, std::memory_order_relaxed)) {
  }
  if (before >= state) return;
  for (const uint64_t shader : pipeline.shaders) summary.shader_used(shader, checked);
}

}  // namespace

void RecordedCoverage::add(const Device& device, const Binds& bound) {
  if (bound.coverage && (pipelines.empty() || pipelines.back() != bound.coverage))
    add_once(pipelines, bound.coverage);
  if (!device.checks_sync() || bound.changes == changes_) return;
  changes_ = bound.changes;
  for (uint32_t sets = bound.ever_set; sets; sets &= sets - 1) {
    const BoundTable table = bound_table(device, bound, static_cast<uint32_t>(std::countr_zero(sets)));
    for (uint32_t slot = 0; slot < std::min(table.slots(), kMostSlots); ++slot) {
      const VkDeviceAddress address = table.load(slot).address;
      const auto buffer = address ? device.buffers.find_address(address) : std::nullopt;
      if (buffer && device.buffers.place(buffer->handle).has_cells())
        add_once(buffers, {buffer->address, buffer->size});
    }
  }
}

void RecordedCoverage::add(const RecordedCoverage& executed) {
  for (const auto& pipeline : executed.pipelines) add_once(pipelines, pipeline);
  for (const auto& buffer : executed.buffers) add_once(buffers, buffer);
}

void PartCoverage::checked(const RecordedCoverage& recorded, RunSummary& summary) {
  for (const auto& pipeline : recorded.pipelines) use(*pipeline, true, summary);
  if (recorded.buffers.empty()) return;
  const std::lock_guard lock(mutex_);
  for (const auto& buffer : recorded.buffers)
    if (buffers_.insert(buffer).second) summary.add(Tally::buffers_checked);
}

void PartCoverage::left_out(const Binds& bound, RunSummary& summary) {
  if (bound.coverage) use(*bound.coverage, false, summary);
}

}  // namespace shaderqa::layer
