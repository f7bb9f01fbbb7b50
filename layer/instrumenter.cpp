#include "layer/instrumenter.h"

#include <cstdio>
#include <mutex>

#include "layer/device.h"
#include "layer/printf_output.h"

namespace shaderqa::layer {
namespace {

constexpr VkShaderStageFlags kVertexPipelineStages =
    VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT |
    VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT | VK_SHADER_STAGE_GEOMETRY_BIT;

Stage stage_of(VkShaderStageFlagBits stage) {
  switch (stage) {
    case VK_SHADER_STAGE_VERTEX_BIT:
      return Stage::vertex;
    case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT:
      return Stage::tessellation_control;
    case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT:
      return Stage::tessellation_evaluation;
    case VK_SHADER_STAGE_GEOMETRY_BIT:
      return Stage::geometry;
    case VK_SHADER_STAGE_FRAGMENT_BIT:
      return Stage::fragment;
    case VK_SHADER_STAGE_COMPUTE_BIT:
      return Stage::compute;
    case VK_SHADER_STAGE_TASK_BIT_EXT:
      return Stage::task;
    case VK_SHADER_STAGE_MESH_BIT_EXT:
      return Stage::mesh;
    case VK_SHADER_STAGE_RAYGEN_BIT_KHR:
      return Stage::ray_generation;
    case VK_SHADER_STAGE_INTERSECTION_BIT_KHR:
      return Stage::intersection;
    case VK_SHADER_STAGE_ANY_HIT_BIT_KHR:
      return Stage::any_hit;
    case VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR:
      return Stage::closest_hit;
    case VK_SHADER_STAGE_MISS_BIT_KHR:
      return Stage::miss;
    case VK_SHADER_STAGE_CALLABLE_BIT_KHR:
      return Stage::callable;
    default:
      return Stage::unknown;
  }
}

std::string hash_text(uint64_t hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace

std::shared_ptr<const InstrumentResult> Instrumenter::instrument(const PrintingShader& shader,
                                                                 VkShaderStageFlagBits stage,
                                                                 const char* entry_point) {
  if (const std::string reason = reason_against(shader, stage); !reason.empty()) {
    note_silent(shader.hash, reason);
    return nullptr;
  }
  PrintfOutput* output = device_.require_printf_output();
  if (!output) return nullptr;

  const Key key(shader.hash, stage, entry_point);
  std::shared_ptr<const InstrumentResult> result;
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = results_.find(key); found != results_.end()) result = found->second;
  }
  if (!result) {
    result = std::make_shared<const InstrumentResult>(
        shaderqa::instrument(shader.words, options_for(stage, entry_point)));
    // Before anyone can find it, and so before a pipeline can run it.
    if (result->status == InstrumentStatus::instrumented) output->add_shader(result->record);
    const std::unique_lock lock(mutex_);
    result = results_.emplace(key, std::move(result)).first->second;
  }
  if (result->status == InstrumentStatus::refused) note_silent(shader.hash, result->message);
  return result->status == InstrumentStatus::instrumented ? result : nullptr;
}

void Instrumenter::note_silent(uint64_t shader_hash, const std::string& reason) const {
  const std::string hash = hash_text(shader_hash);
  const std::string name = device_.names.shader_name(shader_hash);
  device_.note("silent " + hash, "shader " + hash + (name.empty() ? "" : " (" + name + ")") +
                                     " has DebugPrintf, but prints nothing: " + reason);
}

std::string Instrumenter::reason_against(const PrintingShader& shader, VkShaderStageFlagBits stage) const {
  const DeviceFacts& facts = device_.facts;
  if (!facts.inert_reason.empty()) return "nothing can print on this device, because " + facts.inert_reason;
  const uint32_t modes = device_.instance->hash_filter.match(shader.hash);
  if ((modes & kHashDisallow) || !(modes & (kHashAllow | kHashPrintf))) {
    return "the hash filter " + device_.instance->settings.hashes + " excludes it";
  }
  if ((stage & kVertexPipelineStages) && !facts.vertex_stores) {
    return "the driver does not support vertexPipelineStoresAndAtomics";
  }
  if (stage == VK_SHADER_STAGE_FRAGMENT_BIT && !facts.fragment_stores) {
    return "the driver does not support fragmentStoresAndAtomics";
  }
  return {};
}

InstrumentOptions Instrumenter::options_for(VkShaderStageFlagBits stage, const char* entry_point) const {
  const DeviceFacts& facts = device_.facts;
  const Settings& settings = device_.instance->settings;
  InstrumentOptions options;
  options.root_address = device_.root_address();
  options.entry_point = entry_point;
  options.stage = stage_of(stage);
  options.int64_atomics = facts.int64_atomics;
  options.subgroup_ballot = facts.ballot_stages & stage;
  options.memory_barrier = facts.memory_barrier;
  options.vulkan_memory_model_device_scope = facts.memory_model_device_scope;
  options.record_invocation = settings.printf_verbose;
  options.printf_first = settings.printf_first;
  options.printf_every = settings.printf_every;
  return options;
}

}  // namespace shaderqa::layer
