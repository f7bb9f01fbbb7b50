// SPDX-License-Identifier: Apache-2.0
// The root block: one for each VkDevice. Its device address is a constant in the instrumented SPIR-V, and
// everything that shaders write is found through it. Read by GLSL and by C++. All words are little endian.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_ROOT_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_ROOT_H

#include "instrument/runtime/abi_printf.h"

#define SQA_ROOT_SIZE 4096
#define SQA_ROOT_MAGIC 0x41515351  // "QSQA"

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>

namespace shaderqa::abi {

// An action with checks, as one of its invocations wrote it.
struct BegunAction {
  uint32_t number;          // SQA_ACTION_NUMBER; 0: none
  uint32_t shader_hash[2];  // low, high
  uint32_t reserved;
};

// Zeroed by the host before the first submission.
struct Root {
  uint32_t magic;          // SQA_ROOT_MAGIC once the printf members are valid
  uint32_t printf_active;  // index into printf_segments; relaxed atomics, taken modulo SQA_PRINTF_SEGMENTS
  uint64_t printf_sites_address;  // of PrintfSiteCounters
  PrintfSegment printf_segments[SQA_PRINTF_SEGMENTS];
  // Used where the headers do not lie with their entries.
  PrintfBufferHeader printf_headers[SQA_PRINTF_SEGMENTS];
  uint64_t report_control_address;   // of ReportControl (abi_report.h); 0: no check reports
  uint64_t report_records_address;   // of Report[SQA_REPORT_SLOTS]
  uint64_t trace_control_address;    // of TraceControl (abi_trace.h); 0: nothing is traced
  uint64_t picture_control_address;  // of PictureControl (abi_picture.h); 0: there are no pictures
  uint64_t engine_address;           // of ExactState (abi_exact.h), for the layer's own shaders
  uint64_t reserved_address;
  // The dispatch or trace that began last, of those whose accesses are checked: written by the first
  // invocation of each, in one store, which nothing orders.
  BegunAction begun;
  uint8_t reserved[SQA_ROOT_SIZE - 80 - (24 + 16) * SQA_PRINTF_SEGMENTS];
};
static_assert(sizeof(Root) == SQA_ROOT_SIZE);
static_assert(offsetof(Root, printf_segments) == 16 && offsetof(Root, printf_headers) == 112);
static_assert(offsetof(Root, report_control_address) == 176);
static_assert(offsetof(Root, trace_control_address) == 192);
static_assert(offsetof(Root, picture_control_address) == 200);
static_assert(offsetof(Root, engine_address) == 208);
static_assert(offsetof(Root, begun) == 224);

}  // namespace shaderqa::abi
#endif
#endif
