#include "layer/check_surroundings.h"

#include <utility>

#include "layer/device.h"

namespace shaderqa::layer {
namespace {

std::optional<BufferPlace> buffer_at(const Device& device, uint64_t address) {
  if (address == 0) return std::nullopt;
  const std::optional<BufferTable::Buffer> found = device.buffers.find_address(address);
  if (!found) return std::nullopt;
  BufferPlace place;
  place.name = found->name;
  place.handle = reinterpret_cast<uint64_t>(found->handle);
  place.offset = address - found->address;
  place.size = found->size;
  place.destroyed = found->destroyed;
  return place;
}

std::optional<ActionPlace> action_of(const Device& device, uint32_t number) {
  if (number == 0) return std::nullopt;
  std::optional<ActionInfo> found = device.command_buffers.find_action(number);
  if (!found) return std::nullopt;
  ActionPlace place;
  place.number = number;
  place.index = found->index;
  place.command = std::move(found->command);
  place.labels = std::move(found->labels);
  place.command_buffer = std::move(found->command_buffer);
  place.queue = std::move(found->queue);
  place.first_since_clear = found->first_since_clear;
  return place;
}

}  // namespace

CheckSurroundings surroundings_of(const Device& device, const abi::Report& record) {
  CheckSurroundings around;
  around.buffer = buffer_at(device, CheckReport(record).address);
  around.action = action_of(device, record.action);
  return around;
}

}  // namespace shaderqa::layer
