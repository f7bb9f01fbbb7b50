// SPDX-License-Identifier: Apache-2.0
#include "layer/resources/pipeline_layouts.h"

#include <algorithm>

#include "instrument/runtime/abi_exact.h"
#include "layer/context/device_context.h"
#include "layer/context/instance.h"
#include "layer/resources/descriptor_bytes.h"
#include "layer/resources/heap_tables.h"
#include "layer/resources/resolved_slots.h"
#include "layer/vk/pnext_chain.h"

namespace shaderqa::layer {
namespace {

// The most slots of one set, which are 256 MiB of table. Descriptors beyond that are not checked.
constexpr uint32_t kMaxSlots = 1u << 24;

// The number of descriptors of these stages that `counts` accepts. Sets with update-after-bind have limits of
// their own and are left out.
template <typename Counts>
uint32_t descriptors(const PipelineLayout& layout, VkShaderStageFlags stages, const Counts& counts) {
  uint64_t sum = 0;
  for (const auto& set : layout.sets) {
    if (!set || set->update_after_bind) continue;
    for (const BindingSlots& binding : set->bindings) {
      if (!(binding.stages & stages) || !counts(binding)) continue;
      // An inline uniform block's count is its bytes.
      sum += binding.type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK ? 1 : binding.count;
    }
  }
  return static_cast<uint32_t>(std::min<uint64_t>(sum, UINT32_MAX - 1));
}

bool is_dynamic_uniform(const BindingSlots& binding) {
  return can_hold(binding, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC);
}
bool is_uniform(const BindingSlots& binding) {
  return is_dynamic_uniform(binding) || can_hold(binding, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
}
// Those that the device's extensions allow; push constants must name no other ones.
VkShaderStageFlags all_stages(const DeviceCommands& commands) {
  VkShaderStageFlags stages = VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_COMPUTE_BIT;
  if (commands.CmdDrawMeshTasksEXT || commands.CmdDrawMeshTasksNV)
    stages |= VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
  if (commands.CreateRayTracingPipelinesKHR || commands.CreateRayTracingPipelinesNV)
    stages |= VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |
              VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |
              VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR;
  return stages;
}

// With an empty one for the stages that have none.
std::vector<VkPushConstantRange> ranges_of_all_stages(std::span<const VkPushConstantRange> given,
                                                      VkShaderStageFlags stages) {
  std::vector<VkPushConstantRange> ranges(given.begin(), given.end());
  for (const VkPushConstantRange& range : given) stages &= ~range.stageFlags;
  if (stages) ranges.push_back({stages, 0, 0});
  return ranges;
}

bool is_resource(const BindingSlots& binding) { return binding.type != VK_DESCRIPTOR_TYPE_SAMPLER; }

// Direct descriptors need no lookup: no offset comes with the bind, no index chooses one, and what is bound
// stays.
bool is_direct(const SetLayout& set, const BindingSlots& binding, VkDescriptorType type) {
  return !set.update_after_bind && !set.is_buffered() && binding.type == type && binding.count == 1 &&
         !binding.variable_count;
}

}  // namespace

void note_unchecked_layout(const DeviceContext& device, const std::string& reason) {
  device.note(
      "pipeline layout",
      "pipelines with some layouts are not checked for unsynchronised accesses: such a layout cannot be "
      "given the descriptor set that the check needs, because " +
          reason);
}

const BindingSlots* SetLayout::find(uint32_t binding) const {
  // Most layouts number their bindings from 0 on.
  if (binding < bindings.size() && bindings[binding].binding == binding) return &bindings[binding];
  const auto found = std::ranges::lower_bound(bindings, binding, {}, &BindingSlots::binding);
  return found != bindings.end() && found->binding == binding ? &*found : nullptr;
}

bool are_compatible(const PipelineLayout& one, const PipelineLayout& other, uint32_t set) {
  const auto same_range = [](const VkPushConstantRange& a, const VkPushConstantRange& b) {
    return a.stageFlags == b.stageFlags && a.offset == b.offset && a.size == b.size;
  };
  if (one.independent != other.independent || !std::ranges::equal(one.constants, other.constants, same_range))
    return false;
  const auto at = [](const PipelineLayout& layout, uint32_t number) {
    return number < layout.sets.size() ? layout.sets[number].get() : nullptr;
  };
  for (uint32_t number = 0; number <= set; ++number)
    if (at(one, number) != at(other, number)) return false;
  return true;
}

uint32_t SetLayout::slots_with(uint32_t variable_count) const {
  // The variable binding is the last one.
  if (bindings.empty() || !bindings.back().variable_count || bindings.back().slot == UINT32_MAX) return slots;
  return bindings.back().slot + std::min(variable_count, bindings.back().count);
}

std::shared_ptr<SetLayout> read_set_layout(const VkDescriptorSetLayoutCreateInfo& info, bool images) {
  const auto flags = find_in_chain<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
  const auto mutables = find_in_chain<VkMutableDescriptorTypeCreateInfoEXT>(
      info.pNext, VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT);
  auto layout = std::make_shared<SetLayout>();
  layout->images = images;
  const auto wants_slots = [images](VkDescriptorType type) {
    return has_slots(type) || (images && has_image_slots(type));
  };
  layout->push_descriptors = info.flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT;
  layout->descriptor_buffer = info.flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
  layout->update_after_bind = info.flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT;
  for (uint32_t i = 0; i < info.bindingCount; ++i) {
    const VkDescriptorSetLayoutBinding& given = info.pBindings[i];
    BindingSlots binding;
    binding.binding = given.binding;
    binding.type = given.descriptorType;
    binding.count = given.descriptorCount;
    binding.stages = given.stageFlags;
    if (flags && i < flags->bindingCount) {
      binding.variable_count = flags->pBindingFlags[i] & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
    }
    if (binding.type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT && mutables &&
        i < mutables->mutableDescriptorTypeListCount) {
      const VkMutableDescriptorTypeListEXT& list = mutables->pMutableDescriptorTypeLists[i];
      binding.mutable_types.assign(list.pDescriptorTypes, list.pDescriptorTypes + list.descriptorTypeCount);
    }
    const bool samples = given.descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER ||
                         given.descriptorType == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    if (samples && given.pImmutableSamplers) {
      layout->immutable_samplers.insert(layout->immutable_samplers.end(), given.pImmutableSamplers,
                                        given.pImmutableSamplers + given.descriptorCount);
    }
    layout->bindings.push_back(std::move(binding));
  }
  std::ranges::sort(layout->bindings, {}, &BindingSlots::binding);
  for (BindingSlots& binding : layout->bindings) {
    const bool slots =
        (wants_slots(binding.type) || std::ranges::any_of(binding.mutable_types, wants_slots)) &&
        binding.count <= kMaxSlots - layout->slots;
    binding.slot = slots ? layout->slots : UINT32_MAX;
    if (slots) layout->slots += binding.count;
    if (slots && images && can_hold(binding, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT))
      for (uint32_t slot = binding.slot; slot < std::min<uint32_t>(layout->slots, SQA_WATCHED_SLOTS); ++slot)
        layout->input_slots |= 1u << slot;
    if (!is_dynamic(binding.type)) continue;
    binding.dynamic = layout->dynamic_count;
    layout->dynamic_count += binding.count;
  }
  return layout;
}

bool place_in_buffer(const DeviceContext& device, VkDescriptorSetLayout handle, SetLayout& layout) {
  bool all = true;
  for (BindingSlots& binding : layout.bindings) {
    if (binding.slot == UINT32_MAX || binding.count == 0) continue;
    VkDeviceSize offset = 0;
    const size_t stride = descriptor_stride(device.facts, binding);
    const bool asks = stride != 0 && device.next.GetDescriptorSetLayoutBindingOffsetEXT;
    if (asks)
      device.next.GetDescriptorSetLayoutBindingOffsetEXT(device.handle, handle, binding.binding, &offset);
    if (asks && offset % 4 == 0 && offset < SQA_INDIRECT) {
      binding.buffer_offset = static_cast<uint32_t>(offset);
      binding.buffer_stride = static_cast<uint32_t>(stride);
    } else {
      all = false;
    }
  }
  return all;
}

PipelineLayouts::PipelineLayouts(const DeviceContext& device)
    : device_(device),
      record_set_(std::clamp<uint32_t>(device.facts.limits.maxBoundDescriptorSets, 1, SQA_MAX_SETS) - 1),
      shader_object_tables_(std::make_shared<HeapTables>()) {}

PipelineLayouts::~PipelineLayouts() {
  if (device_.instance->in_forked_child()) return;
  for (const VkDescriptorSetLayout layout :
       {own_.bound.record, own_.bound.empty, own_.pushed.record, own_.pushed.empty}) {
    if (layout) device_.next.DestroyDescriptorSetLayout(device_.handle, layout, nullptr);
  }
}

const PipelineLayouts::OwnLayouts& PipelineLayouts::own_layouts() {
  std::call_once(made_, [&] {
    VkDescriptorSetLayoutBinding binding{};
    binding.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
    binding.descriptorCount = 1;
    binding.stageFlags = VK_SHADER_STAGE_ALL;
    VkDescriptorSetLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    const auto create = [&](VkDescriptorSetLayout& layout) {
      const VkResult result = device_.next.CreateDescriptorSetLayout(device_.handle, &info, nullptr, &layout);
      if (result != VK_SUCCESS) layout = VK_NULL_HANDLE;
    };
    create(own_.bound.empty);
    info.bindingCount = 1;
    info.pBindings = &binding;
    create(own_.bound.record);
    if (!device_.facts.pushed_records) return;
    binding.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT |
                 VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT;
    create(own_.pushed.record);
    info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    info.bindingCount = 0;
    create(own_.pushed.empty);
  });
  return own_;
}

void PipelineLayouts::add_buffered(const SetLayout& set, uint32_t number,
                                   std::vector<DescriptorSlots>& descriptors) {
  for (const BindingSlots& binding : set.bindings) {
    if (binding.buffer_offset == UINT32_MAX || descriptor_kind(binding.type) == SQA_DESCRIPTOR_KINDS)
      continue;
    const uint32_t kind = descriptor_kind(binding.type) | binding.buffer_stride
                                                              << SQA_DESCRIPTOR_STRIDE_SHIFT;
    descriptors.push_back(
        {number, binding.binding, SQA_IN_BUFFER | binding.buffer_offset, binding.count, kind});
  }
}

PipelineLayout PipelineLayouts::describe(std::span<const VkDescriptorSetLayout> set_layouts) const {
  PipelineLayout layout;
  layout.written = std::make_shared<WrittenSlots>();
  uint32_t dynamic = 0, direct = 0;
  bool dynamic_known = true;  // no set before this one is left to another library of the pipeline
  for (const VkDescriptorSetLayout handle : set_layouts) {
    const auto number = static_cast<uint32_t>(layout.sets.size());
    const std::shared_ptr<const SetLayout> set = handle ? find(handle) : nullptr;
    layout.sets.push_back(set);
    layout.first_dynamic.push_back(dynamic);
    if (!set) {
      dynamic_known = false;
      continue;
    }
    layout.descriptor_buffers = layout.descriptor_buffers || set->descriptor_buffer;
    if (set->is_buffered()) {
      add_buffered(*set, number, layout.descriptors);
      continue;
    }
    for (const BindingSlots& binding : set->bindings) {
      if (binding.slot == UINT32_MAX || binding.count == 0) continue;
      DescriptorSlots slots{number, binding.binding, binding.slot, binding.count, SQA_NOT_DYNAMIC};
      if (binding.dynamic != UINT32_MAX) {
        slots.dynamic = dynamic + binding.dynamic;
        // The record has no room for their offsets.
        if (!dynamic_known || slots.dynamic + binding.count > SQA_ACTION_MAX_DYNAMIC) continue;
      }
      if (direct < SQA_DIRECT_SLOTS && is_direct(*set, binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER))
        slots.direct = ++direct;
      layout.descriptors.push_back(slots);
    }
    dynamic += set->dynamic_count;
  }
  // Images come behind storage buffers, which gain more, and uniform buffers last: what is read of them is
  // rarely written, but their checks share loops with those of other buffers.
  for (const VkDescriptorType type : {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER}) {
    for (DescriptorSlots& slots : layout.descriptors) {
      const SetLayout& set = *layout.sets[slots.set];
      if (type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE && !set.images) continue;
      const BindingSlots* const binding = set.find(slots.binding);
      if (direct < SQA_DIRECT_SLOTS && binding && is_direct(set, *binding, type)) slots.direct = ++direct;
    }
  }
  if (layout.descriptor_buffers) number_resolved(layout);
  layout.has_direct =
      std::ranges::any_of(layout.descriptors, [](const auto& one) { return one.direct != 0; });
  return layout;
}

std::string PipelineLayouts::exceeded_limit(const PipelineLayout& layout) const {
  const VkPhysicalDeviceLimits& limits = device_.facts.limits;
  constexpr VkShaderStageFlags all = ~VkShaderStageFlags(0);
  if (descriptors(layout, all, is_dynamic_uniform) + 1 > limits.maxDescriptorSetUniformBuffersDynamic) {
    return "it has as many dynamic uniform buffers as the device allows";
  }
  if (descriptors(layout, all, is_uniform) + 1 > limits.maxDescriptorSetUniformBuffers) {
    return "it has as many uniform buffers as the device allows";
  }
  for (uint32_t bit = 0; bit < 32; ++bit) {
    if (descriptors(layout, 1u << bit, is_uniform) + 1 > limits.maxPerStageDescriptorUniformBuffers) {
      return "one of its stages has as many uniform buffers as the device allows";
    }
    if (descriptors(layout, 1u << bit, is_resource) + 1 > limits.maxPerStageResources) {
      return "one of its stages has as many resources as the device allows";
    }
  }
  return {};
}

std::string PipelineLayouts::reason_against_pushing(const PipelineLayout& layout) const {
  if (!device_.facts.pushed_records) {
    return "its descriptors are in descriptor buffers, beside which the device has no push descriptors";
  }
  if (std::ranges::any_of(layout.sets, [](const auto& set) { return set && set->push_descriptors; })) {
    return "it has push descriptors beside descriptor buffers, and there can be one set of them";
  }
  return {};
}

std::vector<VkDescriptorSetLayout> PipelineLayouts::extend(std::span<const VkDescriptorSetLayout> set_layouts,
                                                           const PipelineLayout& described,
                                                           std::string& reason) {
  if (set_layouts.size() > record_set_) {
    reason = "it uses descriptor set " + std::to_string(record_set_) + ", which the check needs";
    return {};
  }
  if (device_.facts.descriptor_buffers &&
      std::ranges::none_of(described.sets, [](const auto& set) { return set != nullptr; })) {
    reason = "it has no sets, so it may be for descriptors in descriptor buffers or for others";
    return {};
  }
  if (described.descriptor_buffers) reason = reason_against_pushing(described);
  if (reason.empty()) reason = exceeded_limit(described);
  if (!reason.empty()) return {};
  const OwnPair& own = described.descriptor_buffers ? own_layouts().pushed : own_layouts().bound;
  if (!own.record || !own.empty) {
    reason = "the driver refuses the descriptor set layout that the check needs";
    return {};
  }
  std::vector<VkDescriptorSetLayout> extended(set_layouts.begin(), set_layouts.end());
  std::ranges::replace(extended, VkDescriptorSetLayout{VK_NULL_HANDLE}, own.empty);
  extended.resize(record_set_, own.empty);
  extended.push_back(own.record);
  return extended;
}

bool PipelineLayouts::add_constant(const VkPipelineLayoutCreateInfo& info, PipelineLayout& layout,
                                   std::string& reason) const {
  uint32_t dynamic = 0;
  bool pushes = false;
  for (const auto& set : layout.sets) {
    dynamic += set ? set->dynamic_count : 0;
    pushes = pushes || (set && set->push_descriptors);
  }
  // Its sets are bound again with the other layout, so it must be known what is bound.
  if (layout.independent) {
    reason += ", and libraries may be linked with others";
  } else if (layout.descriptor_buffers || pushes) {
    reason += ", and what it has in its place cannot be bound again with another layout";
  } else if (layout.sets.size() > SQA_MAX_SETS || dynamic > SQA_ACTION_MAX_DYNAMIC) {
    reason += ", and it has too many sets or dynamic offsets to be bound again with another layout";
  } else if (device_.facts.generated_commands) {
    reason += ", and generated commands need the layout that they name";
  } else if (const auto longer = lengthen_constants(
                 ranges_of_all_stages({info.pPushConstantRanges, info.pushConstantRangeCount},
                                      all_stages(device_.next)),
                 device_.facts.limits.maxPushConstantsSize)) {
    VkPipelineLayoutCreateInfo copy = info;
    copy.pushConstantRangeCount = static_cast<uint32_t>(longer->ranges.size());
    copy.pPushConstantRanges = longer->ranges.data();
    VkPipelineLayout handle = VK_NULL_HANDLE;
    const VkResult result = device_.next.CreatePipelineLayout(device_.handle, &copy, nullptr, &handle);
    if (result >= 0) {
      layout.with_constant = std::make_shared<LayoutLease>(device_, handle);
      layout.with_constant->destroy_at_end();
      layout.longer = *longer;
      return true;
    }
    reason += ", and the driver refuses a layout with another push constant";
  } else {
    reason += ", and all push constants that the device has are in use";
  }
  return false;
}

void PipelineLayouts::add(VkDescriptorSetLayout handle, std::shared_ptr<const SetLayout> layout) {
  set_layouts_.emplace(handle, std::move(layout));
}
void PipelineLayouts::remove(VkDescriptorSetLayout handle) { set_layouts_.erase(handle); }
std::shared_ptr<const SetLayout> PipelineLayouts::find(VkDescriptorSetLayout handle) const {
  const auto found = set_layouts_.find(handle);
  return found ? *found : nullptr;
}
void PipelineLayouts::add(VkPipelineLayout handle, std::shared_ptr<const PipelineLayout> layout) {
  pipeline_layouts_.emplace(handle, std::move(layout));
}
void PipelineLayouts::remove(VkPipelineLayout handle) { pipeline_layouts_.erase(handle); }
std::shared_ptr<const PipelineLayout> PipelineLayouts::find(VkPipelineLayout handle) const {
  const auto found = pipeline_layouts_.find(handle);
  return found ? *found : nullptr;
}

}  // namespace shaderqa::layer
