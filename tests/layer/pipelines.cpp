// SPDX-License-Identifier: Apache-2.0
#include "tests/layer/pipelines.h"
#include "tests/support/shader_object_info.h"

#include <cstring>
#include <stdexcept>

namespace shaderqa::layer_tests {
namespace {

// Remembers the bytes of the application's structures, to see that nobody wrote into them.
class Untouched {
 public:
  template <typename T>
  void watch(const T* objects, size_t count = 1) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto bytes = reinterpret_cast<const std::byte*>(objects);
    watched_.push_back({bytes, {bytes, bytes + sizeof(T) * count}});
  }
  void verify() const {
    for (const auto& [now, before] : watched_) {
      if (std::memcmp(now, before.data(), before.size()) != 0) {
        throw std::runtime_error("a structure of the application was changed");
      }
    }
  }

 private:
  struct Watched {
    const std::byte* now;
    std::vector<std::byte> before;
  };
  std::vector<Watched> watched_;
};

}  // namespace

std::string name_of(Kind kind) {
  switch (kind) {
    case Kind::compute:
      return "compute";
    case Kind::graphics:
      return "graphics";
    case Kind::ray_tracing:
      return "ray_tracing";
    case Kind::deferred_ray_tracing:
      return "deferred_ray_tracing";
    case Kind::ray_tracing_nv:
      return "ray_tracing_nv";
    case Kind::shader_objects:
      return "shader_objects";
  }
  return "";
}

std::vector<const char*> pipeline_extensions() {
  return {"VK_KHR_ray_tracing_pipeline", "VK_KHR_acceleration_structure", "VK_KHR_deferred_host_operations",
          "VK_NV_ray_tracing",           "VK_EXT_shader_object",          "VK_KHR_maintenance5"};
}

std::vector<StageSource> printing_stages(Kind kind) {
  switch (kind) {
    case Kind::compute:
      return {{VK_SHADER_STAGE_COMPUTE_BIT, &shaders::prints_comp}};
    case Kind::ray_tracing:
    case Kind::deferred_ray_tracing:
    case Kind::ray_tracing_nv:
      return {{VK_SHADER_STAGE_RAYGEN_BIT_KHR, &shaders::prints_rgen},
              {VK_SHADER_STAGE_MISS_BIT_KHR, &shaders::prints_rmiss}};
    case Kind::graphics:
    case Kind::shader_objects:
      break;
  }
  return {{VK_SHADER_STAGE_VERTEX_BIT, &shaders::prints_vert},
          {VK_SHADER_STAGE_FRAGMENT_BIT, &shaders::prints_frag}};
}

PipelineMaker::~PipelineMaker() {
  for (const VkPipeline pipeline : pipelines_)
    device_.vk.vkDestroyPipeline(device_.handle, pipeline, nullptr);
  for (const VkShaderEXT shader : shaders_) device_.vk.vkDestroyShaderEXT(device_.handle, shader, nullptr);
  for (const VkShaderModule module : modules_)
    device_.vk.vkDestroyShaderModule(device_.handle, module, nullptr);
}

VkResult PipelineMaker::create(const std::vector<StageSource>& sources) {
  if (kind_ == Kind::shader_objects) return create_shader_objects(sources);
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  Untouched untouched;
  for (const StageSource& source : sources) {
    VkPipelineShaderStageCreateInfo stage = stage_info(source.stage, VK_NULL_HANDLE);
    untouched.watch(source.words->data(), source.words->size());
    if (code_ == Code::module) {
      stage.module = create_module(device_, *source.words);
      modules_.push_back(stage.module);
    } else {
      module_infos_.push_back(module_info(*source.words));
      stage.pNext = &module_infos_.back();
      untouched.watch(&module_infos_.back());
    }
    if (chained_) {
      chained_->pNext = static_cast<const VkBaseInStructure*>(stage.pNext);
      stage.pNext = chained_;
    }
    stages.push_back(stage);
  }
  untouched.watch(stages.data(), stages.size());
  const VkResult result = create_pipeline(stages);
  untouched.verify();
  if (first_use_is_tested() && pipelines_.back() && (kind_ == Kind::compute || kind_ == Kind::graphics)) {
    use(device_, pipelines_.back(),
        kind_ == Kind::compute ? VK_PIPELINE_BIND_POINT_COMPUTE : VK_PIPELINE_BIND_POINT_GRAPHICS);
  }
  return result;
}

