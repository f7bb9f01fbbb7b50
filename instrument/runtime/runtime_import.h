// SPDX-License-Identifier: Apache-2.0
// Copies functions of a runtime, with the types, constants and Private variables they need, into a module.
#ifndef SHADERQA_INSTRUMENT_RUNTIME_RUNTIME_IMPORT_H
#define SHADERQA_INSTRUMENT_RUNTIME_RUNTIME_IMPORT_H

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "instrument/instrument.h"
#include "instrument/ir/module_editor.h"
#include "instrument/ir/push_constants.h"
#include "instrument/runtime/runtime_module.h"

namespace shaderqa {

class RuntimeImport {
 public:
  RuntimeImport(const InstrumentOptions& options, ModuleEditor& module, const RuntimeModule& runtime);

  // Replaces the runtime; only before any function is asked for.
  void use(const RuntimeModule& runtime);
  // The id that a function will have in the module.
  uint32_t function(std::string_view name);
  // The runtime will read a variable of the module, with the same type of value, instead of one of its
  // Private variables. To be called before finish().
  void replace_variable(std::string_view name, uint32_t variable) { replaced_.emplace(name, variable); }
  // The words of a function that calls functions of the runtime. To be called before finish().
  void add_function(const std::vector<uint32_t>& words) {
    added_.insert(added_.end(), words.begin(), words.end());
  }
  // `other`, of the same type, takes the place of a function that was asked for, or that one of those calls.
  // To be called before finish().
  void substitute(std::string_view name, std::string_view other);
  // Adds what this Private variable of type uvec2 holds to every address that the runtime uses; 0: nothing.
  // To be called before finish().
  void vary_addresses(uint32_t zero) { varying_zero_ = zero; }
  // Asks the driver to call a function of the runtime where it would inline it. To be called before finish().
  void keep_out_of_line(std::string_view name);
  // Takes back all that was asked for.
  void inline_all() { out_of_line_.clear(); }
  // The variable of the module that stands for one of the runtime's; 0: none does. After finish().
  uint32_t variable(std::string_view name) const;
  // Adds to the IR what those functions need, for the entry point with this function, and returns their
  // words, to be appended to the serialised module. The function section is the last one, so they need not be
  // in the IR, where most of the time would be spent.
  std::vector<uint32_t> finish(uint32_t entry_function);

 private:
  void need_function(size_t index);
  // A call of a function of the runtime that the options do without.
  bool leaves_out(InstructionView call) const;
  void import_global(const RuntimeInstruction& global);
  void import_annotation(const RuntimeInstruction& annotation);
  uint32_t barrier_semantics(const RuntimeInstruction& barrier);
  void copy_function(const RuntimeFunction& function, std::vector<uint32_t>& out);
  // Where the action record is found by a push constant, not as a uniform buffer.
  bool has_record_address() const { return options_.sync.record_constant != SyncOptions::no_constant; }
  // Access chains into the record begin at that address, and what they lead to is loaded with an alignment.
  bool copy_record_access(InstructionView access, std::vector<uint32_t>& out);

  // Instead of a conversion of an address to a pointer.
  bool copy_varying_address(InstructionView conversion, std::vector<uint32_t>& out);

  const InstrumentOptions& options_;
  ModuleEditor& module_;
  const RuntimeModule* runtime_;
  std::vector<uint32_t> ids_;      // ids in the module, by id in the runtime; 0: not (yet) imported
  std::vector<uint8_t> needed_;    // by id of the runtime
  std::vector<uint8_t> fresh_;     // by id of the runtime: not shared with the module, so it may be decorated
  std::vector<size_t> functions_;  // needed ones
  std::vector<uint32_t> added_;    // words of functions
  std::set<std::string, std::less<>> out_of_line_;
  std::map<std::string, uint32_t, std::less<>> replaced_;
  struct RecordAddress {
    uint32_t block_pointer = 0;             // type of the address, in the module
    uint32_t variable = 0;                  // of the runtime: the block
    PushConstant constant;                  // in the module
    std::map<uint32_t, uint32_t> pointees;  // of the runtime's types of pointers into uniform blocks
    std::map<uint32_t, uint32_t> loaded;    // alignment, by access chain of the runtime
  } record_;
  std::set<uint32_t> references_;  // the runtime's types of pointers into buffers
  uint32_t varying_zero_ = 0;      // a variable of the module; 0: none
  uint32_t scope_ = 0;             // constant: the memory model may want another than the runtime's
};

}  // namespace shaderqa
#endif
