// SPDX-License-Identifier: Apache-2.0
// Compute pipelines, by everything that vkCreateComputePipelines takes.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "path_program.h"

namespace path_programs {
namespace {

void with_module(Program& program) { program.dispatch_twice(program.create(program.compute_info())); }

// A fill between the push constants and the dispatch.
void pushed_constants(Program& program) {
  constexpr uint32_t kValues[] = {3, 1};
  const VkPipelineLayout layout =
      program.device.pipeline_layout({&program.set_layout, 1}, VK_SHADER_STAGE_COMPUTE_BIT, sizeof kValues);
  const kit::Buffer filled = program.device.buffer(256, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
  VkComputePipelineCreateInfo info = program.compute_info();
  info.layout = layout;
  const VkPipeline pipeline = program.create(info);
  program.twice([&](VkCommandBuffer commands) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &program.set, 0, nullptr);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof kValues, kValues);
    vkCmdFillBuffer(commands, filled.handle, 0, VK_WHOLE_SIZE, 7);
    vkCmdDispatch(commands, 1, 1, 1);
  });
}

// A fill in front of a dispatch whose size is in a buffer: the layer's own dispatch for the fill must not
// reach it.
void indirect(Program& program) {
  const VkPipeline pipeline = program.create(program.compute_info());
  const kit::Buffer filled =
      program.device.buffer(256, VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const kit::Buffer size = program.device.buffer(16, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  std::ranges::fill(size.as<uint32_t>(), 1u);
  program.twice([&](VkCommandBuffer commands) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    program.bind_set(commands, VK_PIPELINE_BIND_POINT_COMPUTE);
    vkCmdFillBuffer(commands, filled.handle, 0, VK_WHOLE_SIZE, 7);
    vkCmdDispatchIndirect(commands, size.handle, 0);
  });
}

void maintenance5(Features& features) {
  features.extension(VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
  features
      .chain<VkPhysicalDeviceMaintenance5FeaturesKHR>(
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR)
      .maintenance5 = VK_TRUE;
}

// The module's create info in the stage; flags of 64 bits, and feedback, beside it.
void inline_code(Program& program) {
  const VkShaderModuleCreateInfo code = program.code();
  VkPipelineCreationFeedback feedback{}, stage_feedback{};
  VkPipelineCreationFeedbackCreateInfo feedbacks{};
  feedbacks.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO;
  feedbacks.pPipelineCreationFeedback = &feedback;
  feedbacks.pipelineStageCreationFeedbackCount = 1;
  feedbacks.pPipelineStageCreationFeedbacks = &stage_feedback;
  VkPipelineCreateFlags2CreateInfoKHR flags{};
  flags.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR;
  flags.pNext = &feedbacks;
  flags.flags = VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT_KHR;
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.pNext = &flags;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.pNext = &code;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.pName = "main";
  info.layout = program.layout;
  info.basePipelineIndex = -1;
  program.dispatch_twice(program.create(info));
}

// A cache that is filled, saved, and loaded again.
void pipeline_cache(Program& program) {
  const VkDevice device = program.device.handle;
  VkPipelineCacheCreateInfo cache_info{};
  cache_info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  VkPipelineCache first, second;
  kit::check(vkCreatePipelineCache(device, &cache_info, nullptr, &first), "vkCreatePipelineCache");
  const VkComputePipelineCreateInfo info = program.compute_info();
  program.create(info, first);
  size_t size = 0;
  kit::check(vkGetPipelineCacheData(device, first, &size, nullptr), "vkGetPipelineCacheData");
  std::vector<char> data(size);
  kit::check(vkGetPipelineCacheData(device, first, &size, data.data()), "vkGetPipelineCacheData");
  cache_info.initialDataSize = size;
  cache_info.pInitialData = data.data();
  kit::check(vkCreatePipelineCache(device, &cache_info, nullptr, &second), "vkCreatePipelineCache");
  kit::check(vkMergePipelineCaches(device, second, 1, &first), "vkMergePipelineCaches");
  program.dispatch_twice(program.create(info, second));
  vkDestroyPipelineCache(device, first, nullptr);
  vkDestroyPipelineCache(device, second, nullptr);
}

// What an engine does that must not compile while it draws: pipelines that the cache does not have it asks
// for again, without the flag.
void compile_required(Program& program) {
  VkComputePipelineCreateInfo infos[2] = {program.compute_info(), program.compute_info()};
  infos[0].flags = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
  VkPipeline pipelines[2] = {};
  const VkResult result =
      vkCreateComputePipelines(program.device.handle, VK_NULL_HANDLE, 2, infos, nullptr, pipelines);
  kit::check(result, "vkCreateComputePipelines");
  std::printf("compile required: %s\n", result == VK_PIPELINE_COMPILE_REQUIRED ? "yes" : "no");
  std::printf("the other one: %s\n", pipelines[1] ? "created" : "not created");
  program.keep(pipelines[1]);
  if (!pipelines[0]) {
    infos[0].flags = 0;
    pipelines[0] = program.create(infos[0]);
  } else {
    program.keep(pipelines[0]);
  }
  program.dispatch_twice(pipelines[0]);
}

// With the flag to stop early, pipelines of a batch that come after a failure are not made.
void early_return(Program& program) {
  VkComputePipelineCreateInfo infos[3] = {program.compute_info(), program.compute_info(),
                                          program.compute_info()};
  infos[1].flags = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT |
                   VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
  VkPipeline pipelines[3] = {};
  kit::check(vkCreateComputePipelines(program.device.handle, VK_NULL_HANDLE, 3, infos, nullptr, pipelines),
             "vkCreateComputePipelines");
  for (const VkPipeline pipeline : pipelines) {
    std::printf("pipeline: %s\n", pipeline ? "created" : "not created");
    program.keep(pipeline);
  }
  program.dispatch_twice(pipelines[0]);
}

// A parent, a child that names it by handle, and a batch whose second is the child of its first.
void derivatives(Program& program) {
  VkComputePipelineCreateInfo infos[2] = {program.compute_info(), program.compute_info()};
  infos[0].flags = VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT;
  infos[1].flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
  infos[1].basePipelineIndex = 0;
  VkPipeline batch[2] = {};
  kit::check(vkCreateComputePipelines(program.device.handle, VK_NULL_HANDLE, 2, infos, nullptr, batch),
             "vkCreateComputePipelines");
  program.keep(batch[0]);
  program.keep(batch[1]);
  VkComputePipelineCreateInfo child = program.compute_info();
  child.flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
  child.basePipelineHandle = batch[0];
  VkPipeline chosen = program.create(child);
  program.twice([&](VkCommandBuffer commands) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, chosen);
    program.bind_set(commands, VK_PIPELINE_BIND_POINT_COMPUTE);
    vkCmdDispatch(commands, 1, 1, 1);
    chosen = batch[1];
  });
}

