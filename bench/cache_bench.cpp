// SPDX-License-Identifier: Apache-2.0
// Measures what caches save: creates the same pipelines as the run before, says which of them the driver
// found in its cache, and keeps the driver's cache for the next run. Writes one "name value" line for each
// number to a file. run_cache_bench.py compares runs without our layer and with it, caches empty and full.
// The GPU does no work here.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "buffered_features.h"
#include "cache_draw_frag_spv.h"
#include "cache_draw_vert_spv.h"
#include "graphics_kit.h"
#include "milliseconds.h"
#include "printing_spv.h"
#include "sync_sort_spv.h"
#include "vulkan_kit.h"

namespace {

using Clock = std::chrono::steady_clock;
constexpr uint32_t kVariants = 60;  // of each shader

class Bench {
 public:
  // buffered: descriptors of draws are in descriptor buffers.
  Bench(uint32_t device_index, const std::string& cache_file, bool buffered)
      : device_(Options(device_index, buffered).device), buffered_(buffered), cache_file_(cache_file) {
    std::ifstream file(cache_file_, std::ios::binary);
    const std::vector<char> kept{std::istreambuf_iterator<char>(file), {}};
    VkPipelineCacheCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
    info.initialDataSize = kept.size();
    info.pInitialData = kept.data();
    kit::check(vkCreatePipelineCache(device_.handle, &info, nullptr, &cache_), "vkCreatePipelineCache");
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}};
    const VkDescriptorSetLayout set_layout = device_.set_layout(bindings);
    layout_ = device_.pipeline_layout({&set_layout, 1}, VK_SHADER_STAGE_COMPUTE_BIT, 128);
  }

  void create(std::span<const uint32_t> words) {
    std::vector<uint32_t> copy(words.begin(), words.end());
    for (uint32_t variant = 0; variant < kVariants; ++variant) {
      // Another generator number makes it another shader to every cache, with the same work.
      copy[2] = 0x5a5a0000 + variant;
      create_pipeline(copy);
    }
  }

  // Pipelines of a vertex and a fragment shader.
  void create_draws(std::span<const uint32_t> vertex, std::span<const uint32_t> fragment) {
    make_draw_layout();
    std::vector<uint32_t> copies[] = {{vertex.begin(), vertex.end()}, {fragment.begin(), fragment.end()}};
    for (uint32_t variant = 0; variant < kVariants; ++variant) {
      for (std::vector<uint32_t>& copy : copies) copy[2] = 0x5a5a0000 + variant;
      const auto start = Clock::now();
      std::vector<VkPipelineShaderStageCreateInfo> stages{
          kit::stage(VK_SHADER_STAGE_VERTEX_BIT, device_.shader(copies[0])),
          kit::stage(VK_SHADER_STAGE_FRAGMENT_BIT, device_.shader(copies[1]))};
      kit::GraphicsState state({64, 64}, std::move(stages), draw_layout_, pass_);
      if (buffered_) state.info.flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
      state.vertex_input.vertexAttributeDescriptionCount = static_cast<uint32_t>(kAttributes.size());
      state.vertex_input.pVertexAttributeDescriptions = kAttributes.data();
      state.vertex_input.vertexBindingDescriptionCount = 1;
      state.vertex_input.pVertexBindingDescriptions = &kVertices;
      kit::graphics_pipeline(device_, state.info);
      milliseconds_ += bench::milliseconds_since(start);
      ++pipelines_;
    }
  }

  void keep_cache() const {
    size_t size = 0;
    kit::check(vkGetPipelineCacheData(device_.handle, cache_, &size, nullptr), "vkGetPipelineCacheData");
    std::vector<char> data(size);
    kit::check(vkGetPipelineCacheData(device_.handle, cache_, &size, data.data()), "vkGetPipelineCacheData");
    std::ofstream(cache_file_, std::ios::binary).write(data.data(), static_cast<std::streamsize>(size));
    vkDestroyPipelineCache(device_.handle, cache_, nullptr);
  }

  void report(FILE* output) const {
    std::fprintf(output, "# %s\n", device_.properties.deviceName);
    std::fprintf(output, "pipelines\t%u\n", pipelines_);
    std::fprintf(output, "pipelines with feedback\t%u\n", with_feedback_);
    std::fprintf(output, "pipelines found in the application's cache\t%u\n", cache_hits_);
    std::fprintf(output, "create modules and pipelines [ms]\t%.3f\n", milliseconds_);
    std::fprintf(output, "the driver's part of it, by its feedback [ms]\t%.3f\n", driver_milliseconds_);
  }

 private:
  struct Options {
    Options(uint32_t device_index, bool buffered) {
      device.api_version = VK_API_VERSION_1_3;
      device.device_index = device_index;
      if (buffered) features.emplace(device);
    }
    kit::DeviceOptions device;
    std::optional<bench::BufferedFeatures> features;
  };

  static constexpr VkVertexInputBindingDescription kVertices{0, 64, VK_VERTEX_INPUT_RATE_VERTEX};
  static constexpr std::array<VkVertexInputAttributeDescription, 5> kAttributes{
      {{0, 0, VK_FORMAT_R32G32B32_SFLOAT, 0},
       {1, 0, VK_FORMAT_R32G32B32_SFLOAT, 12},
       {2, 0, VK_FORMAT_R32G32_SFLOAT, 24},
       {3, 0, VK_FORMAT_R8G8B8A8_UINT, 32},
       {4, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 36}}};

  void make_draw_layout() {
    std::vector<VkDescriptorSetLayoutBinding> buffers, images;
    for (const uint32_t binding : {0u, 1u, 2u, 3u, 4u, 5u}) {
      const bool uniform = binding == 0 || binding == 5;
      buffers.push_back({binding,
                         uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                         VK_SHADER_STAGE_ALL_GRAPHICS, nullptr});
    }
    for (uint32_t binding = 0; binding < 7; ++binding)
      images.push_back(
          {binding, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr});
    const VkDescriptorSetLayoutCreateFlags flags =
        buffered_ ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT : 0;
    const VkDescriptorSetLayout sets[] = {device_.set_layout(buffers, nullptr, flags),
                                          device_.set_layout(images, nullptr, flags)};
    draw_layout_ = device_.pipeline_layout(sets, VK_SHADER_STAGE_ALL_GRAPHICS, 0);
    const VkAttachmentDescription colour =
        kit::attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    pass_ = kit::render_pass(device_, {&colour, 1}, {});
  }

  void create_pipeline(std::span<const uint32_t> words) {
    VkPipelineCreationFeedback whole{}, stage{};
    VkPipelineCreationFeedbackCreateInfo feedback{};
    feedback.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO;
    feedback.pPipelineCreationFeedback = &whole;
    feedback.pipelineStageCreationFeedbackCount = 1;
    feedback.pPipelineStageCreationFeedbacks = &stage;
    VkShaderModuleCreateInfo module_info{};
    module_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    module_info.codeSize = words.size_bytes();
    module_info.pCode = words.data();
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.pNext = &feedback;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = "main";
    info.layout = layout_;
    VkPipeline pipeline;
    const auto start = Clock::now();
    kit::check(vkCreateShaderModule(device_.handle, &module_info, nullptr, &info.stage.module),
               "vkCreateShaderModule");
    kit::check(vkCreateComputePipelines(device_.handle, cache_, 1, &info, nullptr, &pipeline),
               "vkCreateComputePipelines");
    milliseconds_ += bench::milliseconds_since(start);
    vkDestroyShaderModule(device_.handle, info.stage.module, nullptr);
    vkDestroyPipeline(device_.handle, pipeline, nullptr);
    ++pipelines_;
    if (!(whole.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT)) return;
    ++with_feedback_;
    driver_milliseconds_ += static_cast<double>(whole.duration) / 1e6;
    if (whole.flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT) ++cache_hits_;
  }

  kit::Device device_;
  const bool buffered_;
  const std::string cache_file_;
  VkPipelineCache cache_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE, draw_layout_ = VK_NULL_HANDLE;
  VkRenderPass pass_ = VK_NULL_HANDLE;
  uint32_t pipelines_ = 0, with_feedback_ = 0, cache_hits_ = 0;
  double milliseconds_ = 0, driver_milliseconds_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) {
    std::fprintf(stderr, "usage: %s OUTPUT CACHE_FILE [DEVICE [draws|buffered]]\n", argv[0]);
    return 2;
  }
  try {
    FILE* output = std::fopen(argv[1], "w");
    if (output == nullptr) throw std::runtime_error(std::string("cannot write ").append(argv[1]));
    const std::string what = argc > 4 ? argv[4] : "";
    Bench bench(argc > 3 ? static_cast<uint32_t>(std::strtoul(argv[3], nullptr, 10)) : 0, argv[2],
                what == "buffered");
    if (!what.empty()) {
      bench.create_draws(cache_draw_vert_spv, cache_draw_frag_spv);
    } else {
      bench.create(printing_spv);
      bench.create(sync_sort_spv);
    }
    bench.keep_cache();
    bench.report(output);
    std::fclose(output);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return EXIT_FAILURE;
  }
}
