// SPDX-License-Identifier: Apache-2.0
// Records dispatches of the layer's own that look up an action's descriptors in descriptor buffers
// (docs/internals/descriptor-buffers.md#resolved-descriptors).
#ifndef SHADERQA_LAYER_ENGINES_EXACT_RESOLVE_RECORDER_H
#define SHADERQA_LAYER_ENGINES_EXACT_RESOLVE_RECORDER_H

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "layer/accesses/dependency.h"
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
  // False, with a note: there is no dispatch that could look at this action's descriptors, and none can be
  // recorded here.
  bool can_record(const ActionRecord& record);
  // What the device writes may be read as descriptors from here on.
  void descriptors_may_change() { together_ = {}; }
  static bool may_change_descriptors(std::span<const Dependency> dependencies);
  // Where compute pipelines may be bound, behind a barrier of the layer's own: marks what comes later in the
  // command buffer, where the application has got storage descriptors.
  void look_ahead();
  // In front of the action, or with those of actions before it. directly: the shader looks nothing up. False,
  // with a note: there is no memory.
  bool record(const Action& action, const Binds& bound, const ActionRecord& record, bool directly);
  void execute(const ExactCommands& secondary);
  void end();

 private:
  bool require_list(const std::shared_ptr<const PipelineLayout>& layout);
  bool require_ahead();
  // Whether the action is, or will be, among those that the dispatch of require_ahead() marks the writes of.
  bool add_ahead(const ActionRecord& record, VkDeviceAddress address);
  RecordAllocation make_record(VkDeviceAddress list, uint32_t flags);
  void dispatch(const RecordAllocation& record);
  // A dispatch for actions with records in this memory; false: there is no memory.
  bool begin_together(const RecordAllocation& place);
  // Whether the last dispatch can resolve those of another action, whose record lies there.
  bool has_room_for(const RecordAllocation& place) const;
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
  // The last dispatch that resolves descriptors, while more actions may have theirs resolved by it.
  struct Together {
    std::byte* descriptors = nullptr;  // SQA_RESOLVED_TOGETHER quads; null: there is no such dispatch
    uint32_t count = 0;
    VkBuffer records = VK_NULL_HANDLE;  // of the actions; barriers behind the dispatch are for this one
  };
  Together together_;
};

}  // namespace shaderqa::layer
#endif
