// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/stage_edits.h"

#include "instrument/instrument.h"
#include "layer/context/object_names.h"
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/pipelines/instrumenter.h"
#include "layer/pipelines/shader_modules.h"
#include "layer/resources/pipeline_layouts.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {

StageEdits::StageEdits(Device& device) : device_(device), modules_(device) {}

EditedStages StageEdits::edit(const VkPipelineShaderStageCreateInfo* stages, uint32_t count,
                              VkPipelineLayout layout,
                              std::span<const std::shared_ptr<const PipelineLayout>> of_stages) {
  EditedStages edited;
  edited.stages = stages;
  VkPipelineShaderStageCreateInfo* copies = nullptr;
  const std::shared_ptr<const PipelineLayout> known =
      device_.checks_sync() && layout ? device_.pipeline_layouts.find(layout) : nullptr;
  for (uint32_t i = 0; i < count; ++i) {
    VkPipelineShaderStageCreateInfo stage = stages[i];
    const PipelineLayout* const of_stage = of_stages.empty() ? known.get() : of_stages[i].get();
    if (!edit_stage(stage, of_stage, edited)) continue;
    if (!copies) edited.stages = copies = arena_.copy(stages, count);
    copies[i] = stage;
  }
  return edited;
}

bool StageEdits::edit_stage(VkPipelineShaderStageCreateInfo& stage, const PipelineLayout* layout,
                            EditedStages& edited) {
  std::shared_ptr<const KeptShader> shader;
  const VkShaderModuleCreateInfo* code = nullptr;
  if (stage.module) {
    shader = device_.shader_modules.find(stage.module);
  } else if ((code = find_in_chain<VkShaderModuleCreateInfo>(stage.pNext,
                                                             VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO))) {
    shader = keep_shader(device_, words_of(code->pCode, code->codeSize));
    const auto name = find_in_chain<VkDebugUtilsObjectNameInfoEXT>(
        stage.pNext, VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT);
    if (shader && name && name->pObjectName) device_.names.name_shader(shader->hash, name->pObjectName);
  }
  if (!shader) return false;
  // The check of indirect arguments is one more copy of the code, which would be compiled for dispatches
  // that need none.
  const bool of_command =
      stage.stage == VK_SHADER_STAGE_COMPUTE_BIT && device_.engine->needs.command_accesses;
  const Instrumented instrumented =
      device_.instrumenter.instrument(*shader, stage.stage, stage.pName, layout, stage.pSpecializationInfo,
                                      of_command ? VersionKind::alone_for_dispatches : VersionKind::alone);
  if (!instrumented) return false;
  const bool replaced = code ? replace_inline_code(stage, instrumented, shader->hash)
                             : replace_module(stage, instrumented, shader->hash);
  if (!replaced) return false;
  const bool first = edited.shaders.empty();
  edited.shaders.push_back(shader->hash);
  edited.needs_record |= instrumented.needs_record;
  edited.footprints_complete = (first || edited.footprints_complete) && instrumented.footprints_complete();
  return true;
}

bool StageEdits::replace_module(VkPipelineShaderStageCreateInfo& stage, const Instrumented& instrumented,
                                uint64_t hash) {
  const VkShaderModule module = modules_.make(instrumented.result->words);
  if (!module) {
    device_.instrumenter.note_rejected({hash});
    return false;
  }
  stage.module = module;
  return true;
}

bool StageEdits::replace_inline_code(VkPipelineShaderStageCreateInfo& stage, const Instrumented& instrumented,
                                     uint64_t hash) {
  EditableChain chain(stage.pNext, arena_);
  const auto code = chain.edit<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  if (!code) {
    device_.instrumenter.note_left_alone(
        hash, "its VkPipelineShaderStageCreateInfo has a structure of type " +
                  std::to_string(chain.unknown().value_or(VK_STRUCTURE_TYPE_APPLICATION_INFO)) +
                  " that this build of the layer does not know, in front of the code");
    return false;
  }
  code->codeSize = instrumented.result->words.size() * sizeof(uint32_t);
  code->pCode = instrumented.result->words.data();
  results_.push_back(instrumented.result);
  stage.pNext = chain.head();
  return true;
}

}  // namespace shaderqa::layer
