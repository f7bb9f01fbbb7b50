// SPDX-License-Identifier: Apache-2.0
// Which shaders are instrumented: the hash-range file of VKD3D_QA_HASHES and --hashes.
#ifndef SHADERQA_HOST_SETTINGS_HASH_FILTER_H
#define SHADERQA_HOST_SETTINGS_HASH_FILTER_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shaderqa {

enum HashModes : uint32_t {
  kHashAllow = 1u << 0,  // no keyword, or "allow": every check that is switched on
  kHashDisallow = 1u << 1,
  kHashFull = 1u << 2,
  kHashFlushNan = 1u << 3,
  kHashExpectAssume = 1u << 4,
  kHashSync = 1u << 5,
  kHashSyncCompute = 1u << 6,
  kHashPrintf = 1u << 7,
};

// Whether a hash file keeps all checks of a shader with these modes off that the settings switch on.
inline bool excluded_by_hash(uint32_t modes) { return modes == 0 || (modes & kHashDisallow) != 0; }

class HashFilter {
 public:
  // An empty filter: every shader is allowed.
  HashFilter() = default;
  // problems: one sentence each, with file name and line number (bad hash, empty range, unknown keyword, line
  // too long).
  static HashFilter parse(std::string_view text, const std::string& file_name,
                          std::vector<std::string>& problems);
  // Reads the file; an unreadable one is a problem, and the filter then selects nothing (the user asked for a
  // selection).
  static HashFilter load(const std::string& path, std::vector<std::string>& problems);

  // The union of the modes of all matching ranges; kHashDisallow in it wins over all others; 0: not selected.
  // Without any range: kHashAllow.
  uint32_t match(uint64_t shader_hash) const;
  bool empty() const { return !restricts_ && ranges_.empty(); }
  // The union of the modes of all ranges.
  uint32_t modes() const;

 private:
  struct Range {
    uint64_t low, high;
    uint32_t modes;
  };
  std::vector<Range> ranges_;
  bool restricts_ = false;  // a file was given, so no match means not selected
};

}  // namespace shaderqa
#endif
