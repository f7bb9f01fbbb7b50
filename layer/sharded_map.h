// A map from Vulkan handles to small values for tables that many threads read at once: each shard has its own
// lock, so threads that work on different objects rarely meet.
#ifndef SHADERQA_LAYER_SHARDED_MAP_H
#define SHADERQA_LAYER_SHARDED_MAP_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

namespace shaderqa::layer {

template <typename Handle, typename Value>
class ShardedMap {
 public:
  void insert(Handle handle, Value value) {
    Shard& shard = shard_of(handle);
    const std::unique_lock lock(shard.mutex);
    shard.values.insert_or_assign(handle, std::move(value));
  }
  // What was there.
  std::optional<Value> erase(Handle handle) {
    Shard& shard = shard_of(handle);
    const std::unique_lock lock(shard.mutex);
    const auto found = shard.values.find(handle);
    if (found == shard.values.end()) return std::nullopt;
    std::optional<Value> value(std::move(found->second));
    shard.values.erase(found);
    return value;
  }
  std::optional<Value> find(Handle handle) const {
    const Shard& shard = shard_of(handle);
    const std::shared_lock lock(shard.mutex);
    const auto found = shard.values.find(handle);
    if (found == shard.values.end()) return std::nullopt;
    return found->second;
  }
  // Edits the value in place; false where there is none.
  template <typename Edit>
  bool update(Handle handle, const Edit& edit) {
    Shard& shard = shard_of(handle);
    const std::unique_lock lock(shard.mutex);
    const auto found = shard.values.find(handle);
    if (found == shard.values.end()) return false;
    edit(found->second);
    return true;
  }

 private:
  static constexpr size_t kShards = 64;
  struct alignas(64) Shard {
    mutable std::shared_mutex mutex;
    std::unordered_map<Handle, Value> values;
  };
  // Handles are addresses or counters: multiplication spreads both.
  static size_t index_of(Handle handle) {
    return (reinterpret_cast<uint64_t>(handle) * 0x9e3779b97f4a7c15u) >> 58;
  }
  Shard& shard_of(Handle handle) { return shards_[index_of(handle)]; }
  const Shard& shard_of(Handle handle) const { return shards_[index_of(handle)]; }

  std::array<Shard, kShards> shards_;
};

}  // namespace shaderqa::layer
#endif
