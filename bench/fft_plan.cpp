// SPDX-License-Identifier: Apache-2.0
#include "fft_plan.h"

#include <glslang/Include/glslang_c_interface.h>
#include <glslang/Public/resource_limits_c.h>

#include <stdexcept>
#include <string>

// volk.h has declared Vulkan's functions: VkFFT calls them by name.
#define VKFFT_BACKEND 0
#if __has_include(<vkFFT/vkFFT_Structs/vkFFT_Structs.h>)
#include <vkFFT.h>
#else
// VkFFT 1.2 fills glslang's limits by position, and newer glslangs have more of them. It takes these by their
// address only, so that it can be given the defaults.
namespace fft_bench {
struct LimitsByPosition {
  int numbers[93];
  glslang_limits_t limits;
  const glslang_resource_t* operator&() const { return glslang_default_resource(); }
};
}  // namespace fft_bench
#define glslang_resource_t fft_bench::LimitsByPosition
#include <vkFFT.h>
#undef glslang_resource_t
#endif

namespace fft_bench {
namespace {

void check_fft(VkFFTResult result, const char* call) {
  if (result != VKFFT_SUCCESS)
    throw std::runtime_error(std::string(call) + " returned " + std::to_string(static_cast<int>(result)));
}

}  // namespace

// VkFFT keeps pointers to handles and sizes.
struct Plan::State {
  VkPhysicalDevice gpu;
  VkDevice device;
  VkQueue queue;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;
  VkBuffer from, to;
  uint64_t bytes;
  VkFFTApplication application{};
  bool initialised = false;  // what fails to be has cleaned up

  State(kit::Device& kit, const kit::Buffer& first, const kit::Buffer& second)
      : gpu(kit.gpu),
        device(kit.handle),
        queue(kit.queues[0]),
        from(first.handle),
        to(second.handle),
        bytes(first.size) {}
  ~State() {
    if (initialised) deleteVkFFT(&application);
    vkDestroyFence(device, fence, nullptr);
    vkDestroyCommandPool(device, pool, nullptr);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Plan::Plan(kit::Device& device, uint64_t points, uint64_t batches, const kit::Buffer& from,
           const kit::Buffer& to)
    : state_(std::make_unique<State>(device, from, to)) {
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = device.queue_family;
  kit::check(vkCreateCommandPool(device.handle, &pool, nullptr, &state_->pool), "vkCreateCommandPool");
  VkFenceCreateInfo fence{};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  kit::check(vkCreateFence(device.handle, &fence, nullptr, &state_->fence), "vkCreateFence");

  VkFFTConfiguration configuration{};
  configuration.FFTdim = 1;
  configuration.size[0] = points;
  configuration.numberBatches = batches;
  configuration.normalize = 1;
  configuration.physicalDevice = &state_->gpu;
  configuration.device = &state_->device;
  configuration.queue = &state_->queue;
  configuration.commandPool = &state_->pool;
  configuration.fence = &state_->fence;
  configuration.buffer = &state_->to;
  configuration.bufferSize = &state_->bytes;
  if (state_->from != state_->to) {
    configuration.isInputFormatted = 1;
    configuration.inverseReturnToInputBuffer = 1;
    configuration.inputBuffer = &state_->from;
    configuration.inputBufferSize = &state_->bytes;
    configuration.inputBufferStride[0] = points;
  }
  check_fft(initializeVkFFT(&state_->application, configuration), "initializeVkFFT");
  state_->initialised = true;
}

Plan::~Plan() = default;

void Plan::record(VkCommandBuffer commands, bool inverse) {
  VkFFTLaunchParams launch{};
  launch.commandBuffer = &commands;
  check_fft(VkFFTAppend(&state_->application, inverse ? 1 : -1, &launch), "VkFFTAppend");
}

}  // namespace fft_bench
