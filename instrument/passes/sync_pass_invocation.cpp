// SPDX-License-Identifier: Apache-2.0
// The part of SyncPass that tells invocations apart, for sqa_begin_sync.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "instrument/passes/sync_pass.h"
#include "source/opt/instruction.h"

namespace shaderqa {

uint32_t SyncPass::workgroup_number(SiteBuilder& site, uint32_t id) {
  const uint32_t uint_type = module_.uint_type();
  const uint32_t uvec3 = module_.vector_type(uint_type, 3);
  const auto counts = checks_.builtins().input(spv::BuiltIn::NumWorkgroups, uvec3);
  const auto part = [&](uint32_t vector, uint32_t component) {
    return site.emit(spv::Op::OpCompositeExtract, uint_type, {vector}, {component});
  };
  if (!counts) return part(id, 0);
  uint32_t count = site.emit(spv::Op::OpLoad, counts->type, {counts->id});
  if (counts->type != uvec3) count = site.emit(spv::Op::OpBitcast, uvec3, {count});
  const uint32_t z = part(id, 2), y = part(id, 1), x = part(id, 0);
  const uint32_t height = part(count, 1), width = part(count, 0);
  const uint32_t slices = site.emit(spv::Op::OpIMul, uint_type, {z, height});
  const uint32_t row = site.emit(spv::Op::OpIAdd, uint_type, {slices, y});
  const uint32_t rows = site.emit(spv::Op::OpIMul, uint_type, {row, width});
  return site.emit(spv::Op::OpIAdd, uint_type, {rows, x});
}

uint32_t SyncPass::workgroup(SiteBuilder& site) {
  const uint32_t uint_type = module_.uint_type();
  const uint32_t uvec3 = module_.vector_type(uint_type, 3);
  const auto variable = checks_.builtins().input(spv::BuiltIn::WorkgroupId, uvec3);
  if (!variable) return 0;
  uint32_t id = site.emit(spv::Op::OpLoad, variable->type, {variable->id});
  if (variable->type != uvec3) id = site.emit(spv::Op::OpBitcast, uvec3, {id});
  if (!exact()) return id;
  const auto local = checks_.builtins().input(spv::BuiltIn::LocalInvocationIndex, uint_type);
  if (!local) return 0;
  uint32_t index = site.emit(spv::Op::OpLoad, local->type, {local->id});
  if (local->type != uint_type) index = site.emit(spv::Op::OpBitcast, uint_type, {index});
  const uint32_t number = workgroup_number(site, id);
  return site.emit(spv::Op::OpCompositeConstruct, uvec3, {number, index, module_.constant(0)});
}

// The invocations of a patch meet at barriers as those of a workgroup do. But a subgroup may have invocations
// of several patches.
bool SyncPass::meets_in_patches(const BufferAccesses& found) const {
  return checks_.entry_point().stage == Stage::tessellation_control && !found.workgroup_barriers.empty() &&
         std::ranges::all_of(found.workgroup_barriers, &BufferAccesses::Barrier::whole) &&
         checks_.builtins().can_record_invocation();
}

// Patches of several instances, or of several draws of a command, have the same number: they count as one.
uint32_t SyncPass::patch(SiteBuilder& site) {
  const uint32_t uvec3 = module_.vector_type(module_.uint_type(), 3);
  const std::vector<uint32_t> where = checks_.builtins().invocation(site);
  const uint32_t zero = module_.constant(0);
  return site.emit(spv::Op::OpCompositeConstruct, uvec3, {where[0], exact() ? where[1] : zero, zero});
}

// Together with the number of the primitive it names the vertex.
uint32_t SyncPass::tessellation_coordinate(SiteBuilder& site) {
  const uint32_t vec3 = module_.vector_type(module_.float_type(), 3);
  const auto variable = checks_.builtins().input(spv::BuiltIn::TessCoord, vec3);
  if (!variable) return 0;
  const uint32_t coordinate = site.emit(spv::Op::OpLoad, variable->type, {variable->id});
  return site.emit(spv::Op::OpBitcast, module_.vector_type(module_.uint_type(), 3), {coordinate});
}

}  // namespace shaderqa
