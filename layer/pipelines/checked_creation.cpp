// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/checked_creation.h"

#include <string>
#include <utility>
#include <variant>

#include "host/log/log.h"
#include "instrument/instrument.h"
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/pipelines/creation_timer.h"
#include "layer/pipelines/pipeline_creation.h"
#include "layer/pipelines/pipeline_libraries.h"
#include "layer/pipelines/shader_modules.h"
#include "layer/pipelines/temporary_modules.h"
#include "layer/recording/command_buffers.h"

namespace shaderqa::layer {
namespace {

class CheckedCreation {
 public:
  CheckedCreation(Device& device, PipelineCopy& copy, VersionKind kind)
      : device_(device), copy_(copy), kind_(kind), modules_(device) {}

  MadePipeline make() {
    for (size_t i = 0; i < copy_.stages.size(); ++i) make_stage(i);
    if (!add_libraries()) return {};
    // All that are linked have the layout with the record's address, those with nothing to check as well.
    const bool by_constant = copy_.linked && copy_.record && copy_.record->by_constant();
    if (made_.shaders.empty() && !by_constant && !copy_.needed) return {};
    made_.needs_record |= by_constant;
    if (made_.needs_record && !has_record()) return {};
    create();
    return std::move(made_);
  }

 private:
  void make_stage(size_t i);
  void add(std::shared_ptr<const InstrumentResult> result, uint64_t hash, bool footprints_complete);
  bool add_libraries();
  bool has_record() const;
  void choose_layout();
  void create();
  VkResult create_pipeline();

  Device& device_;
  PipelineCopy& copy_;
  const VersionKind kind_;
  TemporaryModules modules_;
  std::vector<VkPipeline> libraries_;
  MadePipeline made_;
};

void CheckedCreation::add(std::shared_ptr<const InstrumentResult> result, uint64_t hash,
                          bool footprints_complete) {
  made_.footprints_complete = (made_.shaders.empty() || made_.footprints_complete) && footprints_complete;
  made_.direct |= result->record.direct;
  made_.shaders.push_back(hash);
  made_.results.push_back(std::move(result));
}

void CheckedCreation::make_stage(size_t i) {
  VkPipelineShaderStageCreateInfo& stage = copy_.stages[i];
  const StageCode& code = copy_.code[i];
  stage.module = VK_NULL_HANDLE;  // another version had its own
  Instrumented made;
  if (code.checkable) {
    const PipelineLayout* layout = copy_.record ? copy_.record->layout.get() : nullptr;
    if (!copy_.stage_layouts.empty()) layout = copy_.stage_layouts[i].get();
    const auto* graphics = std::get_if<VkGraphicsPipelineCreateInfo>(&copy_.info);
    made = device_.instrumenter.instrument(*code.shader, stage.stage, stage.pName, layout,
                                           stage.pSpecializationInfo, kind_,
                                           graphics ? fragment_tests(*graphics) : FragmentTests{});
  }
  if (made) stage.module = modules_.make(made.result->words);
  if (made && !stage.module) device_.instrumenter.note_rejected({code.shader->hash});
  if (!stage.module) {
    stage.module = modules_.make(code.shader->words);
    return;
  }
  made_.needs_record |= made.needs_record;
  const bool complete = made.footprints_complete();
  add(std::move(made.result), code.shader->hash, complete);
}

// False: a library has no version that can be linked.
bool CheckedCreation::add_libraries() {
  for (const auto& library : copy_.libraries) {
    const MadePipeline& part = library->checked(kind_);
    const VkPipeline linked = part.pipeline ? part.pipeline : library->own();
    if (!linked) return false;
    libraries_.push_back(linked);
    if (!part.pipeline) continue;
    made_.needs_record |= part.needs_record;
    for (size_t i = 0; i < part.shaders.size(); ++i) {
      add(part.results[i], part.shaders[i], part.footprints_complete);
      // Its own layout may be another one.
      if (copy_.record) device_.engine->add_shader(part.results[i]->record, *copy_.record->layout);
    }
  }
  return true;
}

bool CheckedCreation::has_record() const {
  if (copy_.record && (copy_.record->layout->has_record || copy_.record->by_constant())) return true;
  if (!copy_.reads_record_place)
    device_.note(
        "linked without a record",
        "pipelines are not checked that are linked with a layout which has no place for the descriptor "
        "set that the check of their libraries needs");
  return false;
}

// Not that of the application's own pipeline if its actions' records are found by a push constant.
void CheckedCreation::choose_layout() {
  if (!copy_.layout) return;
  const bool other = made_.needs_record && copy_.record && copy_.record->by_constant();
  const VkPipelineLayout layout = other ? copy_.record->lease->handle : copy_.layout->handle;
  std::visit([&](auto& info) { info.layout = layout; }, copy_.info);
}

VkResult CheckedCreation::create_pipeline() {
  choose_layout();
  if (const auto* compute = std::get_if<VkComputePipelineCreateInfo>(&copy_.info)) {
    VkComputePipelineCreateInfo info = *compute;
    info.stage = copy_.stages.front();
    return device_.next.CreateComputePipelines(device_.handle, VK_NULL_HANDLE, 1, &info, nullptr,
                                               &made_.pipeline);
  }
  VkGraphicsPipelineCreateInfo info = std::get<VkGraphicsPipelineCreateInfo>(copy_.info);
  VkPipelineLibraryCreateInfoKHR link{};
  link.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR;
  link.pNext = info.pNext;
  link.libraryCount = static_cast<uint32_t>(libraries_.size());
  link.pLibraries = libraries_.data();
  if (!libraries_.empty()) info.pNext = &link;
  return device_.next.CreateGraphicsPipelines(device_.handle, VK_NULL_HANDLE, 1, &info, nullptr,
                                              &made_.pipeline);
}

void CheckedCreation::create() {
  CreationTimer creation = time_creation(device_, 1);
  creation.shaders(made_.shaders);
  const LogTimer timer;
  const VkResult result = create_pipeline();
  SHADERQA_LOG(info, "the driver took " + timer.text() + " for the checked version of a pipeline (VkResult " +
                         std::to_string(result) + ")");
  if (result == VK_SUCCESS) return;
  made_.pipeline = VK_NULL_HANDLE;
  if (result != VK_ERROR_DEVICE_LOST) device_.instrumenter.note_rejected(made_.shaders);
}

}  // namespace

MadePipeline make_checked(Device& device, PipelineCopy& copy, VersionKind kind) {
  return CheckedCreation(device, copy, kind).make();
}

}  // namespace shaderqa::layer
