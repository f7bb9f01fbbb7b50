// SPDX-License-Identifier: Apache-2.0
#include "instrument/passes/varying_zero.h"

#include "instrument/ir/block_start.h"
#include "instrument/ir/site_builder.h"

namespace shaderqa {
namespace {

// A number that differs from invocation to invocation; of a workgroup of one invocation only the lane is not
// known to the driver.
uint32_t number_of_invocation(ModuleEditor& module, Builtins& builtins, SiteBuilder& site) {
  if (builtins.can_number_lanes()) return builtins.subgroup(site, spv::BuiltIn::SubgroupLocalInvocationId);
  uint32_t number = 0;
  for (const uint32_t dword : builtins.invocation(site))
    number = number == 0 ? dword : site.emit(spv::Op::OpBitwiseOr, module.uint_type(), {number, dword});
  return number;
}

}  // namespace

uint32_t make_varying_zero(ModuleEditor& module, Builtins& builtins, uint32_t entry_function) {
  spvtools::opt::Instruction* const start = start_of(module.context(), entry_function);
  if (!start || !(builtins.can_number_lanes() || builtins.can_record_invocation())) return 0;
  const uint32_t uint_type = module.uint_type(), uvec2 = module.vector_type(uint_type, 2);
  const uint32_t zero = module.constant(0), one = module.constant(1);
  SiteBuilder site(module, start);
  const uint32_t number = number_of_invocation(module, builtins, site);
  // The product of a number and the next one is even.
  const uint32_t next = site.emit(spv::Op::OpIAdd, uint_type, {number, one});
  const uint32_t even = site.emit(spv::Op::OpIMul, uint_type, {number, next});
  const uint32_t low = site.emit(spv::Op::OpBitwiseAnd, uint_type, {even, one});
  const uint32_t value = site.emit(spv::Op::OpCompositeConstruct, uvec2, {low, zero});
  const uint32_t variable =
      module.add_variable(spv::StorageClass::Private, module.pointer_type(spv::StorageClass::Private, uvec2));
  module.add_name(variable, "sqa_varying_zero");
  site.emit_as(0, spv::Op::OpStore, 0, std::vector{variable, value});
  return variable;
}

}  // namespace shaderqa
