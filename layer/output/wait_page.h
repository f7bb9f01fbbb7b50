// SPDX-License-Identifier: Apache-2.0
// Memory that is missing until it is supplied: an invocation that reads it on a CPU sleeps in the kernel.
// lavapipe ends loops that poll for long.
#ifndef SHADERQA_LAYER_OUTPUT_WAIT_PAGE_H
#define SHADERQA_LAYER_OUTPUT_WAIT_PAGE_H

#include <cstdint>
#include <memory>

#include "layer/memory/device_buffer.h"

namespace shaderqa::layer {

// Two pages, for stops with even and with odd numbers, so that one is missing while the other is supplied.
class WaitPages {
 public:
  // Null where the system or the driver does not allow it.
  static std::unique_ptr<WaitPages> create(const DeviceContext& device);
  ~WaitPages();
  WaitPages(const WaitPages&) = delete;
  WaitPages& operator=(const WaitPages&) = delete;

  uint64_t address() const { return buffer_->address(); }
  // Lets those sleep no longer who read the page of this stop.
  void supply(uint32_t number);
  // Who reads the page of this stop from now on sleeps.
  void take_away(uint32_t number);

 private:
  WaitPages() = default;
  std::byte* page(uint32_t number) const;

  int descriptor_ = -1;
  std::byte* memory_ = nullptr;
  bool missing_[2] = {true, true};
  std::unique_ptr<DeviceBuffer> buffer_;
};

}  // namespace shaderqa::layer
#endif