// The application's own allocator: what it allocates it frees, with the same allocator.
struct Heap {
  int64_t live = 0;
  int64_t total = 0;
  VkAllocationCallbacks callbacks{};
  Heap() {
    callbacks.pUserData = this;
    callbacks.pfnAllocation = [](void* user, size_t size, size_t alignment,
                                 VkSystemAllocationScope) -> void* {
      auto& heap = *static_cast<Heap*>(user);
      ++heap.total;
      ++heap.live;
      return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    };
    callbacks.pfnReallocation = [](void*, void*, size_t, size_t, VkSystemAllocationScope) -> void* {
      return nullptr;
    };
    callbacks.pfnFree = [](void* user, void* memory) {
      if (memory) --static_cast<Heap*>(user)->live;
      std::free(memory);
    };
  }
};

void custom_allocator(Program& program) {
  Heap heap;
  const VkDevice device = program.device.handle;
  const VkShaderModuleCreateInfo code = program.code();
  VkComputePipelineCreateInfo info = program.compute_info();
  kit::check(vkCreateShaderModule(device, &code, &heap.callbacks, &info.stage.module),
             "vkCreateShaderModule");
  VkPipeline pipeline;
  kit::check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, &heap.callbacks, &pipeline),
             "vkCreateComputePipelines");
  vkDestroyShaderModule(device, info.stage.module, &heap.callbacks);
  program.dispatch_twice(pipeline);
  vkDestroyPipeline(device, pipeline, &heap.callbacks);
  std::printf("allocated: %s\nstill live: %lld\n", heap.total > 0 ? "yes" : "no",
              static_cast<long long>(heap.live));
}

// Two entry points of one module, each in a pipeline of its own.
void entry_points(Program& program) {
  VkComputePipelineCreateInfo first = program.compute_info(), second = first;
  second.stage.pName = "second";
  VkPipeline pipeline = program.create(first);
  const VkPipeline other = program.create(second);
  program.twice([&](VkCommandBuffer commands) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    program.bind_set(commands, VK_PIPELINE_BIND_POINT_COMPUTE);
    vkCmdDispatch(commands, 1, 1, 1);
    pipeline = other;
  });
}

