// A device's check reports: the report block, the way from a record to a finding, and the counts at the end.
#ifndef SHADERQA_LAYER_CHECK_OUTPUT_H
#define SHADERQA_LAYER_CHECK_OUTPUT_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "instrument/shader_record.h"
#include "layer/action_info.h"

namespace shaderqa::layer {

class Device;
class RootBlock;

// Made when the first shader with a check appears, lives as long as the device. Thread-safe. Its draining is
// done by the same thread and in the same places as printf's (drain thread, waits, loss, exit).
class CheckOutput {
 public:
  static std::unique_ptr<CheckOutput> create(Device& device, RootBlock& root, std::string& problem);
  ~CheckOutput();

  // Before a shader of the record can run.
  void add_shader(const ShaderRecord& record);
  // Reports what is there; returns how many reports there were.
  uint64_t drain() noexcept;
  // The last drain, and the counts.
  void finish() noexcept;

 private:
  struct Impl;
  explicit CheckOutput(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace shaderqa::layer
#endif
