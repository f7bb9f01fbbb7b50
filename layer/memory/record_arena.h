// SPDX-License-Identifier: Apache-2.0
// Memory for what command buffers tell shaders: action records, tables of push descriptors, submission state.
#ifndef SHADERQA_LAYER_MEMORY_RECORD_ARENA_H
#define SHADERQA_LAYER_MEMORY_RECORD_ARENA_H

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "layer/memory/device_buffer.h"

namespace shaderqa::layer {

class Device;
class DeviceContext;

// Says, once for each device, that an action has no record because there is no memory for it.
void note_record_memory(const DeviceContext& device);

// Blocks of device memory, each with a descriptor set through which any record in it can be bound, cut into
// chunks that command buffers take and give back. Blocks live as long as the device: there are as many as
// were ever needed at once. Thread-safe.
class RecordMemory {
 public:
  static constexpr uint32_t kChunkBytes = 32 << 10;
  static constexpr uint32_t kBlockBytes = 1 << 20;
  // What a shader may read through the descriptor, however short a record is.
  static constexpr VkDeviceSize kRecordRange = SQA_ACTION_MAX_DWORDS * 4;

  struct Block {
    std::unique_ptr<DeviceBuffer> buffer;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;
    uint32_t number = UINT32_MAX;  // Engine::add_record_block
  };
  struct Chunk {
    const Block* block = nullptr;  // null: there is no memory
    uint32_t offset = 0;
  };

  explicit RecordMemory(Device& device) : device_(device) {}
  ~RecordMemory();
  RecordMemory(const RecordMemory&) = delete;
  RecordMemory& operator=(const RecordMemory&) = delete;

  Chunk acquire();
  void release(const std::vector<Chunk>& chunks) noexcept;

 private:
  std::unique_ptr<Block> make_block();
  void destroy(Block& block);

  Device& device_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Chunk> free_;
};

// A u64 of a record, which is written in dwords.
inline void store_u64(uint32_t* dwords, uint32_t index, uint64_t value) {
  std::memcpy(dwords + index, &value, sizeof value);
}

// Where an allocation lies.
struct RecordAllocation {
  std::byte* memory = nullptr;  // null: there is none
  VkDeviceAddress address = 0;
  VkDescriptorSet set = VK_NULL_HANDLE;
  uint32_t offset = 0;  // dynamic offset for the set, and in the buffer
  VkBuffer buffer = VK_NULL_HANDLE;
  uint32_t block = UINT32_MAX;  // RecordMemory::Block::number
};

// One command buffer's part of it.
class RecordArena {
 public:
  RecordArena(RecordMemory& memory, uint32_t alignment) : memory_(memory), alignment_(alignment) {}
  ~RecordArena() { reset(); }
  RecordArena(const RecordArena&) = delete;
  RecordArena& operator=(const RecordArena&) = delete;

  // Aligned for a dynamic uniform buffer. Nothing where there is no memory, or `size` exceeds a chunk.
  RecordAllocation allocate(uint32_t size);
  // That with this memory. Nothing where it is not of this arena.
  RecordAllocation find(const void* memory) const;
  void reset() noexcept;

 private:
  static RecordAllocation place(const RecordMemory::Chunk& chunk, uint32_t offset);

  RecordMemory& memory_;
  const uint32_t alignment_;
  std::vector<RecordMemory::Chunk> chunks_;
  uint32_t used_ = RecordMemory::kChunkBytes;  // of the last chunk
};

}  // namespace shaderqa::layer
#endif
