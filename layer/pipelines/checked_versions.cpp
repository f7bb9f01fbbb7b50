// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/checked_versions.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/log/log.h"
#include "host/switch/check_switch.h"
#include "instrument/instrument.h"
#include "instrument/runtime/abi_report.h"
#include "instrument/shader_record.h"
#include "layer/context/instance.h"
#include "layer/context/object_names.h"
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/output/exit_drain.h"
#include "layer/pipelines/creation_timer.h"
#include "layer/pipelines/instrumenter.h"
#include "layer/pipelines/pipeline_creation.h"
#include "layer/pipelines/shader_modules.h"
#include "layer/recording/command_buffers.h"

namespace shaderqa::layer {
namespace {

using namespace std::chrono_literals;
constexpr auto kPatienceAtExit = 10s;

// Pipelines that are made in vain before those to come are made otherwise.
constexpr uint32_t kMostSurprises = 4;

// The modules of a pipeline that is being made.
class Modules {
 public:
  explicit Modules(const DeviceContext& device) : device_(device) {}
  ~Modules() {
    for (const VkShaderModule module : made_)
      device_.next.DestroyShaderModule(device_.handle, module, nullptr);
  }
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;

  // Null if the driver refuses it.
  VkShaderModule make(const std::vector<uint32_t>& words) {
    VkShaderModuleCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    info.codeSize = words.size() * sizeof(uint32_t);
    info.pCode = words.data();
    made_.reserve(made_.size() + 1);
    VkShaderModule module = VK_NULL_HANDLE;
    if (device_.next.CreateShaderModule(device_.handle, &info, nullptr, &module) != VK_SUCCESS)
      return VK_NULL_HANDLE;
    made_.push_back(module);
    return module;
  }

 private:
  const DeviceContext& device_;
  std::vector<VkShaderModule> made_;
};

// The flags of pipelines that are more than what vkCmdBindPipeline binds, or must not have our code in them.
constexpr VkPipelineCreateFlags2KHR kMadeAtOnce =
    VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR | VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_NV |
    VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT | VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR;

// SPIR-V capabilities.
constexpr uint32_t kTransformFeedback = 53, kAddresses = 5347;
// What a shader must have that stores parts of words: 8 or 16 bits in buffers, or in storage texel buffers.
constexpr uint32_t kParts[] = {4448, 4449, 4433, 4434, 47};

// Capabilities come first in a module.
bool has_capability(const StageCode& code, uint32_t wanted) {
  constexpr uint32_t header = 5, capability = 2u << 16 | 17;
  const std::span<const uint32_t> words = code.shader->words;
  for (size_t i = header; i + 1 < words.size() && words[i] == capability; i += 2)
    if (words[i + 1] == wanted) return true;
  return false;
}

bool has_something_to_check(const Device& device, std::span<const VkPipelineShaderStageCreateInfo> stages) {
  for (const VkPipelineShaderStageCreateInfo& stage : stages) {
    if (device.shader_modules.find(stage.module)) return true;
    const auto code =
        find_in_chain<VkShaderModuleCreateInfo>(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    if (!stage.module && code && keep_shader(device, words_of(code->pCode, code->codeSize))) return true;
  }
  return false;
}

template <typename Info>
std::unique_ptr<PipelineCopy> copy_unless_made_at_once(Device& device, const Info& info) {
  if (!device.two_versions()) return nullptr;
  const PipelineDescription pipeline = describe(info);
  if (all_flags(pipeline.chain, pipeline.flags) & kMadeAtOnce) return nullptr;
  if (pipeline.libraries && pipeline.libraries->libraryCount) return nullptr;
  if (!has_something_to_check(device, pipeline.stages)) return nullptr;
  std::string reason;
  auto copy = copy_pipeline(device, info, reason);
  if (!copy) SHADERQA_LOG(info, "a pipeline is created with its checks at once: " + reason);
  return copy;
}

}  // namespace

std::unique_ptr<PipelineCopy> copy_for_later(Device& device, const VkComputePipelineCreateInfo& info) {
  return copy_unless_made_at_once(device, info);
}

std::unique_ptr<PipelineCopy> copy_for_later(Device& device, const VkGraphicsPipelineCreateInfo& info) {
  // The stages of a library, or of a pipeline made from libraries, may be undefined.
  if (find_in_chain<VkGraphicsPipelineLibraryCreateInfoEXT>(
          info.pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT))
    return nullptr;
  return copy_unless_made_at_once(device, info);
}

void make_later(Device& device, VkPipeline pipeline, std::unique_ptr<PipelineCopy> copy) {
  device.checked_versions.add(pipeline, std::move(copy));
}

// Its members are written by the thread that makes it, before it is ready.
class CheckedVersions::Version : public Task {
 public:
  Version(Device& device, std::unique_ptr<PipelineCopy> copy, VersionKind kind, bool orders)
      : may_order(orders), device_(device), copy_(std::move(copy)), kind_(kind) {}
  ~Version() override {
    if (pipeline && !device_.instance->in_forked_child())
      device_.next.DestroyPipeline(device_.handle, pipeline, nullptr);
  }
  void run() noexcept override {
    if (!guarded([&] { make(); })) give_up();
    if (kind_ == VersionKind::complete || !record) copy_.reset();
    ready.store(true, std::memory_order_release);
  }

