// SPDX-License-Identifier: Apache-2.0
#include "host/findings/command_sites.h"

#include "instrument/runtime/abi_report.h"

namespace shaderqa {

constexpr uint64_t kCommandHash = SQA_COMMAND_HASH_LOW | uint64_t{SQA_COMMAND_HASH_HIGH} << 32;

bool is_command_access_record(const ShaderRecord& record) { return record.shader_hash == kCommandHash; }

ShaderRecord command_access_record() {
  ShaderRecord record;
  record.shader_hash = kCommandHash;
  for (const uint32_t access : {SQA_ACCESS_LOAD, SQA_ACCESS_STORE, SQA_ACCESS_INDIRECT}) {
    CheckSite site;
    site.instruction = access;
    site.check = SQA_CHECK_HAZARD;
    site.access = access;
    site.set = site.binding = UINT32_MAX;
    record.check_sites.push_back(site);
  }
  return record;
}

}  // namespace shaderqa
