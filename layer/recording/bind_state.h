// SPDX-License-Identifier: Apache-2.0
// What is bound: pipelines, shader objects, descriptor sets, dynamic offsets, push descriptors.
#ifndef SHADERQA_LAYER_RECORDING_BIND_STATE_H
#define SHADERQA_LAYER_RECORDING_BIND_STATE_H

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "instrument/runtime/abi_action.h"
#include "layer/accesses/vertex_input.h"
#include "layer/recording/command_buffers.h"
#include "layer/recording/heap_state.h"
#include "layer/recording/pushed_constants.h"
#include "layer/resources/descriptor_entries.h"

namespace shaderqa::layer {

class HeapTables;
class RecordArena;
struct SetLayout;
struct PipelineCoverage;
struct DescriptorSet;

enum class BindPoint : uint8_t { graphics, compute, ray_tracing };
inline constexpr size_t kBindPoints = 3;

// One bind point.
struct Binds {
  std::shared_ptr<const CheckedPipeline> checked;  // null: actions need no record
  bool unchecked = false;       // a pipeline whose checked version was not ready is bound in its place
  bool left_out = false;        // the application's pipeline is bound, because checks are off
  bool checks_indirect = true;  // its shaders check what indirect commands read
  bool direct = false;          // they rely on the record's direct slots: EngineRecorder::found_directly()
  bool may_order = true;        // its shaders may order accesses of other actions, by atomics and fences
  std::shared_ptr<PipelineCoverage> coverage;  // of that pipeline; null: nobody asks
  VkPipeline own = VK_NULL_HANDLE;  // the application's, where there is a checked version beside it
  uint32_t checked_shaders = 0;     // VkShaderStageFlags of the shader objects that need one
  uint32_t heap_shaders = 0;        // of these, of those with descriptor heaps
  uint32_t heap_shaders_end = 0;    // RecordPlace::data_end for all that were bound
  // Stages of the shader objects for graphics that read the bytes in which heap_shaders find a record's
  // address, and of those whose twins, with the application's code, are bound in their place for that.
  uint32_t readers = 0, twins = 0;
  std::array<VkShaderEXT, 8> shaders{};  // by number of the stage's bit, as the application bound them
  // For compute, to bind it again after a dispatch of the layer's own: one of them, or nothing is bound.
  VkPipeline pipeline = VK_NULL_HANDLE;
  VkShaderEXT compute_shader = VK_NULL_HANDLE;

  VkPipelineLayout layout = VK_NULL_HANDLE;            // that sets were last bound with
  VkPipelineLayout constants_layout = VK_NULL_HANDLE;  // that push constants were last set with
  std::array<VkDescriptorSet, SQA_MAX_SETS> sets{};
  uint32_t bound_sets = 0;      // bit i: sets[i] is not null
  uint32_t unknown_tables = 0;  // bit i: the table of sets[i] was not looked up yet
  // As find_tables() found them; valid as long as DescriptorSets::removals() is the same.
  std::array<const DescriptorSet*, SQA_MAX_SETS> known_sets{};
  uint64_t removals = 0;
  std::array<VkDeviceAddress, SQA_MAX_SETS> tables{};
  uint32_t ever_set = 0;  // bit i: tables[i] was
  // Counts the changes of all tables; changed[i] is the count at the last change of tables[i]. Whoever
  // derives something from descriptors derives it again when the count is another one. Counts never repeat.
  uint64_t changes = 0;
  std::array<uint64_t, SQA_MAX_SETS> changed{};
  std::array<uint32_t, SQA_ACTION_MAX_DYNAMIC> dynamic{};

  // Binding a record disturbs the sets that were bound with a longer layout than the pipeline's, as Vulkan
  // has it. They are bound again for whoever may use them.
  std::array<VkPipelineLayout, SQA_MAX_SETS> bound_with{};
  std::array<uint64_t, SQA_MAX_SETS> bound_at{};  // the command that did, by number
  uint64_t set_commands = 0;
  uint32_t disturbed = 0;
  VkPipelineLayout disturbs_nothing = VK_NULL_HANDLE;  // a record that is bound with it; since the last bind
  // The layout of ours that all sets were bound with again (record_address.h), since the last bind.
  VkPipelineLayout moved_to = VK_NULL_HANDLE;

