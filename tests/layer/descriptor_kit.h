// SPDX-License-Identifier: Apache-2.0
// A program with buffers and descriptor sets, and the tables that the layer keeps for them, as a shader would
// find them in memory.
#ifndef SHADERQA_TESTS_LAYER_DESCRIPTOR_KIT_H
#define SHADERQA_TESTS_LAYER_DESCRIPTOR_KIT_H

#include <memory>
#include <optional>
#include <vector>

#include "layer/memory/table_memory.h"
#include "tests/layer/layer_test.h"

namespace shaderqa::layer {
std::ostream& operator<<(std::ostream& out, const TableEntry& entry);
}

namespace shaderqa::layer_tests {

using layer::TableEntry;

class SyncTest : public LayerTest {
 protected:
  SyncTest();
  // Notes whose text has this in it.
  std::vector<std::string> notes_about(const std::string& text) const;
};

// A storage buffer in memory of its own.
class BoundBuffer {
 public:
  // memory_of: shares its memory, from that offset on.
  BoundBuffer(const Device& device, VkDeviceSize size,
              VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
              const BoundBuffer* memory_of = nullptr, VkDeviceSize offset = 0);
  ~BoundBuffer();
  BoundBuffer(const BoundBuffer&) = delete;
  BoundBuffer& operator=(const BoundBuffer&) = delete;
  VkDeviceMemory memory() const { return memory_; }
  VkBuffer handle = VK_NULL_HANDLE;
  uint64_t address = 0;

 private:
  const Device& device_;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  const bool owns_memory_;
};

// A 2D image, R32_UINT, with one level and layer.
VkImageCreateInfo plain_image(VkImageUsageFlags usage, uint32_t side = 16);

struct BindingOptions {
  uint32_t binding = 0;
  VkDescriptorType type{};
  uint32_t count = 1;
  VkDescriptorBindingFlags flags = 0;
  std::vector<VkDescriptorType> mutable_types = {};
};
VkDescriptorSetLayout create_set_layout(const Device& device, const std::vector<BindingOptions>& bindings,
                                        VkDescriptorSetLayoutCreateFlags flags = 0);
VkDescriptorPool create_pool(const Device& device, uint32_t max_sets, uint32_t buffers,
                             VkDescriptorPoolCreateFlags flags = 0);

// One set of one layout from one pool.
class OneSet {
 public:
  // late: its descriptors may be updated after it is bound.
  OneSet(const Device& device, const std::vector<BindingOptions>& bindings,
         std::optional<uint32_t> variable_count = {}, bool late = false);
  ~OneSet();
  OneSet(const OneSet&) = delete;
  OneSet& operator=(const OneSet&) = delete;
  VkDescriptorSet handle = VK_NULL_HANDLE;

  void write(uint32_t binding, uint32_t element, VkDescriptorType type,
             const std::vector<VkDescriptorBufferInfo>& infos) const;
  void write_views(uint32_t binding, uint32_t element, VkDescriptorType type,
                   const std::vector<VkBufferView>& views) const;

 private:
  const Device& device_;
  VkDescriptorSetLayout layout_ = VK_NULL_HANDLE;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
};

// The slots of the only table in device memory that has so many, as a submission would find it. Throws where
// there is none, or another.
std::vector<TableEntry> find_table(const Device& device, uint32_t slots);
uint32_t count_tables(const Device& device, uint32_t slots);

}  // namespace shaderqa::layer_tests
#endif
