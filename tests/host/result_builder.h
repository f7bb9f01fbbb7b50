// SPDX-License-Identifier: Apache-2.0
// Results of instrument() as a shader cache keeps them, for its tests.
#ifndef SHADERQA_TESTS_HOST_RESULT_BUILDER_H
#define SHADERQA_TESTS_HOST_RESULT_BUILDER_H

#include <cstdint>
#include <vector>

#include "instrument/instrument.h"
#include "instrument/runtime/abi_report.h"
#include "tests/host/check_builder.h"
#include "tests/host/printf_builder.h"

namespace shaderqa::test {

// With something in every member.
inline InstrumentResult some_result(uint32_t words = 20) {
  InstrumentResult result;
  result.status = InstrumentStatus::instrumented;
  result.words.assign(words < 5 ? 5 : words, 7);
  result.words[0] = 0x07230203;
  result.record =
      checked_shader({check_site(3, SQA_CHECK_NAN), check_site(9, SQA_CHECK_HAZARD, SQA_ACCESS_ATOMIC)});
  PrintfSite site;
  site.id = 0xabcdef012345;
  site.format = "x = %v3f, %s and \"%d\"\n";
  site.arguments = Arguments().scalar(ScalarKind::floating, 16, 1).i64(-1).string("text").types;
  site.invocation = InvocationKind::launch_id;
  site.ordinal = 3;
  site.source = {"a.rgen", 4, 5, "debugPrintfEXT(...)"};
  site.shader_hash = kCheckedShader;
  site.stage = Stage::ray_generation;
  site.entry_point = "main";
  result.record.printf_sites = {site};
  result.record.notes = {{"a note", Concern::sync, true}};
  result.message = "a message";
  return result;
}

}  // namespace shaderqa::test
#endif
