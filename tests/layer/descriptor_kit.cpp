// SPDX-License-Identifier: Apache-2.0
#include "tests/layer/descriptor_kit.h"

#include <cstring>
#include <ostream>
#include <stdexcept>

namespace shaderqa::layer {
std::ostream& operator<<(std::ostream& out, const TableEntry& entry) {
  return out << "{" << std::hex << entry.address << std::dec << ", " << entry.range << ", " << std::hex
             << entry.meta << std::dec << "}";
}
}  // namespace shaderqa::layer

namespace shaderqa::layer_tests {
namespace {

std::vector<const TableEntry*> tables_with(const Device& device, uint32_t slots) {
  // Updates reach device memory with the next submission, whatever it is.
  check(device.vk.vkQueueSubmit(device.queue, 0, nullptr, VK_NULL_HANDLE), "vkQueueSubmit");
  std::vector<const TableEntry*> found;
  const TableEntry header{slots, 0, 0};
  for (const std::span<std::byte> memory : driver().memory()) {
    if (memory.size() < (1u << 20)) continue;  // tables are in larger allocations than a test makes
    const size_t entries = memory.size() / sizeof(TableEntry);
    const auto first = reinterpret_cast<const TableEntry*>(memory.data());
    for (size_t i = 0; i + slots < entries; ++i) {
      if (std::memcmp(first + i, &header, sizeof header) == 0) found.push_back(first + i);
    }
  }
  return found;
}

}  // namespace

SyncTest::SyncTest() {
  set("SHADERQA_PRINTF", "true");
  set("SHADERQA_SYNC", "bloom");
}

std::vector<std::string> SyncTest::notes_about(const std::string& text) const {
  std::vector<std::string> found = notes();
  std::erase_if(found, [&](const std::string& note) { return note.find(text) == std::string::npos; });
  return found;
}

BoundBuffer::BoundBuffer(const Device& device, VkDeviceSize size, VkBufferUsageFlags usage,
                         const BoundBuffer* memory_of, VkDeviceSize offset)
    : device_(device), owns_memory_(!memory_of) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size;
  info.usage = usage;
  check(device.vk.vkCreateBuffer(device.handle, &info, nullptr, &handle), "vkCreateBuffer");
  VkMemoryRequirements requirements;
  device.vk.vkGetBufferMemoryRequirements(device.handle, handle, &requirements);
  VkMemoryAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.allocationSize = requirements.size;
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  if ((usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0) allocation.pNext = &flags;
  if (memory_of)
    memory_ = memory_of->memory_;
  else
    check(device.vk.vkAllocateMemory(device.handle, &allocation, nullptr, &memory_), "vkAllocateMemory");
  check(device.vk.vkBindBufferMemory(device.handle, handle, memory_, offset), "vkBindBufferMemory");
  VkBufferDeviceAddressInfo address_info{};
  address_info.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  address_info.buffer = handle;
  address = device.vk.vkGetBufferDeviceAddress(device.handle, &address_info);
}

BoundBuffer::~BoundBuffer() {
  device_.vk.vkDestroyBuffer(device_.handle, handle, nullptr);
  if (owns_memory_) device_.vk.vkFreeMemory(device_.handle, memory_, nullptr);
}

VkImageCreateInfo plain_image(VkImageUsageFlags usage, uint32_t side) {
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = VK_FORMAT_R32_UINT;
  info.extent = {side, side, 1};
  info.mipLevels = info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = usage;
  return info;
}

VkDescriptorSetLayout create_set_layout(const Device& device, const std::vector<BindingOptions>& bindings,
                                        VkDescriptorSetLayoutCreateFlags flags) {
  std::vector<VkDescriptorSetLayoutBinding> given;
  std::vector<VkDescriptorBindingFlags> binding_flags;
  std::vector<VkMutableDescriptorTypeListEXT> lists;
  for (const BindingOptions& binding : bindings) {
    given.push_back({binding.binding, binding.type, binding.count, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    binding_flags.push_back(binding.flags);
    lists.push_back({static_cast<uint32_t>(binding.mutable_types.size()), binding.mutable_types.data()});
  }
  VkMutableDescriptorTypeCreateInfoEXT mutables{};
  mutables.sType = VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT;
  mutables.mutableDescriptorTypeListCount = static_cast<uint32_t>(lists.size());
  mutables.pMutableDescriptorTypeLists = lists.data();
  VkDescriptorSetLayoutBindingFlagsCreateInfo flags_info{};
  flags_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO;
  flags_info.pNext = &mutables;
  flags_info.bindingCount = static_cast<uint32_t>(binding_flags.size());
  flags_info.pBindingFlags = binding_flags.data();
  VkDescriptorSetLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  info.pNext = &flags_info;
  info.flags = flags;
  info.bindingCount = static_cast<uint32_t>(given.size());
  info.pBindings = given.data();
  VkDescriptorSetLayout layout = VK_NULL_HANDLE;
  check(device.vk.vkCreateDescriptorSetLayout(device.handle, &info, nullptr, &layout),
        "vkCreateDescriptorSetLayout");
  return layout;
}

VkDescriptorPool create_pool(const Device& device, uint32_t max_sets, uint32_t buffers,
                             VkDescriptorPoolCreateFlags flags) {
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers};
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.flags = flags;
  info.maxSets = max_sets;
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  check(device.vk.vkCreateDescriptorPool(device.handle, &info, nullptr, &pool), "vkCreateDescriptorPool");
  return pool;
}

OneSet::OneSet(const Device& device, const std::vector<BindingOptions>& bindings,
               std::optional<uint32_t> variable_count, bool late)
    : device_(device),
      layout_(create_set_layout(device, bindings,
                                late ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT : 0)),
      pool_(create_pool(device, 1, 100, late ? VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT : 0)) {
  const uint32_t count = variable_count.value_or(0);
  VkDescriptorSetVariableDescriptorCountAllocateInfo counts{};
  counts.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO;
  counts.descriptorSetCount = 1;
  counts.pDescriptorCounts = &count;
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.pNext = variable_count ? &counts : nullptr;
  info.descriptorPool = pool_;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout_;
  check(device.vk.vkAllocateDescriptorSets(device.handle, &info, &handle), "vkAllocateDescriptorSets");
}

OneSet::~OneSet() {
  device_.vk.vkDestroyDescriptorPool(device_.handle, pool_, nullptr);
  device_.vk.vkDestroyDescriptorSetLayout(device_.handle, layout_, nullptr);
}

void OneSet::write(uint32_t binding, uint32_t element, VkDescriptorType type,
                   const std::vector<VkDescriptorBufferInfo>& infos) const {
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = handle;
  write.dstBinding = binding;
  write.dstArrayElement = element;
  write.descriptorCount = static_cast<uint32_t>(infos.size());
  write.descriptorType = type;
  write.pBufferInfo = infos.data();
  device_.vk.vkUpdateDescriptorSets(device_.handle, 1, &write, 0, nullptr);
}

void OneSet::write_views(uint32_t binding, uint32_t element, VkDescriptorType type,
                         const std::vector<VkBufferView>& views) const {
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = handle;
  write.dstBinding = binding;
  write.dstArrayElement = element;
  write.descriptorCount = static_cast<uint32_t>(views.size());
  write.descriptorType = type;
  write.pTexelBufferView = views.data();
  device_.vk.vkUpdateDescriptorSets(device_.handle, 1, &write, 0, nullptr);
}

std::vector<TableEntry> find_table(const Device& device, uint32_t slots) {
  const auto tables = tables_with(device, slots);
  if (tables.size() != 1)
    throw std::runtime_error(std::to_string(tables.size()) + " tables with " + std::to_string(slots) +
                             " slots");
  return {tables[0] + 1, tables[0] + 1 + slots};
}

uint32_t count_tables(const Device& device, uint32_t slots) {
  return static_cast<uint32_t>(tables_with(device, slots).size());
}

}  // namespace shaderqa::layer_tests
