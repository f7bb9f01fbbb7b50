// Computes, in the shader, which descriptor a pointer leads to and at which offset: also where that depends
// on the flow of control. What a parameter or phi leads to is kept in Private variables, written by the
// callers and the preceding blocks (Vulkan has no recursion).
#ifndef SHADERQA_INSTRUMENT_POINTER_PLACES_H
#define SHADERQA_INSTRUMENT_POINTER_PLACES_H

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "instrument/instrument.h"
#include "instrument/placed_instructions.h"
#include "instrument/pointer_roots.h"
#include "instrument/site_builder.h"

namespace shaderqa {

// Ids of values at one instruction.
struct PointerPlace {
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

  // What the layer knows about the descriptor; null: nothing.
  const DescriptorSlots* slots_of(const ResolvedPointer& pointer) const;
  PointerPlace emit(SiteBuilder& site, const ResolvedPointer& pointer);
  // Writes the variables that emit() came to need. Once, after all accesses.
  void finish();

  uint32_t to_uint(SiteBuilder& site, uint32_t value);
  uint32_t sum(SiteBuilder& site, uint32_t value, uint32_t constant);

 private:
  struct Variables {
    uint32_t descriptor = 0, index = 0, offset = 0;
  };

  Variables add_variables();
  const Variables& variables_of(uint32_t pointer);
  PointerPlace load(SiteBuilder& site, const Variables& variables);
  void store(SiteBuilder& site, const Variables& variables, const ResolvedPointer& pointer);
  PointerPlace select(SiteBuilder& site, InstructionView selection);
  PointerPlace nowhere();
  uint32_t descriptor_constant(const DescriptorSlots& slots);
  void write_parameter(uint32_t parameter, const Variables& variables);
  void write_phi(uint32_t phi, const Variables& variables);

  const SyncOptions& options_;
  ModuleEditor& module_;
  const Decorations& decorations_;
  PointerRoots& roots_;
  std::span<const PlacedInstruction> placed_;
  std::map<uint32_t, Variables> variables_;  // by parameter or phi
  std::vector<uint32_t> pending_;            // those that nobody writes yet
  uint32_t depth_ = 0;                       // of nested selections
};

}  // namespace shaderqa
#endif
