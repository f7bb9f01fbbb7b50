// SPDX-License-Identifier: Apache-2.0
// Complex Fourier transforms as VkFFT generates them: one large compute shader for each direction.
#ifndef SHADERQA_BENCH_FFT_PLAN_H
#define SHADERQA_BENCH_FFT_PLAN_H

#include <cstdint>
#include <memory>

#include "vulkan_kit.h"

namespace fft_bench {

// `batches` transforms of so many points each, of two floats a point. Forward: from `from` to `to`, which may
// be the same buffer; inverse: back, divided by the number of points.
class Plan {
 public:
  Plan(kit::Device& device, uint64_t points, uint64_t batches, const kit::Buffer& from,
       const kit::Buffer& to);
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  // Ends with a barrier towards compute shaders.
  void record(VkCommandBuffer commands, bool inverse);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fft_bench
#endif
