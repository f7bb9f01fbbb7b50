// SPDX-License-Identifier: Apache-2.0
// Which buffer an address belongs to, kept in a rescue file of checks for the case that the process dies: a
// bounded list that the layer writes and the parent reads.
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
  // slots: zeroed, in the file.
  explicit RescueBuffers(std::span<RescueBufferSlot> slots) : slots_(slots) {}

  // A buffer got its address, or another name. Nothing is kept where living buffers fill the list.
  void put(uint64_t handle, uint64_t address, uint64_t size, const std::string& name);
  // It stays findable until the list has no other place for a new one.
  void destroyed(uint64_t handle);

 private:
  RescueBufferSlot* place_for(uint64_t handle);

  const std::span<RescueBufferSlot> slots_;
  uint32_t used_ = 0;  // slots that were ever used
  uint64_t changes_ = 0;
  std::unordered_map<uint64_t, uint32_t> living_;  // by handle
  std::deque<uint32_t> destroyed_;                 // the oldest first
};

// The reading side, where anything may be in the slots: the smallest living buffer that holds the address,
// else the one destroyed last.
std::optional<BufferOrigin> find_rescued_buffer(std::span<const RescueBufferSlot> slots, uint64_t address);

}  // namespace shaderqa
#endif
