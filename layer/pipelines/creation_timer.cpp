// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/creation_timer.h"

#include "layer/context/device_context.h"
#include "layer/context/instance.h"
#include "layer/pipelines/shader_dump.h"
#include "layer/vk/guarded.h"

namespace shaderqa::layer {

CreationTimer::CreationTimer(const DeviceContext& device, uint32_t count)
    : dump_(*device.instance->dump), count_(count), compiling_(*device.instance->summary, count) {}

CreationTimer::~CreationTimer() {
  guarded([&] { dump_.pipelines(count_, std::chrono::steady_clock::now() - begin_); });
}

}  // namespace shaderqa::layer
