// SPDX-License-Identifier: Apache-2.0
// How the checks of a compute pipeline that the driver was given find cells.
#ifndef SHADERQA_TESTS_LAYER_LOOKUP_OF_H
#define SHADERQA_TESTS_LAYER_LOOKUP_OF_H

#include <cstdint>
#include <string_view>

#include "tests/layer/command_kit.h"

namespace shaderqa::layer_tests {

// Whether something in the code that the driver was given for its first stage has this name.
inline bool has_name(VkPipeline pipeline, std::string_view name) {
  const null_driver::PipelineRecord record = record_of(pipeline);
  if (record.stages.empty()) return false;
  const Words& words = record.stages.front().words;
  return std::string_view(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t))
             .find(name) != std::string_view::npos;
}

enum class Lookup : uint8_t { none, by_page };
inline Lookup lookup_of(VkPipeline pipeline) {
  if (record_of(pipeline).stages.empty()) return Lookup::none;
  const bool direct = has_name(pipeline, "sqa_direct_set");
  EXPECT_NE(direct, has_name(pipeline, "sqa_words_set"));
  return direct ? Lookup::none : Lookup::by_page;
}

}  // namespace shaderqa::layer_tests
#endif
