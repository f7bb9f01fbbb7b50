// SPDX-License-Identifier: Apache-2.0
// What the filter's marks say about a hazard, in words.
#ifndef SHADERQA_HOST_FINDINGS_HAZARD_TEXT_H
#define SHADERQA_HOST_FINDINGS_HAZARD_TEXT_H

#include <cstdint>
#include <string>

#include "host/findings/check_details.h"
#include "host/order/cell.h"
#include "instrument/shader_record.h"

namespace shaderqa {

// "load", "store", "atomic", "indirect"; null: there is no such access.
const char* access_name(uint32_t access);

struct HazardClass {
  std::string name;     // "read after write"; empty: the marks do not explain this access
  std::string earlier;  // "load", "store or atomic", ...: plural marks overlay each other
};
// access: SQA_ACCESS_*. marks: of earlier accesses for these bytes, as seed 001 lays them out.
HazardClass classify_hazard(uint32_t access, uint32_t marks_low, uint32_t marks_high);

// occupancy: SQA_MISSING_*.
HazardClass classify_exact_hazard(uint32_t access, const Cell& earlier, uint32_t missing);
// "store at a.comp:10 by local invocation 7 of workgroup 3, in action 11: vkCmdDispatch(4, 1, 1)"
std::string other_access_text(const OtherAccess& other);

// "vkCmdCopyBuffer" of "vkCmdCopyBuffer(...)"; "a command" where it is not known.
std::string command_name(const std::optional<ActionOrigin>& action);
// `"particles" + 0x40`, `VkBuffer 0x55aa + 0x40`, or `address 0x7f00`.
std::string memory_text(const CheckDetails& details);
// The finding's sentence.
std::string hazard_sentence(const CheckDetails& details);
// Where the other access is.
std::string hazard_scope(const std::optional<ActionOrigin>& action);
// What is likely missing; empty where nothing is plain.
std::string hazard_hint(const CheckDetails& details, uint32_t access, Stage stage);

}  // namespace shaderqa
#endif
