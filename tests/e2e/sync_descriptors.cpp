// SPDX-License-Identifier: Apache-2.0
// Descriptors of a case: the layout that its shaders share, and the many ways into a set.
#include <algorithm>
#include <cstring>

#include "sync_context.h"

namespace sync_cases {

using kit::check;

namespace {

bool is_texel(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER || type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
}
bool is_image(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE || type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE ||
         type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER || type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
}
bool is_dynamic(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC ||
         type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
}
// Inline uniform blocks count bytes.
uint32_t count_of(const Binding& binding) {
  return binding.type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK
             ? 16u
             : static_cast<uint32_t>(binding.buffers.size());
}
// What a mutable binding holds.
constexpr VkDescriptorType kMutableHolds = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
VkDescriptorType written_type(const Binding& binding) {
  return binding.type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT ? kMutableHolds : binding.type;
}
const uint32_t kInlineData[4] = {7, 11, 13, 17};

VkShaderStageFlags stages_of(VkPipelineBindPoint point) {
  return point == VK_PIPELINE_BIND_POINT_COMPUTE ? VkShaderStageFlags(VK_SHADER_STAGE_COMPUTE_BIT)
                                                 : VkShaderStageFlags(VK_SHADER_STAGE_ALL_GRAPHICS);
}

// What mutable bindings may hold, as layouts and pools are told.
class MutableTypes {
 public:
  explicit MutableTypes(const std::vector<Binding>& bindings) {
    static const VkDescriptorType kTypes[] = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kMutableHolds};
    for (const Binding& binding : bindings) {
      const bool is_mutable = binding.type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT;
      any_ |= is_mutable;
      lists_.push_back({is_mutable ? 2u : 0u, is_mutable ? kTypes : nullptr});
    }
    info_.sType = VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT;
    info_.mutableDescriptorTypeListCount = static_cast<uint32_t>(lists_.size());
    info_.pMutableDescriptorTypeLists = lists_.data();
  }
  MutableTypes(const MutableTypes&) = delete;
  MutableTypes& operator=(const MutableTypes&) = delete;
  // Null if no binding is mutable.
  const void* next() const { return any_ ? &info_ : nullptr; }

 private:
  std::vector<VkMutableDescriptorTypeListEXT> lists_;
  VkMutableDescriptorTypeCreateInfoEXT info_{};
  bool any_ = false;
};

}  // namespace

void Context::make_layouts() {
  if (bindings_.empty())
    for (uint32_t i = 0; i < buffers.size(); ++i)
      bindings_.push_back({.set = 0, .binding = i, .buffers = {static_cast<int>(i)}});
  uint32_t set_count = 0;
  for (const Binding& binding : bindings_) set_count = std::max(set_count, binding.set + 1);
  for (uint32_t set = 0; set < set_count; ++set) set_layouts_.push_back(make_set_layout(set));
  layout_ = device.pipeline_layout(set_layouts_, VK_SHADER_STAGE_ALL, 64);
  for (const Binding& binding : bindings_)
    if (is_dynamic(binding.type)) dynamic_offsets.resize(dynamic_offsets.size() + binding.buffers.size());
}

VkDescriptorSetLayout Context::make_set_layout(uint32_t set) {
  std::vector<Binding> in_set;
  std::vector<VkDescriptorSetLayoutBinding> list;
  std::vector<VkDescriptorBindingFlags> flags;
  for (const Binding& binding : bindings_) {
    if (binding.set != set) continue;
    in_set.push_back(binding);
    const VkShaderStageFlags stages = binding.type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT
                                          ? VkShaderStageFlags(VK_SHADER_STAGE_FRAGMENT_BIT)
                                          : VkShaderStageFlags(VK_SHADER_STAGE_ALL);
    list.push_back({binding.binding, binding.type, count_of(binding), stages, nullptr});
    flags.push_back(binding.flags | flags_if(test.written == Written::after_bind,
                                             VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT));
  }
  const MutableTypes mutable_types(in_set);
  VkDescriptorSetLayoutBindingFlagsCreateInfo flags_info{};
  flags_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO;
  flags_info.pNext = mutable_types.next();
  flags_info.bindingCount = static_cast<uint32_t>(flags.size());
  flags_info.pBindingFlags = flags.data();
  return device.set_layout(
      list, &flags_info,
      flags_if(is_pushed(test.written), VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR) |
          flags_if(test.written == Written::after_bind,
                   VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT));
}

