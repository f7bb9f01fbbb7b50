// SPDX-License-Identifier: Apache-2.0
// Built-in inputs of the entry point: who is printing.
#ifndef SHADERQA_INSTRUMENT_IR_BUILTINS_H
#define SHADERQA_INSTRUMENT_IR_BUILTINS_H

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <vector>

#include "instrument/ir/module_editor.h"
#include "instrument/ir/site_builder.h"

namespace shaderqa {

struct InputVariable {
  uint32_t id = 0;
  uint32_t type = 0;  // of the value
};

class Builtins {
 public:
  Builtins(ModuleEditor& module, const EntryPoint& entry_point)
      : module_(module), entry_point_(entry_point) {}

  // The entry point's input variable for a built-in: its own if it has one, else a new one of type `type`,
  // which then is in its interface. Nothing if the built-in is a member of a block, where a second one would
  // be invalid.
  std::optional<InputVariable> input(spv::BuiltIn builtin, uint32_t type);

  InvocationKind invocation_kind() const;
  // Whether invocation() will work: no variable is in the way.
  bool can_record_invocation();
  // The variable that alone holds what invocation() says; nothing where that takes several, or is converted.
  std::optional<InputVariable> invocation_vector();
  // The SHADERQA_INVOCATION_DWORDS dwords, in ids of uint values.
  std::vector<uint32_t> invocation(SiteBuilder& site);
  // Whether subgroup() will work for SubgroupLocalInvocationId.
  bool can_number_lanes();
  // Whether subgroup() will work for all four: the stage numbers them, SPIR-V's version knows them, and no
  // variable is in the way.
  bool can_number_subgroups();
  // A uint: NumSubgroups, SubgroupId, SubgroupSize or SubgroupLocalInvocationId.
  uint32_t subgroup(SiteBuilder& site, spv::BuiltIn builtin);
  // A bool: whether this invocation has side effects.
  uint32_t live(SiteBuilder& site);

 private:
  // The stage numbers subgroups, SPIR-V's version knows them, and no variable is in the way of these inputs.
  bool has_subgroup_inputs(std::initializer_list<spv::BuiltIn> builtins);
  std::optional<InputVariable> find(spv::BuiltIn builtin, bool* in_block);
  uint32_t load_uint(SiteBuilder& site, spv::BuiltIn builtin);
  uint32_t type_of_new(spv::BuiltIn builtin);

  ModuleEditor& module_;
  const EntryPoint& entry_point_;
  std::map<spv::BuiltIn, std::optional<InputVariable>> inputs_;
};

}  // namespace shaderqa
#endif
