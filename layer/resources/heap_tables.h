// SPDX-License-Identifier: Apache-2.0
// From the mappings of a shader's sets and bindings into descriptor heaps to numbers of tables in the action
// record, in which its descriptors are then (docs/internals/descriptor-heaps.md).
#ifndef SHADERQA_LAYER_RESOURCES_HEAP_TABLES_H
#define SHADERQA_LAYER_RESOURCES_HEAP_TABLES_H

#include <vulkan/vulkan_core.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "instrument/instrument.h"
#include "instrument/ir/shader_interface.h"
#include "instrument/runtime/abi_action.h"
#include "layer/vk/descriptor_heap.h"

namespace shaderqa::layer {

// Where the table is, as push data says when an action is recorded.
struct HeapTable {
  enum class Source : uint8_t {
    heap,              // the begin of the resource heap
    push_index,        // so many strides behind it
    push_address,      // a table of one buffer, at an address
    heap_data,         // the same, in the heap
    indirect_index,    // at an address is how many strides behind the heap's begin
    indirect_address,  // at an address is that of a buffer
  };
  Source source = Source::heap;
  uint32_t push_offset = 0;
  uint32_t stride = 0;
  uint32_t index_bits = UINT32_MAX;  // of the index
  uint32_t behind = 0;               // bytes behind what push data says
  bool each = false;                 // every array element has an index, one behind the other
  // Whether it is a table like that of a set, with one buffer.
  bool is_one_buffer() const { return source == Source::push_address || source == Source::heap_data; }
  bool operator==(const HeapTable&) const = default;
};

// Numbers are given out once and stay. Thread-safe.
class HeapTables {
 public:
  // Nothing: all numbers are given out.
  std::optional<uint32_t> number_of(const HeapTable& table);
  std::span<const HeapTable> all() const { return {tables_.data(), count_.load(std::memory_order_acquire)}; }
  // Dwords at SQA_ACTION_DYNAMIC of the record.
  uint32_t dynamic() const;

 private:
  std::mutex mutex_;  // held while one is added
  std::array<HeapTable, SQA_MAX_SETS> tables_;
  std::atomic<uint32_t> count_ = 0;
};

// Bytes of push data, from the first to behind the last.
struct PushedBytes {
  uint32_t begin = 0, end = 0;
};

struct MappedShader {
  std::vector<DescriptorSlots> descriptors;  // for SyncOptions
  std::vector<PushedBytes> reads;            // of push data, by the shader itself or its mappings
  uint32_t push_end = 0;                     // of its own block of push constants
  std::set<std::string> unfollowed;          // why accesses through some descriptors are not checked
};
// mappings: null where the stage has none. images: whether they are followed, too.
MappedShader map_shader(const ShaderInterface& shader,
                        const VkShaderDescriptorSetAndBindingMappingInfoEXT* mappings, HeapTables& tables,
                        bool images);

// The sampler that is a part of the mapping; null: it cannot have one.
const VkSamplerCreateInfo* const* embedded_sampler(const VkDescriptorSetAndBindingMappingEXT& mapping);

// Where the record's address can be in push data of this size so that none of these is overwritten, and
// behind the last member of each push constant block. Nothing: nowhere.
std::optional<uint32_t> place_of_record(uint32_t push_data_size, std::span<const MappedShader> shaders);
// Where it is for shader objects, whose stages are combined later.
std::optional<uint32_t> last_place_of_record(uint32_t push_data_size);

}  // namespace shaderqa::layer
#endif
