// SPDX-License-Identifier: Apache-2.0
// Commands that access memory in ways that are not followed: each is noted once, and barriers beside it are
// not called redundant.
#include <string>

#include "layer/recording/action_commands.h"

namespace shaderqa::layer {
namespace {

void note_command(VkCommandBuffer commands, const char* name) noexcept {
  with_recorder(commands, [&](Device& device, CommandRecorder& state) {
    if (!device.engine->needs.command_accesses || state.recorded->left_out) return;
    const std::string what = std::string("what ") + name + " accesses";
    device.note(what, what + " is not checked for synchronisation", Concern::sync);
    state.use_memory(VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, kUsesUnfollowed | kUsesImages);
  });
}

// The hook of a command with these parameters. Name: of a type whose text() is the command's name.
template <typename Name, auto Command, typename Pointer>
struct Hook;
template <typename Name, auto Command, typename... Parameters>
struct Hook<Name, Command, void(VKAPI_PTR*)(VkCommandBuffer, Parameters...)> {
  static VKAPI_ATTR void VKAPI_CALL call(VkCommandBuffer commands, Parameters... parameters) {
    note_command(commands, Name::text());
    (device_of(commands).next.*Command)(commands, parameters...);
  }
};

}  // namespace

#define SHADERQA_DEFINE(command)                                  \
  namespace {                                                     \
  struct NameOf##command {                                        \
    static constexpr const char* text() { return "vk" #command; } \
  };                                                              \
  }                                                               \
  constinit const PFN_vk##command hooks::command =                \
      &Hook<NameOf##command, &DeviceCommands::command, PFN_vk##command>::call;
SHADERQA_UNFOLLOWED_COMMANDS(SHADERQA_DEFINE)
#undef SHADERQA_DEFINE

// It runs a compute pipeline, whose shader may be checked; but workgroups of several tiles may have the same
// number.
VKAPI_ATTR void VKAPI_CALL hooks::CmdDispatchTileQCOM(VkCommandBuffer commandBuffer,
                                                      const VkDispatchTileInfoQCOM* pDispatchTileInfo) {
  note_command(commandBuffer, "vkCmdDispatchTileQCOM");
  Device& device = before_action(commandBuffer, "vkCmdDispatchTileQCOM", BindPoint::compute);
  device.next.CmdDispatchTileQCOM(commandBuffer, pDispatchTileInfo);
}

}  // namespace shaderqa::layer
