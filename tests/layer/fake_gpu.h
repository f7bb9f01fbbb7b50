// SPDX-License-Identifier: Apache-2.0
// Acts as the GPU: finds the printf buffer as a shader does, from the root block, and writes what shaders
// write.
#ifndef SHADERQA_TESTS_LAYER_FAKE_GPU_H
#define SHADERQA_TESTS_LAYER_FAKE_GPU_H

#include <cstdint>
#include <span>
#include <vector>

#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/abi_root.h"
#include "instrument/runtime/abi_trace.h"
#include "tests/layer/shaders.h"
#include "tests/null_driver/null_driver.h"

namespace shaderqa::layer_tests {

null_driver::Driver& driver();

// Root blocks that are ready to be written through, in device memory.
std::vector<abi::Root*> find_roots();
// The one root block whose address `words` hold, in two halves; null if there is none.
abi::Root* root_of(const Words& words);

// One message, as the runtime function of instrument/ writes it. False: it did not fit.
bool print(abi::Root& root, uint64_t site, std::span<const uint32_t> payload);
// The same in the only root block there is.
void print(uint64_t site, uint32_t payload);
// A reservation whose message is never written: its invocation hangs, or is lost.
void reserve_without_writing(abi::Root& root, uint32_t dwords);

// Where checks report, as the one root block that has it says; throws if there is none.
struct ReportBlock {
  abi::ReportControl* control;
  abi::Report* records;
  abi::Root* root;
};
ReportBlock find_report_block();
// Where what shaders trace goes, as a root block says; null: nothing is traced.
abi::TraceControl* find_trace_control();
// As report.glsl: false if the failure's slot was taken.
bool fail(const ReportBlock& block, const abi::Report& record);

}  // namespace shaderqa::layer_tests
#endif
