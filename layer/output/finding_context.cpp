// SPDX-License-Identifier: Apache-2.0
#include "layer/output/finding_context.h"

#include <string>

#include "layer/context/instance.h"
#include "layer/context/object_names.h"
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/recording/command_buffers.h"
#include "layer/resources/buffer_table.h"
#include "layer/resources/image_table.h"
#include "layer/vk/handle_value.h"
#include "layer/vk/texel_size.h"

namespace shaderqa::layer {
namespace {

std::optional<BufferOrigin> buffer_at(const Device& device, uint64_t address) {
  if (address == 0) return std::nullopt;
  const std::optional<BufferTable::Buffer> found = device.buffers.find_address(address);
  if (!found) return std::nullopt;
  BufferOrigin place;
  place.name = found->name;
  place.handle = reinterpret_cast<uint64_t>(found->handle);
  place.offset = address - found->address;
  place.size = found->size;
  place.destroyed = found->destroyed;
  return place;
}

std::optional<ImageOrigin> image_at(const Device& device, uint64_t address) {
  if (!abi::is_image_address(address)) return std::nullopt;
  const std::optional<ImageTable::Found> found = device.images.find_address(address);
  if (!found) return std::nullopt;
  const TexelPlace texel = found->grid.locate(address - found->address);
  ImageOrigin place;
  place.name = found->name;
  place.handle = handle_value(found->handle);
  place.format = format_name(found->grid.format());
  place.mip = texel.level;
  place.layer = texel.layer;
  place.x = texel.x;
  place.y = texel.y;
  place.z = texel.z;
  place.sample = texel.sample;
  place.destroyed = found->destroyed;
  return place;
}

std::string line_of(const ActionOrigin& action) {
  return std::to_string(action.number) + ": " + action.command;
}

// The actions of the same command buffer around that one; numbers of other command buffers, recorded at the
// same time, lie between theirs.
std::vector<std::string> commands_around(const Device& device, const ActionOrigin& action) {
  constexpr uint32_t kBefore = 5, kAfter = 3, kReach = 256;
  std::vector<std::string> commands{line_of(action)};
  const auto collect = [&](uint32_t wanted, bool before) {
    uint32_t index = action.index;
    for (uint32_t distance = 1; distance <= kReach && wanted > 0; ++distance) {
      const uint32_t number = before ? action.number - distance : action.number + distance;
      const std::optional<ActionOrigin> other = device.command_buffers.find_action(number);
      if (!other || other->command_buffer != action.command_buffer) continue;
      // A recording that began anew counts from 1 again.
      if (before ? other->index >= index : other->index <= index) return;
      index = other->index;
      commands.insert(before ? commands.begin() : commands.end(), line_of(*other));
      --wanted;
    }
  };
  collect(kBefore, true);
  collect(kAfter, false);
  return commands;
}

}  // namespace

FindingContext surroundings_of(const Device& device, const CheckReport& report) {
  FindingContext around;
  if (!report.by_command) {
    around.pipeline = device.names.pipeline_of_shader(report.shader_hash);
    around.shader_name = device.names.shader_name(report.shader_hash);
  }
  around.buffer = buffer_at(device, report.address);
  around.image = image_at(device, report.address);
  around.other = device.engine->other_access(report);
  if (report.action == 0) return around;
  around.action = device.command_buffers.find_action(report.action);
  if (around.action && device.instance->settings.breadcrumbs && report.check == Check::hazard)
    around.commands = commands_around(device, *around.action);
  return around;
}

}  // namespace shaderqa::layer
