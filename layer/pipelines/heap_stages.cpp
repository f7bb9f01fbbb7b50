// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/heap_stages.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "instrument/ir/shader_interface.h"
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/pipelines/instrumenter.h"
#include "layer/pipelines/pipeline_creation.h"
#include "layer/pipelines/pipeline_libraries.h"
#include "layer/pipelines/shader_modules.h"
#include "layer/resources/heap_tables.h"
#include "layer/resources/image_table.h"
#include "layer/resources/pipeline_layouts.h"
#include "layer/vk/descriptor_heap.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

constexpr auto kMappingType = VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT;
constexpr const char* kLinkedAtOnce =
    "they are linked from libraries, and created with their checks (start=creation, or log_level=info says "
    "why)";
constexpr const char* kNoRoom = "their push data leaves no room for where the record of an action is";

const VkShaderDescriptorSetAndBindingMappingInfoEXT* mappings_of(const void* chain) {
  return find_in_chain<VkShaderDescriptorSetAndBindingMappingInfoEXT>(chain, kMappingType);
}

// What holds for the device. Empty: nothing is against it.
std::string reason_against(const Device& device) {
  if (!device.engine->needs.descriptor_buffers || !device.facts.descriptor_heaps)
    return "the engine does not follow such descriptors";
  // The device would write push data, and what the layer has there.
  if (device.facts.generated_commands || device.facts.generated_commands_nv)
    return "the program also enables commands that the device generates";
  return {};
}

std::shared_ptr<const KeptShader> code_of(const Device& device,
                                          const VkPipelineShaderStageCreateInfo& stage) {
  if (stage.module) {
    auto shader = device.shader_modules.find(stage.module);
    return shader ? shader : device.shader_modules.find_other(stage.module);
  }
  const auto code =
      find_in_chain<VkShaderModuleCreateInfo>(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  if (!code) return nullptr;
  const std::span<const uint32_t> words = words_of(code->pCode, code->codeSize);
  auto shader = keep_shader(device, words);
  return shader ? shader : keep_other_shader(words);
}

std::unique_ptr<PipelineLayout> layout_of(MappedShader&& shader, const PipelineLayout& pipeline) {
  auto layout = std::make_unique<PipelineLayout>(pipeline);
  layout->descriptors = std::move(shader.descriptors);
  return layout;
}

PipelineLayout layout_with(std::shared_ptr<HeapTables> tables, uint32_t record,
                           std::span<const MappedShader> shaders) {
  PipelineLayout layout;
  layout.has_record = true;
  layout.written = std::make_shared<WrittenSlots>();
  layout.heaps = std::move(tables);
  layout.longer.record = record;
  for (const MappedShader& shader : shaders)
    layout.push_data_end = std::max(layout.push_data_end, shader.push_end);
  return layout;
}

void note_unfollowed(const Device& device, const KeptShader& shader, const MappedShader& mapped) {
  if (shader.hash == 0) return;  // there is nothing to check
  for (const std::string& reason : mapped.unfollowed) device.instrumenter.note_unchecked(shader, reason);
}

MappedShader map_stage(const Device& device, const ShaderInterface& interface, const void* chain,
                       HeapTables& tables) {
  const VkShaderDescriptorSetAndBindingMappingInfoEXT* const mappings = mappings_of(chain);
  const bool images = device.engine->needs.images;
  for (uint32_t i = 0; images && mappings && i < mappings->mappingCount; ++i) {
    const auto sampler = embedded_sampler(mappings->pMappings[i]);
    if (sampler && *sampler) device.images.see_sampler(**sampler);
  }
  return map_shader(interface, mappings, tables, images);
}

bool has_heaps(const Device& device, const PipelineDescription& pipeline) {
  return (all_flags(pipeline.chain, pipeline.flags) & VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT) &&
         device.checks_sync();
}

// The application's stages, or those of a library's part. An identifier's code may read any push data.
std::vector<MappedShader> map_stages(const Device& device, const PipelineDescription& pipeline,
                                     HeapTables& tables) {
  std::vector<MappedShader> shaders;
  for (const VkPipelineShaderStageCreateInfo& stage : pipeline.stages) {
    const auto code = code_of(device, stage);
    const ShaderInterface interface = code ? read_interface(code->words) : ShaderInterface();
    shaders.push_back(map_stage(device, interface, stage.pNext, tables));
    if (code) note_unfollowed(device, *code, shaders.back());
  }
  return shaders;
}

HeapStages heap_stages(std::shared_ptr<HeapTables> tables, uint32_t record, uint32_t push_data_end,
                       std::vector<MappedShader> shaders) {
  HeapStages heaps;
  heaps.any = true;
  heaps.pipeline = std::make_shared<CheckedPipeline>();
  heaps.pipeline->sets = static_cast<uint32_t>(tables->all().size());
  heaps.pipeline->dynamic = tables->dynamic();
  PipelineLayout layout = layout_with(std::move(tables), record, shaders);
  layout.push_data_end = std::max(layout.push_data_end, push_data_end);
  const auto shared = std::make_shared<PipelineLayout>(std::move(layout));
  for (MappedShader& shader : shaders) heaps.layouts.push_back(layout_of(std::move(shader), *shared));
  heaps.pipeline->layout = shared;
  return heaps;
}

HeapStages no_heaps(const Device& device, const std::string& reason) {
  device.note("descriptor heaps " + reason,
              "pipelines with descriptor heaps (VK_EXT_descriptor_heap) are not checked for "
              "unsynchronised accesses: " +
                  reason);
  HeapStages heaps;
  heaps.any = true;
  return heaps;
}

}  // namespace

