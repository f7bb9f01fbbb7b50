// SPDX-License-Identifier: Apache-2.0
// Records dispatches of the layer's own that look up an action's descriptors in descriptor buffers
// (docs/internals/descriptor-buffers.md#resolved-descriptors).
#ifndef SHADERQA_LAYER_ENGINES_EXACT_RESOLVE_RECORDER_H
#define SHADERQA_LAYER_ENGINES_EXACT_RESOLVE_RECORDER_H

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "layer/memory/record_arena.h"

namespace shaderqa::layer {

class ExactEngine;
class ExactRecorder;
struct Action;
struct ActionRecord;
struct Binds;
struct ExactCommands;
struct PipelineLayout;
struct RecordingState;

// Part of an ExactRecorder.
class ResolveRecorder {
 public:
  ResolveRecorder(ExactEngine& engine, ExactRecorder& recorder, RecordingState& state)
      : engine_(engine), recorder_(recorder), state_(state) {}

  // Whether the shader relies on what a dispatch in front of the action says in its record.
  static bool is_needed(const Action& action, const Binds& bound);

  void reset();
  // False, with a note: there can be no dispatch here.
  bool can_record();
  // Where compute pipelines may be bound, behind a barrier of the layer's own: marks what comes later in the
  // command buffer, where the application has got storage descriptors.
  void look_ahead();
  // In front of the action. False, with a note: there is no memory.
  bool record(const Action& action, const Binds& bound, const ActionRecord& record);
  void execute(const ExactCommands& secondary);
  void end();

 private:
  bool require_list(const std::shared_ptr<const PipelineLayout>& layout);
  bool require_ahead();
  void dispatch(const RecordAllocation& record, uint32_t groups);
  void write_ahead();

  ExactEngine& engine_;
  ExactRecorder& recorder_;
  RecordingState& state_;
  // The list of the last layout.
  std::shared_ptr<const PipelineLayout> layout_;
  size_t written_ = 0;  // WrittenSlots::version() of the list
  VkDeviceAddress list_ = 0;
  uint32_t flags_ = 0, count_ = 0;
  bool writes_ = false;
  // What has been noted last in ExactCommands::ahead: the list, and where sets lie.
  uint64_t last_list_ = 0;
  uint32_t last_tables_[2 * SQA_MAX_SETS] = {};
  RecordAllocation ahead_;  // the record of the dispatch that marks what is written later
};

}  // namespace shaderqa::layer
#endif
