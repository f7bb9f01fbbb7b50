// SPDX-License-Identifier: Apache-2.0
// How the checks of a compute pipeline that the driver was given find cells.
#ifndef SHADERQA_TESTS_LAYER_LOOKUP_OF_H
#define SHADERQA_TESTS_LAYER_LOOKUP_OF_H

#include <cstdint>
#include <string_view>

#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {

enum class Lookup : uint8_t { none, by_page };
inline Lookup lookup_of(VkPipeline pipeline) {
  const null_driver::PipelineRecord record = record_of(pipeline);
  if (record.stages.empty()) return Lookup::none;
  const Words& words = record.stages.front().words;
  const std::string_view bytes(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t));
  const bool direct = bytes.find("sqa_direct_set") != bytes.npos;
  EXPECT_NE(direct, bytes.find("sqa_words_set") != bytes.npos);
  return direct ? Lookup::none : Lookup::by_page;
}

}  // namespace shaderqa::layer_tests
#endif
