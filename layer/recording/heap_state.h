// SPDX-License-Identifier: Apache-2.0
// The descriptor heaps and the push data of a command buffer, and where the layer has put an action record's
// address among the latter (docs/internals/descriptor-heaps.md).
#ifndef SHADERQA_LAYER_RECORDING_HEAP_STATE_H
#define SHADERQA_LAYER_RECORDING_HEAP_STATE_H

#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "layer/vk/descriptor_heap.h"

namespace shaderqa::layer {

class DeviceContext;
struct HeapTable;

// In push data.
struct RecordPlace {
  static constexpr uint32_t kNowhere = UINT32_MAX;
  uint32_t offset = kNowhere;
  uint32_t data_end = 0;  // of what shaders declare in front of it
};

class HeapState {
 public:
  // Whether the application uses heaps: what it last bound or pushed was one of these, no descriptor set,
  // push constant or the like. Each of both makes the other kind invalid.
  bool valid() const { return valid_; }
  void invalidate() { *this = {}; }

  // Commands of the application. From then on heaps are valid.
  void bind_resources(const VkBindHeapInfoEXT& info);
  void bind_samplers(const VkBindHeapInfoEXT& info);
  void push(const VkPushDataInfoEXT& info);
  void inherit(const VkCommandBufferInheritanceDescriptorHeapInfoEXT& info);

  // Where a table in the heap begins, and how many bytes the heap has from there on; of a table by indices in
  // memory, where they are, and SQA_INDEX_*. 0: it is not known.
  struct Place {
    VkDeviceAddress address = 0;
    uint32_t bytes = 0;
  };
  Place place_of(const HeapTable& table) const;
  Place whole() const;
  // Where the buffer of a table of one is; 0: it is not known.
  VkDeviceAddress buffer_of(const HeapTable& table) const;

  // The layer uses descriptor sets of its own.
  void disturb() { disturbed_ = valid_; }
  bool is_touched() const { return disturbed_ || record_ != RecordPlace::kNowhere; }
  // Gives pipelines what the application has bound and pushed. kept: where the next action has an address,
  // too.
  void restore(const DeviceContext& device, VkCommandBuffer commands, uint32_t kept);
  // All that the application has pushed, where the driver may have lost it.
  void push_again(const DeviceContext& device, VkCommandBuffer commands);
  void push_record(const DeviceContext& device, VkCommandBuffer commands, const RecordPlace& place,
                   VkDeviceAddress record);

 private:
  // 0: nothing was pushed there.
  VkDeviceAddress address_at(uint32_t offset) const;
  std::optional<uint32_t> dword_at(uint32_t offset) const;
  // Gives what nobody has pushed between shaders' data and a record's address some value.
  void fill_gap(const DeviceContext& device, VkCommandBuffer commands, const RecordPlace& place);
  // What the application has pushed of these dwords.
  void push_given(const DeviceContext& device, VkCommandBuffer commands, size_t first, size_t end) const;

  bool valid_ = false;
  bool disturbed_ = false;
  std::optional<VkBindHeapInfoEXT> resources_, samplers_;
  std::vector<std::optional<uint32_t>> data_;  // by dword
  // The dwords from the first on up to the second have values that were pushed, if only by the layer.
  uint32_t filled_from_ = 0, filled_to_ = 0;
  uint32_t record_ = RecordPlace::kNowhere;  // where an address of the layer's is
};

}  // namespace shaderqa::layer
#endif
