// SPDX-License-Identifier: Apache-2.0
// What a failed check's finding says beyond where its shader is: the instruction, the memory, the action.
#ifndef SHADERQA_HOST_FINDINGS_CHECK_DETAILS_H
#define SHADERQA_HOST_FINDINGS_CHECK_DETAILS_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/findings/finding_types.h"
#include "host/order/cell.h"
#include "instrument/shader_record.h"

namespace shaderqa {

// Which buffer an address belongs to.
struct BufferOrigin {
  std::string name;     // as the application gave it
  uint64_t handle = 0;  // VkBuffer
  uint64_t offset = 0;  // of the address in it
  uint64_t size = 0;
  bool destroyed = false;  // by now
};

// Which texel of which image an address stands for.
struct ImageOrigin {
  std::string name;     // as the application gave it
  uint64_t handle = 0;  // VkImage
  std::string format;   // "VK_FORMAT_R8G8B8A8_UNORM"
  uint32_t mip = 0, layer = 0;
  uint32_t x = 0, y = 0, z = 0, sample = 0;
  bool destroyed = false;  // by now
  // The file in which all texels of the level and layer are marked on which accesses raced; empty: there is
  // none.
  std::string picture = {};
  std::string picture_note = {};       // what it does not show, as a sentence
  std::optional<uint32_t> plane = {};  // nothing: the format has one
};

// The command that accessed memory, mostly a draw, dispatch or trace whose shader did.
struct ActionOrigin {
  uint32_t number = 0;
  uint32_t index = 0;  // among the actions of the command buffer, from 1
  ActionKind kind = ActionKind::other;
  // As a command says that launches some; UINT64_MAX: only the device knows; 0: the action has none.
  uint64_t workgroups = 0;
  std::string name;                 // "vkCmdDispatch"
  std::string command;              // with its arguments: "vkCmdDispatch(16, 1, 1)"
  std::vector<std::string> labels;  // outermost first
  std::string command_buffer, queue;
  // Filter only: the first action that can be the other side of a hazard. `number` if only this one can; 0 if
  // actions of earlier command buffers can, too.
  uint32_t first_since_clear = 0;
};

// An instruction: by its source line if that is known, else by its text and word.
struct SitePlace {
  std::string file;
  uint32_t line = 0;  // 0: not known
  std::string instruction;
  uint32_t word = 0;
  uint64_t shader = 0;                   // 0: its line is known
  uint32_t column = 0;                   // 0: not known
  std::string text;                      // the source line itself, where the module has it
  std::vector<SourceFrame> frames = {};  // CheckSite::frames
  bool operator==(const SitePlace&) const = default;
};

// The earlier access of a hazard that the exact engine found.
struct OtherAccess {
  Access access = Access::load;
  bool by_command = false;  // the action itself reads or writes there, no shader of it
  CellOwner owner;          // who of the action; says nothing for a command
  Stage stage = Stage::unknown;
  std::string who;                // in workgroup memory: `owner` in words
  std::vector<SitePlace> places;  // the instructions that may have been it, mostly one
  std::optional<ActionOrigin> action;
  bool same_action = false;
  // Its action is the one that was submitted later. Where two run at the same time, either may come second.
  bool is_later = false;
  bool precedes =
      false;  // it came before the access that `access` and `places` are of, in the same workgroup
  bool of_transition = false;  // one of the two is a change of an image's layout
  bool numbered = true;        // the owner's workgroup is the only one that a cell gives this number
  std::string lacking;  // what the nearest barrier between the two lacks, or which is missing, as a sentence
};

struct Hazard {
  HazardClass hazard_class = HazardClass::unknown;
  Access access = Access::load;
  EarlierAccess earlier = EarlierAccess::unknown;
  bool by_command = false;       // the action itself reads or writes there, no shader of it
  Stage stage = Stage::unknown;  // of the shader that accesses
  uint64_t address = 0;          // of the part that conflicts
  uint32_t size = 0;             // bytes of the whole access
  std::optional<BufferOrigin> buffer;
  std::optional<ImageOrigin> image;
  std::optional<OtherAccess> other;  // always with the exact engine, never with the filter
  bool of_uniform = false;           // it loads from a uniform buffer, or an input of a subpass
};

// What a check of workgroup memory is about.
struct WorkgroupPart {
  std::string name;       // "tile[3].x"
  uint32_t barriers = 0;  // that the invocation had passed
};

// A number that should be finite.
struct BadFloat {
  float value = 0;
  uint32_t component = 0;  // of a vector or larger value, from 1; 0: a scalar
  ValueOrigin origin;      // what made it; neither operation nor operands: not known
  std::array<float, kOriginOperands> operands{};
};

// How often a site failed.
struct FailureCount {
  uint64_t failures = 0;
  uint32_t sites = 1;            // that count together
  bool by_command = false;       // a command's own accesses: named by the command, not by an instruction
  bool filter_was_full = false;  // some hazards were not reported because of that
};

// An image that is accessed in another layout than it is in. Layouts are as the API names them.
struct WrongLayout {
  ImageOrigin image;   // whose texel says nothing
  std::string aspect;  // "depth" or "stencil" of an image that has both
  std::string named, is;
  bool as_old = false;                  // by what changes the layout, which names the one before
  bool of_descriptor = false;           // by a descriptor, through which a shader accesses the image
  bool presented = false;               // by no command: what is presented has to be in it
  std::string changed_by;               // the command that put it into its layout; empty: it was created so
  std::vector<std::string> changed_in;  // debug labels, outermost first
};

struct CheckDetails {
  Check check = Check::assume;
  std::string instruction;               // for people; empty: none in particular
  uint32_t word = 0;                     // its offset in the application's module
  std::vector<SourceFrame> frames = {};  // CheckSite::frames
  std::string variable;                  // the resource, with set and binding; empty: by address
  uint32_t set = 0, binding = 0;
  std::optional<BadFloat> bad_float;   // of nan
  std::optional<uint64_t> unexpected;  // of expect: what the value was
  std::optional<Hazard> hazard;        // of hazard and workgroup
  std::optional<WrongLayout> layout;   // of layout
  std::optional<WorkgroupPart> part;   // of workgroup and uninitialised; then the hazard has no address

  uint32_t action_number = 0;          // 0: not known, or the command has none
  std::optional<ActionOrigin> action;  // nothing: the command buffer is gone
  std::vector<std::string> commands;   // around the action, in order; with the breadcrumbs setting

  std::optional<FailureCount> count;  // of the notes at the end
};

}  // namespace shaderqa
#endif
