// SPDX-License-Identifier: Apache-2.0
// What a command buffer does to the layouts of images, and which ones it names, in its order
// (docs/internals/images.md#layouts).
#ifndef SHADERQA_LAYER_RECORDING_LAYOUT_STEPS_H
#define SHADERQA_LAYER_RECORDING_LAYOUT_STEPS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "layer/accesses/layout_map.h"

namespace shaderqa::layer {

class BoundTable;
class Device;
class RecordArena;
enum class BindPoint : uint8_t;
struct Binds;
struct RecordedCommands;

// Written by the thread that records; constant from vkEndCommandBuffer on, but for what submissions write.
class LayoutSteps {
 public:
  enum class Kind : uint8_t {
    access,  // a command or render pass accesses the subresources in this layout
    old,     // the same, where it changes the layout: it names the one before
    change,  // they are in this layout from now on
    forget,  // it is not known which one they are in
    forget_all,
    execute,  // a secondary command buffer
    actions   // whose descriptors name layouts
  };
  struct Step {
    Kind kind = Kind::forget_all;
    uint32_t number = 0;  // in origins(), executed() or groups()
    uint64_t image = 0;   // address
    VkImageSubresourceRange range{};
    VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
  };
  // A descriptor.
  struct Slot {
    uint32_t set = 0, slot = 0;
    uint64_t image = 0;
    VkImageSubresourceRange range{};
    VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
  };
  // A set whose descriptors the program may still change until it submits the command buffer.
  struct LateSet {
    VkDescriptorSet handle = VK_NULL_HANDLE;
    uint32_t set = 0;
  };
  struct Span {
    uint32_t first = 0, count = 0;
  };
  // Actions that follow each other with the same sets, and no step between them.
  struct Group {
    Span lists;            // of spans of slots
    Span late;             // sets
    Span records;          // of their actions
    uint32_t written = 0;  // what the records have at SQA_ACTION_LAYOUTS; by submissions
    uint32_t serial = 0;   // of the submission that wrote it
    // Where their descriptors are in buffers or heaps: SQA_VIEW_LAYOUT_DWORDS, as the shaders read them, and
    // what is written there.
    uint32_t* views = nullptr;
    std::vector<uint32_t> written_views;
  };

  LayoutSteps() = default;

  // The command that the next steps are of. labels: of its place, the innermost first, as
  // RecordedAction::label.
  void command(const RecordedCommands& recorded, const char* name, uint32_t label);
  void add(Kind kind, uint64_t image, const VkImageSubresourceRange& range, VkImageLayout layout);
  void forget(uint64_t image, const VkImageSubresourceRange& range);
  void forget_all();
  void execute(std::shared_ptr<const RecordedCommands> secondary);
  // An action with a record, behind find_tables(). views: its descriptors are in buffers or heaps, and the
  // memory for what is wrong with them is taken from there. Returns the address of that memory, or 0.
  VkDeviceAddress action(const Device& device, const Binds& bound, BindPoint point, uint32_t number,
                         uint32_t* record, RecordArena* views);

  std::span<const Step> steps() const { return steps_; }
  const LayoutOriginRef& origin(const Step& step) const { return origins_[step.number].origin; }
  const RecordedCommands& executed(const Step& step) const { return *executed_[step.number]; }
  Group& group(const Step& step) const { return groups_[step.number]; }
  std::span<const Span> lists(const Group& group) const {
    return std::span(lists_).subspan(group.lists.first, group.lists.count);
  }
  std::span<const LateSet> late(const Group& group) const {
    return std::span(late_).subspan(group.late.first, group.late.count);
  }
  // The descriptors of images that the table has now.
  static void append_slots(const Device& device, const BoundTable& table, uint32_t set,
                           std::vector<Slot>& slots);
  std::span<const Slot> slots(const Span& list) const {
    return std::span(slots_).subspan(list.first, list.count);
  }
  // Writes the dword of all records of the group.
  void write(Group& group, uint32_t value) const;
  static void write_views(Group& group, std::vector<uint32_t>&& dwords);
  std::shared_ptr<const std::vector<uint32_t>> numbers(const Group& group) const;

 private:
  struct Origin {
    uint32_t label = 0;
    LayoutOriginRef origin;
  };
  struct Record {
    uint32_t number = 0;
    uint32_t* dwords = nullptr;
  };
  void begin_group(const Device& device, const Binds& bound, RecordArena* views);
  Span list_of(const Device& device, const BoundTable& table, uint32_t set);

  std::vector<Step> steps_;
  std::vector<Origin> origins_;
  std::vector<std::shared_ptr<const RecordedCommands>> executed_;
  mutable std::vector<Group> groups_;
  std::vector<Span> lists_;
  std::vector<Slot> slots_;
  std::vector<LateSet> late_;
  std::vector<Record> records_;
  std::unordered_map<uint64_t, Span> known_;  // by DescriptorSet::version() and the set's number
  bool open_ = false;                         // the last group can have more actions
  bool empty_ = false;                        // but has no descriptors
  BindPoint open_point_{};
  bool open_views_ = false;
  VkDeviceAddress views_address_ = 0;  // of the last group
  uint64_t open_changes_ = 0;          // Binds::changes
};

}  // namespace shaderqa::layer
#endif
