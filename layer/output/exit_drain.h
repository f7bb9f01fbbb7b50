// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_LAYER_OUTPUT_EXIT_DRAIN_H
#define SHADERQA_LAYER_OUTPUT_EXIT_DRAIN_H

namespace shaderqa::layer {

// Has every live device's messages delivered when the process exits without vkDestroyDevice. Called once
// there is something to deliver: what is registered last runs first, so drivers are still whole then. It is
// the destructor of a static object, so that it goes when this library is unloaded.
void register_exit_drain();

}  // namespace shaderqa::layer
#endif
