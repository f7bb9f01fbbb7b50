// SPDX-License-Identifier: Apache-2.0
// Additions to a module in SPIRV-Tools' IR: ids, and global instructions that are only added when they are
// not there yet.
#ifndef SHADERQA_INSTRUMENT_IR_MODULE_EDITOR_H
#define SHADERQA_INSTRUMENT_IR_MODULE_EDITOR_H

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "instrument/ir/module_view.h"
#include "source/opt/ir_context.h"

namespace shaderqa {

class ModuleEditor {
 public:
  ModuleEditor(spvtools::opt::IRContext& context, const ModuleView& view);

  spvtools::opt::IRContext& context() { return context_; }
  const ModuleView& view() const { return view_; }
  uint32_t version() const { return view_.version(); }

  // 0 and exhausted() from then on when the module's ids are used up.
  uint32_t take_id();
  bool exhausted() const { return exhausted_; }

  // The id of a non-aggregate type or a constant of this form, which is added if the module has none.
  // `type` is 0 for types.
  uint32_t global(spv::Op op, uint32_t type, Words operands);
  uint32_t global(spv::Op op, uint32_t type, std::initializer_list<uint32_t> operands) {
    return global(op, type, Words(operands.begin(), operands.size()));
  }
  uint32_t void_type() { return global(spv::Op::OpTypeVoid, 0, {}); }
  uint32_t bool_type() { return global(spv::Op::OpTypeBool, 0, {}); }
  uint32_t uint_type() { return global(spv::Op::OpTypeInt, 0, {32, 0}); }
  uint32_t float_type() { return global(spv::Op::OpTypeFloat, 0, {32}); }
  uint32_t vector_type(uint32_t component, uint32_t count) {
    return count == 1 ? component : global(spv::Op::OpTypeVector, 0, {component, count});
  }
  uint32_t bool_constant(bool value) {
    return global(value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, bool_type(), {});
  }
  uint32_t constant(uint32_t value) { return global(spv::Op::OpConstant, uint_type(), {value}); }
  uint32_t constant(uint32_t x, uint32_t y) {
    // One after the other, so that the ids do not depend on the compiler's order of evaluation.
    const uint32_t type = vector_type(uint_type(), 2);
    const uint32_t first = constant(x);
    return global(spv::Op::OpConstantComposite, type, {first, constant(y)});
  }

  // A global that is always new: structures, arrays.
  uint32_t add_global(spv::Op op, uint32_t type, Words operands);
  // A variable of the module, in the interface where that lists those of this storage class. `initialiser` is
  // a constant; 0: it has none.
  uint32_t add_variable(spv::StorageClass storage, uint32_t pointer_type, uint32_t initialiser = 0);
  uint32_t pointer_type(spv::StorageClass storage, uint32_t pointee) {
    return global(spv::Op::OpTypePointer, 0, {static_cast<uint32_t>(storage), pointee});
  }
  void add_capability(spv::Capability capability);
  void add_extension(std::string_view name);
  void add_name(uint32_t id, std::string_view name);
  void add_annotation(spv::Op op, Words operands);
  // The interface of the entry points that are left in the module.
  void add_to_interface(uint32_t variable);

 private:
  void remember(uint64_t hash, uint32_t id);
  uint32_t find(uint64_t hash, spv::Op op, uint32_t type, Words operands) const;
  InstructionView definition(uint32_t id) const;

  spvtools::opt::IRContext& context_;
  const ModuleView& view_;
  bool exhausted_ = false;
  struct Slot {
    uint32_t hash = 0;
    uint32_t id = 0;
  };
  std::vector<Slot> table_;  // open addressing, a power of two
  size_t used_ = 0;
  // What was added: words of the instruction, by id - first_new_id_.
  uint32_t first_new_id_;
  std::vector<uint32_t> new_words_;
  std::vector<uint32_t> new_definitions_;
  std::vector<spv::Capability> new_capabilities_;
  std::set<std::string> new_extensions_;
};

}  // namespace shaderqa
#endif
