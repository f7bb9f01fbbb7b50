// SPDX-License-Identifier: Apache-2.0
// On which words of images hazards were found: a map in which shaders enter them (abi_image.h), and which the
// host reads when it makes pictures of them (docs/internals/images.md#pictures).
#ifndef SHADERQA_LAYER_RESOURCES_RACE_MAP_H
#define SHADERQA_LAYER_RESOURCES_RACE_MAP_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "layer/memory/device_buffer.h"

namespace shaderqa::layer {

class DeviceContext;

// Thread-safe. Ranges are of image addresses.
class RaceMap {
 public:
  explicit RaceMap(const DeviceContext& device) : device_(device) {}
  ~RaceMap();  // before the next layer's vkDestroyDevice
  RaceMap(const RaceMap&) = delete;
  RaceMap& operator=(const RaceMap&) = delete;

  // Makes the table of the blocks. 0, with a note, where there is no memory.
  VkDeviceAddress require();
  // Makes the blocks of a range, before shaders can access what it stands for. take_room: is asked before
  // memory is taken. One note says so where there is none.
  void reach(uint64_t address, uint64_t bytes, const std::function<bool(VkDeviceSize)>& take_room);

  // What was found on a word: SQA_RACE_*.
  uint32_t kinds_at(uint64_t address) const;
  // Calls `visitor` with the address and the kinds of each word of the range on which a hazard was found, in
  // the order of addresses.
  void visit(uint64_t address, uint64_t bytes,
             const std::function<void(uint64_t address, uint32_t kinds)>& visitor) const;
  // The range is given out again. No shader accesses it.
  void forget(uint64_t address, uint64_t bytes);

 private:
  uint32_t* dwords_of(uint64_t number) const;  // of a block; null: there is none. mutex_ is held
  bool has_page(uint64_t address) const;       // anything on it. mutex_ is held
  // The dword with this word's bits. mutex_ is held, and has_page().
  uint32_t& bits_of(uint64_t address) const;

  const DeviceContext& device_;
  mutable std::mutex mutex_;  // guards all members below
  bool tried_ = false;
  std::unique_ptr<DeviceBuffer> table_;
  std::vector<std::unique_ptr<DeviceBuffer>> memory_;  // of blocks in a row
  std::map<uint64_t, std::byte*> blocks_;              // by number
};

}  // namespace shaderqa::layer
#endif
