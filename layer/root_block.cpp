#include "layer/root_block.h"

#include "layer/device.h"

namespace shaderqa::layer {

std::unique_ptr<RootBlock> RootBlock::create(Device& device, std::string& problem) {
  DeviceBuffer::Request request;
  request.size = sizeof(abi::Root);
  // Device-local: what the host writes there shows in a running shader, and atomics are fast.
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  request.stable_address = device.facts.stable_addresses;
  std::unique_ptr<DeviceBuffer> buffer = DeviceBuffer::create(device, request, problem);
  if (!buffer && request.stable_address) {
    request.stable_address = false;
    buffer = DeviceBuffer::create(device, request, problem);
  }
  return buffer ? std::unique_ptr<RootBlock>(new RootBlock(std::move(buffer))) : nullptr;
}

}  // namespace shaderqa::layer
