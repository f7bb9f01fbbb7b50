// SPDX-License-Identifier: Apache-2.0
// Copies functions of a runtime, with the types, constants and Private variables they need, into a module.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_RUNTIME_IMPORT_H
#define SHADERQA_INSTRUMENT_RUNTIME_RUNTIME_IMPORT_H

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "instrument/instrument.h"
#include "instrument/ir/module_editor.h"
#include "instrument/runtime/runtime_module.h"

namespace shaderqa {

class RuntimeImport {
 public:
  RuntimeImport(const InstrumentOptions& options, ModuleEditor& module, const RuntimeModule& runtime);

  // Another runtime, before any function is asked for.
  void use(const RuntimeModule& runtime);
  // The id under which a function will be in the module.
  uint32_t function(std::string_view name);
  // In the place of one of its Private variables the module's of the same type of value is read. Before
  // finish().
  void replace_variable(std::string_view name, uint32_t variable) { replaced_.emplace(name, variable); }
  // Adds to the IR what those functions need, and returns their words, to be appended to the serialised
  // module: the function section is its last, so they need no place in the IR, which is where most of the
  // time would go.
  std::vector<uint32_t> finish();

 private:
  void need_function(size_t index);
  void import_global(const RuntimeInstruction& global);
  void import_annotation(const RuntimeInstruction& annotation);
  uint32_t barrier_semantics(bool acquires);
  void copy_function(const RuntimeFunction& function, std::vector<uint32_t>& out);

  const InstrumentOptions& options_;
  ModuleEditor& module_;
  const RuntimeModule* runtime_;
  std::vector<uint32_t> ids_;      // of the module, by id of the runtime; 0: not (yet) imported
  std::vector<uint8_t> needed_;    // by id of the runtime
  std::vector<uint8_t> fresh_;     // by id of the runtime: not shared with the module, so ours to decorate
  std::vector<size_t> functions_;  // needed ones
  std::map<std::string, uint32_t, std::less<>> replaced_;
  uint32_t scope_ = 0;  // constant: the memory model may want another than the runtime's
};

}  // namespace shaderqa
#endif
