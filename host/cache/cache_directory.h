// SPDX-License-Identifier: Apache-2.0
// A directory of cache files with a size limit. Above it, the least recently used files are removed.
#ifndef SHADERQA_HOST_CACHE_CACHE_DIRECTORY_H
#define SHADERQA_HOST_CACHE_CACHE_DIRECTORY_H

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace shaderqa {

// Thread-safe. Files of other names are left alone, so that a wrong setting removes nothing of the user's.
class CacheDirectory {
 public:
  CacheDirectory(std::string path, uint64_t max_bytes) : path_(std::move(path)), max_bytes_(max_bytes) {}

  // Creates the directory and its parents, readable only for the owner. Returns what is wrong, or nothing.
  std::string create() const;
  const std::string& path() const { return path_; }
  std::string file_of(const std::string& name) const;
  // A new name with each call.
  std::string temporary_of(const std::string& name);
  // To be called before a file of so many bytes is written: removes least recently used files until it fits.
  // False: it is too large to be kept. Several processes that write at once may exceed the limit by what each
  // writes between two of its own checks of the directory.
  bool make_room(uint64_t bytes);
  // Marks an open file as used just now.
  static void mark_used(int descriptor);

 private:
  // Removes files until at most `goal` bytes are left; returns how many bytes are.
  uint64_t trim(uint64_t goal) const;

  const std::string path_;
  const uint64_t max_bytes_;
  std::mutex mutex_;
  bool looked_ = false;
  uint64_t bytes_ = 0;  // as far as this process knows
  std::atomic<uint64_t> temporaries_ = 0;
};

}  // namespace shaderqa
#endif