VkResult PipelineMaker::create_pipeline(std::vector<VkPipelineShaderStageCreateInfo>& stages) {
  const auto count = static_cast<uint32_t>(stages.size());
  pipelines_.push_back(VK_NULL_HANDLE);
  VkPipeline* pipeline = &pipelines_.back();
  Untouched untouched;
  VkResult result = VK_ERROR_UNKNOWN;
  if (kind_ == Kind::compute) {
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.stage = stages.at(0);
    untouched.watch(&info);
    result = device_.vk.vkCreateComputePipelines(device_.handle, VK_NULL_HANDLE, 1, &info, nullptr, pipeline);
    untouched.verify();
  } else if (kind_ == Kind::graphics) {
    VkGraphicsPipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
    info.stageCount = count;
    info.pStages = stages.data();
    untouched.watch(&info);
    result =
        device_.vk.vkCreateGraphicsPipelines(device_.handle, VK_NULL_HANDLE, 1, &info, nullptr, pipeline);
    untouched.verify();
  } else if (kind_ == Kind::ray_tracing_nv) {
    VkRayTracingPipelineCreateInfoNV info{};
    info.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_NV;
    info.stageCount = count;
    info.pStages = stages.data();
    untouched.watch(&info);
    result =
        device_.vk.vkCreateRayTracingPipelinesNV(device_.handle, VK_NULL_HANDLE, 1, &info, nullptr, pipeline);
    untouched.verify();
  } else {
    VkRayTracingPipelineCreateInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR;
    info.stageCount = count;
    info.pStages = stages.data();
    info.maxPipelineRayRecursionDepth = 1;
    untouched.watch(&info);
    result = kind_ == Kind::deferred_ray_tracing
                 ? create_deferred(info)
                 : device_.vk.vkCreateRayTracingPipelinesKHR(device_.handle, VK_NULL_HANDLE, VK_NULL_HANDLE,
                                                             1, &info, nullptr, pipeline);
    untouched.verify();
  }
  return result;
}

VkResult PipelineMaker::create_deferred(const VkRayTracingPipelineCreateInfoKHR& info) {
  VkDeferredOperationKHR operation = VK_NULL_HANDLE;
  check(device_.vk.vkCreateDeferredOperationKHR(device_.handle, nullptr, &operation),
        "vkCreateDeferredOperationKHR");
  VkResult result = device_.vk.vkCreateRayTracingPipelinesKHR(device_.handle, operation, VK_NULL_HANDLE, 1,
                                                              &info, nullptr, &pipelines_.back());
  if (result == VK_OPERATION_DEFERRED_KHR) {
    check(device_.vk.vkDeferredOperationJoinKHR(device_.handle, operation), "vkDeferredOperationJoinKHR");
    result = device_.vk.vkGetDeferredOperationResultKHR(device_.handle, operation);
  } else if (result == VK_OPERATION_NOT_DEFERRED_KHR) {
    result = VK_SUCCESS;  // done at once, which is allowed
  }
  device_.vk.vkDestroyDeferredOperationKHR(device_.handle, operation, nullptr);
  return result;
}

VkResult PipelineMaker::create_shader_objects(const std::vector<StageSource>& sources) {
  std::vector<VkShaderCreateInfoEXT> infos;
  Untouched untouched;
  for (const StageSource& source : sources) {
    infos.push_back(testing::shader_object_info(source.stage, *source.words));
    untouched.watch(source.words->data(), source.words->size());
  }
  untouched.watch(infos.data(), infos.size());
  shaders_.resize(infos.size());
  const VkResult result = device_.vk.vkCreateShadersEXT(device_.handle, static_cast<uint32_t>(infos.size()),
                                                        infos.data(), nullptr, shaders_.data());
  untouched.verify();
  return result;
}

}  // namespace shaderqa::layer_tests