  // Once this one is ready: the version that runs all actions. Null: this one does, or has nothing to check.
  std::shared_ptr<Version> complete(WorkerPool& pool) {
    const std::lock_guard lock(mutex_);
    if (!complete_ && copy_) {
      complete_ = std::make_shared<Version>(device_, std::move(copy_), VersionKind::complete, may_order);
      pool.add(complete_);
    }
    return complete_;
  }
  // The same, if somebody has asked for it.
  std::shared_ptr<Version> asked_complete() {
    const std::lock_guard lock(mutex_);
    return complete_;
  }

  // Once it is ready.
  void give(BoundPipeline& bound) const {
    bound.unchecked = false;
    bound.checks_indirect = kind_ == VersionKind::complete || !record;  // no record: nothing to check
    bound.direct = direct_;
    if (pipeline) bound.pipeline = pipeline;
    if (!pipeline) bound.coverage = nullptr;
    bound.record = record;
  }

  VkPipeline pipeline = VK_NULL_HANDLE;  // null: nothing is checked in it
  std::shared_ptr<const CheckedPipeline> record;
  std::atomic<bool> ready = false;
  std::atomic<bool> used = false;
  std::atomic<bool> wanted = false;  // soon
  const bool may_order;
  const std::shared_ptr<PipelineCoverage> coverage = std::make_shared<PipelineCoverage>();

 private:
  void make();
  // There was no memory in between: a pipeline without its record must not be bound.
  void give_up() noexcept {
    if (pipeline) device_.next.DestroyPipeline(device_.handle, pipeline, nullptr);
    pipeline = VK_NULL_HANDLE;
  }
  // Returns the hashes of those that are instrumented.
  std::vector<uint64_t> make_stages(Modules& modules);
  bool make_stage(Modules& modules, size_t i, bool first);
  void choose_layout();
  VkResult create();

