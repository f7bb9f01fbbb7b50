// SPDX-License-Identifier: Apache-2.0
// Rewritten shaders of one device, by shader and options. Above a size, the least recently used are deleted.
#ifndef SHADERQA_LAYER_PIPELINES_RESULT_CACHE_H
#define SHADERQA_LAYER_PIPELINES_RESULT_CACHE_H

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>

#include "instrument/instrument.h"

namespace shaderqa::layer {

struct Instrumented {
  std::shared_ptr<const InstrumentResult> result;  // null: the shader is not instrumented
  bool needs_record = false;                       // its actions need an action record
  bool footprints_complete() const { return result && result->record.footprints_complete; }
  explicit operator bool() const { return result != nullptr; }
};

// Thread-safe. A deleted result stays valid for whoever holds it. If it is needed again, it is made again and
// is the same.
class ResultCache {
 public:
  using Key = std::pair<uint64_t, std::string>;  // hash of the words; the options as bytes

  explicit ResultCache(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Null if it is not in the cache.
  Instrumented find(const Key& key);
  // If the key has a result by now, that one stays and is returned. The latest result stays whatever its
  // size.
  Instrumented add(Key key, Instrumented made);
  // Whether it was ever added: then its sites are known to the outputs.
  bool was_added(const Key& key) const;
  size_t bytes() const;

 private:
  using Latest = std::list<const Key*>;
  struct Entry {
    Instrumented value;
    size_t bytes = 0;
    Latest::iterator place;
  };

  const size_t max_bytes_;
  mutable std::mutex mutex_;
  std::map<Key, Entry> entries_;
  Latest latest_;  // the latest first; keys of entries_
  size_t bytes_ = 0;
  std::unordered_set<uint64_t> added_;  // hashes of keys
};

}  // namespace shaderqa::layer
#endif
