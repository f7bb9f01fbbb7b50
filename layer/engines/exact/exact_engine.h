// SPDX-License-Identifier: Apache-2.0
// What a device has of the exact engine (docs/exact.md): its memory, the numbers it has given out, and who
// got them.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_EXACT_ENGINE_H
#define SHADERQA_LAYER_ENGINES_EXACT_EXACT_ENGINE_H

#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "host/order/submission_order.h"
#include "instrument/runtime/abi.h"
#include "layer/engines/exact/exact_recorder.h"
#include "layer/engines/exact/range_pipeline.h"
#include "layer/engines/exact/redundant_barriers.h"
#include "layer/engines/exact/shadow_cells.h"
#include "layer/memory/device_buffer.h"
#include "layer/pipelines/vertex_stages.h"
#include "layer/vk/handle_table.h"

namespace shaderqa::layer {

class Device;

// Who has a sequence number.
struct SequenceOwner {
  uint32_t action = 0;  // SQA_ACTION_NUMBER
  uint32_t class_number = 0;
  uint32_t queue = 0;
};

// What copies need to know of them.
struct ImageFacts {
  VkFormat format = VK_FORMAT_UNDEFINED;
  uint32_t layers = 0;
};
struct QueryPoolFacts {
  uint32_t values = 0;          // of a query's result; 0: not known
  bool counts_compute = false;  // dispatches of the layer's own would show in its results
};
// Where an acceleration structure is.
struct StructureFacts {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0, size = 0;
};

// Thread-safe.
class ExactEngine {
 public:
  explicit ExactEngine(Device& device) : device_(device) {}
  ~ExactEngine();
  ExactEngine(const ExactEngine&) = delete;
  ExactEngine& operator=(const ExactEngine&) = delete;

  // Its memory, made on the first call. False, with one note, where there is none: then nothing is checked.
  bool require();
  // OneTimeCommands there is memory.
  VkDeviceAddress state_address() const { return state_->address(); }
  VkDeviceAddress pages_address() const { return cells_->tables_address(); }
  abi::ExactState& state() { return *reinterpret_cast<abi::ExactState*>(state_->mapped()); }
  // The newest one that was given out.
  uint32_t current_sequence() const { return sequence_of(order.newest()); }

  // Memory that something on the device can write, from a buffer's binding to its destruction.
  void add_memory(VkDeviceAddress address, VkDeviceSize size);
  void remove_memory(VkDeviceAddress address, VkDeviceSize size);

  // The buffer at the address may be written by shaders of work that is recorded from now on; reads of others
  // need no cells.
  void mark_written(VkDeviceAddress address);
  // By a command, from its recording until the recording goes.
  void hold_written(VkDeviceAddress address, VkDeviceSize size) { cells_->hold_written(address, size); }
  void release_written(const RecordedCommands& recording);
  void mark_everything_written();
  bool is_written(VkDeviceAddress address, VkDeviceSize size) const {
    return cells_->is_written(address, size);
  }
  // Where the cell of the first word is, if the cells of all of the range follow it; else 0.
  VkDeviceAddress cells_of(VkDeviceAddress address, VkDeviceSize size) const {
    return cells_->cells_of(address, size);
  }
  // Changes when more is written than before.
  uint64_t written_generation() const { return cells_->written_generation(); }

  // The number by which the range pipeline finds a block of records; UINT32_MAX: it does not.
  uint32_t add_record_block(VkDeviceAddress address);
  // Made on the first call. Null, with one note, where there is none: what commands access by themselves is
  // not checked. OneTimeCommands there is memory.
  const RangePipeline* range_pipeline();

  // Cells hold anything until then.
  bool owes_clear() const { return usable_ && cells_->owes_clear(); }
  // Among transfers of the layer's own: new cells hold nothing; those of before forget what they hold where a
  // new epoch begins.
  void record_clears(VkCommandBuffer command_buffer, bool new_epoch);

  // The command buffer was given its numbers: shaders and reports may ask whose they are.
  void give_numbers(const std::shared_ptr<RecordedCommands>& recording, const SubmissionOrigin& place);
  // By a cell's sequence number; nothing where that was too long ago.
  std::optional<SequenceOwner> find(uint32_t sequence) const;
  // In full: of the current epoch or the last one; 0: none.
  uint64_t full_number(uint32_t sequence) const;
  // What that queue passed between them, the latest first; of the actions themselves nothing.
  std::vector<RecordedBarrier> barriers_between(uint32_t earlier, uint32_t later, uint32_t queue) const;

  // Null: they are not looked for, or there is no memory.
  RedundantBarriers* redundant();
  // At the end: what was found. done: all work is.
  void list_redundant(bool done);

  SubmissionOrder order;
  HandleTable<VkImage, ImageFacts> images;
  HandleTable<VkQueryPool, QueryPoolFacts> query_pools;
  HandleTable<VkAccelerationStructureKHR, StructureFacts> structures;
  VertexStages vertex_stages;

 private:
  struct Span {
    uint64_t first = 0;
    uint32_t numbers = 0;
    uint32_t queue = 0;
    std::shared_ptr<const RecordedCommands> recording;
  };

  bool make();
  void fill_table(const RecordedCommands& recording, uint64_t first, uint32_t queue);
  const Span* span_of(uint64_t number) const;

  Device& device_;
  std::once_flag made_;
  bool usable_ = false;
  std::unique_ptr<DeviceBuffer> state_, sequences_, record_blocks_, marks_, outcomes_;
  std::unique_ptr<ShadowCells> cells_;
  std::unique_ptr<RedundantBarriers> redundant_;
  std::atomic<uint32_t> blocks_ = 0;
  std::once_flag pipeline_made_;
  std::unique_ptr<RangePipeline> pipeline_;

  mutable std::mutex mutex_;
  std::deque<Span> spans_;  // by first
};

}  // namespace shaderqa::layer
#endif
