// SPDX-License-Identifier: Apache-2.0
#include "layer/pipelines/result_cache.h"

#include <functional>

namespace shaderqa::layer {
namespace {

uint64_t hash_of(const ResultCache::Key& key) {
  return key.first * 0x9e3779b97f4a7c15u ^ std::hash<std::string>{}(key.second);
}

// An estimate of its memory: the words, and the members of the record that grow with the shader.
size_t size_of(const ResultCache::Key& key, const InstrumentResult& result) {
  constexpr size_t site_texts = 64;
  return sizeof result + key.second.size() + result.words.size() * sizeof(uint32_t) + result.message.size() +
         result.record.printf_sites.size() * (sizeof(PrintfSite) + site_texts) +
         result.record.check_sites.size() * (sizeof(CheckSite) + site_texts);
}

}  // namespace

Instrumented ResultCache::find(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return {};
  latest_.splice(latest_.begin(), latest_, found->second.place);
  return found->second.value;
}

Instrumented ResultCache::add(Key key, Instrumented made) {
  const size_t bytes = size_of(key, *made.result);
  std::list<Instrumented> dropped;  // freed without the lock
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = entries_.try_emplace(std::move(key));
  Entry& entry = at->second;
  if (!is_new) return entry.value;
  entry.value = std::move(made);
  entry.bytes = bytes;
  entry.place = latest_.insert(latest_.begin(), &at->first);
  added_.insert(hash_of(at->first));
  bytes_ += bytes;
  while (bytes_ > max_bytes_ && latest_.size() > 1) {
    const auto oldest = entries_.find(*latest_.back());
    bytes_ -= oldest->second.bytes;
    dropped.push_back(std::move(oldest->second.value));
    latest_.pop_back();
    entries_.erase(oldest);
  }
  return entry.value;
}

bool ResultCache::was_added(const Key& key) const {
  const std::lock_guard lock(mutex_);
  return added_.contains(hash_of(key));
}

size_t ResultCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace shaderqa::layer
