// SPDX-License-Identifier: Apache-2.0
// A device's printing: its buffers, the stream that reads them, and the way from a message to the reports.
#ifndef SHADERQA_LAYER_OUTPUT_PRINTF_OUTPUT_H
#define SHADERQA_LAYER_OUTPUT_PRINTF_OUTPUT_H

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "host/findings/report.h"
#include "host/printf/printf_counters.h"
#include "host/printf/printf_stream.h"
#include "host/printf/printf_table.h"
#include "layer/output/printf_buffers.h"

namespace shaderqa::layer {

class ObjectNames;

// Made when the first printing shader appears, lives as long as the device. Thread-safe.
class PrintfOutput {
 public:
  static std::unique_ptr<PrintfOutput> create(const DeviceContext& device, const ObjectNames& names,
                                              RootBlock& root, std::string& problem);
  PrintfOutput(const PrintfOutput&) = delete;
  PrintfOutput& operator=(const PrintfOutput&) = delete;

  // Before a shader of the record can run.
  void add_shader(const ShaderRecord& record);
  uint64_t drain(PrintfStream::Mode mode) noexcept;
  uint64_t poll() noexcept;  // a round of the drain thread
  // The last drain of a device, and what its counters say; once poll() is called no more.
  void finish() noexcept;

 private:
  PrintfOutput(const DeviceContext& device, const ObjectNames& names, std::unique_ptr<PrintfBuffers> buffers,
               RootBlock& root);
  // A finding without the message's text. It is made once for each site, because messages come in millions.
  struct SiteFinding {
    Finding finding;
    uint64_t drain = 0;  // in which the names were looked up; the application may change them in between
  };
  SiteFinding& finding_of(const PrintfMessage& message);
  void report(const PrintfMessage& message);
  void report_dropped();
  void report_budgets();

  const DeviceContext& device_;
  const ObjectNames& names_;
  std::unique_ptr<PrintfBuffers> buffers_;
  PrintfTable table_;
  std::mutex mutex_;  // around stream_, what it calls, and what that uses
  std::unordered_map<const PrintfSite*, SiteFinding> findings_;
  uint64_t drain_ = 0;
  PrintfStream stream_;
  PrintfStream::Callbacks callbacks_;
  // Only poll() uses these, and finish() after its last call.
  PrintfCounterReader counters_;
  std::chrono::steady_clock::time_point counters_due_{};
  std::chrono::seconds counters_interval_;
  bool counters_stale_ = false;
};

}  // namespace shaderqa::layer
#endif
