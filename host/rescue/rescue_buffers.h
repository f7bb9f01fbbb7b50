// SPDX-License-Identifier: Apache-2.0
// A bounded list of buffers and their addresses, kept in a rescue file of checks in case the process dies.
// The layer writes it, the parent reads it.
#ifndef SHADERQA_HOST_RESCUE_RESCUE_BUFFERS_H
#define SHADERQA_HOST_RESCUE_RESCUE_BUFFERS_H

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "host/findings/check_details.h"
#include "host/rescue/rescue_layout.h"

namespace shaderqa {

// The writing side. Not thread-safe.
class RescueBuffers {
 public:
  // slots: the list in the file, zeroed.
  explicit RescueBuffers(std::span<RescueBufferSlot> slots) : slots_(slots) {}

  // A buffer got its address, or another name. If buffers that still exist fill the list, it is left out.
  void put(uint64_t handle, uint64_t address, uint64_t size, const std::string& name);
  // The buffer can be found until a new one needs its place.
  void destroyed(uint64_t handle);

 private:
  RescueBufferSlot* place_for(uint64_t handle);

  const std::span<RescueBufferSlot> slots_;
  uint32_t used_ = 0;  // slots that were ever used
  uint64_t changes_ = 0;
  std::unordered_map<uint64_t, uint32_t> living_;  // by handle
  std::deque<uint32_t> destroyed_;                 // the oldest first
};

// The reading side; the slots may hold anything. Returns the smallest existing buffer that contains the
// address, else the one that was destroyed last.
std::optional<BufferOrigin> find_rescued_buffer(std::span<const RescueBufferSlot> slots, uint64_t address);

}  // namespace shaderqa
#endif