  Device& device_;
  std::unique_ptr<PipelineCopy> copy_;  // kept for the complete version
  const VersionKind kind_;
  std::mutex mutex_;
  std::shared_ptr<Version> complete_;
  bool needs_record_ = false, footprints_complete_ = false;
  bool direct_ = false;  // ShaderRecord::direct of its shader
};

bool CheckedVersions::Version::make_stage(Modules& modules, size_t i, bool first) {
  VkPipelineShaderStageCreateInfo& stage = copy_->stages[i];
  const StageCode& code = copy_->code[i];
  stage.module = VK_NULL_HANDLE;  // another version had its own
  Instrumented made;
  if (code.checkable) {
    const PipelineLayout* layout = copy_->record ? copy_->record->layout.get() : nullptr;
    if (!copy_->stage_layouts.empty()) layout = copy_->stage_layouts[i].get();
    const auto* graphics = std::get_if<VkGraphicsPipelineCreateInfo>(&copy_->info);
    made = device_.instrumenter.instrument(*code.shader, stage.stage, stage.pName, layout,
                                           stage.pSpecializationInfo, kind_,
                                           graphics ? fragment_tests(*graphics) : FragmentTests{});
  }
  if (made) stage.module = modules.make(made.result->words);
  if (made && !stage.module) device_.instrumenter.note_rejected({code.shader->hash});
  const bool checked = stage.module != VK_NULL_HANDLE;
  if (!checked) stage.module = modules.make(code.shader->words);
  if (!checked) return false;
  needs_record_ |= made.needs_record;
  direct_ |= made.result->record.direct;
  footprints_complete_ = (first || footprints_complete_) && made.footprints_complete();
  return true;
}

std::vector<uint64_t> CheckedVersions::Version::make_stages(Modules& modules) {
  std::vector<uint64_t> checked;
  for (size_t i = 0; i < copy_->stages.size(); ++i)
    if (make_stage(modules, i, checked.empty())) checked.push_back(copy_->code[i].shader->hash);
  return checked;
}

// Not that of the application's own pipeline if its actions' records are found by a push constant.
void CheckedVersions::Version::choose_layout() {
  if (!copy_->layout) return;
  const bool other = needs_record_ && copy_->record && copy_->record->by_constant();
  const VkPipelineLayout layout = other ? copy_->record->lease->handle : copy_->layout->handle;
  std::visit([&](auto& info) { info.layout = layout; }, copy_->info);
}

VkResult CheckedVersions::Version::create() {
  choose_layout();
  if (auto* compute = std::get_if<VkComputePipelineCreateInfo>(&copy_->info)) {
    compute->stage = copy_->stages.front();
    return device_.next.CreateComputePipelines(device_.handle, VK_NULL_HANDLE, 1, compute, nullptr,
                                               &pipeline);
  }
  return device_.next.CreateGraphicsPipelines(device_.handle, VK_NULL_HANDLE, 1,
                                              std::get_if<VkGraphicsPipelineCreateInfo>(&copy_->info),
                                              nullptr, &pipeline);
}

void CheckedVersions::Version::make() {
  Modules modules(device_);
  const std::vector<uint64_t> checked = make_stages(modules);
  if (checked.empty()) return;
  const CreationTimer for_dump = time_creation(device_, 1);
  const LogTimer timer;
  const VkResult result = create();
  SHADERQA_LOG(info, "the driver took " + timer.text() + " for the checked version of a pipeline (VkResult " +
                         std::to_string(result) + ")");
  if (result != VK_SUCCESS) {
    pipeline = VK_NULL_HANDLE;
    if (result != VK_ERROR_DEVICE_LOST) device_.instrumenter.note_rejected(checked);
    return;
  }
  if (!needs_record_) return;
  copy_->record->footprints_complete = footprints_complete_;
  record = copy_->record;
}

CheckedVersions::CheckedVersions(Device& device) : device_(device), pool_(std::make_unique<WorkerPool>()) {}

// In a forked child its threads do not exist.
CheckedVersions::~CheckedVersions() {
  if (device_.instance->in_forked_child()) static_cast<void>(pool_.release());
}

// What the checks of other work need to know of the pipeline, although nothing is rewritten yet.
void CheckedVersions::announce(const PipelineCopy& copy) {
  if (!device_.checks_sync()) return;
  // Commands are checked, too, and report there.
  static_cast<void>(device_.require_check_output());
  if (!copy.record) return;
  const auto any_has = [&](uint32_t capability) {
    return std::ranges::any_of(
        copy.code, [&](const StageCode& code) { return code.checkable && has_capability(code, capability); });
  };
  if (std::ranges::any_of(kParts, any_has)) device_.engine->expect_parts();
  if (!any_has(kAddresses)) return;
  // It may write everywhere. What reads before its first use must know that.
  ShaderRecord record;
  CheckSite site;
  site.check = SQA_CHECK_HAZARD;
  site.access = SQA_ACCESS_STORE;
  site.set = site.binding = UINT32_MAX;
  record.check_sites.push_back(site);
  device_.engine->add_shader(record, *copy.record->layout);
}

// Few pipelines run indirect commands, and checking what those read takes as much code as checking an access.
// Few actions access memory whose cells must be looked up by page. So the version for these is made when it
// is needed, where that can be waited for and bound in place of the other: not while transform feedback is
// active, and not in place of a shader group. In a program that has such memory, pipelines to come will
// need the lookup, too.
VersionKind CheckedVersions::first_kind(const PipelineCopy& copy) const {
  const auto* const graphics = std::get_if<VkGraphicsPipelineCreateInfo>(&copy.info);
  const bool groups =
      graphics && find_in_chain<VkGraphicsPipelineShaderGroupsCreateInfoNV>(
                      graphics->pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_SHADER_GROUPS_CREATE_INFO_NV);
  const bool feedback = std::ranges::any_of(
      copy.code, [](const StageCode& code) { return has_capability(code, kTransformFeedback); });
  const bool rebinds = waits_for_versions() && !groups && !feedback;
  if (!rebinds || !device_.checks_sync()) return VersionKind::complete;
  const bool surprises = by_page_.load(std::memory_order_relaxed) >= kMostSurprises;
  return surprises || device_.engine->expects_parts() ? VersionKind::by_page : VersionKind::direct;
}

void CheckedVersions::add(VkPipeline own, std::unique_ptr<PipelineCopy> copy) {
  if (device_.instance->in_forked_child()) return;
  register_exit_drain();
  announce(*copy);
  std::vector<uint64_t> hashes;
  for (const StageCode& code : copy->code)
    if (code.checkable) hashes.push_back(code.shader->hash);
  device_.names.add_pipeline(own, hashes);
  bool may_order = false;
  for (const StageCode& code : copy->code)
    may_order = may_order || has_ordering_instructions(code.shader->words);
  const VersionKind kind = first_kind(*copy);
  auto version = std::make_shared<Version>(device_, std::move(copy), kind, may_order);
  version->coverage->shaders = hashes;
  versions_.emplace(own, version);
  any_.store(true, std::memory_order_release);
  pool_->add(version);
}

void CheckedVersions::remove(VkPipeline own) {
  if (!any_.load(std::memory_order_acquire)) return;
  const auto version = versions_.erase(own);
  if (!version || device_.instance->in_forked_child()) return;
  pool_->drop(*version);
  if (const auto complete = (*version)->asked_complete()) pool_->drop(complete);
}

bool CheckedVersions::waits_for_versions() const {
  return device_.instance->settings.start != "background" && !device_.instance->checks->has_budget();
}

void CheckedVersions::make_now(const std::shared_ptr<Version>& version) {
  if (version->used.load(std::memory_order_relaxed)) return;
  pool_->wait(version);
  version->used.store(true, std::memory_order_relaxed);
}

BoundPipeline CheckedVersions::bind(VkPipeline own, WantedVersion wanted) {
  const auto* const found = any_.load(std::memory_order_acquire) ? versions_.find(own) : nullptr;
  BoundPipeline bound;
  bound.pipeline = own;
  if (!found) {
    bound.record = device_.command_buffers.find_pipeline(own);
    return bound;
  }
  Version& version = **found;
  bound.two_versions = true;
  bound.may_order = version.may_order;
  if (device_.instance->checks->has_selection() || device_.instance->possible.trace)
    bound.coverage = version.coverage;
  if (wanted == WantedVersion::own || wanted == WantedVersion::own_soon) {
    bound.left_out = true;
    if (wanted == WantedVersion::own_soon && !version.used.load(std::memory_order_relaxed) &&
        !version.wanted.exchange(true, std::memory_order_relaxed) && !device_.instance->in_forked_child())
      pool_->want(*found);
    return bound;
  }
  bound.unchecked = true;
  if (!version.used.load(std::memory_order_relaxed)) {
    if (device_.instance->in_forked_child()) return bound;
    if (waits_for_versions()) {
      make_now(*found);
    } else {
      pool_->want(*found);
      version.used.store(true, std::memory_order_relaxed);
    }
  }
  if (!version.ready.load(std::memory_order_acquire)) return bound;
  if (wanted == WantedVersion::indirect || wanted == WantedVersion::by_page)
    bind_complete(version, bound, wanted);
  else
    version.give(bound);
  return bound;
}

void CheckedVersions::bind_complete(Version& version, BoundPipeline& bound, WantedVersion wanted) {
  const std::shared_ptr<Version> complete = version.complete(*pool_);
  if (!complete) return version.give(bound);
  if (device_.instance->in_forked_child()) return;
  if (wanted == WantedVersion::by_page && !complete->used.load(std::memory_order_relaxed))
    by_page_.fetch_add(1, std::memory_order_relaxed);
  make_now(complete);
  if (complete->ready.load(std::memory_order_acquire)) complete->give(bound);
}

void CheckedVersions::report_unchecked() {
  const uint64_t count = unchecked_.exchange(0);
  if (count == 0) return;
  const std::string what =
      device_.checks_sync() ? " actions (draws, dispatches) were recorded" : " times a pipeline was bound";
  device_.note("start unchecked " + std::to_string(reinterpret_cast<uintptr_t>(this)),
               std::to_string(count) + what +
                   " before the checked version of their pipeline was ready, and ran unchecked",
               device_.instance->checks->has_budget() ? Concern::nothing : Concern::everything);
}

void CheckedVersions::stop() noexcept {
  if (device_.instance->in_forked_child()) return;
  pool_->stop();
  guarded([&] { report_unchecked(); });
}

void CheckedVersions::stop_at_exit() noexcept {
  if (device_.instance->in_forked_child()) return;
  pool_->stop_at_exit(kPatienceAtExit);
  guarded([&] { report_unchecked(); });
}

}  // namespace shaderqa::layer
