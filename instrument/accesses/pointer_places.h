// SPDX-License-Identifier: Apache-2.0
// Computes, in the shader, which descriptor a pointer leads to and at which offset: also where that depends
// on the flow of control. Where a selection, load or call gives a pointer, its place is computed beside it.
// What parameters, phis, results of functions and variables that hold pointers lead to is kept in Private
// variables (Vulkan has no recursion).
#ifndef SHADERQA_INSTRUMENT_ACCESSES_POINTER_PLACES_H
#define SHADERQA_INSTRUMENT_ACCESSES_POINTER_PLACES_H

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "instrument/accesses/buffer_accesses.h"
#include "instrument/accesses/pointer_roots.h"
#include "instrument/instrument.h"
#include "instrument/ir/placed_instructions.h"
#include "instrument/ir/site_builder.h"

namespace shaderqa {

// Ids of values at one instruction.
struct PointerTarget {
  uint32_t descriptor = 0;  // uvec4: set, slot, count, dynamic
  uint32_t index = 0;       // uint, in the array of descriptors
  uint32_t offset = 0;      // uint, bytes; 0: only the constant
  uint32_t constant = 0;    // a number of bytes on top
};

class PointerPlaces {
 public:
  PointerPlaces(const SyncOptions& options, ModuleEditor& module, const Decorations& decorations,
                PointerRoots& roots, std::span<const PlacedInstruction> placed)
      : options_(options), module_(module), decorations_(decorations), roots_(roots), placed_(placed) {}

  // What the layer knows about the descriptor; null if nothing.
  const DescriptorSlots* slots_of(const ResolvedPointer& pointer) const;
  PointerTarget emit(SiteBuilder& site, const ResolvedPointer& pointer);
  // The descriptor of an access with a reach, which the layer knows.
  uint32_t descriptor_of_own(const BufferAccess& access);
  // Writes the variables that emit() came to need. Once, after all accesses.
  void finish();
  // Number of pointers that are selected, stored or passed on without a known place. Accesses through them
  // are not checked.
  uint32_t unfollowed() const { return unfollowed_; }

  uint32_t to_uint(SiteBuilder& site, uint32_t value);
  uint32_t sum(SiteBuilder& site, uint32_t value, uint32_t constant);
  uint32_t product(SiteBuilder& site, uint32_t value, uint32_t constant);

 private:
  PointerTarget nowhere();
  uint32_t descriptor_constant(const DescriptorSlots& slots);
  // The place of a pointer that is passed on to code that knows nothing else about it.
  PointerTarget passed_on(SiteBuilder& site, uint32_t pointer);
  PointerTarget at_definition(uint32_t pointer);
  PointerTarget define(SiteBuilder& site, const spvtools::opt::Instruction& definition);
  PointerTarget select(SiteBuilder& site, const spvtools::opt::Instruction& selection);
  spvtools::opt::Instruction* instruction_of(uint32_t id);

  // Values in memory: structures of descriptor, index, offset.
  uint32_t place_type();
  uint32_t shadow_type(uint32_t type);
  uint32_t variable_of(uint32_t id);      // a parameter's or phi's place, a function's result
  uint32_t shadow_of(uint32_t variable);  // the places of the pointers in a variable
  uint32_t shadow_pointer(SiteBuilder& site, const PointerVariables::Path& path, uint32_t type);
  PointerTarget load(SiteBuilder& site, uint32_t place_pointer);
  void store(SiteBuilder& site, uint32_t place_pointer, const PointerTarget& place);

  void write_parameter(uint32_t parameter, uint32_t variable);
  void write_phi(uint32_t phi, uint32_t variable);
  void write_result(uint32_t function, uint32_t variable);
  void write_shadow(uint32_t variable);

  const SyncOptions& options_;
  ModuleEditor& module_;
  const Decorations& decorations_;
  PointerRoots& roots_;
  std::span<const PlacedInstruction> placed_;
  std::map<uint32_t, uint32_t> variables_;         // by parameter, phi, function or variable
  std::vector<uint32_t> pending_;                  // variables that nothing writes yet
  std::map<uint32_t, PointerTarget> definitions_;  // of selections, loads and calls
  std::map<uint32_t, uint32_t> shadow_types_;
  std::unordered_map<uint32_t, spvtools::opt::Instruction*>
      instructions_;  // results are pointers; by result id
  uint32_t place_type_ = 0;
  uint32_t depth_ = 0;  // how many definitions deep emit() is
  uint32_t unfollowed_ = 0;
};

}  // namespace shaderqa
#endif
