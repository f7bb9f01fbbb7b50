// SPDX-License-Identifier: Apache-2.0
// Reads the report block while shaders write it. No Vulkan: works on any mapped memory, trusts nothing in it.
#ifndef SHADERQA_HOST_FINDINGS_CHECK_READER_H
#define SHADERQA_HOST_FINDINGS_CHECK_READER_H

#include <cstdint>
#include <functional>

#include "instrument/runtime/abi_report.h"

namespace shaderqa {

// Not thread-safe. A record stays in its slot until the callback has returned: if the process ends in
// between, the record is delivered twice rather than never.
class CheckReader {
 public:
  // records: SQA_REPORT_SLOTS of them, in memory that the host reads fast.
  CheckReader(abi::ReportControl* control, abi::Report* records) : control_(control), records_(records) {}

  enum class Mode {
    running,  // reads the records only if the count of published ones says that there are new ones
    finished  // no shader runs any more: reads all records, whatever the count says
  };
  // Returns the number of records delivered.
  uint64_t drain(Mode mode, const std::function<void(const abi::Report&)>& report);

  // How many invocations of the sites with this counter failed; wraps.
  uint32_t failures(uint32_t counter) const;
  // How many failures found no free slot and were not recorded.
  uint32_t unclaimed() const;
  // How many accesses were not checked, as there was no room to note them.
  uint32_t unqueued() const;

 private:
  bool take(uint32_t slot, const std::function<void(const abi::Report&)>& report);

  abi::ReportControl* control_;
  abi::Report* records_;
  uint32_t processed_ = 0;  // as many of those that ReportControl::published counts
  uint32_t seen_ = 0;       // ReportControl::published at the last look
  uint32_t vain_ = 0;       // looks since it changed that found nothing, though something is still to come
};

// Where ReportControl::failures counts the failures of an instruction.
uint32_t failure_counter(uint64_t shader_hash, uint32_t instruction);

}  // namespace shaderqa
#endif
