// SPDX-License-Identifier: Apache-2.0
#include "layer/memory/root_block.h"

#include "layer/context/device_context.h"
#include "layer/context/instance.h"

namespace shaderqa::layer {

std::unique_ptr<RootBlock> RootBlock::create(const DeviceContext& device, std::string& problem) {
  DeviceBuffer::Request request;
  request.size = sizeof(abi::Root);
  // Device-local memory: running shaders see what the host writes there, and atomics are fast.
  request.preferred = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  request.stable_address = device.facts.stable_addresses;
  if (auto fixed = create_in_fixed_memory(device, request)) return fixed;
  std::unique_ptr<DeviceBuffer> buffer = DeviceBuffer::create(device, request, problem);
  if (!buffer && request.stable_address) {
    request.stable_address = false;
    buffer = DeviceBuffer::create(device, request, problem);
  }
  return buffer ? std::unique_ptr<RootBlock>(new RootBlock(std::move(buffer), request.stable_address))
                : nullptr;
}

// For lavapipe, which has no capture-replay.
std::unique_ptr<RootBlock> RootBlock::create_in_fixed_memory(const DeviceContext& device,
                                                             DeviceBuffer::Request request) {
  const DeviceFacts& facts = device.facts;
  if (!facts.is_cpu || facts.stable_addresses || !device.instance->settings.stable_addresses ||
      facts.host_import_alignment == 0) {
    return nullptr;
  }
  std::unique_ptr<FixedMemory> memory = FixedMemory::create(request.size);
  if (!memory || request.size % facts.host_import_alignment != 0) return nullptr;
  request.import = memory->address();
  std::string unused;
  std::unique_ptr<DeviceBuffer> buffer = DeviceBuffer::create(device, request, unused);
  if (!buffer || buffer->address() != reinterpret_cast<uintptr_t>(memory->address())) return nullptr;
  return std::unique_ptr<RootBlock>(new RootBlock(std::move(buffer), true, std::move(memory)));
}

}  // namespace shaderqa::layer
