// SPDX-License-Identifier: Apache-2.0
#ifndef SHADERQA_TESTS_INSTRUMENT_REWRITTEN_H
#define SHADERQA_TESTS_INSTRUMENT_REWRITTEN_H

#include <gtest/gtest.h>

#include <string>

#include "support.h"

namespace shaderqa::test {

// The text of one of the sync check's shaders, rewritten. It is valid.
inline std::string rewritten_sync_shader(const std::string& name, const InstrumentOptions& options) {
  const InstrumentResult result = instrument(load_sync_shader(name), options);
  EXPECT_EQ(result.status, InstrumentStatus::instrumented) << result.message;
  const std::string text = disassemble(result.words);
  EXPECT_EQ(validation_error(result.words, environment_of(name)), "") << text;
  return text;
}

}  // namespace shaderqa::test
#endif
