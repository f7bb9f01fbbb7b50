// SPDX-License-Identifier: Apache-2.0
// The exact engine of a device (docs/internals/exact.md): its memory, the numbers it has given out, and who
// got them.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_EXACT_ENGINE_H
#define SHADERQA_LAYER_ENGINES_EXACT_EXACT_ENGINE_H

#include <vulkan/vulkan_core.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "host/order/submission_order.h"
#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_ranges.h"
#include "layer/engines/engine.h"
#include "layer/engines/exact/buffered_writes.h"
#include "layer/engines/exact/exact_commands.h"
#include "layer/engines/exact/exact_submissions.h"
#include "layer/engines/exact/range_pipeline.h"
#include "layer/engines/exact/read_logs.h"
#include "layer/engines/exact/redundant_barriers.h"
#include "layer/engines/exact/shadow_cells.h"
#include "layer/memory/device_buffer.h"

namespace shaderqa::layer {

class Device;
class HostReads;

// Who has a sequence number.
struct SequenceOwner {
  uint32_t action = 0;  // SQA_ACTION_NUMBER
  uint32_t class_number = 0;
  uint32_t queue = 0;
};

class ExactEngine final : public Engine {
 public:
  explicit ExactEngine(Device& device);
  ~ExactEngine() override;

  // Makes its memory on the first call. False, with one note, where there is none: then nothing is checked.
  bool require() { return is_ready() || make_once(); }
  // Once there is memory.
  VkDeviceAddress state_address() const { return state_->address(); }
  VkDeviceAddress pages_address() const { return cells_->tables_address(); }
  VkDeviceAddress outcomes_address() const { return outcomes_->address(); }

  // The buffer at the address may be written by shaders of work that is recorded from now on; reads of others
  // need no cells.
  void mark_written(VkDeviceAddress address);
  // Shaders of work that is recorded from now on store parts of words of the memory.
  void add_parts(const AddressSpan& memory);
  bool has_parts(const AddressSpan& memory) const {
    return cells_->has_parts(memory.begin, memory.end - memory.begin);
  }
  // Some buffer's cells do not follow each other, or may not.
  bool cells_are_apart() const { return cells_->are_apart(); }
  void expect_cells_apart() { cells_->expect_apart(); }
  uint64_t parts_generation() const { return cells_->parts_generation(); }
  // A command writes to the memory, from its recording until the recording goes.
  void hold_written(const HeldPages& held) { cells_->hold_written(held); }
  void release_written(const ExactCommands& commands);
  void mark_everything_written();
  // What shaders write through descriptors in descriptor buffers (docs/internals/descriptor-buffers.md).
  BufferedWrites& buffered_writes() { return buffered_writes_; }
  // The host counts the buffer as written, and reads of it need no cells until the device marks it.
  void suspect_written(VkDeviceAddress address);
  // Changes when more is written than before.
  uint64_t written_generation() const override { return is_ready() ? cells_->written_generation() : 0; }
  // As long as it is the same, what mark_written() has marked stays marked.
  uint64_t removals() const { return is_ready() ? cells_->removals() : 0; }
  // Bit i: may_be_written() of range i, of at most 32. Sizes are not 0.
  uint32_t written_among(std::span<const AddressSpan> ranges,
                         ShadowCells::Writers writers = ShadowCells::Writers::all) const {
    return cells_->written_among(ranges, writers);
  }
  // Whether any of the range has cells. size: not 0.
  bool has_cells(VkDeviceAddress address, VkDeviceSize size) const {
    return cells_->has_cells(address, size);
  }
  // Where the cell of the first word is, if the cells of all of the range follow it; else 0.
  VkDeviceAddress cells_of(VkDeviceAddress address, VkDeviceSize size) const {
    return cells_->cells_of(address, size);
  }

  // Made on the first call for a kind (SQA_RANGES_*). Null, with one note, where there is none: what commands
  // access by themselves is not checked. Once there is memory.
  const RangePipeline* range_pipeline(uint32_t kind);
  // The same of that which resolves descriptors.
  const RangePipeline* resolve_pipeline();

  // Buffers that actions and the engine's own dispatches and transfers share, for barriers between them; none
  // if there are too many to be named. Once there is memory.
  ShadowCells::Buffers barrier_buffers() const { return cells_->barrier_buffers(); }
  std::vector<VkBuffer> barrier_buffers_and(std::span<const VkBuffer> more) const;
  uint64_t barrier_generation() const { return cells_->barrier_generation(); }
  void add_barrier_buffer(VkBuffer buffer) { cells_->add_barrier_buffer(buffer); }

  // New cells were allocated, whose content is undefined until record_clears().
  bool owes_clear() const { return usable_ && cells_->owes_clear(); }
  // Recorded among transfers of the layer's own. Clears new cells, and all cells if a new epoch begins.
  void record_clears(VkCommandBuffer command_buffer, bool new_epoch);

