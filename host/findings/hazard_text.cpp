// SPDX-License-Identifier: Apache-2.0
#include "host/findings/hazard_text.h"

#include "host/findings/report_fields.h"
#include "instrument/runtime/abi_report.h"
#include "instrument/runtime/cell_fields.h"

namespace shaderqa {
namespace {

constexpr const char* execution_only = "ordered only by execution";

// The words of a granule that these of its bytes lie in.
uint32_t words_of(uint32_t bytes) {
  uint32_t words = 0;
  for (uint32_t word = 0; word < 4; ++word) words |= ((bytes >> (4 * word)) & 15u) != 0 ? 1u << word : 0;
  return words;
}

uint32_t bytes_of(uint32_t words) {
  uint32_t bytes = 0;
  for (uint32_t word = 0; word < 4; ++word) bytes |= ((words >> word) & 1u) * (15u << (4 * word));
  return bytes;
}

const char* action_noun(const std::string& command) {
  if (command.find("Dispatch") != std::string::npos) return "dispatch";
  if (command.find("Draw") != std::string::npos) return "draw";
  if (command.find("Trace") != std::string::npos) return "trace";
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

}  // namespace

const char* access_name(uint32_t access) {
  constexpr const char* names[] = {"load", "store", "atomic", "indirect"};
  return access < std::size(names) ? names[access] : nullptr;
}

// A load forbids writes and atomics (W, A); a store everything (R, W, A, I); an atomic all but atomics (R, W,
// I). So R without A is an atomic alone, R with A a store or an atomic beside a load, W without R a load.
HazardClass classify_hazard(uint32_t access, uint32_t low, uint32_t high) {
  const uint32_t no_read = low & 0xffffu, no_write = low >> 16;
  const uint32_t no_atomic = high & 15u, no_indirect = (high >> 4) & 15u;
  constexpr const char* against_plain = "atomic against plain";
  switch (access) {
    case SQA_ACCESS_LOAD:
      if (no_read == 0) return {};
      if ((no_atomic & words_of(no_read)) == 0) return {against_plain, "atomic"};
      return {"read after write", "store or atomic"};
    case SQA_ACCESS_STORE:
      if (no_write == 0) return {};
      if ((no_read & no_write) == 0) return {"write after read", "load"};
      if ((no_atomic & words_of(no_read & no_write)) == 0) return {against_plain, "atomic"};
      return {"write after write", "store or atomic"};
    case SQA_ACCESS_ATOMIC:
      if (no_atomic == 0) return {};
      return {against_plain, (no_read & bytes_of(no_atomic)) == 0 ? "load" : "load or store"};
    case SQA_ACCESS_INDIRECT:
      if (no_indirect == 0) return {};
      return {"read after write", (no_atomic & no_indirect) == 0 ? "atomic" : "store or atomic"};
    default:
      return {};
  }
}

HazardClass classify_exact_hazard(uint32_t access, const Cell& earlier, uint32_t missing) {
  HazardClass hazard{"", cell_access(earlier)};
  const bool atomic = access == SQA_ACCESS_ATOMIC, was_atomic = earlier.kind >= SQA_KIND_ATOMIC;
  if (missing == SQA_MISSING_MEMORY)
    hazard.name = execution_only;
  else if (atomic && was_atomic)
    hazard.name = "atomics of workgroup scope";
  else if (atomic || was_atomic)
    hazard.name = "atomic against plain";
  else if (access == SQA_ACCESS_STORE)
    hazard.name = earlier.kind == SQA_KIND_READ ? "write after read" : "write after write";
  else
    hazard.name = "read after write";
  return hazard;
}

std::string other_access_text(const OtherAccess& other) {
  std::string text = other.access;
  for (size_t i = 0; i < other.places.size(); ++i) text += (i == 0 ? " at " : " or ") + other.places[i];
  if (!other.who.empty()) text += " by " + other.who;
  if (other.same_action) return text + ", in the same action";
  if (!other.action) return text + ", in an earlier action";
  return text + ", in action " + std::to_string(other.action->number) + ": " + other.action->command;
}

std::string memory_text(const CheckDetails& details) {
  std::string text;
  if (!details.buffer) {
    text = "address ";
    append_hex(text, details.address);
    return text;
  }
  const BufferOrigin& buffer = *details.buffer;
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

std::string command_name(const std::optional<ActionOrigin>& action) {
  return action ? action->command.substr(0, action->command.find('(')) : "a command";
}

namespace {

// What is done to the memory, and what was done to it before: `them` is " it" or " them".
std::string deed(const CheckDetails& details) {
  if (details.by_command) {
    return (details.access == "store" ? "written by " : "read by ") + command_name(details.action);
  }
  if (details.access == "load") return "loaded";
  if (details.access == "store") return "stored to";
  if (details.access == "atomic") return "changed by an atomic";
  return details.access == "indirect" ? "read as an indirect command's arguments" : "";
}

std::string earlier_deed(const CheckDetails& details, const std::string& them) {
  if (details.other && details.other->by_command) {
    return command_name(details.other->action) + (details.earlier == "store" ? " wrote" : " read") + them;
  }
  std::string did = "accessed" + them;
  if (details.earlier == "load") did = "loaded" + them;
  if (details.earlier == "store") did = "stored to" + them;
  if (details.earlier == "store or atomic") did = "wrote" + them;
  if (details.earlier == "atomic") did = "changed" + them + " by an atomic";
  if (details.earlier == "load or store") did = "loaded or stored" + them;
  return (details.by_command ? "an invocation " : "another invocation ") + did;
}

}  // namespace

std::string hazard_sentence(const CheckDetails& details) {
  // Larger accesses are checked in parts of 16 bytes, and the address is that of the part.
  const bool is_part = details.size > 16;
  const bool one = details.size == 1 || is_part;
  std::string text = details.hazard_class.empty() ? "unsynchronised access" : details.hazard_class;
  text += ": ";
  text += is_part ? "memory at " : std::to_string(details.size) + (one ? " byte at " : " bytes at ");
  text += memory_text(details) + (one ? " is " : " are ");
  text += deed(details);
  if (is_part) text += " (part of " + std::to_string(details.size) + " bytes)";
  text += " after " + earlier_deed(details, one ? " it" : " them");
  if (details.hazard_class == execution_only)
    return text + ", and the barrier between the two orders no buffer memory";
  return text + ", and nothing orders the two";
}

std::string hazard_scope(const std::optional<ActionOrigin>& action) {
  if (!action) return "unknown: the command buffer is gone";
  std::string here = std::string("in this ") + action_noun(action->command);
  if (action->first_since_clear == action->number) return here;
  if (action->first_since_clear == 0 || action->first_since_clear > action->number)
    return here + ", or in earlier work without a barrier in between, also of other command buffers";
  const uint32_t last = action->number - 1;
  if (action->first_since_clear == last)
    return here + ", or in action " + std::to_string(last) + " (no barrier in between)";
  return here + ", or in one of the actions " + std::to_string(action->first_since_clear) + " to " +
         std::to_string(last) + " (no barrier in between)";
}

std::string hazard_hint(const CheckDetails& details, uint32_t access, Stage stage) {
  if (details.hazard_class.empty()) return {};
  if (details.by_command || (details.other && details.other->by_command)) {
    return details.other ? details.other->lacking : std::string();
  }
  if (access == SQA_ACCESS_INDIRECT) {
    return "the arguments need a barrier from the writing shader's stage, SHADER_WRITE, to DRAW_INDIRECT, "
           "INDIRECT_COMMAND_READ before the command";
  }
  if (details.hazard_class == execution_only)
    return "barrier() alone orders no buffer memory: use memoryBarrierBuffer() with it, or controlBarrier() "
           "with gl_StorageSemanticsBuffer";
  if (details.other && !details.other->lacking.empty()) return details.other->lacking;
  if (details.other ? details.other->same_action
                    : details.action && details.action->first_since_clear == details.action->number) {
    std::string hint = std::string("both accesses are of the same ") +
                       action_noun(details.action ? details.action->command : std::string()) +
                       ", which no barrier of the API can order: use atomics, or other memory for each "
                       "invocation";
    if (stage == Stage::compute || stage == Stage::task || stage == Stage::mesh)
      hint +=
          ", or within a workgroup a barrier that covers buffers (controlBarrier or barrier() with "
          "memoryBarrierBuffer())";
    return hint;
  }
  const std::string to = pipeline_stage(stage);
  const std::string if_earlier = details.other ? "" : "if the other access is of an earlier action, ";
  if (details.hazard_class == "write after read")
    return if_earlier +
           "an execution dependency from the reading shader's "
           "stage to " +
           to + " between the two is missing";
  const std::string from_access = details.earlier == "load" ? "SHADER_READ" : "SHADER_WRITE";
  std::string to_access = "SHADER_WRITE";
  if (access == SQA_ACCESS_LOAD) to_access = "SHADER_READ";
  if (access == SQA_ACCESS_ATOMIC) to_access = "SHADER_READ and SHADER_WRITE";
  return if_earlier + "a barrier from the other shader's stage, " + from_access + ", to " + to + ", " +
         to_access + " between the two is missing";
}

}  // namespace shaderqa
