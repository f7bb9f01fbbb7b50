// SPDX-License-Identifier: Apache-2.0
// Follows a pointer back to the resource that it points into.
#ifndef SHADERQA_INSTRUMENT_ACCESSES_POINTER_ROOTS_H
#define SHADERQA_INSTRUMENT_ACCESSES_POINTER_ROOTS_H

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "instrument/accesses/pointer_variables.h"
#include "instrument/ir/memory_layout.h"

namespace shaderqa {

// An integer: a value of the module or a constant.
struct IndexValue {
  uint32_t id = 0;        // the value's; 0: it is `constant`
  uint32_t constant = 0;  // modulo 2^32
  bool operator==(const IndexValue&) const = default;
};

struct ScaledIndex {
  uint32_t id = 0;
  uint32_t stride = 0;
  bool operator==(const ScaledIndex&) const = default;
};

struct ResolvedPointer {
  enum class Root : uint8_t {
    unchecked,   // memory that no other queue or workgroup sees, or no buffer
    descriptor,  // `variable`, at `offset` and `indices`
    physical,    // the pointer itself is the address
    flow,    // relative to `variable` (a parameter, phi, selection, load or call), at `offset` and `indices`
    unknown  // a buffer, but which one and where is not known
  };
  Root root = Root::unknown;
  uint32_t variable = 0;     // or the value that a physical pointer or one of the flow starts from
  IndexValue array_element;  // of an array of descriptors
  uint32_t offset = 0;       // bytes
  std::vector<ScaledIndex> indices;
  uint32_t pointee = 0;  // type
  MatrixLayout matrix;
  std::string path;  // ".member.member", for people
  bool operator==(const ResolvedPointer&) const = default;
};

class PointerRoots {
 public:
  PointerRoots(const ModuleView& module, const Decorations& decorations, const MemoryLayout& layout,
               const PointerVariables& variables)
      : module_(module), decorations_(decorations), layout_(layout), variables_(variables) {}

  // Takes the code that the entry point reaches: parameters in order, calls in the order of the module.
  void add_parameter(uint32_t function, uint32_t parameter);
  void add_call(InstructionView call);

  ResolvedPointer resolve(uint32_t pointer) { return resolve(pointer, 0); }
  struct Parameter {
    uint32_t function = 0;  // id
    uint32_t index = 0;
  };
  std::optional<Parameter> parameter_of(uint32_t id) const;
  const PointerVariables& variables() const { return variables_; }
  // The variable that an image or sampled image was loaded from.
  ResolvedPointer resolve_image(uint32_t image);

 private:
  ResolvedPointer resolve(uint32_t pointer, uint32_t depth);
  ResolvedPointer variable(InstructionView definition) const;
  ResolvedPointer parameter(uint32_t id, uint32_t depth);
  ResolvedPointer opaque(uint32_t pointer) const;
  bool step(ResolvedPointer& pointer, uint32_t index) const;
  void advance(ResolvedPointer& pointer, uint32_t index, uint32_t stride) const;

  const ModuleView& module_;
  const Decorations& decorations_;
  const MemoryLayout& layout_;
  const PointerVariables& variables_;
  std::unordered_map<uint32_t, Parameter> parameters_;
  std::unordered_map<uint32_t, uint32_t> parameter_counts_;           // by function
  std::unordered_map<uint32_t, std::vector<InstructionView>> calls_;  // by callee
};

}  // namespace shaderqa
#endif
