// SPDX-License-Identifier: Apache-2.0
// The sentences of hazards. Only writers of findings call these.
#ifndef SHADERQA_HOST_FINDINGS_HAZARD_TEXT_H
#define SHADERQA_HOST_FINDINGS_HAZARD_TEXT_H

#include <optional>
#include <string>

#include "host/findings/check_details.h"

namespace shaderqa {

// "vkCmdCopyBuffer"; "a command" where it is not known.
std::string command_name(const std::optional<ActionOrigin>& action);
// Whether it is an image's change of layout by a barrier, which is no command of its own.
bool is_transition(const std::optional<ActionOrigin>& action);
// `texel 3,4,0 of "albedo", mip level 0, layer 0`.
std::string texel_text(const ImageOrigin& image);
// `"particles" + 0x40`, `VkBuffer 0x55aa + 0x40`, or `address 0x7f00`.
std::string memory_text(const Hazard& hazard);

std::string action_noun(const std::optional<ActionOrigin>& action);  // "dispatch", "draw", "trace", "action"
// As Vulkan spells it, without prefix and suffix: "COMPUTE_SHADER".
const char* pipeline_stage(Stage stage);

// These expect a hazard in the details.
// Whether a shader's barriers must name image memory. They must for texel buffers, too, as far as the
// instruction tells them (an atomic does not).
bool is_image_memory(const CheckDetails& details);
// The finding's sentence.
std::string hazard_sentence(const CheckDetails& details);
// Where the other access is: "store at a.comp:10 by local invocation 7 of workgroup 3, in action 11:
// vkCmdDispatch(4, 1, 1)" if the exact engine knows it, else where it can be: "in this dispatch".
std::string hazard_scope(const CheckDetails& details);
// What is likely missing; empty where nothing is plain.
std::string hazard_hint(const CheckDetails& details);

// "local invocation 7 of workgroup 3", for a stage with workgroups; else how many invocations there were, or
// "" where that says nothing.
std::string owner_text(const OtherAccess& other);
// "a.comp:10", or "OpStore %out (word 50)".
std::string place_text(const SitePlace& place);

}  // namespace shaderqa
#endif
