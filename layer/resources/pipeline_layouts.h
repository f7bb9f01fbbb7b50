// SPDX-License-Identifier: Apache-2.0
// Descriptor set layouts and pipeline layouts: where each descriptor is in its set's table, and whether the
// action record can be bound.
#ifndef SHADERQA_LAYER_RESOURCES_PIPELINE_LAYOUTS_H
#define SHADERQA_LAYER_RESOURCES_PIPELINE_LAYOUTS_H

#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "instrument/instrument.h"
#include "layer/resources/lease.h"
#include "layer/resources/longer_constants.h"
#include "layer/resources/written_slots.h"
#include "layer/vk/handle_table.h"

namespace shaderqa::layer {

class DeviceContext;
class HeapTables;
class WrittenSlots;

constexpr bool is_dynamic(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
         type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}
constexpr bool is_texel_buffer(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
}
// Whether descriptors of the type have slots in a table.
constexpr bool has_slots(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER ||
         is_dynamic(type) || is_texel_buffer(type);
}

// The same where images are checked.
constexpr bool has_image_slots(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE || type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE ||
         type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER || type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
}

struct BindingSlots {
  uint32_t binding = 0;
  VkDescriptorType type{};
  uint32_t count = 0;             // descriptors (bytes of inline uniform blocks: 0 slots)
  uint32_t slot = 0;              // of element 0; UINT32_MAX if the type has no slots (images, samplers, ...)
  uint32_t dynamic = UINT32_MAX;  // number of element 0 among the set's dynamic offsets
  bool variable_count = false;
  std::vector<VkDescriptorType> mutable_types;  // of a mutable binding
  VkShaderStageFlags stages = 0;
  // In a descriptor buffer, where it is known: bytes from the begin of the set, and from one descriptor to
  // the next.
  uint32_t buffer_offset = UINT32_MAX, buffer_stride = 0;
};
inline bool can_hold(const BindingSlots& binding, VkDescriptorType type) {
  return binding.type == type ||
         std::ranges::find(binding.mutable_types, type) != binding.mutable_types.end();
}

// Immutable once made. Bindings are sorted by number. Slots are prefix sums over the bindings whose
// descriptors are, or (mutable) can be, storage, uniform or texel buffers.
struct SetLayout {
  std::vector<BindingSlots> bindings;
  uint32_t slots = 0;  // all of them, with a variable-count binding at its upper bound
  uint32_t dynamic_count = 0;
  bool push_descriptors = false;
  bool descriptor_buffer = false;
  bool update_after_bind = false;
  bool images = false;       // their descriptors have slots
  uint32_t input_slots = 0;  // bit i: slot i can be an input of a subpass; of the first SQA_WATCHED_SLOTS
  std::vector<VkSampler> immutable_samplers;
  bool is_buffered() const { return descriptor_buffer && !push_descriptors; }
  const BindingSlots* find(uint32_t binding) const;
  // Slots of a set that was allocated with this many descriptors in its variable-count binding.
  uint32_t slots_with(uint32_t variable_count) const;
};
// images: they are checked.
std::shared_ptr<SetLayout> read_set_layout(const VkDescriptorSetLayoutCreateInfo& info, bool images = false);
// Finds out where the bindings of a set in a descriptor buffer lie. False: some are not followed.
bool place_in_buffer(const DeviceContext& device, VkDescriptorSetLayout handle, SetLayout& layout);

// Immutable once made, except for `written`. It outlives the VkPipelineLayout for command buffers and
// pipelines that refer to it.
struct PipelineLayout {
  std::vector<std::shared_ptr<const SetLayout>> sets;  // the application's; null where its layout is null
  std::vector<uint32_t> first_dynamic;                 // of each set: its index among all dynamic offsets
  std::vector<VkPushConstantRange> constants;
  bool has_record = false;  // the reserved set is in it
  // Where there is no room for the reserved set: the same layout with a push constant for the record's
  // address, with which checked pipelines are made. Null: it cannot have that either.
  std::shared_ptr<LayoutLease> with_constant;
  LongerConstants longer;    // that layout's; with heaps, only where in push data the record's address is
  std::string no_set;        // why there is no room
  bool independent = false;  // for a library; the linked pipeline may have more sets
  // The same layout created without the application's allocator, which the application may free before its
  // pipelines. Null: the layout itself was created without one.
  std::shared_ptr<LayoutLease> twin;
  // Without the reserved set; only for devices whose indirect execution sets may need that.
  VkPipelineLayout as_given = VK_NULL_HANDLE;
  // For libraries with independent layouts, whose pipelines may have other sets where the application's
  // layout has none: with its null set layouts, and (before_others) with null between its sets and the
  // reserved one. Null: as the layout.
  std::shared_ptr<LayoutLease> beside_others, before_others;
  std::vector<DescriptorSlots> descriptors;  // for SyncOptions
  bool has_direct = false;                   // whether one of these is direct, or resolved
  std::shared_ptr<WrittenSlots> written;     // grows with pipelines
  // Its sets are in descriptor buffers, so the record is pushed.
  bool descriptor_buffers = false;
  // There is no VkPipelineLayout: what the tables in the action records of pipelines with descriptor heaps
  // are, or of all shader objects with them.
  std::shared_ptr<HeapTables> heaps;
  uint32_t push_data_end = 0;  // of what shaders declare then, in front of the record's address
};

// Whether binds with one of the layouts leave sets up to this number undisturbed that were bound with the
// other one. Set layouts that are alike, but not the same object, count as different.
bool are_compatible(const PipelineLayout& one, const PipelineLayout& other, uint32_t set);

// A pipeline with checked accesses. Command buffers share it, because the pipeline can be destroyed before
// they are reset.
struct CheckedPipeline {
  std::shared_ptr<LayoutLease> lease;  // of the layout that it was made with
  std::shared_ptr<const PipelineLayout> layout;
  bool footprints_complete = false;  // all that its shaders access is noted (docs/internals/redundant.md)
  // It finds the record by a push constant; `lease` is of the layout that has it.
  bool by_constant() const { return layout->with_constant != nullptr; }
  // It finds the record by push data, and has no lease.
  bool by_push_data() const { return layout->heaps != nullptr; }
  // What records of its actions need of the layout: so many sets, and dynamic offsets.
  uint32_t sets = 0, dynamic = 0;
};

// Says, once, that pipelines with such layouts are not checked.
void note_unchecked_layout(const DeviceContext& device, const std::string& reason);

// Thread-safe. Used only if the device checks accesses, or makes pipelines in two versions.
class PipelineLayouts {
 public:
  explicit PipelineLayouts(const DeviceContext& device);
  ~PipelineLayouts();  // before the next layer's vkDestroyDevice

