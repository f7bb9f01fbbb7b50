// SPDX-License-Identifier: Apache-2.0
#include "host/findings/hazard_text.h"

#include "host/findings/report_fields.h"
#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/cell_fields.h"

namespace shaderqa {
namespace {

bool has_workgroups(Stage stage) {
  return stage == Stage::compute || stage == Stage::task || stage == Stage::mesh;
}

// What is done to the memory.
std::string deed(const CheckDetails& details) {
  const Hazard& hazard = *details.hazard;
  if (hazard.by_command && is_transition(details.action))
    return "changed by the " + command_name(details.action);
  if (hazard.by_command)
    return (hazard.access == Access::store ? "written by " : "read by ") + command_name(details.action);
  switch (hazard.access) {
    case Access::load:
      return "loaded";
    case Access::store:
      return "stored to";
    case Access::atomic:
      return "changed by an atomic";
    case Access::indirect:
      break;
  }
  return "read as an indirect command's arguments";
}

// What was done to it before. them: " it" or " them".
std::string earlier_deed(const Hazard& hazard, const std::string& them) {
  if (hazard.other && hazard.other->by_command && is_transition(hazard.other->action))
    return "the " + command_name(hazard.other->action) + " changed" + them;
  if (hazard.other && hazard.other->by_command) {
    return command_name(hazard.other->action) +
           (hazard.earlier == EarlierAccess::store ? " wrote" : " read") + them;
  }
  const std::string who = hazard.by_command ? "an invocation " : "another invocation ";
  switch (hazard.earlier) {
    case EarlierAccess::load:
      return who + "loaded" + them;
    case EarlierAccess::store:
      return who + "stored to" + them;
    case EarlierAccess::atomic:
      return who + "changed" + them + " by an atomic";
    case EarlierAccess::store_or_atomic:
      return who + "wrote" + them;
    case EarlierAccess::load_or_store:
      return who + "loaded or stored" + them;
    case EarlierAccess::unknown:
      break;
  }
  return who + "accessed" + them;
}

std::string other_access_text(const OtherAccess& other) {
  std::string text = (other.precedes ? "before the " : "") + std::string(to_string(other.access));
  for (size_t i = 0; i < other.places.size(); ++i)
    text += (i == 0 ? " at " : " or ") + place_text(other.places[i]);
  if (const std::string who = owner_text(other); !who.empty()) text += " by " + who;
  if (!other.who.empty()) return text;
  if (other.same_action) return text + ", in the same action";
  if (!other.action) return text + ", in an earlier action";
  return text + ", in action " + std::to_string(other.action->number) + ": " + other.action->command;
}

// The filter has no order: it knows only since when nothing separated the actions.
std::string filter_scope(const std::optional<ActionOrigin>& action) {
  if (!action) return "unknown: the command buffer is gone";
  std::string here = "in this " + action_noun(action);
  if (action->first_since_clear == action->number) return here;
  if (action->first_since_clear == 0 || action->first_since_clear > action->number)
    return here + ", or in earlier work without a barrier in between, also of other command buffers";
  const uint32_t last = action->number - 1;
  if (action->first_since_clear == last)
    return here + ", or in action " + std::to_string(last) + " (no barrier in between)";
  return here + ", or in one of the actions " + std::to_string(action->first_since_clear) + " to " +
         std::to_string(last) + " (no barrier in between)";
}

bool is_of_one_action(const CheckDetails& details) {
  if (details.hazard->other) return details.hazard->other->same_action;
  return details.action && details.action->first_since_clear == details.action->number;
}

std::string same_action_hint(const CheckDetails& details) {
  const bool image = is_image_memory(details);
  std::string hint = "both accesses are of the same " + action_noun(details.action) +
                     ", which no barrier of the API can order: use atomics, or " +
                     (details.hazard->image ? "another texel" : "other memory") + " for each invocation";
  if (has_workgroups(details.hazard->stage))
    hint += std::string(", or within a workgroup a barrier that covers ") + (image ? "images" : "buffers") +
            " (controlBarrier or barrier() with " +
            (image ? "memoryBarrierImage())" : "memoryBarrierBuffer())");
  return hint;
}

// The barrier of the API between two shaders.
std::string barrier_hint(const Hazard& hazard) {
  const std::string to = pipeline_stage(hazard.stage);
  const std::string if_earlier = hazard.other ? "" : "if the other access is of an earlier action, ";
  if (hazard.hazard_class == HazardClass::write_after_read)
    return if_earlier +
           "an execution dependency from the reading shader's "
           "stage to " +
           to + " between the two is missing";
  const std::string from_access = hazard.earlier == EarlierAccess::load ? "SHADER_READ" : "SHADER_WRITE";
  std::string to_access = "SHADER_WRITE";
  if (hazard.access == Access::load) to_access = "SHADER_READ";
  if (hazard.access == Access::load && hazard.of_uniform)
    to_access = hazard.image ? "INPUT_ATTACHMENT_READ" : "UNIFORM_READ";
  if (hazard.access == Access::atomic) to_access = "SHADER_READ and SHADER_WRITE";
  return if_earlier + "a barrier from the other shader's stage, " + from_access + ", to " + to + ", " +
         to_access + " between the two is missing";
}

std::string workgroup_sentence(const CheckDetails& details) {
  const Hazard& hazard = *details.hazard;
  const std::string text = std::string(to_string(hazard.hazard_class)) + ": " + details.part->name +
                           " in workgroup memory is " + deed(details) + " after " +
                           earlier_deed(hazard, " it");
  if (hazard.hazard_class == HazardClass::execution_only)
    return text + ", and the barrier between the two orders no workgroup memory";
  return text + ", and nothing orders the two";
}

std::string image_sentence(const CheckDetails& details) {
  const Hazard& hazard = *details.hazard;
  const std::string text = std::string(to_string(hazard.hazard_class)) + ": " + texel_text(*hazard.image) +
                           " is " + deed(details) + " after " + earlier_deed(hazard, " it");
  if (hazard.hazard_class == HazardClass::execution_only)
    return text + ", and the barrier between the two orders no image memory";
  return text + ", and nothing orders the two";
}

std::string workgroup_hint(const CheckDetails& details) {
  if (details.hazard->hazard_class == HazardClass::execution_only)
    return "use barrier(), memoryBarrierShared() beside the barrier, or controlBarrier() with "
           "gl_StorageSemanticsShared";
  return "both accesses are between the same two barriers of one workgroup: a barrier() between them, which "
         "all "
         "of its invocations reach, orders them; or use atomics for both";
}

}  // namespace

std::string action_noun(const std::optional<ActionOrigin>& action) {
  switch (action ? action->kind : ActionKind::other) {
    case ActionKind::dispatch:
      return "dispatch";
    case ActionKind::draw:
      return "draw";
    case ActionKind::trace:
      return "trace";
    case ActionKind::other:
      break;
  }
  return "action";
}

const char* pipeline_stage(Stage stage) {
  switch (stage) {
    case Stage::vertex:
      return "VERTEX_SHADER";
    case Stage::tessellation_control:
      return "TESSELLATION_CONTROL_SHADER";
    case Stage::tessellation_evaluation:
      return "TESSELLATION_EVALUATION_SHADER";
    case Stage::geometry:
      return "GEOMETRY_SHADER";
    case Stage::fragment:
      return "FRAGMENT_SHADER";
    case Stage::compute:
      return "COMPUTE_SHADER";
    case Stage::task:
      return "TASK_SHADER";
    case Stage::mesh:
      return "MESH_SHADER";
    case Stage::ray_generation:
    case Stage::intersection:
    case Stage::any_hit:
    case Stage::closest_hit:
    case Stage::miss:
    case Stage::callable:
      return "RAY_TRACING_SHADER";
    case Stage::unknown:
      break;
  }
  return "ALL_COMMANDS";
}

std::string place_text(const SitePlace& place) {
  if (place.line != 0) return place.file + ":" + std::to_string(place.line);
  return place.instruction + " (word " + std::to_string(place.word) + ")";
}

std::string owner_text(const OtherAccess& other) {
  if (!other.who.empty()) return other.who;
  if (other.by_command) return {};
  const CellOwner& owner = other.owner;
  const bool grouped = has_workgroups(other.stage);
  if (owner.spread == Spread::several) return grouped ? "several workgroups" : "several invocations";
  if (!grouped) return owner.spread == Spread::workgroup ? "several invocations" : "";
  // A hash is nobody's number.
  const std::string group = other.numbered ? "workgroup " + std::to_string(owner.workgroup) : "one workgroup";
  if (owner.spread == Spread::workgroup) return "several invocations of " + group;
  return "local invocation " + std::to_string(owner.local_invocation) + " of " + group;
}

std::string memory_text(const Hazard& hazard) {
  std::string text;
  if (!hazard.buffer) {
    text = "address ";
    append_hex(text, hazard.address);
    return text;
  }
  const BufferOrigin& buffer = *hazard.buffer;
  if (buffer.name.empty()) {
    text = "VkBuffer ";
    append_hex(text, buffer.handle);
  } else {
    text = "\"" + buffer.name + "\"";
  }
  text += " + ";
  append_hex(text, buffer.offset);
  return text;
}

std::string texel_text(const ImageOrigin& image) {
  std::string text = "texel " + std::to_string(image.x) + "," + std::to_string(image.y) + "," +
                     std::to_string(image.z) + " of ";
  if (image.name.empty()) {
    text += "VkImage ";
    append_hex(text, image.handle);
  } else {
    text += "\"" + image.name + "\"";
  }
  if (image.plane) text += ", plane " + std::to_string(*image.plane);
  text += ", mip level " + std::to_string(image.mip) + ", layer " + std::to_string(image.layer);
  if (image.sample != 0) text += ", sample " + std::to_string(image.sample);
  return text;
}

std::string command_name(const std::optional<ActionOrigin>& action) {
  return action ? action->name : "a command";
}

bool is_transition(const std::optional<ActionOrigin>& action) {
  return action && action->name.starts_with("layout transition");
}

std::string hazard_sentence(const CheckDetails& details) {
  const Hazard& hazard = *details.hazard;
  if (details.part) return workgroup_sentence(details);
  if (hazard.image) return image_sentence(details);
  // Larger accesses are checked in parts of 16 bytes, and the address is that of the part.
  const bool is_part = hazard.size > 16;
  const bool one = hazard.size == 1 || is_part;
  std::string text =
      hazard.hazard_class == HazardClass::unknown ? "unsynchronised access" : to_string(hazard.hazard_class);
  text += ": ";
  text += is_part ? "memory at " : std::to_string(hazard.size) + (one ? " byte at " : " bytes at ");
  text += memory_text(hazard) + (one ? " is " : " are ");
  text += deed(details);
  if (is_part) text += " (part of " + std::to_string(hazard.size) + " bytes)";
  text += " after " + earlier_deed(hazard, one ? " it" : " them");
  if (hazard.hazard_class == HazardClass::execution_only)
    return text + ", and the barrier between the two orders no buffer memory";
  return text + ", and nothing orders the two";
}

std::string hazard_scope(const CheckDetails& details) {
  const Hazard& hazard = *details.hazard;
  return hazard.other ? other_access_text(*hazard.other) : filter_scope(details.action);
}

bool is_image_memory(const CheckDetails& details) {
  return details.hazard->image || details.instruction.starts_with("OpImage");
}

std::string hazard_hint(const CheckDetails& details) {
  const Hazard& hazard = *details.hazard;
  const std::optional<OtherAccess>& other = hazard.other;
  if (details.part) return workgroup_hint(details);
  if (hazard.hazard_class == HazardClass::unknown) return {};
  if (hazard.by_command || (other && other->by_command)) return other ? other->lacking : std::string();
  if (hazard.access == Access::indirect) {
    return "the arguments need a barrier from the writing shader's stage, SHADER_WRITE, to DRAW_INDIRECT, "
           "INDIRECT_COMMAND_READ before the command";
  }
  if (hazard.hazard_class == HazardClass::execution_only && is_image_memory(details))
    return "barrier() alone orders no image memory: use memoryBarrierImage() with it, or controlBarrier() "
           "with gl_StorageSemanticsImage";
  if (hazard.hazard_class == HazardClass::execution_only)
    return "barrier() alone orders no buffer memory: use memoryBarrierBuffer() with it, or controlBarrier() "
           "with gl_StorageSemanticsBuffer";
  if (other && !other->lacking.empty()) return other->lacking;
  return is_of_one_action(details) ? same_action_hint(details) : barrier_hint(hazard);
}

}  // namespace shaderqa
