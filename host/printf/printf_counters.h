// SPDX-License-Identifier: Apache-2.0
// The per-site counters of a device as sentences.
#ifndef SHADERQA_HOST_PRINTF_PRINTF_COUNTERS_H
#define SHADERQA_HOST_PRINTF_PRINTF_COUNTERS_H

#include <cstdint>
#include <string>
#include <vector>

#include "host/printf/printf_table.h"
#include "instrument/runtime/abi_printf.h"

namespace shaderqa {

// Remembers what was said, so that calling again says only what is new. Not thread-safe.
class PrintfCounterReader {
 public:
  // counters may be in memory that shaders are writing. Sentences like
  // "dropped 12 messages of "x=%d" (a.comp:7); raise printf_buffer_size"; where several sites share a slot,
  // all are named.
  std::vector<std::string> dropped(const abi::PrintfSiteCounters& counters, const PrintfTable& table);
  // "printed the first 10 and every 100th of 5000 messages of "x=%d" (a.comp:7)", for budgets that suppressed
  // something since the last call.
  std::vector<std::string> budgets(const abi::PrintfSiteCounters& counters, const PrintfTable& table,
                                   uint32_t first, uint32_t every);

 private:
  std::vector<uint32_t> said_dropped_, said_issued_;  // by slot; the counters wrap, their differences do not
  std::vector<uint64_t> total_dropped_, total_issued_;
};

}  // namespace shaderqa
#endif
