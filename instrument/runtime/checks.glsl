// SPDX-License-Identifier: Apache-2.0
// Checks of values (assumptions, expectations, breakpoints, NaN and infinity) in a shader without the sync check.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_control_flow_attributes : require
#include "instrument/runtime/abi_report.h"
#define sqa_report_dispatch() 0u
#define sqa_report_invocation() 0u
#include "instrument/runtime/report.glsl"

void sqa_begin_checks() {
  sqa_attempts = 0u;
  sqa_action = 0u;
}

// Never runs: the build's dead code elimination keeps what it calls.
void main() {
  sqa_set_where(uvec3(0u));
  sqa_begin_checks();
  sqa_check(uvec2(0u), uvec2(0u), uvec2(0u), true, true, uvec2(0u));
  sqa_check_operands(uvec2(0u), uvec2(0u), uvec2(0u), true, true, uvec2(0u), uvec3(0u));
  sqa_begin_failures();
  sqa_note_failure(uvec2(0u), SqaSite(uvec2(0u), 0u, 0u), uvec2(0u), uvec3(0u));
  sqa_report_failures(uvec2(0u), uvec2(0u));
}