  // A set of push descriptors. Its table is written at the next action: earlier actions keep theirs.
  struct Pushed {
    uint32_t set = 0;
    std::shared_ptr<const SetLayout> layout;
    std::vector<TableEntry> entries;
    bool dirty = false;
  };
  std::vector<Pushed> pushed;

  // Graphics only.
  struct Indices {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceSize offset = 0, size = 0;
    uint32_t index_bytes = 0;  // 0: of a type that is not known
    uint64_t unwritten = 0;    // the Engine::written_generation() at which nothing wrote the buffer
  };
  Indices indices;
  struct Vertices {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceSize offset = 0, size = VK_WHOLE_SIZE;
    std::optional<uint32_t> stride = {};  // where that is dynamic
    uint64_t unwritten = 0;               // as Indices::unwritten
  };
  std::vector<Vertices> vertices;             // by binding
  std::shared_ptr<const VertexStage> vertex;  // null: nothing is known of what it reads
  bool reads_vertices = false;                // it may read vertex buffers
  std::shared_ptr<const VertexLayout> dynamic_layout;
  std::optional<std::vector<VertexSpan>> dynamic_spans;  // of both; none: not worked out yet

  void set_vertex(std::shared_ptr<const VertexStage> stage) {
    if (stage == vertex) return;
    vertex = std::move(stage);
    reads_vertices = vertex && (vertex->dynamic_layout || !vertex->spans.empty());
    dynamic_spans.reset();
  }
  // Where sets lie: in which of the descriptor buffers that are bound, and from which byte on.
  struct InBuffer {
    uint32_t buffer = UINT32_MAX;
    VkDeviceSize offset = 0;
    std::shared_ptr<const SetLayout> layout = nullptr;  // null: not known
  };
  std::array<InBuffer, SQA_MAX_SETS> in_buffers{};
  bool buffered = false;  // rather than of a descriptor set, it was said last where one lies in a buffer

  bool needs_record() const { return checked || (checked_shaders & ~twins); }
  // Records are found by push data.
  bool by_push_data() const { return checked ? checked->by_push_data() : (heap_shaders & ~twins) != 0; }
  // Sets that are bound are so no longer.
  void forget_sets();
  void set_bound(uint32_t number, VkDescriptorSet set, VkPipelineLayout with) {
    buffered = false;
    sets[number] = set;
    bound_with[number] = with;
    bound_at[number] = set_commands;
    moved_to = VK_NULL_HANDLE;
    const uint32_t bit = 1u << number;
    bound_sets = set ? bound_sets | bit : bound_sets & ~bit;
    unknown_tables |= bit;
    disturbed &= ~bit;
    if (with != disturbs_nothing) disturbs_nothing = VK_NULL_HANDLE;
  }
  void set_table(uint32_t set, VkDeviceAddress address) {
    tables[set] = address;
    ever_set |= 1u << set;
    changed[set] = ++changes;
  }
};

class BindState {
 public:
  Binds& at(BindPoint point) { return binds_[static_cast<size_t>(point)]; }
  void reset();

