// SPDX-License-Identifier: Apache-2.0
// The compiled runtimes (runtime/*.glsl), in the form that the import wants. Each variant is scanned once in
// a process, and does not change from then on.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_RUNTIME_MODULE_H
#define SHADERQA_INSTRUMENT_RUNTIME_RUNTIME_MODULE_H

#include <cstdint>
#include <string_view>
#include <vector>

#include "instrument/ir/module_view.h"

namespace shaderqa {

// Bit i of a mask is word i of the instruction, which has no more than 32 words.
struct RuntimeInstruction {
  uint32_t offset = 0;
  uint32_t ids = 0;                // words that are ids
  uint32_t device_scopes = 0;      // those of them that are the constant of scope Device
  uint32_t barrier_semantics = 0;  // those of them that are the memory semantics of a barrier
  bool acquires = false;           // which is more than a release
  bool of_workgroup = false;       // workgroup memory, not buffers
};

struct RuntimeFunction {
  std::string_view name;
  uint32_t id = 0;
  uint32_t first = 0, last = 0;  // instructions [first, last)
};

class RuntimeModule {
 public:
  static const RuntimeModule& printf(bool int64, bool subgroup);
  static const RuntimeModule& checks();
  static const RuntimeModule& trace();
  static const RuntimeModule& picture(bool divergence);
  static const RuntimeModule& bloom(bool int64);
  // buffered: descriptors can be in descriptor buffers.
  static const RuntimeModule& exact(bool buffered);
  static const RuntimeModule& exact_with_releases(bool buffered);
  static const RuntimeModule& exact_with_footprints();  // and releases, and descriptor buffers
  static const RuntimeModule& workgroup(bool blocks);

  InstructionView view(const RuntimeInstruction& i) const {
    return {words_.subspan(i.offset, words_[i.offset] >> 16)};
  }
  uint32_t bound() const { return words_[3]; }
  const std::vector<spv::Capability>& capabilities() const { return capabilities_; }
  const std::vector<RuntimeInstruction>& annotations() const { return annotations_; }
  const std::vector<RuntimeInstruction>& globals() const { return globals_; }  // each after what it refers to
  const std::vector<RuntimeInstruction>& code() const { return code_; }
  const std::vector<RuntimeFunction>& functions() const { return functions_; }
  // The name without the parameter types that the compiler appends. -1: there is none.
  int function(std::string_view name) const;
  std::string_view name(uint32_t id) const { return names_[id]; }
  int function_by_id(uint32_t id) const { return function_of_[id]; }

 private:
  explicit RuntimeModule(Words words);

  Words words_;
  std::vector<spv::Capability> capabilities_;
  std::vector<RuntimeInstruction> annotations_, globals_, code_;
  std::vector<RuntimeFunction> functions_;
  std::vector<int> function_of_;
  std::vector<std::string_view> names_;  // into words_
};

}  // namespace shaderqa
#endif