// Constants of every type, the workgroup's size and an array's among them.
void specialisation(Program& program) {
  struct {
    uint32_t size_x = 4, size_y = 2, length = 8;
    VkBool32 doubled = VK_TRUE;
    int32_t offset = -3;
    float factor = 2.5f;
    int64_t large = int64_t{1} << 40;
  } values;
  const VkSpecializationMapEntry entries[] = {
      {0, offsetof(decltype(values), size_x), 4}, {1, offsetof(decltype(values), size_y), 4},
      {2, offsetof(decltype(values), length), 4}, {3, offsetof(decltype(values), doubled), 4},
      {4, offsetof(decltype(values), offset), 4}, {5, offsetof(decltype(values), factor), 4},
      {6, offsetof(decltype(values), large), 8}};
  const VkSpecializationInfo specialisation{7, entries, sizeof values, &values};
  VkComputePipelineCreateInfo info = program.compute_info();
  info.stage.pSpecializationInfo = &specialisation;
  VkPipeline pipeline = program.create(info);
  values.size_x = 8;
  values.size_y = 1;
  const VkPipeline other = program.create(info);
  program.twice([&](VkCommandBuffer commands) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    program.bind_set(commands, VK_PIPELINE_BIND_POINT_COMPUTE);
    vkCmdDispatch(commands, 1, 1, 1);
    pipeline = other;
  });
}

// One module in pipelines with different layouts: what its binding has before it in the set differs.
void different_layouts(Program& program) {
  VkDescriptorSetLayoutBinding bindings[2] = {
      {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
      {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}};
  VkComputePipelineCreateInfo info = program.compute_info();
  struct Variant {
    VkPipeline pipeline;
    VkPipelineLayout layout;
    VkDescriptorSet set;
  };
  std::vector<Variant> variants;
  for (const uint32_t first : {1u, 0u}) {
    const std::span<const VkDescriptorSetLayoutBinding> used(bindings + first, 2 - first);
    const VkDescriptorSetLayout set_layout = program.device.set_layout(used);
    Variant variant;
    variant.set = program.device.descriptor_set(set_layout, used);
    for (const auto& binding : used) {
      const kit::Buffer other = program.device.buffer(64, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
      program.device.write_buffer(variant.set, binding.binding, binding.binding == 1 ? program.io : other);
    }
    info.layout = variant.layout = program.device.pipeline_layout({&set_layout, 1}, 0, 0);
    variant.pipeline = program.create(info);
    variants.push_back(variant);
  }
  auto next = variants.begin();
  program.twice([&](VkCommandBuffer commands) {
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, next->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, next->layout, 0, 1, &next->set, 0,
                            nullptr);
    vkCmdDispatch(commands, 1, 1, 1);
    ++next;
  });
}

// A pipeline whose layout has fewer sets than are bound, then one that uses those, without another bind.
void more_sets_than_the_layout(Program& program) {
  const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL,
                                             nullptr};
  const VkDescriptorSetLayout other_layout = program.device.set_layout({&binding, 1});
  const VkDescriptorSet other = program.device.descriptor_set(other_layout, {&binding, 1});
  program.device.write_buffer(other, 0, program.io);
  const VkDescriptorSetLayout set_layouts[] = {program.set_layout, program.set_layout, other_layout};
  VkComputePipelineCreateInfo info = program.compute_info();
  info.stage = program.stage(VK_SHADER_STAGE_COMPUTE_BIT, "io");
  const VkPipeline shorter = program.create(info);
  info.stage = program.stage(VK_SHADER_STAGE_COMPUTE_BIT, "other");
  info.layout = program.device.pipeline_layout(set_layouts, 0, 0);
  const VkPipeline longer = program.create(info);
  program.twice([&](VkCommandBuffer commands) {
    const VkDescriptorSet sets[] = {program.set, program.set, other};
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, info.layout, 0, 3, sets, 0, nullptr);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, shorter);
    vkCmdDispatch(commands, 1, 1, 1);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, longer);
    vkCmdDispatch(commands, 1, 1, 1);
  });
}

}  // namespace

std::vector<Path> pipeline_paths() {
  return {{"module", nullptr, with_module},
          {"pushed_constants", nullptr, pushed_constants},
          {"indirect", nullptr, indirect},
          {"inline_code", maintenance5, inline_code},
          {"pipeline_cache", nullptr, pipeline_cache},
          {"compile_required", nullptr, compile_required},
          {"early_return", nullptr, early_return},
          {"derivatives", nullptr, derivatives},
          {"custom_allocator", nullptr, custom_allocator},
          {"entry_points", nullptr, entry_points},
          {"specialisation", nullptr, specialisation},
          {"different_layouts", nullptr, different_layouts},
          {"more_sets_than_the_layout", nullptr, more_sets_than_the_layout}};
}

}  // namespace path_programs
