#include "layer/check_surroundings.h"

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

}  // namespace

CheckSurroundings surroundings_of(const Device& device, const abi::Report& record) {
  CheckSurroundings around;
  around.buffer = buffer_at(device, CheckReport(record).address);
  return around;
}

}  // namespace shaderqa::layer