// Room for three of each set.
VkDescriptorPool Context::make_descriptor_pool() {
  std::vector<VkDescriptorPoolSize> sizes;
  uint32_t inline_blocks = 0;
  for (const Binding& binding : bindings_) {
    inline_blocks += binding.type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK ? 3 : 0;
    sizes.push_back({binding.type, 3 * count_of(binding)});
  }
  const MutableTypes mutable_types(bindings_);
  VkDescriptorPoolInlineUniformBlockCreateInfo inline_info{};
  inline_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO;
  inline_info.pNext = mutable_types.next();
  inline_info.maxInlineUniformBlockBindings = inline_blocks;
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.pNext = inline_blocks != 0 ? &inline_info : inline_info.pNext;
  info.flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT |
               flags_if(test.written == Written::after_bind, VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT);
  info.maxSets = static_cast<uint32_t>(3 * set_layouts_.size());
  info.poolSizeCount = static_cast<uint32_t>(sizes.size());
  info.pPoolSizes = sizes.data();
  VkDescriptorPool pool;
  check(vkCreateDescriptorPool(device.handle, &info, nullptr, &pool), "vkCreateDescriptorPool");
  device.later([handle = device.handle, pool] { vkDestroyDescriptorPool(handle, pool, nullptr); });
  return pool;
}

std::vector<VkDescriptorSet> Context::allocate_sets(VkDescriptorPool pool) const {
  std::vector<uint32_t> variable(set_layouts_.size());
  for (const Binding& binding : bindings_)
    if ((binding.flags & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT) != 0)
      variable[binding.set] = count_of(binding);
  VkDescriptorSetVariableDescriptorCountAllocateInfo counts{};
  counts.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO;
  counts.descriptorSetCount = static_cast<uint32_t>(variable.size());
  counts.pDescriptorCounts = variable.data();
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  const bool any_variable = std::ranges::any_of(variable, [](uint32_t count) { return count != 0; });
  info.pNext = any_variable ? &counts : nullptr;
  info.descriptorPool = pool;
  info.descriptorSetCount = static_cast<uint32_t>(set_layouts_.size());
  info.pSetLayouts = set_layouts_.data();
  std::vector<VkDescriptorSet> result(set_layouts_.size());
  check(vkAllocateDescriptorSets(device.handle, &info, result.data()), "vkAllocateDescriptorSets");
  return result;
}

void Context::copy_sets(const std::vector<VkDescriptorSet>& sources) const {
  std::vector<VkCopyDescriptorSet> copies;
  for (const Binding& binding : bindings_) {
    VkCopyDescriptorSet copy{};
    copy.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET;
    copy.srcSet = sources[binding.set];
    copy.dstSet = sets[binding.set];
    copy.srcBinding = copy.dstBinding = binding.binding;
    copy.descriptorCount = count_of(binding);
    copies.push_back(copy);
  }
  vkUpdateDescriptorSets(device.handle, 0, nullptr, static_cast<uint32_t>(copies.size()), copies.data());
}

// Consecutive bindings of one kind, written as if they were one array.
void Context::write_as_one_array() const {
  std::vector<VkDescriptorBufferInfo> infos;
  for (const Binding& binding : bindings_)
    for (const int buffer : binding.buffers)
      infos.push_back({buffers[static_cast<size_t>(buffer)].handle, 0, VK_WHOLE_SIZE});
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = sets[0];
  write.descriptorCount = static_cast<uint32_t>(infos.size());
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = infos.data();
  vkUpdateDescriptorSets(device.handle, 1, &write, 0, nullptr);
}

void Context::make_sets() {
  if (is_pushed(test.written)) return;
  const VkDescriptorPool pool = make_descriptor_pool();
  sets = allocate_sets(pool);
  switch (test.written) {
    case Written::after_bind:
      after_bind_pending_ = true;
      break;
    case Written::reused_set:
      // Whatever is known of the first sets must not outlive them.
      write_sets(sets);
      check(vkFreeDescriptorSets(device.handle, pool, static_cast<uint32_t>(sets.size()), sets.data()),
            "vkFreeDescriptorSets");
      sets = allocate_sets(pool);
      write_sets(sets);
      break;
    case Written::copy: {
      const auto sources = allocate_sets(pool);
      write_sets(sources);
      copy_sets(sources);
      break;
    }
    case Written::update_template: {
      std::vector<char> data;
      const VkDescriptorUpdateTemplate from = make_template(false, data);
      vkUpdateDescriptorSetWithTemplate(device.handle, sets[0], from, data.data());
      break;
    }
    case Written::one_update:
      write_as_one_array();
      break;
    default:
      write_sets(sets);
  }
}

