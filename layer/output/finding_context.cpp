// SPDX-License-Identifier: Apache-2.0
#include "layer/output/finding_context.h"

#include "instrument/runtime/abi_descriptors.h"
#include "layer/context/instance.h"
#include "layer/context/object_names.h"
#include "layer/engines/engine.h"
#include "layer/loader/device.h"
#include "layer/output/race_pictures.h"
#include "layer/recording/command_buffers.h"
#include "layer/recording/layout_replay.h"
#include "layer/resources/buffer_table.h"
#include "layer/resources/image_layouts.h"
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
  place.handle = handle_value(found->handle);
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
  if (found->grid.planes() > 1) place.plane = texel.plane;
  place.mip = texel.level;
  place.layer = texel.layer;
  place.x = texel.x;
  place.y = texel.y;
  place.z = texel.z;
  place.sample = texel.sample;
  place.destroyed = found->destroyed;
  return place;
}

// The picture of the hazards on the image, if there is one.
void add_picture(const Device& device, const CheckReport& report, FindingContext& around) {
  if (!around.image || report.check != Check::hazard || !device.instance->needs_race_map()) return;
  const std::optional<ImageTable::Found> found = device.images.find_address(report.address);
  if (!found) return;
  around.image->picture = device.race_pictures.file_of(*found, report.address);
  if (around.image->picture.empty()) return;
  around.image->picture_note = RacePictures::note_of(found->grid, report.address - found->address,
                                                     around.other && around.other->of_transition);
}

// As the descriptor's set and slot are in the report, and the submission's serial.
std::optional<WrongLayout> layout_at(const Device& device, const CheckReport& report) {
  if (report.size & SQA_LAYOUT_OF_VIEW) {
    const auto view = device.image_layouts.find_wrong_view(
        report.action, report.value_high(), report.value_low(), report.size & ~uint32_t{SQA_LAYOUT_OF_VIEW});
    if (!view) return std::nullopt;
    WrongLayout layout = describe_layout(device, view->named.image, view->is, view->named.layout);
    layout.of_descriptor = true;
    return layout;
  }
  const auto wrong =
      device.image_layouts.find_wrong(report.action, report.value_high(), report.size, report.value_low());
  if (!wrong) return std::nullopt;
  WrongLayout layout = describe_layout(device, wrong->image, wrong->is, wrong->named);
  layout.of_descriptor = true;
  return layout;
}

}  // namespace

FindingContext surroundings_of(const Device& device, const CheckReport& report) {
  FindingContext around;
  if (!report.by_command) {
    around.pipeline = device.names.pipeline_of_shader(report.shader_hash);
    around.shader_name = device.names.shader_name(report.shader_hash);
  }
  around.device = device.facts.name;
  around.driver = device.facts.driver;
  around.buffer = buffer_at(device, report.address);
  around.image = image_at(device, report.address);
  around.other = device.engine->other_access(report);
  add_picture(device, report, around);
  if (report.check == Check::layout) around.layout = layout_at(device, report);
  if (report.action == 0) return around;
  around.action = device.command_buffers.find_action(report.action);
  if (around.action && device.instance->settings.breadcrumbs && report.check == Check::hazard)
    around.commands = device.command_buffers.commands_around(report.action);
  return around;
}

}  // namespace shaderqa::layer
