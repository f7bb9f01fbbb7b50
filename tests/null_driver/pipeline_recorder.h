// SPDX-License-Identifier: Apache-2.0
// What all kinds of pipelines have in common: stages whose words are recorded and may be refused.
#ifndef SHADERQA_TESTS_NULL_DRIVER_PIPELINE_RECORDER_H
#define SHADERQA_TESTS_NULL_DRIVER_PIPELINE_RECORDER_H

#include <cstdint>
#include <vector>

namespace shaderqa::null_driver {

bool words_accepted(const std::vector<uint32_t>& words);

}  // namespace shaderqa::null_driver
#endif
