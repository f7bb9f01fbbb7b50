// SPDX-License-Identifier: Apache-2.0
// Records what commands access by themselves: dispatches of the layer's own (RangePipeline) enter it in the
// cells. Accesses are gathered until something comes that must find them there.
#ifndef SHADERQA_LAYER_ENGINES_EXACT_RANGE_RECORDER_H
#define SHADERQA_LAYER_ENGINES_EXACT_RANGE_RECORDER_H

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "layer/engines/exact/range_pipeline.h"
#include "layer/memory/record_arena.h"
#include "layer/recording/command_accesses.h"

namespace shaderqa::layer {

class ExactEngine;
class ExactRecorder;
struct RecordingState;

BoundDescriptors bound_for_compute(RecordingState& state);

// Part of an ExactRecorder.
class RangeRecorder {
 public:
  RangeRecorder(ExactEngine& engine, ExactRecorder& recorder, RecordingState& state)
      : engine_(engine), recorder_(recorder), state_(state) {}

  void reset();
  bool can_record() const;
  // floors: 0 for those of its place in the command buffer. False: not all of it could be recorded.
  bool record(const CommandAccesses& accesses, VkDeviceAddress floors);
  void flush();

  // What draws read of index and vertex buffers. It is stored in the cells behind their render pass.
  bool can_record_input() const;
  void record_input(CommandAccesses&& draw);
  // What a render pass reads and writes of its attachments, with the number and the floors of its begin. It
  // is stored behind the pass, too: what the pass's shaders access of the same images is not compared with
  // it.
  void record_attachments(CommandAccesses&& pass);
  // The render pass may overwrite, in order, the indices and arguments that it has drawn with. The layer
  // would read them behind the pass, so they are left out.
  void forget_late_input();
  void drop_input();
  // What draws until here have read is unordered with the draws up to this sequence number, and not further.
  void close_input(uint32_t last);
  void behind_pass();
  // Shaders of the render pass, or of secondary command buffers, may log what they read
  // (ReadLogs). It is checked as soon as a dispatch can be recorded.
  void expect_logged_reads() { logged_ = true; }
  bool expects_logged_reads() const { return logged_; }

 private:
  // The accesses of one command, with its place in the command buffer.
  struct Entry {
    uint32_t number = 0;  // SQA_ACTION_NUMBER
    // The three parts of SQA_ACTION_SEQUENCE. own: 0 where nothing is known of later draws of the pass.
    uint32_t sequence = 0, own = 0, last = 0;
    VkDeviceAddress floors = 0;
    uint32_t ordered_before = 0;  // SQA_ACTION_ORDERED_BEFORE
    uint32_t main_class = 0;
    std::vector<MemoryRange> ranges;
  };

  bool take_entry(const CommandAccesses& accesses, VkDeviceAddress floors, Entry& entry);
  // Writes the record that RangePipeline dispatches; nothing if there is no memory.
  RecordAllocation write_ranges(const Entry& entry, std::span<const MemoryRange> ranges, uint32_t groups);
  // Null: they cannot be checked.
  const RangePipeline* pipeline_for(uint32_t main_class);
  bool dispatch(std::span<const Entry> entries);
  // Records what checks the read log. False: there is nothing to check, or it has to wait.
  bool dispatch_logged_reads();
  void hold_written(std::span<const MemoryRange> ranges, bool transition);

  ExactEngine& engine_;
  ExactRecorder& recorder_;
  RecordingState& state_;
  std::vector<Entry> gathered_;  // of commands since the last action; they do not meet in memory
  size_t gathered_ranges_ = 0;
  std::vector<Entry> input_;  // of the render pass
  size_t open_input_ = 0;     // the first one that close_input() has not seen
  bool logged_ = false;
  RecordAllocation log_record_;  // of this recording
  // Floors, address, bytes, rows and pitch of what is in it.
  std::set<std::tuple<VkDeviceAddress, VkDeviceAddress, uint64_t, uint64_t, uint64_t, NamedRows, DrawnRows>>
      input_ranges_;
};

}  // namespace shaderqa::layer
#endif
