// SPDX-License-Identifier: Apache-2.0
// Every way in which an application can hand shaders to Vulkan.
#ifndef SHADERQA_TESTS_LAYER_PIPELINES_H
#define SHADERQA_TESTS_LAYER_PIPELINES_H

#include <deque>
#include <string>
#include <vector>

#include "tests/layer/program.h"

namespace shaderqa::layer_tests {

enum class Code { module, inline_in_chain };
enum class Kind { compute, graphics, ray_tracing, deferred_ray_tracing, ray_tracing_nv, shader_objects };
std::string name_of(Kind kind);

// Device extensions that all kinds together need.
std::vector<const char*> pipeline_extensions();

struct StageSource {
  VkShaderStageFlagBits stage;
  const Words* words;
};
// Stages that a pipeline of this kind has, all of them printing.
std::vector<StageSource> printing_stages(Kind kind);

// Creates a pipeline (or shader objects) and destroys it again; throws where the application's structures
// were changed.
class PipelineMaker {
 public:
  PipelineMaker(const Device& device, Kind kind, Code code) : device_(device), kind_(kind), code_(code) {}
  ~PipelineMaker();
  PipelineMaker(const PipelineMaker&) = delete;
  PipelineMaker& operator=(const PipelineMaker&) = delete;

  VkResult create(const std::vector<StageSource>& sources);
  // In front of the rest of every stage's chain.
  void chain(VkBaseInStructure* structure) { chained_ = structure; }

 private:
  VkResult create_pipeline(std::vector<VkPipelineShaderStageCreateInfo>& stages);
  VkResult create_shader_objects(const std::vector<StageSource>& sources);
  VkResult create_deferred(const VkRayTracingPipelineCreateInfoKHR& info);

  const Device& device_;
  Kind kind_;
  Code code_;
  VkBaseInStructure* chained_ = nullptr;
  std::deque<VkShaderModuleCreateInfo> module_infos_;
  std::vector<VkShaderModule> modules_;
  std::vector<VkPipeline> pipelines_;
  std::vector<VkShaderEXT> shaders_;
};

}  // namespace shaderqa::layer_tests
#endif
