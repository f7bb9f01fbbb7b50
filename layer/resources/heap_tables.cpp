// SPDX-License-Identifier: Apache-2.0
#include "layer/resources/heap_tables.h"

#include <algorithm>
#include <map>
#include <utility>

#include "instrument/runtime/abi_descriptors.h"

namespace shaderqa::layer {
namespace {

using Mapping = VkDescriptorSetAndBindingMappingEXT;

constexpr uint32_t kAddressBytes = sizeof(VkDeviceAddress);
constexpr uint32_t kCombinedIndexBits = SQA_INDEX_OF_COMBINED;  // the others are the sampler's
constexpr uint64_t kMostStride = uint64_t{1} << (32 - SQA_DESCRIPTOR_STRIDE_SHIFT);

bool covers(const Mapping& mapping, const ShaderBinding& binding, uint32_t resource) {
  return mapping.descriptorSet == binding.set && binding.binding >= mapping.firstBinding &&
         binding.binding - mapping.firstBinding < mapping.bindingCount && (mapping.resourceMask & resource);
}

// Null: none, or (`several`) not one.
const Mapping* find_mapping(std::span<const Mapping> mappings, const ShaderBinding& binding, bool& several) {
  const Mapping* found = nullptr;
  for (uint32_t bits = binding.resource; bits; bits &= bits - 1) {
    const uint32_t bit = bits & (~bits + 1);
    const auto mapping =
        std::ranges::find_if(mappings, [&](const Mapping& one) { return covers(one, binding, bit); });
    if (mapping == mappings.end()) continue;
    several = several || (found && found != &*mapping);
    found = &*mapping;
  }
  return several ? nullptr : found;
}

void add_reads(const Mapping& mapping, std::vector<PushedBytes>& reads) {
  const auto& data = mapping.sourceData;
  const auto add = [&](uint32_t offset, uint32_t bytes) {
    reads.push_back({offset, offset <= UINT32_MAX - bytes ? offset + bytes : UINT32_MAX});
  };
  switch (mapping.source) {
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT:
      add(data.pushIndex.pushOffset, 4);
      add(data.pushIndex.samplerPushOffset, 4);
      break;
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_EXT:
      add(data.indirectIndex.pushOffset, kAddressBytes);
      add(data.indirectIndex.samplerPushOffset, kAddressBytes);
      break;
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_ARRAY_EXT:
      add(data.indirectIndexArray.pushOffset, kAddressBytes);
      add(data.indirectIndexArray.samplerPushOffset, kAddressBytes);
      break;
    case VK_DESCRIPTOR_MAPPING_SOURCE_RESOURCE_HEAP_DATA_EXT:
      add(data.heapData.pushOffset, 4);
      break;
    case VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_ADDRESS_EXT:
      add(data.pushAddressOffset, kAddressBytes);
      break;
    case VK_DESCRIPTOR_MAPPING_SOURCE_INDIRECT_ADDRESS_EXT:
      add(data.indirectAddress.pushOffset, kAddressBytes);
      break;
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT:
    case VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_DATA_EXT:  // as large as the variable's block
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_SHADER_RECORD_INDEX_EXT:
    case VK_DESCRIPTOR_MAPPING_SOURCE_SHADER_RECORD_DATA_EXT:
    case VK_DESCRIPTOR_MAPPING_SOURCE_SHADER_RECORD_ADDRESS_EXT:
      break;
    default:  // one that is not known may read anything
      add(0, UINT32_MAX);
      break;
  }
}

// Why accesses through descriptors of such a mapping are not checked.
std::string reason_against(const Mapping& mapping) {
  switch (mapping.source) {
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_SHADER_RECORD_INDEX_EXT:
    case VK_DESCRIPTOR_MAPPING_SOURCE_SHADER_RECORD_DATA_EXT:
    case VK_DESCRIPTOR_MAPPING_SOURCE_SHADER_RECORD_ADDRESS_EXT:
      return "where they are is said by a shader record";
    default:
      return "their mapping is of a kind that is not known";
  }
}

// One shader's descriptors.
class Mapper {
 public:
  Mapper(std::span<const Mapping> mappings, HeapTables& tables, bool images)
      : mappings_(mappings), tables_(tables), images_(images) {}
  void add(const ShaderBinding& binding);
  MappedShader finish();
  MappedShader mapped;

 private:
  struct Variable {
    const Mapping* mapping = nullptr;
    std::optional<DescriptorSlots> slots;
    bool ambiguous = false;
  };
  // Nothing: it is not followed, or is no memory.
  std::optional<DescriptorSlots> slots_of(const ShaderBinding& binding, const Mapping& mapping);
  std::optional<DescriptorSlots> in_heap(const ShaderBinding& binding, uint64_t offset, uint64_t array_stride,
                                         const HeapTable& table);
  std::optional<DescriptorSlots> in_table(DescriptorSlots slots, const HeapTable& table);
  std::optional<DescriptorSlots> by_index(const ShaderBinding& binding, const Mapping& mapping);
  // The mapping leads to the buffer itself, without a descriptor.
  std::optional<DescriptorSlots> at_address(const ShaderBinding& binding, const Mapping& mapping);

