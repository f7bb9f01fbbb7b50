// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/pipeline_libraries.h"

#include <algorithm>
#include <utility>

#include "layer/context/instance.h"
#include "layer/loader/device.h"
#include "layer/recording/command_buffers.h"
#include "layer/vk/guarded.h"

namespace shaderqa::layer {

std::vector<StageCode> all_code(const PipelineCopy& copy) {
  std::vector<StageCode> code = copy.code;
  for (const auto& library : copy.libraries) {
    if (!library->copy()) continue;
    const std::vector<StageCode> more = all_code(*library->copy());
    code.insert(code.end(), more.begin(), more.end());
  }
  return code;
}

PipelineLibrary::PipelineLibrary(Device& device, VkPipeline own, bool leased,
                                 std::unique_ptr<PipelineCopy> copy, VersionKind ahead)
    : device_(device), own_(own), leased_(leased), copy_(std::move(copy)), ahead_(ahead) {
  if (copy_) something_to_check_ = std::ranges::any_of(all_code(*copy_), &StageCode::checkable);
}

PipelineLibrary::~PipelineLibrary() {
  if (device_.instance->in_forked_child()) return;
  for (const auto& [kind, made] : made_)
    if (made.pipeline) device_.next.DestroyPipeline(device_.handle, made.pipeline, nullptr);
  if (gone_.load(std::memory_order_acquire)) device_.next.DestroyPipeline(device_.handle, own_, nullptr);
}

void PipelineLibrary::run() noexcept {
  guarded([&] { static_cast<void>(checked(ahead_)); });
}

bool PipelineLibrary::destroy_later() {
  if (leased_) gone_.store(true, std::memory_order_release);
  return leased_;
}

VkPipeline PipelineLibrary::own() const {
  const bool other_layout = copy_ && copy_->record && copy_->record->by_constant();
  return leased_ && !other_layout ? own_ : VK_NULL_HANDLE;
}

uint32_t PipelineLibrary::push_data_end() const {
  const bool known = copy_ && copy_->record && copy_->record->by_push_data();
  return known ? copy_->record->layout->push_data_end : 0;
}

const MadePipeline& PipelineLibrary::checked(VersionKind kind) {
  const std::lock_guard lock(mutex_);
  const auto [place, fresh] = made_.try_emplace(kind);
  if (fresh && copy_) place->second = make_checked(device_, *copy_, kind);
  return place->second;
}

}  // namespace shaderqa::layer