  // The number of the reserved set.
  uint32_t record_set() const { return record_set_; }
  // Has one UNIFORM_BUFFER_DYNAMIC at binding 0 for all stages. Made on the first call; null if the driver
  // fails.
  VkDescriptorSetLayout record_set_layout() { return own_layouts().bound.record; }
  VkDescriptorSetLayout empty_set_layout() { return own_layouts().bound.empty; }

  // Describes a pipeline layout (or a shader object) with these set layouts; has_record is left false.
  PipelineLayout describe(std::span<const VkDescriptorSetLayout> set_layouts) const;
  // The same set layouts, extended up to and including the reserved one. Null ones are empty sets there: the
  // reserved set is compatible only where all sets before it are the same. Without elements if that is not
  // possible, and `reason` says why.
  std::vector<VkDescriptorSetLayout> extend(std::span<const VkDescriptorSetLayout> set_layouts,
                                            const PipelineLayout& described, std::string& reason);
  // PipelineLayout::with_constant and longer, of a layout without room for the reserved set. False: it stays
  // without, and `reason` says why that, too, is not possible.
  bool add_constant(const VkPipelineLayoutCreateInfo& info, PipelineLayout& layout,
                    std::string& reason) const;
  // Why pipelines and shader objects of indirect execution sets have no record.
  static constexpr const char* kNotInExecutionSets =
      "indirect execution sets must not have dynamic descriptors, with which the check says where it is";

  // A layout with independent sets has no room for the record. Libraries made from now on do without it too,
  // because they may be linked with one that has that layout.
  void see_full_independent() { saw_full_independent_.store(true, std::memory_order_relaxed); }
  // Whether shaders of pipelines with the layout can find a record.
  bool has_record(const PipelineLayout& layout) const {
    if (layout.with_constant) return true;
    return layout.has_record &&
           !(layout.independent && saw_full_independent_.load(std::memory_order_relaxed));
  }

  // Those of all shader objects with descriptor heaps.
  const std::shared_ptr<HeapTables>& shader_object_tables() const { return shader_object_tables_; }

  void add(VkDescriptorSetLayout handle, std::shared_ptr<const SetLayout> layout);
  void remove(VkDescriptorSetLayout handle);
  std::shared_ptr<const SetLayout> find(VkDescriptorSetLayout handle) const;
  void add(VkPipelineLayout handle, std::shared_ptr<const PipelineLayout> layout);
  void remove(VkPipelineLayout handle);
  std::shared_ptr<const PipelineLayout> find(VkPipelineLayout handle) const;
  // The same; valid as long as the handle.
  const PipelineLayout* peek(VkPipelineLayout handle) const {
    const auto found = pipeline_layouts_.find(handle);
    return found ? found->get() : nullptr;
  }

 private:
  struct OwnPair {
    VkDescriptorSetLayout record = VK_NULL_HANDLE;
    VkDescriptorSetLayout empty = VK_NULL_HANDLE;
  };
  struct OwnLayouts {
    OwnPair bound, pushed;
  };
  const OwnLayouts& own_layouts();
  static void add_buffered(const SetLayout& set, uint32_t number, std::vector<DescriptorSlots>& descriptors);
  // Why the record cannot be pushed; empty: it can.
  std::string reason_against_pushing(const PipelineLayout& layout) const;
  // The device's limit that one more dynamic uniform buffer for all stages exceeds; empty: none.
  std::string exceeded_limit(const PipelineLayout& layout) const;

  const DeviceContext& device_;
  const uint32_t record_set_;
  std::once_flag made_;
  std::atomic<bool> saw_full_independent_ = false;
  OwnLayouts own_;
  const std::shared_ptr<HeapTables> shader_object_tables_;
  HandleTable<VkDescriptorSetLayout, std::shared_ptr<const SetLayout>> set_layouts_;
  HandleTable<VkPipelineLayout, std::shared_ptr<const PipelineLayout>> pipeline_layouts_;
};

}  // namespace shaderqa::layer
#endif
