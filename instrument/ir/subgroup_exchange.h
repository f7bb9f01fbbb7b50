// SPDX-License-Identifier: Apache-2.0
// Which instructions pass values between the invocations of a subgroup or quad.
#ifndef SHADERQA_INSTRUMENT_IR_SUBGROUP_EXCHANGE_H
#define SHADERQA_INSTRUMENT_IR_SUBGROUP_EXCHANGE_H

#include "source/latest_version_spirv_header.h"

namespace shaderqa {

inline bool is_subgroup_exchange(spv::Op op) {
  const auto is_between = [op](spv::Op first, spv::Op last) { return op >= first && op <= last; };
  switch (op) {
    case spv::Op::OpSubgroupBallotKHR:
    case spv::Op::OpSubgroupFirstInvocationKHR:
    case spv::Op::OpSubgroupAllKHR:
    case spv::Op::OpSubgroupAnyKHR:
    case spv::Op::OpSubgroupAllEqualKHR:
    case spv::Op::OpSubgroupReadInvocationKHR:
    case spv::Op::OpGroupNonUniformRotateKHR:
    case spv::Op::OpGroupNonUniformQuadAllKHR:
    case spv::Op::OpGroupNonUniformQuadAnyKHR:
    case spv::Op::OpGroupNonUniformPartitionNV:
      return true;
    default:
      return is_between(spv::Op::OpGroupNonUniformAll, spv::Op::OpGroupNonUniformQuadSwap) ||
             is_between(spv::Op::OpGroupAll, spv::Op::OpGroupSMax) ||
             is_between(spv::Op::OpGroupIAddNonUniformAMD, spv::Op::OpGroupSMaxNonUniformAMD) ||
             is_between(spv::Op::OpGroupIMulKHR, spv::Op::OpGroupLogicalXorKHR);
  }
}

}  // namespace shaderqa
#endif
