// SPDX-License-Identifier: Apache-2.0
// The engine of a device whose accesses are not checked: the hooks that would tell it something are not
// installed, and those that are there for others find nothing to do.
#ifndef SHADERQA_LAYER_ENGINES_NONE_NO_ENGINE_H
#define SHADERQA_LAYER_ENGINES_NONE_NO_ENGINE_H

#include "layer/engines/engine.h"

namespace shaderqa::layer {

class NoEngine final : public Engine {
 public:
  NoEngine() : Engine({}) {}
  std::unique_ptr<EngineRecorder> make_recorder(RecordingState&) override {
    return std::make_unique<EngineRecorder>();
  }
  std::unique_ptr<EngineQueue> make_queue() override { return std::make_unique<EngineQueue>(); }
};

}  // namespace shaderqa::layer
#endif