  const std::span<const Mapping> mappings_;
  HeapTables& tables_;
  const bool images_;
  std::map<std::pair<uint32_t, uint32_t>, Variable> variables_;  // by set and binding
};

std::optional<DescriptorSlots> Mapper::in_table(DescriptorSlots slots, const HeapTable& table) {
  const auto number = tables_.number_of(table);
  if (!number) {
    mapped.unfollowed.insert("they are found by more different places of push data than the check follows");
    return std::nullopt;
  }
  slots.record_table = *number;
  return slots;
}

std::optional<DescriptorSlots> Mapper::in_heap(const ShaderBinding& binding, uint64_t offset,
                                               uint64_t array_stride, const HeapTable& table) {
  const bool indirect = table.source == HeapTable::Source::indirect_index;
  if (offset % 4 != 0 || offset >= SQA_INDIRECT || array_stride % 4 != 0 || array_stride >= kMostStride ||
      table.stride % 4 != 0 || table.behind % 4 != 0 || (indirect && table.stride > SQA_INDEX_STRIDE)) {
    mapped.unfollowed.insert("of where they lie in the descriptor heap");
    return std::nullopt;
  }
  // What the variable declares says which kind it is.
  const auto kind =
      static_cast<uint32_t>(SQA_DESCRIPTOR_MUTABLE | array_stride << SQA_DESCRIPTOR_STRIDE_SHIFT);
  const auto slot =
      static_cast<uint32_t>(SQA_IN_BUFFER | SQA_IN_HEAP | (indirect ? SQA_INDIRECT : 0u) | offset);
  return in_table({binding.set, binding.binding, slot, binding.count, kind}, table);
}

std::optional<DescriptorSlots> Mapper::by_index(const ShaderBinding& binding, const Mapping& mapping) {
  using Source = HeapTable::Source;
  const uint64_t relative = binding.binding - mapping.firstBinding;
  const auto& data = mapping.sourceData;
  const auto bits = [&](VkBool32 combined) {
    return (binding.resource & kCombinedImage) && combined ? kCombinedIndexBits : UINT32_MAX;
  };
  switch (mapping.source) {
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT: {
      const auto& from = data.pushIndex;
      return in_heap(binding, from.heapOffset + relative * from.heapArrayStride, from.heapArrayStride,
                     {Source::push_index, from.pushOffset, from.heapIndexStride,
                      bits(from.useCombinedImageSamplerIndex)});
    }
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_EXT: {
      const auto& from = data.indirectIndex;
      return in_heap(binding, from.heapOffset + relative * from.heapArrayStride, from.heapArrayStride,
                     {Source::indirect_index, from.pushOffset, from.heapIndexStride,
                      bits(from.useCombinedImageSamplerIndex), from.addressOffset});
    }
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_ARRAY_EXT: {
      const auto& from = data.indirectIndexArray;
      const uint64_t first = from.addressOffset + relative * sizeof(uint32_t);
      return in_heap(binding, from.heapOffset, first,
                     {Source::indirect_index, from.pushOffset, from.heapIndexStride,
                      bits(from.useCombinedImageSamplerIndex), 0, true});
    }
    default: {
      const auto& from = data.constantOffset;
      return in_heap(binding, from.heapOffset + relative * from.heapArrayStride, from.heapArrayStride, {});
    }
  }
}

std::optional<DescriptorSlots> Mapper::at_address(const ShaderBinding& binding, const Mapping& mapping) {
  using Source = HeapTable::Source;
  const auto& data = mapping.sourceData;
  const DescriptorSlots one{binding.set, binding.binding, 0, 1, SQA_NOT_DYNAMIC};
  switch (mapping.source) {
    case VK_DESCRIPTOR_MAPPING_SOURCE_RESOURCE_HEAP_DATA_EXT:
      return in_table(one,
                      {Source::heap_data, data.heapData.pushOffset, 0, UINT32_MAX, data.heapData.heapOffset});
    case VK_DESCRIPTOR_MAPPING_SOURCE_INDIRECT_ADDRESS_EXT: {
      const auto& from = data.indirectAddress;
      if (from.addressOffset % 4 != 0) {
        mapped.unfollowed.insert("of where their address lies");
        return std::nullopt;
      }
      return in_table({binding.set, binding.binding, SQA_IN_BUFFER | SQA_INDIRECT, 1, SQA_DESCRIPTOR_MUTABLE},
                      {Source::indirect_address, from.pushOffset, 0, UINT32_MAX, from.addressOffset});
    }
    default:
      return in_table(one, {Source::push_address, data.pushAddressOffset});
  }
}

std::optional<DescriptorSlots> Mapper::slots_of(const ShaderBinding& binding, const Mapping& mapping) {
  switch (mapping.source) {
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT:
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT:
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_EXT:
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_ARRAY_EXT:
      return by_index(binding, mapping);
    case VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_ADDRESS_EXT:
    case VK_DESCRIPTOR_MAPPING_SOURCE_RESOURCE_HEAP_DATA_EXT:
    case VK_DESCRIPTOR_MAPPING_SOURCE_INDIRECT_ADDRESS_EXT:
      return at_address(binding, mapping);
    case VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_DATA_EXT: {
      const uint32_t begin = mapping.sourceData.pushDataOffset;
      const bool known = binding.end && *binding.end <= UINT32_MAX - begin;
      mapped.reads.push_back({begin, known ? begin + *binding.end : UINT32_MAX});
      return std::nullopt;
    }
    default:
      mapped.unfollowed.insert(reason_against(mapping));
      return std::nullopt;
  }
}

void Mapper::add(const ShaderBinding& binding) {
  Variable found;
  bool several = false;
  found.mapping = find_mapping(mappings_, binding, several);
  const bool followed = !binding.image || images_;
  if (found.mapping && followed && found.mapping->pNext) {
    mapped.unfollowed.insert("their mapping has a structure that is not known");
  } else if (found.mapping && followed) {
    found.slots = slots_of(binding, *found.mapping);
  }
  const auto [place, is_new] = variables_.emplace(std::pair(binding.set, binding.binding), found);
  Variable& known = place->second;
  // The passes know variables by these numbers alone.
  if (!is_new) {
    if (found.slots && known.slots) found.slots->count = std::max(found.slots->count, known.slots->count);
    if (known.slots && found.slots) known.slots->count = found.slots->count;
    several = several || known.ambiguous || known.mapping != found.mapping || known.slots != found.slots;
  }
  if (!several) return;
  known.ambiguous = true;
  known.slots.reset();
  mapped.unfollowed.insert("several of them have the same set and binding");
}

MappedShader Mapper::finish() {
  for (const auto& [number, variable] : variables_)
    if (variable.slots) mapped.descriptors.push_back(*variable.slots);
  return std::move(mapped);
}

}  // namespace

std::optional<uint32_t> HeapTables::number_of(const HeapTable& table) {
  const std::lock_guard lock(mutex_);
  const uint32_t count = count_.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < count; ++i)
    if (tables_[i] == table) return i;
  if (count == tables_.size()) return std::nullopt;
  tables_[count] = table;
  count_.store(count + 1, std::memory_order_release);
  return count;
}

