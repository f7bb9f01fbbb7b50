// SPDX-License-Identifier: Apache-2.0
// The memory that cells of words lie in (docs/internals/exact.md, Memory).
#ifndef SHADERQA_LAYER_ENGINES_EXACT_CELL_CHUNKS_H
#define SHADERQA_LAYER_ENGINES_EXACT_CELL_CHUNKS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/order/free_cells.h"
#include "instrument/runtime/abi_exact.h"
#include "layer/memory/device_buffer.h"

namespace shaderqa::layer {

class Device;

// Chunks are kept until the device is destroyed. Not thread-safe, except for make().
class CellChunks {
 public:
  explicit CellChunks(Device& device) : device_(device) {}

  // How many pages a chunk has cells for.
  struct Size {
    uint64_t fewest = 0, most = 0;
  };
  // For `pages` pages without cells, of which `allowed` may have some. most: with room for pages to come.
  Size size_for(uint64_t pages, uint64_t allowed) const;
  // A chunk with the larger of the two sizes, if there is memory for it. Null, with a sentence in `problem`,
  // where there is not enough for the other one either.
  std::unique_ptr<DeviceBuffer> make(const Size& size, std::string& problem) const;
  // Its cells are free.
  void add(std::unique_ptr<DeviceBuffer> buffer);

  // Cells were added that must be cleared before shaders run that may find them.
  bool owes_clear() const { return owes_clear_; }
  // These are cleared now: all, or those that never were.
  void append_to_clear(std::vector<VkBuffer>& buffers, bool all);

  FreeCells free{SQA_PAGE_CELL_BYTES};

 private:
  struct Chunk {
    std::unique_ptr<DeviceBuffer> buffer;
    bool cleared = false;
  };

  Device& device_;
  std::vector<Chunk> chunks_;
  uint64_t pages_ = 0;  // that have their cells in chunks_, or can have them there
  bool owes_clear_ = false;
};

}  // namespace shaderqa::layer
#endif
