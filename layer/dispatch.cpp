#include "layer/dispatch.h"

#include <type_traits>

namespace shaderqa::layer {
namespace {

constinit DispatchMap<Device> all_devices;
constinit DispatchMap<Instance> all_instances;
static_assert(std::is_trivially_destructible_v<DispatchMap<Device>>);

}  // namespace

DispatchMap<Device>& devices() { return all_devices; }
DispatchMap<Instance>& instances() { return all_instances; }

}  // namespace shaderqa::layer
