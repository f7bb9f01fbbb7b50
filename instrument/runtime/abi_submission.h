// SPDX-License-Identifier: Apache-2.0
// What a command buffer is told when it is submitted: a part that every engine reads, and one part for each
// engine. Their dwords, for GLSL, are in abi_action.h, abi_filter.h and abi_exact.h.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_ABI_SUBMISSION_H
#define SHADERQA_INSTRUMENT_RUNTIME_ABI_SUBMISSION_H

#include <cstdint>

#include "instrument/runtime/abi_exact.h"
#include "instrument/runtime/abi_filter.h"

namespace shaderqa::abi {

struct CommonSubmission {
  // Number of the VkQueue on its device. Mixed into the filter's hash, so that queues that share a filter do
  // not see each other's marks.
  uint32_t queue;
  uint32_t serial;  // of the submission
};

// One for each command buffer, written by the host before each submission. The bases lie one behind the
// other, without gaps.
struct SubmissionState : CommonSubmission, FilterSubmission, ExactSubmission {};
static_assert(sizeof(CommonSubmission) == SQA_SUBMISSION_FILTER_PART * 4);
static_assert(sizeof(CommonSubmission) + sizeof(FilterSubmission) == SQA_SUBMISSION_EXACT_PART * 4);
static_assert(sizeof(SubmissionState) ==
              sizeof(CommonSubmission) + sizeof(FilterSubmission) + sizeof(ExactSubmission));

}  // namespace shaderqa::abi
#endif
