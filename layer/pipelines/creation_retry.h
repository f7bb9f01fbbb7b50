// SPDX-License-Identifier: Apache-2.0
// What pipelines and shader objects do alike if the driver rejects instrumented code.
#ifndef SHADERQA_LAYER_PIPELINES_CREATION_RETRY_H
#define SHADERQA_LAYER_PIPELINES_CREATION_RETRY_H

#include <vulkan/vulkan_core.h>

namespace shaderqa::layer {

// Creates objects from edited create infos. Each failure puts the application's own code back where the
// driver rejected ours, and the creation is tried again. The result is the application's own failure, or
// success. An Attempt has create(handles), and restore_rejected(handles): true if it put anything back.
template <typename Attempt, typename Handle>
VkResult create_with_retries(Attempt& attempt, Handle* handles) {
  VkResult result = attempt.create(handles);
  while (result < 0 && attempt.restore_rejected(handles)) result = attempt.create(handles);
  return result;
}

}  // namespace shaderqa::layer
#endif
