// The device's abi::Root: the one address that instrumented shaders carry.
#ifndef SHADERQA_LAYER_ROOT_BLOCK_H
#define SHADERQA_LAYER_ROOT_BLOCK_H

#include <memory>
#include <string>

#include "instrument/runtime/abi.h"
#include "layer/device_buffer.h"

namespace shaderqa::layer {

class RootBlock {
 public:
  // Called before the application can allocate anything, so that a device with stable addresses always gives
  // the same.
  static std::unique_ptr<RootBlock> create(Device& device, std::string& problem);

  abi::Root& root() { return *reinterpret_cast<abi::Root*>(buffer_->mapped()); }
  VkDeviceAddress address() const { return buffer_->address(); }
  bool is_device_local() const { return buffer_->is_device_local(); }

 private:
  explicit RootBlock(std::unique_ptr<DeviceBuffer> buffer) : buffer_(std::move(buffer)) {}
  std::unique_ptr<DeviceBuffer> buffer_;
};

}  // namespace shaderqa::layer
#endif
