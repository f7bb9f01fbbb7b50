// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/checked_versions.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
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
#include "layer/pipelines/checked_creation.h"
#include "layer/pipelines/instrumenter.h"
#include "layer/pipelines/pipeline_creation.h"
#include "layer/pipelines/pipeline_libraries.h"
#include "layer/pipelines/pipeline_parts.h"
#include "layer/pipelines/shader_modules.h"
#include "layer/recording/command_buffers.h"

namespace shaderqa::layer {
namespace {

using namespace std::chrono_literals;
constexpr auto kPatienceAtExit = 120s;

// Pipelines that are made in vain before those to come are made otherwise.
constexpr uint32_t kMostSurprises = 4;

// The flags of pipelines that are more than what vkCmdBindPipeline binds, or must not have our code in them.
constexpr VkPipelineCreateFlags2KHR kMadeAtOnce = VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_NV |
                                                  VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT |
                                                  VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR;

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

// Its own stages.
bool has_something_to_check(const Device& device, const PipelineDescription& pipeline) {
  if (!(own_parts(pipeline.chain) & kShaderParts)) return false;
  for (const VkPipelineShaderStageCreateInfo& stage : pipeline.stages) {
    if (device.shader_modules.find(stage.module)) return true;
    const auto code =
        find_in_chain<VkShaderModuleCreateInfo>(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    if (!stage.module && code && keep_shader(device, words_of(code->pCode, code->codeSize))) return true;
  }
  return false;
}

void say_made_at_once(const std::string& reason) {
  SHADERQA_LOG(info, "a pipeline is created with its checks at once: " + reason);
}

// Shaders of a library are not checked that might have been, if it had been created with its checks.
void note_unchecked_link(const Device& device, const std::string& reason) {
  device.note("unchecked link " + reason,
              "pipelines that are linked from libraries are not checked, or only in part: " + reason);
}

// False: one of them was created with its checks.
bool find_libraries(const Device& device, const PipelineDescription& pipeline,
                    std::vector<std::shared_ptr<PipelineLibrary>>& found) {
  bool all = true, any = false;
  for (uint32_t i = 0; pipeline.libraries && i < pipeline.libraries->libraryCount; ++i) {
    auto library = device.checked_versions.find_library(pipeline.libraries->pLibraries[i]);
    all = all && library;
    any = any || (library && library->has_something_to_check());
    if (library) found.push_back(std::move(library));
  }
  if (!all && any)
    note_unchecked_link(device,
                        "some of their libraries had to be created with their checks, and others not "
                        "(log_level=info says why)");
  return all;
}

// A library has checked versions of its own where what it is linked with cannot be the application's.
bool needs_copy(const Device& device, const PipelineDescription& pipeline) {
  if (!(own_parts(pipeline.chain) & kShaderParts)) return false;
  const bool heaps = all_flags(pipeline.chain, pipeline.flags) & VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT;
  return (heaps && device.checks_sync()) || layout_with_constant(device, pipeline.layout);
}

// A graphics pipeline that is linked from libraries, or a library.
LaterPipeline plan_linked(Device& device, const VkGraphicsPipelineCreateInfo& info, bool has_allocator) {
  const PipelineDescription pipeline = describe(info);
  LaterPipeline later;
  std::vector<std::shared_ptr<PipelineLibrary>> libraries;
  if (!find_libraries(device, pipeline, libraries)) return {};
  later.planned = true;
  later.library = all_flags(info.pNext, info.flags) & VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
  later.leased = !has_allocator;
  const bool something =
      has_something_to_check(device, pipeline) ||
      std::ranges::any_of(libraries, [](const auto& one) { return one->has_something_to_check(); });
  const bool needed = later.library && (has_allocator || needs_copy(device, pipeline));
  if (!something && !needed) return later;
  std::string reason;
  later.copy = copy_pipeline(device, info, std::move(libraries), reason);
  if (later.copy) {
    later.copy->needed = later.library && has_allocator;
    return later;
  }
  // What it is linked with may have another layout than it would have.
  if (later.library && !needed) {
    say_made_at_once(reason);
    return {};
  }
  note_unchecked_link(device, reason);
  return later;
}

template <typename Info>
LaterPipeline plan(Device& device, const Info& info) {
  LaterPipeline later;
  std::string reason;
  if (has_something_to_check(device, describe(info))) {
    if constexpr (std::is_same_v<Info, VkGraphicsPipelineCreateInfo>)
      later.copy = copy_pipeline(device, info, {}, reason);
    else
      later.copy = copy_pipeline(device, info, reason);
    if (!later.copy) say_made_at_once(reason);
  }
  later.planned = later.copy != nullptr;
  return later;
}

}  // namespace

LaterPipeline plan_for_later(Device& device, const VkComputePipelineCreateInfo& info, bool) {
  const PipelineDescription pipeline = describe(info);
  const bool made_at_once = (all_flags(info.pNext, info.flags) & kMadeAtOnce) || is_linked(pipeline);
  return made_at_once || !device.two_versions() ? LaterPipeline() : plan(device, info);
}

LaterPipeline plan_for_later(Device& device, const VkGraphicsPipelineCreateInfo& info, bool has_allocator) {
  if (!device.two_versions() || (all_flags(info.pNext, info.flags) & kMadeAtOnce)) return {};
  return is_linked(describe(info)) ? plan_linked(device, info, has_allocator) : plan(device, info);
}

void make_later(Device& device, VkPipeline pipeline, LaterPipeline later) {
  if (later.library)
    device.checked_versions.add_library(pipeline, later.leased, std::move(later.copy));
  else if (later.copy)
    device.checked_versions.add(pipeline, std::move(later.copy));
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
      pool.add(complete_, this);
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

  Device& device_;
  std::unique_ptr<PipelineCopy> copy_;  // kept for the complete version
  const VersionKind kind_;
  std::mutex mutex_;
  std::shared_ptr<Version> complete_;
  bool direct_ = false;  // ShaderRecord::direct of its shader
};

void CheckedVersions::Version::make() {
  for (const auto& library : copy_->libraries)
    if (library->has_something_to_check()) device_.checked_versions.pool_->want(library);
  const MadePipeline made = make_checked(device_, *copy_, kind_);
  pipeline = made.pipeline;
  direct_ = made.direct;
  if (!pipeline || !made.needs_record) return;
  copy_->record->footprints_complete = made.footprints_complete;
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
  // Libraries were announced when they were created.
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
  const std::vector<StageCode> all = all_code(copy);
  const bool feedback = std::ranges::any_of(
      all, [](const StageCode& code) { return has_capability(code, kTransformFeedback); });
  const bool rebinds = waits_for_versions() && !groups && !feedback;
  if (!rebinds || !device_.checks_sync()) return VersionKind::complete;
  const bool surprises = by_page_.load(std::memory_order_relaxed) >= kMostSurprises;
  return surprises || device_.engine->expects_parts() ? VersionKind::by_page : VersionKind::direct;
}

void CheckedVersions::add(VkPipeline own, std::unique_ptr<PipelineCopy> copy) {
  if (device_.instance->in_forked_child()) return;
  register_exit_drain();
  announce(*copy);
  const std::vector<StageCode> all = all_code(*copy);
  std::vector<uint64_t> hashes;
  for (const StageCode& code : all)
    if (code.checkable) hashes.push_back(code.shader->hash);
  device_.names.add_pipeline(own, hashes);
  bool may_order = false;
  for (const StageCode& code : all) may_order = may_order || has_ordering_instructions(code.shader->words);
  const VersionKind kind = first_kind(*copy);
  auto version = std::make_shared<Version>(device_, std::move(copy), kind, may_order);
  version->coverage->shaders = hashes;
  versions_.emplace(own, version);
  any_.store(true, std::memory_order_release);
  pool_->add(version);
}

void CheckedVersions::add_library(VkPipeline own, bool leased, std::unique_ptr<PipelineCopy> copy) {
  const VersionKind kind = copy ? first_kind(*copy) : VersionKind::complete;
  if (copy) announce(*copy);
  const auto library = std::make_shared<PipelineLibrary>(device_, own, leased, std::move(copy), kind);
  libraries_.emplace(own, library);
  any_.store(true, std::memory_order_release);
  if (!library->has_something_to_check() || device_.instance->in_forked_child()) return;
  register_exit_drain();
  pool_->add(library);
}

std::shared_ptr<PipelineLibrary> CheckedVersions::find_library(VkPipeline own) const {
  const auto* const found = any_.load(std::memory_order_acquire) ? libraries_.find(own) : nullptr;
  return found ? *found : nullptr;
}

bool CheckedVersions::remove(VkPipeline own) {
  if (!any_.load(std::memory_order_acquire)) return false;
  const auto library = libraries_.erase(own);
  const auto version = library ? nullptr : versions_.erase(own);
  if (device_.instance->in_forked_child()) return false;
  if (library) {
    if ((*library)->has_something_to_check()) pool_->drop(*library);
    return (*library)->destroy_later();
  }
  if (!version) return false;
  pool_->drop(*version);
  if (const auto complete = (*version)->asked_complete()) pool_->drop(complete);
  return false;
}

bool CheckedVersions::waits_for_versions() const {
  return device_.instance->settings.start != "background" && !device_.instance->checks->has_budget();
}

void CheckedVersions::make_now(const std::shared_ptr<Version>& version) {
  if (version->used.load(std::memory_order_relaxed)) return;
  // A driver that runs on the CPU makes one pipeline at a time: what is made ahead would be in the way.
  pool_->wait(version, !device_.facts.is_cpu);
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
