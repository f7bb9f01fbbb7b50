// SPDX-License-Identifier: Apache-2.0
// Every printing site known to a device, by id.
#ifndef SHADERQA_HOST_PRINTF_PRINTF_TABLE_H
#define SHADERQA_HOST_PRINTF_PRINTF_TABLE_H

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/printf/printf_format.h"
#include "instrument/shader_record.h"

namespace shaderqa {

// Thread-safe. Sites are never removed: entries may be decoded long after their shader is gone.
class PrintfTable {
 public:
  // Returns a warning for each id that already stands for another definition (naming both), once for an id.
  std::vector<std::string> add(const ShaderRecord& record);
  // Null: unknown. The pointer stays valid as long as the table.
  const PrintfSite* find(uint64_t id) const;
  // The same with its format ready for rendering.
  struct Entry {
    PrintfSite site;
    CompiledFormat format;
  };
  const Entry* find_entry(uint64_t id) const;
  // All sites whose counters share a slot of abi::PrintfSiteCounters.
  std::vector<const PrintfSite*> sites_of_slot(uint32_t slot) const;
  // The sites of all slots that any site uses, by slot: one walk instead of one for each slot.
  std::unordered_map<uint32_t, std::vector<const PrintfSite*>> sites_by_slot() const;

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<uint64_t, std::unique_ptr<Entry>> sites_;
  std::unordered_map<uint64_t, bool> warned_;
};

}  // namespace shaderqa
#endif