  // The command buffer was given its numbers: shaders and reports may ask whose they are.
  void give_numbers(const std::shared_ptr<RecordedCommands>& recorded, const SubmissionOrigin& place);
  // By a cell's sequence number; nothing if that was too long ago.
  std::optional<SequenceOwner> find(uint32_t sequence) const;
  // The number counted since the device was made, which is of the current epoch or the last one; 0: none.
  uint64_t full_number(uint32_t sequence) const;
  // The barriers that the queue passed between the two accesses, the latest first, without those of the two
  // actions themselves.
  std::vector<RecordedBarrier> barriers_between(uint32_t earlier, uint32_t later, uint32_t queue) const;

  // Null: they are not looked for, or there is no memory.
  RedundantBarriers* redundant();

  ReadLogs& read_logs() { return read_logs_; }
  // That of a queue, below SQA_READ_QUEUES. Once there is memory.
  abi::ReadLog& read_log(uint32_t queue) { return state().read_logs[queue]; }

  SubmissionOrder order;
  ExactSubmissions& submissions() { return submissions_; }

  void set_options(VkShaderStageFlagBits stage, SyncOptions& options) const override;
  void add_shader(const ShaderRecord& record, const PipelineLayout& layout) override;
  void expect_parts() override { expects_parts_.store(true, std::memory_order_relaxed); }
  bool expects_parts() const override { return expects_parts_.load(std::memory_order_relaxed); }
  uint32_t add_record_block(VkDeviceAddress address) override;
  void add_memory(VkDeviceAddress address, VkDeviceSize size) override;
  void remove_memory(VkDeviceAddress address, VkDeviceSize size) override;
  void renew_memory(VkDeviceAddress address, VkDeviceSize size) override;
  void ignore_memory(VkDeviceAddress address, VkDeviceSize size) override;
  bool may_be_written(VkDeviceAddress address, VkDeviceSize size) const override {
    return cells_ && cells_->is_written(address, size);
  }
  void buffer_bound(VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset) override;
  void buffer_destroyed(VkBuffer buffer) override;
  void memory_freed(VkDeviceMemory memory) override;
  void memory_mapped(VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size) override;
  void memory_unmapped(VkDeviceMemory memory) override;
  void memory_invalidated(std::span<const VkMappedMemoryRange> ranges) override;
  std::unique_ptr<EngineRecorder> make_recorder(RecordingState& state) override;
  std::unique_ptr<EngineQueue> make_queue() override;
  std::vector<InsertedCommands> prepare_batch(SubmissionQueue& queue, const SubmittedBatch& batch) override;
  bool knows_order() const override { return order.is_in_order(); }
  void forget_earlier() override { order.forget_earlier(); }
  void bind_sparse(SubmissionQueue& queue, const SubmittedBatch& batch) override;
  void fence_submitted(SubmissionQueue& queue, VkFence fence) override;
  void semaphore_created(VkSemaphore semaphore, const VkSemaphoreCreateInfo& info) override;
  void semaphore_destroyed(VkSemaphore semaphore) override;
  void semaphore_imported(VkSemaphore semaphore, bool temporary) override;
  void semaphore_signalled_by_host(VkSemaphore semaphore, uint64_t value) override;
  void fence_destroyed(VkFence fence) override;
  void image_acquired(VkSemaphore semaphore, VkFence fence) override;
  void fence_seen(VkFence fence, bool sure) override;
  void semaphore_seen(VkSemaphore semaphore, uint64_t value, bool sure) override;
  void device_idle() override { order.device_idle(); }
  void something_seen() override { order.something_seen(); }
  void host_waited(const char* command) override;
  std::optional<OtherAccess> other_access(const CheckReport& report) const override;
  void finish_own_work() override;
  void report_at_end(bool done) override;
  void release_commands() override;

 private:
  struct Span {
    uint64_t first = 0;
    uint32_t numbers = 0;
    uint32_t queue = 0;
    std::shared_ptr<const RecordedCommands> recorded;
  };

  bool is_ready() const { return ready_.load(std::memory_order_acquire); }
  bool make_once();
  bool make();
  abi::ExactState& state() { return *reinterpret_cast<abi::ExactState*>(state_->mapped()); }
  void fill_table(const ExactCommands& commands, uint64_t first, uint32_t queue);
  const Span* span_of(uint64_t number) const;

  Device& device_;
  std::once_flag made_;
  bool usable_ = false;
  std::atomic<bool> ready_ = false;  // made, and usable
  std::unique_ptr<DeviceBuffer> state_, sequences_, record_blocks_, marks_, outcomes_;
  std::unique_ptr<ShadowCells> cells_;
  std::unique_ptr<RedundantBarriers> redundant_;
  std::atomic<uint32_t> blocks_ = 0;
  std::atomic<bool> expects_parts_ = false;
  BufferedWrites buffered_writes_;
  // Most programs need one of these, and a driver may take a second for each.
  struct LazyPipeline {
    std::once_flag made;
    std::unique_ptr<RangePipeline> pipeline;
  };
  std::array<LazyPipeline, SQA_RANGES_KINDS> range_pipelines_;
  LazyPipeline resolve_pipeline_;
  ReadLogs read_logs_;
  ExactSubmissions submissions_;
  std::unique_ptr<HostReads> host_reads_;  // null: what the host reads is not checked

  mutable std::mutex mutex_;
  std::deque<Span> spans_;  // by first
};

}  // namespace shaderqa::layer
#endif