namespace {

struct Writes {
  std::vector<VkWriteDescriptorSet> list;
  std::vector<std::vector<VkDescriptorBufferInfo>> buffers;
  std::vector<std::vector<VkBufferView>> views;
  std::vector<std::vector<VkDescriptorImageInfo>> images;
  VkWriteDescriptorSetInlineUniformBlock block{};
};

void collect(Writes& writes, kit::Device& device, const std::vector<Binding>& bindings,
             const std::vector<kit::Buffer>& buffers, const std::vector<VkDescriptorSet>& into,
             const std::function<VkDescriptorImageInfo(const Binding&, uint32_t)>& image_info) {
  writes.images.resize(bindings.size());
  writes.buffers.resize(bindings.size());
  writes.views.resize(bindings.size());
  for (size_t n = 0; n < bindings.size(); ++n) {
    const Binding& binding = bindings[n];
    VkWriteDescriptorSet write{};
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = into.empty() ? VK_NULL_HANDLE : into[binding.set];
    write.dstBinding = binding.binding;
    write.descriptorType = written_type(binding);
    if (binding.type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
      writes.block.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK;
      writes.block.dataSize = sizeof kInlineData;
      writes.block.pData = kInlineData;
      write.pNext = &writes.block;
      write.descriptorCount = sizeof kInlineData;
      writes.list.push_back(write);
      continue;
    }
    if (is_image(binding.type)) {
      for (const int image : binding.buffers)
        writes.images[n].push_back(image_info(binding, static_cast<uint32_t>(image)));
      write.descriptorCount = static_cast<uint32_t>(binding.buffers.size());
      write.pImageInfo = writes.images[n].data();
      writes.list.push_back(write);
      continue;
    }
    for (uint32_t element = 0; element < binding.buffers.size(); ++element) {
      const int buffer = binding.buffers[element];
      const VkBuffer handle = buffer < 0 ? VK_NULL_HANDLE : buffers[static_cast<size_t>(buffer)].handle;
      VkBufferView view = VK_NULL_HANDLE;
      if (is_texel(binding.type)) {
        VkBufferViewCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO;
        info.buffer = handle;
        info.format = binding.format;
        info.offset = binding.offset;
        info.range = binding.range;
        check(vkCreateBufferView(device.handle, &info, nullptr, &view), "vkCreateBufferView");
        device.later([owner = device.handle, view] { vkDestroyBufferView(owner, view, nullptr); });
      }
      writes.views[n].push_back(view);
      writes.buffers[n].push_back({handle, handle != VK_NULL_HANDLE ? binding.offset : 0,
                                   handle != VK_NULL_HANDLE ? binding.range : VK_WHOLE_SIZE});
    }
    // One write for each run of elements that are written at all.
    for (uint32_t first = 0; first < binding.buffers.size(); first += std::max(write.descriptorCount, 1u)) {
      const auto begin = binding.buffers.begin() + first;
      write.descriptorCount = static_cast<uint32_t>(std::find(begin, binding.buffers.end(), -2) - begin);
      write.dstArrayElement = first;
      write.pBufferInfo = &writes.buffers[n][first];
      write.pTexelBufferView = &writes.views[n][first];
      if (write.descriptorCount != 0) writes.list.push_back(write);
    }
  }
}

}  // namespace

void Context::write_sets(const std::vector<VkDescriptorSet>& into) {
  Writes writes;
  collect(writes, device, bindings_, buffers, into, [this](const Binding& binding, uint32_t image) {
    return VkDescriptorImageInfo{sampler(), make_view(binding, image), binding.layout};
  });
  vkUpdateDescriptorSets(device.handle, static_cast<uint32_t>(writes.list.size()), writes.list.data(), 0,
                         nullptr);
}