HeapStages describe_heaps(const Device& device, const PipelineDescription& pipeline) {
  if (!has_heaps(device, pipeline)) return {};
  if (is_linked(pipeline)) return no_heaps(device, kLinkedAtOnce);
  if (const std::string reason = reason_against(device); !reason.empty()) return no_heaps(device, reason);
  auto tables = std::make_shared<HeapTables>();
  std::vector<MappedShader> shaders = map_stages(device, pipeline, *tables);
  const auto record = place_of_record(device.facts.push_data_size, shaders);
  if (!record) return no_heaps(device, kNoRoom);
  return heap_stages(std::move(tables), *record, 0, std::move(shaders));
}

HeapStages describe_heaps_for_later(const Device& device, const PipelineDescription& pipeline,
                                    std::span<const std::shared_ptr<PipelineLibrary>> libraries) {
  if (!has_heaps(device, pipeline) || !is_linked(pipeline)) return describe_heaps(device, pipeline);
  if (const std::string reason = reason_against(device); !reason.empty()) return no_heaps(device, reason);
  // What a library will be linked with is not known. So all of them have the tables of shader objects, and
  // the record's address in the same place.
  const std::shared_ptr<HeapTables>& tables = device.pipeline_layouts.shader_object_tables();
  PipelineDescription own = pipeline;
  if (!(own_parts(pipeline.chain) & kShaderParts)) own.stages = {};
  std::vector<MappedShader> shaders = map_stages(device, own, *tables);
  const auto record = last_place_of_record(device.facts.push_data_size);
  bool in_the_way = !record || place_of_record(device.facts.push_data_size, shaders) != record;
  uint32_t push_data_end = 0;
  for (const auto& library : libraries) {
    in_the_way |= library->reads_record_place();
    push_data_end = std::max(push_data_end, library->push_data_end());
  }
  if (!in_the_way) return heap_stages(tables, *record, push_data_end, std::move(shaders));
  HeapStages heaps = no_heaps(device, kNoRoom);
  heaps.reads_record_place = true;
  return heaps;
}

HeapShader describe_heaps(const Device& device, const VkShaderCreateInfoEXT& shader) {
  HeapShader heaps;
  heaps.reason = reason_against(device);
  if (!heaps.reason.empty()) return heaps;
  const std::span<const uint32_t> words = words_of(shader.pCode, shader.codeSize);
  const auto code = keep_shader(device, words);
  const std::shared_ptr<HeapTables>& tables = device.pipeline_layouts.shader_object_tables();
  MappedShader mapped = map_stage(device, read_interface(words), shader.pNext, *tables);
  // Other stages have it at the same place.
  const auto record = place_of_record(device.facts.push_data_size, {&mapped, 1});
  heaps.reads_record_place = !record || record != last_place_of_record(device.facts.push_data_size);
  if (heaps.reads_record_place) {
    heaps.reason = kNoRoom;
    return heaps;
  }
  if (code) note_unfollowed(device, *code, mapped);
  const PipelineLayout layout = layout_with(tables, *record, {&mapped, 1});
  heaps.layout = layout_of(std::move(mapped), layout);
  return heaps;
}

}  // namespace shaderqa::layer
