// SPDX-License-Identifier: Apache-2.0
// A device's check reports: the report block, the way from a record to a finding, and the counts at the end.
#ifndef SHADERQA_LAYER_OUTPUT_CHECK_OUTPUT_H
#define SHADERQA_LAYER_OUTPUT_CHECK_OUTPUT_H

#include <cstdint>
#include <memory>
#include <string>

#include "host/findings/check_reader.h"
#include "instrument/shader_record.h"

namespace shaderqa::layer {

class Device;
class RootBlock;

// Made when the first shader with a check appears, lives as long as the device. Thread-safe. layer/outputs
// has it drained.
class CheckOutput {
 public:
  static std::unique_ptr<CheckOutput> create(Device& device, RootBlock& root, std::string& problem);
  ~CheckOutput();

  // Where the layer's own shaders find the engine's state (abi::Root::engine_address).
  void set_engine_state(uint64_t address);
  // Before a shader of the record can run.
  void add_shader(const ShaderRecord& record);
  // Reports what is there; returns how many findings were new.
  uint64_t drain(CheckReader::Mode mode) noexcept;
  // The checked dispatch or trace that began last on the device, with its shader, for people; empty: none is
  // known. Reads what the device may be writing.
  std::string last_begun() const;
  // The last drain, and the counts.
  void finish() noexcept;
  // Reports counts of sites that failed more than once, again only if more failures came since.
  void report_counts() noexcept;

 private:
  struct Impl;
  explicit CheckOutput(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace shaderqa::layer
#endif
