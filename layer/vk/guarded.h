// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_LAYER_VK_GUARDED_H
#define SHADERQA_LAYER_VK_GUARDED_H

namespace shaderqa::layer {

// No exception may leave a hook: if our own work fails, the application's command must still be done. Returns
// false if `work` threw.
template <typename Work>
bool guarded(const Work& work) noexcept {
  try {
    work();
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace shaderqa::layer
#endif
