// SPDX-License-Identifier: Apache-2.0
// Which instructions pass values between the invocations of a subgroup or quad.
#ifndef SHADERQA_INSTRUMENT_IR_SUBGROUP_EXCHANGE_H
#define SHADERQA_INSTRUMENT_IR_SUBGROUP_EXCHANGE_H

#include "source/latest_version_spirv_header.h"

namespace shaderqa {

inline bool is_subgroup_exchange(spv::Op op) {
  const auto between = [op](spv::Op first, spv::Op last) { return op >= first && op <= last; };
  return between(spv::Op::OpGroupAll, spv::Op::OpGroupSMax) ||
         between(spv::Op::OpGroupNonUniformAll, spv::Op::OpGroupNonUniformQuadSwap) ||
         between(spv::Op::OpSubgroupBallotKHR, spv::Op::OpSubgroupReadInvocationKHR) ||
         between(spv::Op::OpGroupIAddNonUniformAMD, spv::Op::OpGroupSMaxNonUniformAMD) ||
         op == spv::Op::OpGroupNonUniformRotateKHR || op == spv::Op::OpGroupNonUniformQuadAllKHR ||
         op == spv::Op::OpGroupNonUniformQuadAnyKHR || op == spv::Op::OpGroupNonUniformPartitionNV;
}

}  // namespace shaderqa
#endif
