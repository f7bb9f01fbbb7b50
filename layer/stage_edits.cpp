#include "layer/stage_edits.h"

#include "layer/device.h"
#include "layer/pnext_chain.h"

namespace shaderqa::layer {

StageEdits::~StageEdits() {
  for (const VkShaderModule module : modules_)
    device_.next.DestroyShaderModule(device_.handle, module, nullptr);
}

const VkPipelineShaderStageCreateInfo* StageEdits::edit(const VkPipelineShaderStageCreateInfo* stages,
                                                        uint32_t count, std::vector<uint64_t>& hashes) {
  VkPipelineShaderStageCreateInfo* copies = nullptr;
  for (uint32_t i = 0; i < count; ++i) {
    VkPipelineShaderStageCreateInfo stage = stages[i];
    if (!edit_stage(stage, hashes)) continue;
    if (!copies) copies = arena_.copy(stages, count);
    copies[i] = stage;
  }
  return copies ? copies : stages;
}

bool StageEdits::edit_stage(VkPipelineShaderStageCreateInfo& stage, std::vector<uint64_t>& hashes) {
  std::shared_ptr<const PrintingShader> shader;
  bool replaced = false;
  if (stage.module) {
    shader = device_.shader_modules.find(stage.module);
    replaced = shader && replace_module(stage, *shader);
  } else if (const auto code = find_in_chain<VkShaderModuleCreateInfo>(
                 stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO)) {
    shader = printing_shader(words_of(code->pCode, code->codeSize));
    if (!shader) return false;
    const auto name = find_in_chain<VkDebugUtilsObjectNameInfoEXT>(
        stage.pNext, VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT);
    if (name && name->pObjectName) device_.names.name_shader(shader->hash, name->pObjectName);
    replaced = replace_inline_code(stage, *shader);
  }
  if (replaced) hashes.push_back(shader->hash);
  return replaced;
}

bool StageEdits::replace_module(VkPipelineShaderStageCreateInfo& stage, const PrintingShader& shader) {
  const auto result = device_.instrumenter.instrument(shader, stage.stage, stage.pName);
  if (!result) return false;
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = result->words.size() * sizeof(uint32_t);
  info.pCode = result->words.data();
  modules_.reserve(modules_.size() + 1);
  VkShaderModule module = VK_NULL_HANDLE;
  if (device_.next.CreateShaderModule(device_.handle, &info, nullptr, &module) != VK_SUCCESS) {
    note_refused(device_, {shader.hash});
    return false;
  }
  modules_.push_back(module);
  stage.module = module;
  return true;
}

bool StageEdits::replace_inline_code(VkPipelineShaderStageCreateInfo& stage, const PrintingShader& shader) {
  const auto result = device_.instrumenter.instrument(shader, stage.stage, stage.pName);
  if (!result) return false;
  EditableChain chain(stage.pNext, arena_);
  const auto code = chain.edit<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  if (!code) {
    device_.instrumenter.note_silent(
        shader.hash, "its VkPipelineShaderStageCreateInfo has a structure of type " +
                         std::to_string(chain.unknown().value_or(VK_STRUCTURE_TYPE_APPLICATION_INFO)) +
                         " that this build of the layer does not know, in front of the code");
    return false;
  }
  code->codeSize = result->words.size() * sizeof(uint32_t);
  code->pCode = result->words.data();
  results_.push_back(result);
  stage.pNext = chain.head();
  return true;
}

void StageEdits::note_refused(const Device& device, const std::vector<uint64_t>& hashes) {
  for (const uint64_t hash : hashes) {
    device.instrumenter.note_silent(hash, "the driver refuses its instrumented form, and got the original");
  }
}

}  // namespace shaderqa::layer