VkDescriptorUpdateTemplate Context::make_template(bool push, std::vector<char>& data) {
  std::vector<VkDescriptorUpdateTemplateEntry> entries;
  // Not packed: the stride is the application's affair.
  const size_t stride = sizeof(VkDescriptorBufferInfo) + 40;
  for (const Binding& binding : bindings_) {
    entries.push_back({binding.binding, 0, count_of(binding), binding.type, data.size() + 8, stride});
    if (is_image(binding.type)) {
      for (const int image : binding.buffers) {
        const VkDescriptorImageInfo info{sampler(), make_view(binding, static_cast<uint32_t>(image)),
                                         binding.layout};
        const size_t at = data.size() + 8;
        data.resize(data.size() + stride);
        std::memcpy(data.data() + at, &info, sizeof info);
      }
      continue;
    }
    for (const int buffer : binding.buffers) {
      const VkDescriptorBufferInfo info{buffers[static_cast<size_t>(buffer)].handle, binding.offset,
                                        binding.range};
      const size_t at = data.size() + 8;
      data.resize(data.size() + stride);
      std::memcpy(data.data() + at, &info, sizeof info);
    }
  }
  data.resize(data.size() + 8);
  VkDescriptorUpdateTemplateCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO;
  info.descriptorUpdateEntryCount = static_cast<uint32_t>(entries.size());
  info.pDescriptorUpdateEntries = entries.data();
  info.templateType = push ? VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR
                           : VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
  info.descriptorSetLayout = set_layouts_[0];
  info.pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE;
  info.pipelineLayout = layout_;
  VkDescriptorUpdateTemplate result;
  check(vkCreateDescriptorUpdateTemplate(device.handle, &info, nullptr, &result),
        "vkCreateDescriptorUpdateTemplate");
  device.later(
      [handle = device.handle, result] { vkDestroyDescriptorUpdateTemplate(handle, result, nullptr); });
  return result;
}

void Context::write_push(VkPipelineBindPoint point) {
  if (test.written == Written::push || test.written == Written::push2) {
    Writes writes;
    collect(writes, device, bindings_, buffers, {}, [this](const Binding& binding, uint32_t image) {
      return VkDescriptorImageInfo{sampler(), make_view(binding, image), binding.layout};
    });
    const auto count = static_cast<uint32_t>(writes.list.size());
    if (test.written == Written::push) {
      vkCmdPushDescriptorSetKHR(commands(), point, layout_, 0, count, writes.list.data());
      return;
    }
    VkPushDescriptorSetInfo info{};
    info.sType = VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_INFO;
    info.stageFlags = stages_of(point);
    info.layout = layout_;
    info.descriptorWriteCount = count;
    info.pDescriptorWrites = writes.list.data();
    vkCmdPushDescriptorSet2KHR(commands(), &info);
    return;
  }
  std::vector<char> data;
  const VkDescriptorUpdateTemplate from = make_template(true, data);
  if (test.written == Written::push_template) {
    vkCmdPushDescriptorSetWithTemplateKHR(commands(), from, layout_, 0, data.data());
    return;
  }
  VkPushDescriptorSetWithTemplateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PUSH_DESCRIPTOR_SET_WITH_TEMPLATE_INFO;
  info.descriptorUpdateTemplate = from;
  info.layout = layout_;
  info.pData = data.data();
  vkCmdPushDescriptorSetWithTemplate2KHR(commands(), &info);
}

void Context::bind_sets(VkPipelineBindPoint point) {
  const auto count = static_cast<uint32_t>(sets.size());
  const auto offset_count = static_cast<uint32_t>(dynamic_offsets.size());
  if (test.written != Written::bind2) {
    vkCmdBindDescriptorSets(commands(), point, layout_, 0, count, sets.data(), offset_count,
                            dynamic_offsets.data());
    return;
  }
  VkBindDescriptorSetsInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO;
  info.stageFlags = stages_of(point);
  info.layout = layout_;
  info.descriptorSetCount = count;
  info.pDescriptorSets = sets.data();
  info.dynamicOffsetCount = offset_count;
  info.pDynamicOffsets = dynamic_offsets.data();
  vkCmdBindDescriptorSets2KHR(commands(), &info);
}

void Context::push_constants(const void* data, uint32_t size) {
  if (test.written != Written::bind2) {
    vkCmdPushConstants(commands(), layout_, VK_SHADER_STAGE_ALL, 0, size, data);
    return;
  }
  VkPushConstantsInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO;
  info.layout = layout_;
  info.stageFlags = VK_SHADER_STAGE_ALL;
  info.size = size;
  info.pValues = data;
  vkCmdPushConstants2KHR(commands(), &info);
}

void Context::bind(VkPipelineBindPoint point) {
  if (sets.empty())
    write_push(point);
  else
    bind_sets(point);
  uint64_t addresses[8] = {};
  for (size_t i = 0; i < buffers.size() && i < 8; ++i) {
    if (std::strncmp(test.buffers[i].name, "address ", 8) != 0) continue;
    VkBufferDeviceAddressInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    info.buffer = buffers[i].handle;
    addresses[i] = vkGetBufferDeviceAddress(device.handle, &info);
  }
  push_constants(addresses, sizeof addresses);
}

}  // namespace sync_cases