  // dynamic_offsets: what the command has left, the sets' own taken off its front.
  void bind_sets(const Device& device, BindPoint point, VkPipelineLayout layout, uint32_t first,
                 std::span<const VkDescriptorSet> sets, std::span<const uint32_t> dynamic_offsets) {
    leave_heaps();
    Binds& binds = at(point);
    ++binds.set_commands;
    // Most often one set takes the place of another.
    if (sets.size() == 1 && dynamic_offsets.empty() && layout == binds.layout && binds.pushed.empty() &&
        first < SQA_MAX_SETS) {
      binds.set_bound(first, sets[0], layout);
      return;
    }
    bind_any_sets(device, binds, layout, first, sets, dynamic_offsets);
  }
  // The slots that a push descriptor command writes; null where it is not understood.
  Binds::Pushed* pushed_set(const Device& device, BindPoint point, VkPipelineLayout layout, uint32_t set);
  void push_constants(VkPipelineLayout layout, VkShaderStageFlags stages, uint32_t offset, uint32_t size,
                      const void* values);
  void bind_descriptor_buffers(std::span<const VkDescriptorBufferBindingInfoEXT> buffers);
  // layouts: of the sets from 0 on, as far as they are known.
  void set_buffer_offsets(BindPoint point, uint32_t first, std::span<const uint32_t> buffers,
                          std::span<const VkDeviceSize> offsets,
                          std::span<const std::shared_ptr<const SetLayout>> layouts);
  // Into an action record: where the layout's sets in descriptor buffers begin.
  void write_buffered_sets(BindPoint point, const PipelineLayout& layout, uint32_t* dwords) const;
  PushedConstants& constants() { return constants_; }
  const HeapState& heaps() const { return heaps_; }
  HeapState& heaps() { return heaps_; }
  // The application binds a heap, or pushes data: descriptor sets and push constants are invalid.
  HeapState& use_heaps() {
    if (!heaps_.valid()) forget_sets();
    return heaps_;
  }
  // The layer has pushed data while sets, not heaps, are the application's.
  void disturb_sets_and_constants();
  // Before tables of push descriptors are written: what is at addresses in push data is one, too.
  void set_pushed_addresses(const Device& device, Binds& binds, const HeapTables& tables) const;
  // Into an action record: where the other tables are.
  void write_heap_tables(const HeapTables& tables, uint32_t* dwords) const;

 private:
  void forget_sets();
  // The application uses descriptor sets, push constants, or descriptor buffers.
  void leave_heaps() {
    if (heaps_.valid()) heaps_.invalidate();
  }
  static void bind_any_sets(const Device& device, Binds& binds, VkPipelineLayout layout, uint32_t first,
                            std::span<const VkDescriptorSet> sets, std::span<const uint32_t> dynamic_offsets);

  std::array<Binds, kBindPoints> binds_;
  PushedConstants constants_;
  HeapState heaps_;
  std::vector<VkDeviceAddress> descriptor_buffers_;
};

// The descriptors of a set, as they are when an action is recorded.
class BoundTable {
 public:
  BoundTable() = default;
  explicit BoundTable(const DescriptorSet* set) : set_(set) {}
  explicit BoundTable(const Binds::Pushed* pushed) : pushed_(pushed) {}
  // Whether anything is known of them.
  explicit operator bool() const { return set_ || pushed_; }
  uint32_t slots() const;
  const SetLayout* layout() const;  // null: nothing is known of them
  TableEntry load(uint32_t slot) const;
  // As DescriptorSet has it; 0: what is pushed has none.
  uint64_t version() const;
  // They may be others when the action runs.
  bool updated_after_bind() const;

 private:
  const DescriptorSet* set_ = nullptr;
  const Binds::Pushed* pushed_ = nullptr;
};
BoundTable bound_table(const Device& device, const Binds& bound, uint32_t set);

// A record is bound, with this layout.
void disturb_sets(const Device& device, Binds& binds, VkPipelineLayout handle, const PipelineLayout& layout);
// Binds again what that disturbed, of the first `count` sets.
void restore_sets(const Device& device, VkCommandBuffer commands, VkPipelineBindPoint point, Binds& binds,
                  uint32_t count);

// Looks up the sets and tables of what was bound since the last action with a record.
void find_tables(const Device& device, Binds& binds);
// Writes the tables of what was pushed since the last action.
void write_pushed_tables(Binds& binds, RecordArena& arena);

// Nothing for bind points where no shader is checked: subpass shading, and newer ones.
inline std::optional<BindPoint> point_of(VkPipelineBindPoint bind_point) {
  switch (bind_point) {
    case VK_PIPELINE_BIND_POINT_GRAPHICS:
      return BindPoint::graphics;
    case VK_PIPELINE_BIND_POINT_COMPUTE:
      return BindPoint::compute;
    case VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR:
      return BindPoint::ray_tracing;
    default:
      return std::nullopt;
  }
}
// Bit i: BindPoint i.
uint32_t bind_points_of(VkShaderStageFlags stages);

}  // namespace shaderqa::layer
#endif