uint32_t HeapTables::dynamic() const {
  constexpr uint32_t heap = SQA_ACTION_HEAP - SQA_ACTION_DYNAMIC + 3;
  const bool indirect = std::ranges::any_of(
      all(), [](const HeapTable& table) { return table.source == HeapTable::Source::indirect_index; });
  return indirect ? heap : static_cast<uint32_t>(all().size());
}

MappedShader map_shader(const ShaderInterface& shader,
                        const VkShaderDescriptorSetAndBindingMappingInfoEXT* mappings, HeapTables& tables,
                        bool images) {
  const std::span<const Mapping> all =
      mappings ? std::span(mappings->pMappings, mappings->mappingCount) : std::span<const Mapping>();
  Mapper mapper(all, tables, images);
  mapper.mapped.reads.push_back({0, shader.push_end.value_or(UINT32_MAX)});
  mapper.mapped.push_end = shader.push_end.value_or(0);
  for (const Mapping& mapping : all) add_reads(mapping, mapper.mapped.reads);
  for (const ShaderBinding& binding : shader.bindings) mapper.add(binding);
  return mapper.finish();
}

const VkSamplerCreateInfo* const* embedded_sampler(const Mapping& mapping) {
  const auto& data = mapping.sourceData;
  switch (mapping.source) {
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT:
      return &data.constantOffset.pEmbeddedSampler;
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT:
      return &data.pushIndex.pEmbeddedSampler;
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_EXT:
      return &data.indirectIndex.pEmbeddedSampler;
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_ARRAY_EXT:
      return &data.indirectIndexArray.pEmbeddedSampler;
    case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_SHADER_RECORD_INDEX_EXT:
      return &data.shaderRecordIndex.pEmbeddedSampler;
    default:
      return nullptr;
  }
}

std::optional<uint32_t> last_place_of_record(uint32_t push_data_size) {
  if (push_data_size < kAddressBytes) return std::nullopt;
  return push_data_size / kAddressBytes * kAddressBytes - kAddressBytes;
}

std::optional<uint32_t> place_of_record(uint32_t push_data_size, std::span<const MappedShader> shaders) {
  std::optional<uint32_t> place = last_place_of_record(push_data_size);
  const auto is_read = [&](uint32_t at) {
    return std::ranges::any_of(shaders, [&](const MappedShader& shader) {
      return std::ranges::any_of(shader.reads, [&](const PushedBytes& read) {
        return read.begin < at + kAddressBytes && at < read.end;
      });
    });
  };
  while (place && is_read(*place)) {
    if (*place < kAddressBytes) return std::nullopt;
    *place -= kAddressBytes;
  }
  return place;
}

}  // namespace shaderqa::layer
