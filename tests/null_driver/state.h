// SPDX-License-Identifier: Apache-2.0
// Everything the driver knows: configuration, log, and every living object. One lock around every command.
#ifndef SHADERQA_TESTS_NULL_DRIVER_STATE_H
#define SHADERQA_TESTS_NULL_DRIVER_STATE_H

#include <memory>
#include <mutex>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "tests/null_driver/null_driver.h"
#include "tests/null_driver/objects.h"

namespace shaderqa::null_driver {

// Where a fault is to be injected, the command does nothing but return it.
class Call {
 public:
  explicit Call(const char* command);  // counts the call, locks the state
  VkResult fault = VK_SUCCESS;

 private:
  std::unique_lock<std::mutex> lock_;
};

class State final : public Driver {
 public:
  void reset(const Config& config) override;
  void configure(const Config& config) override;
  Config config() override;
  Log log() override;
  std::vector<std::span<std::byte>> memory() override;
  PFN_vkVoidFunction command(const char* name) override;

  // What follows is for commands, which hold the lock.
  std::mutex mutex;
  Config settings;
  Log records;
  std::map<const Device*, uint32_t> compiling;  // calls that are making pipelines just now

  void violation(std::string text) { records.violations.push_back(std::move(text)); }
  VkResult enter(const char* command);

  // Handles are reused, the last one freed first: whoever keeps a handle beyond its object's life gets
  // another object.
  template <typename Handle, typename T>
  Handle add(Device* device, T object) {
    uint64_t id = next_id_;
    if (free_ids_.empty()) {
      next_id_ += 8;
    } else {
      id = free_ids_.back();
      free_ids_.pop_back();
    }
    ++records.live[T::kName];
    object.owner = device;
    object.type_name = T::kName;
    objects_[id] = std::make_unique<T>(std::move(object));
    return reinterpret_cast<Handle>(id);
  }
  // Null, and a violation, for a handle that is not one of such an object.
  template <typename T, typename Handle>
  T* get(Handle handle) {
    const auto found = objects_.find(reinterpret_cast<uint64_t>(handle));
    if (found != objects_.end()) {
      if (auto object = dynamic_cast<T*>(found->second.get())) return object;
    }
    violation(std::string("not a living ") + T::kName);
    return nullptr;
  }
  template <typename T, typename Handle>
  void remove(Handle handle) {
    if (!handle || !get<T>(handle)) return;
    --records.live[T::kName];
    objects_.erase(reinterpret_cast<uint64_t>(handle));
    free_ids_.push_back(reinterpret_cast<uint64_t>(handle));
  }
  // Says what still belongs to it, and frees that.
  void remove_children(const Device* device);
  template <typename T, typename Visit>
  void for_each(const Visit& visit) {
    for (const auto& [id, object] : objects_) {
      if (auto wanted = dynamic_cast<T*>(object.get())) visit(*wanted);
    }
  }

 private:
  std::unordered_map<uint64_t, std::unique_ptr<Object>> objects_;
  std::vector<uint64_t> free_ids_;
  uint64_t next_id_ = 0x1000;
  std::map<std::string, uint64_t> calls_since_configured_;
};

State& state();

// See Config::while_waiting.
void wait_for_device();
// Fills in what SHADERQA_NULL_DRIVER says; a word it does not know ends the process.
void apply_environment(Config& config);

// A ring of structures is none of the driver's business, but must not be its end.
inline constexpr size_t kLongestChain = 1000;
Chain chain_of(const void* structure_chain);
template <typename T>
const T* find_in_chain(const void* chain, VkStructureType type) {
  auto node = static_cast<const VkBaseInStructure*>(chain);
  for (size_t i = 0; node && i < kLongestChain; node = node->pNext, ++i) {
    if (node->sType == type) return reinterpret_cast<const T*>(node);
  }
  return nullptr;
}

// Vulkan's two calls: without `out`, how many there are.
template <typename T>
VkResult give_list(const std::vector<T>& list, uint32_t* count, T* out) {
  const auto available = static_cast<uint32_t>(list.size());
  if (!out) {
    *count = available;
    return VK_SUCCESS;
  }
  *count = *count < available ? *count : available;
  for (uint32_t i = 0; i < *count; ++i) out[i] = list[i];
  return *count < available ? VK_INCOMPLETE : VK_SUCCESS;
}

std::vector<VkExtensionProperties> supported_instance_extensions();
std::vector<VkExtensionProperties> supported_device_extensions();

}  // namespace shaderqa::null_driver
#endif
