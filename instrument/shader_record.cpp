// SPDX-License-Identifier: Apache-2.0
#include "instrument/shader_record.h"

#include "instrument/runtime/cell_fields.h"

namespace shaderqa {

uint32_t site_tag(uint64_t shader_hash, uint32_t number) {
  const uint32_t tag = (static_cast<uint32_t>(shader_hash ^ (shader_hash >> 32)) + number) & (SQA_TAGS - 1);
  return tag == SQA_TAG_COMMAND ? tag + 1 : tag;
}

const char* to_string(Stage stage) {
  switch (stage) {
    case Stage::vertex:
      return "vertex";
    case Stage::tessellation_control:
      return "tessellation control";
    case Stage::tessellation_evaluation:
      return "tessellation evaluation";
    case Stage::geometry:
      return "geometry";
    case Stage::fragment:
      return "fragment";
    case Stage::compute:
      return "compute";
    case Stage::task:
      return "task";
    case Stage::mesh:
      return "mesh";
    case Stage::ray_generation:
      return "ray generation";
    case Stage::intersection:
      return "intersection";
    case Stage::any_hit:
      return "any hit";
    case Stage::closest_hit:
      return "closest hit";
    case Stage::miss:
      return "miss";
    case Stage::callable:
      return "callable";
    case Stage::unknown:
      break;
  }
  return "unknown";
}

uint64_t picture_key(const ShaderRecord& record) {
  // FNV-1a.
  uint64_t key = record.shader_hash ^ 0xcbf29ce484222325;
  const auto add = [&key](uint8_t byte) { key = (key ^ byte) * 0x100000001b3; };
  for (const char c : record.entry_point) add(static_cast<uint8_t>(c));
  add(static_cast<uint8_t>(record.stage));
  return key;
}

uint32_t PrintfSite::payload_dwords() const {
  uint32_t dwords = 0;
  for (const PrintfArgument& argument : arguments)
    for (const Scalar& scalar : argument.scalars) dwords += scalar.payload_dwords();
  return dwords;
}

}  // namespace shaderqa
