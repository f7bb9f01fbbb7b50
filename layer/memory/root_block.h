// SPDX-License-Identifier: Apache-2.0
// The device's abi::Root: the one address that instrumented shaders carry.
#ifndef SHADERQA_LAYER_MEMORY_ROOT_BLOCK_H
#define SHADERQA_LAYER_MEMORY_ROOT_BLOCK_H

#include <memory>
#include <string>

#include "instrument/runtime/abi_root.h"
#include "layer/memory/device_buffer.h"
#include "layer/memory/fixed_memory.h"

namespace shaderqa::layer {

class DeviceContext;

class RootBlock {
 public:
  // Called before the application can allocate anything, so that a device with stable addresses gives the
  // same address in every run.
  static std::unique_ptr<RootBlock> create(const DeviceContext& device, std::string& problem);

  abi::Root& root() { return *reinterpret_cast<abi::Root*>(buffer_->mapped()); }
  VkDeviceAddress address() const { return buffer_->address(); }
  bool is_device_local() const { return buffer_->is_device_local(); }
  // Whether the address should be the same in the next run of the program.
  bool has_stable_address() const { return stable_; }

 private:
  RootBlock(std::unique_ptr<DeviceBuffer> buffer, bool stable, std::unique_ptr<FixedMemory> memory = {})
      : memory_(std::move(memory)), buffer_(std::move(buffer)), stable_(stable) {}
  static std::unique_ptr<RootBlock> create_in_fixed_memory(const DeviceContext& device,
                                                           DeviceBuffer::Request request);

  std::unique_ptr<FixedMemory> memory_;  // that the buffer imports; null: it has its own
  std::unique_ptr<DeviceBuffer> buffer_;
  const bool stable_;
};

}  // namespace shaderqa::layer
#endif
