// Descriptor set layouts and pipeline layouts: where each descriptor is in its set's table, and whether the
// action record has a place.
#ifndef SHADERQA_LAYER_PIPELINE_LAYOUTS_H
#define SHADERQA_LAYER_PIPELINE_LAYOUTS_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "instrument/instrument.h"

namespace shaderqa::layer {

class Device;

struct BindingSlots {
  uint32_t binding = 0;
  VkDescriptorType type{};
  uint32_t count = 0;  // descriptors (bytes of inline uniform blocks: 0 slots)
  uint32_t slot = 0;   // of element 0; UINT32_MAX where the type has no slots (images, samplers, ...)
  uint32_t dynamic = UINT32_MAX;  // number of element 0 among the set's dynamic offsets
  bool variable_count = false;
  std::vector<VkDescriptorType> mutable_types;  // of a mutable binding
};

// Immutable once made. Bindings are sorted by number. Slots are prefix sums over the bindings whose
// descriptors are, or (mutable) can be, storage, uniform or texel buffers.
struct SetLayout {
  std::vector<BindingSlots> bindings;
  uint32_t slots = 0;  // all of them, with a variable-count binding at its upper bound
  uint32_t dynamic_count = 0;
  bool push_descriptors = false;
  bool descriptor_buffer = false;
  const BindingSlots* find(uint32_t binding) const;
};

// Immutable once made; outlives the VkPipelineLayout for command buffers and pipelines that refer to it.
struct PipelineLayout {
  std::vector<std::shared_ptr<const SetLayout>> sets;  // the application's; null where its layout is null
  std::vector<uint32_t> first_dynamic;                 // of each set, in the flat order of the whole layout
  bool has_record = false;                             // the reserved set is in it
  std::vector<DescriptorSlots> descriptors;            // for SyncOptions
};

// Thread-safe. Of no use unless the device checks sync.
class PipelineLayouts {
 public:
  explicit PipelineLayouts(Device& device) : device_(device) {}
  ~PipelineLayouts();  // before the next layer's vkDestroyDevice

  // The number of the reserved set.
  uint32_t record_set() const { return record_set_; }
  // One STORAGE_BUFFER_DYNAMIC at binding 0, all stages; made on the first call, null if the driver refuses.
  VkDescriptorSetLayout record_set_layout();
  VkDescriptorSetLayout empty_set_layout();

  void add(VkDescriptorSetLayout handle, std::shared_ptr<const SetLayout> layout);
  void remove(VkDescriptorSetLayout handle);
  std::shared_ptr<const SetLayout> find(VkDescriptorSetLayout handle) const;
  void add(VkPipelineLayout handle, std::shared_ptr<const PipelineLayout> layout);
  void remove(VkPipelineLayout handle);
  std::shared_ptr<const PipelineLayout> find(VkPipelineLayout handle) const;

 private:
  Device& device_;
  uint32_t record_set_ = 0;
  VkDescriptorSetLayout record_layout_ = VK_NULL_HANDLE;
  VkDescriptorSetLayout empty_layout_ = VK_NULL_HANDLE;
  mutable std::shared_mutex mutex_;
  std::unordered_map<VkDescriptorSetLayout, std::shared_ptr<const SetLayout>> set_layouts_;
  std::unordered_map<VkPipelineLayout, std::shared_ptr<const PipelineLayout>> pipeline_layouts_;
};

}  // namespace shaderqa::layer
#endif
