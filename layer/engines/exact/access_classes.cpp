// SPDX-License-Identifier: Apache-2.0
#include "layer/engines/exact/access_classes.h"
#include "instrument/runtime/abi_order.h"

#include <array>

namespace shaderqa::layer {
namespace {

using Stages = VkPipelineStageFlags2;
using Accesses = VkAccessFlags2;

struct AccessClass {
  Stages stages;
  Accesses reads, writes;
  const char* stage_name;
  const char* read_name;
  const char* write_name;
};

// Storage buffers and texel buffers. SHADER_READ does not stand for UNIFORM_READ.
constexpr Accesses kShaderReads = VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT |
                                  VK_ACCESS_2_SHADER_SAMPLED_READ_BIT | VK_ACCESS_2_MEMORY_READ_BIT;
constexpr Accesses kUniformReads = VK_ACCESS_2_UNIFORM_READ_BIT | VK_ACCESS_2_MEMORY_READ_BIT;
constexpr Accesses kShaderWrites =
    VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;

constexpr uint32_t kShaderClasses = 1u << SQA_CLASS_COMPUTE | 1u << SQA_CLASS_PRE_RASTERIZATION |
                                    1u << SQA_CLASS_FRAGMENT | 1u << SQA_CLASS_RAY_TRACING;

AccessClass shader_class(Stages stages, const char* name) {
  return {
      stages, kShaderReads, kShaderWrites, name, "VK_ACCESS_SHADER_READ_BIT", "VK_ACCESS_SHADER_WRITE_BIT"};
}

// Names of groups and of the ends of pipelines, which are replaced by what they stand for.
constexpr Stages kNoStages = VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT | VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT |
                             VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT | VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT |
                             VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT | VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT |
                             VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT;

using Classes = std::array<AccessClass, SQA_CLASSES>;

void add_shaders(Classes& table) {
  table[SQA_CLASS_COMPUTE] =
      shader_class(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, "VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT");
  table[SQA_CLASS_PRE_RASTERIZATION] = shader_class(
      VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT |
          VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT | VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT |
          VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT | VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT |
          VK_PIPELINE_STAGE_2_CLUSTER_CULLING_SHADER_BIT_HUAWEI,
      "the stage of that shader, such as VK_PIPELINE_STAGE_VERTEX_SHADER_BIT");
  table[SQA_CLASS_FRAGMENT] =
      shader_class(VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_2_SUBPASS_SHADER_BIT_HUAWEI,
                   "VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT");
  table[SQA_CLASS_RAY_TRACING] = shader_class(VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR,
                                              "VK_PIPELINE_STAGE_RAY_TRACING_SHADER_BIT_KHR");
}

// What commands and the host do by themselves.
void add_commands(Classes& table) {
  table[SQA_CLASS_INDIRECT] = {VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
                               VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_2_MEMORY_READ_BIT,
                               0,
                               "VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT",
                               "VK_ACCESS_INDIRECT_COMMAND_READ_BIT",
                               ""};
  table[SQA_CLASS_VERTEX_INPUT] = {
      VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT | VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT,
      VK_ACCESS_2_INDEX_READ_BIT | VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT | VK_ACCESS_2_MEMORY_READ_BIT,
      0,
      "VK_PIPELINE_STAGE_VERTEX_INPUT_BIT",
      "VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT or VK_ACCESS_INDEX_READ_BIT",
      ""};
  table[SQA_CLASS_TRANSFER] = {VK_PIPELINE_STAGE_2_COPY_BIT,
                               VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_MEMORY_READ_BIT,
                               VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
                               "VK_PIPELINE_STAGE_TRANSFER_BIT",
                               "VK_ACCESS_TRANSFER_READ_BIT",
                               "VK_ACCESS_TRANSFER_WRITE_BIT"};
  table[SQA_CLASS_BUILD] = {VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR |
                                VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_COPY_BIT_KHR,
                            VK_ACCESS_2_ACCELERATION_STRUCTURE_READ_BIT_KHR | VK_ACCESS_2_SHADER_READ_BIT |
                                VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_MEMORY_READ_BIT,
                            VK_ACCESS_2_ACCELERATION_STRUCTURE_WRITE_BIT_KHR | VK_ACCESS_2_MEMORY_WRITE_BIT,
                            "VK_PIPELINE_STAGE_ACCELERATION_STRUCTURE_BUILD_BIT_KHR",
                            "VK_ACCESS_SHADER_READ_BIT or VK_ACCESS_ACCELERATION_STRUCTURE_READ_BIT_KHR",
                            "VK_ACCESS_ACCELERATION_STRUCTURE_WRITE_BIT_KHR"};
  table[SQA_CLASS_HOST] = {VK_PIPELINE_STAGE_2_HOST_BIT,
                           VK_ACCESS_2_HOST_READ_BIT | VK_ACCESS_2_MEMORY_READ_BIT,
                           VK_ACCESS_2_HOST_WRITE_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
                           "VK_PIPELINE_STAGE_HOST_BIT",
                           "VK_ACCESS_HOST_READ_BIT",
                           "VK_ACCESS_HOST_WRITE_BIT"};
  table[SQA_CLASS_CLEAR] = {
      VK_PIPELINE_STAGE_2_CLEAR_BIT,    0,  VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
      "VK_PIPELINE_STAGE_TRANSFER_BIT", "", "VK_ACCESS_TRANSFER_WRITE_BIT"};
}

// vkCmdBeginConditionalRenderingEXT.
void add_conditions(Classes& table) {
  table[SQA_CLASS_CONDITION] = {VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT,
                                VK_ACCESS_2_CONDITIONAL_RENDERING_READ_BIT_EXT | VK_ACCESS_2_MEMORY_READ_BIT,
                                0,
                                "VK_PIPELINE_STAGE_CONDITIONAL_RENDERING_BIT_EXT",
                                "VK_ACCESS_CONDITIONAL_RENDERING_READ_BIT_EXT",
                                ""};
}

void add_other_stages(Classes& table) {
  table[SQA_CLASS_DEPTH] = {
      VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT |
          VK_PIPELINE_STAGE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR,
      VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_MEMORY_READ_BIT,
      VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
      "VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT",
      "VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT",
      "VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT"};
  // The late tests are behind the fragment shader, and so they chain as colour output does. What they
  // access is depth and stencil (classes_accessing).
  table[SQA_CLASS_COLOR] = {
      VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
      VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_MEMORY_READ_BIT,
      VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
      "VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT",
      "VK_ACCESS_COLOR_ATTACHMENT_READ_BIT",
      "VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT"};
  Stages known = kNoStages;
  for (const AccessClass& one : table) known |= one.stages;
  table[SQA_CLASS_OTHER] = {~known,
                            VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_MEMORY_READ_BIT,
                            VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT,
                            "VK_PIPELINE_STAGE_TRANSFER_BIT",
                            "VK_ACCESS_TRANSFER_READ_BIT",
                            "VK_ACCESS_TRANSFER_WRITE_BIT"};
}

const Classes& classes() {
  static const Classes all = [] {
    Classes table{};
    add_shaders(table);
    add_commands(table);
    add_conditions(table);
    add_other_stages(table);
    return table;
  }();
  return all;
}

// `given`: the stages as the application wrote them. The host's stage is part of no group of stages.
uint32_t classes_of(Stages stages, Stages given) {
  if (!(given & VK_PIPELINE_STAGE_2_HOST_BIT)) stages &= ~VK_PIPELINE_STAGE_2_HOST_BIT;
  uint32_t mask = 0;
  for (uint32_t i = 0; i < SQA_CLASSES; ++i) {
    if (stages & classes()[i].stages) mask |= 1u << i;
  }
  return mask;
}

// The classes whose accesses are made at the stages that `given` names.
uint32_t classes_accessing(Stages given) {
  constexpr Stages late_tests = VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
  const Stages stages = named_stages(given);
  return classes_of(stages & ~late_tests, given) | (stages & late_tests ? 1u << SQA_CLASS_DEPTH : 0u);
}

// A dependency without access masks covers no memory, so its range does not count.
void set_range(const Dependency& dependency, OrderDependency& order) {
  if (!order.writes && !order.reads && !order.uniform_reads) return;
  order.begin = dependency.begin;
  order.end = dependency.end;
}

}  // namespace

uint32_t classes_before(VkPipelineStageFlags2 stages) { return classes_of(source_scope(stages), stages); }
uint32_t classes_behind(VkPipelineStageFlags2 stages) {
  return classes_of(destination_scope(stages), stages);
}

OrderDependency order_dependency(const Dependency& dependency) {
  OrderDependency order;
  order.source = classes_before(dependency.source_stages);
  order.destination = classes_behind(dependency.destination_stages);
  if (dependency.changes_layout) order.destination |= 1u << SQA_CLASS_TRANSITION;
  if (!dependency.buffers) return order;
  const uint32_t sources = classes_accessing(dependency.source_stages);
  const uint32_t destinations = classes_accessing(dependency.destination_stages);
  for (uint32_t i = 0; i < SQA_CLASSES; ++i) {
    if (dependency.source_access & classes()[i].writes) order.writes |= sources & 1u << i;
    if (dependency.destination_access & classes()[i].reads) order.reads |= destinations & 1u << i;
  }
  if (dependency.destination_access & kUniformReads) order.uniform_reads = destinations & kShaderClasses;
  // Inputs of subpasses, which are to fragment shaders what uniform buffers are: neither is read as others
  // are.
  if (dependency.destination_access & VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT)
    order.uniform_reads |= destinations & 1u << SQA_CLASS_FRAGMENT;
  // What a transition has written is available as soon as it is done.
  if (dependency.image) order.writes |= order.source & 1u << SQA_CLASS_TRANSITION;
  set_range(dependency, order);
  return order;
}

uint32_t arguments_of_builds(Stages stages) {
  return stages & VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR ? 1u << SQA_CLASS_INDIRECT : 0;
}

OrderDependency with_arguments_of_builds(const Dependency& dependency) {
  OrderDependency order = order_dependency(dependency);
  const Stages named = named_stages(dependency.destination_stages);
  order.source |= arguments_of_builds(named_stages(dependency.source_stages));
  order.destination |= arguments_of_builds(named);
  if (dependency.buffers && (dependency.destination_access & classes()[SQA_CLASS_INDIRECT].reads))
    order.reads |= arguments_of_builds(named);
  set_range(dependency, order);
  return order;
}

uint32_t waiting_classes(Stages destination_stages) {
  return classes_behind(destination_stages) | arguments_of_builds(named_stages(destination_stages));
}

const char* stage_name(uint32_t class_number, Stages given) {
  // Who names a part of the transfers is told the other part.
  constexpr Stages parts = VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_RESOLVE_BIT |
                           VK_PIPELINE_STAGE_2_BLIT_BIT | VK_PIPELINE_STAGE_2_CLEAR_BIT;
  if (given & parts) {
    if (class_number == SQA_CLASS_TRANSFER) return "VK_PIPELINE_STAGE_2_COPY_BIT";
    if (class_number == SQA_CLASS_CLEAR) return "VK_PIPELINE_STAGE_2_CLEAR_BIT";
    if (class_number == SQA_CLASS_OTHER)
      return "VK_PIPELINE_STAGE_2_BLIT_BIT or VK_PIPELINE_STAGE_2_RESOLVE_BIT";
  }
  return classes().at(class_number).stage_name;
}
const char* access_name(uint32_t class_number, AccessWay way) {
  const AccessClass& one = classes().at(class_number);
  if (way == AccessWay::reads_uniform) return "VK_ACCESS_UNIFORM_READ_BIT";
  if (way == AccessWay::reads_input) return "VK_ACCESS_INPUT_ATTACHMENT_READ_BIT";
  return way == AccessWay::writes ? one.write_name : one.read_name;
}

}  // namespace shaderqa::layer
