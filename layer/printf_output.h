// A device's printing: its buffers, the stream that reads them, and the way from a message to the reports.
#ifndef SHADERQA_LAYER_PRINTF_OUTPUT_H
#define SHADERQA_LAYER_PRINTF_OUTPUT_H

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "host/printf_counters.h"
#include "host/printf_stream.h"
#include "host/printf_table.h"
#include "layer/drain_thread.h"
#include "layer/printf_buffers.h"

namespace shaderqa::layer {

// Made when the first printing shader appears, lives as long as the device. Thread-safe. In a forked child
// every call does nothing: neither the thread nor the device is there.
class PrintfOutput {
 public:
  static std::unique_ptr<PrintfOutput> create(Device& device, RootBlock& root, std::string& problem);
  PrintfOutput(const PrintfOutput&) = delete;
  PrintfOutput& operator=(const PrintfOutput&) = delete;

  bool in_forked_child() const;
  // Before a shader of the record can run.
  void add_shader(const ShaderRecord& record);
  void poke() { thread_.poke(); }
  uint64_t drain(PrintfStream::Mode mode) noexcept;
  // The last drain of a device, and what its counters say.
  void finish() noexcept;
  // From exit(): nothing that the application may still do afterwards is prevented.
  void drain_at_exit() noexcept;

 private:
  PrintfOutput(Device& device, std::unique_ptr<PrintfBuffers> buffers, RootBlock& root);
  void report(const PrintfMessage& message);
  void report_counters(bool last);

  Device& device_;
  const pid_t process_;
  std::unique_ptr<PrintfBuffers> buffers_;
  PrintfTable table_;
  std::mutex mutex_;  // around stream_, counters_ and what they call
  PrintfStream stream_;
  PrintfStream::Callbacks callbacks_;
  PrintfCounterReader counters_;
  std::chrono::steady_clock::time_point counters_due_{};
  DrainThread thread_;  // last: it uses all of the above
};

}  // namespace shaderqa::layer
#endif
