// SPDX-License-Identifier: Apache-2.0
#include "layer/vk/mask_names.h"

#include <array>
#include <cstdint>
#include <cstdio>

namespace shaderqa::layer {
namespace {

struct BitName {
  uint64_t bit;
  const char* name;
};

#define SHADERQA_STAGE(name) \
  BitName { VK_PIPELINE_STAGE_2_##name##_BIT, #name }
#define SHADERQA_STAGE_KHR(name) \
  BitName { VK_PIPELINE_STAGE_2_##name##_BIT_KHR, #name }
#define SHADERQA_ACCESS(name) \
  BitName { VK_ACCESS_2_##name##_BIT, #name }
#define SHADERQA_ACCESS_KHR(name) \
  BitName { VK_ACCESS_2_##name##_BIT_KHR, #name }

constexpr std::array kStages{
    SHADERQA_STAGE(TOP_OF_PIPE),
    SHADERQA_STAGE(DRAW_INDIRECT),
    SHADERQA_STAGE(VERTEX_INPUT),
    SHADERQA_STAGE(INDEX_INPUT),
    SHADERQA_STAGE(VERTEX_ATTRIBUTE_INPUT),
    SHADERQA_STAGE(VERTEX_SHADER),
    SHADERQA_STAGE(TESSELLATION_CONTROL_SHADER),
    SHADERQA_STAGE(TESSELLATION_EVALUATION_SHADER),
    SHADERQA_STAGE(GEOMETRY_SHADER),
    SHADERQA_STAGE(PRE_RASTERIZATION_SHADERS),
    SHADERQA_STAGE(EARLY_FRAGMENT_TESTS),
    SHADERQA_STAGE(FRAGMENT_SHADER),
    SHADERQA_STAGE(LATE_FRAGMENT_TESTS),
    SHADERQA_STAGE(COLOR_ATTACHMENT_OUTPUT),
    SHADERQA_STAGE(COMPUTE_SHADER),
    SHADERQA_STAGE(ALL_TRANSFER),
    SHADERQA_STAGE(COPY),
    SHADERQA_STAGE(RESOLVE),
    SHADERQA_STAGE(BLIT),
    SHADERQA_STAGE(CLEAR),
    SHADERQA_STAGE_KHR(RAY_TRACING_SHADER),
    SHADERQA_STAGE_KHR(ACCELERATION_STRUCTURE_BUILD),
    SHADERQA_STAGE(HOST),
    SHADERQA_STAGE(ALL_GRAPHICS),
    SHADERQA_STAGE(ALL_COMMANDS),
    SHADERQA_STAGE(BOTTOM_OF_PIPE),
};

constexpr std::array kAccesses{
    SHADERQA_ACCESS(INDIRECT_COMMAND_READ),
    SHADERQA_ACCESS(INDEX_READ),
    SHADERQA_ACCESS(VERTEX_ATTRIBUTE_READ),
    SHADERQA_ACCESS(UNIFORM_READ),
    SHADERQA_ACCESS(SHADER_READ),
    SHADERQA_ACCESS(SHADER_SAMPLED_READ),
    SHADERQA_ACCESS(SHADER_STORAGE_READ),
    SHADERQA_ACCESS(SHADER_WRITE),
    SHADERQA_ACCESS(SHADER_STORAGE_WRITE),
    SHADERQA_ACCESS(TRANSFER_READ),
    SHADERQA_ACCESS(TRANSFER_WRITE),
    SHADERQA_ACCESS(HOST_READ),
    SHADERQA_ACCESS(HOST_WRITE),
    SHADERQA_ACCESS_KHR(ACCELERATION_STRUCTURE_READ),
    SHADERQA_ACCESS_KHR(ACCELERATION_STRUCTURE_WRITE),
    SHADERQA_ACCESS(MEMORY_READ),
    SHADERQA_ACCESS(MEMORY_WRITE),
};

template <typename Names>
std::string text_of(uint64_t mask, const Names& names) {
  std::string text;
  const auto append = [&](const char* name) {
    if (!text.empty()) text += '|';
    text += name;
  };
  for (const BitName& one : names) {
    if (!(mask & one.bit)) continue;
    append(one.name);
    mask &= ~one.bit;
  }
  if (mask) {
    char rest[24];
    std::snprintf(rest, sizeof rest, "0x%llx", static_cast<unsigned long long>(mask));
    append(rest);
  }
  return text.empty() ? "0" : text;
}

}  // namespace

std::string stages_text(VkPipelineStageFlags2 stages) { return text_of(stages, kStages); }
std::string accesses_text(VkAccessFlags2 accesses) { return text_of(accesses, kAccesses); }

}  // namespace shaderqa::layer
