// SPDX-License-Identifier: Apache-2.0
// The only place that names the engines.
#include "layer/context/instance.h"
#include "layer/engines/engine.h"
#include "layer/engines/exact/exact_engine.h"
#include "layer/engines/filter/filter_engine.h"
#include "layer/engines/none/no_engine.h"
#include "layer/loader/device.h"

namespace shaderqa::layer {

std::unique_ptr<Engine> make_engine(Device& device) {
  if (!device.checks_sync()) return std::make_unique<NoEngine>();
  if (device.instance->settings.sync == "bloom") return std::make_unique<FilterEngine>(device);
  if (device.facts.int64_atomics) return std::make_unique<ExactEngine>(device);
  device.note("no exact engine",
              "accesses are checked by the filter (sync = bloom), because 64-bit atomics on buffers, which "
              "the exact engine needs, cannot be enabled on this device");
  return std::make_unique<FilterEngine>(device);
}

}  // namespace shaderqa::layer
