// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_LAYER_OUTPUT_EXIT_DRAIN_H
#define SHADERQA_LAYER_OUTPUT_EXIT_DRAIN_H

namespace shaderqa::layer {

// Delivers the messages of every live device when the process exits without vkDestroyDevice. Handlers run in
// the reverse order of their registration; this one is registered late, once there is something to deliver,
// so it runs while drivers are still whole. It is the destructor of a static object, so that it is removed
// when this library is unloaded.
void register_exit_drain();

}  // namespace shaderqa::layer
#endif
