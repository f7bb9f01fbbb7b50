// SPDX-License-Identifier: Apache-2.0
// Rewritten shaders in a directory, so that the next run of a program need not rewrite them again.
#ifndef SHADERQA_HOST_CACHE_SHADER_CACHE_H
#define SHADERQA_HOST_CACHE_SHADER_CACHE_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "instrument/instrument.h"

namespace shaderqa {

// One file for each result, named by a hash of the original words, the options and the build of the layer: a
// file never needs to change, and another layer's is never found. Files are written beside and renamed, and
// carry a checksum: whatever happened to one, it is read whole or not at all. Nothing here fails: what cannot
// be read is a miss, what cannot be written is not kept, and each says so once.
//
// Thread-safe; any number of processes may share the directory. No lock is held while files are read or
// written, except while old files are removed.
class ShaderCache {
 public:
  using Note = std::function<void(const std::string& key, const std::string& text)>;
  // build: what tells one layer from another whose results may differ.
  ShaderCache(std::string directory, uint64_t max_bytes, std::string_view build, Note note);
  ~ShaderCache();
  ShaderCache(const ShaderCache&) = delete;
  ShaderCache& operator=(const ShaderCache&) = delete;

  std::optional<InstrumentResult> load(std::span<const uint32_t> words, const InstrumentOptions& options);
  void store(std::span<const uint32_t> words, const InstrumentOptions& options,
             const InstrumentResult& result);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace shaderqa
#endif
