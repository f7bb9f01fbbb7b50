// Which memory a VkBuffer is, and which VkBuffer an address belongs to.
#ifndef SHADERQA_LAYER_BUFFER_TABLE_H
#define SHADERQA_LAYER_BUFFER_TABLE_H

#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>

namespace shaderqa::layer {

// Thread-safe. An address is known from the binding of memory on (of sparse buffers from creation). Destroyed
// buffers stay findable by address for a while (a bounded number of them), because reports come late.
class BufferTable {
 public:
  struct Buffer {
    VkBuffer handle = VK_NULL_HANDLE;
    VkDeviceAddress address = 0;  // 0: not bound yet, or it has none
    VkDeviceSize size = 0;
    std::string name;  // as the application gave it
    bool destroyed = false;
  };
  void add(VkBuffer handle, VkDeviceSize size);
  void set_address(VkBuffer handle, VkDeviceAddress address);
  void set_name(VkBuffer handle, const std::string& name);
  void remove(VkBuffer handle);

  std::optional<Buffer> find(VkBuffer handle) const;
  // The buffer that holds the address: a living one if there is one, the smallest where several overlap
  // (aliases), else the one destroyed last.
  std::optional<Buffer> find_address(VkDeviceAddress address) const;

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<VkBuffer, Buffer> buffers_;
  std::multimap<VkDeviceAddress, Buffer> living_, destroyed_;
};

}  // namespace shaderqa::layer
#endif
